"""CUDA-Parttree's data: base sequences as structs of a 6-mer and its count, in sections, and maps of the references."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from antidiag.kernels.cpu.jit import compiled, inlined
from antidiag.kernels.cpu.simd import take_ticket
from antidiag.kernels.parttree.cpu_words import distance, factor
from antidiag.kernels.parttree.words import Words

PART = 32
"""Sections that a thread of the CPU takes at a time."""


class Sections(NamedTuple):
    """Base sequences by ascending length: ``order`` int64 are their places before (the paper's positionMap).

    ``structs`` int32 (entries, 2) are 6-mers and counts, linearised: those of section k begin at addresses[k] (int64),
    and its sequences, ``size`` of them, have lengths[k] (int32) entries each, the last ones 0.
    """

    order: np.ndarray
    structs: np.ndarray
    addresses: np.ndarray
    lengths: np.ndarray
    size: int


def sections(words: Words, members: np.ndarray, size: int) -> Sections:
    """The sections of some sequences."""
    entries = words.ends[members] - words.begins[members]
    order = np.argsort(entries, kind="stable")
    firsts = np.arange(0, members.size, size)
    lengths = np.maximum.reduceat(entries[order], firsts) if members.size else entries[:0]
    addresses = np.concatenate([[0], np.cumsum(lengths * np.minimum(size, members.size - firsts))])
    structs = np.zeros((int(addresses[-1]), 2), np.int32)
    _linearise(words, members, order, size, addresses, lengths, structs)
    return Sections(order, structs, addresses[:-1], lengths.astype(np.int32), size)


def batches(references: int, bins: int, sequences: int, most: int) -> range:
    """Where references are parted, so that maps and shared words of a part take at most so many bytes, or one's."""
    return range(0, references, max(1, most // (4 * (bins + sequences))))


@compiled
def _linearise(words, members, order, size, addresses, lengths, structs):
    for place in range(order.size):
        sequence = members[order[place]]
        at = addresses[place // size] + place % size * lengths[place // size]
        for entry in range(words.begins[sequence], words.ends[sequence]):
            structs[at, 0], structs[at, 1] = words.kmers[entry], words.counts[entry]
            at += 1


@compiled
def maps_of(words, refs, maps):
    """The maps of references: how often each word is there, int32 (references, bins), 0 before."""
    for number in range(refs.size):
        for at in range(words.begins[refs[number]], words.ends[refs[number]]):
            maps[number, words.kmers[at]] = words.counts[at]


@compiled
def calculate(own, maps, shared, ticket, stop):
    """Algorithm 2 on threads that take sections: ``shared`` int32 (references, sequences), sequences as in Sections."""
    while stop[0] == 0:
        first = take_ticket(ticket, 0) * PART
        if first >= own.lengths.size:
            return
        for section in range(first, min(first + PART, own.lengths.size)):
            for reference in range(maps.shape[0]):
                if stop[0] != 0:
                    return
                of = maps[reference]
                for offset in range(min(own.size, own.order.size - section * own.size)):
                    at = own.addresses[section] + offset * own.lengths[section]
                    shared[reference, section * own.size + offset] = _shared(own.structs, at, own.lengths[section], of)


@inlined
def _shared(structs, first, length, of):
    """The words that a sequence shares with a reference."""
    common = 0
    for at in range(first, first + length):
        common += min(structs[at, 1], of[structs[at, 0]])
    return common


@compiled
def returned(words, batch, own, shared, first, found, stop):
    """The distances of references ``first`` and further of a batch of one group, back in the order before: the nearest.

    ``found`` keeps what was nearest among the references before these.
    """
    for place in range(own.order.size):
        if stop[0] != 0:
            return
        at = own.order[place]
        sequence = batch.members[at]
        for number in range(shared.shape[0]):
            reference = batch.refs[first + number]
            length_factor = factor(words.kept[sequence], words.kept[reference], words.b)
            away = distance(shared[number, place], words.totals[sequence], words.totals[reference], length_factor)
            if away < found.least[at]:
                found.nearest[at], found.least[at] = first + number, away
