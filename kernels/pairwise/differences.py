"""MD of SAM and cs of PAF: where two aligned sequences differ, with the letters of the reference, the second one.

MD is that of the SAM tags specification, cs the long form of minimap2.
"""

from __future__ import annotations

import numpy as np

from antidiag.kernels.model import Sequence
from antidiag.kernels.pairwise.model import CHUNK, DELETED, INSERTED, MISMATCH, SAME, Alignment

SIGNS = np.frombuffer(b"=+-*", np.uint8)
"""Of cs, by the kind of a column."""
LOWER = 32


def md(path: Alignment, first: Sequence, second: Sequence) -> str | None:
    """How many letters are the same, letters of the reference that differ, and ^ with those that the query lacks.

    None where the letters of the reference are not all letters of the alphabet, which MD cannot say.
    """
    kinds = path.kinds(first, second)
    changed = np.append(True, kinds[1:] != kinds[:-1])[: kinds.size]
    there = kinds != INSERTED
    apart = (changed & (kinds == DELETED))[there]  # letters between two gaps of the query part them
    kinds = kinds[there]
    letters = second.array[path.start[1] : path.end[1]]
    if not _alphabetic(letters[kinds != SAME]):
        return None
    starts = np.flatnonzero(apart | np.append(True, kinds[1:] != kinds[:-1])[: kinds.size])
    pieces: list[str] = []
    same = 0
    for at in range(0, starts.size, CHUNK):
        part = starts[at : at + CHUNK + 1]
        begins, ends = part[:CHUNK], part[1:] if part.size > CHUNK else np.append(part[1:], kinds.size)
        for kind, begin, end in zip(kinds[begins].tolist(), begins.tolist(), ends.tolist(), strict=True):
            if kind == SAME:
                same += end - begin
                continue
            differing = letters[begin:end].tobytes().decode("ascii")
            pieces.append(f"{same}^{differing}" if kind == DELETED else f"{same}{'0'.join(differing)}")
            same = 0
    return f"{''.join(pieces)}{same}"


def cs(path: Alignment, first: Sequence, second: Sequence) -> str | None:
    """= and letters that are the same, * and two that differ, + and letters that the reference lacks, - the query.

    Capitals where they are the same, else lower case; None where letters are not all letters of the alphabet.
    """
    kinds = path.kinds(first, second)
    queries = first.array[path.start[0] : path.end[0]]
    targets = second.array[path.start[1] : path.end[1]]
    if not (_alphabetic(queries) and _alphabetic(targets)):
        return None
    pieces = []
    query = target = 0
    for at in range(0, kinds.size, CHUNK):
        part = kinds[at : at + CHUNK]
        uses_query, uses_target = part != DELETED, part != INSERTED
        above, below = np.zeros((2, part.size), np.uint8)
        above[uses_target] = targets[target : (target := target + int(uses_target.sum()))]
        below[uses_query] = queries[query : (query := query + int(uses_query.sum()))]
        pieces.append(_signed(part, above, below, kinds[at - 1] if at else None))
    return b"".join(pieces).decode("ascii")


def _signed(kinds: np.ndarray, above: np.ndarray, below: np.ndarray, before: int | None) -> bytes:
    """Some columns of cs: each has a letter, or two, after the sign where it is the first of its kind."""
    differ = kinds == MISMATCH
    signed = np.append(before is None or kinds[0] != before, kinds[1:] != kinds[:-1]) | differ
    ends = np.cumsum(1 + signed + differ)
    found = np.empty(ends[-1], np.uint8)
    found[(ends - 2 - differ)[signed]] = SIGNS[kinds[signed]]
    letters = np.where(kinds == DELETED, above, below)
    found[ends - 1] = letters + LOWER * (kinds != SAME).astype(np.uint8)
    found[ends[differ] - 2] = above[differ] + LOWER
    return found.tobytes()


def _alphabetic(letters: np.ndarray) -> bool:
    return bool(((letters >= ord("A")) & (letters <= ord("Z"))).all())
