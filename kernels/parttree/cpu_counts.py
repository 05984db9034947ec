"""Shared 6-mers of references and sequences on the CPU, compiled: by dense maps, and by an index of the references.

A batch has groups of references and of members; a task is a part of one group's members. ``want`` says what is found:
of every member the nearest of its group's references and how far it is, or the distances to all of them.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from antidiag.kernels.cpu.jit import called, compiled, inlined
from antidiag.kernels.cpu.simd import take_ticket
from antidiag.kernels.parttree.cpu_words import distance, factor
from antidiag.kernels.trees.distances.kmers import FARTHEST

TASK = 1024
"""Members of a task at most."""


class Batch(NamedTuple):
    """Groups of references and members: those of group g at ref_starts[g].. and starts[g].. (int64, one more each).

    Tasks are parts of the members of a group: int64 (tasks, 3): group, first, last.
    """

    refs: np.ndarray
    ref_starts: np.ndarray
    members: np.ndarray
    starts: np.ndarray
    tasks: np.ndarray


class Found(NamedTuple):
    """Of every member the number of the nearest reference in its group (int32) and its distance (float64); or, where
    ``everything`` float64 is not empty, all distances: those of group g at places[g] (int64), members x references."""

    nearest: np.ndarray
    least: np.ndarray
    everything: np.ndarray
    places: np.ndarray


class Index(NamedTuple):
    """A thread's index of the references of a group: who has a word, and how often.

    ``heads`` int32 (bins, 3) is where the entries of a word begin, how many there are, and whether one of them has it
    more than once; ``touched`` int32 the words that have some; ``owners`` and ``times`` int32 (words,) reference and
    count. ``totals`` float64 are the words of each reference, ``slots`` int32 which of the lengths ``kept`` int64 it
    has. Of a member: ``shared`` int32 are the words that it shares with each reference, ``factors`` float64 those of
    each length, ``away`` float64 its distances. ``state`` int64: the group that is indexed, touched words, lengths.
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


def index(bins: int, references: int, words: int) -> Index:
    """Room for groups of so many references that have so many words."""
    return Index(
        np.zeros((bins, 3), np.int32), np.empty(min(bins, words) + 1, np.int32), np.empty(words + 1, np.int32),
        np.empty(words + 1, np.int32), np.empty(references), np.empty(references, np.int32),
        np.empty(references, np.int64), np.zeros(references, np.int32), np.empty(references), np.empty(references),
        np.array([-1, 0, 0]),
    )  # fmt: skip


@compiled
def measure(words, batch, found, own, ticket, done, stop):
    """All tasks of a batch by an index, shared by threads; ``own`` is this thread's Index, ``done`` int64 (1,) the
    members that it has found."""
    own.state[0] = -1
    every = found.everything.size > 0
    while stop[0] == 0:
        task = take_ticket(ticket, 0)
        if task >= batch.tasks.shape[0]:
            break
        group, first, last = batch.tasks[task]
        refs = batch.refs[batch.ref_starts[group] : batch.ref_starts[group + 1]]
        if own.state[0] != group:
            _clear(own)
            _fill(words, refs, own)
            own.state[0] = group
        for at in range(first, last):
            if stop[0] != 0:
                break
            sequence = batch.members[at]
            shared = own.shared[: refs.size]
            shared[:] = 0
            _share(words, own, sequence, shared)
            if every:
                place = found.places[group] + (at - batch.starts[group]) * refs.size
                _distances(words, own, sequence, shared, found.everything[place : place + refs.size])
            else:
                away = own.away[: refs.size]
                _distances(words, own, sequence, shared, away)
                nearest = first_least(away)
                found.nearest[at], found.least[at] = nearest, away[nearest]
        done[0] += last - first
    _clear(own)


@inlined
def _clear(own):
    for at in range(own.state[1]):
        own.heads[own.touched[at], 1] = 0
        own.heads[own.touched[at], 2] = 0
    own.state[1] = 0


@called
def _fill(words, refs, own):
    """The index of these references, and which of them have one length."""
    heads, touched = own.heads, own.touched
    count = 0
    for number in range(refs.size):
        own.totals[number] = words.totals[refs[number]]
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
            own.owners[entry], own.times[entry] = number, words.counts[at]
            heads[word, 1] += 1
    own.state[1] = count
    _by_length(words, refs, own)


@called
def _by_length(words, refs, own):
    """Which of the references have one length."""
    lengths = words.kept[refs]
    slots = 0
    for number in np.argsort(lengths, kind="mergesort"):
        if slots == 0 or lengths[number] != own.kept[slots - 1]:
            own.kept[slots] = lengths[number]
            slots += 1
        own.slots[number] = slots - 1
    own.state[2] = slots


@inlined
def _share(words, own, sequence, shared):
    """The words that a sequence shares with the references."""
    kmers, counts, heads, owners, times = words.kmers, words.counts, own.heads, own.owners, own.times
    for at in range(words.begins[sequence], words.ends[sequence]):
        word, count = kmers[at], counts[at]
        first, last = heads[word, 0], heads[word, 0] + heads[word, 1]
        if count > 1 and heads[word, 2] != 0:
            for entry in range(first, last):
                shared[owners[entry]] += min(count, times[entry])
        else:
            for entry in range(first, last):
                shared[owners[entry]] += 1


@inlined
def _distances(words, own, sequence, shared, away):
    """The distances of a sequence to all references, as `cpu_words.distance` has them, in whole vectors."""
    for slot in range(own.state[2]):
        own.factors[slot] = factor(words.kept[sequence], own.kept[slot], words.b)
    total, totals, slots, factors = np.float64(words.totals[sequence]), own.totals, own.slots, own.factors
    for number in range(shared.size):
        fewer = max(min(total, totals[number]), 1.0)
        away[number] = min((1 - shared[number] / fewer) * factors[slots[number]], FARTHEST)


@inlined
def first_least(away):
    """The place of the least of numbers that are 0 or more, of equal ones the first.

    Such numbers are in the order of their bits, and a least whole number is found in vectors.
    """
    bits = away.view(np.int64)
    least = bits[0]
    for at in range(bits.size):
        least = min(least, bits[at])
    for at in range(bits.size):
        if bits[at] == least:
            return at
    return 0


@compiled
def serial(words, batch, found, ref_map, mirror, first_task, last_task, done, stop):
    """Tasks of a batch as algorithm 1 of the paper has them: for every reference a map of its words, int32 (bins,), and
    for every sequence a mirror of what was counted of it; both are 0 before and after. Members of a task are all those
    of a group, so that a map is made once. ``done`` int64 (1,) counts distances."""
    every = found.everything.size > 0
    for task in range(first_task, last_task):
        group, first, last = batch.tasks[task]
        refs = batch.refs[batch.ref_starts[group] : batch.ref_starts[group + 1]]
        for at in range(first, last):
            found.least[at] = np.inf
        for number in range(refs.size):
            reference = refs[number]
            for at in range(words.begins[reference], words.ends[reference]):
                ref_map[words.kmers[at]] = words.counts[at]
            for at in range(first, last):
                if stop[0] != 0:
                    return
                sequence = batch.members[at]
                length_factor = factor(words.kept[sequence], words.kept[reference], words.b)
                common = _mirrored(words, sequence, ref_map, mirror)
                away = distance(common, words.totals[sequence], words.totals[reference], length_factor)
                if every:
                    found.everything[found.places[group] + (at - batch.starts[group]) * refs.size + number] = away
                elif away < found.least[at]:
                    found.nearest[at], found.least[at] = number, away
            for at in range(words.begins[reference], words.ends[reference]):
                ref_map[words.kmers[at]] = 0
            done[0] += last - first


@inlined
def _mirrored(words, sequence, ref_map, mirror):
    """calculate6mers: every 6-mer of the sequence counts, as long as the reference has it more often."""
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
