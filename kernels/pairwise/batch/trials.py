"""Test problems of batches: lengths around lanes and tiles, all modes, and the textbook's answer of every pair."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np

from antidiag.kernels.method import Method
from antidiag.kernels.model import Sequence, SequenceType
from antidiag.kernels.pairwise import reference
from antidiag.kernels.pairwise import trials as pair_trials
from antidiag.kernels.pairwise.batch.model import ALL, PAIRINGS, QUERIES, RECORDS, BatchAnswer, BatchProblem
from antidiag.kernels.pairwise.model import PairAnswer
from antidiag.kernels.scoring import NO_FREE_ENDS, FreeEnds, Mode, Scoring, Strand
from antidiag.kernels.trials import ProblemAndParameters, ProblemSymmetry, TrialChooser, Trials, draw_matrix

LENGTHS = (1, 2, 5, 15, 16, 17, 31, 32, 33, 40, 63, 64, 65)
LONGER = (95, 96, 127, 128, 129, 260)
COUNTS = (2, 4, 6)


def draw_batch(choose: TrialChooser, lengths: tuple[int, ...] = LENGTHS) -> BatchProblem:
    """Return pairs of random and related sequences over a few letters."""
    scoring = Scoring(draw_matrix(choose), *choose.choose_one(pair_trials.COSTS))
    alphabet, random = list(choose.choose_one(("A", "AB", "ABCD"))), choose.make_generator()
    mode, pairing, count = choose.choose_one(tuple(Mode)), choose.choose_one(PAIRINGS), choose.choose_one(COUNTS)
    ends = FreeEnds(*(choose.choose_one((False, True)) for _ in range(4))) if mode is Mode.CUSTOM else NO_FREE_ENDS
    base = random.choice(alphabet, max(lengths))
    letters = []
    for _ in range(count):
        size = choose.choose_one(lengths)
        own = random.choice(alphabet, size)
        letters.append(np.where(random.random(size) < choose.choose_one((0.0, 0.8, 0.95)), base[:size], own))
    queries = choose.draw_integer(1, count - 1) if pairing == QUERIES else 0
    rows, strand = ["".join(one) for one in letters], choose.choose_one(pair_trials.STRANDS)
    if strand is Strand.FORWARD:
        return make_batch(rows, scoring, mode, ends, pairing, queries)
    bases = [row.translate(pair_trials.AS_BASES) for row in rows]
    of_bases = pair_trials.score_bases(scoring)
    return make_batch(bases, of_bases, mode, ends, pairing, queries, SequenceType.DNA, strand)


def make_batch(
    letters: list[str],
    scoring: Scoring = pair_trials.DNA,
    mode: Mode = Mode.LOCAL,
    ends: FreeEnds = NO_FREE_ENDS,
    pairing: str = RECORDS,
    queries: int = 0,
    kind: SequenceType = SequenceType.PROTEIN,
    strand: Strand = Strand.FORWARD,
) -> BatchProblem:
    """Return the problem of these letters."""
    sequences = tuple(Sequence(f"s{number}", text.encode(), kind) for number, text in enumerate(letters))
    return BatchProblem(sequences, scoring, mode, ends, pairing, queries, "", strand)


@lru_cache(maxsize=32)
def align_by_textbook(problem: BatchProblem) -> list[PairAnswer]:
    """Return the best alignment of every pair by the tie rule."""
    return [reference.align_pair(problem.make_pair(number)) for number in range(problem.pair_count)]


def check_same_answers(problem: BatchProblem, found: BatchAnswer, expected: Any, method: Method) -> None:
    """Check every score, and every path where the method gives paths."""
    answers = expected if isinstance(expected, list) else None
    scores = [answer.score for answer in answers] if answers else expected.scores
    np.testing.assert_array_equal(found.scores, scores)
    if found.paths is None or (answers is None and expected.paths is None):
        return
    for number in range(problem.pair_count):
        own, other = found.pair_answer(number), answers[number] if answers else expected.pair_answer(number)
        assert own.end == other.end, f"pair {number} ends at {own.end}, not {other.end}"
        assert own.alignment is not None and other.alignment is not None
        assert own.alignment.start == other.alignment.start, f"the path of pair {number} starts elsewhere"
        np.testing.assert_array_equal(own.alignment.operations, other.alignment.operations)


def make_large_batch(method: Method, backend: str, size: int) -> ProblemAndParameters:
    """Return pairs whose letters and numbers are what takes memory."""
    return _make_random_batch(64 * size, 64), {"threads": 1} if backend == "cpu" else {}


def make_long_batch(method: Method, backend: str, size: int) -> ProblemAndParameters:
    """Return pairs that take long."""
    return _make_random_batch(8 * size, 400), {"threads": 1} if backend == "cpu" else {}


@lru_cache(maxsize=4)
def _make_random_batch(count: int, length: int) -> BatchProblem:
    random = np.random.default_rng(1)
    letters = np.frombuffer(b"ACGT", np.uint8)
    texts = [random.choice(letters, length).tobytes().decode() for _ in range(2 * count)]
    made = make_batch(texts, mode=Mode.GLOBAL, kind=SequenceType.DNA)
    made.encoded  # noqa: B018 - as where the problem is built from what the user opened
    return made


def reverse_order(problem: BatchProblem) -> BatchProblem | None:
    """Return the problem of every two sequences in the opposite order, where the scores allow it."""
    if problem.pairing != ALL or problem.mode not in (Mode.LOCAL, Mode.GLOBAL, Mode.OVERLAP):
        return None
    if problem.strand is not Strand.FORWARD:
        return None
    if not np.array_equal(problem.scoring.matrix.values, problem.scoring.matrix.values.T):
        return None
    return BatchProblem(problem.sequences[::-1], problem.scoring, problem.mode, problem.chosen_ends, ALL, 0)


def _check_reversed(problem: BatchProblem, found: BatchAnswer, changed: BatchAnswer, method: Method) -> None:
    """Check that the scores are the same; the pairs come in another order."""
    np.testing.assert_array_equal(np.sort(found.scores), np.sort(changed.scores))


TRIALS = Trials(
    draw_problem=draw_batch,
    solve_by_textbook=align_by_textbook,
    assert_same_answer=check_same_answers,
    make_large_problem=make_large_batch,
    make_long_problem=make_long_batch,
    draw_larger_problem=lambda choose: draw_batch(choose, LENGTHS + LONGER),
    symmetries=(ProblemSymmetry("sequences in the opposite order", reverse_order, _check_reversed),),
    phases_without_steps=lambda method, backend: frozenset({"sorting"}),
    unread_suffixes=frozenset({".txt", ".tsv", ".csv", ".paf", ".sam", ".blast", ".jsonl"}),
)
