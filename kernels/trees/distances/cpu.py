"""Distances between all pairs on the CPU: tiles of the matrix are independent tasks, which threads take in turns."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from antidiag.kernels.cpu.cpu_run import CpuRun, LoggedCells
from antidiag.kernels.cpu.simd import LANES, SHORT_LANES
from antidiag.kernels.cpu.workers import make_stop_word
from antidiag.kernels.io.aligned_sequences import AlignedSequences
from antidiag.kernels.model import Outcome, SequenceType, sequence_lengths
from antidiag.kernels.monitor import Monitor
from antidiag.kernels.scoring import Mode
from antidiag.kernels.steps import StepLog
from antidiag.kernels.trees.distances import pair_strips
from antidiag.kernels.trees.distances.aligned_pairs import cpu_identities
from antidiag.kernels.trees.distances.aligned_pairs.encoding import encode_sequences, separate_ambiguous_letters
from antidiag.kernels.trees.distances.alignment_columns import cpu_columns
from antidiag.kernels.trees.distances.alignment_columns.column_distances import make_alignment_model
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
    run = CpuRun(monitor, steps, parameters.threads)
    return _make_outcome(problem, _compute_identities(problem, run), run, "full distances")


def distance_full_strip(
    problem: FullProblem, parameters: PairParameters, numbers: Mapping[str, int], monitor: Monitor
) -> np.ndarray:
    """Compute a strip of the pairs of sequences by ascending length; see `pair_strips`."""
    first, last = pair_strips.strip_borders(numbers)
    run = CpuRun(monitor, StepLog(), parameters.threads)
    values = _compute_identities(pair_strips.first_sequences(problem, last), run, first)
    return np.triu(values, 1)[:, first:]


def _compute_identities(problem: FullProblem, run: CpuRun, first_column: int = 0) -> np.ndarray:
    """Return the distances of all pairs, float64 (n, n).

    With ``first_column``, a multiple of the lanes, only those of columns from there on, of sequences by length.
    """
    run.compile_once(_compile_full, problem.mode == Mode.LOCAL)
    with run.phase("alignments"):
        encoded, ends = encode_sequences(problem), np.cumsum(sequence_lengths(problem.sequences))
        codes = np.split(encoded.codes, ends[:-1])
        column_codes, column_scores = separate_ambiguous_letters(encoded)
        table = _pad_scores(column_scores)
        groups = group_by_length(np.split(column_codes, ends[:-1]), LANES, table.shape[0] - 1)
        starts = np.concatenate([[0], np.cumsum(groups.lengths)])
        letters = np.concatenate([codes[number] for number in groups.order])
    rows = cpu_identities.IdentityRows(letters, starts, groups.order)
    values = np.zeros((len(codes), len(codes)))
    costs = np.array([problem.scoring.open, problem.scoring.extend], np.int64)
    scores = cpu_identities.LetterScores(table.ravel(), costs, problem.mode == Mode.LOCAL)
    rooms = [
        cpu_identities.IdentityBuffers(
            np.empty(4 * LANES * int(groups.lengths[-1]), np.int32), np.empty(table.shape[1] * LANES, np.int32)
        )
        for _ in range(run.threads)
    ]
    found = np.empty((run.threads, LANES), np.int32)

    def compute(worker: int, tile: PairTile) -> None:
        group, first, last = tile
        others = cpu_identities.LaneSequences(groups.letters[group], groups.lane_lengths[group])
        cpu_identities.distances_of_rows(
            rows, first, last, group, others, scores, rooms[worker], found[worker], values, run.stop
        )

    tasks = _list_tile_tasks(groups, LANES, compute)
    _share_pairs(run, "alignments", [task for task in tasks if task.columns[0] >= first_column])
    return values


PairTile = tuple[int, int, int]
"""A group of columns, and the first and last of some rows that are no longer than they."""


def _list_tile_tasks(groups: LengthGroups, lanes: int, compute: Callable[[int, PairTile], None]) -> list[DistanceTask]:
    """Return a task for every tile of pairs of grouped sequences; the columns of group g begin with g x ``lanes``."""
    tasks, taxa = [], groups.order.size
    for group, letters in enumerate(groups.letters):
        columns = group * lanes, min((group + 1) * lanes, taxa)
        several = max(1, min(MOST_ROWS, TILE_CELLS // max(letters.size * int(groups.lengths[columns[1] - 1]), 1)))
        for first in range(0, columns[1], several):
            rows = first, min(first + several, columns[1])
            cells = int(groups.lengths[slice(*rows)].sum()) * letters.size
            tasks.append(DistanceTask(compute, (group, *rows), cells + 1, rows, columns))
    return tasks


def distance_6mer(problem: SixmerProblem, parameters: PairParameters, monitor: Monitor, steps: StepLog) -> Outcome:
    """Compute MAFFT's distance of shared 6-mers; see `cpu_kmers.kmer_distance`."""
    run, taxa = CpuRun(monitor, steps, parameters.threads), len(problem.sequences)
    run.compile_once(_compile_kmers)
    with run.phase("words"):
        kmers = count_sixmers(problem.sequences, problem.is_protein, monitor.check)
        words, sizes = cpu_kmers.find_owners(kmers), cpu_kmers.kmer_totals(kmers)
    values, common = np.zeros((taxa, taxa)), np.empty((run.threads, taxa), np.int32)

    def compute(worker: int, rows: Span) -> None:
        cpu_kmers.distances_of_rows(words, sizes, *rows, common[worker], values, run.stop)

    def count_work(first: int) -> int:
        return taxa - first + int(kmers.starts[-1] - kmers.starts[first]) // 4

    _share_pairs(run, "words", _list_row_tasks(taxa, cpu_kmers.ROWS, compute, count_work))
    return _make_outcome(problem, values, run, "6-mer distances")


def distance_ktuple(problem: KtupleProblem, parameters: PairParameters, monitor: Monitor, steps: StepLog) -> Outcome:
    """Compute ClustalW's fast distance: 1 - the score of the best chain of k-tuples / the shorter length."""
    run = CpuRun(monitor, steps, parameters.threads)
    run.compile_once(_compile_ktuple)
    values = np.zeros((len(problem.sequences),) * 2)
    lengths = sequence_lengths(problem.sequences)
    rule = cpu_single_chains.ChainRule(problem.ktuple, problem.diagonals, problem.window, problem.word_gap)
    is_short, tasks = find_short_sequences(problem, lengths), []
    with run.phase("words"):
        if is_short.any():
            kmers = list_kmers(problem, monitor.check)
            tasks += _short_pairs(run, kmers, lengths, np.flatnonzero(is_short), rule, values)
        if not is_short.all():
            tasks += _long_pairs(run, list_ktuples(problem, monitor.check), lengths, is_short, rule, values)
    _share_pairs(run, "words", tasks)
    return _make_outcome(problem, values, run, "k-tuple distances")


def _short_pairs(
    run: CpuRun,
    kmers: list[np.ndarray],
    lengths: np.ndarray,
    chosen: np.ndarray,
    rule: cpu_single_chains.ChainRule,
    values: np.ndarray,
) -> list[DistanceTask]:
    """Return the tasks of pairs of the ``chosen`` sequences, one of them with 32 others at a time."""
    codes = [kmers[number].astype(np.int16) for number in chosen]
    groups = group_by_length(codes, SHORT_LANES, cpu_lane_chains.PADDING)
    letters = [np.where(block < 0, cpu_lane_chains.PADDING, block).astype(np.int16) for block in groups.letters]
    order, starts = chosen[groups.order], np.concatenate([[0], np.cumsum(groups.lengths)])
    rows = cpu_lane_chains.ChainRows(
        np.concatenate([codes[one] for one in groups.order]), starts, lengths[order], order
    )
    rooms = [cpu_lane_chains.make_buffers(int(rows.lengths.max()), rule.k) for _ in range(run.threads)]
    found = np.empty((run.threads, SHORT_LANES), np.int16)

    def compute(worker: int, tile: PairTile) -> None:
        group, first, last = tile
        cpu_lane_chains.distances_of_rows(
            rows, first, last, group, letters[group], rule, rooms[worker], found[worker], values, run.stop
        )

    return _list_tile_tasks(groups, SHORT_LANES, compute)


def _long_pairs(
    run: CpuRun,
    ktuples: KtupleArrays,
    lengths: np.ndarray,
    is_short: np.ndarray,
    rule: cpu_single_chains.ChainRule,
    values: np.ndarray,
) -> list[DistanceTask]:
    """Return the tasks of pairs that are not both short, one after another: a column of the matrix is a task."""
    others = cpu_single_chains.KmerSequences(ktuples.kmers, ktuples.starts, lengths)
    long_before = np.cumsum(lengths * ~is_short) - lengths * ~is_short
    letters = np.where(is_short, long_before, np.cumsum(lengths) - lengths)
    rooms = [cpu_single_chains.make_buffers(int(lengths.max()), rule.k) for _ in range(run.threads)]

    def compute(worker: int, column: int) -> None:
        own = ktuples.places[ktuples.starts[column] : ktuples.starts[column + 1]]
        places = cpu_single_chains.KmerPlaces(ktuples.kmer_starts[column], own, int(lengths[column]))
        cpu_single_chains.ktuple_distances(others, column, places, is_short, rule, rooms[worker], values, run.stop)

    columns = np.flatnonzero(~is_short | (long_before > 0))[::-1].tolist()
    return [
        DistanceTask(compute, column, int(lengths[column] * letters[column]) + 1, (0, column), (column, column + 1))
        for column in columns
    ]


def distance_alignment(
    problem: AlignedProblem, parameters: PairParameters, monitor: Monitor, steps: StepLog
) -> Outcome:
    """Compute distances between the rows of an alignment; see `column_distances.distances_of_columns`."""
    run, count = CpuRun(monitor, steps, parameters.threads), len(problem.alignment.names)
    values = np.zeros((count, count))
    without = fill_column_distances(problem.alignment, problem.model, values, run)
    answer = DistanceAnswer(symmetric_matrix(problem.alignment.names, values, problem.alignment.name), without)
    return Outcome(answer, run.times_ms, values.nbytes)


def fill_column_distances(alignment: AlignedSequences, model: str, values: np.ndarray, run: CpuRun) -> int:
    """Compute the distances between all rows of an alignment into the first columns of an array, float32 or float64.

    Returns the number of pairs with a stated distance. The phase of the run is "columns".
    """
    rows = len(alignment.names)
    run.compile_once(_compile_columns, values.dtype.char, alignment.type == SequenceType.PROTEIN)
    with run.phase("columns"):
        packed = cpu_columns.pack_letters(alignment, check=run.monitor.check)
        chosen = make_alignment_model(model, alignment)
    without = np.zeros(run.threads, np.int64)

    def compute(worker: int, span: Span) -> None:
        without[worker] += cpu_columns.distances_of_group(
            packed, rows, span[0] // cpu_columns.GROUP, chosen, values, run.stop
        )

    _share_pairs(run, "columns", _list_row_tasks(rows, cpu_columns.GROUP, compute, lambda first: rows - first))
    return int(without.sum())


def _pad_scores(scores: np.ndarray) -> np.ndarray:
    """Return a row of scores for each letter of a column, and one for no letter, in whole vectors.

    No letter scores so little that no path goes through it.
    """
    letters = scores.shape[1]
    table = np.full((len(scores) + 1, -(-(letters + 1) // LANES) * LANES), NO_LETTER, np.int32)
    table[:-1, :letters] = scores
    return table


NO_LETTER = -(2**29)


Span = tuple[int, int]
"""The first of some rows or columns, and the end."""


class DistanceTask(NamedTuple):
    """A call ``compute(worker, tile)`` with some work, and the rows and columns of the pairs that it computes."""

    compute: Callable[[int, Any], None]
    tile: Any
    work: int
    rows: Span
    columns: Span


def _list_row_tasks(
    taxa: int, several: int, compute: Callable[[int, Span], None], count_work: Callable[[int], int]
) -> list[DistanceTask]:
    """Return tasks that compute ``several`` rows each, with all taxa after them; work depends on the first row."""
    spans = [(first, min(first + several, taxa)) for first in range(0, taxa, several)]
    return [DistanceTask(compute, rows, count_work(rows[0]), rows, (rows[0], taxa)) for rows in spans]


def _share_pairs(run: CpuRun, name: str, tasks: Sequence[DistanceTask]) -> None:
    """Compute all tasks on the threads of a run; their numbers are the strips of the step log."""
    sizes = [task.work for task in tasks]
    with run.phase(name, total=sum(sizes)) as phase:
        phase.share_tasks(
            range(len(tasks)),
            lambda worker, number: tasks[number].compute(worker, tasks[number].tile),
            lambda number: LoggedCells(tasks[number].rows, tasks[number].columns, number),
            sizes=sizes,
        )


def _make_outcome(problem: Any, values: np.ndarray, run: CpuRun, name: str) -> Outcome:
    """Return the outcome of a distance matrix."""
    return Outcome(DistanceAnswer(problem_matrix(problem, values, name)), run.times_ms, values.nbytes)


def _compile_full(local: bool) -> None:
    """Compile full distances, or load them from the cache, by a call with one letter."""
    rows = cpu_identities.IdentityRows(np.zeros(1, np.uint8), np.array([0, 1]), np.zeros(1, np.int64))
    others = cpu_identities.LaneSequences(np.zeros(LANES, np.int32), np.ones(LANES, np.int32))
    scores = cpu_identities.LetterScores(np.zeros(2 * LANES, np.int32), np.zeros(2, np.int64), local)
    room = cpu_identities.IdentityBuffers(np.empty(4 * LANES, np.int32), np.empty(LANES * LANES, np.int32))
    found, values = np.empty(LANES, np.int32), np.zeros((1, 1))
    cpu_identities.distances_of_rows(rows, 0, 1, 0, others, scores, room, found, values, make_stop_word())


def _compile_kmers() -> None:
    """Compile 6-mer distances."""
    word = np.zeros(1, np.int32)
    kmers = KmerCounts(word, word, np.array([0, 1]), np.ones(1), np.ones(1), 1, True)
    words, sizes = cpu_kmers.find_owners(kmers), cpu_kmers.kmer_totals(kmers)
    cpu_kmers.distances_of_rows(words, sizes, 0, 1, np.zeros(1, np.int32), np.zeros((1, 1)), make_stop_word())


def _compile_ktuple() -> None:
    """Compile k-tuple distances."""
    word = np.zeros(1, np.int32)
    ends = np.array([0, 1])
    values = np.zeros((1, 1))
    rule = cpu_single_chains.ChainRule(1, 1, 1, 1)
    one, stop = np.ones(1, np.int64), make_stop_word()
    others = cpu_single_chains.KmerSequences(word, ends, one)
    column = cpu_single_chains.KmerPlaces(ends.astype(np.int32), word, 1)
    none = np.zeros(1, bool)
    cpu_single_chains.ktuple_distances(
        others, 0, column, none, rule, cpu_single_chains.make_buffers(1, 1), values, stop
    )
    lanes = np.zeros(SHORT_LANES, np.int16)
    rows = cpu_lane_chains.ChainRows(lanes[:1], ends, one, np.zeros(1, np.int64))
    room = cpu_lane_chains.make_buffers(1, 1)
    cpu_lane_chains.distances_of_rows(rows, 0, 1, 0, lanes, rule, room, lanes.copy(), values, stop)


def _compile_columns(value_type: str, is_protein: bool) -> None:
    """Compile alignment distances."""
    kind = SequenceType.PROTEIN if is_protein else SequenceType.DNA
    alignment = AlignedSequences(("a",), np.full((1, 1), ord("A"), np.uint8), kind)
    packed, chosen = cpu_columns.pack_letters(alignment), make_alignment_model("p", alignment)
    cpu_columns.distances_of_group(packed, 1, 0, chosen, np.zeros((1, 1), value_type), make_stop_word())
