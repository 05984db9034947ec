"""Trees and distances on a GPU, at sizes that an emulator does not reach: the same as on the CPU.

Joins are compared with those of the plainest method there, which is quickly compiled and has no bounds to get wrong.
"""

from __future__ import annotations

import numpy as np
import pytest

from antidiag.kernels import engine
from antidiag.kernels.errors import Cancelled
from antidiag.kernels.io.aligned_sequences import AlignedSequences
from antidiag.kernels.io.random_distances import additive_distances
from antidiag.kernels.model import SequenceType
from antidiag.kernels.monitor import Monitor
from antidiag.kernels.registry import find_method
from antidiag.kernels.scoring import Mode
from antidiag.kernels.trees.distances import problem as rules
from antidiag.kernels.trees.distances.alignment_columns.column_distances import MODELS, PROTEIN_MODELS
from antidiag.kernels.trees.problem import TreeProblem
from antidiag.kernels.trees.trials import make_matrix
from tests.kernels.trees.test_distances import SCORINGS
from tests.kernels.trees.test_joining import answer
from tests.problems import sequence

pytestmark = pytest.mark.gpu


def values(kind: str, taxa: int) -> np.ndarray:
    random = np.random.default_rng(5)
    if kind in ("additive", "noisy"):
        return additive_distances(taxa, random, 0.1 if kind == "noisy" else 0.0)
    upper = np.triu(random.random((taxa, taxa)), 1)
    return np.rint(4 * (upper + upper.T)) if kind == "ties" else upper + upper.T


@pytest.mark.parametrize("precision", ["single", "double"])
@pytest.mark.parametrize("kind", ["random", "additive", "noisy", "ties"])
def test_joins_are_those_of_the_cpu(kind: str, precision: str) -> None:
    problem = TreeProblem(make_matrix(values(kind, 1531)), precision)
    expected = answer("nj-serial", problem)
    for name, parameters in (
        ("nj-pruned", {"epoch": 8}),
        ("nj-pruned", {"epoch": 64}),
        ("nj-basic", {}),
        ("nj-compact", {}),
        ("nj-basic", {"block": "1024", "cells": "64"}),
        ("nj-compact", {"block": "64", "cells": "1"}),
        ("nj-basic", {"mapping": "published"}),
        ("nj-compact", {"mapping": "published"}),
        ("nj-compact", {"mapping": "published", "block": "1024", "cells": "4"}),
    ):
        found = answer(name, problem, parameters, "cuda")
        np.testing.assert_array_equal(found.joins, expected.joins)
        assert found.tree == expected.tree


@pytest.mark.parametrize("taxa", [1, 2, 3, 4, 5])
@pytest.mark.parametrize("id", ["nj-pruned", "nj-basic", "nj-compact"])
def test_few_taxa(id: str, taxa: int) -> None:
    problem = TreeProblem(make_matrix(1 - np.eye(taxa)))
    for parameters in ({}, {"mapping": "published"}) if id != "nj-pruned" else ({},):
        assert answer(id, problem, parameters, "cuda").tree == answer("nj-serial", problem).tree


@pytest.mark.parametrize(
    ("id", "parameters"),
    [("nj-pruned", {}), ("nj-basic", {}), ("nj-compact", {}), ("nj-basic", {"mapping": "published"})],
)
def test_a_cancelled_run_leaves_nothing_that_the_next_one_trips_over(id: str, parameters: dict[str, str]) -> None:
    problem = TreeProblem(make_matrix(values("random", 600)))
    monitor = Monitor(lambda done, total, phase: monitor.cancel())
    with pytest.raises(Cancelled):
        engine.execute(engine.plan_run(find_method(id), problem, parameters, "cuda"), monitor)
    assert answer(id, problem, parameters, "cuda").tree == answer("nj-serial", problem).tree


def proteins(count: int, longest: int):
    """Mutated pieces of a few random sequences, of very different lengths."""
    random = np.random.default_rng(4)
    letters = np.array(list("ACDEFGHIKLMNPQRSTVWY"))
    whole = random.choice(letters, (5, longest))
    found = []
    for number, length in enumerate((longest * random.random(count) ** 2 + 1).astype(int)):
        kept = whole[number % 5, longest - length :]
        found.append("".join(np.where(random.random(length) < 0.6, kept, random.choice(letters, length))))
    return tuple(sequence(text, f"s{number}", SequenceType.PROTEIN) for number, text in enumerate(found))


@pytest.mark.parametrize("mode", [Mode.LOCAL, Mode.GLOBAL])
@pytest.mark.parametrize("scoring", SCORINGS)
def test_full_distances_are_those_of_the_cpu(scoring, mode: Mode) -> None:
    same("distance-full", rules.FullProblem(proteins(70, 1400), scoring, mode))


def test_long_pairs_are_those_of_the_cpu() -> None:
    same("distance-full", rules.FullProblem(proteins(4, 13_000), SCORINGS[0], Mode.LOCAL))


def test_words_are_those_of_the_cpu() -> None:
    found = proteins(150, 900)
    same("distance-6mer", rules.SixmerProblem(found))
    for k in (1, 2):
        same("distance-ktuple", rules.KTUPLE_DISTANCES.build_problem(found, {"ktuple": k}))


def test_chains_of_long_pairs_are_those_of_the_cpu() -> None:
    """Some pairs are beyond what one launch does."""
    from antidiag.kernels.trees.distances.word_chains.cuda_chains import LONG

    problem = rules.KTUPLE_DISTANCES.build_problem(proteins(9, 6000), {"ktuple": 2})
    longest = sorted(map(len, problem.sequences))[-3:]
    assert longest[0] * longest[1] > LONG
    same("distance-ktuple", problem)


@pytest.mark.parametrize(
    ("kind", "model"),
    [(SequenceType.DNA, name) for name in MODELS] + [(SequenceType.PROTEIN, name) for name in PROTEIN_MODELS],
)
def test_distances_of_an_alignment_are_those_of_the_cpu(kind: SequenceType, model: str) -> None:
    random = np.random.default_rng(8)
    letters = np.array(list(b"ACGT-" if kind == SequenceType.DNA else b"ACDEFGW-"), np.uint8)
    first = letters[random.integers(0, letters.size, 700)]
    found = np.where(random.random((300, 700)) < 0.7, first, letters[random.integers(0, letters.size, (300, 700))])
    names = tuple(f"r{row}" for row in range(300))
    same("distance-alignment", rules.AlignedProblem(AlignedSequences(names, found.astype(np.uint8), kind), model))


def same(id: str, problem) -> None:
    found, expected = (answer(id, problem, {}, backend) for backend in ("cuda", "cpu"))
    np.testing.assert_array_equal(found.distances.values, expected.distances.values)
