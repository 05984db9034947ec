"""Loops over the letters of an alignment, compiled: who reads loads them when there is something to read."""

from __future__ import annotations

import numpy as np

from antidiag.kernels.cpu.jit import compiled, inlined

TITLE, LINE_END = ord(">"), ord("\n")
TOGETHER = 32
"""Letters that are copied and looked at together, by one instruction or two."""
BLANK = np.uint8(2)


@compiled
def met_by(letters, kinds):
    """The kinds of these letters joined by "or"."""
    met = np.uint8(0)
    for place in range(letters.size):
        met |= kinds[letters[place]]
    return met


@inlined
def _chunk(letters, target):
    """Copy letters, `TOGETHER` of them; 0 if all are capitals, '-' or '*', else `BLANK` where one is white space or no
    ASCII. Without a branch."""
    found = np.uint8(0)
    for place in range(TOGETHER):
        letter = letters[place]
        target[place] = letter
        capital = np.uint8(letter - np.uint8(65)) <= np.uint8(25)
        plain = capital | (letter == np.uint8(45)) | (letter == np.uint8(42))
        visible = np.uint8(letter - np.uint8(33)) <= np.uint8(93)
        found = np.uint8(found | np.uint8(not plain) | np.uint8(BLANK * np.uint8(not visible)))
    return found


@inlined
def _copied(line, target):
    """Copy a line of at least `TOGETHER` letters; as `_chunk`. Where their number does not come out even, some are
    copied twice."""
    last = line.size - TOGETHER
    found = _chunk(line[last:], target[last:])
    for at in range(0, last, TOGETHER):
        found = np.uint8(found | _chunk(line[at : at + TOGETHER], target[at : at + TOGETHER]))
    return found


@inlined
def _squeezed(block, at, kinds, letters, count):
    """Copy a line without white space; where it ends, the number of letters then, and the kinds met."""
    met = np.uint8(0)
    while at < block.size and block[at] != LINE_END:
        kind = kinds[block[at]]
        letters[count] = block[at]
        count += kind != 0
        met |= kind
        at += 1
    return at, count, met


@compiled
def pack(block, kinds, plain, letters, titles, before):
    """Copy the letters of FASTA in ``block``, whole lines, without white space to ``letters``, uint8; (how many there
    are, how many titles, the kinds of letters met).

    ``titles``, int64 (n, 2), are set to where each title begins and ends, ``before``, int64, to how many letters lie
    before it. ``plain``, uint8, is the kind of a line of capitals, '-' and '*'. Lines as long as the one
    before are copied at once.
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
                others = _copied(block[at:stop], letters[count : count + usual])
            if others < BLANK:
                met |= met_by(block[at:stop], kinds) if others else plain
                at, count = stop, count + usual
            else:
                start = at
                at, count, kind = _squeezed(block, at, kinds, letters, count)
                met, usual = met | kind, at - start
        at += 1
    return count, found, met
