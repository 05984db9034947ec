"""How the tree of an alignment fills: what a run shows meanwhile, and what its step log says afterwards."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from antidiag.kernels import engine, registry
from antidiag.kernels.io.tree import Tree
from antidiag.kernels.model import Result
from antidiag.kernels.monitor import Monitor
from antidiag.kernels.msa import tree_growth
from antidiag.kernels.msa.tree_growth import DONE, NOT_YET, UNDER_WAY, WAITING, TreeGrowth
from antidiag.kernels.msa.trials import generate_family
from antidiag.kernels.steps import StepLog

METHODS = ("msa", "msa-thesis", "msa-thesis-serial", "msa-clustalw")


def run(method_id: str, monitor: Monitor | None = None) -> Result:
    method = registry.find_method(method_id)
    options = {"delay": 95.0} if method_id == "msa-clustalw" else {}
    problem = method.problem_type.make_problem(generate_family(9, 25), options)
    return engine.execute(engine.plan_run(method, problem, {}, "cpu"), monitor, keep_rate=False, keep_parts=False)


def assert_children_are_before(found: TreeGrowth) -> None:
    assert (found.node_states() == DONE).all()
    for node in found.inner_nodes.tolist():
        assert found.ended_ns[node] >= found.begun_ns[node] >= 0
        for child in found.tree.children(node).tolist():
            assert found.ended_ns[child] <= found.begun_ns[node], f"{child} is done after {node} is begun"


@pytest.mark.parametrize("method_id", METHODS)
def test_children_are_aligned_before_their_parents(method_id: str) -> None:
    monitor = Monitor()
    result = run(method_id, monitor)
    assert tree_growth.can_replay(result)
    replayed = tree_growth.replay_growth(result)
    assert replayed is not None
    assert_children_are_before(replayed)
    shown = monitor.partial_result
    assert shown.tree == replayed.tree == tree_growth.followed_tree(result.problem, result.answer)
    assert_children_are_before(shown)
    if method_id != "msa":  # what is refined afterwards has other columns
        assert shown.columns[0] == result.answer.alignment.letters.shape[1]
    assert set(shown.tree.taxa) == set(result.problem.taxa)


def test_a_moment_has_what_is_begun_and_what_is_done() -> None:
    found = TreeGrowth.start_growth(Tree.from_joins(["a", "b", "c"], np.array([[0, 1], [3, 2]])))
    inner = found.inner_nodes
    assert (
        found.node_states()[inner].tolist() == [WAITING, WAITING]
        and found.node_states()[found.tree.leaves].tolist() == [2] * 3
    )
    found.begin_nodes([int(inner[1])])
    assert found.node_states()[inner].tolist() == [WAITING, UNDER_WAY]
    found.end_node(int(inner[1]), 7)
    assert found.node_states()[inner].tolist() == [WAITING, DONE] and found.columns[inner].tolist() == [0, 7]
    assert found.node_states(-1)[inner].tolist() == [WAITING, WAITING] and found.ended_ns[inner[0]] == NOT_YET


def test_joins_are_nodes_of_their_tree() -> None:
    joins = np.array([[3, 1], [0, 5], [2, 4], [6, 7]])
    tree = Tree.from_joins([str(number) for number in range(5)], joins)
    below = {number: {str(number)} for number in range(5)}
    for made, (first, second) in enumerate(joins.tolist()):
        below[5 + made] = below[first] | below[second]
    for made, node in enumerate(tree_growth.join_nodes(joins, tree).tolist()):
        low, high = np.searchsorted(tree.leaves, (node, tree.ends[node])).tolist()
        assert set(tree.taxa[low:high]) == below[5 + made]


def test_a_log_without_the_nodes_is_told_so() -> None:
    result = run("msa-thesis")
    assert tree_growth.replay_growth(replace(result, steps=StepLog())) is None
    assert not tree_growth.can_replay(replace(result, steps=StepLog()))
