"""The profile of a whole alignment, and many sequences against it, compiled; see `cpu_profiles` for profiles."""

from __future__ import annotations

import numpy as np

from kernels.cpu.jit import compiled
from kernels.cpu.simd import take_ticket
from kernels.parttree.cpu_profiles import LEFT, UP, _align, _path, _push_leaf
from kernels.parttree.symbols import ENDS, EXTENDS, LETTERS, OPENS, SYMBOLS, UNKNOWN

NO_LETTER = 255
TASK = 16
"""Sequences that a thread takes at a time."""


@compiled
def profile_of(rows, symbols, rules, counts, scores, done, stop):
    """The profile of rows, uint8 (rows, columns): ``counts`` float32 (columns, SYMBOLS), which holds zeros, and
    ``scores`` of the columns against each symbol. ``symbols`` uint8 (256,) is that of each byte, NO_LETTER of gaps."""
    size = rows.shape[1]
    for row in range(rows.shape[0]):
        if stop[0] != 0:
            return
        first = last = -1
        for column in range(size):
            if symbols[rows[row, column]] != NO_LETTER:
                first = column if first < 0 else first
                last = column
        inside = False
        for column in range(size):
            letter = symbols[rows[row, column]]
            if letter == NO_LETTER:
                kind = OPENS if inside else EXTENDS
                counts[column, ENDS if column < first or column > last else kind] += 1
                inside = False
            else:
                counts[column, letter if letter < LETTERS else UNKNOWN] += 1
                inside = True
        done[0] = row + 1
    for column in range(size):
        for other in range(SYMBOLS):
            value = np.float32(0)
            for symbol in range(SYMBOLS):
                value += counts[column, symbol] * rules.table[symbol, other]
            scores[column, other] = value


@compiled
def add(counts, scores, rows, codes, offsets, rules, places, ticket, done, stop):
    """Align sequences to a profile of so many ``rows`` (float32), shared by threads.

    ``places`` int32 becomes the column of every letter; -1 - c where it stands in none, but before column c.
    """
    size, longest = counts.shape[0], 0
    for sequence in range(offsets.size - 1):
        longest = max(longest, offsets[sequence + 1] - offsets[sequence])
    own_counts = np.empty((size + longest, SYMBOLS), np.float32)
    own_scores = np.empty((size + longest, SYMBOLS), np.float32)
    own_counts[:size], own_scores[:size] = counts, scores
    ways, operations = np.empty(size * longest, np.uint8), np.empty(size + longest, np.uint8)
    letters_a, open_a = np.empty(size, np.float32), np.empty(size + 1, np.float32)
    while stop[0] == 0:
        begin = take_ticket(ticket, 0) * TASK
        if begin >= offsets.size - 1:
            return
        for sequence in range(begin, min(begin + TASK, offsets.size - 1)):
            first, last = offsets[sequence], offsets[sequence + 1]
            length = last - first
            if length == 0:
                continue
            one = np.float32(1)
            _push_leaf(codes, first, last, one, rules, own_counts, own_scores, size)
            room = (
                letters_a, np.empty(length, np.float32), open_a, np.empty(length + 1, np.float32),
                np.empty(length + 1, np.float32), np.empty(length + 1, np.float32), np.empty(length, np.float32),
            )  # fmt: skip
            _align(own_counts, own_scores, 0, size, rows, size, length, one, rules, room, ways, stop)
            if stop[0] != 0:
                return
            steps = _path(ways, size, length, operations)
            column, letter = 0, first
            for step in range(steps):
                operation = operations[steps - 1 - step]
                if operation == UP:
                    column += 1
                    continue
                if operation == LEFT:
                    places[letter] = -1 - column
                else:
                    places[letter] = column
                    column += 1
                letter += 1
            done[0] += 1


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
