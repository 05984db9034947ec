"""Compiled loops over the letters of alignment files; readers load them when there is something to read."""

from __future__ import annotations

import numpy as np

from antidiag.kernels.cpu.jit import cached_njit, inline_njit, inner_njit

TITLE, LINE_END = ord(">"), ord("\n")
TOGETHER = 32
"""Letters that are copied and checked together, by one instruction or two."""
BLANK = np.uint8(2)


@inner_njit
def join_kinds(letters, kinds):
    """Return the kinds of these letters joined by "or"."""
    met = np.uint8(0)
    for place in range(letters.size):
        met |= kinds[letters[place]]
    return met


call_join_kinds = cached_njit(join_kinds)
"""`join_kinds` for calls from Python."""


@inline_njit
def _copy_chunk(letters, target):
    """Copy TOGETHER letters without a branch.

    Return 0 if all are capitals, '-' or '*', else bits: BLANK where one is white space or not ASCII.
    """
    found = np.uint8(0)
    for place in range(TOGETHER):
        letter = letters[place]
        target[place] = letter
        capital = np.uint8(letter - np.uint8(65)) <= np.uint8(25)
        plain = capital | (letter == np.uint8(45)) | (letter == np.uint8(42))
        visible = np.uint8(letter - np.uint8(33)) <= np.uint8(93)
        found = np.uint8(found | np.uint8(not plain) | np.uint8(BLANK * np.uint8(not visible)))
    return found


@inline_njit
def _copy_line(line, target):
    """Copy a line of at least TOGETHER letters in chunks, of which the last two may overlap; return `_copy_chunk`'s
    bits."""
    last = line.size - TOGETHER
    found = _copy_chunk(line[last:], target[last:])
    for at in range(0, last, TOGETHER):
        found = np.uint8(found | _copy_chunk(line[at : at + TOGETHER], target[at : at + TOGETHER]))
    return found


@inline_njit
def _copy_without_blanks(block, at, kinds, letters, count):
    """Copy a line without white space. Return where it ends, the number of letters then, and the kinds met."""
    met = np.uint8(0)
    while at < block.size and block[at] != LINE_END:
        kind = kinds[block[at]]
        letters[count] = block[at]
        count += kind != 0
        met |= kind
        at += 1
    return at, count, met


@cached_njit
def pack_letters(block, kinds, plain, letters, titles, before):
    """Copy the letters of FASTA in ``block``, whole lines, without white space to ``letters``, uint8.

    ``titles``, int64 (n, 2), takes where each title begins and ends, ``before``, int64, how many letters precede it.
    ``plain``, uint8, is the kind of a line of capitals, '-' and '*'. Lines as long as the one before are copied at
    once. Return the numbers of letters and of titles, and the kinds of letters met.
    """
    at, count, found, usual, met = 0, 0, 0, 0, np.uint8(0)
    while at < block.size:
        if block[at] == TITLE:
            start = at + 1
            while at < block.size and block[at] != LINE_END:
                at += 1
            titles[found, 0], titles[found, 1], before[found] = start, at, count
            found += 1
        else:
            stop, others = at + usual, BLANK
            if usual >= TOGETHER and stop < block.size and block[stop] == LINE_END:
                others = _copy_line(block[at:stop], letters[count : count + usual])
            if others < BLANK:
                met |= join_kinds(block[at:stop], kinds) if others else plain
                at, count = stop, count + usual
            else:
                start = at
                at, count, kind = _copy_without_blanks(block, at, kinds, letters, count)
                met, usual = met | kind, at - start
        at += 1
    return count, found, met
