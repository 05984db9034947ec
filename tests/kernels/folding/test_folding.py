"""Nussinov and matrix chains: as many pairs, as few multiplications as the definitions say."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from antidiag.kernels.errors import Cancelled, InputError, ParameterError
from antidiag.kernels.folding import cpu, problem, reference
from antidiag.kernels.folding.problem import ChainProblem, FoldingProblem
from antidiag.kernels.model import Sequence, SequenceType
from antidiag.kernels.monitor import Monitor
from antidiag.kernels.semiring.thread_parameters import ThreadParameters
from antidiag.kernels.steps import StepLog
from tests import oracle
from tests.example_counts import try_examples

FEW = try_examples(40)


def rna(letters: str) -> Sequence:
    return Sequence("rna", letters.encode(), SequenceType.RNA)


def fold(made: FoldingProblem, threads: int = 1) -> problem.FoldingAnswer:
    found = cpu.nussinov(made, ThreadParameters(threads=threads), Monitor(), StepLog()).answer
    found.check(made)
    return found


def chain(made: ChainProblem, threads: int = 1) -> problem.ChainAnswer:
    found = cpu.matrix_chain(made, ThreadParameters(threads=threads), Monitor(), StepLog()).answer
    found.check(made)
    return found


@FEW
@given(
    letters=st.text("ACGUN", max_size=50), min_loop=st.integers(0, 5), wobble=st.booleans(), threads=st.integers(1, 3)
)
def test_as_many_pairs_as_the_definition(letters: str, min_loop: int, wobble: bool, threads: int) -> None:
    made = FoldingProblem(rna(letters), min_loop, wobble)
    assert fold(made, threads).pairs == reference.most_pairs(made)


@FEW
@given(letters=st.text("ACGUN", max_size=11), min_loop=st.integers(0, 3), wobble=st.booleans())
def test_no_structure_has_more_pairs(letters: str, min_loop: int, wobble: bool) -> None:
    made = FoldingProblem(rna(letters), min_loop, wobble)
    assert reference.most_pairs(made) == oracle.most_pairs(made)


def test_blocks_and_threads_agree() -> None:
    letters = "".join(np.random.default_rng(1).choice(list("ACGU"), 200))
    made = FoldingProblem(rna(letters))
    one, three = fold(made), fold(made, 3)
    assert one.pairs == reference.most_pairs(made)
    np.testing.assert_array_equal(one.partners, three.partners)


@pytest.mark.parametrize(
    ("letters", "structure"),
    [("", ""), ("A", "."), ("GAAAC", "(...)"), ("GAAC", "...."), ("GCAAAGC", "((...))")],
)
def test_small_structures(letters: str, structure: str) -> None:
    assert fold(FoldingProblem(rna(letters))).dot_bracket == structure


@FEW
@given(sizes=st.lists(st.integers(1, 9), min_size=2, max_size=30), threads=st.integers(1, 3))
def test_as_few_multiplications_as_the_definition(sizes: list[int], threads: int) -> None:
    made = ChainProblem(tuple(sizes))
    assert chain(made, threads).cost == reference.least_cost(made)


@FEW
@given(sizes=st.lists(st.integers(1, 9), min_size=2, max_size=8))
def test_no_bracketing_costs_less(sizes: list[int]) -> None:
    made = ChainProblem(tuple(sizes))
    assert reference.least_cost(made) == oracle.fewest_multiplications(made)


def test_the_chain_of_the_textbook() -> None:
    """Cormen, Leiserson, Rivest, Stein, section 15.2."""
    made = problem.build_chain([], {"dimensions": "30,35,15,5,10,20,25"})
    found = chain(made)
    assert found.cost == 15125 and found.format_order(made) == "((A1 (A2 A3)) ((A4 A5) A6))"


def test_chains_of_several_blocks() -> None:
    made = ChainProblem(tuple(np.random.default_rng(2).integers(1, 50, 150).tolist()))
    assert chain(made, 2).cost == reference.least_cost(made)


@pytest.mark.parametrize("text", ["", "3", "3,x", "3,0", "3,-1", "99999999,99999999"])
def test_wrong_dimensions(text: str) -> None:
    with pytest.raises(ParameterError, match="dimensions"):
        problem.build_chain([], {"dimensions": text})


def test_proteins_do_not_fold() -> None:
    with pytest.raises(InputError, match="protein"):
        problem.build_folding([Sequence("p", b"MKV", SequenceType.PROTEIN)], {})


def test_cancel() -> None:
    monitor = Monitor()
    monitor.cancel()
    with pytest.raises(Cancelled):
        cpu.nussinov(FoldingProblem(rna("GC" * 800)), ThreadParameters(threads=2), monitor, StepLog())
