"""All best structures of a sequence: counted, numbered, and how often each pair is in them."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from antidiag.kernels.errors import InputError
from antidiag.kernels.folding import cooptimal_structures, cpu, walkthroughs
from antidiag.kernels.folding.problem import FoldingAnswer, FoldingProblem
from antidiag.kernels.model import Sequence, SequenceType
from antidiag.kernels.monitor import Monitor
from antidiag.kernels.semiring.thread_parameters import ThreadParameters
from antidiag.kernels.steps import StepLog
from antidiag.kernels.walkthroughs import best_paths
from tests.example_counts import try_examples

PROBLEMS = st.builds(
    lambda letters, min_loop, wobble: FoldingProblem(
        Sequence("s", letters.encode(), SequenceType.RNA), min_loop, wobble
    ),
    st.text("ACGUN", min_size=0, max_size=11),
    st.integers(0, 4),
    st.booleans(),
)


def brute(problem: FoldingProblem) -> set[tuple[int, ...]]:
    """The partners of all structures of the most pairs, from all structures there are."""

    def structures(i: int, j: int) -> list[tuple[tuple[int, int], ...]]:
        if i >= j:
            return [()]
        found = list(structures(i + 1, j))
        for k in range(i + problem.min_loop + 1, j + 1):
            if problem.pairing_table[problem.letter_codes[i], problem.letter_codes[k]]:
                sides = product(structures(i + 1, k - 1), structures(k + 1, j))
                found += [((i, k), *inside, *right) for inside, right in sides]
        return found

    every = structures(0, problem.n - 1)
    most = max(map(len, every))
    made = set()
    for pairs in every:
        if len(pairs) == most:
            partners = [-1] * problem.n
            for i, k in pairs:
                partners[i], partners[k] = k, i
            made.add(tuple(partners))
    return made


@try_examples(60, deadline=None)
@given(PROBLEMS)
def test_all_best_structures_are_counted_and_numbered(problem: FoldingProblem) -> None:
    found = cooptimal_structures.find_cooptimal(problem, 1, Monitor())
    numbered = [tuple(found.structure_at(number).tolist()) for number in range(found.total)]
    assert set(numbered) == brute(problem) and len(set(numbered)) == found.total
    for structure in numbered:
        FoldingAnswer(sum(k > i for i, k in enumerate(structure)), np.array(structure)).check(problem)
    ends, shares = found.pair_shares
    for (i, k), share in zip(ends.tolist(), shares.tolist(), strict=True):
        assert share == pytest.approx(sum(one[i] == k for one in numbered) / found.total)
    with pytest.raises(IndexError):
        found.structure_at(found.total)


def random_problem(n: int, seed: int, alphabet: bytes = b"ACGU") -> FoldingProblem:
    chosen = np.random.default_rng(seed).integers(0, len(alphabet), n)
    letters = np.frombuffer(alphabet, np.uint8)[chosen].tobytes()
    return FoldingProblem(Sequence("s", letters, SequenceType.RNA), 3, True)


def test_the_first_structure_is_that_of_a_run_and_counts_of_many_digits_are_exact() -> None:
    problem = random_problem(250, 7, b"AAU")
    found = cooptimal_structures.find_cooptimal(problem, 2, Monitor())
    run = cpu.nussinov(problem, ThreadParameters(threads=2), Monitor(), StepLog()).answer
    assert found.structure_at(0).tolist() == run.partners.tolist()
    counts: dict[int, int] = {-1: 1}
    for part in range(len(found.intervals)):
        cases = found.cases[found.starts[part] : found.starts[part + 1]].tolist()
        counts[part] = sum(counts[inside] * counts[right] for _, inside, right in cases)
    assert found.total == counts[len(found.intervals) - 1] > 2**64
    for number in (found.total // 3, found.total - 1):
        FoldingAnswer(run.pairs, found.structure_at(number)).check(problem)


def test_the_count_is_that_of_the_play() -> None:
    values = {"letters": "GGGAAAUCCUUAGC", "min_loop": 3, "wobble": True, "threads": 2}
    play = walkthroughs.NUSSINOV.make_animation(values)
    problem = FoldingProblem(Sequence("s", values["letters"].encode(), SequenceType.RNA), 3, True)
    assert cooptimal_structures.find_cooptimal(problem, 1, Monitor()).total == best_paths.count_best_paths(play).total


def test_the_way_back_has_the_pairs_of_the_structure() -> None:
    problem = random_problem(60, 3)
    found = cooptimal_structures.find_cooptimal(problem, 1, Monitor())
    partners = found.structure_at(found.total // 2)
    walk = cooptimal_structures.trace_structure(found.pair_counts, partners)
    assert walk[0][:2] == (0, 59)
    assert {(i, k) for i, _, k in walk if k >= 0} == {(i, int(k)) for i, k in enumerate(partners) if k > i}


@pytest.mark.usefixtures("emulated")
def test_the_table_of_a_gpu_gives_the_same_structures() -> None:
    problem = random_problem(70, 5)
    ours, expected = (cooptimal_structures.find_cooptimal(problem, 1, Monitor(), device) for device in (0, None))
    upper = np.triu_indices(problem.n)
    np.testing.assert_array_equal(ours.pair_counts[upper], expected.pair_counts[upper])
    assert ours.total == expected.total
    np.testing.assert_array_equal(ours.structure_at(0), expected.structure_at(0))


def test_what_is_too_long_is_refused() -> None:
    with pytest.raises(InputError, match=r"up to 2,000 letters"):
        cooptimal_structures.find_cooptimal(random_problem(cooptimal_structures.MOST + 1, 1), 1, Monitor())
