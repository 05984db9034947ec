"""What can be said of the columns of a profile: how much they tell, and which letters make them."""

from __future__ import annotations

import numpy as np

from antidiag.kernels.profiles.profile import Profile


def logo(profile: Profile, first: int = 0, last: int | None = None) -> np.ndarray:
    """Heights of the letters in a logo, in bits; float64 (letters, columns first..last - 1), without the blank.

    A column tells log2(letters) less the entropy of its letters, as far as it has letters; each of these takes its
    share (Schneider and Stephens 1990, without the correction for few rows, which are not always known).
    """
    letters = profile.frequencies[:-1, first:last]
    share = letters.sum(axis=0)
    found = np.divide(letters, share, out=np.zeros_like(letters), where=share > 0)
    entropy = -(found * np.log2(np.where(found > 0, found, 1))).sum(axis=0)
    return letters * np.maximum(most_bits(profile) - entropy, 0)


def most_bits(profile: Profile) -> float:
    """What a column of one letter alone tells."""
    return float(np.log2(max(len(profile.alphabet) - 1, 1)))


def leading(profile: Profile, column: int, most: int = 4) -> list[tuple[str, float]]:
    """The most frequent symbols of a column with their frequencies, the highest first; none that does not occur."""
    frequencies = profile.frequencies[:, column]
    order = np.argsort(-frequencies, kind="stable")[:most]
    return [(profile.alphabet[symbol], float(frequencies[symbol])) for symbol in order if frequencies[symbol] > 0]


def strongest(values: np.ndarray, groups: int) -> np.ndarray:
    """The greatest values of neighbouring columns in so many groups, of (rows, columns); float64 (rows, groups)."""
    edges = np.arange(groups) * values.shape[1] // groups
    return np.maximum.reduceat(values, edges, axis=1)
