"""Trials of the methods of three sequences: lengths around every border, the textbook as oracle, and symmetries."""

from __future__ import annotations

from collections.abc import Callable
from collections.abc import Sequence as Sequences
from functools import lru_cache
from typing import Any

import numpy as np

from antidiag.kernels.method import Method
from antidiag.kernels.model import Result, Sequence, SequenceType
from antidiag.kernels.scoring import Scoring, SubstitutionMatrix, match_mismatch
from antidiag.kernels.trials import (
    ProblemAndParameters,
    ProblemSymmetry,
    TrialChooser,
    Trials,
    draw_length,
    draw_matrix,
)
from antidiag.kernels.triple import reference
from antidiag.kernels.triple.model import TripleAnswer, TripleProblem

COSTS = ((0, 2), (0, 1), (0, 0), (5, 2), (3, 1), (1, 0), (40, 3))
BORDERS = (0, 1, 2, 14, 15, 16, 17, 18, 30, 31, 32, 33, 34, 47, 48)
"""Lengths around the borders of chunks of 16 and 32 cells; a side has one cell more than letters."""
LONGEST, LONGER = 34, 80
MOST_CELLS = 5000
"""Most cells that the textbook is asked to fill."""
WIDTHS_ON_GPU = {16: 16, 48: 32, 96: 32}
"""s on a GPU, where it is a constant of kernels."""
UNEVEN_WIDTH = 19
"""s of chunks that end within a vector and within a pack of a face, where a thread computes one cell per step."""

DNA = Scoring(match_mismatch(2, -3), 0, 5)
NARROW = 40
"""Letters of the first sequence where memory is that of planes, or of many cells at once."""


def draw_problem(
    choose: TrialChooser,
    longest: int = LONGEST,
    costs: Sequences[tuple[int, int]] = COSTS,
    most: int | None = MOST_CELLS,
) -> TripleProblem:
    """Draw related, repetitive or random sequences over one to four letters, cut where there are too many cells."""
    scoring, alphabet = Scoring(draw_matrix(choose), *choose.choose_one(costs)), choose.choose_one(("A", "AB", "ABCD"))
    borders = [border for border in BORDERS if border <= longest]
    lengths = [draw_length(choose, borders, longest, 0) for _ in range(3)]
    if most is not None:
        cut = choose.draw_integer(0, 2)
        one, other = (length + 1 for side, length in enumerate(lengths) if side != cut)
        lengths[cut] = min(lengths[cut], most // (one * other))
    random = choose.make_generator()
    ancestor = random.choice(list(alphabet), longest)
    rows = [_make_descendant(ancestor[:length], alphabet, random) for length in lengths]
    return make_problem(rows[0], rows[1], rows[2], scoring, SequenceType.PROTEIN)


def make_problem(
    first: str, second: str, third: str, scoring: Scoring = DNA, kind: SequenceType = SequenceType.DNA
) -> TripleProblem:
    """Make a problem of three sequences of these letters."""
    named = zip(("first", "second", "third"), (first, second, third), strict=True)
    rows = [Sequence(name, letters.encode("ascii"), kind) for name, letters in named]
    return TripleProblem(rows[0], rows[1], rows[2], scoring)


@lru_cache(maxsize=256)
def find_best_answer(triple: TripleProblem) -> TripleAnswer:
    """Return the alignment that every method must return."""
    return reference.align_triple(triple)


def assert_same(triple: TripleProblem, found: TripleAnswer, expected: TripleAnswer, method: Method) -> None:
    """Check that score and end are equal, and where the method gives a path, the path."""
    assert (found.score, found.end) == (expected.score, expected.end), f"{found.score, found.end}, not {expected}"
    if "alignment" in method.returns and expected.alignment is not None:
        assert found.alignment is not None, "there is no alignment"
        np.testing.assert_array_equal(found.alignment.moves, expected.alignment.moves)


def reorder_sequences(order: Sequences[int]) -> Callable[[TripleProblem], TripleProblem | None]:
    """Return a function that reorders the sequences; it returns None where scores depend on which one is earlier."""

    def change(triple: TripleProblem) -> TripleProblem | None:
        values = triple.scoring.matrix.values
        if not np.array_equal(values, values.T):
            return None
        rows = [triple.sequences[side] for side in order]
        return TripleProblem(rows[0], rows[1], rows[2], triple.scoring)

    return change


def mirror_problem(triple: TripleProblem) -> TripleProblem:
    """Put the last sequence first, and transpose the scores."""
    scoring, before = triple.scoring, triple.scoring.matrix
    transposed = SubstitutionMatrix(before.name, before.letters, before.values.T)
    changed = Scoring(transposed, scoring.gap_open, scoring.gap_extend)
    return TripleProblem(triple.third, triple.second, triple.first, changed)


def reverse_letters(triple: TripleProblem) -> TripleProblem:
    """Reverse every sequence."""
    rows = [Sequence(row.name, row.letters[::-1], row.type) for row in triple.sequences]
    return TripleProblem(rows[0], rows[1], rows[2], triple.scoring)


def _assert_same_score(triple: TripleProblem, found: TripleAnswer, changed: TripleAnswer, method: Method) -> None:
    """Check the score alone: which of equally good paths is taken depends on the order."""
    assert found.score == changed.score, f"{found.score}, and {changed.score} when changed"


def make_large_run(method: Method, backend: str, size: int) -> ProblemAndParameters:
    """Make a slab: planes and faces of chunks take much memory for few cells."""
    names = method.parameters.names()
    wanted = {"s": 16, "h": 32, "threads": 2}
    return make_related_problem(NARROW, 8 * size, 8 * size + 16), {
        name: value for name, value in wanted.items() if name in names
    }


def make_long_run(method: Method, backend: str, size: int) -> ProblemAndParameters:
    """Make a cube."""
    return make_related_problem(8 * size, 8 * size, 8 * size), {}


@lru_cache(maxsize=4)
def make_related_problem(*lengths: int) -> TripleProblem:
    """Make copies of one random sequence, each with every fourth letter changed."""
    random = np.random.default_rng(1)
    ancestor = random.choice(list("ACGT"), max(lengths))
    rows = [
        "".join(np.where(random.random(length) < 0.75, ancestor[:length], random.choice(list("ACGT"), length)))
        for length in lengths
    ]
    made = make_problem(rows[0], rows[1], rows[2])
    made.codes  # noqa: B018 - as where the problem is built from what the user opened
    return made


def choose_values(method: Method, backend: str, drawn: dict[str, Any]) -> dict[str, Any]:
    """Choose few widths on a GPU, and narrow ones where a thread has one cell: with affine gaps others do not fit.

    There, every other chunk ends within a vector, and its subchunks within a batch of layers.
    """
    if backend != "cuda" or "s" not in drawn:
        return drawn
    if drawn["mapping"] == "tiles":
        return {**drawn, "s": WIDTHS_ON_GPU.get(drawn["s"])}
    if drawn["s"] in (None, 16):
        return {**drawn, "s": 16}
    return {**drawn, "s": UNEVEN_WIDTH, **({"h": drawn["h"] + 3} if drawn.get("h") else {})}


def list_unlogged_phases(method: Method, backend: str) -> frozenset[str]:
    """List phases without events: phase 2 follows the path and computes no cell."""
    return frozenset({"phase 2"})


def assert_read_back(result: Result, data: Sequences[Any]) -> None:
    """Check the rows, or where the file gives sequences alone, their letters."""
    rows = result.answer.alignment.gapped_rows(result.problem.sequences)
    for datum in data:
        if isinstance(datum, Sequence):
            assert datum.letters.decode() in {row.replace("-", "") for row in rows}, f"{datum.name} has other letters"
        else:
            assert tuple(row.tobytes().decode() for row in datum.letters) == rows, "the rows are others"


def _make_descendant(ancestor: np.ndarray, alphabet: str, random: np.random.Generator) -> str:
    """Change some letters of the ancestor, and move a piece of it to the end."""
    changed = np.where(random.random(ancestor.size) < 0.7, ancestor, random.choice(list(alphabet), ancestor.size))
    return "".join(np.roll(changed, int(random.integers(4))))


TRIALS = Trials(
    draw_problem=draw_problem,
    solve_by_textbook=find_best_answer,
    assert_same_answer=assert_same,
    make_large_problem=make_large_run,
    make_long_problem=make_long_run,
    draw_larger_problem=lambda choose: draw_problem(choose, LONGER, most=None),
    symmetries=(
        ProblemSymmetry("the last sequence first", mirror_problem, _assert_same_score),
        ProblemSymmetry("the second sequence first", reorder_sequences((1, 0, 2)), _assert_same_score),
        ProblemSymmetry("the third sequence first", reorder_sequences((2, 0, 1)), _assert_same_score),
        ProblemSymmetry("sequences read backwards", reverse_letters, _assert_same_score),
    ),
    adjust_values=choose_values,
    phases_without_steps=list_unlogged_phases,
    assert_read_back=assert_read_back,
    unread_suffixes=frozenset({".txt"}),
    example_count=12,
)
