"""Distances of rows of an alignment, compiled: letters are bits, and 32 columns of 16 pairs are compared at once.

The letters of a row are planes of bits: whether there is a letter, and each bit of its number. A word of 32 bits has a
plane of 32 columns. Rows are kept in groups of 16, whose words of one plane and column lie side by side, a vector::

    packed int32 (groups, words, planes, 16)

A row is compared with a group: its own words are copied to all lanes, and a few logical operations and counts of bits
make what the model needs: columns in common, differences, transitions. A model makes a distance of the counts.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from antidiag.kernels.cpu.jit import cached_njit, inner_njit
from antidiag.kernels.cpu.simd import LANES, add, bit_and, bit_or, bit_xor, load, popcount_lanes, splat, store
from antidiag.kernels.io.aligned_sequences import AlignedSequences
from antidiag.kernels.trees.distances.alignment_columns.column_distances import (
    SATURATED,
    ModelNumber,
    count_planes,
    letter_codes,
)
from antidiag.kernels.trees.distances.alignment_columns.compiled_log import natural_log, quotient

WORD = 32
"""Columns of a word."""
GROUP = LANES
"""Rows of a group."""
PAIRS = GROUP * GROUP
"""Pairs of rows of two groups."""
BASES = 4
P, JUKES_CANTOR, KIMURA = int(ModelNumber.P), int(ModelNumber.JUKES_CANTOR), int(ModelNumber.KIMURA)
KIMURA_PROTEIN, TN93, LOGDET = int(ModelNumber.KIMURA_PROTEIN), int(ModelNumber.TN93), int(ModelNumber.LOGDET)
SKETCH = int(ModelNumber.SKETCH)


def pack_letters(
    alignment: AlignedSequences, columns: np.ndarray | None = None, check: Callable[[], None] = lambda: None
) -> np.ndarray:
    """Return the packed letters of all rows; bits after the last column and rows after the last one are 0.

    Parameters
    ----------
    alignment : AlignedSequences
    columns : array of int64, optional
        The columns to pack, in their order and as often as they are named; all of them by default.
    check : callable
        Called after some rows; raises where the run was cancelled.
    """
    columns = np.arange(alignment.letters.shape[1]) if columns is None else columns
    codes, planes = letter_codes(alignment.type), count_planes(alignment.type)
    return pack_rows(alignment.letters, np.arange(len(alignment.names)), columns, codes, planes, check)


def pack_rows(
    letters: Any,
    rows: np.ndarray,
    columns: np.ndarray,
    codes: np.ndarray,
    planes: int,
    check: Callable[[], None] = lambda: None,
) -> np.ndarray:
    """Return packed letters, int32 (groups, words, planes, 16), of ``rows`` int64 and ``columns`` int64 in their order.

    ``letters`` is uint8 (rows, columns); ``codes`` uint8 (256,) has a bit for each of the ``planes`` of a letter.
    """
    packed = np.empty((-(-rows.size // GROUP), -(-columns.size // WORD), planes, GROUP), np.int32)
    for first in range(0, len(packed), PACKED_AT_ONCE):
        check()
        some = np.array(letters[rows[first * GROUP : (first + PACKED_AT_ONCE) * GROUP]])
        pack_groups(some, codes, columns, packed[first : first + PACKED_AT_ONCE])
    return packed


PACKED_AT_ONCE = 64
"""Groups between two looks for Cancel."""


@cached_njit
def pack_groups(letters, codes, columns, packed):
    """Pack ``letters`` uint8 (rows, ...) in the order of ``columns`` into ``packed`` (groups, words, planes, 16)."""
    groups, words, planes, _ = packed.shape
    for group in range(groups):
        for lane in range(GROUP):
            row = group * GROUP + lane
            for word in range(words):
                first = word * WORD
                last = min(first + WORD, columns.size) if row < letters.shape[0] else first
                for plane in range(planes):
                    bits = np.int64(0)
                    for column in range(first, last):
                        bits |= np.int64(codes[letters[row, columns[column]]] >> plane & 1) << (column - first)
                    packed[group, word, plane, lane] = np.int32(bits)


@inner_njit
def _count_differences(packed, own, other, counts):
    """Count columns that both rows have, and those that differ, into counts[0] and counts[1]; letters of any type.

    ``packed`` is flat, and ``own`` and ``other`` are the places of (first word and place after the last, step) of two
    groups; ``counts`` int32 (at least 2, PAIRS) has the pairs of a row of the first group side by side.
    """
    start, end, step = own
    for lane in range(GROUP):
        common = splat(np.int32(0))
        differ = splat(np.int32(0))
        theirs = other
        for at in range(start + lane, end, step):
            both = bit_and(splat(packed[at]), load(packed, theirs))
            unlike = splat(np.int32(0))
            for plane in range(GROUP, step, GROUP):
                unlike = bit_or(unlike, bit_xor(splat(packed[at + plane]), load(packed, theirs + plane)))
            common = add(common, popcount_lanes(both))
            differ = add(differ, popcount_lanes(bit_and(both, unlike)))
            theirs += step
        store(counts, lane * GROUP, common)
        store(counts, PAIRS + lane * GROUP, differ)


@inner_njit
def _count_changes(packed, own, other, counts):
    """Count columns of nucleotides: common, transversions, transitions, and transitions of C and T."""
    start, end, step = own
    for lane in range(GROUP):
        common = splat(np.int32(0))
        transversions = splat(np.int32(0))
        transitions = splat(np.int32(0))
        pyrimidines = splat(np.int32(0))
        theirs = other
        for at in range(start + lane, end, step):
            both = bit_and(splat(packed[at]), load(packed, theirs))
            own_class = splat(packed[at + 2 * GROUP])
            across = bit_and(both, bit_xor(own_class, load(packed, theirs + 2 * GROUP)))
            unlike = bit_and(both, bit_xor(splat(packed[at + GROUP]), load(packed, theirs + GROUP)))
            within = bit_xor(unlike, bit_and(unlike, across))
            common = add(common, popcount_lanes(both))
            transversions = add(transversions, popcount_lanes(across))
            transitions = add(transitions, popcount_lanes(within))
            pyrimidines = add(pyrimidines, popcount_lanes(bit_and(within, own_class)))
            theirs += step
        store(counts, lane * GROUP, common)
        store(counts, PAIRS + lane * GROUP, transversions)
        store(counts, 2 * PAIRS + lane * GROUP, transitions)
        store(counts, 3 * PAIRS + lane * GROUP, pyrimidines)


@inner_njit
def _count_joint(packed, own, other, counts):
    """Count the columns of each pair of bases into counts[:16], the own base first; see `_count_differences`."""
    start, end, step = own
    counts[:] = 0
    every = splat(np.int32(-1))
    for lane in range(GROUP):
        theirs = other
        for at in range(start + lane, end, step):
            both = bit_and(splat(packed[at]), load(packed, theirs))
            low, high = load(packed, theirs + GROUP), load(packed, theirs + 2 * GROUP)
            for own_base in range(BASES):
                own_low = packed[at + GROUP] ^ np.int32((own_base & 1) - 1)
                own_high = packed[at + 2 * GROUP] ^ np.int32((own_base >> 1) - 1)
                here = bit_and(both, splat(np.int32(own_low & own_high)))
                for base in range(BASES):
                    as_low = low if base & 1 else bit_xor(low, every)
                    as_high = high if base >> 1 else bit_xor(high, every)
                    place = (own_base * BASES + base) * PAIRS + lane * GROUP
                    found = popcount_lanes(bit_and(here, bit_and(as_low, as_high)))
                    store(counts, place, add(load(counts, place), found))
            theirs += step


@inner_njit
def _log_or_nan(number):
    """Return the logarithm, or NaN where there is none."""
    exists = number > 0.0
    found = natural_log(number if exists else 1.0)
    return found if exists else np.nan


@inner_njit
def _distances_of_differences(counts, model, found):
    """Make the distances of models that need columns in common and differences; NaN where there is none."""
    number, constants = model
    b, less, whole, chance = constants[0], constants[2], constants[1], constants[1]
    if number == P:
        for pair in range(PAIRS):
            found[pair] = np.float64(counts[PAIRS + pair]) / np.float64(max(counts[pair], 1))
    elif number == JUKES_CANTOR:
        for pair in range(PAIRS):
            n = whole * np.float64(max(counts[pair], 1))
            found[pair] = -b * _log_or_nan(quotient(n - less * np.float64(counts[PAIRS + pair]), n))
    elif number == SKETCH:
        for pair in range(PAIRS):
            n = np.float64(max(counts[pair], 1))
            alike = max(n - np.float64(counts[PAIRS + pair]) - chance * n, 0.5)
            found[pair] = -b * _log_or_nan(quotient(2.0 * alike, n - chance * n + alike))
    else:
        for pair in range(PAIRS):
            n, differ = np.float64(max(counts[pair], 1)), np.float64(counts[PAIRS + pair])
            found[pair] = -_log_or_nan(quotient(5.0 * n * n - 5.0 * n * differ - differ * differ, 5.0 * n * n))


@inner_njit
def _distances_of_changes(counts, model, found):
    """Make the distances of Kimura (1980) and of Tamura and Nei (1993); NaN where there is none."""
    number, constants = model
    k1, k2, k3, one, two, purines, pyrimidines, both = constants
    for pair in range(PAIRS):
        n = np.float64(max(counts[pair], 1))
        across, within = np.float64(counts[PAIRS + pair]), np.float64(counts[2 * PAIRS + pair])
        if number == KIMURA:
            first = _log_or_nan(quotient(n - 2.0 * within - across, n))
            found[pair] = -0.5 * first - 0.25 * _log_or_nan(quotient(n - 2.0 * across, n))
        else:
            below = np.float64(counts[3 * PAIRS + pair])
            q = quotient(across, n)
            first = _log_or_nan(1.0 - quotient(within - below, n) * one - q * purines)
            second = _log_or_nan(1.0 - quotient(below, n) * two - q * pyrimidines)
            found[pair] = -k1 * first - k2 * second - k3 * _log_or_nan(1.0 - q * both)


@inner_njit
def _minor(F, row, i, j):
    return F[row, i] * F[row + 1, j] - F[row, j] * F[row + 1, i]


@inner_njit
def _determinant(F):
    """Return the determinant of (4, 4) by the minors of its upper and lower two rows."""
    total = _minor(F, 0, 0, 1) * _minor(F, 2, 2, 3)
    total = total - _minor(F, 0, 0, 2) * _minor(F, 2, 1, 3)
    total = total + _minor(F, 0, 0, 3) * _minor(F, 2, 1, 2)
    total = total + _minor(F, 0, 1, 2) * _minor(F, 2, 0, 3)
    total = total - _minor(F, 0, 1, 3) * _minor(F, 2, 0, 2)
    return total + _minor(F, 0, 2, 3) * _minor(F, 2, 0, 1)


@inner_njit
def _distances_of_joint_counts(counts, F, G, found):
    """Make LogDet distances; F and G float64 (4, 4) are buffers. See `column_distances`."""
    sums = np.empty(2 * BASES)
    for pair in range(PAIRS):
        sums[:] = 0.0
        for entry in range(BASES * BASES):
            row, column = entry // BASES, entry % BASES
            F[row, column] = G[column, row] = value = np.float64(counts[entry * PAIRS + pair])
            sums[row] += value
            sums[BASES + column] += value
        counts[pair] = np.int32(sums[0] + sums[1] + sums[2] + sums[3])  # columns in common, as of the other models
        for base in range(BASES):
            if sums[base] + sums[BASES + base] == 0.0:
                F[base, base] = G[base, base] = sums[base] = sums[BASES + base] = 1.0
        upper = np.sqrt(sums[0] * sums[4]) * np.sqrt(sums[1] * sums[5])
        product = upper * (np.sqrt(sums[2] * sums[6]) * np.sqrt(sums[3] * sums[7]))
        determinant = 0.5 * (_determinant(F) + _determinant(G))
        found[pair] = -0.25 * _log_or_nan(quotient(determinant, product) if product > 0.0 else 0.0)


@inner_njit
def _state_distances(counts, model, found):
    """Give a stated distance to pairs that are beyond SATURATED or have none; their first count becomes -1."""
    farthest = 1.0 if model[0] == P else SATURATED
    for pair in range(PAIRS):
        lost = counts[pair] == 0 or not found[pair] <= SATURATED
        found[pair] = farthest if lost else max(found[pair], 0.0) + 0.0
        counts[pair] = -1 if lost else counts[pair]


@inner_njit
def compare_groups(packed, sizes, own, other, model, buffers):
    """Compute the distances of all rows of group ``own`` to all of group ``other``, into the first of the buffers.

    Parameters
    ----------
    packed : flat int32 array of the packed letters
    sizes : (words, planes)
    own, other : numbers of groups
    model : `DistanceModel`
    buffers : those of `make_buffers`: distances float64 (PAIRS,), the pairs of an own row side by side; counts, of
        which the first of a pair is -1 where its distance is a stated one; and two of (4, 4)
    """
    counts = buffers[1]
    words, planes = sizes
    step = planes * GROUP
    start = own * words * step
    span, theirs = (start, start + words * step, step), other * words * step
    kind = counter_kind(model[0])
    if kind == BASES * BASES:
        _count_joint(packed, span, theirs, counts)
    elif kind == BASES:
        _count_changes(packed, span, theirs, counts)
    else:
        _count_differences(packed, span, theirs, counts)
    compute_distances(counts, model, buffers)


@inner_njit
def counter_kind(number):
    """Return how many counts of a pair a model needs: 2, 4, or one for each pair of bases."""
    if number == LOGDET:
        return BASES * BASES
    return BASES if number in (KIMURA, TN93) else 2


@inner_njit
def compute_distances(counts, model, buffers):
    """Make the distances of PAIRS pairs of their counts, into the first of the buffers; see `compare_groups`."""
    found, _, F, G = buffers
    kind = counter_kind(model[0])
    if kind == BASES * BASES:
        _distances_of_joint_counts(counts, F, G, found)
    elif kind == BASES:
        _distances_of_changes(counts, model, found)
    else:
        _distances_of_differences(counts, model, found)
    _state_distances(counts, model, found)


@inner_njit
def make_buffers():
    """Return the buffers of `compare_groups`."""
    square = np.empty((BASES, BASES))
    return np.empty(PAIRS), np.zeros(BASES * BASES * PAIRS, np.int32), square, square.copy()


@cached_njit
def distances_of_group(packed, rows, group, model, values, stop):
    """Compute the distances of the rows of a group to each other and to all after them, on both sides of the diagonal.

    ``values`` is float32 or float64 (rows, at least rows), ``model`` a `DistanceModel`; ``stop`` ends it early. Returns
    the number of pairs with a stated distance.
    """
    flat, sizes = packed.ravel(), (packed.shape[1], packed.shape[2])
    buffers = make_buffers()
    found, counts = buffers[0], buffers[1]
    start, without = group * GROUP, 0
    own_rows = min(GROUP, rows - start)
    for other in range(group, packed.shape[0]):
        if stop[0]:
            return without
        first = other * GROUP
        other_rows = min(GROUP, rows - first)
        compare_groups(flat, sizes, group, other, model, buffers)
        for lane in range(own_rows):
            for beside in range(lane + 1 if other == group else 0, other_rows):
                without += counts[lane * GROUP + beside] < 0
                values[start + lane, first + beside] = found[lane * GROUP + beside]
        for beside in range(other_rows):
            for lane in range(min(own_rows, beside) if other == group else own_rows):
                values[first + beside, start + lane] = found[lane * GROUP + beside]
    for lane in range(own_rows):
        values[start + lane, start + lane] = 0.0
    return without
