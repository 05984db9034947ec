"""The cube as a person uses it: look, turn, point, go somewhere, save."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("PySide6")

from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtWidgets import QApplication, QTextBrowser

from antidiag.app import texts as app_texts
from antidiag.app import theme
from antidiag.app.kit.cube import cube_chunks
from antidiag.app.kit.cube.drawing import FIRST_TURN, TILT
from antidiag.app.kit.figures import export
from antidiag.app.kit.results import result_text as texts
from antidiag.app.kit.selection import Selection
from antidiag.app.views.aligned.view import AlignmentViewer
from antidiag.app.views.cube import cube_picture
from antidiag.app.views.cube.view import CubeView
from antidiag.app.views.run.timeline import TimelineView
from antidiag.app.views.summary.view import SummaryView
from antidiag.kernels.steps import StepLog
from antidiag.kernels.triple import reference
from antidiag.kernels.triple.model import MOVE_ORDER
from antidiag.kernels.triple.pictures import slices
from tests.app.views import triples


@pytest.fixture
def view(qtbot: Any) -> CubeView:
    """A cube of three short sequences, all of it on the screen."""
    return opened(qtbot, triples.result(triples.problem()))


def opened(qtbot: Any, result: Any) -> CubeView:
    found = CubeView(Selection())
    qtbot.addWidget(found)
    found.resize(1000, 760)
    found.show()
    found.show_result(result)
    qtbot.waitUntil(lambda: found.sharp)
    return found


def over_chunk(view: CubeView, number: int) -> QPoint:
    """The pixel in the middle of a chunk's top."""
    box = view.chunks.chunk_box(number)
    place = np.array([(box[0] + box[1]) / 2, (box[2] + box[3]) / 2, 0])
    return view.picture.drawing.current_projection().project_point(place).toPoint()


def point_at(qtbot: Any, view: CubeView, axis: int, cell: tuple[int, int, int]) -> None:
    """Move the mouse over a cell of a slice."""
    plot = view.slices.plots[axis]
    place = plot.getViewBox().mapViewToScene(QPointF(cell[plot.horizontal] + 0.5, cell[plot.vertical] + 0.5))
    plot.scene().sigMouseMoved.emit(place)


def test_slices_show_h_of_the_recurrence(view: CubeView) -> None:
    H = reference.compute_cube(view.result.problem)
    assert view.place == tuple(view.path[len(view.path) // 2])
    for plot in view.slices.plots:
        plane = H.take(view.place[plot.axis], plot.axis)
        assert np.array_equal(plot.values, plane if plot.axis == 2 else plane.T)
    assert [plot.getPlotItem().titleLabel.text for plot in view.slices.plots] == [
        f"{axis} = {place}" for axis, place in zip("ijk", view.place, strict=True)
    ]


def test_chunks_are_numbered_as_in_figure_1(view: CubeView) -> None:
    assert view.chunks.grid_numbers.tolist() == [[0, 1, 3], [2, 4, 6], [5, 7, 8]]
    texts = [word.text for word in view.picture.build_scene().words]
    assert texts == [str(number) for number in range(9)]


def test_a_click_in_a_slice_moves_the_others(qtbot: Any, view: CubeView) -> None:
    view.slices.plots[2].moved.emit((3, 5, view.place[2]))
    assert view.place[:2] == (3, 5)
    H = reference.compute_cube(view.result.problem)
    assert np.array_equal(view.slices.plots[0].values, H[3].T)
    view.slices.plots[0]._lines[0].setValue(9.5)
    view.slices.plots[0]._lines[0].sigDragged.emit(view.slices.plots[0]._lines[0])
    assert view.place[1] == 9


def test_going_somewhere_by_name(view: CubeView) -> None:
    assert view.go_to("2, 3, 4") and view.place == (2, 3, 4)
    assert view.go_to("end") and view.place == view.result.problem.lengths
    assert view.go_to("start") and view.place == (0, 0, 0)
    assert not view.go_to("2, 3") and "i, j, k" in view.status.text()
    assert not view.go_to("2, 3, 99") and "k = 99 is outside" in view.status.text()
    assert view.place == (0, 0, 0)


def test_the_slider_walks_along_the_path(view: CubeView) -> None:
    for point in (0, 7, len(view.path) - 1):
        view._slider.setValue(point)
        assert view.place == tuple(view.path[point])


@pytest.mark.parametrize("gap_open", [0, 6])
def test_a_hovered_cell_shows_its_candidates(qtbot: Any, gap_open: int) -> None:
    view = opened(qtbot, triples.result(triples.problem(12, gap_open)))
    V = reference.compute_values(view.result.problem)
    cell = (5, 6, view.place[2])
    point_at(qtbot, view, 2, cell)
    assert view.card.cell == cell
    assert [candidate.value for candidate in view.card.candidates] == [int(V[cell][move]) for move in MOVE_ORDER]
    assert view.card.chosen.value == int(V[cell].max())
    lines = view.card.candidate_lines()
    assert len(lines) == 7 and sum(line.endswith(", chosen") for line in lines) == 1
    said = [view.card.card_lines(candidate) for candidate in view.card.candidates]
    assert [line for card in said for line in card].count("chosen") == 1
    view.resize(600, 760)
    room = view.card.width() / 7 - 2 * theme.SPACING
    assert all(view.card.fontMetrics().horizontalAdvance(line) < room for card in said for line in card)
    letters = [chr(s.letters[at - 1]) for s, at in zip(view.result.problem.sequences, cell, strict=True)]
    assert lines[0].startswith(" ".join(letters))
    assert f"H {int(V[cell].max())}".replace("-", "\u2212") in view.status.text()
    assert (view.card.candidates[0].after is None) == (gap_open == 0)


def test_the_border_has_fewer_candidates(qtbot: Any, view: CubeView) -> None:
    view.go_to_cell((0, 3, 0))
    assert [candidate is not None for candidate in view.card.candidates] == [move == 2 for move in MOVE_ORDER]
    assert "outside the cube" in view.card.candidate_lines()[0]
    view.go_to_cell((0, 0, 0))
    assert view.card.chosen is None


def test_a_chunk_under_the_mouse_is_lit_in_the_timeline(qtbot: Any, view: CubeView) -> None:
    timeline = TimelineView(view.selection)
    qtbot.addWidget(timeline)
    timeline.show_result(view.result)
    for number in range(view.chunks.count):
        qtbot.mouseMove(view.picture.drawing, over_chunk(view, number))
        view.picture.drawing.hovered.emit(view.picture.drawing.chunk_under(QPointF(over_chunk(view, number))))
        assert view.selection.strip == number == timeline.bars.strip == view.picture.lit_chunk
    assert "chunk 8" in view.status.text() and "thread 0" in view.status.text()
    view.picture.drawing.hovered.emit(None)
    assert timeline.bars.strip is None


def test_a_bar_of_the_timeline_lights_its_chunk(qtbot: Any, view: CubeView) -> None:
    timeline = TimelineView(view.selection)
    qtbot.addWidget(timeline)
    timeline.show_result(view.result)
    timeline._point_at(4)
    strip = int(timeline.bars.lanes.events["strip"][4])
    assert view.picture.lit_chunk == strip
    assert any(stroke.name == "lit" for stroke in view.picture.drawing.marks)
    assert f"chunk {strip} " in timeline.status.text() and "layers" in timeline.status.text()
    assert "9 chunks" in timeline.summary.text()
    timeline._point_at(None)
    assert not any(stroke.name == "lit" for stroke in view.picture.drawing.marks)


def test_a_hovered_cell_lights_its_chunk(qtbot: Any, view: CubeView) -> None:
    point_at(qtbot, view, 2, (9, 17, view.place[2]))
    assert view.selection.strip == view.chunks.chunk_at((9, 17, 0)) == 6
    view.slices.plots[2].hovered.emit(None)
    assert view.selection.strip is None


def test_a_column_of_the_alignment_moves_the_slices(view: CubeView) -> None:
    view.selection.hover_column(4)
    assert view.place == tuple(view.path[5])


def test_turning_and_zooming(qtbot: Any, view: CubeView) -> None:
    drawing = view.picture.drawing
    qtbot.mousePress(drawing, Qt.MouseButton.LeftButton, pos=QPoint(100, 100))
    drawing.mouseMoveEvent(_moved(QPointF(180, 120)))
    qtbot.mouseRelease(drawing, Qt.MouseButton.LeftButton, pos=QPoint(180, 120))
    assert view.picture.eye.turn < FIRST_TURN and view.picture.eye.tilt > TILT
    near = view.picture.eye.near_sides()
    qtbot.keyClick(drawing, Qt.Key.Key_Right)
    for _ in range(30):
        qtbot.keyClick(drawing, Qt.Key.Key_Left)
    assert view.picture.eye.near_sides() != near
    assert over_chunk(view, 2) != over_chunk(view, 1)
    assert drawing.chunk_under(QPointF(over_chunk(view, 2))) == (1, 0)
    qtbot.mouseDClick(drawing, Qt.MouseButton.LeftButton)
    assert (view.picture.eye.turn, view.picture.eye.tilt) == (FIRST_TURN, TILT)


def _moved(position: QPointF) -> Any:
    from PySide6.QtCore import QEvent
    from PySide6.QtGui import QMouseEvent

    left = Qt.MouseButton.LeftButton
    return QMouseEvent(QEvent.Type.MouseMove, position, position, left, left, Qt.KeyboardModifier.NoModifier)


def test_colours_say_what_they_mean(view: CubeView) -> None:
    ink = cube_picture.scene_colours()
    assert "9 chunks of 8 \u00d7 8 \u00d7 22 cells, in 3 subchunks each" in words(view)
    assert "thread 0" in words(view) and "thread 1" in words(view)
    top = view.picture.build_scene().sheets[0].pixels
    assert top[0, 0] == ink.palette[0] and top[0, -1] == ink.palette[3 % 2]
    view.colour.setCurrentIndex(1)
    times = view.picture.build_scene().sheets[0].pixels
    assert times[0, 0] == ink.lut[0] and times[-1, -1] != times[0, 0]
    view.colour.setCurrentIndex(2)
    again = view.picture.build_scene().sheets[0].pixels
    assert again[0, 0] == ink.palette[-1] and again[0, -1] == ink.palette[-2]
    passed = {view.chunks.chunk_at(tuple(cell)) for cell in view.path.tolist()}
    assert f"{len(passed)} of 9 chunks" in words(view)


def words(view: CubeView) -> str:
    return "; ".join(item.text for item in view.legend.items)


def test_recomputed_boxes_hold_the_path(view: CubeView) -> None:
    boxes = view.chunks.recomputed_boxes
    for cell in view.path:
        inside = (boxes[:, 0::2] <= cell) & (cell < boxes[:, 1::2])
        assert inside.all(axis=1).any()


def test_one_event_for_the_whole_path_gives_the_same_boxes(view: CubeView) -> None:
    """A log may tell of phase 3 as one event; then the path says which subchunks were computed."""
    log, (i, j, k) = StepLog(), view.result.problem.lengths
    log.add_array(view.chunks.first_phase_events)
    log.add(3, 0, (0, i), (0, j), 0, 60_000_000, 61_000_000, (0, k))
    told = cube_chunks.collect_chunks(replace(view.result, steps=log))
    assert np.array_equal(told.is_recomputed, view.chunks.is_recomputed)
    assert len(told.recomputed_boxes) == len(view.chunks.recomputed_boxes)
    for cell in view.path:
        assert ((told.recomputed_boxes[:, 0::2] <= cell) & (cell < told.recomputed_boxes[:, 1::2])).all(
            axis=1
        ).sum() == 1
    assert (told.recomputed_boxes[:, 1::2] > told.recomputed_boxes[:, 0::2]).all()


def test_the_menu_hides_and_shows(view: CubeView) -> None:
    names = {stroke.name for stroke in view.picture.build_scene().strokes}
    assert {"path", "projection 0", "projection 1", "projection 2", "borders"} <= names
    for layer in ("chunks", "path", "projections"):
        view.layer_actions[layer].setChecked(False)
    scene = view.picture.build_scene()
    assert {stroke.name for stroke in scene.strokes} == {"frame"} and not scene.sheets and not scene.words
    view.layer_actions["slices"].setChecked(True)
    assert {sheet.name for sheet in view.picture.build_scene().sheets} == {"slice 0", "slice 1", "slice 2"}
    view.slices_action.setChecked(False)
    assert not view.slices.plots[0].isVisible() and view.picture.isVisible()


def test_slices_in_the_cube_cover_whole_planes(view: CubeView) -> None:
    view.layer_actions["slices"].setChecked(True)
    cells = np.array(view.chunks.grid.cells)
    for axis in range(3):
        pieces = [sheet for sheet in view.picture.build_scene().sheets if sheet.name == f"slice {axis}"]
        assert len(pieces) == 4
        area = sum(np.linalg.norm(piece.u) * np.linalg.norm(piece.v) for piece in pieces)
        assert area == pytest.approx(np.delete(cells, axis).prod())


def test_a_cube_that_is_not_kept_is_computed_slice_by_slice(qtbot: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(slices, "MOST_KEPT_VALUES", 10)
    view = opened(qtbot, triples.result(triples.problem()))
    H = reference.compute_cube(view.result.problem)
    assert view.values is None and not view.card.isVisible()
    for place in ((4, 5, 6), (4, 9, 6)):
        view.go_to_cell(place)
        qtbot.waitUntil(lambda: view.sharp)
        assert np.array_equal(view.slices.plots[0].values, H[place[0]].T)
        assert np.array_equal(view.slices.plots[1].values, H[:, place[1]].T)
        assert np.array_equal(view.slices.plots[2].values, H[:, :, place[2]])
        point_at(qtbot, view, 0, (place[0], 3, 3))
        assert f"H {H[place[0], 3, 3]}".replace("-", "\u2212") in view.status.text()


def test_large_planes_are_dressed_on_a_thread(qtbot: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    expected = opened(qtbot, triples.result(triples.problem()))
    monkeypatch.setattr("antidiag.app.views.cube.three_slices.SMALL_CELLS", 0)
    view = opened(qtbot, triples.result(triples.problem()))
    for place in ((4, 5, 6), (4, 9, 6)):
        view.go_to_cell(place)
        expected.go_to_cell(place)
        qtbot.waitUntil(lambda: view.sharp and expected.sharp)
        for ours, theirs in zip(view.slices.plots, expected.slices.plots, strict=True):
            assert np.array_equal(ours.image.image, theirs.image.image) and np.array_equal(ours.values, theirs.values)


def test_slices_that_the_cpu_computes_after_a_run_of_a_gpu_say_so(qtbot: Any) -> None:
    """No GPU of that name is here."""
    told = "computed by the CPU: NVIDIA Nowhere is missing or lacks memory"
    view = opened(qtbot, replace(triples.result(triples.problem()), backend="cuda", device="NVIDIA Nowhere"))
    assert told in [item.text for item in view.legend.items]
    view.show_result(triples.result(triples.problem(length=14)))
    qtbot.waitUntil(lambda: view.sharp)
    assert told not in [item.text for item in view.legend.items]


def test_a_long_pass_is_asked_for_and_can_be_cancelled(qtbot: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(slices, "MOST_KEPT_VALUES", 10)
    monkeypatch.setattr("antidiag.app.views.cube.slice_bar.ASKED_CELLS", 10)
    view = opened(qtbot, triples.result(triples.problem()))
    assert view.bar.isVisible() and "pass over" in view.bar.message
    assert view.slices.plots[0].values is None
    view.bar._start_work()
    view.bar.button.click()
    assert not view.bar.busy and view.bar.message == "H was not computed."
    view.bar.button.click()
    qtbot.waitUntil(lambda: view.sharp)
    assert view.slices.plots[0].values is not None and not view.bar.isVisible()


def test_a_cube_beyond_reach_says_so(qtbot: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(slices, "MOST_KEPT_VALUES", 10)
    monkeypatch.setattr(slices, "MOST_CELLS", 10)
    view = opened(qtbot, triples.result(triples.problem()))
    assert "slices are shown up to 10" in view.bar.message and not view.bar.button.isVisible()
    assert view.picture.build_scene().words


def test_a_score_has_no_path(qtbot: Any) -> None:
    view = opened(qtbot, triples.result(triples.problem(), score_only=True))
    assert view.path is None and not view._slider.isEnabled() and not view.layer_actions["path"].isEnabled()
    view.colour.setCurrentIndex(2)
    assert "recomputes nothing" in words(view)
    assert "path" not in view.hover_text((1, 2, 3))


def test_a_method_without_chunks_has_one(qtbot: Any) -> None:
    result = triples.result(triples.problem())
    view = opened(qtbot, replace(result, method="triple-traceback", parameters={}))
    assert view.chunks.count == 1 and "one chunk" in words(view)


def test_the_same_problem_keeps_place_and_values(qtbot: Any, view: CubeView) -> None:
    view.go_to_cell((1, 2, 3))
    kept = view.values
    view.show_result(triples.result(triples.problem(), s=16))
    assert view.place == (1, 2, 3) and view.values is kept and view.chunks.count == 4
    view.show_result(None)
    assert view.picture.build_scene() is None and view.values is None


def test_a_cube_that_comes_back_is_not_shown_anew(view: CubeView, monkeypatch: pytest.MonkeyPatch) -> None:
    shown: list[Any] = []
    monkeypatch.setattr(view.slices, "show_place", shown.append)
    view.hide()
    view.show()
    assert not shown
    view.hide()
    view.selection.choose_column(0)
    assert not shown
    view.show()
    assert shown == [view.place]


def test_figures_are_saved_in_both_themes(view: CubeView, tmp_path: Path) -> None:
    for choice in ("dark", "light"):
        theme.apply(QApplication.instance(), choice)
        for name in (f"{choice}.png", f"{choice}.svg"):
            export.save_figure(tmp_path / name, view.figure_size(), view.draw_figure, "cube")
            assert (tmp_path / name).stat().st_size > 5000
    svg = (tmp_path / "light.svg").read_text()
    assert "first" in svg and "SLOPED-BT2" in svg


def test_a_figure_has_every_part_in_its_own_size(view: CubeView) -> None:
    """Splitters make the plots of any size, and a plot that is scaled has letters of another size."""
    view._rows[0].setSizes([700, 300])
    QApplication.processEvents()
    (cube, third), (first, second) = view._figure_rows()
    assert [size for size, _ in (first, second, third)] == [plot.viewport().size() for plot in view.slices.plots]
    assert cube[0].width() > third[0].width() != first[0].width()
    whole = view.figure_size()
    assert whole.width() >= max(cube[0].width() + third[0].width(), first[0].width() + second[0].width())
    view.slices_action.setChecked(False)
    assert len(view._figure_rows()) == 1 and view.figure_size().height() < whole.height()


def test_names_of_any_length_leave_room_for_the_rest(qtbot: Any) -> None:
    problem = triples.problem()
    long = replace(problem, first=replace(problem.first, name="n" * 200))
    result = replace(triples.result(problem), problem=long)
    view = opened(qtbot, result)
    widest = max(view.fontMetrics().horizontalAdvance(name) for name in view.picture.names)
    assert widest < view.picture.width() / 2
    assert len(texts.format_title(result)) < 200
    assert "SLOPED-BT2" in app_texts.origin_line(result) and len(app_texts.origin_line(result)) < 300
    rows, summary = AlignmentViewer(view.selection), SummaryView(view.selection)
    for other in (rows, summary):
        qtbot.addWidget(other)
        other.resize(700, 700)
        other.show()
        other.show_result(result)
    assert rows.canvas.wrapped and rows.canvas.frame_.width > 20 * rows.canvas.frame_.cell_width
    assert summary.findChild(QTextBrowser).horizontalScrollBar().maximum() == 0
    summary.copy()
    assert "n" * 200 in QApplication.clipboard().text()


def test_only_triples_have_a_cube() -> None:
    from tests.app.views import examples

    assert not CubeView.shows(examples.result(examples.problem("ACGT", "ACGA")))
    assert cube_chunks.is_triple(triples.result(triples.problem()))
