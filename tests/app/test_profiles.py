"""Profiles in the window and on the command line: alignments that are open stand for them, or are made into others."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from antidiag.app import file_actions
from antidiag.app.dialogs.profile_dialog import COMPUTED_WEIGHTS, EQUAL_WEIGHTS, FILE_WEIGHTS, ProfileDialog
from antidiag.app.window import Window
from antidiag.kernels import profiles, registry
from antidiag.kernels.io import newick
from antidiag.kernels.io.aligned_sequences import AlignedSequences
from antidiag.kernels.profiles.profile import Profile

FIRST = ">near\nACDEFGHIKL\n>same\nACDEFGHIKL\n>far\nMNPQRS-VWY\n"
SECOND = ">one\nACDE-GHIKL\n>two\nACDEYGHI-L\n"


@pytest.fixture
def window(make_window: Callable[[], Window], monkeypatch: pytest.MonkeyPatch) -> Window:
    """A window with the methods of profiles."""
    monkeypatch.setattr(registry, "METHODS", profiles.METHODS)
    return make_window()


@pytest.fixture
def files(tmp_path: Path) -> tuple[Path, Path]:
    found = tmp_path / "first.afa", tmp_path / "second.afa"
    for path, text in zip(found, (FIRST, SECOND), strict=True):
        path.write_text(text)
    return found


def opened(qtbot: Any, window: Window, files: tuple[Path, Path]) -> list[AlignedSequences]:
    window.loader.open_paths(files)
    qtbot.waitUntil(lambda: len(window.session.state.data) == 2 and window.viewer.datum is window.session.state.data[0])
    window.data.set_problem(profiles.PROFILES)
    return list(window.session.state.data)


def kinds(window: Window) -> list[str]:
    items = [window.data.list.topLevelItem(row) for row in range(window.data.list.topLevelItemCount())]
    return [item.text(1) for item in items]


def test_alignments_that_are_open_are_taken_in_their_order(qtbot: Any, window: Window, files: Any) -> None:
    data = opened(qtbot, window, files)
    assert window.session.state.inputs(profiles.PROFILES) == tuple(data)
    assert kinds(window) == ["alignment, first", "alignment, second"]
    window.session.swap_inputs(profiles.PROFILES)
    assert window.session.state.inputs(profiles.PROFILES) == tuple(reversed(data))
    assert kinds(window) == ["alignment, second", "alignment, first"]
    window.session.undo_stack.undo()
    problem = profiles.PROFILES.make_problem(data, {})
    window.session.swap_inputs(profiles.PROFILES)
    window.session.use(profiles.PROFILES, problem.data)
    assert window.session.state.inputs(profiles.PROFILES) == tuple(data), "found by the profiles that they stand for"


def test_a_profile_is_made_with_weights_and_shown(qtbot: Any, window: Window, files: Any) -> None:
    data = opened(qtbot, window, files)
    window.session.add_data(newick.parse_newick("((near:1,same:1):3,far:4);"))
    window.data.list.setCurrentItem(window.data.list.topLevelItem(0))
    asked: list[Any] = []
    window.data.profile_wanted.connect(asked.append)
    assert window.data.profile_button.isVisible()
    dialog = window.ask_profile(data[0])
    offered = [dialog.weights.itemData(row) for row in range(dialog.weights.count())]
    assert offered[:2] == [EQUAL_WEIGHTS, COMPUTED_WEIGHTS] and offered[-1] == FILE_WEIGHTS and len(offered) == 4, (
        "the tree fits its rows"
    )
    dialog.weights.setCurrentIndex(2)
    dialog.pseudocounts.setValue(2)
    dialog.name.setText("weighted")
    dialog._request_profile()
    qtbot.waitUntil(lambda: len(window.session.state.data) == 4)
    made = window.session.state.data[3]
    assert isinstance(made, Profile) and (made.name, made.pseudocounts) == ("weighted", 2)
    weights = dict(zip(made.names, made.weights.tolist(), strict=True))
    assert weights["far"] == 1 and weights["near"] == weights["same"] == 0.625
    assert window.viewer.tabs_shown() == ("profile",) and "weighted" in window.viewer.heading_label.text()
    window.data.list.setCurrentItem(window.data.list.topLevelItem(0))
    window.data.want_profile()
    assert asked == [data[0]]


def test_a_computed_tree_and_a_file_of_weights(qtbot: Any, window: Window, files: Any, tmp_path: Path) -> None:
    first, second = opened(qtbot, window, files)
    wanted: list[Any] = []
    dialog = ProfileDialog(first, [], window)
    dialog.profile_requested.connect(wanted.append)
    dialog.weights.setCurrentIndex(1)
    dialog._request_profile()
    made = wanted[0].make_profile(None)
    assert dict(zip(made.names, made.weights, strict=True))["far"] == 1 > made.weights[0]
    (tmp_path / "weights.txt").write_text("one 3\ntwo 1\n")
    other = ProfileDialog(second, [], window)
    other.choose_file(tmp_path / "weights.txt")
    other.profile_requested.connect(wanted.append)
    other._request_profile()
    assert wanted[1].make_profile(None).weights.tolist() == [3, 1]
    wrong = ProfileDialog(first, [], window)
    wrong.choose_file(tmp_path / "weights.txt")
    assert "row near has no weight" in wrong.hint.text() and wrong.weights.currentData() == EQUAL_WEIGHTS


def test_the_viewer_offers_a_profile_of_what_it_shows(qtbot: Any, window: Window, files: Any) -> None:
    opened(qtbot, window, files)
    wanted: list[Any] = []
    window.viewer.profile_wanted.connect(wanted.append)
    window.viewer.turn_to("aligned")
    window.viewer.current.exporter.request_profile()
    assert [found.names for found in wanted] == [("near", "same", "far")]


def test_a_profile_goes_with_the_session(qtbot: Any, window: Window, files: Any, tmp_path: Path) -> None:
    first, _ = opened(qtbot, window, files)
    ProfileDialog(first, [], window)
    made = profiles.profile_files.profile_from_alignment(first, [1, 2, 3])
    window.session.add_data([made])
    path = tmp_path / "kept.antidiag"
    file_actions.save_session(window, path)
    qtbot.waitUntil(path.exists)
    window.session.remove_data([0, 1, 2])
    file_actions.open_session(window, path)
    qtbot.waitUntil(lambda: len(window.session.state.data) == 3)
    again = window.session.state.data[2]
    assert again == made and again.weights.tolist() == [1, 2, 3]


def test_the_command_line_makes_profiles(says: Any, refuses: Any, files: Any, tmp_path: Path) -> None:
    target = tmp_path / "made.json"
    text = says("profile", files[0], "--weights", "clustalw", "--pseudocounts", "1", "--out", target)
    assert "10 columns of 3 rows" in text and "pseudo-counts" in text
    found = json.loads(target.read_text())
    assert found["pseudocounts"] == 1 and max(found["weights"]) == 1 > min(found["weights"])
    assert "7 columns" in says("profile", "--random", "7", "--seed", "3", "--out", tmp_path / "random.csv")
    assert json.loads(says("profile", tmp_path / "random.csv", "--json"))["alphabet"].endswith("-")
    assert "give either a FILE or --random N" in refuses("profile")
    assert "remove --weights" in refuses("profile", "--random", "5", "--weights", "clustalw")
    assert "rows of a profile have weights already" in refuses("profile", target, "--weights", "clustalw")
    assert "cannot write this format" in refuses("profile", files[0], "--out", tmp_path / "made.txt")
    score = says("run", "profile-wavefront", target, files[1], "--backend", "cpu")
    assert "made x second" in score or "first x second" in score
