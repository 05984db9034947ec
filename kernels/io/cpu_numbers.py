"""Compiled parsing of numbers in text: a matrix of 10,000 taxa has a hundred million of them.

A number is read exactly: where its digits and its power of ten are both exact in double precision, one multiplication
or division rounds once, as IEEE 754 requires; any other number is left to Python.
"""

from __future__ import annotations

import numpy as np

from antidiag.kernels.cpu.jit import cached_njit

DONE, TOO_FEW, NOT_A_NUMBER, HARD = range(4)
"""Results of `parse_numbers`: all read; the text ends too early; a word is not a number; a number is left to Python."""

SQUARE, LOWER, LOWER_DIAGONAL, UPPER, UPPER_DIAGONAL = range(5)
"""Layouts: which distances the record of a taxon has."""

EXACT_POWER = 22
EXACT_DIGITS = 1 << 53
MOST_POWER = 1000
MOST_DIGITS = 18
"""Digits, with leading zeros, that always fit in 64 bits."""
POWERS = 10.0 ** np.arange(EXACT_POWER + 1)

SPACE, TAB, LINE_FEED = 32, 9, 10
PLUS, MINUS, POINT, ZERO, LOWER_E, UPPER_E = 43, 45, 46, 48, 101, 69


def record_columns(layout, row, count):
    """Return the first column of a row that the text holds, and the one after the last."""
    first = {UPPER: row + 1, UPPER_DIAGONAL: row}.get(layout, 0)
    return first, {LOWER: row, LOWER_DIAGONAL: row + 1}.get(layout, count)


@cached_njit
def parse_numbers(text, at, values, column, powers):
    """Read ``values[column]`` and the following ones from ``text[at]`` on.

    ``text`` is uint8 and ends with a line feed; ``values`` float64; ``powers`` is POWERS. Return the state, the place
    in the text and the column reached. The loop over digits is repeated in each place: a call would cost more than it
    does.
    """
    size, count = text.size, values.size
    while column < count:
        while at < size and (text[at] == SPACE or text[at] == TAB or text[at] == LINE_FEED):
            at += 1
        if at == size:
            return TOO_FEW, at, column
        end, power, whole = at, np.int64(0), np.int64(0)
        if text[end] == PLUS or text[end] == MINUS:
            end += 1
        first = end
        digit = np.int64(text[end]) - ZERO
        while 0 <= digit <= 9:
            whole = whole * 10 + digit
            end += 1
            digit = np.int64(text[end]) - ZERO
        seen = end - first
        if text[end] == POINT:
            end += 1
            first = end
            digit = np.int64(text[end]) - ZERO
            while 0 <= digit <= 9:
                whole = whole * 10 + digit
                end += 1
                digit = np.int64(text[end]) - ZERO
            power = first - end
            seen -= power
        if text[end] == LOWER_E or text[end] == UPPER_E:
            negative = text[end + 1] == MINUS
            end += 1 + (negative or text[end + 1] == PLUS)
            exponent = np.int64(0)
            digit = np.int64(text[end]) - ZERO
            while 0 <= digit <= 9:
                exponent = exponent * 10 + digit if exponent < MOST_POWER else exponent
                end += 1
                digit = np.int64(text[end]) - ZERO
            power += -exponent if negative else exponent
        if seen == 0 or (text[end] != SPACE and text[end] != TAB and text[end] != LINE_FEED):
            return NOT_A_NUMBER, at, column
        if seen > MOST_DIGITS or whole >= EXACT_DIGITS or power > EXACT_POWER or power < -EXACT_POWER:
            return HARD, at, column
        value = whole * powers[power] if power >= 0 else whole / powers[-power]
        values[column] = -value if text[at] == MINUS else value
        at, column = end, column + 1
    return DONE, at, column
