"""The MD tag of SAM and the cs tag of PAF: where two aligned sequences differ.

Both name letters of the reference, the second sequence. MD follows the SAM tags specification, cs the long form of
minimap2.
"""

from __future__ import annotations

import numpy as np

from antidiag.kernels.model import Sequence
from antidiag.kernels.pairwise.model import CHUNK, DELETED, INSERTED, MISMATCH, SAME, Alignment

SIGNS = np.frombuffer(b"=+-*", np.uint8)
"""Signs of the cs tag by the kind of a column."""
LOWER = 32


def format_md(path: Alignment, kinds: np.ndarray, second: Sequence) -> str | None:
    """Return the MD tag: counts of equal letters, differing reference letters, and ^ with those the query lacks.

    ``kinds`` are those of the columns (`Alignment.column_kinds`).

    Returns None where a reference letter is not in A-Z, which MD cannot express.
    """
    changed = np.append(True, kinds[1:] != kinds[:-1])[: kinds.size]
    there = kinds != INSERTED
    apart = (changed & (kinds == DELETED))[there]  # an insertion separates two deletions
    kinds = kinds[there]
    letters = second.letter_array[path.start[1] : path.end[1]]
    if not _is_alphabetic(letters[kinds != SAME]):
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


def format_cs(path: Alignment, kinds: np.ndarray, first: Sequence, second: Sequence) -> str | None:
    """Return the cs tag: = equal letters, * two that differ, + letters that the reference lacks, - that the query
    lacks.

    ``kinds`` are those of the columns (`Alignment.column_kinds`). Equal letters are capitals, others lower case.
    Returns None where a letter is not in A-Z.
    """
    queries = first.letter_array[path.start[0] : path.end[0]]
    targets = second.letter_array[path.start[1] : path.end[1]]
    if not (_is_alphabetic(queries) and _is_alphabetic(targets)):
        return None
    pieces = []
    query = target = 0
    for at in range(0, kinds.size, CHUNK):
        part = kinds[at : at + CHUNK]
        uses_query, uses_target = part != DELETED, part != INSERTED
        above, below = np.zeros((2, part.size), np.uint8)
        above[uses_target] = targets[target : (target := target + int(uses_target.sum()))]
        below[uses_query] = queries[query : (query := query + int(uses_query.sum()))]
        pieces.append(_format_cs_columns(part, above, below, kinds[at - 1] if at else None))
    return b"".join(pieces).decode("ascii")


def _format_cs_columns(kinds: np.ndarray, above: np.ndarray, below: np.ndarray, before: int | None) -> bytes:
    """Return some columns of cs: one letter each, or two, after the sign where it is the first of its kind."""
    differ = kinds == MISMATCH
    signed = np.append(before is None or kinds[0] != before, kinds[1:] != kinds[:-1]) | differ
    ends = np.cumsum(1 + signed + differ)
    found = np.empty(ends[-1], np.uint8)
    found[(ends - 2 - differ)[signed]] = SIGNS[kinds[signed]]
    letters = np.where(kinds == DELETED, above, below)
    found[ends - 1] = letters + LOWER * (kinds != SAME).astype(np.uint8)
    found[ends[differ] - 2] = above[differ] + LOWER
    return found.tobytes()


def _is_alphabetic(letters: np.ndarray) -> bool:
    return bool(((letters >= ord("A")) & (letters <= ord("Z"))).all())
