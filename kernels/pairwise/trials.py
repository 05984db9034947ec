"""Test problems of the pair methods: lengths around all borders, the textbook, exchanged sequences."""

from __future__ import annotations

from collections.abc import Sequence as Sequences
from dataclasses import replace
from functools import lru_cache
from typing import Any

import numpy as np

from antidiag.kernels.method import Method
from antidiag.kernels.model import Result, Sequence, SequenceType
from antidiag.kernels.pairwise import reference
from antidiag.kernels.pairwise.model import PairAnswer, PairProblem
from antidiag.kernels.scoring import NO_FREE_ENDS, FreeEnds, Mode, Scoring, Strand, SubstitutionMatrix, match_mismatch
from antidiag.kernels.trials import (
    ProblemAndParameters,
    ProblemSymmetry,
    TrialChooser,
    Trials,
    draw_length,
    draw_matrix,
)

BORDERS = [border + offset for border in (0, 16, 32, 64, 96, 128) for offset in (-1, 0, 1, 2) if border + offset > 0]
"""Lengths around lane, strip and batch borders."""
LONGEST, LONGER = 130, 400
COSTS = ((5, 2), (3, 1), (0, 2), (0, 1), (1, 0), (0, 0), (10, 1), (400, 3))
TWO_PIECE_COSTS = (
    (4, 2, 24, 1),
    (0, 4, 3, 1),
    (2, 3, 5, 0),
    (1, 2, 2, 1),
    (6, 2, 9, 1),
    (0, 5, 1, 4),
    (400, 9, 430, 1),
)
"""Gap costs of two pieces; the second ones are the cheaper from short lengths on, so that both occur."""
BATCH_ON_GPU = {32: 8, 96: 24, 192: 48}
"""T for each s on a GPU, where both are compile-time constants: a third fewer kernels are compiled."""
UNEVEN_COLUMNS = 5
"""Columns beyond whole warps of a strip that a block computes."""

STRANDS = (Strand.FORWARD, Strand.FORWARD, Strand.FORWARD, Strand.REVERSE, Strand.BOTH)
"""Strands of drawn problems; the forward one is drawn most often."""
AS_BASES = str.maketrans("ABCD", "ACGT")

DNA = Scoring(match_mismatch(2, -3), 5, 2)
NARROW = 16
"""Letters of the shorter sequence where memory is that of the longer one."""
MANY_THREADS = 256
LENGTHWISE = frozenset({"antidiagonal", "enhanced-ba", "perot-recurrence"})
"""Methods whose memory grows with the length alone, whatever the parameters."""


def draw_pair(choose: TrialChooser, longest: int = LONGEST) -> PairProblem:
    """Return a pair of random, repetitive or related sequences over one to four letters."""
    open1, extend1, *later = choose.choose_one(COSTS + TWO_PIECE_COSTS)
    open2, extend2 = later or (None, None)
    scoring = Scoring(draw_matrix(choose), open1, extend1, open2, extend2)
    alphabet = choose.choose_one(("A", "AB", "ABCD"))
    m, n = draw_length(choose, BORDERS, longest), draw_length(choose, BORDERS, longest)
    related, mode, random = choose.choose_one((False, True)), choose.choose_one(tuple(Mode)), choose.make_generator()
    strand = choose.choose_one(STRANDS)
    ends = FreeEnds(*(choose.choose_one((False, True)) for _ in range(4))) if mode is Mode.CUSTOM else NO_FREE_ENDS
    first, second = random.choice(list(alphabet), m), random.choice(list(alphabet), n)
    if related:
        second = _mutate(first, second, random)
    rows = "".join(first), "".join(second)
    if strand is Strand.FORWARD:
        return make_pair(*rows, scoring, mode, SequenceType.PROTEIN, ends)
    first_bases, second_bases = (row.translate(AS_BASES) for row in rows)
    return make_pair(first_bases, second_bases, score_bases(scoring), mode, SequenceType.DNA, ends, strand)


def score_bases(scoring: Scoring) -> Scoring:
    """Return a scoring of the letters A, B, C and D as one of bases."""
    matrix = scoring.matrix
    if set("ACGT") <= set(matrix.letters):
        return scoring
    return replace(scoring, matrix=replace(matrix, letters=matrix.letters.translate(AS_BASES)))


def make_pair(
    first: str,
    second: str,
    scoring: Scoring = DNA,
    mode: Mode = Mode.LOCAL,
    kind: SequenceType = SequenceType.DNA,
    ends: FreeEnds = NO_FREE_ENDS,
    strand: Strand = Strand.FORWARD,
) -> PairProblem:
    """Return the pair problem of these letters."""
    rows = [Sequence(name, letters.encode("ascii"), kind) for name, letters in (("first", first), ("second", second))]
    return PairProblem(rows[0], rows[1], scoring, mode, ends, strand)


@lru_cache(maxsize=64)
def best_alignment(pair: PairProblem) -> PairAnswer:
    """Return the alignment that every exact method must return."""
    return reference.align_pair(pair)


def check_same_alignment(pair: PairProblem, found: PairAnswer, expected: PairAnswer, method: Method) -> None:
    """Check score and end, and the path where the method gives one."""
    assert (found.score, found.end) == (expected.score, expected.end), f"{found.score, found.end}, not {expected}"
    if "alignment" in method.returns and expected.alignment is not None:
        assert found.alignment is not None, "there is no alignment"
        assert found.alignment.start == expected.alignment.start, "the path starts elsewhere"
        np.testing.assert_array_equal(found.alignment.operations, expected.alignment.operations)


def exchange_sequences(pair: PairProblem) -> PairProblem | None:
    """Return the problem with the sequences exchanged; None on the reverse strand, where ties fall otherwise."""
    if pair.strand is not Strand.FORWARD:
        return None
    matrix = pair.scoring.matrix
    transposed = SubstitutionMatrix(matrix.name, matrix.letters, matrix.values.T)
    scoring = replace(pair.scoring, matrix=transposed)
    if pair.mode in (Mode.LOCAL, Mode.GLOBAL):
        return PairProblem(pair.second, pair.first, scoring, pair.mode)
    return PairProblem(pair.second, pair.first, scoring, Mode.CUSTOM, pair.free_ends.exchanged())


def _check_exchanged(pair: PairProblem, found: PairAnswer, changed: PairAnswer, method: Method) -> None:
    """Check the exchanged answer; ties of sequences of one length may fall otherwise."""
    assert found.score == changed.score
    if len(pair.first) == len(pair.second):
        return
    assert found.end == changed.end[::-1]
    if found.alignment is not None and changed.alignment is not None:
        assert found.alignment.start == changed.alignment.start[::-1]
        np.testing.assert_array_equal(found.alignment.operations, np.array([0, 2, 1])[changed.alignment.operations])


def make_large_pair(method: Method, backend: str, size: int) -> ProblemAndParameters:
    """Return a pair whose memory is large: long and narrow where it grows with a row, else with many strips.

    Without pruning: what belongs to blocks that are skipped is estimated, and never touched.
    """
    if method.id in LENGTHWISE:
        return make_related_pair(NARROW, NARROW + 64 * size), {"threads": 1} if backend == "cpu" else {}
    names = method.parameters.names()
    wanted = {"s": 32, "h": 32, "tile": 32, "checkpoint_memory": 2**14, "pruning": "off", "threads": 2}
    if method.id == "striped-score":
        wanted |= {"threads": MANY_THREADS}
    if "tile" not in names and "h" not in names and method.id == "blocked-antidiagonal":
        wanted = {"threads": 1}
    given = {name: value for name, value in wanted.items() if name in names}
    if backend == "cuda" and "T" in names and "tile" not in names:  # many strips: registers and log of each
        return make_related_pair(NARROW, NARROW + 64 * size), given
    return make_related_pair(32 + 8 * size, 32 + 8 * size), given


def make_long_pair(method: Method, backend: str, size: int) -> ProblemAndParameters:
    """Return a pair of two related sequences of 16 ``size`` letters."""
    return make_related_pair(16 * size, 16 * size), {}


@lru_cache(maxsize=4)
def make_related_pair(m: int, n: int) -> PairProblem:
    """Return random letters, and their copy with every tenth changed."""
    random = np.random.default_rng(1)
    letters = np.frombuffer(b"ACGT", np.uint8)
    first = letters[random.integers(0, 4, max(m, n))]
    second = np.where(random.random(n) < 0.9, first[:n], letters[random.integers(0, 4, n)])
    made = make_pair(first[:m].tobytes().decode(), second.tobytes().decode())
    made.codes  # noqa: B018 - as where the problem is built from what the user opened
    return made


def unlogged_phases(method: Method, backend: str) -> frozenset[str]:
    """Return the phases without events: phase 2, unless it computes tiles."""
    return frozenset() if method.id == "checkpointed-alignment" else frozenset({"phase 2"})


def check_file_rows(result: Result, data: Sequences[Any]) -> None:
    """Check the rows of a file by their names, or the letters where the file gives sequences alone."""
    rows = result.answer.alignment.gapped_rows(*result.problem.sequences)
    named = {sequence.name: row for sequence, row in zip(result.problem.sequences, rows, strict=True)}
    for datum in data:
        if isinstance(datum, Sequence):
            assert datum.letters.decode() in {row.replace("-", "") for row in rows}, f"{datum.name} has other letters"
        else:
            found = {name: row.tobytes().decode() for name, row in zip(datum.names, datum.letters, strict=True)}
            assert found == named, "the rows are others"


def adjust_parameters(method: Method, backend: str, drawn: dict[str, Any]) -> dict[str, Any]:
    """Return parameters for which fewer GPU kernels are compiled; with the published mapping, strips of any width."""
    if backend != "cuda" or "T" not in drawn:
        return drawn
    found = {**drawn, "T": BATCH_ON_GPU.get(drawn["s"])}
    if drawn.get("mapping") == "published" and drawn["s"] is not None:
        found["s"] = drawn["s"] + UNEVEN_COLUMNS
    return found


def _mutate(first: np.ndarray, second: np.ndarray, random: np.random.Generator) -> np.ndarray:
    """Return ``second`` with most of it replaced by a piece of ``first``, for long gaps and long matches."""
    taken = min(first.size, second.size)
    start, at = random.integers(first.size - taken + 1), random.integers(second.size - taken + 1)
    second = second.copy()
    keep = random.random(taken) < 0.9
    second[at : at + taken][keep] = first[start : start + taken][keep]
    return second


TRIALS = Trials(
    draw_problem=draw_pair,
    solve_by_textbook=best_alignment,
    assert_same_answer=check_same_alignment,
    make_large_problem=make_large_pair,
    make_long_problem=make_long_pair,
    draw_larger_problem=lambda choose: draw_pair(choose, LONGER),
    symmetries=(ProblemSymmetry("exchanged sequences", exchange_sequences, _check_exchanged),),
    adjust_values=adjust_parameters,
    phases_without_steps=unlogged_phases,
    assert_read_back=check_file_rows,
    unread_suffixes=frozenset({".txt"}),
)
