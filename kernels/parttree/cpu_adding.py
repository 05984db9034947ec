"""The profile of a whole alignment, and many sequences against it, compiled; see `cpu_profiles` for profiles."""

from __future__ import annotations

import numpy as np

from antidiag.kernels.cpu.jit import called, compiled
from antidiag.kernels.cpu.simd import take_ticket
from antidiag.kernels.parttree.cpu_align import LANES, LEFT, UP, align, path, width
from antidiag.kernels.parttree.cpu_profiles import push_leaf
from antidiag.kernels.parttree.symbols import ENDS, EXTENDS, LETTERS, OPENS, SYMBOLS, UNKNOWN

NO_LETTER = 255
TASK = 16
"""Sequences that a thread takes at a time."""


@compiled
def profile_of(rows, symbols, planes, done, stop):
    """The profile of rows, uint8 (rows, columns): ``planes`` float32 (SYMBOLS x columns,), which holds zeros; which
    symbols are there, a bit each. ``symbols`` uint8 (256,) is that of each byte, NO_LETTER of gaps."""
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


@compiled
def add(profile, size, rows, present, codes, offsets, rules, places, ticket, done, stop):
    """Align sequences to a profile of ``size`` columns and ``rows`` (float32), shared by threads.

    ``places`` int32 becomes the column of every letter; -1 - c where it stands in none, but before column c.
    """
    longest = 0
    for sequence in range(offsets.size - 1):
        longest = max(longest, offsets[sequence + 1] - offsets[sequence])
    planes = np.empty(SYMBOLS * (size + longest), np.float32)
    planes[: SYMBOLS * size] = profile
    ways = np.empty((size + longest) * width(size, longest) + LANES, np.uint8)
    runs = np.empty((size + longest, 2), np.int64)
    while stop[0] == 0:
        begin = take_ticket(ticket, 0) * TASK
        if begin >= offsets.size - 1:
            return
        for sequence in range(begin, min(begin + TASK, offsets.size - 1)):
            first, last = offsets[sequence], offsets[sequence + 1]
            if first == last:
                continue
            at = SYMBOLS * size
            own = push_leaf(codes[first:last], planes, at)
            align(planes, 0, size, rows, present, at, last - first, np.float32(1), own, rules, ways, stop)
            if stop[0] != 0:
                return
            _placed(runs[: path(ways, size, last - first, runs)], places[first:last])
            done[0] += 1


@called
def _placed(runs, places):
    """The places of the letters of one sequence."""
    column, letter = 0, 0
    for number in range(runs.shape[0]):
        operation, length = runs[number]
        for step in range(length):
            if operation != UP:
                places[letter] = -1 - column if operation == LEFT else column + step
                letter += 1
        column += 0 if operation == LEFT else length


@compiled
def widths_of(places, offsets, widths):
    """How many columns letters need that stand before each column, or after the last: int64 (columns + 1,)."""
    for sequence in range(offsets.size - 1):
        run = 0
        for at in range(offsets[sequence], offsets[sequence + 1]):
            if places[at] >= 0:
                run = 0
                continue
            run = run + 1 if at > offsets[sequence] and places[at - 1] == places[at] else 1
            before = -1 - places[at]
            widths[before] = max(widths[before], run)


@compiled
def written(letters, places, offsets, widths, columns, target):
    """The rows of the added sequences into ``target`` uint8 (sequences, columns of all), which holds gaps.

    ``columns`` int64 is where each column of the alignment stands. Letters before it stand at the end of their room,
    all others at its beginning: beside the letters that they go on with.
    """
    for sequence in range(offsets.size - 1):
        at, last = offsets[sequence], offsets[sequence + 1]
        while at < last:
            if places[at] >= 0:
                target[sequence, columns[places[at]]] = letters[at]
                at += 1
                continue
            run = 1
            while at + run < last and places[at + run] == places[at]:
                run += 1
            before = -1 - places[at]
            start = (columns[before - 1] + 1) if before > 0 else widths[0] - run
            for step in range(run):
                target[sequence, start + step] = letters[at + step]
            at += run
