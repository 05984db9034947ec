"""Profiles built from alignments with row weights and letters of the background.

Weights are ClustalW's, by a guide tree, or come from a file with a line for each row: its name, then its weight.
"""

from __future__ import annotations

from collections.abc import Sequence as Sequences
from dataclasses import replace
from pathlib import Path

import numpy as np

from antidiag.kernels.errors import InputError, ParameterError
from antidiag.kernels.io import line_blocks, tree_files
from antidiag.kernels.io.aligned_sequences import AlignedSequences
from antidiag.kernels.io.tree import Tree
from antidiag.kernels.monitor import Monitor
from antidiag.kernels.profiles.column_scores.scoring import mix_pseudocounts
from antidiag.kernels.profiles.profile import Profile, profile_from_alignment

MOST_PSEUDOCOUNTS = 1000.0
SEPARATORS = ",;\t"
"""Separators of a name and its weight; without one, the last blank of a line separates them, since names may hold
blanks."""


def build_profile(
    alignment: AlignedSequences,
    weights: Sequences[float] | np.ndarray | Tree | None = None,
    pseudocounts: float = 0.0,
    name: str = "",
) -> Profile:
    """Return the profile of an alignment; ``weights`` as in `profile_from_alignment`.

    A profile with weights or pseudocounts names no source file. InputError names a row that the tree lacks.
    """
    made = add_background(profile_from_alignment(alignment, weights, name=name), pseudocounts)
    plain = weights is None and not pseudocounts
    return made if plain else replace(made, source="", note=_describe_weights(weights, pseudocounts))


def add_background(profile: Profile, count: float) -> Profile:
    """Add ``count`` letters of the background to each column that has letters.

    ParameterError if the count is not from 0 to MOST_PSEUDOCOUNTS, or if the profile has some already.
    """
    if not 0 <= count <= MOST_PSEUDOCOUNTS:
        raise ParameterError(f"pseudocounts={count:g} must be between 0 and {MOST_PSEUDOCOUNTS:,.0f}")
    if not count:
        return profile
    if profile.pseudocounts:
        raise ParameterError(
            f"{profile.name} already contains {profile.pseudocounts:g} background letters per column; set "
            "pseudocounts for the alignment instead"
        )
    frequencies = mix_pseudocounts(profile, count)
    frequencies.setflags(write=False)
    return replace(profile, frequencies=frequencies, pseudocounts=count)


def read_weights(path: str | Path, names: Sequences[str]) -> np.ndarray | Tree:
    """Read the weights of rows by name, in their order, float64; or the tree that the file holds.

    InputError names the file and the line.
    """
    path = Path(path)
    text = b"".join(line_blocks.read_blocks(path, Monitor()))
    if tree_files.is_tree_file(path, text[:4096]):
        return tree_files.read_trees(path)[0]
    found: dict[str, float] = {}
    for number, line in enumerate(text.decode("utf-8", "replace").splitlines(), 1):
        if line.strip():
            name, weight = _parse_weight_line(path, number, line)
            if name in found:
                raise InputError(f"{path}, line {number:,}: {name} has two weights; remove one")
            found[name] = weight
    missing = next((name for name in names if name not in found), None)
    if missing is not None:
        raise InputError(f"{path}: row {missing} has no weight; add a line with its name and weight")
    return np.array([found[name] for name in names])


def _parse_weight_line(path: Path, number: int, line: str) -> tuple[str, float]:
    """Parse a line with a name and its weight."""
    separator = next((one for one in SEPARATORS if one in line), None)
    name, _, weight = line.strip().rpartition(separator or " ")
    try:
        value = float(weight)
    except ValueError:
        value = float("nan")
    if not name.strip() or not np.isfinite(value) or value < 0:
        raise InputError(f"{path}, line {number:,}: {line.strip()[:60]!r} is not a name and a weight of at least 0")
    return name.strip(), value


def _describe_weights(weights: Sequences[float] | np.ndarray | Tree | None, pseudocounts: float) -> str:
    """Describe weights and pseudocounts."""
    rows = "" if weights is None else "rows weighted by a guide tree" if isinstance(weights, Tree) else "rows weighted"
    parts = [rows] if rows else []
    parts += [f"{pseudocounts:g} background letters per column"] if pseudocounts else []
    return "; ".join(parts)
