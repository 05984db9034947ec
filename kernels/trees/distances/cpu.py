"""Distances between all pairs on the CPU: tiles of the matrix are independent tasks, which threads take in turns."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator
from functools import cache, partial
from itertools import count as counting
from typing import Any, NamedTuple

import numpy as np

from antidiag.kernels.cpu.compilation import compile_cancellably
from antidiag.kernels.cpu.phase_times import PhaseClock, PhaseLog
from antidiag.kernels.cpu.simd import LANES, SHORT_LANES
from antidiag.kernels.cpu.workers import make_stop_word, share_work
from antidiag.kernels.model import Outcome, SequenceType, sequence_lengths
from antidiag.kernels.monitor import Monitor
from antidiag.kernels.scoring import Mode
from antidiag.kernels.steps import StepLog
from antidiag.kernels.trees.distances.aligned_pairs import cpu_identities
from antidiag.kernels.trees.distances.aligned_pairs.encoding import encode_sequences
from antidiag.kernels.trees.distances.alignment_columns import cpu_columns
from antidiag.kernels.trees.distances.alignment_columns.column_distances import PairColumnCounts, distances_of_columns
from antidiag.kernels.trees.distances.length_groups import LengthGroups, group_by_length
from antidiag.kernels.trees.distances.problem import (
    AlignedProblem,
    DistanceAnswer,
    FullProblem,
    KtupleProblem,
    SixmerProblem,
    problem_matrix,
    symmetric_matrix,
)
from antidiag.kernels.trees.distances.shared_words import cpu_kmers
from antidiag.kernels.trees.distances.shared_words.kmers import KmerCounts, count_sixmers
from antidiag.kernels.trees.distances.word_chains import cpu_lane_chains, cpu_single_chains
from antidiag.kernels.trees.distances.word_chains.ktuples import (
    KtupleArrays,
    find_short_sequences,
    list_kmers,
    list_ktuples,
)
from antidiag.kernels.trees.parameters import PairParameters

TILE_CELLS = 1 << 23
"""Cells of a tile of pairs that are aligned one after another, at least those of one row."""
MOST_ROWS = 64


def distance_full(problem: FullProblem, parameters: PairParameters, monitor: Monitor, steps: StepLog) -> Outcome:
    """Compute 1 - identities / the shorter length of the best alignment of each pair, as ClustalW does."""
    times_ms = {
        "compilation": compile_cancellably(partial(_compile_full, problem.mode == Mode.LOCAL), monitor),
        "transfer": 0.0,
    }
    clock = PhaseClock(times_ms)
    together, numbers = encode_sequences(problem)
    codes = np.split(together, np.cumsum(sequence_lengths(problem.sequences))[:-1])
    table = _pad_scores(numbers)
    groups = group_by_length(codes, LANES, table.shape[0] - 1)
    starts = np.concatenate([[0], np.cumsum(groups.lengths)])
    rows = cpu_identities.IdentityRows(np.concatenate([codes[number] for number in groups.order]), starts, groups.order)
    values = np.zeros((len(codes), len(codes)))
    tiles = list(_pair_tiles(groups))
    cells = [int(groups.lengths[first:last].sum()) * groups.letters[group].size for group, first, last in tiles]
    costs = np.array([problem.scoring.open, problem.scoring.extend], np.int64)
    scores = cpu_identities.LetterScores(table.ravel(), costs, problem.mode == Mode.LOCAL)
    stop = make_stop_word()

    def make_worker() -> Callable[[int], PairRange]:
        state, found = np.empty(4 * LANES * int(groups.lengths[-1]), np.int32), np.empty(LANES, np.int32)
        room = cpu_identities.IdentityBuffers(state, np.empty(table.shape[1] * LANES, np.int32))

        def run_task(tile: int) -> PairRange:
            group, first, last = tiles[tile]
            others = cpu_identities.LaneSequences(groups.letters[group], groups.lane_lengths[group])
            cpu_identities.distances_of_rows(rows, first, last, group, others, scores, room, found, values, stop)
            return (first, last), (group * LANES, min((group + 1) * LANES, len(codes)))

        return run_task

    threads, log = parameters.threads, PhaseLog(steps, 1, clock.started_ns)
    _run_tasks(cells, make_worker, threads, stop, monitor, log)
    clock.end_phase("alignments")
    return _make_outcome(problem, values, times_ms, "full distances")


def _pair_tiles(groups: LengthGroups) -> Iterator[tuple[int, int, int]]:
    """Yield a group of columns, and the first and last of some rows that are no longer than they."""
    taxa, lanes = groups.order.size, groups.lane_lengths.shape[1]
    for group, letters in enumerate(groups.letters):
        end = min(lanes * (group + 1), taxa)
        several = max(1, min(MOST_ROWS, TILE_CELLS // max(letters.size * int(groups.lengths[end - 1]), 1)))
        for first in range(0, end, several):
            yield group, first, min(first + several, end)


def distance_6mer(problem: SixmerProblem, parameters: PairParameters, monitor: Monitor, steps: StepLog) -> Outcome:
    """Compute MAFFT's distance of shared 6-mers; see `cpu_kmers.kmer_distance`."""
    times_ms = {"compilation": compile_cancellably(_compile_kmers, monitor), "transfer": 0.0}
    clock, taxa, stop = PhaseClock(times_ms), len(problem.sequences), make_stop_word()
    kmers = count_sixmers(problem.sequences, problem.protein, monitor.check)
    words, sizes, values = cpu_kmers.find_owners(kmers), cpu_kmers.kmer_totals(kmers), np.zeros((taxa, taxa))
    firsts = range(0, taxa, cpu_kmers.ROWS)

    def make_worker() -> Callable[[int], PairRange]:
        common = np.empty(taxa, np.int32)

        def run_task(block: int) -> PairRange:
            first, last = firsts[block], min(firsts[block] + cpu_kmers.ROWS, taxa)
            cpu_kmers.distances_of_rows(words, sizes, first, last, common, values, stop)
            return (first, last), (first, taxa)

        return run_task

    weights = [(taxa - first) + int(kmers.starts[-1] - kmers.starts[first]) // 4 for first in firsts]
    threads, log = parameters.threads, PhaseLog(steps, 1, clock.started_ns)
    _run_tasks(weights, make_worker, threads, stop, monitor, log)
    clock.end_phase("words")
    return _make_outcome(problem, values, times_ms, "6-mer distances")


def distance_ktuple(problem: KtupleProblem, parameters: PairParameters, monitor: Monitor, steps: StepLog) -> Outcome:
    """Compute ClustalW's fast distance: 1 - the score of the best chain of k-tuples / the shorter length."""
    times_ms = {"compilation": compile_cancellably(_compile_ktuple, monitor), "transfer": 0.0}
    clock, values, stop = PhaseClock(times_ms), np.zeros((len(problem.sequences),) * 2), make_stop_word()
    lengths = np.array([len(sequence) for sequence in problem.sequences])
    rule = cpu_single_chains.ChainRule(problem.ktuple, problem.diagonals, problem.window, problem.word_gap)
    is_short = find_short_sequences(problem, lengths)
    parts: list[PairTasks] = []
    if is_short.any():
        kmers = list_kmers(problem, monitor.check)
        parts.append(_short_pairs(kmers, lengths, np.flatnonzero(is_short), rule, values, stop))
    if not is_short.all():
        parts.append(_long_pairs(list_ktuples(problem, monitor.check), lengths, is_short, rule, values, stop))

    def make_worker() -> Callable[[int], PairRange]:
        workers, first = [part.make_worker() for part in parts], len(parts[0].weights)
        return lambda task: workers[0](task) if task < first else workers[1](task - first)

    weights = [weight for part in parts for weight in part.weights]
    threads, log = parameters.threads, PhaseLog(steps, 1, clock.started_ns)
    _run_tasks(weights, make_worker, threads, stop, monitor, log)
    clock.end_phase("words")
    return _make_outcome(problem, values, times_ms, "k-tuple distances")


def _short_pairs(
    kmers: list[np.ndarray],
    lengths: np.ndarray,
    chosen: np.ndarray,
    rule: cpu_single_chains.ChainRule,
    values: np.ndarray,
    stop: np.ndarray,
) -> PairTasks:
    """Return the tasks of pairs of the ``chosen`` sequences, one of them with 32 others at a time."""
    codes = [kmers[number].astype(np.int16) for number in chosen]
    groups = group_by_length(codes, SHORT_LANES, cpu_lane_chains.PADDING)
    letters = [np.where(block < 0, cpu_lane_chains.PADDING, block).astype(np.int16) for block in groups.letters]
    order, starts = chosen[groups.order], np.concatenate([[0], np.cumsum(groups.lengths)])
    rows = cpu_lane_chains.ChainRows(
        np.concatenate([codes[one] for one in groups.order]), starts, lengths[order], order
    )
    tiles, taxa = list(_pair_tiles(groups)), chosen.size

    def make_worker() -> Callable[[int], PairRange]:
        room = cpu_lane_chains.make_buffers(int(rows.lengths.max()), rule.k)
        found = np.empty(SHORT_LANES, np.int16)

        def run_task(tile: int) -> PairRange:
            group, first, last = tiles[tile]
            cpu_lane_chains.distances_of_rows(rows, first, last, group, letters[group], rule, room, found, values, stop)
            return (first, last), (group * SHORT_LANES, min((group + 1) * SHORT_LANES, taxa))

        return run_task

    return PairTasks(
        [int(rows.lengths[first:last].sum()) * letters[group].size + 1 for group, first, last in tiles], make_worker
    )


def _long_pairs(
    ktuples: KtupleArrays,
    lengths: np.ndarray,
    is_short: np.ndarray,
    rule: cpu_single_chains.ChainRule,
    values: np.ndarray,
    stop: np.ndarray,
) -> PairTasks:
    """Return the tasks of pairs that are not both short, one after another: a column of the matrix is a task."""
    others = cpu_single_chains.KmerSequences(ktuples.kmers, ktuples.starts, lengths)
    long_before = np.cumsum(lengths * ~is_short) - lengths * ~is_short
    letters = np.where(is_short, long_before, np.cumsum(lengths) - lengths)
    columns = np.flatnonzero(~is_short | (long_before > 0))[::-1]

    def make_worker() -> Callable[[int], PairRange]:
        room = cpu_single_chains.make_buffers(int(lengths.max()), rule.k)

        def run_task(task: int) -> PairRange:
            column = int(columns[task])
            own = ktuples.places[ktuples.starts[column] : ktuples.starts[column + 1]]
            places = cpu_single_chains.KmerPlaces(ktuples.kmer_starts[column], own, int(lengths[column]))
            cpu_single_chains.ktuple_distances(others, column, places, is_short, rule, room, values, stop)
            return (0, column), (column, column + 1)

        return run_task

    return PairTasks((lengths * letters + 1)[columns].tolist(), make_worker)


def distance_alignment(
    problem: AlignedProblem, parameters: PairParameters, monitor: Monitor, steps: StepLog
) -> Outcome:
    """Compute distances between the rows of an alignment; see `column_distances.distances_of_columns`."""
    times_ms = {"compilation": compile_cancellably(_compile_columns, monitor), "transfer": 0.0}
    clock, rows, stop = PhaseClock(times_ms), len(problem.alignment.names), make_stop_word()
    bits = cpu_columns.pack_columns(problem.alignment, monitor.check)
    protein = problem.alignment.type == SequenceType.PROTEIN
    values, without = np.zeros((rows, rows)), np.zeros(rows, np.int64)
    firsts = range(0, rows, cpu_columns.ROWS)

    def make_worker() -> Callable[[int], PairRange]:
        counts = np.empty((3, cpu_columns.ROWS, rows), np.int32)

        def run_task(block: int) -> PairRange:
            first, last = firsts[block], min(firsts[block] + cpu_columns.ROWS, rows)
            cpu_columns.count_columns(bits, first, last, counts, stop)
            for row in range(first, last if not stop[0] else first):
                found, lost = distances_of_columns(
                    PairColumnCounts(*counts[:, row - first, row + 1 :]), problem.model, protein
                )
                values[row, row + 1 :] = found
                without[row] = lost.sum()
            values[last:, first:last] = values[first:last, last:].T
            values[first:last, first:last] += values[first:last, first:last].T
            return (first, last), (first, rows)

        return run_task

    threads, log = parameters.threads, PhaseLog(steps, 1, clock.started_ns)
    _run_tasks([rows - first for first in firsts], make_worker, threads, stop, monitor, log)
    clock.end_phase("columns")
    answer = DistanceAnswer(
        symmetric_matrix(problem.alignment.names, values, problem.alignment.name), int(without.sum())
    )
    return Outcome(answer, times_ms, values.nbytes)


def _pad_scores(scores: np.ndarray) -> np.ndarray:
    """Return a row of scores for each letter, and one for no letter, in whole vectors.

    No letter scores so little that no path goes through it.
    """
    letters = len(scores)
    table = np.full((letters + 1, -(-(letters + 1) // LANES) * LANES), NO_LETTER, np.int32)
    table[:-1, :letters] = scores
    return table


NO_LETTER = -(2**29)


PairRange = tuple[tuple[int, int], tuple[int, int]]
"""Rows and columns of the pairs of a task."""


class PairTasks(NamedTuple):
    """Weights of tasks, and a function that makes, for a thread, the function that runs one task."""

    weights: list[int]
    make_worker: Callable[[], Callable[[int], PairRange]]


def _run_tasks(
    weights: Iterable[int],
    make_worker: Callable[[], Callable[[int], PairRange]],
    threads: int,
    stop: np.ndarray,
    monitor: Monitor,
    log: PhaseLog,
) -> None:
    """Run tasks 0, 1, ... on threads; progress counts their weights."""
    sizes = np.array(list(weights), float)
    numbers, done = counting(), [0.0] * threads

    def run_worker(worker: int) -> None:
        run_task = make_worker()
        for task in numbers:
            if task >= sizes.size or stop[0]:
                return
            begun_ns = time.perf_counter_ns()
            log.add_event(task, *run_task(task), worker, begun_ns)
            done[worker] += sizes[task]

    total = max(sizes.sum(), 1)
    share_work(run_worker, threads, stop, lambda: monitor.update(int(1000 * sum(done) / total), 1000, "pairs"))


def _make_outcome(problem: Any, values: np.ndarray, times_ms: dict[str, float], name: str) -> Outcome:
    """Return the outcome of a distance matrix."""
    return Outcome(DistanceAnswer(problem_matrix(problem, values, name)), times_ms, values.nbytes)


@cache
def _compile_full(local: bool) -> None:
    """Compile full distances, or load them from the cache, by a call with one letter."""
    rows = cpu_identities.IdentityRows(np.zeros(1, np.uint8), np.array([0, 1]), np.zeros(1, np.int64))
    others = cpu_identities.LaneSequences(np.zeros(LANES, np.int32), np.ones(LANES, np.int32))
    scores = cpu_identities.LetterScores(np.zeros(2 * LANES, np.int32), np.zeros(2, np.int64), local)
    room = cpu_identities.IdentityBuffers(np.empty(4 * LANES, np.int32), np.empty(LANES * LANES, np.int32))
    found, values = np.empty(LANES, np.int32), np.zeros((1, 1))
    cpu_identities.distances_of_rows(rows, 0, 1, 0, others, scores, room, found, values, make_stop_word())


@cache
def _compile_kmers() -> None:
    """Compile 6-mer distances."""
    word = np.zeros(1, np.int32)
    kmers = KmerCounts(word, word, np.array([0, 1]), np.ones(1), np.ones(1), 1, True)
    words, sizes = cpu_kmers.find_owners(kmers), cpu_kmers.kmer_totals(kmers)
    cpu_kmers.distances_of_rows(words, sizes, 0, 1, np.zeros(1, np.int32), np.zeros((1, 1)), make_stop_word())


@cache
def _compile_ktuple() -> None:
    """Compile k-tuple distances."""
    word, ends, values, rule = (
        np.zeros(1, np.int32),
        np.array([0, 1]),
        np.zeros((1, 1)),
        cpu_single_chains.ChainRule(1, 1, 1, 1),
    )
    one, stop = np.ones(1, np.int64), make_stop_word()
    others, column = (
        cpu_single_chains.KmerSequences(word, ends, one),
        cpu_single_chains.KmerPlaces(ends.astype(np.int32), word, 1),
    )
    none = np.zeros(1, bool)
    cpu_single_chains.ktuple_distances(
        others, 0, column, none, rule, cpu_single_chains.make_buffers(1, 1), values, stop
    )
    lanes = np.zeros(SHORT_LANES, np.int16)
    rows, room = (
        cpu_lane_chains.ChainRows(lanes[:1], ends, one, np.zeros(1, np.int64)),
        cpu_lane_chains.make_buffers(1, 1),
    )
    cpu_lane_chains.distances_of_rows(rows, 0, 1, 0, lanes, rule, room, lanes.copy(), values, stop)


@cache
def _compile_columns() -> None:
    """Compile alignment distances."""
    bits = np.zeros((1, cpu_columns.PLANES, 1), np.uint64)
    cpu_columns.count_columns(bits, 0, 1, np.zeros((3, 1, 1), np.int32), make_stop_word())
