"""A method that takes a guide tree gives its alignment back along the tree that it wrote, also of equal sequences."""

from __future__ import annotations

import itertools
import os
from functools import cache
from typing import Any

import numpy as np
import pytest

from antidiag.kernels import engine, registry
from antidiag.kernels.alignments.alignment_kind import ALIGNMENT
from antidiag.kernels.io import newick
from antidiag.kernels.io.sequences import SEQUENCE
from antidiag.kernels.io.tree import Tree
from antidiag.kernels.io.tree_files import TREE
from antidiag.kernels.method import Method
from antidiag.kernels.model import Sequence, SequenceType
from antidiag.kernels.msa.consistency.given_alignment_trials import insert_random_gaps
from antidiag.kernels.parttree.progressive.alignment_rules import GUIDES

TAKES_A_TREE = [one for one in registry.METHODS if any(taken.kind is TREE for taken in one.problem_type.inputs)]
MAKES_A_TREE = [one for one in registry.METHODS if one.problem_type.id == "parttree"]
LETTERS = {SequenceType.PROTEIN: "ACDEFGHIKLMNPQRSTVWY", SequenceType.DNA: "ACGT"}
OPTIONS: dict[str, list[dict[str, Any]]] = {
    "msa-parttree": [
        {"guide": guide, "references": 2, "passes": passes, "refine_top": top}
        for guide, passes, top in itertools.product(GUIDES, (1, 2), (0, 3))
    ],
    "msa": [{}, {"triplets": True}, {"effort": "fast"}],  # the page says why a thorough one does not
    "msa-clustalw": [{}, {"pairwise": "ktuple", "delay": 60.0}],
    "msa-refine": [{"refinement": "thorough"}],
}


@cache
def family(seed: int, kind: SequenceType = SequenceType.PROTEIN) -> tuple[Sequence, ...]:
    """Return relatives of one ancestor of which some occur several times, and sequences that are related to none."""
    random = np.random.default_rng(seed)
    letters = np.array(list(LETTERS[kind]))
    ancestor, texts = random.choice(letters, int(random.integers(12, 40))), []
    for _ in range(int(random.integers(1, 8))):
        changed = np.where(
            random.random(ancestor.size) < random.uniform(0, 0.6), random.choice(letters, ancestor.size), ancestor
        )
        texts.append("".join(changed[random.random(ancestor.size) < 0.85]) or "A")
    texts += ["".join(random.choice(letters, int(random.integers(1, 20)))) for _ in range(int(random.integers(3)))]
    texts += random.choice(texts, int(random.integers(0, 6))).tolist()
    return tuple(Sequence(f"s{at}", text.encode(), kind) for at, text in enumerate(random.permutation(texts).tolist()))


def solve(method: Method, data: tuple[Any, ...], options: dict[str, Any]) -> Any:
    """Run a method on the CPU; return its answer."""
    if any(taken.kind is ALIGNMENT for taken in method.problem_type.inputs):
        data = as_alignment(data, 2 * any(taken.kind is SEQUENCE for taken in method.problem_type.inputs))
    planned = engine.plan_run(method, method.problem_type.make_problem(data, options), {}, "cpu")
    return engine.execute(planned, keep_rate=False, keep_parts=False).answer


def as_alignment(data: tuple[Any, ...], added: int) -> tuple[Any, ...]:
    """Return an alignment of all sequences but the last ones, these, and the rest of the data."""
    sequences = tuple(one for one in data if isinstance(one, Sequence))
    rows = max(len(sequences) - added, 1)
    return (insert_random_gaps(sequences[:rows], np.random.default_rng(1)), *sequences[rows:], *data[len(sequences) :])


def written(tree: Tree) -> Tree:
    """Return a tree as it comes back from its file."""
    return newick.parse_newick(newick.newick_text(tree))[0]


def rows(answer: Any) -> list[bytes]:
    """Return the rows of an alignment."""
    return [row.tobytes() for row in answer.alignment.letters]


CASES = [(method, options) for method in TAKES_A_TREE for options in OPTIONS.get(method.id, [{}])]
OF_A_CASE = pytest.mark.parametrize(
    ("method", "options"), CASES, ids=[f"{method.id}-{number}" for number, (method, _) in enumerate(CASES)]
)
SEEDS = range(int(os.environ.get("OWN_TREE_SEEDS", 12)))
FEW_SEEDS = 3
"""Seeds that are tried where slow tests are left out."""


@OF_A_CASE
@pytest.mark.parametrize(
    "seeds",
    [
        pytest.param(SEEDS[:FEW_SEEDS], id="few"),
        pytest.param(SEEDS[FEW_SEEDS:], id="others", marks=pytest.mark.slow),
    ],
)
def test_a_method_gives_its_alignment_back_along_its_own_tree(
    method: Method, options: dict[str, Any], seeds: range
) -> None:
    for seed, kind in itertools.product(seeds, LETTERS):
        data = family(seed, kind)
        first = solve(method, data, options)
        again = solve(method, (*data, written(first.tree)), options)
        assert rows(again) == rows(first), f"seed {seed}, {kind}"
        assert again.tree == first.tree


@pytest.mark.slow
@pytest.mark.parametrize("maker", MAKES_A_TREE, ids=lambda one: one.id)
@pytest.mark.parametrize("method", TAKES_A_TREE, ids=lambda one: one.id)
def test_a_result_along_any_tree_writes_that_tree(method: Method, maker: Method) -> None:
    for seed in SEEDS:
        data = family(seed)
        tree = written(solve(maker, data, {"references": 2}).tree)
        first = solve(method, (*data, tree), {})
        again = solve(method, (*data, written(first.tree)), {})
        assert rows(again) == rows(first), f"seed {seed}"


@pytest.mark.parametrize(
    ("guide", "maker"),
    [
        ("parttree", "parttree"),
        ("parttree", "cuda-parttree"),
        ("single-linkage", "lcs-single-linkage"),
        ("medoid", "medoid-tree"),
    ],
)
def test_a_guide_tree_is_that_of_its_method(guide: str, maker: str) -> None:
    method = registry.find_method("msa-parttree")
    for seed in SEEDS:
        data, picks = family(seed), {"references": 2, "pick_seed": seed}
        tree = solve(registry.find_method(maker), data, picks).tree
        along = solve(method, data, {"guide": guide, **picks})
        assert along.tree == tree, f"seed {seed}"
        assert rows(solve(method, (*data, written(tree)), picks)) == rows(along), f"seed {seed}"


@pytest.mark.parametrize("method", TAKES_A_TREE, ids=lambda one: one.id)
def test_leaves_without_letters_are_left_out_and_the_summary_says_given(method: Method) -> None:
    data = (*family(1), Sequence("empty", b"", SequenceType.PROTEIN))
    tree = solve(MAKES_A_TREE[0], data, {}).tree
    if any(taken.kind is ALIGNMENT for taken in method.problem_type.inputs):
        data = as_alignment(data, 2 * any(taken.kind is SEQUENCE for taken in method.problem_type.inputs))
    problem = method.problem_type.make_problem((*data, tree), {})
    assert "empty" in tree.taxa and "empty" not in problem.tree.taxa
    settings = dict(method.problem_type.setting_rows(problem))
    assert settings["Guide tree"] == "given"
    assert not {"Distances", "Seed", "References"} & settings.keys()
