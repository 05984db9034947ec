"""A search on the CPU: sequences side by side in vector registers, 8 bits first, and wider where these overflow."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Any

import numpy as np

from antidiag.kernels.cpu.cpu_run import CpuPhase, CpuRun, LoggedCells
from antidiag.kernels.cpu.full_registers import lanes_of
from antidiag.kernels.model import Outcome
from antidiag.kernels.monitor import Monitor
from antidiag.kernels.pairwise.search import driver, shards
from antidiag.kernels.pairwise.search.cpu_sweep import COLUMNS, score_sequences
from antidiag.kernels.pairwise.search.parameters import SearchParameters
from antidiag.kernels.pairwise.search.problem import SearchProblem
from antidiag.kernels.pairwise.search.score_blocks import (
    BlockScores,
    DatabaseBlock,
    ReportCells,
    SearchQueries,
)
from antidiag.kernels.pairwise.search.sizes import LANE_TYPES, SEGMENT
from antidiag.kernels.steps import StepLog

LEAST_TASK, GREATEST_TASK, TASKS_A_THREAD = 2**24, 2**29, 16
"""Cells of a task: .3 to 8 ms, and fewer where a thread would have less than so many tasks to share evenly."""


def smith_waterman_search(
    problem: SearchProblem, parameters: SearchParameters, monitor: Monitor, steps: StepLog
) -> Outcome:
    """Return the best hits of every query in a database."""
    job = driver.open_search(problem, parameters, monitor)
    run = CpuRun(monitor, steps, parameters.threads)
    _score_database(job, run)
    return driver.finish_search(job, run)


def search_shard(
    problem: SearchProblem, parameters: SearchParameters, numbers: Mapping[str, int], monitor: Monitor
) -> Mapping[str, Any]:
    """Score a shard of the database and return its hits as `shards.pack_shard` packs them."""
    job = shards.open_shard(problem, parameters, numbers, monitor)
    _score_database(job, CpuRun(monitor, StepLog(), parameters.threads))
    return shards.pack_shard(job)


def _score_database(job: driver.SearchJob, run: CpuRun) -> None:
    """Score what is left of the database and keep the hits."""
    run.compile_once(compile_lanes, lane_types(job.queries))
    with run.phase("scores", job.cell_count) as phase:

        def score_blocks(
            queries: SearchQueries, blocks: Iterable[DatabaseBlock], report: ReportCells
        ) -> Iterator[BlockScores]:
            for block in blocks:
                yield BlockScores(block, score_block(phase, queries, block, report))

        driver.collect_hits(job, score_blocks, phase.report)


def lane_types(queries: SearchQueries) -> tuple[type[np.signedinteger], ...]:
    """Return the element types that hold the scores and costs of a search, the narrowest first."""
    scores = queries.table[: driver.SCORED_CODES, : driver.SCORED_CODES]
    used = np.unique(np.concatenate(queries.queries))
    own = scores[used[used < driver.SCORED_CODES]]
    own = own[own > driver.UNSCORED]
    least, most = int(own.min(initial=0)), max(int(own.max(initial=0)), queries.open + queries.extend)
    return tuple(kind for kind in LANE_TYPES if np.iinfo(kind).min <= least and most <= np.iinfo(kind).max)


@dataclass
class LaneScorer:
    """Scores sequences in lanes of one element type; a thread has one of its own, whose work space grows."""

    queries: SearchQueries
    kind: type[np.signedinteger]
    stop: np.ndarray
    work: tuple[np.ndarray, ...] = ()
    table: np.ndarray = field(init=False)

    def __post_init__(self) -> None:
        least = np.iinfo(self.kind).min
        self.table = np.maximum(self.queries.table, least).astype(self.kind).ravel()

    def score(
        self, codes: np.ndarray, starts: np.ndarray, ends: np.ndarray, numbers: Sequence[int], done: np.ndarray
    ) -> np.ndarray:
        """Return the scores of queries with sequences, int32 (queries, sequences).

        Scores that may have been cut off are negative. ``numbers`` are the queries, ``done`` counts cells.
        """
        queries = [self.queries.queries[number] for number in numbers]
        offsets = np.zeros(len(queries) + 1, np.int64)
        np.cumsum([query.size for query in queries], out=offsets[1:])
        longest = int((ends - starts).max(initial=1))
        scores = np.zeros((len(queries), starts.size), np.int32)
        score_sequences(
            (codes, starts, ends),
            (np.concatenate(queries), offsets),
            self.table,
            (self.queries.open + self.queries.extend, self.queries.extend),
            min(SEGMENT, max(query.size for query in queries)),
            self._prepare_work(longest, max(query.size for query in queries)),
            scores,
            done,
            self.stop,
        )
        if self.kind is not np.int32:
            scores[scores == int(np.iinfo(self.kind).max) - int(np.iinfo(self.kind).min)] = -1
        return scores

    def _prepare_work(self, longest: int, query: int) -> tuple[np.ndarray, ...]:
        """Return work space for sequences and queries of these lengths, kept for the next call."""
        lanes = lanes_of(self.kind)
        columns, segment = -(-longest // COLUMNS) * COLUMNS, min(SEGMENT, query)
        if not self.work or self.work[0].size < columns * lanes or self.work[2].size < 2 * segment * lanes:
            self.work = (
                np.empty(columns * lanes, np.uint8),
                np.empty(32 * COLUMNS * lanes, self.kind),
                np.empty(2 * segment * lanes, self.kind),
                np.empty(2 * columns * lanes, self.kind),
                np.empty(lanes, self.kind),
            )
        return self.work


def score_block(phase: CpuPhase, queries: SearchQueries, block: DatabaseBlock, report: ReportCells) -> np.ndarray:
    """Return the scores of a block, int32 (queries, sequences), shared by the threads of a run.

    All sequences are scored in the narrowest lanes; those that overflow are laid side by side again in wider ones.
    """
    run, kinds = phase.run, lane_types(queries)
    starts, ends, owners = cut_long_sequences(queries, block, run.threads)
    scores = np.zeros((len(queries.queries), starts.size), np.int32)
    done = [np.zeros(1, np.int64) for _ in range(run.threads)]
    reported = 0

    def report_new_cells() -> None:
        nonlocal reported
        total = sum(int(one[0]) for one in done)
        new, reported = total - reported, total
        report(new)

    for kind in kinds:
        scorers = [LaneScorer(queries, kind, run.stop) for _ in range(run.threads)]
        lanes, first_pass = lanes_of(kind), kind is kinds[0]
        every = make_tasks(queries, ends - starts, lanes, run.threads)
        tasks = list(every if first_pass else _overflow_tasks(scores, lanes))

        def compute(
            worker: int, task: LaneTask, scorers: list[LaneScorer] = scorers, counts: bool = first_pass
        ) -> None:
            counter = done[worker] if counts else np.zeros(1, np.int64)  # cells count once
            rows, pieces = slice(task.queries.start, task.queries.stop), task.pieces
            found = scorers[worker].score(block.codes, starts[pieces], ends[pieces], task.queries, counter)
            scores[rows, pieces] = found

        def describe(task: LaneTask) -> LoggedCells:
            longest = max(queries.queries[number].size for number in task.queries)
            lengths, begin = (ends - starts)[task.pieces], int(starts[task.pieces][0])
            return LoggedCells((0, longest), (begin, begin + int(lengths.sum())), block.first)

        if tasks:
            phase.share_tasks(tasks, compute, describe, report_new_cells)
    if owners is None:
        return scores
    return _best_of_pieces(scores, owners, len(block))


def _best_of_pieces(scores: np.ndarray, owners: np.ndarray, count: int) -> np.ndarray:
    """Return the best score of the pieces of each sequence, int32 (queries, count); ``owners`` are their sequences."""
    best = np.zeros((scores.shape[0], count), np.int32)
    for number, own in enumerate(scores):
        np.maximum.at(best[number], owners, own)
    return best


@dataclass(frozen=True)
class LaneTask:
    """Queries with sequences (or pieces of them) that are scored together; ``pieces`` indexes them."""

    queries: range
    pieces: Any


def _overflow_tasks(scores: np.ndarray, lanes: int) -> Iterator[LaneTask]:
    """Yield the sequences whose score was cut off, of one query after another, as many as there are lanes or fewer."""
    for number, own in enumerate(scores):
        over = np.flatnonzero(own < 0)
        for first in range(0, over.size, lanes):
            yield LaneTask(range(number, number + 1), over[first : first + lanes])


def make_tasks(queries: SearchQueries, lengths: np.ndarray, lanes: int, threads: int) -> Iterator[LaneTask]:
    """Yield tasks of about equal work: some queries with whole groups of sequences side by side."""
    sizes = [query.size for query in queries.queries]
    whole = int(sum(sizes))
    share = whole * int(lengths.sum()) // (TASKS_A_THREAD * threads)
    wanted = min(max(share, LEAST_TASK), GREATEST_TASK)
    first = 0
    while first < lengths.size:
        group = min(first + lanes, lengths.size)
        cells = int(lengths[first]) * lanes
        if cells * whole > wanted and len(sizes) > 1:
            parts = _split_queries(sizes, max(wanted // max(cells, 1), 1))
            yield from (LaneTask(range(at, until), slice(first, group)) for at, until in parts)
        else:
            per_group = max(cells * whole, 1)
            group = min(first + lanes * max(wanted // per_group, 1), lengths.size)
            yield LaneTask(range(len(sizes)), slice(first, group))
        first = group


def _split_queries(sizes: Sequence[int], most: int) -> Iterator[tuple[int, int]]:
    """Yield ranges of queries of at most so many letters, but of at least one query."""
    first = letters = 0
    for number, size in enumerate(sizes):
        if letters and letters + size > most:
            yield first, number
            first, letters = number, 0
        letters += size
    yield first, len(sizes)


def cut_long_sequences(
    queries: SearchQueries, block: DatabaseBlock, threads: int
) -> tuple[np.ndarray, np.ndarray, np.ndarray | None]:
    """Return starts and ends of what is laid side by side, the longest first, and the sequence of each piece.

    A sequence that is much longer than the others would leave most lanes idle. It is cut into pieces that overlap by
    more than the longest local alignment: one with m letters of a query scores at most m times the best score, so its
    gaps have fewer letters than that score over the cost of one. The score of the sequence is the best of its pieces.
    The third array is None where nothing is cut.
    """
    starts, ends = block.offsets[:-1].copy(), block.offsets[1:].copy()
    longest = max(query.size for query in queries.queries)
    best = max(int(queries.table[: driver.SCORED_CODES, : driver.SCORED_CODES].max()), 0)
    if not queries.extend:
        return starts, ends, None
    overlap = longest + longest * best // queries.extend + 1
    piece = max(overlap, block.letter_count // (2 * lanes_of(np.int8) * threads), 1)
    long = np.flatnonzero(ends - starts > 2 * piece)
    if not long.size:
        return starts, ends, None
    cut = [np.arange(starts[number], ends[number] - overlap, piece) for number in long.tolist()]
    owners = np.concatenate([np.repeat(long, [one.size for one in cut]), np.arange(long.size, len(block))])
    cut_ends = [np.minimum(one + piece + overlap, ends[number]) for one, number in zip(cut, long.tolist(), strict=True)]
    starts, ends = (
        np.concatenate([*pieces, whole[long.size :]]) for pieces, whole in ((cut, starts), (cut_ends, ends))
    )
    order = np.argsort(starts - ends, kind="stable")
    return starts[order], ends[order], owners[order]


@cache
def compile_lanes(kinds: tuple[type[np.signedinteger], ...]) -> None:
    """Compile the lanes of these types, or load them from the cache folder, by scoring a tiny pair."""
    queries = SearchQueries((np.zeros(1, np.uint8),), np.zeros((32, 32), np.int32), 0, 1)
    codes = np.zeros(1, np.uint8)
    codes.setflags(write=False)  # as those of databases are, whose compiled code is another
    for kind in kinds:
        scorer = LaneScorer(queries, kind, np.zeros(1, np.int64))
        scorer.score(codes, np.zeros(1, np.int64), np.ones(1, np.int64), [0], np.zeros(1, np.int64))
