"""How the methods of two sequences are tried: pairs around every border, the textbook, exchanged sequences."""

from __future__ import annotations

from collections.abc import Sequence as Sequences
from functools import lru_cache
from typing import Any

import numpy as np

from antidiag.kernels.method import Method
from antidiag.kernels.model import Result, Sequence, SequenceType
from antidiag.kernels.pairwise import reference
from antidiag.kernels.pairwise.model import PairAnswer, PairProblem
from antidiag.kernels.scoring import Mode, Scoring, SubstitutionMatrix, match_mismatch
from antidiag.kernels.trials import Choose, Run, Symmetry, Trials, matrix

BORDERS = [border + offset for border in (0, 16, 32, 64, 96, 128) for offset in (-1, 0, 1, 2) if border + offset > 0]
"""Lengths around lane, strip and batch borders."""
LONGEST, LONGER = 130, 400
COSTS = ((5, 2), (3, 1), (0, 2), (0, 1), (1, 0), (0, 0), (10, 1), (400, 3))
BATCH_ON_GPU = {32: 8, 96: 24, 192: 48}
"""T beside s on a GPU, where both are constants of kernels: a third fewer of them are compiled."""

DNA = Scoring(match_mismatch(2, -3), 5, 2)
NARROW = 16
"""Letters of the shorter sequence where memory is that of the longer one."""
MANY_THREADS = 256
LENGTHWISE = frozenset({"antidiagonal", "enhanced-ba", "perot-recurrence"})
"""Methods whose memory grows with the length alone, whatever the parameters."""


def draw(choose: Choose, longest: int = LONGEST) -> PairProblem:
    """Pairs of random, repetitive or related sequences over alphabets of one to four letters."""
    scoring = Scoring(matrix(choose), *choose.of(COSTS))
    alphabet = choose.of(("A", "AB", "ABCD"))
    m, n = _length(choose, longest), _length(choose, longest)
    related, mode, random = choose.of((False, True)), choose.of(tuple(Mode)), choose.random()
    first, second = random.choice(list(alphabet), m), random.choice(list(alphabet), n)
    if related:
        second = _mutated(first, second, random)
    return problem("".join(first), "".join(second), scoring, mode, SequenceType.PROTEIN)


def problem(
    first: str, second: str, scoring: Scoring = DNA, mode: Mode = Mode.LOCAL, kind: SequenceType = SequenceType.DNA
) -> PairProblem:
    """A pair of these letters."""
    rows = [Sequence(name, letters.encode("ascii"), kind) for name, letters in (("first", first), ("second", second))]
    return PairProblem(rows[0], rows[1], scoring, mode)


@lru_cache(maxsize=64)
def best(pair: PairProblem) -> PairAnswer:
    """The alignment that every exact method must return."""
    return reference.align(pair)


def same(pair: PairProblem, found: PairAnswer, expected: PairAnswer, method: Method) -> None:
    """Score and end are equal, and where the method gives a path, the path is."""
    assert (found.score, found.end) == (expected.score, expected.end), f"{found.score, found.end}, not {expected}"
    if "alignment" in method.returns and expected.alignment is not None:
        assert found.alignment is not None, "there is no alignment"
        assert found.alignment.start == expected.alignment.start, "the path starts elsewhere"
        np.testing.assert_array_equal(found.alignment.operations, expected.alignment.operations)


def mirrored(pair: PairProblem) -> PairProblem:
    """The same problem with the sequences exchanged."""
    matrix = pair.scoring.matrix
    transposed = SubstitutionMatrix(matrix.name, matrix.letters, matrix.values.T)
    scoring = Scoring(transposed, pair.scoring.gap_open, pair.scoring.gap_extend)
    return PairProblem(pair.second, pair.first, scoring, pair.mode)


def _same_mirrored(pair: PairProblem, found: PairAnswer, changed: PairAnswer, method: Method) -> None:
    """Ties are decided along the shorter sequence: those of sequences of one length may fall otherwise."""
    assert found.score == changed.score
    if len(pair.first) == len(pair.second):
        return
    assert found.end == changed.end[::-1]
    if found.alignment is not None and changed.alignment is not None:
        assert found.alignment.start == changed.alignment.start[::-1]
        np.testing.assert_array_equal(found.alignment.operations, np.array([0, 2, 1])[changed.alignment.operations])


def large(method: Method, backend: str, size: int) -> Run:
    """Long and narrow where memory is that of a row; many strips, or strips at once, where it is theirs."""
    if method.id in LENGTHWISE:
        return related(NARROW, NARROW + 64 * size), {"threads": 1} if backend == "cpu" else {}
    names = {parameter.name for parameter in method.parameters}
    wanted = {"s": 32, "h": 32, "tile": 32, "checkpoint_memory": 2**14, "threads": 2}
    if method.id == "striped-score":
        wanted |= {"threads": MANY_THREADS}
    if "tile" not in names and "h" not in names and method.id == "blocked-antidiagonal":
        wanted = {"threads": 1}
    given = {name: value for name, value in wanted.items() if name in names}
    if backend == "cuda" and "T" in names and "tile" not in names:  # registers and log of each strip
        return related(NARROW, NARROW + 64 * size), given
    return related(32 + 8 * size, 32 + 8 * size), given


def long(method: Method, backend: str, size: int) -> Run:
    return related(16 * size, 16 * size), {}


@lru_cache(maxsize=4)
def related(m: int, n: int, seed: int = 1) -> PairProblem:
    """Random letters, and their copy with every tenth changed."""
    random = np.random.default_rng(seed)
    letters = np.frombuffer(b"ACGT", np.uint8)
    first = letters[random.integers(0, 4, max(m, n))]
    second = np.where(random.random(n) < 0.9, first[:n], letters[random.integers(0, 4, n)])
    made = problem(first[:m].tobytes().decode(), second.tobytes().decode())
    made.codes  # noqa: B018 - as where the problem is built from what the user opened
    return made


def unlogged(method: Method, backend: str) -> frozenset[str]:
    """Phase 2 follows pointers: where checkpoints are kept, it computes tiles instead."""
    return frozenset() if method.id == "checkpointed-alignment" else frozenset({"phase 2"})


def read_back(result: Result, data: Sequences[Any]) -> None:
    """The rows by their names, in whatever order, or where the file gives sequences alone, their letters."""
    rows = result.answer.alignment.gapped(*result.problem.sequences)
    named = {sequence.name: row for sequence, row in zip(result.problem.sequences, rows, strict=True)}
    for datum in data:
        if isinstance(datum, Sequence):
            assert datum.letters.decode() in {row.replace("-", "") for row in rows}, f"{datum.name} has other letters"
        else:
            found = {name: row.tobytes().decode() for name, row in zip(datum.names, datum.letters, strict=True)}
            assert found == named, "the rows are others"


def values(method: Method, backend: str, drawn: dict[str, Any]) -> dict[str, Any]:
    if backend == "cuda" and "T" in drawn:
        return {**drawn, "T": BATCH_ON_GPU.get(drawn["s"])}
    return drawn


def _length(choose: Choose, longest: int) -> int:
    return choose.of(BORDERS) if choose.of((True, False)) else choose.integer(1, longest)


def _mutated(first: np.ndarray, second: np.ndarray, random: np.random.Generator) -> np.ndarray:
    """``second`` with most of it replaced by a piece of ``first``, so that long gaps and long matches occur."""
    taken = min(first.size, second.size)
    start, at = random.integers(first.size - taken + 1), random.integers(second.size - taken + 1)
    second = second.copy()
    keep = random.random(taken) < 0.9
    second[at : at + taken][keep] = first[start : start + taken][keep]
    return second


TRIALS = Trials(
    draw=draw,
    oracle=best,
    same=same,
    large=large,
    long=long,
    larger=lambda choose: draw(choose, LONGER),
    symmetries=(Symmetry("exchanged sequences", mirrored, _same_mirrored),),
    values=values,
    unlogged=unlogged,
    read_back=read_back,
    unread=frozenset({".txt"}),
)
