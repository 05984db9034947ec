"""Triple problems for tests, and what is right for tiny ones: every alignment there is."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from hypothesis import strategies as st

from antidiag.kernels.scoring import Scoring
from antidiag.kernels.triple import trials
from antidiag.kernels.triple.model import LETTER_BITS, MOVE_ORDER, TripleAlignment, TripleProblem, score_alignment
from antidiag.kernels.triple.trials import COSTS
from antidiag.kernels.triple.trials import make_problem as triple
from tests.choosing import HypothesisChooser
from tests.problems import matrices


@st.composite
def tiny(draw: st.DrawFn) -> TripleProblem:
    """Up to eight letters in three sequences, the shortest of which may be any: of three letters each there are 16,081
    alignments, of one less a sixth. A gap inside another, which is charged apart, needs five."""
    rows = [draw(st.text("ABCD", max_size=most)) for most in draw(st.permutations((3, 3, 2)))]
    return triple(rows[0], rows[1], rows[2], Scoring(draw(matrices()), *draw(st.sampled_from(COSTS))))


@st.composite
def triples(draw: st.DrawFn, longest: int = 24, costs: tuple[tuple[int, int], ...] = COSTS) -> TripleProblem:
    """Related, repetitive or random sequences over one to four letters; lengths around the borders of chunks too."""
    return trials.draw_problem(HypothesisChooser(draw), longest, costs, None)


def related(length: int, seed: int) -> str:
    """A protein; those of one length and other seeds are related."""
    letters = list("ARNDCQEGHILKMFPSTWYV")
    random, ancestor = np.random.default_rng(seed), np.random.default_rng(1).choice(letters, length + 9)
    kept = ancestor[random.random(length + 9) < 0.97][:length]
    return "".join(np.where(random.random(kept.size) < 0.7, kept, random.choice(letters, kept.size)))


def exhaustive_score(problem: TripleProblem) -> int:
    """The best score, found by scoring every alignment by the definition; for a few letters."""
    return max(
        score_alignment(problem, TripleAlignment((0, 0, 0), problem.lengths, np.array(moves, np.uint8)))
        for moves in _paths(problem.lengths)
    )


def _paths(left: tuple[int, ...]) -> Iterator[tuple[int, ...]]:
    if not any(left):
        yield ()
    for move in MOVE_ORDER:
        rest = tuple(length - (move & bit > 0) for length, bit in zip(left, LETTER_BITS, strict=True))
        if min(rest) >= 0:
            yield from ((move, *others) for others in _paths(rest))
