"""The search method on the emulated GPU: the textbook's hits, whatever the parameters."""

from __future__ import annotations

from dataclasses import replace

import pytest

from antidiag.kernels.pairwise.search import METHODS, cuda_shapes
from antidiag.kernels.pairwise.search.trials import PROTEINS, TRIALS
from antidiag.kernels.trials import RandomChooser


@pytest.mark.parametrize("seed", range(6))
def test_hits_are_those_of_the_textbook(emulated, monkeypatch, seed):
    shapes = {True: cuda_shapes.SearchKernelShape(4, 16, True), False: cuda_shapes.SearchKernelShape(8, 8, False)}
    monkeypatch.setattr(cuda_shapes, "choose_shape", lambda letters, paired: shapes[paired])
    drawn = TRIALS.draw_problem(RandomChooser(seed))
    problem = replace(drawn, scoring=PROTEINS)  # with published statistics: fitting takes 10^10 cells
    found = emulated(METHODS[0], problem, block=2**10, threads=1)
    TRIALS.assert_same_answer(problem, found.answer, TRIALS.solve_by_textbook(problem), METHODS[0])
