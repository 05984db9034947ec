"""What all backends of a search share: opening the database, keeping the best hits, aligning them, and the answer.

A backend calls `open_search`, then `collect_hits` with its scorer inside its phase "scores", and at last
`finish_search`. What was found is saved between blocks, so that an interrupted search goes on with the next block.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import numpy as np

from antidiag.kernels.cpu.cpu_run import CpuPhase, CpuRun
from antidiag.kernels.model import Outcome
from antidiag.kernels.monitor import Monitor
from antidiag.kernels.pairwise.model import Alignment
from antidiag.kernels.pairwise.search import database as databases
from antidiag.kernels.pairwise.search import score_statistics
from antidiag.kernels.pairwise.search.answer import SCORE_BINS, SearchAnswer, join_alignments
from antidiag.kernels.pairwise.search.database import OpenedDatabase
from antidiag.kernels.pairwise.search.hit_aligner import HitAligner
from antidiag.kernels.pairwise.search.parameters import SearchParameters
from antidiag.kernels.pairwise.search.problem import SearchProblem
from antidiag.kernels.pairwise.search.score_blocks import (
    PADDING_SCORE,
    BlockScorer,
    BlockScores,
    DatabaseBlock,
    SearchQueries,
)
from antidiag.kernels.pairwise.search.score_statistics import ScoreParameters
from antidiag.kernels.pairwise.search.sizes import MOST_SCORES
from antidiag.kernels.scoring import Scoring
from antidiag.kernels.sequences.sequence_set import pack_sequences

SCORED_CODES = 27
"""Codes of letters, with '*'; greater ones have no score."""
UNSCORED = PADDING_SCORE
"""Score of letters that a matrix lacks, and that do not occur."""
FEW_LENGTHS = 16
"""Lengths whose least scores are looked for first; those of all others are near them."""
SHARED_LETTERS = 2**20
"""Letters of the database that are shuffled to fit the parameters of its scores."""
KEPT_FITS = 64
_fitted: dict[tuple[Scoring, str, int], ScoreParameters] = {}
"""Fitted parameters by scores, digest of the database and seed, so that a search that is repeated fits nothing."""


@dataclass
class FoundHits:
    """Hits of one query: sequences by their numbers in the sorted database, strands, and scores in engine units."""

    numbers: np.ndarray = field(default_factory=lambda: np.zeros(0, np.int64))
    strands: np.ndarray = field(default_factory=lambda: np.zeros(0, np.int8))
    scores: np.ndarray = field(default_factory=lambda: np.zeros(0, np.int32))

    def add(self, numbers: np.ndarray, strands: np.ndarray, scores: np.ndarray) -> None:
        """Add hits."""
        self.numbers, self.strands = np.append(self.numbers, numbers), np.append(self.strands, strands)
        self.scores = np.append(self.scores, scores)

    def keep_places(self, places: np.ndarray) -> None:
        """Keep the hits at these places, in this order."""
        self.numbers, self.strands, self.scores = self.numbers[places], self.strands[places], self.scores[places]


@dataclass
class SearchJob:
    """A search that is under way: its database, and the hits so far.

    It goes on with ``next_sequence`` and ends before ``end_sequence`` (None: at the end of the database). ``unsaved``
    are the hits since the last saved part, with the numbers of their queries.
    """

    problem: SearchProblem
    parameters: SearchParameters
    monitor: Monitor
    database: OpenedDatabase
    statistics: ScoreParameters | None
    hits: list[FoundHits]
    histogram: np.ndarray
    next_sequence: int = 0
    end_sequence: int | None = None
    unsaved: list[tuple[int, FoundHits]] = field(default_factory=list)
    saved_histogram: np.ndarray | None = None
    host_bytes: int = 0

    @property
    def queries(self) -> SearchQueries:
        """The searched queries and the costs."""
        return self.problem.encoded

    def hit_evalues(self, query: int) -> np.ndarray:
        """Return the E-values of the hits of a query so far, float64, by its number."""
        problem, hits = self.problem, self.hits[query]
        assert self.statistics is not None
        return self.statistics.evalues(
            hits.scores,
            len(problem.queries[query]),
            self.database.lengths[hits.numbers],
            problem.database.letter_count,
            problem.database.count,
        )

    def keep_best(self, query: int, count: int | None = None) -> np.ndarray:
        """Keep the best hits of a query, all by default, and return their E-values, float64.

        They are sorted by score, E-value, and place in the file of the database.
        """
        hits, evalues = self.hits[query], self.hit_evalues(query)
        keys = (self.database.order[hits.numbers], evalues, -hits.scores.astype(np.int64))
        places = np.lexsort(keys)[:count]
        hits.keep_places(places)
        return evalues[places]

    @property
    def cell_count(self) -> int:
        """Cells that are still to be computed."""
        letters = int(self.database.offsets[self._end] - self.database.offsets[self.next_sequence])
        return sum(query.size for query in self.queries.queries) * letters

    def blocks(self) -> Iterator[DatabaseBlock]:
        """Yield the blocks of the database that are left."""
        most = max(MOST_SCORES // max(self.problem.strand_count, 1), 1)
        return self.database.blocks(self.parameters.block, most, self.next_sequence, self._end)

    @property
    def _end(self) -> int:
        """The end of the sequences that are searched."""
        return self.problem.database.count if self.end_sequence is None else self.end_sequence


def open_search(
    problem: SearchProblem, parameters: SearchParameters, monitor: Monitor, opened: OpenedDatabase | None = None
) -> SearchJob:
    """Open the database, unless it is ``opened``, and take over what an interrupted search found.

    Raises InputError where the database changed since it was prepared.
    """
    opened = opened or databases.open_database(problem.database, monitor)
    queries = len(problem.queries)
    job = SearchJob(
        problem,
        parameters,
        monitor,
        opened,
        score_statistics.find_published(problem.scoring),
        [FoundHits() for _ in range(queries)],
        np.zeros((queries, SCORE_BINS), np.int64),
    )
    for part in monitor.store.parts(monitor.check) if monitor.store else ():
        job.next_sequence = int(part.facts["next"])
        job.histogram += part.arrays["histogram"]
        for number, hits in enumerate(job.hits):
            own = part.arrays["queries"] == number
            hits.add(*(part.arrays[name][own] for name in ("numbers", "strands", "scores")))
        job.saved_histogram = job.histogram.copy()
    return job


def collect_hits(job: SearchJob, score_blocks: BlockScorer, report: Callable[[int], None]) -> None:
    """Score the database block by block and keep the best hits.

    ``report(done)`` tells the cells that are done, of ``job.cell_count``; it raises Cancelled when the user cancelled.
    """
    if job.statistics is None:
        key = (job.problem.scoring, job.problem.database.digest, job.problem.shuffle_seed)
        if key not in _fitted:
            if len(_fitted) >= KEPT_FITS:
                _fitted.clear()
            _fitted[key] = fit_statistics(job, score_blocks)
        job.statistics = _fitted[key]
    done = 0

    def add_cells(cells: int) -> None:
        nonlocal done
        done += cells
        report(done)

    for found in score_blocks(job.queries, job.blocks(), add_cells):
        job.host_bytes = max(job.host_bytes, found.scores.nbytes + found.block.codes.nbytes)
        keep_hits(job, found)
        job.next_sequence = found.block.first + len(found.block)
        save_if_due(job)
    report(done)


def keep_hits(job: SearchJob, found: BlockScores) -> None:
    """Add the scores of a block to the distribution, and its hits to those of the queries."""
    problem, block = job.problem, found.block
    strands, lengths = len(problem.strands), np.diff(block.offsets)
    for number, query in enumerate(problem.queries):
        own = found.scores[number * strands : (number + 1) * strands]
        best, chosen = own.max(axis=0), own.argmax(axis=0).astype(np.int8)
        counts = np.bincount(np.minimum(best // problem.scoring.scale, SCORE_BINS - 1), minlength=SCORE_BINS)
        job.histogram[number] += counts
        passing = np.flatnonzero(best >= least_scores(job, len(query), lengths))
        hits, new = job.hits[number], (block.first + passing, chosen[passing], best[passing])
        hits.add(*new)
        if job.monitor.store:
            job.unsaved.append((number, FoundHits(*new)))
        if not problem.filters_alignments and hits.scores.size > 2 * problem.most_hits:
            job.keep_best(number, problem.most_hits)


def least_scores(job: SearchJob, query_length: int, lengths: np.ndarray) -> np.ndarray:
    """Return the least score with which a sequence of each length is a hit, in engine units, int64.

    It is at least 1, the least that a limit asks for, and the least whose E-value is allowed, which is found by
    bisection for every length that occurs.
    """
    problem, statistics = job.problem, job.statistics
    assert statistics is not None
    different, places = np.unique(lengths, return_inverse=True)
    database = problem.database

    def is_allowed(scores: np.ndarray, lengths: np.ndarray) -> np.ndarray:
        values = statistics.evalues(scores, query_length, lengths, database.letter_count, database.count)
        return values <= problem.max_evalue

    few = different[:: max(different.size // FEW_LENGTHS, 1)]
    known = _bisect_scores(lambda scores: is_allowed(scores, few), np.zeros_like(few), np.ones_like(few))
    around = max(int(known.max()) // 32, 2)
    low = np.full(different.size, max(int(known.min()) - around, 0), np.int64)
    high = np.full(different.size, int(known.max()) + around, np.int64)
    low[is_allowed(low, different)] = 0
    least = _bisect_scores(lambda scores: is_allowed(scores, different), low, high)
    wanted = int(np.ceil(problem.min_score * problem.scoring.scale))
    return np.maximum(least, max(wanted, 1))[places]


def _bisect_scores(is_allowed: Callable[[np.ndarray], np.ndarray], low: np.ndarray, high: np.ndarray) -> np.ndarray:
    """Return the least score above ``low`` that is allowed, for every element; ``high`` is doubled while it is not."""
    while not (allowed := is_allowed(high)).all() and high.max() < 2**30:
        low, high = np.where(allowed, low, high), np.where(allowed, high, 2 * high)
    while (high - low > 1).any():
        middle = (low + high) // 2
        allowed = is_allowed(middle)
        low, high = np.where(allowed, low, middle), np.where(allowed, middle, high)
    return high


def save_if_due(job: SearchJob) -> None:
    """Save what was found since the last part where the store asks for it."""
    store = job.monitor.store
    if store is None or not store.is_save_due:
        return
    before = np.zeros_like(job.histogram) if job.saved_histogram is None else job.saved_histogram
    found, job.unsaved, job.saved_histogram = job.unsaved, [], job.histogram.copy()
    arrays = {
        "histogram": job.histogram - before,
        "queries": _join([np.full(hits.scores.size, number) for number, hits in found], np.int32),
        "numbers": _join([hits.numbers for _, hits in found], np.int64),
        "strands": _join([hits.strands for _, hits in found], np.int8),
        "scores": _join([hits.scores for _, hits in found], np.int32),
    }
    store.save({"next": job.next_sequence}, arrays, job.next_sequence / max(job.database.order.size, 1))


def _join(parts: list[np.ndarray], kind: Any) -> np.ndarray:
    return np.concatenate(parts).astype(kind) if parts else np.zeros(0, kind)


def fit_statistics(job: SearchJob, score_blocks: BlockScorer) -> ScoreParameters:
    """Return parameters of the scores that are fitted to shuffled letters of the database."""
    problem, random = job.problem, np.random.default_rng(job.problem.shuffle_seed)
    letters = job.database.codes
    sample = letters[random.integers(0, letters.size, min(SHARED_LETTERS, letters.size))]
    scores = {}
    for length in score_statistics.LETTERS_OF_FIT:
        queries, subjects = score_statistics.shuffle_letters(sample, length, random)
        offsets = np.arange(subjects.shape[0] + 1, dtype=np.int64) * length
        codes = subjects.ravel()
        codes.setflags(write=False)
        shuffled = SearchQueries(tuple(queries), job.queries.table, job.queries.open, job.queries.extend)
        blocks: Iterable[DatabaseBlock] = [DatabaseBlock(codes, offsets, 0)]
        found = list(score_blocks(shuffled, blocks, lambda cells: job.monitor.check()))
        scores[length] = found[0].scores.ravel()
    pairs = sum(found.size for found in scores.values())
    origin = f"fitted to {pairs:,} pairs of shuffled sequences (seed {problem.shuffle_seed})"
    return score_statistics.fit_parameters(scores, origin)


def finish_search(job: SearchJob, run: CpuRun) -> Outcome:
    """Align the hits on the threads of a run, and return the outcome."""
    problem, evalues, paths = job.problem, [], []
    for number in range(len(job.hits)):
        job.monitor.check()
        evalues.append(job.keep_best(number, None if problem.filters_alignments else problem.most_hits))
    if problem.aligns_hits:
        with run.phase("alignments", sum(min(hits.scores.size, problem.most_hits) for hits in job.hits)) as phase:
            aligner = HitAligner(problem, job.database, run)
            done = 0
            for number, hits in enumerate(job.hits):
                report = partial(_report_more, phase, done)
                kept, aligned = aligner.align(number, hits.numbers, hits.strands, report)
                hits.keep_places(kept)
                evalues[number] = evalues[number][kept]
                paths += aligned
                done += hits.scores.size
            phase.report(phase.total)
    answer = make_answer(job, evalues, paths)
    assert job.statistics is not None
    notes = (f"E-values: {job.statistics.origin}.",) if job.statistics.is_fitted else ()
    return Outcome(answer, run.times_ms, job.host_bytes + answer.operations.nbytes, notes=notes)


def _report_more(phase: CpuPhase, before: int, count: int) -> None:
    """Report the hits of earlier queries and those of this one."""
    phase.report(before + count)


def make_answer(job: SearchJob, evalues: list[np.ndarray], paths: list[Alignment]) -> SearchAnswer:
    """Return the answer of the hits that were found, with bit scores and the E-values of the hits of each query."""
    problem, statistics = job.problem, job.statistics
    assert statistics is not None
    counts = [hits.scores.size for hits in job.hits]
    query = np.repeat(np.arange(len(counts), dtype=np.int32), counts)
    numbers, strands, scores = (
        np.concatenate([np.zeros(0, kind), *(getattr(hits, name) for hits in job.hits)]).astype(kind)
        for name, kind in (("numbers", np.int64), ("strands", np.int8), ("scores", np.int32))
    )
    different, subject = np.unique(numbers, return_inverse=True)
    return SearchAnswer(
        query,
        subject.astype(np.int32),
        np.array(problem.strands, bool)[strands],
        scores,
        statistics.bits(scores),
        np.concatenate([np.zeros(0), *evalues]),
        pack_sequences(job.database.take(different)),
        np.asarray(job.database.order)[different].astype(np.int64),
        job.histogram,
        statistics,
        **join_alignments(paths),
    )
