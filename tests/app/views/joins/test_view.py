"""The joins of a tree, picture by picture."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QApplication

from antidiag.app.kit.selection import Selection
from antidiag.app.views.joins.scene import MOST_TAXA, build_scene
from antidiag.app.views.joins.view import JoinsView
from antidiag.kernels.io.distance_matrix import make_distance_matrix
from tests.app.answers import Answers
from tests.app.views import tree_examples

# The example of the article on neighbor joining in Wikipedia.
FIVE = np.array([[0, 5, 9, 9, 8], [5, 0, 10, 10, 9], [9, 10, 0, 8, 7], [9, 10, 8, 0, 3], [8, 9, 7, 3, 0]], float)


@pytest.fixture
def view(qtbot) -> JoinsView:
    view = JoinsView(Selection())
    qtbot.addWidget(view)
    view.resize(760, 640)
    view.show()
    view.show_result(tree_examples.result())
    QApplication.processEvents()
    view.canvas.repaint()
    return view


def cell(view: JoinsView, row: int, column: int) -> QPoint:
    places = view.canvas.layout_
    middle = places.row * (column + 0.5)
    return QPoint(round(places.matrix.left() + middle), round(places.y(row + 0.5)))


def test_the_words_are_those_of_the_textbook() -> None:
    found = build_scene(make_distance_matrix("abcde", FIVE), np.array([[0, 1], [5, 2]]))
    assert found.last_step == 3 and not found.average
    assert found.describe_step(0) == "a and b have the least Q, \u221250 (distance 5); branch lengths 2 and 3."
    assert "(a, b) and c" in found.describe_step(1) and found.next_clusters(1) == (5, 2)
    assert "3 clusters meet" in found.describe_step(2) and set(found.next_clusters(2)) == {6, 3, 4}
    assert found.next_clusters(3) == () and found.describe_step(3).startswith("The tree is complete after 2 joins")


def test_the_joins_of_upgma_have_heights() -> None:
    found = build_scene(make_distance_matrix("abcde", FIVE), np.array([[3, 4], [0, 1], [5, 2], [6, 7]]))
    assert found.average and found.last_step == 4
    assert found.describe_step(0).startswith("d and e have the least distance, 3: joined at height 1.5")


@pytest.mark.parametrize("taxa", [2, 3, 4, 9])
def test_clusters_are_rows_without_gaps(taxa: int) -> None:
    result = tree_examples.result(taxa)
    found = build_scene(result.problem.matrix, result.answer.joins)
    assert sorted(found.order.tolist()) == list(range(taxa))
    for at in range(found.last_step + 1):
        step, places = found.step_at(at), found.cluster_indices(at)
        for place, node in enumerate(step.nodes):
            rows = np.flatnonzero(places == place)
            assert rows.size and rows.tolist() == list(range(rows[0], rows[-1] + 1))
            assert {found.names[taxon] for taxon in found.order[rows].tolist()} == set(found.cluster_taxa(node))
        assert (places >= 0).all()


def test_steps_by_keys_buttons_and_slider(qtbot, view) -> None:
    end = view.current_moment.scene.last_step
    qtbot.keyClick(view.canvas, Qt.Key.Key_Right)
    qtbot.keyClick(view.canvas, Qt.Key.Key_Right)
    assert view.current_moment.time == view.player.slider.value() == 2
    assert view.player.label.text() == f"2 of {end}"
    qtbot.keyClick(view.canvas, Qt.Key.Key_Left)
    assert view.description.text() == view.current_moment.scene.describe_step(1)
    qtbot.keyClick(view.canvas, Qt.Key.Key_End)
    assert view.current_moment.time == end and "tree is complete" in view.description.text()
    qtbot.keyClick(view.canvas, Qt.Key.Key_Right)
    assert view.current_moment.time == end
    view.player.slider.setValue(1)
    assert view.current_moment.time == 1
    qtbot.keyClick(view.canvas, Qt.Key.Key_Home)
    assert view.current_moment.time == 0


def test_play_runs_to_the_end_and_pause_stops(qtbot, view, monkeypatch) -> None:
    now = [100.0]
    monkeypatch.setattr("antidiag.app.kit.controls.player.time", SimpleNamespace(monotonic=lambda: now[0]))
    qtbot.keyClick(view.canvas, Qt.Key.Key_Space)
    assert view.player.is_playing and view.player.play_button.text() == "Pause"
    now[0] += 1.5
    qtbot.waitUntil(lambda: view.current_moment.time == 1.5)
    view.player.speed_box.setCurrentIndex(view.player.speed_box.findText("5 joins/s"))
    now[0] += 0.1
    qtbot.waitUntil(lambda: view.current_moment.time == pytest.approx(2.0))
    now[0] += 100
    qtbot.waitUntil(lambda: not view.player.is_playing)
    assert view.current_moment.time == view.current_moment.scene.last_step and view.player.play_button.text() == "Play"
    view.player.play_button.click()
    assert view.player.is_playing and view.current_moment.time == 0, "from the beginning"
    view.player.play_button.click()
    assert not view.player.is_playing
    view.player.play()
    view.hide()
    assert not view.player.is_playing


def test_a_pair_is_described_and_selected(qtbot, view) -> None:
    scene_ = view.current_moment.scene
    names = [scene_.names[taxon] for taxon in scene_.order.tolist()]
    qtbot.mouseMove(view.canvas, cell(view, 0, 2))
    assert view.description.text().startswith(f"{names[0]} and {names[2]}: distance") and "Q" in view.description.text()
    qtbot.mouseClick(view.canvas, Qt.MouseButton.LeftButton, pos=cell(view, 0, 2))
    assert view.selection.taxa == {names[0], names[2]}
    qtbot.mouseClick(view.canvas, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.ControlModifier, cell(view, 1, 1))
    assert view.selection.taxa == set(names[:3])
    view.player.go_to_end()
    view.player.go_to(2)
    merged = scene_.step_at(2).nodes[int(scene_.cluster_indices(2)[0])]
    view.canvas.repaint()
    qtbot.mouseClick(view.canvas, Qt.MouseButton.LeftButton, pos=cell(view, 0, 0))
    assert view.selection.taxa == set(scene_.cluster_taxa(merged))
    assert view.current_moment.selected_taxa == view.selection.taxa


def test_the_criterion_is_least_for_the_pair(view) -> None:
    view.value_box.setCurrentIndex(1)
    moment = view.current_moment
    for at in range(len(moment.scene.steps) - 1):
        values, step = moment.matrix_values(at), moment.scene.step_at(at)
        i, j = (step.nodes.index(node) for node in step.pair)
        assert values[i, j] == pytest.approx(np.nanmin(values))
    assert any(item.text.startswith("Q ") for item in view.legend.items)


@pytest.mark.parametrize("time", [0, 0.9, 1, 2.99, 99])
def test_every_moment_can_be_drawn_and_saved(view, answers: Answers, tmp_path: Path, time: float) -> None:
    view.player.go_to(time)
    view.copy()
    assert not QGuiApplication.clipboard().image().isNull()
    path = tmp_path / "joins.svg"
    answers.path = path
    view.save()
    assert "ant" in path.read_text()


def test_which_results_have_joins_to_show(view) -> None:
    assert not JoinsView.shows(tree_examples.result(1)) and JoinsView.shows(tree_examples.result(2))
    assert MOST_TAXA >= 100
    for taxa in (2, 3):
        view.show_result(tree_examples.result(taxa))
        view.player.go_to_end()
        view.canvas.repaint()
        assert "tree is complete" in view.description.text()
    view.show_result(None)
    assert view.current_moment is None and view.description.text() == ""
    view.canvas.repaint()
