"""Loops over the letters of an alignment, compiled: `fasta` loads them when there is something to read."""

from __future__ import annotations

import numpy as np

from kernels.cpu.jit import compiled


@compiled
def take(source, start, stop, kinds, target, at):
    """Copy ``source[start:stop]`` without white space to ``target[at:]``, uint8; (the place after them, kinds met).

    ``target`` has room for one more.
    """
    met = 0
    for place in range(start, stop):
        kind = kinds[source[place]]
        target[at] = source[place]
        at += kind != 0
        met |= kind
    return at, met


@compiled
def all_plain(letters):
    """Whether all are capitals, '-' or '*'; without a branch, so that many are looked at together."""
    others = 0
    for place in range(letters.size):
        letter = letters[place]
        others += (np.uint8(letter - 65) > 25) & (letter != 45) & (letter != 42)
    return others == 0


@compiled
def count(source, start, stop, kinds):
    """How many letters and gaps there are, and the kinds met."""
    found, met = 0, 0
    for place in range(start, stop):
        kind = kinds[source[place]]
        found += kind != 0
        met |= kind
    return found, met


@compiled
def met_by(letters, kinds):
    """The kinds of these letters joined by "or"."""
    met = np.uint8(0)
    for place in range(letters.size):
        met |= kinds[letters[place]]
    return met
