"""One block of a strip on the CPU: eight words of 64 columns, each a row behind the word on its left.

Recurrence (Myers 1999; Hyyrö 2003): D(i, j) is the distance, and neighbouring cells differ by -1, 0 or 1. For row i
    plus, minus: D(i, j) - D(i, j-1) is 1, is -1        a bit a column; all that is kept of a row
    rise, fall:  D(i, j) - D(i-1, j) is 1, is -1
    zero = ((((equal | fall in) & plus) + plus) ^ plus) | equal | fall in        D(i, j) = D(i-1, j-1), but for minus
    rise = minus | ~(zero | plus);      fall = plus & zero
    plus = (fall << 1 | fall in) | ~(equal | minus | (rise << 1 | rise in))
    minus = (rise << 1 | rise in) & (equal | minus)
where rise in and fall in come from the column on the left of the word, and the addition carries along runs of plus.

Threads: lane l of the vectors is at row t - l at step t, and takes the top bits of rise and fall of lane l - 1, which
it computed one step before. All that a block needs comes in as bits: the row above, and the column on the left.

Directions: ``detours`` are the cells that the diagonal does not reach, ``rises`` those that the row above reaches. A
path goes back along the diagonal where a cell is no detour, else up where it is a rise, else to the left: the tie rule
of the family.
"""

from __future__ import annotations

from antidiag.kernels.cpu.jit import inline_njit, inner_njit
from antidiag.kernels.cpu.lane_moves import shift_in_last
from antidiag.kernels.cpu.simd import (
    WORD_LANES,
    add,
    bit_and,
    bit_or,
    bit_xor,
    flag_lanes_after,
    select_lanes,
    splat_like,
    store,
)
from antidiag.kernels.cpu.word_lanes import (
    load_word_of_each,
    load_words,
    pack_top_bits,
    shift_in_bit,
    store_last_word,
    top_bit,
)
from antidiag.kernels.pairwise.bit_parallel.word_sizes import CPU_BLOCK as BLOCK
from antidiag.kernels.pairwise.bit_parallel.word_sizes import CPU_SKEW as SKEW
from antidiag.kernels.pairwise.bit_parallel.word_sizes import CPU_WORD as BITS

SCRATCH_ROWS = BLOCK + BITS + WORD_LANES


@inline_njit
def _choose_bits(a, b, chosen):
    """Return the bits of ``b`` where ``chosen`` is set, else those of ``a``."""
    return bit_xor(a, bit_and(bit_xor(a, b), chosen))


@inline_njit
def _load_four(equal, start):
    """Return the match words of four row letters, a vector each."""
    return (
        load_words(equal, start),
        load_words(equal, start + WORD_LANES),
        load_words(equal, start + 2 * WORD_LANES),
        load_words(equal, start + 3 * WORD_LANES),
    )


@inline_njit
def _choose_of_four(four, low, high):
    """Return the match words of the letters whose number has these two bits."""
    return _choose_bits(_choose_bits(four[0], four[1], low), _choose_bits(four[2], four[3], low), high)


@inline_njit
def _find_matches(equal, letters, first, second, at):
    """Return the match words of the letters of eight rows; ``letters`` is the codes, or two or three planes of bits."""
    if len(letters) == 1:
        return load_word_of_each(equal, letters[0], at)
    low, high = load_words(letters[0], at), load_words(letters[1], at)
    found = _choose_of_four(first, low, high)
    if len(letters) == 3:
        found = _choose_bits(found, _choose_of_four(second, low, high), load_words(letters[2], at))
    return found


@inline_njit
def _advance_row(equal, plus, minus, rise_in, fall_in):
    """Return plus, minus, rise, fall and zero of the next row of eight words."""
    ones = splat_like(equal, -1)
    seen = bit_or(equal, minus)
    entered = bit_or(equal, top_bit(fall_in))
    zero = bit_or(bit_xor(add(bit_and(entered, plus), plus), plus), entered)
    rise = bit_or(minus, bit_xor(bit_or(zero, plus), ones))
    fall = bit_and(plus, zero)
    rise_before, fall_before = shift_in_bit(rise, rise_in), shift_in_bit(fall, fall_in)
    new_plus = bit_or(fall_before, bit_xor(bit_or(seen, rise_before), ones))
    return new_plus, bit_and(rise_before, seen), rise, fall, zero


@inline_njit
def _spread_bits(words, first_word, rows, spread):
    """Write the bits of boundary words of ``rows`` rows as top bits, a word a row."""
    for word in range((rows + BITS - 1) // BITS):
        bits = words[first_word + word]
        for bit in range(BITS):
            spread[word * BITS + bit] = bits << (BITS - 1 - bit)


@inline_njit
def _collect_bits(spread, words, first_word, rows):
    """Write the top bits of the words of rows as boundary words; row 0 lies at index SKEW."""
    for word in range((rows + BITS - 1) // BITS):
        bits = 0
        for part in range(0, BITS, WORD_LANES):
            bits |= pack_top_bits(spread, SKEW + word * BITS + part) << part
        words[first_word + word] = bits


@inner_njit
def compute_block(letters, row_count, equal, words, left, right, first_row, rows, scratch, detours, rises):
    """Compute ``rows`` rows of a strip below row ``first_row``, a multiple of 64.

    ``letters`` as in `WordRun`, of ``row_count`` rows; ``equal`` int64 (letters * 8): match words of the strip.
    ``words`` int64 (16): plus and minus of the row above, and then of the last row. ``left`` and ``right`` int64 (2,
    words): rise and fall of the boundary columns, a bit a row. ``scratch`` int64 (4, SCRATCH_ROWS). ``detours`` and
    ``rises``, int64 (BLOCK_WORDS), take the directions: eight words a step. They may be None.
    """
    rise_left, fall_left, rise_right, fall_right = scratch[0], scratch[1], scratch[2], scratch[3]
    _spread_bits(left[0], first_row // BITS, rows, rise_left)
    _spread_bits(left[1], first_row // BITS, rows, fall_left)
    first = _load_four(equal, 0)
    second = _load_four(equal, 4 * WORD_LANES if len(letters) == 3 else 0)
    plus, minus = load_words(words, 0), load_words(words, WORD_LANES)
    ones = splat_like(plus, -1)
    rise, fall = bit_xor(plus, plus), bit_xor(plus, plus)
    place = row_count - 1 - first_row + WORD_LANES  # of lane 0's letter at step 0; letters lie in reverse
    for part in range(3):  # the lanes set in one after another, all compute, and end one after another
        start = 0 if part == 0 else SKEW if part == 1 else max(SKEW, rows)
        end = SKEW if part == 0 else rows if part == 1 else rows + SKEW
        for t in range(start, end):
            equal_now = _find_matches(equal, letters, first, second, place - t)
            rise_in = shift_in_last(splat_like(plus, rise_left[t]), rise)
            fall_in = shift_in_last(splat_like(plus, fall_left[t]), fall)
            new_plus, new_minus, rise, fall, zero = _advance_row(equal_now, plus, minus, rise_in, fall_in)
            if detours is not None:
                store(detours, t * WORD_LANES, bit_and(bit_or(zero, minus), bit_xor(equal_now, ones)))
                store(rises, t * WORD_LANES, rise)
            store_last_word(rise_right, t, rise)
            store_last_word(fall_right, t, fall)
            if part != 1:
                done = flag_lanes_after(plus, t - rows)
                new_plus, new_minus = select_lanes(done, new_plus, plus), select_lanes(done, new_minus, minus)
                begun = flag_lanes_after(plus, t)
                new_plus, new_minus = select_lanes(begun, plus, new_plus), select_lanes(begun, minus, new_minus)
            plus, minus = new_plus, new_minus
    store(words, 0, plus)
    store(words, WORD_LANES, minus)
    _collect_bits(rise_right, right[0], first_row // BITS, rows)
    _collect_bits(fall_right, right[1], first_row // BITS, rows)


@inline_njit
def find_strip_matches(columns, first_column, match_starts, match_codes, padding_matches, equal):
    """Write the match words of a strip whose first column has the index ``first_column``; padding lies before 0."""
    for place in range(equal.size):
        equal[place] = 0
    for lane in range(WORD_LANES):
        for bit in range(BITS):
            column = first_column + lane * BITS + bit
            mask = 1 << bit
            if column >= 0:
                code = columns[column]
                for k in range(match_starts[code], match_starts[code + 1]):
                    equal[match_codes[k] * WORD_LANES + lane] |= mask
            elif padding_matches:
                for place in range(lane, equal.size, WORD_LANES):
                    equal[place] |= mask
