"""Trees of alignments in one run: the same on the emulated device, by every interface, with support."""

from __future__ import annotations

import importlib
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import antidiag as ad
from antidiag.app.cli.program import main
from antidiag.kernels import engine
from antidiag.kernels.errors import Cancelled, ParameterError
from antidiag.kernels.io.aligned_sequences import AlignedSequences
from antidiag.kernels.io.distance_matrix import numbered_names
from antidiag.kernels.io.newick import newick_text
from antidiag.kernels.io.tree_files import read_trees
from antidiag.kernels.model import SequenceType
from antidiag.kernels.monitor import Monitor
from antidiag.kernels.registry import find_method
from antidiag.kernels.trees.alignment_trees import problem as rules
from antidiag.kernels.trees.alignment_trees import trials
from antidiag.kernels.trees.alignment_trees.split_support import compute_support, join_splits
from antidiag.kernels.trees.problem import NEIGHBOR_JOINING, TreeProblem
from tests.choosing import HypothesisChooser
from tests.example_counts import try_examples

METHOD = "nj-alignment"


def make_family(rows: int, columns: int, changes: float = 0.05, seed: int = 1) -> AlignedSequences:
    """Rows that descend from each other by random changes."""
    random, letters = np.random.default_rng(seed), np.frombuffer(b"ACGT", np.uint8)
    found = [random.choice(letters, columns)]
    while len(found) < rows:
        parent = found[random.integers(len(found))]
        found.append(np.where(random.random(columns) < changes, random.choice(letters, columns), parent))
    return AlignedSequences(tuple(numbered_names(rows)), np.array(found, np.uint8), SequenceType.DNA)


def compute_tree(problem: rules.AlignmentTreeProblem, **parameters: int) -> rules.AlignmentTreeAnswer:
    return engine.execute(engine.plan_run(find_method(METHOD), problem, parameters, "cpu")).answer


@st.composite
def problems(draw: st.DrawFn) -> rules.AlignmentTreeProblem:
    return trials.draw_problem(HypothesisChooser(draw), 20)


@try_examples(12)
@given(problem=problems(), seed=st.sampled_from((0, 1)))
def test_emulated_trees_are_the_textbooks(emulated, problem, seed) -> None:
    found = emulated(METHOD, problem, seed=seed).answer
    trials.check_same(problem, found, trials.textbook_trees(problem), find_method(METHOD))


@pytest.mark.slow
def test_emulated_distances_are_computed_some_tiles_at_a_time(emulated, monkeypatch: pytest.MonkeyPatch) -> None:
    columns = importlib.import_module("antidiag.kernels.trees.distances.alignment_columns.cuda_columns")
    monkeypatch.setattr(columns, "FIRST_SLICE", 1)
    problem = rules.AlignmentTreeProblem(make_family(150, 70), "kimura", "single")
    assert emulated(METHOD, problem).answer.tree == compute_tree(problem, threads=2).tree


@pytest.mark.slow
def test_emulated_memory_is_foretold(emulated) -> None:
    import cupy

    problem = rules.AlignmentTreeProblem(make_family(120, 90), bootstrap=2)
    cupy.get_default_memory_pool().free_all_blocks()
    plan = engine.plan_run(find_method(METHOD), problem, {}, "cuda")
    assert 0 < engine.execute(plan).device_bytes <= plan.footprint.device_bytes


def test_the_tree_is_that_of_both_methods_one_after_the_other() -> None:
    family = make_family(60, 200)
    distances = ad.run("distance-alignment", family, distance_model="jukes-cantor")
    both = engine.execute(engine.plan_run(find_method("nj-pruned"), TreeProblem(distances.data), {}, "cpu")).answer
    found = compute_tree(rules.AlignmentTreeProblem(family, "jukes-cantor"))
    np.testing.assert_array_equal(found.joins, both.joins)
    assert found.tree == both.tree


def test_support_is_the_same_on_any_number_of_threads_and_high_where_columns_agree() -> None:
    letters = np.array([list(b"AAAAAAAAAA"), list(b"AAAAAAAAAC"), list(b"CCCCCCCCCA"), list(b"CCCCCCCCCC")], np.uint8)
    four = AlignedSequences(("a", "b", "c", "d"), letters, SequenceType.DNA)
    problem = rules.AlignmentTreeProblem(four, bootstrap=200, bootstrap_seed=5)
    one, two = (compute_tree(problem, threads=threads).tree for threads in (1, 2))
    assert one == two
    supports = [float(name) for name in (one.names[node] for node in np.flatnonzero(one.degrees)) if name]
    assert supports and min(supports) >= 95
    other = compute_tree(rules.AlignmentTreeProblem(make_family(30, 40), bootstrap=50, bootstrap_seed=5)).tree
    again = compute_tree(rules.AlignmentTreeProblem(make_family(30, 40), bootstrap=50, bootstrap_seed=6)).tree
    assert other.names != again.names and np.array_equal(other.lengths, again.lengths, equal_nan=True)


@pytest.mark.parametrize("taxa", [1, 2, 3, 4])
def test_few_rows_have_a_tree_with_or_without_replicates(taxa: int) -> None:
    for bootstrap in (0, 3):
        problem = rules.AlignmentTreeProblem(make_family(taxa, 33), bootstrap=bootstrap)
        found = compute_tree(problem)
        found.check(problem)
        assert found.tree == trials.textbook_trees(problem)[NEIGHBOR_JOINING].tree


def test_splits_do_not_depend_on_the_side_that_was_joined() -> None:
    """((a, b), (c, d), e) by two orders of joins."""
    one, other = np.array([[0, 1], [2, 3]]), np.array([[3, 2], [4, 5]])
    assert join_splits(one, 5)[1] == join_splits(other, 5)[0]
    assert join_splits(one, 5)[0] == join_splits(other, 5)[1]
    assert compute_support(one, 5, (one, other, np.array([[0, 2], [1, 3]]))) == ["67", "67"]


def test_the_command_line_and_python_write_the_same_tree(tmp_path: Path) -> None:
    family = make_family(25, 120)
    path, out = tmp_path / "family.fasta", tmp_path / "family.nwk"
    rows = zip(family.names, family.letters, strict=True)
    path.write_text("".join(f">{name}\n{row.tobytes().decode()}\n" for name, row in rows))
    arguments = ["run", METHOD, str(path), "--bootstrap", "20", "--distance-model", "tn93", "--out", str(out)]
    assert main(arguments) == 0
    (read,) = read_trees(out)
    found = ad.tree(family, bootstrap=20, distance_model="tn93")
    assert newick_text(found.data) == newick_text(read)
    supports = [name for node, name in enumerate(read.names) if read.degrees[node] and name]
    assert len(supports) == 22 and all(0 <= int(name) <= 100 for name in supports)
    assert sorted(entry.name for entry in tmp_path.iterdir()) == ["family.fasta", "family.nwk"]


@pytest.mark.parametrize("root", ["none", "midpoint"])
def test_a_branch_with_the_root_is_counted_once(root: str) -> None:
    problem = rules.AlignmentTreeProblem(make_family(30, 200, 0.2), root=root, bootstrap=3)
    result = engine.execute(engine.plan_run(find_method(METHOD), problem, {}, "cpu"))
    rows = dict(rules.answer_rows(result))
    assert rows["Branches with a support of 95 % or more"].endswith(" of 27")


def test_cancelling_stops_between_replicates() -> None:
    monitor = Monitor(lambda done, total, phase: monitor.cancel() if phase == "bootstrap" and done else None)
    problem = rules.AlignmentTreeProblem(make_family(40, 60), bootstrap=100_000)
    with pytest.raises(Cancelled):
        engine.execute(engine.plan_run(find_method(METHOD), problem, {}, "cpu"), monitor)


def test_options_that_do_not_fit_are_refused() -> None:
    proteins = AlignedSequences(("a", "b"), np.array([list(b"ACDEF")] * 2, np.uint8), SequenceType.PROTEIN)
    with pytest.raises(ParameterError, match="logdet is for nucleotides"):
        rules.build_problem([proteins], {"distance_model": "logdet"})
    with pytest.raises(ParameterError, match="is no taxon of"):
        rules.build_problem([proteins], {"root": "outgroup", "outgroup": "x"})


def test_memory_is_that_of_one_matrix() -> None:
    letters = np.broadcast_to(np.frombuffer(b"A", np.uint8), (100_000, 1500))
    problem = rules.AlignmentTreeProblem(
        AlignedSequences(tuple(numbered_names(100_000)), letters, SequenceType.DNA), precision="single"
    )
    method = find_method(METHOD)
    planned = method.cost.estimate_memory(problem, method.parameters.restore({"threads": 2}), "cuda")
    assert 40e9 < planned.device_bytes < 40.5e9 and planned.host_bytes < 1 << 28 and not planned.disk_bytes
