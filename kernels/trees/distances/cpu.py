"""Distances between all pairs on the CPU: tiles of the matrix are tasks of their own, which threads take in turns."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cache, partial
from itertools import count as counting
from itertools import pairwise
from typing import Any

import numpy as np

from kernels.cpu.phases import PhaseClock, PhaseLog, time_ms
from kernels.cpu.simd import LANES
from kernels.cpu.workers import share, stop_word
from kernels.model import Outcome
from kernels.monitor import Monitor
from kernels.parameters import typed
from kernels.scoring import Mode
from kernels.steps import Steps
from kernels.trees.distances import cpu_identities, cpu_kmers
from kernels.trees.distances.columns import distances_of_rows
from kernels.trees.distances.identities import encoded, of_identities
from kernels.trees.distances.kmers import all_distances, sixmers
from kernels.trees.distances.pairing import Grouped, grouped
from kernels.trees.distances.problem import (
    AlignedProblem,
    DistanceAnswer,
    FullProblem,
    KtupleProblem,
    SixmerProblem,
    matrix_of,
)
from kernels.trees.distances.tuples import distances_of_chains, tuples
from kernels.trees.parameters import PairParameters

TILE_CELLS = 1 << 23
"""Cells of a tile of pairs that are aligned one after another, at least those of one row."""
MOST_ROWS = 64
FIRST_ROOM = 4096
"""Chains of k-tuples that there is room for at first."""


def distance_full(problem: FullProblem, parameters: Mapping[str, Any], monitor: Monitor, steps: Steps) -> Outcome:
    """1 - identities / the shorter length of the best alignment of each pair, as ClustalW has it."""
    times_ms = {"compilation": time_ms(partial(_compile_full, problem.mode == Mode.LOCAL)), "transfer": 0.0}
    clock = PhaseClock(times_ms)
    codes, numbers = encoded(problem)
    table = _padded(numbers)
    groups = grouped(codes, LANES, table.shape[0] - 1)
    identities = np.zeros((len(codes), len(codes)))
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
            for row in range(first, last):
                cpu_identities.count_identities(codes[groups.order[row]], others, scores, room, found, stop)
                _place(groups, identities, row, group, found)
            return (first, last), (group * LANES, min((group + 1) * LANES, len(codes)))

        return one

    threads, log = typed(PairParameters, parameters).threads, PhaseLog(steps, 1, clock.started_ns)
    _take_in_turns(cells, work, threads, stop, monitor, log)
    values = of_identities(identities, problem)
    clock.phase("alignments")
    return _outcome(problem, values, times_ms, "full distances")


def _tiles(groups: Grouped) -> Iterator[tuple[int, int, int]]:
    """A group of columns, and some rows, first and last, that are no longer than they: those before its end."""
    taxa = groups.order.size
    for group, letters in enumerate(groups.letters):
        end = min(LANES * (group + 1), taxa)
        several = max(1, min(MOST_ROWS, TILE_CELLS // (letters.size * max(int(groups.lengths[end - 1]), 1))))
        for first in range(0, end, several):
            yield group, first, min(first + several, end)


def distance_6mer(problem: SixmerProblem, parameters: Mapping[str, Any], monitor: Monitor, steps: Steps) -> Outcome:
    """MAFFT's distance of shared 6-mers; see `kmers.distances_of_kmers`."""
    times_ms = {"compilation": time_ms(_compile_kmers), "transfer": 0.0}
    clock = PhaseClock(times_ms)
    kmers, taxa = sixmers(problem.sequences, problem.protein), len(problem.sequences)
    counts, common = cpu_kmers.Counts(kmers.kmers, kmers.counts, kmers.starts, kmers.bins), np.zeros((taxa, taxa))

    def work() -> Callable[[int], Chunk]:
        def one(row: int) -> Chunk:
            cpu_kmers.common_kmers(counts, row, np.array([row + 1, taxa]), common[row, row + 1 :])
            return (row, row + 1), (row + 1, taxa)

        return one

    weights = [int(kmers.starts[-1] - kmers.starts[row + 1]) + 1 for row in range(taxa)]
    threads, log = typed(PairParameters, parameters).threads, PhaseLog(steps, 1, clock.started_ns)
    _take_in_turns(weights, work, threads, stop_word(), monitor, log)
    values = all_distances(kmers, common)
    clock.phase("words")
    return _outcome(problem, values, times_ms, "6-mer distances")


def distance_ktuple(problem: KtupleProblem, parameters: Mapping[str, Any], monitor: Monitor, steps: Steps) -> Outcome:
    """ClustalW's fast distance: 1 - the score of the best chain of k-tuples / the shorter length."""
    times_ms = {"compilation": time_ms(_compile_ktuple), "transfer": 0.0}
    clock = PhaseClock(times_ms)
    taxa, found = len(problem.sequences), tuples(problem)
    lengths = [len(sequence) for sequence in problem.sequences]
    others = cpu_kmers.Others(found.kmers, found.starts)
    places = [
        cpu_kmers.Places(starts, found.places[first:last], length)
        for starts, (first, last), length in zip(
            found.kmer_starts, pairwise(found.starts.tolist()), lengths, strict=True
        )
    ]
    rule = cpu_kmers.Rule(problem.ktuple, problem.diagonals, problem.window, problem.word_gap)
    scores, longest, stop = np.zeros((taxa, taxa)), max(lengths), stop_word()

    def work() -> Callable[[int], Chunk]:
        marked, counts = np.empty(2 * longest + 2, np.int32), np.empty(4 * longest + 4, np.int32)
        room = cpu_kmers.Room(marked, counts, np.empty((3, FIRST_ROOM), np.int32))

        def one(column: int) -> Chunk:
            nonlocal room
            row = 0
            while row < column and not stop[0]:
                row = cpu_kmers.ktuple_scores(others, row, column, places[column], rule, room, scores, stop)
                if row < column:
                    room = room._replace(chains=np.empty((3, 2 * room.chains.shape[1]), np.int32))
            return (0, column), (column, column + 1)

        return one

    weights = [lengths[column] * (column + 1) for column in range(taxa)]
    threads, log = typed(PairParameters, parameters).threads, PhaseLog(steps, 1, clock.started_ns)
    _take_in_turns(weights, work, threads, stop, monitor, log)
    values = distances_of_chains(problem, scores)
    clock.phase("words")
    return _outcome(problem, values, times_ms, "k-tuple distances")


def distance_alignment(
    problem: AlignedProblem, parameters: Mapping[str, Any], monitor: Monitor, steps: Steps
) -> Outcome:
    """Distances between the rows of an alignment; see `columns.distances_of_rows`."""
    from kernels.io.distance_matrix import checked

    times_ms = {"compilation": 0.0, "transfer": 0.0}
    clock, rows = PhaseClock(times_ms), len(problem.alignment.names)
    log, begun_ns = PhaseLog(steps, 1, clock.started_ns), [clock.started_ns]

    def report(row: int) -> None:
        log.add(0, (row, row + 1), (row + 1, rows), 0, begun_ns[0])
        monitor.update(row + 1, rows, "columns")
        begun_ns[0] = time.perf_counter_ns()

    monitor.update(0, rows, "columns")
    values, without = distances_of_rows(problem.alignment, problem.model, report)
    monitor.update(rows, rows, "columns")
    clock.phase("columns")
    answer = DistanceAnswer(checked(problem.alignment.names, values, problem.alignment.name), without)
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


def _place(groups: Grouped, identities: np.ndarray, row: int, group: int, found: np.ndarray) -> None:
    """Write the counts of a row with the sequences of a group that come after it, above or below the diagonal."""
    first, end = group * LANES, min((group + 1) * LANES, groups.order.size)
    after = max(first, row + 1)
    identities[groups.order[row], groups.order[after:end]] = found[after - first : end - first]


Chunk = tuple[tuple[int, int], tuple[int, int]]
"""Rows and columns of the pairs of a task."""


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
    others = cpu_identities.Lanes(np.zeros(LANES, np.int32), np.ones(LANES, np.int32))
    scores = cpu_identities.Scores(np.zeros(2 * LANES, np.int32), np.zeros(2, np.int64), local)
    room = cpu_identities.Room(np.empty(4 * LANES, np.int32), np.empty(LANES * LANES, np.int32))
    cpu_identities.count_identities(np.zeros(1, np.uint8), others, scores, room, np.empty(LANES, np.int32), stop_word())


@cache
def _compile_kmers() -> None:
    one, two = np.zeros(1, np.int32), np.array([0, 1, 1])
    cpu_kmers.common_kmers(cpu_kmers.Counts(one, one, two, 1), 0, np.array([1, 2]), np.zeros(1))


@cache
def _compile_ktuple() -> None:
    kmer, room = np.zeros(1, np.int32), (np.zeros(4, np.int32), np.zeros(8, np.int32), np.zeros((3, 4), np.int32))
    others, column = cpu_kmers.Others(kmer, np.array([0, 1])), cpu_kmers.Places(np.array([0, 1], np.int32), kmer, 1)
    rule, scores = cpu_kmers.Rule(1, 1, 1, 1), np.zeros((1, 1))
    cpu_kmers.ktuple_scores(others, 0, 0, column, rule, cpu_kmers.Room(*room), scores, stop_word())
