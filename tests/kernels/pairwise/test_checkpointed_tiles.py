"""Phase 2 of CheckpointedAlignment's device code: tiles that are swept together, and guesses that go wrong."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from importlib import import_module
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given
from hypothesis import strategies as st

from antidiag.kernels import registry
from antidiag.kernels.pairwise.checkpointed import cuda_sizes as sizes
from antidiag.kernels.pairwise.model import PairProblem
from antidiag.kernels.scoring import Mode, Scoring, match_mismatch
from antidiag.kernels.steps import StepLog
from tests import oracle
from tests.example_counts import try_examples
from tests.problems import assert_same_path, pair

METHOD = registry.find_method("checkpointed-alignment")
DNA = Scoring(match_mismatch(2, -3), 5, 2)
GIVEN = {"s": 64, "T": 8, "threads": 64, "tile": 64}
"""Strips of two columns a lane, one a tile; tiles of more strips are in test_emulated.py."""


@st.composite
def shuffled(draw: st.DrawFn) -> PairProblem:
    """Two sequences of the same pieces, some missing, double, or in another order: paths with long gaps."""
    random = np.random.default_rng(draw(st.integers(0, 1000)))
    pieces = ["".join(random.choice(list("ACGT"), random.integers(5, 90))) for _ in range(6)]
    order = st.lists(st.integers(0, 5), min_size=1, max_size=6)
    first, second = ("".join(pieces[piece] for piece in draw(order)) for _ in range(2))
    return pair(first, second, DNA, draw(st.sampled_from(Mode)))


@try_examples(12, deadline=None, suppress_health_check=list(HealthCheck))
@given(problem=shuffled(), together=st.sampled_from((1, 2, 5, 1000)), order=st.integers(0, 2))
def test_wherever_the_path_goes_it_is_the_oracles(emulated, problem: PairProblem, together: int, order: int) -> None:
    with pytest.MonkeyPatch.context() as patch:
        # The emulator has modules of its own.
        for module in (sizes, import_module("antidiag.kernels.pairwise.checkpointed.cuda_sizes")):
            patch.setattr(module, "TILES_BYTES", together * int(sizes.tile_bytes(64, 64, GIVEN["s"], GIVEN["T"])))
        found, expected = emulated(METHOD, problem, seed=order, **GIVEN).answer, oracle.best_alignment(problem)
    assert (found.score, found.end) == (expected.score, expected.end)
    assert_same_path(found, expected)


@pytest.mark.parametrize("shift", [-40, 20])
def test_a_tile_that_the_path_enters_beyond_what_was_swept_is_swept_again(
    emulated, shift: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    guesses, random = import_module("antidiag.kernels.pairwise.checkpointed.path_guesses"), np.random.default_rng(3)

    def guess_beside(guess_path: Callable[..., Any], *arguments: Any) -> Any:
        right, place = guess_path(*arguments), arguments[-1]
        columns = np.clip(right.columns + shift, 1, place.column)
        return guesses.GuessedPath(np.where(right.columns == 0, 0, columns), np.maximum(right.rows + shift, 0))

    for name in ("_guess_by_score", "_guess_by_diagonal"):
        monkeypatch.setattr(guesses, name, partial(guess_beside, getattr(guesses, name)))
    monkeypatch.setattr(guesses, "MARGIN", 0)
    first = random.choice(list("ACGT"), 900)
    problem = pair("".join(first), "".join(np.delete(first, random.integers(0, 900, 90))), DNA, Mode.GLOBAL)
    assert_same_path(emulated(METHOD, problem, **{**GIVEN, "tile": 128}).answer, oracle.best_alignment(problem))


@pytest.mark.parametrize("mode", Mode)
def test_tiles_along_a_good_alignment_are_swept_at_once(emulated, mode: Mode) -> None:
    """Once for all of them, and hardly any beside the path."""
    random, steps = np.random.default_rng(1), StepLog()
    first = random.choice(list("ACGT"), 1300)
    second = np.where(random.random(1300) < 0.1, random.choice(list("ACGT"), 1300), first)
    emulated(METHOD, pair("".join(first), "".join(second[:-9]), DNA, mode), steps=steps, **{**GIVEN, "tile": 256})
    events = steps.ordered_events()
    tiles = events[events["phase"] == 2]
    assert len(np.unique(tiles[["row_start", "column_start"]])) == len(tiles)
    on_diagonal = tiles["row_start"] == tiles["column_start"]
    assert on_diagonal.sum() == 6
    assert len(tiles) <= 3 * 6


def test_a_short_local_alignment_needs_few_tiles(emulated) -> None:
    random, steps = np.random.default_rng(2), StepLog()
    first, second = ("".join(random.choice(list("ACGT"), 1500)) for _ in range(2))
    emulated(METHOD, pair(first, second, DNA), steps=steps, **{**GIVEN, "tile": 256})
    assert (steps.ordered_events()["phase"] == 2).sum() <= 10  # of 36
