"""What tables say of a path, in compiled code: CIGAR, and where two aligned sequences differ (MD of SAM, cs of PAF).

Both tags name letters of the reference, the second sequence. MD follows the SAM tags specification, cs the long form of
minimap2. A path of a pair takes some microseconds, so that a table of a million pairs takes no longer than the pairs.
"""

from __future__ import annotations

import numpy as np

from antidiag.kernels.cpu.jit import cached_njit, inner_njit
from antidiag.kernels.model import Sequence, SequenceType
from antidiag.kernels.pairwise.model import DELETED, DIAGONAL, INSERTED, LEFT, MISMATCH, SAME, UP, Alignment
from antidiag.kernels.sequences.alphabets import identity_codes

RUN_SIGNS, OPERATION_SIGNS, CS_SIGNS = (np.frombuffer(signs, np.uint8) for signs in (b"=IDX", b"MID", b"=+-*"))
"""Signs of CIGAR by the kind of a column, of CIGAR by its operation, and of cs by its kind."""
FIRST_LETTER, LAST_LETTER, LOWER = ord("A"), ord("Z"), 32
ZERO, CARET = ord("0"), ord("^")


def find_kinds(path: Alignment, first: Sequence, second: Sequence) -> np.ndarray:
    """Return the kinds of the columns of a path, as `Alignment.column_kinds`."""
    uracil = SequenceType.PROTEIN not in (first.type, second.type)
    codes = (identity_codes(one.type == SequenceType.PROTEIN, uracil) for one in (first, second))
    return _find_kinds(path.operations, *path.slice_letters(first, second), *codes)


def format_cigar(path: Alignment, kinds: np.ndarray, is_extended: bool) -> str:
    """Return the CIGAR with = X I D where ``is_extended``, else with M I D."""
    runs = _write_runs(kinds, RUN_SIGNS) if is_extended else _write_runs(path.operations, OPERATION_SIGNS)
    return runs.tobytes().decode("ascii")


def format_md(path: Alignment, kinds: np.ndarray, first: Sequence, second: Sequence) -> str | None:
    """Return the MD tag: counts of equal letters, differing reference letters, and ^ with those the query lacks.

    Returns None where a differing reference letter is not in A-Z, which MD cannot express.
    """
    text, can_be_written = _write_md(kinds, path.slice_letters(first, second)[1])
    return text.tobytes().decode("ascii") if can_be_written else None


def format_cs(path: Alignment, kinds: np.ndarray, first: Sequence, second: Sequence) -> str | None:
    """Return the cs tag: = equal letters, * two that differ, + letters that the reference lacks, - that the query
    lacks.

    Equal letters are capitals, others lower case. Returns None where a letter is not in A-Z.
    """
    text, can_be_written = _write_cs(kinds, *path.slice_letters(first, second))
    return text.tobytes().decode("ascii") if can_be_written else None


@cached_njit
def _find_kinds(operations, first, second, first_codes, second_codes):
    kinds = operations.copy()
    i = j = 0
    for column in range(operations.size):
        operation = operations[column]
        if operation == DIAGONAL:
            code = first_codes[first[i]]
            if code == 0 or code != second_codes[second[j]]:
                kinds[column] = MISMATCH
        i += operation != LEFT
        j += operation != UP
    return kinds


@inner_njit
def _write_number(out, at, number):
    """Write a number from place ``at`` on; return the place behind it."""
    end, rest = at + 1, number
    while rest >= 10:
        end, rest = end + 1, rest // 10
    for place in range(end - 1, at - 1, -1):
        out[place], number = ZERO + number % 10, number // 10
    return end


@cached_njit
def _write_runs(kinds, signs):
    """Return the length of every run of a kind, and its sign."""
    out = np.empty(2 * kinds.size, np.uint8)
    at = begin = 0
    for column in range(1, kinds.size + 1):
        if column == kinds.size or kinds[column] != kinds[begin]:
            at = _write_number(out, at, column - begin)
            out[at] = signs[kinds[begin]]
            at, begin = at + 1, column
    return out[:at]


@cached_njit
def _write_md(kinds, reference):
    """Return the tag, and whether it can be written."""
    out = np.empty(3 * kinds.size + 20, np.uint8)
    at = j = same = 0
    before = SAME
    for column in range(kinds.size):
        kind = kinds[column]
        if kind == SAME:
            same += 1
        elif kind != INSERTED:
            letter = reference[j]
            if not FIRST_LETTER <= letter <= LAST_LETTER:
                return out[:0], False
            if kind == MISMATCH or before != DELETED:
                at, same = _write_number(out, at, same), 0
                if kind == DELETED:
                    out[at] = CARET
                    at += 1
            out[at] = letter
            at += 1
        j += kind != INSERTED
        before = kind
    return out[: _write_number(out, at, same)], True


@cached_njit
def _write_cs(kinds, query, reference):
    """Return the tag, and whether it can be written."""
    out = np.empty(3 * kinds.size, np.uint8)
    at = i = j = 0
    for letters in (query, reference):
        for letter in letters:
            if not FIRST_LETTER <= letter <= LAST_LETTER:
                return out[:0], False
    for column in range(kinds.size):
        kind = kinds[column]
        if kind == MISMATCH or column == 0 or kind != kinds[column - 1]:
            out[at] = CS_SIGNS[kind]
            at += 1
        if kind == MISMATCH:
            out[at] = reference[j] + LOWER
            at += 1
        out[at] = query[i] if kind == SAME else (reference[j] if kind == DELETED else query[i]) + LOWER
        at += 1
        i += kind != DELETED
        j += kind != INSERTED
    return out[:at], True
