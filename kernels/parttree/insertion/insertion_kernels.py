"""Compiled insertion: the profile of a whole alignment, and many sequences aligned to it; see `cpu_profiles`."""

from __future__ import annotations

import numpy as np

from antidiag.kernels.cpu.jit import cached_njit, inner_njit
from antidiag.kernels.parttree.progressive.cpu_profile_pair import (
    LANES,
    LEFT,
    UP,
    align_profiles,
    diagonal_width,
    trace_path,
)
from antidiag.kernels.parttree.progressive.cpu_profiles import push_leaf
from antidiag.kernels.parttree.symbols import ENDS, EXTENDS, LETTERS, OPENS, SYMBOLS, UNKNOWN

NO_LETTER = 255
TASK = 16
"""Sequences that a thread takes at a time."""


@inner_njit
def count_profile(rows, symbols, planes, done, stop):
    """Count the profile of rows, uint8 (rows, columns), and return the bits of its symbols.

    ``planes`` float32 (SYMBOLS x columns,) holds zeros before; ``symbols`` uint8 (256,) is the symbol of each byte,
    NO_LETTER for gaps.
    """
    size, present = rows.shape[1], np.int64(0)
    for row in range(rows.shape[0]):
        if stop[0] != 0:
            return present
        first = last = -1
        for column in range(size):
            if symbols[rows[row, column]] != NO_LETTER:
                first = column if first < 0 else first
                last = column
        inside = False
        for column in range(size):
            letter = np.int64(symbols[rows[row, column]])
            symbol = letter if letter < LETTERS else UNKNOWN
            if letter == NO_LETTER:
                symbol = ENDS if column < first or column > last else OPENS if inside else EXTENDS
            inside = letter != NO_LETTER
            planes[symbol * size + column] += 1
            present |= np.int64(1) << symbol
        done[0] = row + 1
    return present


call_count_profile = cached_njit(count_profile)
"""`count_profile` for calls from Python."""


@cached_njit
def insert_sequences(profile, size, rows, present, codes, offsets, rules, letter_columns, first, last, stop):
    """Align sequences ``first`` to ``last`` - 1 to a profile of ``size`` columns and ``rows`` (float32).

    ``letter_columns`` int32 becomes the column of every letter; -1 - c where it is in none, but before column c.
    """
    longest = 0
    for sequence in range(first, last):
        longest = max(longest, offsets[sequence + 1] - offsets[sequence])
    planes = np.empty(SYMBOLS * (size + longest), np.float32)
    planes[: SYMBOLS * size] = profile
    ways = np.empty((size + longest) * diagonal_width(size, longest) + LANES, np.uint8)
    runs = np.empty((size + longest, 2), np.int64)
    for sequence in range(first, last):
        begin, end = offsets[sequence], offsets[sequence + 1]
        if begin == end:
            continue
        at = SYMBOLS * size
        own = push_leaf(codes[begin:end], planes, at)
        align_profiles(planes, 0, size, rows, present, at, end - begin, np.float32(1), own, rules, ways, stop)
        if stop[0] != 0:
            return
        _place_letters(runs[: trace_path(ways, size, end - begin, runs)], letter_columns[begin:end])


@inner_njit
def _place_letters(runs, letter_columns):
    """Write the places of the letters of one sequence."""
    column, letter = 0, 0
    for number in range(runs.shape[0]):
        operation, length = runs[number]
        for step in range(length):
            if operation != UP:
                letter_columns[letter] = -1 - column if operation == LEFT else column + step
                letter += 1
        column += 0 if operation == LEFT else length


@cached_njit
def count_inserted_columns(letter_columns, offsets, widths):
    """Write how many columns the letters before each column, or after the last, need: int64 (columns + 1,)."""
    for sequence in range(offsets.size - 1):
        run = 0
        for at in range(offsets[sequence], offsets[sequence + 1]):
            if letter_columns[at] >= 0:
                run = 0
                continue
            run = run + 1 if at > offsets[sequence] and letter_columns[at - 1] == letter_columns[at] else 1
            before = -1 - letter_columns[at]
            widths[before] = max(widths[before], run)


@cached_njit
def write_inserted_rows(letters, letter_columns, offsets, widths, columns, target):
    """Write the rows of the inserted sequences to ``target`` uint8 (sequences, columns of all), which holds gaps.

    ``columns`` int64 is the position of each column of the alignment. Letters before it are at the end of their
    columns, all others at the beginning: beside the letters that they continue.
    """
    for sequence in range(offsets.size - 1):
        at, last = offsets[sequence], offsets[sequence + 1]
        while at < last:
            if letter_columns[at] >= 0:
                target[sequence, columns[letter_columns[at]]] = letters[at]
                at += 1
                continue
            run = 1
            while at + run < last and letter_columns[at + run] == letter_columns[at]:
                run += 1
            before = -1 - letter_columns[at]
            start = (columns[before - 1] + 1) if before > 0 else widths[0] - run
            for step in range(run):
                target[sequence, start + step] = letters[at + step]
            at += run
