"""Data of CUDA-Parttree: sequences in padded sections of (6-mer, count), and count maps of the references."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from antidiag.kernels.cpu.jit import cached_njit, inline_njit
from antidiag.kernels.parttree.kmers.word_arrays import WordArrays
from antidiag.kernels.trees.distances.shared_words.cpu_kmers import kmer_distance, length_factor

SECTIONS_AT_ONCE = 32
"""Sections that a CPU thread takes at a time."""


class SequenceSections(NamedTuple):
    """Sequences by ascending number of words; ``order`` int64 are their positions before (the paper's positionMap).

    ``structs`` int32 (entries, 2) are 6-mers and counts: those of section k begin at addresses[k] (int64), and each of
    its sequences, ``size`` of them, has lengths[k] (int32) entries, the last ones 0.
    """

    order: np.ndarray
    structs: np.ndarray
    addresses: np.ndarray
    lengths: np.ndarray
    size: int


def make_sections(words: WordArrays, members: np.ndarray, size: int) -> SequenceSections:
    """Return the sections of some sequences."""
    entries = words.ends[members] - words.begins[members]
    order = np.argsort(entries, kind="stable")
    firsts = np.arange(0, members.size, size)
    lengths = np.maximum.reduceat(entries[order], firsts) if members.size else entries[:0]
    addresses = np.concatenate([[0], np.cumsum(lengths * np.minimum(size, members.size - firsts))])
    structs = np.zeros((int(addresses[-1]), 2), np.int32)
    _write_structs(words, members, order, size, addresses, lengths, structs)
    return SequenceSections(order, structs, addresses[:-1], lengths.astype(np.int32), size)


def reference_batches(references: int, bins: int, sequences: int, most_bytes: int) -> range:
    """Return where to cut references so that maps and shared words of a part take at most ``most_bytes`` bytes, or
    one's."""
    return range(0, references, max(1, most_bytes // (4 * (bins + sequences))))


@cached_njit
def _write_structs(words, members, order, size, addresses, lengths, structs):
    """Write the entries of all sections."""
    for place in range(order.size):
        sequence = members[order[place]]
        at = addresses[place // size] + place % size * lengths[place // size]
        for entry in range(words.begins[sequence], words.ends[sequence]):
            structs[at, 0], structs[at, 1] = words.kmers[entry], words.counts[entry]
            at += 1


@cached_njit
def fill_maps(words, refs, maps):
    """Fill the maps of references: the count of every word, int32 (references, bins), 0 before."""
    for number in range(refs.size):
        for at in range(words.begins[refs[number]], words.ends[refs[number]]):
            maps[number, words.kmers[at]] = words.counts[at]


@cached_njit
def count_shared_words(base_sections, maps, common_counts, first, last, stop):
    """Count shared words of sections ``first`` to ``last`` - 1 by algorithm 2.

    ``common_counts`` int32 (references, sequences) has the sequences in the order of the sections.
    """
    for section in range(first, last):
        for reference in range(maps.shape[0]):
            if stop[0] != 0:
                return
            of = maps[reference]
            for offset in range(min(base_sections.size, base_sections.order.size - section * base_sections.size)):
                at = base_sections.addresses[section] + offset * base_sections.lengths[section]
                common_counts[reference, section * base_sections.size + offset] = _shared_with_map(
                    base_sections.structs, at, base_sections.lengths[section], of
                )


@inline_njit
def _shared_with_map(structs, first, length, reference_map):
    """Return the number of words that a sequence shares with a reference."""
    common = 0
    for at in range(first, first + length):
        common += min(structs[at, 1], reference_map[structs[at, 0]])
    return common


@cached_njit
def return_distances(words, batch, base_sections, common_counts, first, measured, stop):
    """Write the nearest reference of each member among references ``first`` and further, in the order before.

    ``measured`` holds what was nearest among the references before these; the batch has one group.
    """
    for place in range(base_sections.order.size):
        if stop[0] != 0:
            return
        at = base_sections.order[place]
        sequence = batch.members[at]
        for number in range(common_counts.shape[0]):
            reference = batch.refs[first + number]
            factor = length_factor(words.kept[sequence], words.kept[reference], words.b)
            away = kmer_distance(common_counts[number, place], words.totals[sequence], words.totals[reference], factor)
            if away < measured.least[at]:
                measured.nearest[at], measured.least[at] = first + number, away
