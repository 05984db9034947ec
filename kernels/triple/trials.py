"""How the methods of three sequences are tried: triples around every border, the textbook, other orders of them."""

from __future__ import annotations

from collections.abc import Callable
from collections.abc import Sequence as Sequences
from functools import lru_cache
from typing import Any

import numpy as np

from antidiag.kernels.method import Method
from antidiag.kernels.model import Result, Sequence, SequenceType
from antidiag.kernels.scoring import Scoring, SubstitutionMatrix, match_mismatch
from antidiag.kernels.trials import Choose, Run, Symmetry, Trials, matrix
from antidiag.kernels.triple import reference
from antidiag.kernels.triple.model import TripleAnswer, TripleProblem

COSTS = ((0, 2), (0, 1), (0, 0), (5, 2), (3, 1), (1, 0), (40, 3))
BORDERS = (0, 1, 2, 14, 15, 16, 17, 18, 30, 31, 32, 33, 34, 47, 48)
"""Lengths around the borders of chunks of 16 and 32 cells; a side has one cell more than letters."""
LONGEST, LONGER = 34, 80
MOST_CELLS = 5000
"""Cells that the textbook is asked to fill."""
WIDTHS_ON_GPU = {16: 16, 48: 32, 96: 32}
"""s on a GPU, where it is a constant of kernels."""

DNA = Scoring(match_mismatch(2, -3), 0, 5)
NARROW = 40
"""Letters of the first sequence where memory is that of planes, or of many cells at once."""


def draw(
    choose: Choose, longest: int = LONGEST, costs: Sequences[tuple[int, int]] = COSTS, most: int | None = MOST_CELLS
) -> TripleProblem:
    """Related, repetitive or random sequences over one to four letters; where there are too many cells, one is cut."""
    scoring, alphabet = Scoring(matrix(choose), *choose.of(costs)), choose.of(("A", "AB", "ABCD"))
    lengths = [_length(choose, longest) for _ in range(3)]
    if most is not None:
        cut = choose.integer(0, 2)
        one, other = (length + 1 for side, length in enumerate(lengths) if side != cut)
        lengths[cut] = min(lengths[cut], most // (one * other))
    random = choose.random()
    ancestor = random.choice(list(alphabet), longest)
    rows = [_descendant(ancestor[:length], alphabet, random) for length in lengths]
    return problem(rows[0], rows[1], rows[2], scoring, SequenceType.PROTEIN)


def problem(
    first: str, second: str, third: str, scoring: Scoring = DNA, kind: SequenceType = SequenceType.DNA
) -> TripleProblem:
    """Three sequences of these letters."""
    named = zip(("first", "second", "third"), (first, second, third), strict=True)
    rows = [Sequence(name, letters.encode("ascii"), kind) for name, letters in named]
    return TripleProblem(rows[0], rows[1], rows[2], scoring)


@lru_cache(maxsize=256)
def best(triple: TripleProblem) -> TripleAnswer:
    """The alignment that every method must return."""
    return reference.align(triple)


def same(triple: TripleProblem, found: TripleAnswer, expected: TripleAnswer, method: Method) -> None:
    """Score and end are equal, and where the method gives a path, the path is."""
    assert (found.score, found.end) == (expected.score, expected.end), f"{found.score, found.end}, not {expected}"
    if "alignment" in method.returns and expected.alignment is not None:
        assert found.alignment is not None, "there is no alignment"
        np.testing.assert_array_equal(found.alignment.moves, expected.alignment.moves)


def reordered(order: Sequences[int]) -> Callable[[TripleProblem], TripleProblem | None]:
    """The sequences in another order; None where scores say which of two sequences is the earlier."""

    def change(triple: TripleProblem) -> TripleProblem | None:
        values = triple.scoring.matrix.values
        if not np.array_equal(values, values.T):
            return None
        rows = [triple.sequences[side] for side in order]
        return TripleProblem(rows[0], rows[1], rows[2], triple.scoring)

    return change


def mirrored(triple: TripleProblem) -> TripleProblem:
    """The last sequence first, and the scores of the later letter with the earlier one."""
    scoring, before = triple.scoring, triple.scoring.matrix
    transposed = SubstitutionMatrix(before.name, before.letters, before.values.T)
    changed = Scoring(transposed, scoring.gap_open, scoring.gap_extend)
    return TripleProblem(triple.third, triple.second, triple.first, changed)


def reversed_letters(triple: TripleProblem) -> TripleProblem:
    """Every sequence read backwards."""
    rows = [Sequence(row.name, row.letters[::-1], row.type) for row in triple.sequences]
    return TripleProblem(rows[0], rows[1], rows[2], triple.scoring)


def _same_score(triple: TripleProblem, found: TripleAnswer, changed: TripleAnswer, method: Method) -> None:
    """Which of equally good paths is taken depends on the order."""
    assert found.score == changed.score, f"{found.score}, and {changed.score} when changed"


def large(method: Method, backend: str, size: int) -> Run:
    """A slab: planes and faces of chunks take much memory for few cells."""
    names = {parameter.name for parameter in method.parameters}
    wanted = {"s": 16, "h": 32, "threads": 2}
    return related(NARROW, 8 * size, 8 * size + 16), {name: value for name, value in wanted.items() if name in names}


def long(method: Method, backend: str, size: int) -> Run:
    """A cube."""
    return related(8 * size, 8 * size, 8 * size), {}


@lru_cache(maxsize=4)
def related(*lengths: int, seed: int = 1) -> TripleProblem:
    """Copies of one random sequence, each with every fourth letter changed."""
    random = np.random.default_rng(seed)
    ancestor = random.choice(list("ACGT"), max(lengths))
    rows = [
        "".join(np.where(random.random(length) < 0.75, ancestor[:length], random.choice(list("ACGT"), length)))
        for length in lengths
    ]
    made = problem(rows[0], rows[1], rows[2])
    made.codes  # noqa: B018 - as where the problem is built from what the user opened
    return made


def values(method: Method, backend: str, drawn: dict[str, Any]) -> dict[str, Any]:
    """Few widths on a GPU, and narrow ones where a thread has one cell: with affine gaps others would not fit."""
    if backend == "cuda" and "s" in drawn:
        return {**drawn, "s": 16 if drawn["mapping"] == "cells" else WIDTHS_ON_GPU.get(drawn["s"])}
    return drawn


def unlogged(method: Method, backend: str) -> frozenset[str]:
    """Phase 2 follows the path from chunk to chunk, or from cell to cell, and computes none."""
    return frozenset({"phase 2"})


def read_back(result: Result, data: Sequences[Any]) -> None:
    """The rows, or where the file gives sequences alone, their letters."""
    rows = result.answer.alignment.gapped(result.problem.sequences)
    for datum in data:
        if isinstance(datum, Sequence):
            assert datum.letters.decode() in {row.replace("-", "") for row in rows}, f"{datum.name} has other letters"
        else:
            assert tuple(row.tobytes().decode() for row in datum.letters) == rows, "the rows are others"


def _length(choose: Choose, longest: int) -> int:
    borders = [border for border in BORDERS if border <= longest]
    return choose.of(borders) if choose.of((True, False)) else choose.integer(0, longest)


def _descendant(ancestor: np.ndarray, alphabet: str, random: np.random.Generator) -> str:
    """The ancestor with some letters changed and a piece of it moved to the end."""
    changed = np.where(random.random(ancestor.size) < 0.7, ancestor, random.choice(list(alphabet), ancestor.size))
    return "".join(np.roll(changed, int(random.integers(4))))


TRIALS = Trials(
    draw=draw,
    oracle=best,
    same=same,
    large=large,
    long=long,
    larger=lambda choose: draw(choose, LONGER, most=None),
    symmetries=(
        Symmetry("the last sequence first", mirrored, _same_score),
        Symmetry("the second sequence first", reordered((1, 0, 2)), _same_score),
        Symmetry("the third sequence first", reordered((2, 0, 1)), _same_score),
        Symmetry("sequences read backwards", reversed_letters, _same_score),
    ),
    values=values,
    unlogged=unlogged,
    read_back=read_back,
    unread=frozenset({".txt"}),
    examples=12,
)
