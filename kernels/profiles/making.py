"""A profile made of an alignment as a user asks for it: weights of its rows, and letters of the background.

Weights are ClustalW's, by a guide tree, or come from a file with a line for each row: its name, then its weight.
"""

from __future__ import annotations

from collections.abc import Sequence as Sequences
from dataclasses import replace
from pathlib import Path

import numpy as np

from antidiag.kernels.errors import InputError, ParameterError
from antidiag.kernels.io import line_blocks, tree_files
from antidiag.kernels.io.aligned import AlignedSequences
from antidiag.kernels.io.tree import Tree
from antidiag.kernels.monitor import Monitor
from antidiag.kernels.profiles.profile import Profile, from_alignment
from antidiag.kernels.profiles.scoring import with_pseudocounts

MOST_PSEUDOCOUNTS = 1000.0
SEPARATORS = ",;\t"
"""Between a name and its weight; where there is none, the last blank of a line, for a name may hold blanks."""


def profile_of(
    alignment: AlignedSequences,
    weights: Sequences[float] | np.ndarray | Tree | None = None,
    pseudocounts: float = 0.0,
    name: str = "",
) -> Profile:
    """The profile of an alignment; ``weights`` as `from_alignment` takes them.

    One that the file alone does not give again names no file. InputError names a row that the tree lacks.
    """
    made = with_background(from_alignment(alignment, weights, name=name), pseudocounts)
    plain = weights is None and not pseudocounts
    return made if plain else replace(made, source="", note=_note(weights, pseudocounts))


def with_background(profile: Profile, count: float) -> Profile:
    """A profile with so many letters of the background in every column that has letters; ParameterError for a number
    below 0 or above MOST_PSEUDOCOUNTS, and where there are some already."""
    if not 0 <= count <= MOST_PSEUDOCOUNTS:
        raise ParameterError(f"pseudocounts={count:g} is not between 0 and {MOST_PSEUDOCOUNTS:,.0f}")
    if not count:
        return profile
    if profile.pseudocounts:
        raise ParameterError(
            f"{profile.name} has {profile.pseudocounts:g} letters of the background in every column; give "
            "pseudo-counts with the alignment"
        )
    frequencies = with_pseudocounts(profile, count)
    frequencies.setflags(write=False)
    return replace(profile, frequencies=frequencies, pseudocounts=count)


def read_weights(path: str | Path, names: Sequences[str]) -> np.ndarray | Tree:
    """The weights in a file for the rows of these names, in their order, float64; or the tree that the file holds.

    InputError names file and line.
    """
    path = Path(path)
    text = b"".join(line_blocks.blocks(path, Monitor()))
    if tree_files.claims(path, text[:4096]):
        return tree_files.read(path)[0]
    found: dict[str, float] = {}
    for number, line in enumerate(text.decode("utf-8", "replace").splitlines(), 1):
        if line.strip():
            name, weight = _of_line(path, number, line)
            if name in found:
                raise InputError(f"{path}, line {number:,}: a second weight of {name}; leave one out")
            found[name] = weight
    missing = next((name for name in names if name not in found), None)
    if missing is not None:
        raise InputError(f"{path}: no weight of the row {missing}; give a line for each row: its name, then its weight")
    return np.array([found[name] for name in names])


def _of_line(path: Path, number: int, line: str) -> tuple[str, float]:
    separator = next((one for one in SEPARATORS if one in line), None)
    name, _, weight = line.strip().rpartition(separator or " ")
    try:
        value = float(weight)
    except ValueError:
        value = float("nan")
    if not name.strip() or not np.isfinite(value) or value < 0:
        raise InputError(f"{path}, line {number:,}: {line.strip()[:60]!r} is no name with a weight of 0 or more")
    return name.strip(), value


def _note(weights: Sequences[float] | np.ndarray | Tree | None, pseudocounts: float) -> str:
    rows = "" if weights is None else "rows weighted by a guide tree" if isinstance(weights, Tree) else "rows weighted"
    told = [rows] if rows else []
    told += [f"{pseudocounts:g} letters of the background in every column"] if pseudocounts else []
    return "; ".join(told)
