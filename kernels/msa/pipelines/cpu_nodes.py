"""Compiled nodes of a guide tree: the union of two aligned children, and two nodes as whole numbers.

Results equal those of `column_scores.encoding` for profiles, number for number, without arrays in between; scores of
letters are whole in the units of the factors.
"""

from __future__ import annotations

import numpy as np

from antidiag.kernels.cpu.jit import cached_njit
from antidiag.kernels.profiles.column_scores.scoring import FREQUENCY_UNITS

DIGITS = 1e6
"""Frequencies are rounded to this share of their unit, like those of profiles (`round_frequencies`)."""
UNIT_BITS = 11
NOWHERE = 2**40
"""The place of no column, far from every column."""
assert 1 << UNIT_BITS == FREQUENCY_UNITS


@cached_njit
def count_leaf(units, letters, weight):
    """Return the counts of one sequence, int64; ``units`` int64 (symbols, 256) are what a letter adds."""
    counts = np.empty((units.shape[0], letters.size), np.int64)
    for x in range(units.shape[0]):
        for j in range(letters.size):
            counts[x, j] = weight * units[x, letters[j]]
    return counts


@cached_njit
def unite_counts(first, second, first_marks, second_marks, totals, operations):
    """Return counts and marks of the columns that ``operations`` (uint8) make of two nodes with ``totals``."""
    symbols, kinds = first.shape[0], first_marks.shape[0]
    counts = np.zeros((symbols, operations.size), np.int64)
    marks = np.zeros((kinds, operations.size), np.int32)
    i = j = 0
    for column in range(operations.size):
        operation = operations[column]
        if operation != 2:
            for x in range(symbols):
                counts[x, column] += first[x, i]
            for x in range(kinds):
                marks[x, column] += first_marks[x, i]
            i += 1
        else:
            counts[symbols - 1, column] += totals[0]
        if operation != 1:
            for x in range(symbols):
                counts[x, column] += second[x, j]
            for x in range(kinds):
                marks[x, column] += second_marks[x, j]
            j += 1
        else:
            counts[symbols - 1, column] += totals[1]
    return counts, marks


@cached_njit
def round_shares(counts, total):
    """Round frequencies to whole numbers that sum to FREQUENCY_UNITS; add a blank column.

    Returns int16 (symbols, columns + 1), and the squares of the columns, int32.
    """
    symbols, columns = counts.shape
    found = np.zeros((symbols, columns + 1), np.int16)
    squares = np.zeros(columns + 1, np.int32)
    rest = np.empty(symbols)
    for j in range(columns):
        left = np.int64(FREQUENCY_UNITS)
        for x in range(symbols):
            exact = np.rint(np.float64(counts[x, j]) / np.float64(total) * FREQUENCY_UNITS * DIGITS) / DIGITS
            down = np.floor(exact)
            found[x, j] = np.int16(down)
            rest[x] = np.rint((exact - down) * DIGITS)
            left -= np.int64(down)
        while left > 0:
            best = 0
            for x in range(1, symbols):
                if rest[x] > rest[best]:
                    best = x
            found[best, j] += 1
            rest[best] = -1.0
            left -= 1
        for x in range(symbols):
            squares[j] += np.int32(found[x, j]) * np.int32(found[x, j])
    found[symbols - 1, columns] = FREQUENCY_UNITS
    squares[columns] = FREQUENCY_UNITS * FREQUENCY_UNITS
    return found, squares


@cached_njit
def score_symbols(values, shared):
    """Return the mean score of each symbol with each column, int16 (symbols, columns + 1); ``values`` are int64."""
    symbols, columns = shared.shape
    found = np.empty((symbols, columns), np.int16)
    sums = np.empty(columns, np.int64)
    half = FREQUENCY_UNITS // 2
    for x in range(symbols):
        sums[:] = 0
        for y in range(symbols):
            for j in range(columns):
                sums[j] += values[x, y] * shared[y, j]
        for j in range(columns):
            up = (sums[j] + half) >> UNIT_BITS
            if (sums[j] + half) & (FREQUENCY_UNITS - 1) == 0 and up & 1:
                up -= 1
            found[x, j] = up
    return found


@cached_njit
def sum_squares(factors):
    """Return the sums of the squares of columns, int32."""
    symbols, columns = factors.shape
    found = np.zeros(columns, np.int32)
    for x in range(symbols):
        for j in range(columns):
            found[j] += np.int32(factors[x, j]) * np.int32(factors[x, j])
    return found


@cached_njit
def round_costs(factors, unit):
    """Return ``unit`` times factors as whole costs, int32."""
    found = np.empty(factors.size, np.int32)
    for j in range(factors.size):
        found[j] = np.int32(min(np.rint(unit * factors[j]), 2.0**29))
    return found


@cached_njit
def score_blank_costs(factors, blank, shift):
    """Return the gap cost opposite each column: its negated score with a blank column; int32.

    ``factors`` int16 (symbols, columns + 1); ``blank`` int16 (symbols,) is the blank column of the other side.
    """
    symbols, columns = factors.shape[0], factors.shape[1] - 1
    found = np.empty(columns, np.int32)
    for j in range(columns):
        total = np.int64(0)
        for x in range(symbols):
            total += np.int64(factors[x, j]) * blank[x]
        found[j] = -((total + ((1 << shift) >> 1)) >> shift)
    return found


@cached_njit
def round_blank_distances(factors, squares):
    """Return the gap cost opposite each column: its Euclidean distance to a blank column; int32."""
    symbols, columns = factors.shape[0], factors.shape[1] - 1
    found = np.empty(columns, np.int32)
    for j in range(columns):
        between = squares[j] + squares[columns] - 2 * FREQUENCY_UNITS * np.int64(factors[symbols - 1, j])
        root = np.int64(np.floor(np.sqrt(np.float64(between))))
        found[j] = root + (between > root * root + root)
    return found


@cached_njit
def mark_letters(letters, soft, run):
    """Return `ClustalwRule.letter_marks`; ``soft`` bool (256,): letters whose runs of at least ``run`` are marked."""
    columns = letters.size
    marks = np.zeros((4, columns), np.int32)
    length = 0
    for j in range(columns):
        marks[0, j] = 1
        length = length + 1 if soft[letters[j]] else 0
        if length == run:
            marks[1, j - run + 1 : j + 1] = 1
        elif length > run:
            marks[1, j] = 1
    marks[2, 0] = marks[3, columns - 1] = 1
    return marks


@cached_njit
def compute_gap_factors(counts, marks, rows, residues, near, rules):
    """Return `ClustalwRule.gap_factors`; ``rules`` are the factors (in a run, at a gap, extending at a gap)."""
    symbols, columns = counts.shape
    in_run, at_gap, extend_at_gap = rules
    opens, extends, gaps = np.ones(columns), np.ones(columns), np.empty(columns, np.int64)
    inside = 0
    for j in range(columns):
        inside += marks[2, j]
        gaps[j] = inside - marks[0, j]
        inside -= marks[3, j]
        if residues.size > 0:
            total = letters = 0
            for x in range(symbols - 1):
                total += residues[x] * counts[x, j]
                letters += counts[x, j]
            opens[j] = np.float64(total) / np.float64(100 * (letters if letters > 0 else 1))
        if in_run > 0 and marks[1, j] > 0:
            opens[j] = in_run
    away = np.empty(columns, np.int64)
    last = -NOWHERE
    for j in range(columns):
        last = j if gaps[j] > 0 else last
        away[j] = j - last
    last = NOWHERE
    for j in range(columns - 1, -1, -1):
        last = j if gaps[j] > 0 else last
        away[j] = min(away[j], last - j)
        if away[j] <= near:
            opens[j] = opens[j] * (2 + 2 * np.float64(near - away[j]) / np.float64(max(near, 1)))
        if gaps[j] > 0:
            opens[j] = at_gap * (np.float64(rows - gaps[j]) / np.float64(rows))
            extends[j] = extend_at_gap
    return opens, extends
