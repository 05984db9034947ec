"""The information in the columns of a profile, and the letters that make it."""

from __future__ import annotations

import numpy as np

from antidiag.kernels.profiles.profile import Profile


def logo_heights(profile: Profile, first: int = 0, last: int | None = None) -> np.ndarray:
    """Return the heights of letters in a sequence logo, in bits; float64 (letters, columns first to last - 1).

    A column has log2(letters) bits less the entropy of its letters, times its share of letters; each letter takes its
    part (Schneider and Stephens 1990, without the correction for few rows, whose number is not always known).
    """
    letters = profile.frequencies[:-1, first:last]
    share = letters.sum(axis=0)
    found = np.divide(letters, share, out=np.zeros_like(letters), where=share > 0)
    entropy = -(found * np.log2(np.where(found > 0, found, 1))).sum(axis=0)
    return letters * np.maximum(maximum_information(profile) - entropy, 0)


def maximum_information(profile: Profile) -> float:
    """Return the bits of a column with one letter only."""
    return float(np.log2(max(len(profile.alphabet) - 1, 1)))


def frequent_symbols(profile: Profile, column: int, limit: int = 4) -> list[tuple[str, float]]:
    """Return the most frequent symbols of a column and their frequencies, highest first."""
    frequencies = profile.frequencies[:, column]
    order = np.argsort(-frequencies, kind="stable")[:limit]
    return [(profile.alphabet[symbol], float(frequencies[symbol])) for symbol in order if frequencies[symbol] > 0]


def group_maxima(values: np.ndarray, groups: int) -> np.ndarray:
    """Return the maxima of groups of neighbouring columns; float64 (rows, groups)."""
    edges = np.arange(groups) * values.shape[1] // groups
    return np.maximum.reduceat(values, edges, axis=1)
