"""Distances between all pairs on the CPU: tiles of the matrix are tasks of their own, which threads take in turns."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cache, partial
from itertools import count as counting
from typing import Any, NamedTuple

import numpy as np

from antidiag.kernels.cpu.phases import PhaseClock, PhaseLog, time_ms
from antidiag.kernels.cpu.simd import LANES, SHORT_LANES
from antidiag.kernels.cpu.workers import share, stop_word
from antidiag.kernels.model import Outcome, SequenceType, lengths_of
from antidiag.kernels.monitor import Monitor
from antidiag.kernels.parameters import typed
from antidiag.kernels.scoring import Mode
from antidiag.kernels.steps import Steps
from antidiag.kernels.trees.distances import cpu_chains, cpu_columns, cpu_identities, cpu_kmers, cpu_tuples
from antidiag.kernels.trees.distances.columns import Columns, distances_of_columns
from antidiag.kernels.trees.distances.identities import encoded
from antidiag.kernels.trees.distances.kmers import Kmers, sixmers
from antidiag.kernels.trees.distances.pairing import Grouped, grouped
from antidiag.kernels.trees.distances.problem import (
    AlignedProblem,
    DistanceAnswer,
    FullProblem,
    KtupleProblem,
    SixmerProblem,
    matrix_of,
    symmetric,
)
from antidiag.kernels.trees.distances.tuples import Tuples, kmers_of, short, tuples
from antidiag.kernels.trees.parameters import PairParameters

TILE_CELLS = 1 << 23
"""Cells of a tile of pairs that are aligned one after another, at least those of one row."""
MOST_ROWS = 64


def distance_full(problem: FullProblem, parameters: Mapping[str, Any], monitor: Monitor, steps: Steps) -> Outcome:
    """1 - identities / the shorter length of the best alignment of each pair, as ClustalW has it."""
    times_ms = {"compilation": time_ms(partial(_compile_full, problem.mode == Mode.LOCAL)), "transfer": 0.0}
    clock = PhaseClock(times_ms)
    together, numbers = encoded(problem)
    codes = np.split(together, np.cumsum(lengths_of(problem.sequences))[:-1])
    table = _padded(numbers)
    groups = grouped(codes, LANES, table.shape[0] - 1)
    starts = np.concatenate([[0], np.cumsum(groups.lengths)])
    rows = cpu_identities.Rows(np.concatenate([codes[number] for number in groups.order]), starts, groups.order)
    values = np.zeros((len(codes), len(codes)))
    tiles = list(_tiles(groups))
    cells = [int(groups.lengths[first:last].sum()) * groups.letters[group].size for group, first, last in tiles]
    costs = np.array([problem.scoring.open, problem.scoring.extend], np.int64)
    scores = cpu_identities.Scores(table.ravel(), costs, problem.mode == Mode.LOCAL)
    stop = stop_word()

    def work() -> Callable[[int], Chunk]:
        state, found = np.empty(4 * LANES * int(groups.lengths[-1]), np.int32), np.empty(LANES, np.int32)
        room = cpu_identities.Room(state, np.empty(table.shape[1] * LANES, np.int32))

        def one(tile: int) -> Chunk:
            group, first, last = tiles[tile]
            others = cpu_identities.Lanes(groups.letters[group], groups.lane_lengths[group])
            cpu_identities.distances_of_rows(rows, first, last, group, others, scores, room, found, values, stop)
            return (first, last), (group * LANES, min((group + 1) * LANES, len(codes)))

        return one

    threads, log = typed(PairParameters, parameters).threads, PhaseLog(steps, 1, clock.started_ns)
    _take_in_turns(cells, work, threads, stop, monitor, log)
    clock.phase("alignments")
    return _outcome(problem, values, times_ms, "full distances")


def _tiles(groups: Grouped) -> Iterator[tuple[int, int, int]]:
    """A group of columns, and some rows, first and last, that are no longer than they: those before its end."""
    taxa, lanes = groups.order.size, groups.lane_lengths.shape[1]
    for group, letters in enumerate(groups.letters):
        end = min(lanes * (group + 1), taxa)
        several = max(1, min(MOST_ROWS, TILE_CELLS // max(letters.size * int(groups.lengths[end - 1]), 1)))
        for first in range(0, end, several):
            yield group, first, min(first + several, end)


def distance_6mer(problem: SixmerProblem, parameters: Mapping[str, Any], monitor: Monitor, steps: Steps) -> Outcome:
    """MAFFT's distance of shared 6-mers; see `kmers.distances_of_kmers`."""
    times_ms = {"compilation": time_ms(_compile_kmers), "transfer": 0.0}
    clock, taxa, stop = PhaseClock(times_ms), len(problem.sequences), stop_word()
    kmers = sixmers(problem.sequences, problem.protein, monitor.check)
    words, sizes, values = cpu_kmers.owners_of(kmers), cpu_kmers.sizes_of(kmers), np.zeros((taxa, taxa))
    firsts = range(0, taxa, cpu_kmers.ROWS)

    def work() -> Callable[[int], Chunk]:
        common = np.empty(taxa, np.int32)

        def one(block: int) -> Chunk:
            first, last = firsts[block], min(firsts[block] + cpu_kmers.ROWS, taxa)
            cpu_kmers.distances_of_rows(words, sizes, first, last, common, values, stop)
            return (first, last), (first, taxa)

        return one

    weights = [(taxa - first) + int(kmers.starts[-1] - kmers.starts[first]) // 4 for first in firsts]
    threads, log = typed(PairParameters, parameters).threads, PhaseLog(steps, 1, clock.started_ns)
    _take_in_turns(weights, work, threads, stop, monitor, log)
    clock.phase("words")
    return _outcome(problem, values, times_ms, "6-mer distances")


def distance_ktuple(problem: KtupleProblem, parameters: Mapping[str, Any], monitor: Monitor, steps: Steps) -> Outcome:
    """ClustalW's fast distance: 1 - the score of the best chain of k-tuples / the shorter length."""
    times_ms = {"compilation": time_ms(_compile_ktuple), "transfer": 0.0}
    clock, values, stop = PhaseClock(times_ms), np.zeros((len(problem.sequences),) * 2), stop_word()
    lengths = np.array([len(sequence) for sequence in problem.sequences])
    rule = cpu_tuples.Rule(problem.ktuple, problem.diagonals, problem.window, problem.word_gap)
    is_short = short(problem, lengths)
    parts: list[Tasks] = []
    if is_short.any():
        kmers = kmers_of(problem, monitor.check)
        parts.append(_short_pairs(kmers, lengths, np.flatnonzero(is_short), rule, values, stop))
    if not is_short.all():
        parts.append(_long_pairs(tuples(problem, monitor.check), lengths, is_short, rule, values, stop))

    def work() -> Callable[[int], Chunk]:
        works, first = [part.work() for part in parts], len(parts[0].weights)
        return lambda task: works[0](task) if task < first else works[1](task - first)

    weights = [weight for part in parts for weight in part.weights]
    threads, log = typed(PairParameters, parameters).threads, PhaseLog(steps, 1, clock.started_ns)
    _take_in_turns(weights, work, threads, stop, monitor, log)
    clock.phase("words")
    return _outcome(problem, values, times_ms, "k-tuple distances")


def _short_pairs(
    kmers: list[np.ndarray], lengths: np.ndarray, chosen: np.ndarray, rule: cpu_tuples.Rule, values: np.ndarray,
    stop: np.ndarray,
) -> Tasks:  # fmt: skip
    """Pairs of the ``chosen`` sequences, one of them with 32 others at a time."""
    codes = [kmers[number].astype(np.int16) for number in chosen]
    groups = grouped(codes, SHORT_LANES, cpu_chains.PADDING)
    letters = [np.where(block < 0, cpu_chains.PADDING, block).astype(np.int16) for block in groups.letters]
    order, starts = chosen[groups.order], np.concatenate([[0], np.cumsum(groups.lengths)])
    rows = cpu_chains.Rows(np.concatenate([codes[one] for one in groups.order]), starts, lengths[order], order)
    tiles, taxa = list(_tiles(groups)), chosen.size

    def work() -> Callable[[int], Chunk]:
        room = cpu_chains.room(int(rows.lengths.max()), rule.k)
        found = np.empty(SHORT_LANES, np.int16)

        def one(tile: int) -> Chunk:
            group, first, last = tiles[tile]
            cpu_chains.distances_of_rows(rows, first, last, group, letters[group], rule, room, found, values, stop)
            return (first, last), (group * SHORT_LANES, min((group + 1) * SHORT_LANES, taxa))

        return one

    return Tasks([int(rows.lengths[first:last].sum()) * letters[group].size + 1 for group, first, last in tiles], work)


def _long_pairs(
    found: Tuples, lengths: np.ndarray, is_short: np.ndarray, rule: cpu_tuples.Rule, values: np.ndarray,
    stop: np.ndarray,
) -> Tasks:  # fmt: skip
    """Pairs of sequences that are not both `short`, one after another: a column of the matrix is a task."""
    others = cpu_tuples.Others(found.kmers, found.starts, lengths)
    long_before = np.cumsum(lengths * ~is_short) - lengths * ~is_short
    letters = np.where(is_short, long_before, np.cumsum(lengths) - lengths)
    columns = np.flatnonzero(~is_short | (long_before > 0))[::-1]

    def work() -> Callable[[int], Chunk]:
        room = cpu_tuples.room(int(lengths.max()), rule.k)

        def one(task: int) -> Chunk:
            column = int(columns[task])
            own = found.places[found.starts[column] : found.starts[column + 1]]
            places = cpu_tuples.Places(found.kmer_starts[column], own, int(lengths[column]))
            cpu_tuples.ktuple_distances(others, column, places, is_short, rule, room, values, stop)
            return (0, column), (column, column + 1)

        return one

    return Tasks((lengths * letters + 1)[columns].tolist(), work)


def distance_alignment(
    problem: AlignedProblem, parameters: Mapping[str, Any], monitor: Monitor, steps: Steps
) -> Outcome:
    """Distances between the rows of an alignment; see `columns.distances_of_columns`."""
    times_ms = {"compilation": time_ms(_compile_columns), "transfer": 0.0}
    clock, rows, stop = PhaseClock(times_ms), len(problem.alignment.names), stop_word()
    bits = cpu_columns.bits_of(problem.alignment, monitor.check)
    protein = problem.alignment.type == SequenceType.PROTEIN
    values, without = np.zeros((rows, rows)), np.zeros(rows, np.int64)
    firsts = range(0, rows, cpu_columns.ROWS)

    def work() -> Callable[[int], Chunk]:
        counts = np.empty((3, cpu_columns.ROWS, rows), np.int32)

        def one(block: int) -> Chunk:
            first, last = firsts[block], min(firsts[block] + cpu_columns.ROWS, rows)
            cpu_columns.count(bits, first, last, counts, stop)
            for row in range(first, last if not stop[0] else first):
                found, lost = distances_of_columns(Columns(*counts[:, row - first, row + 1 :]), problem.model, protein)
                values[row, row + 1 :] = found
                without[row] = lost.sum()
            values[last:, first:last] = values[first:last, last:].T
            values[first:last, first:last] += values[first:last, first:last].T
            return (first, last), (first, rows)

        return one

    threads, log = typed(PairParameters, parameters).threads, PhaseLog(steps, 1, clock.started_ns)
    _take_in_turns([rows - first for first in firsts], work, threads, stop, monitor, log)
    clock.phase("columns")
    answer = DistanceAnswer(symmetric(problem.alignment.names, values, problem.alignment.name), int(without.sum()))
    return Outcome(answer, times_ms, values.nbytes)


def _padded(scores: np.ndarray) -> np.ndarray:
    """A row of scores for each letter, and one for no letter, in whole vectors.

    No letter scores so little that no path goes through it.
    """
    letters = len(scores)
    table = np.full((letters + 1, -(-(letters + 1) // LANES) * LANES), NO_LETTER, np.int32)
    table[:-1, :letters] = scores
    return table


NO_LETTER = -(2**29)


Chunk = tuple[tuple[int, int], tuple[int, int]]
"""Rows and columns of the pairs of a task."""


class Tasks(NamedTuple):
    """What each of some tasks weighs, and what makes, for a thread, what does one of them."""

    weights: list[int]
    work: Callable[[], Callable[[int], Chunk]]


def _take_in_turns(
    weights: Iterable[int], work: Callable[[], Callable[[int], Chunk]], threads: int, stop: np.ndarray,
    monitor: Monitor, log: PhaseLog,
) -> None:  # fmt: skip
    """Do tasks 0, 1, ... on threads; ``work()`` makes what does one task. Progress counts their weights."""
    sizes = np.array(list(weights), float)
    numbers, done = counting(), [0.0] * threads

    def take(worker: int) -> None:
        one = work()
        for task in numbers:
            if task >= sizes.size or stop[0]:
                return
            begun_ns = time.perf_counter_ns()
            log.add(task, *one(task), worker, begun_ns)
            done[worker] += sizes[task]

    total = max(sizes.sum(), 1)
    share(take, threads, stop, lambda: monitor.update(int(1000 * sum(done) / total), 1000, "pairs"))


def _outcome(problem: Any, values: np.ndarray, times_ms: dict[str, float], name: str) -> Outcome:
    return Outcome(DistanceAnswer(matrix_of(problem, values, name)), times_ms, values.nbytes)


@cache
def _compile_full(local: bool) -> None:
    """Compile, or load from the cache folder, by calling with one letter; so do the others."""
    rows = cpu_identities.Rows(np.zeros(1, np.uint8), np.array([0, 1]), np.zeros(1, np.int64))
    others = cpu_identities.Lanes(np.zeros(LANES, np.int32), np.ones(LANES, np.int32))
    scores = cpu_identities.Scores(np.zeros(2 * LANES, np.int32), np.zeros(2, np.int64), local)
    room = cpu_identities.Room(np.empty(4 * LANES, np.int32), np.empty(LANES * LANES, np.int32))
    found, values = np.empty(LANES, np.int32), np.zeros((1, 1))
    cpu_identities.distances_of_rows(rows, 0, 1, 0, others, scores, room, found, values, stop_word())


@cache
def _compile_kmers() -> None:
    word = np.zeros(1, np.int32)
    kmers = Kmers(word, word, np.array([0, 1]), np.ones(1), np.ones(1), 1, True)
    words, sizes = cpu_kmers.owners_of(kmers), cpu_kmers.sizes_of(kmers)
    cpu_kmers.distances_of_rows(words, sizes, 0, 1, np.zeros(1, np.int32), np.zeros((1, 1)), stop_word())


@cache
def _compile_ktuple() -> None:
    word, ends, values, rule = np.zeros(1, np.int32), np.array([0, 1]), np.zeros((1, 1)), cpu_tuples.Rule(1, 1, 1, 1)
    one, stop = np.ones(1, np.int64), stop_word()
    others, column = cpu_tuples.Others(word, ends, one), cpu_tuples.Places(ends.astype(np.int32), word, 1)
    none = np.zeros(1, bool)
    cpu_tuples.ktuple_distances(others, 0, column, none, rule, cpu_tuples.room(1, 1), values, stop)
    lanes = np.zeros(SHORT_LANES, np.int16)
    rows, room = cpu_chains.Rows(lanes[:1], ends, one, np.zeros(1, np.int64)), cpu_chains.room(1, 1)
    cpu_chains.distances_of_rows(rows, 0, 1, 0, lanes, rule, room, lanes.copy(), values, stop)


@cache
def _compile_columns() -> None:
    bits = np.zeros((1, cpu_columns.PLANES, 1), np.uint64)
    cpu_columns.count(bits, 0, 1, np.zeros((3, 1, 1), np.int32), stop_word())
