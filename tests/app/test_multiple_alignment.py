"""Multiple alignments in the window: their views, the session, what a run takes of what is picked; the command line."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from antidiag.app import texts
from antidiag.app.jobs.queue import Job
from antidiag.app.session import archive
from antidiag.app.session.session import Entry
from antidiag.app.session.state import State
from antidiag.app.views.aligned.view import AlignmentViewer
from antidiag.app.views.growth.growth_window import GrowthWindow
from antidiag.app.views.run.phases import PhasesView
from antidiag.app.views.tree.tree_view import TreeView
from antidiag.kernels import engine, registry
from antidiag.kernels.io import aligned_sequences
from antidiag.kernels.io.tree import Tree
from antidiag.kernels.model import Result, Sequence
from antidiag.kernels.msa import trials
from antidiag.kernels.msa.tree_growth import TreeGrowth


@pytest.fixture(scope="module")
def result() -> Result:
    method = registry.find_method("msa-clustalw")
    problem = method.problem_type.make_problem(trials.generate_family(5, 30), {})
    return engine.execute(engine.plan_run(method, problem, {}, "cpu"), keep_rate=False, keep_parts=False)


def test_its_views_are_the_alignment_the_tree_and_the_stages(qtbot: Any, window: Any, result: Result) -> None:
    window.viewer.show_entry(Entry(result))
    assert {"aligned", "tree", "growth", "phases"} <= set(window.viewer.tabs_shown())
    for name, kind in (("aligned", AlignmentViewer), ("tree", TreeView), ("phases", PhasesView)):
        window.viewer.turn_to(name)
        assert isinstance(window.viewer.current, kind)
    views = window.viewer.views
    assert views["aligned"].alignment == result.answer.alignment
    assert views["tree"].tree == result.answer.tree


def test_what_is_added_to_the_data_says_which_method_aligned_it(result: Result) -> None:
    alignment, tree = registry.find_method("msa-clustalw").problem_type.extract_data(result)
    kept, other = texts.extract_named_data(result)
    assert kept.name == f"{alignment.name} by ClustalW" and kept == alignment
    assert other == tree and other.name == tree.name


def test_it_survives_a_session(tmp_path: Path, result: Result) -> None:
    path = tmp_path / "kept.antidiag"
    archive.save(path, State(sequences=result.problem.sequences), [Entry(result)], {})
    _, (entry,), *_ = archive.load(path)
    assert entry.result.answer.alignment == result.answer.alignment and entry.result.answer.tree == result.answer.tree
    entry.result.check(entry.result.problem)


def test_a_tree_that_is_there_is_taken_only_where_it_is_picked(result: Result) -> None:
    taken = registry.find_method("msa-clustalw").problem_type.inputs[1]
    there = State(sequences=result.problem.sequences, data=(result.answer.tree,))
    assert there.given(taken) == ()
    picked = State(sequences=result.problem.sequences, data=(result.answer.tree,), picked=(0,))
    assert picked.given(taken) == (result.answer.tree,)
    assert not there.missing(registry.find_method("msa-clustalw").problem_type)


def test_the_command_line_writes_all_formats(says: Any, tmp_path: Path) -> None:
    source = tmp_path / "family.fa"
    family: tuple[Sequence, ...] = trials.generate_family(4, 25)
    source.write_text("".join(f">{one.name}\n{one.letters.decode()}\n" for one in family))
    wanted = None
    for suffix in (".fasta", ".aln", ".sto", ".phy", ".nex", ".msf", ".a2m"):
        path = tmp_path / f"out{suffix}"
        says("run", "msa-clustalw", str(source), "--backend", "cpu", "--out", str(path))
        (found,) = aligned_sequences.read_alignments(path)
        wanted = wanted or found
        assert found.names == wanted.names and (found.letters == wanted.letters).all(), suffix
    tree = tmp_path / "tree.nwk"
    says("run", "msa-clustalw", str(source), "--backend", "cpu", "--out", str(tree))
    told = json.loads(says("run", "msa-thesis", str(source), "--tree", str(tree), "--backend", "cpu", "--json", "-"))
    assert told["names"] == [one.name for one in family]
    assert {"aligned", "columns", "confidence", "tree", "times_ms"} <= told.keys()
    assert "distances" not in told["times_ms"]


def test_the_command_line_refines_judges_and_adds(says: Any, tmp_path: Path) -> None:
    first, refined, added, more = (tmp_path / name for name in ("first.afa", "refined.sto", "added.sto", "more.fa"))
    first.write_text(">a\nMKVALNDSTCC--\n>b\n--MKVALNDSTCC\n>c\nMKVALN--DSTCC\n")
    more.write_text(">d\nMKVALNDWWSTCC\n")
    told = json.loads(says("run", "msa-refine", str(first), "--backend", "cpu", "--refinement", "none", "--json", "-"))
    assert told["aligned"][0] == "MKVALNDSTCC--" and len(told["confidence"]) == told["columns"] == 13
    says("run", "msa-refine", str(first), "--backend", "cpu", "--out", str(refined))
    (found,) = aligned_sequences.read_alignments(refined)
    assert [row.tobytes() for row in found.letters] == 3 * [b"MKVALNDSTCC"]
    says("run", "msa-add", str(refined), "--add", str(more), "--backend", "cpu", "--out", str(added))
    (found,) = aligned_sequences.read_alignments(added)
    assert found.names == ("a", "b", "c", "d") and found.letters[3].tobytes() == b"MKVALNDWWSTCC"


def test_the_window_refines_the_alignment_that_is_picked_and_adds_what_is_open(result: Result) -> None:
    there = State(sequences=result.problem.sequences[:1], data=(result.answer.tree, result.answer.alignment))
    refine, add = (registry.find_method(method).problem_type for method in ("msa-refine", "msa-add"))
    assert there.inputs(refine) == (result.answer.alignment,) and not there.missing(refine)
    assert there.inputs(add) == (result.answer.alignment, result.problem.sequences[0])
    assert add.make_problem(there.inputs(add), {}).data == there.inputs(add)
    assert "alignment" in State(sequences=result.problem.sequences).missing(refine)


def test_a_job_that_shows_something_can_be_looked_at(qtbot: Any, window: Any) -> None:
    job = Job("alignment", "cpu", lambda monitor: None, lambda value: None)
    window.jobs._add_job(job)
    row = window.jobs.rows[job]
    assert row.watch_button.isHidden()
    job.monitor.partial_result = TreeGrowth.start_growth(Tree.from_joins(["a", "b"], np.array([[0, 1]])))
    window.jobs._change(job)
    assert not row.watch_button.isHidden()
    row.watch_button.click()
    (opened,) = window.findChildren(GrowthWindow)
    assert opened.isVisible() and opened.picture is not None
    opened.close()
    window.jobs._remove(job)
