"""Shared 6-mers and distances of references and sequences, compiled: by an index of the references, or by maps.

A batch has groups of references and of members; a task is a part of one group's members. The result is the nearest
reference of each member with its distance, or all distances.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from antidiag.kernels.cpu.jit import cached_njit, inline_njit, inner_njit
from antidiag.kernels.cpu.simd import fetch_add
from antidiag.kernels.trees.distances.shared_words.cpu_kmers import kmer_distance, length_factor
from antidiag.kernels.trees.distances.shared_words.kmers import FARTHEST

TASK = 1024
"""Members of a task at most."""


class DistanceBatch(NamedTuple):
    """Groups of references and members: those of group g from ref_starts[g] and starts[g] on (int64, one more entry
    each).

    Tasks are parts of the members of a group: int64 (tasks, 3): group, first, last.
    """

    refs: np.ndarray
    ref_starts: np.ndarray
    members: np.ndarray
    starts: np.ndarray
    tasks: np.ndarray


class MeasuredDistances(NamedTuple):
    """The number of each member's nearest reference in its group (int32) with its distance (float64), or all distances.

    Where ``everything`` float64 is not empty it holds all distances: those of group g from places[g] on (int64),
    members x references.
    """

    nearest: np.ndarray
    least: np.ndarray
    everything: np.ndarray
    places: np.ndarray


class ReferenceIndex(NamedTuple):
    """A thread's index of the references of a group: which of them have a word, and how often.

    ``heads`` int32 (bins, 3): where the entries of a word begin, how many there are, and whether one of them has it
    more than once. ``touched`` int32: the words with entries. ``owners`` and ``times`` int32 (words,): reference and
    count. ``totals`` float64: the number of words of each reference. ``slots`` int32: which of the lengths ``kept``
    int64 it has. For a member: ``shared`` int32, the words that it shares with each reference; ``factors`` float64, the
    factor of each length; ``away`` float64, its distances. ``state`` int64: the indexed group, touched words, lengths.
    """

    heads: np.ndarray
    touched: np.ndarray
    owners: np.ndarray
    times: np.ndarray
    totals: np.ndarray
    slots: np.ndarray
    kept: np.ndarray
    shared: np.ndarray
    factors: np.ndarray
    away: np.ndarray
    state: np.ndarray


def empty_index(bins: int, references: int, words: int) -> ReferenceIndex:
    """Return an empty index for groups of so many references with so many words."""
    return ReferenceIndex(
        np.zeros((bins, 3), np.int32),
        np.empty(min(bins, words) + 1, np.int32),
        np.empty(words + 1, np.int32),
        np.empty(words + 1, np.int32),
        np.empty(references),
        np.empty(references, np.int32),
        np.empty(references, np.int64),
        np.zeros(references, np.int32),
        np.empty(references),
        np.empty(references),
        np.array([-1, 0, 0]),
    )


@cached_njit
def measure_by_index(words, batch, measured, word_index, ticket, done, stop):
    """Measure all tasks of a batch by an index; threads share them by a ticket.

    ``word_index`` is this thread's `ReferenceIndex`; ``done`` int64 (1,) counts the members that are finished.
    """
    word_index.state[0] = -1
    every = measured.everything.size > 0
    while stop[0] == 0:
        task = fetch_add(ticket, 0)
        if task >= batch.tasks.shape[0]:
            break
        group, first, last = batch.tasks[task]
        refs = batch.refs[batch.ref_starts[group] : batch.ref_starts[group + 1]]
        if word_index.state[0] != group:
            _clear_index(word_index)
            _fill_index(words, refs, word_index)
            word_index.state[0] = group
        for at in range(first, last):
            if stop[0] != 0:
                break
            sequence = batch.members[at]
            shared = word_index.shared[: refs.size]
            shared[:] = 0
            _count_shared_words(words, word_index, sequence, shared)
            if every:
                place = measured.places[group] + (at - batch.starts[group]) * refs.size
                _distances_from_counts(
                    words, word_index, sequence, shared, measured.everything[place : place + refs.size]
                )
            else:
                away = word_index.away[: refs.size]
                _distances_from_counts(words, word_index, sequence, shared, away)
                nearest = find_first_least(away)
                measured.nearest[at], measured.least[at] = nearest, away[nearest]
        done[0] += last - first
    _clear_index(word_index)


@inline_njit
def _clear_index(word_index):
    """Remove the entries of the indexed group."""
    for at in range(word_index.state[1]):
        word_index.heads[word_index.touched[at], 1] = 0
        word_index.heads[word_index.touched[at], 2] = 0
    word_index.state[1] = 0


@inner_njit
def _fill_index(words, refs, word_index):
    """Index the references of a group, and group them by length."""
    heads, touched = word_index.heads, word_index.touched
    count = 0
    for number in range(refs.size):
        word_index.totals[number] = words.totals[refs[number]]
        for at in range(words.begins[refs[number]], words.ends[refs[number]]):
            word = words.kmers[at]
            if heads[word, 1] == 0:
                touched[count] = word
                count += 1
            heads[word, 1] += 1
            if words.counts[at] > 1:
                heads[word, 2] = 1
    place = 0
    for at in range(count):
        word = touched[at]
        heads[word, 0] = place
        place += heads[word, 1]
        heads[word, 1] = 0
    for number in range(refs.size):
        for at in range(words.begins[refs[number]], words.ends[refs[number]]):
            word = words.kmers[at]
            entry = heads[word, 0] + heads[word, 1]
            word_index.owners[entry], word_index.times[entry] = number, words.counts[at]
            heads[word, 1] += 1
    word_index.state[1] = count
    _group_by_length(words, refs, word_index)


@inner_njit
def _group_by_length(words, refs, word_index):
    """Find which references have the same length."""
    lengths = words.kept[refs]
    slots = 0
    for number in np.argsort(lengths, kind="mergesort"):
        if slots == 0 or lengths[number] != word_index.kept[slots - 1]:
            word_index.kept[slots] = lengths[number]
            slots += 1
        word_index.slots[number] = slots - 1
    word_index.state[2] = slots


@inline_njit
def _count_shared_words(words, word_index, sequence, common):
    """Count the words that a sequence shares with each reference."""
    kmers = words.kmers
    counts = words.counts
    heads = word_index.heads
    owners = word_index.owners
    times = word_index.times
    for at in range(words.begins[sequence], words.ends[sequence]):
        word, count = kmers[at], counts[at]
        first, last = heads[word, 0], heads[word, 0] + heads[word, 1]
        if count > 1 and heads[word, 2] != 0:
            for entry in range(first, last):
                common[owners[entry]] += min(count, times[entry])
        else:
            for entry in range(first, last):
                common[owners[entry]] += 1


@inline_njit
def _distances_from_counts(words, word_index, sequence, common, distances):
    """Write the distances of a sequence to all references, as `kmer_distance` does, in whole vectors."""
    for slot in range(word_index.state[2]):
        word_index.factors[slot] = length_factor(words.kept[sequence], word_index.kept[slot], words.b)
    total = np.float64(words.totals[sequence])
    totals = word_index.totals
    slots = word_index.slots
    factors = word_index.factors
    for number in range(common.size):
        fewer = max(min(total, totals[number]), 1.0)
        distances[number] = min((1 - common[number] / fewer) * factors[slots[number]], FARTHEST)


@inline_njit
def find_first_least(values):
    """Return the position of the smallest of numbers that are 0 or more, the first of equal ones.

    Such numbers are ordered as their bits are, and the minimum of integers is vectorised.
    """
    bits = values.view(np.int64)
    least = bits[0]
    for at in range(bits.size):
        least = min(least, bits[at])
    for at in range(bits.size):
        if bits[at] == least:
            return at
    return 0


@cached_njit
def measure_by_maps(words, batch, measured, ref_map, mirror, first_task, last_task, done, stop):
    """Measure tasks of a batch by algorithm 1 of Razzolini and Melo (2020).

    Every reference has a map of its words, int32 (bins,), and every sequence a mirror of what was counted; both are 0
    before and after. A task is a whole group, so that a map is made once. ``done`` int64 (1,) counts distances.
    """
    every = measured.everything.size > 0
    for task in range(first_task, last_task):
        group, first, last = batch.tasks[task]
        refs = batch.refs[batch.ref_starts[group] : batch.ref_starts[group + 1]]
        for at in range(first, last):
            measured.least[at] = np.inf
        for number in range(refs.size):
            reference = refs[number]
            for at in range(words.begins[reference], words.ends[reference]):
                ref_map[words.kmers[at]] = words.counts[at]
            for at in range(first, last):
                if stop[0] != 0:
                    return
                sequence = batch.members[at]
                factor = length_factor(words.kept[sequence], words.kept[reference], words.b)
                common = _count_with_mirror(words, sequence, ref_map, mirror)
                away = kmer_distance(common, words.totals[sequence], words.totals[reference], factor)
                if every:
                    measured.everything[measured.places[group] + (at - batch.starts[group]) * refs.size + number] = away
                elif away < measured.least[at]:
                    measured.nearest[at], measured.least[at] = number, away
            for at in range(words.begins[reference], words.ends[reference]):
                ref_map[words.kmers[at]] = 0
            done[0] += last - first


@inline_njit
def _count_with_mirror(words, sequence, ref_map, mirror):
    """Count shared 6-mers (calculate6mers of the paper): each counts as long as the reference has it more often."""
    common = 0
    for at in range(words.begins[sequence], words.ends[sequence]):
        word = words.kmers[at]
        for _ in range(words.counts[at]):
            if ref_map[word] > mirror[word]:
                common += 1
                mirror[word] += 1
    for at in range(words.begins[sequence], words.ends[sequence]):
        mirror[words.kmers[at]] = 0
    return common
