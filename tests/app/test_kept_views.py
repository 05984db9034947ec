"""What a person set in a view is there again: after another result, in another tab, and at the next start."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PySide6.QtCore import QMimeData, QPoint, QPointF, Qt, QUrl
from PySide6.QtGui import QWheelEvent
from PySide6.QtWidgets import QApplication, QWidget

from antidiag.app import file_actions, settings, views
from antidiag.app.kit import ask
from antidiag.app.kit.canvas.moved_canvas import MovedCanvas
from antidiag.app.kit.selection import Selection
from antidiag.app.kit.view_protocols import EditedView, StatefulView
from antidiag.app.kit.view_state import ViewState, is_plain
from antidiag.app.panels.view_subject import ViewSubject
from antidiag.app.session import archive
from antidiag.app.session.entry import Entry
from antidiag.app.settings import VIEW_SETTINGS
from antidiag.app.views.aligned.widgets.alignment_canvas import AlignmentCanvas
from antidiag.app.views.tree.tree_canvas import TreeCanvas
from antidiag.kernels.io.distance_matrix import DistanceMatrix
from antidiag.kernels.model import Result
from tests.app.steps import sharp
from tests.app.views import examples

FIXTURES = Path(__file__).resolve().parents[1] / "fixtures"
SESSIONS = FIXTURES / "saved-0" / "sessions"
SAVED = [
    path for folder in ("saved-0", "saved-3") for path in sorted((FIXTURES / folder / "sessions").glob("*.antidiag"))
]


def turn_wheel(widget: QWidget) -> None:
    """Turn the wheel over the middle of a widget, as to zoom in."""
    middle = QPointF(widget.rect().center()) + QPointF(11, 7)
    where = QPointF(widget.mapToGlobal(middle.toPoint()))
    modifiers = Qt.KeyboardModifier.ControlModifier
    for keys in (Qt.KeyboardModifier.NoModifier, modifiers):
        event = QWheelEvent(middle, where, QPoint(0, 0), QPoint(0, 240), Qt.MouseButton.NoButton, keys,
                            Qt.ScrollPhase.NoScrollPhase, False)  # fmt: skip
        QApplication.sendEvent(widget, event)


def canvases(view: QWidget) -> list[QWidget]:
    """What the wheel zooms in a view."""
    found: list[QWidget] = [*view.findChildren(MovedCanvas), *view.findChildren(TreeCanvas)]
    found += [canvas.viewport() for canvas in view.findChildren(AlignmentCanvas)]
    return [widget for widget in found if widget.isVisible()]


def close_to(one: Any, other: Any) -> bool:
    """Whether two states are the same but for rounding."""
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(close_to(one[name], other[name]) for name in one)
    if isinstance(one, (list, tuple)) and isinstance(other, (list, tuple)):
        return len(one) == len(other) and all(map(close_to, one, other))
    if isinstance(one, float) or isinstance(other, float):
        return bool(np.isclose(one, other, rtol=0.02, atol=0.5))
    return bool(one == other)


@pytest.mark.slow
def test_every_view_comes_back_as_it_was_left(qtbot: Any, folder: Path) -> None:
    """Each kind of view, with a result of each problem: zoomed in, left for nothing, and shown again by another one."""
    seen: dict[str, set[str]] = {}
    for path in SAVED:
        entries = archive.load(path)[1]
        for kind in views.view_classes():
            whole = [entry for entry in entries if getattr(entry.result.answer, "alignment", "other") is not None]
            entry = next((entry for entry in whole if kind.shows(entry.result)), None)
            if entry is None or kind.id in seen:
                continue
            seen[kind.id] = set()
            view = kind(Selection())
            qtbot.addWidget(view)
            view.resize(900, 700)
            view.show()
            subject = ViewSubject.of_entry(entry)
            subject.show_in(view)
            sharp(qtbot, view)
            for canvas in canvases(view):
                turn_wheel(canvas)
            sharp(qtbot, view)
            if not isinstance(view, StatefulView):
                continue
            subject.store_state(view)
            left = json.loads(json.dumps(entry.views[view.id]))
            view.show_result(None)
            again = kind(Selection())
            qtbot.addWidget(again)
            again.resize(900, 700)
            again.show()
            ViewSubject(entry, None, entry.edits, {kind.id: left}).show_in(again)
            sharp(qtbot, again)
            if isinstance(again, EditedView):
                again.view_state.resume()
            found = again.view_state.collect()
            assert close_to(found, left), (kind.id, path.stem, left, found)
            seen[kind.id] = set(left)
    print(sorted(seen))
    assert {"aligned", "tree", "matrix", "dotplot", "distances", "graph", "states", "structure"} <= seen.keys()
    assert {"place", "selection", "forms", "colours"} <= seen["aligned"] and "window" in seen["tree"]


def test_an_alignment_is_where_it_was_left_when_its_result_is_chosen_again(qtbot: Any, two: Any) -> None:
    view = two.viewer.current
    assert view.id == "aligned"
    first, second = two.session.entries
    rows = np.zeros(6, bool)
    rows[2:4] = True
    columns = np.zeros(view.picture.shape[1], bool)
    columns[100:110] = True
    view.set_scheme("zappo" if "zappo" in dict_of_schemes(view) else "purine")
    view.set_track("entropy", True)
    view.canvas.zoom_cells(1.4, 1.2)
    view.canvas.go_to(3, 150)
    view.canvas.select_cells(rows, columns)
    view.tree.show_tree(view.tree.list_trees()[0])
    view.commands.hide_selected()
    qtbot.waitUntil(lambda: view.sharp)
    before = kept(view)
    assert view.canvas.frame_.first_column > 50 and view.tree.panel.isVisible() and view.picture.shape[0] == 4
    two.results.table.selectRow(two.results.table.row_of(second))
    assert two.viewer.result is second.result and view.canvas.frame_.first_column == 0
    two.results.table.selectRow(two.results.table.row_of(first))
    qtbot.waitUntil(lambda: two.viewer.result is first.result and view.sharp)
    assert kept(view) == before
    assert view.tree.panel.isVisible() and view.tree.panel.drawing is not None


def dict_of_schemes(view: Any) -> Any:
    from antidiag.app.views.aligned.colouring import schemes

    return schemes.available_schemes(view.alignment.type == "protein")


def kept(view: Any) -> Any:
    """What a person sees of an alignment."""
    frame, picture = view.canvas.frame_, view.picture
    return (
        round(frame.cell_width, 3),
        round(frame.cell_height, 3),
        round(frame.first_column, 3),
        round(frame.first_row, 3),
        picture.cursor,
        picture.cell_selection.list_blocks(),
        picture.order.tolist(),
        view.scheme,
        tuple(view.canvas.wanted_tracks),
        view.tree.tree is not None and view.tree.tree.taxa,
    )


def test_the_next_start_shows_the_views_as_they_were_left(
    qtbot: Any, make_window: Callable[[], Any], families: tuple[Result, Result]
) -> None:
    window = make_window()
    window.session.add_result(Entry(families[1]))
    window.session.add_result(Entry(families[0]))
    view = window.viewer.current
    view.set_track("entropy", True)
    view.tree.show_tree(view.tree.list_trees()[0])
    view.canvas.zoom_cells(1.4, 1.2)
    view.canvas.go_to(2, 140)
    qtbot.waitUntil(lambda: view.sharp)
    before = kept(view)
    window.close()
    again = make_window()
    assert file_actions.open_autosaved(again)
    qtbot.waitUntil(lambda: len(again.session.entries) == 2 and not again.opening and again.viewer.result is not None)
    shown = again.viewer.current
    qtbot.waitUntil(lambda: shown.sharp)
    assert shown.id == "aligned" and kept(shown) == before
    assert shown.tree.panel.isVisible()
    assert any(offered is shown.tree.original_tree for offered in shown.tree.list_trees())


def test_what_is_chosen_in_a_view_is_chosen_at_the_next_start(
    qtbot: Any, make_window: Callable[[], Any], families: tuple[Result, Result]
) -> None:
    """Colours, tracks and the size of letters are preferences: also for a result that was never shown."""
    window = make_window()
    window.settings.put("restore", False)
    window.session.add_result(Entry(families[0]))
    view = window.viewer.current
    view.set_scheme("identity")
    view.set_track("gaps", True)
    view.canvas.zoom_cells(1.3, 1.3)
    size = view.canvas.frame_.cell_width
    window.close()
    again = make_window()
    again.session.add_result(Entry(families[1]))
    shown = again.viewer.current
    assert shown.scheme == "identity" and "gaps" in shown.canvas.shown_tracks
    assert shown.canvas.frame_.cell_width == pytest.approx(size)


def test_a_matrix_keeps_its_window_for_each_result(qtbot: Any, window: Any) -> None:
    pairs = [examples.problem(*examples.related(size)) for size in (200, 150)]
    for pair in pairs:
        window.session.add_result(Entry(examples.result(pair)))
    second, first = window.session.entries
    window.session.show(first)
    window.viewer.turn_to("matrix")
    view = window.viewer.current
    qtbot.waitUntil(lambda: view.sharp)
    assert view.go_to("50:80, 40:90")
    qtbot.waitUntil(lambda: view.sharp)
    before = view.plot.box.viewRange()
    window.session.show(second)
    qtbot.waitUntil(lambda: view.sharp)
    assert not np.allclose(view.plot.box.viewRange(), before, atol=2)
    window.session.show(first)
    qtbot.waitUntil(lambda: view.sharp)
    assert np.allclose(view.plot.box.viewRange(), before, atol=1)


def test_a_state_that_does_not_fit_is_left_out() -> None:
    given: dict[str, Any] = {"zoom": 2, "map": "viridis"}
    state = ViewState()
    state.keep_place("zoom", lambda: given["zoom"], lambda zoom: given.update(zoom=float(zoom)))
    state.keep("map", lambda: given["map"], lambda name: given.update(map=name))
    state.restore({"zoom": "wide", "map": "magma", "other": 1})
    assert given == {"zoom": 2, "map": "magma"}
    given["zoom"] = float("inf")
    assert state.collect() == {"map": "magma"} and not is_plain([1, float("nan")]) and is_plain({"a": [1, None]})


def test_a_state_waits_for_what_a_thread_makes() -> None:
    ready, place = [False], [0]
    state = ViewState(lambda: ready[0])
    state.keep_place("place", lambda: place[0], lambda value: place.__setitem__(0, value))
    state.restore({"place": 5})
    assert place == [0] and state.collect() == {"place": 5}
    ready[0] = True
    state.resume()
    assert place == [5]
    ready[0] = False
    state.restore({"place": 9})
    state.forget()
    assert state.collect() == {}


def test_a_session_with_damaged_states_opens(tmp_path: Path, families: tuple[Result, Result]) -> None:
    from antidiag.app.session.state import State

    path = tmp_path / "a.antidiag"
    archive.save(path, State(), [Entry(families[0], views={"aligned": {"place": [1]}})], {})
    assert archive.load(path)[1][0].views == {"aligned": {"place": [1]}}
    assert archive.load(SESSIONS / "pair.antidiag")[1][0].views == {}


def test_dialogs_propose_names_made_from_what_is_shown(qtbot: Any, window: Any, answers: Any, tmp_path: Path) -> None:
    """Of data that no run made too, in the folder that was used last."""
    used = tmp_path / "used"
    used.mkdir()
    settings.Settings().put(ask.FOLDER, str(used))
    values = np.array([[0, 1.0, 2], [1, 0, 3], [2, 3, 0]])
    matrix = DistanceMatrix(("a", "b", "c"), values, "kringles", "/data/kringles.phy")
    window.session.add_data([matrix])
    assert window.shown_data.try_show_datum(matrix)
    qtbot.waitUntil(lambda: window.viewer.current.canvas.picture is not None)
    window.viewer.current.save()
    window.viewer.current.save_matrix()
    assert [place.name for place in answers.proposed] == ["kringles-distances.png", "kringles.csv"]
    assert {place.parent for place in answers.proposed} == {used}
    assert ask.join_name("NJ (basic)", "", "two files", "replay") == "NJ__basic_-two_files-replay"


def test_a_choice_in_a_view_is_stored_although_nothing_else_happens(
    qtbot: Any, window: Any, families: tuple[Result, Result]
) -> None:
    """It is there at the next start, also if the program is killed."""
    window.session.add_result(Entry(families[0]))
    window.viewer.turn_to("aligned")
    view = window.viewer.current
    window.autosave.close()  # which would store it too, after the next change of data
    view.set_scheme("taylor")
    view.set_track("quality", True)
    qtbot.waitUntil(lambda: "quality" in str(window.settings.view_setting("aligned", "forms")))
    assert "taylor" in str(window.settings.view_setting("aligned", "colours"))


def test_dialogs_begin_beside_a_file_that_was_dropped(qtbot: Any, window: Any, answers: Any, tmp_path: Path) -> None:
    path = tmp_path / "dropped" / "kringle.fasta"
    path.parent.mkdir()
    path.write_text(">a\nACGTACGT\n>b\nACGTTCGT\n")
    dropped = QMimeData()
    dropped.setUrls([QUrl.fromLocalFile(str(path))])
    window.loader.open_mime(dropped)
    qtbot.waitUntil(lambda: len(window.session.state.sequences) == 2 and bool(window.settings.recent_files()))
    window.commands["save_session"].trigger()
    assert answers.proposed == [path.with_name("kringle.antidiag")]


def test_a_zoomed_tree_and_matrix_are_there_at_the_next_start(
    qtbot: Any, make_window: Callable[[], Any], families: tuple[Result, Result]
) -> None:
    window = make_window()
    window.resize(1500, 900)
    pair = examples.result(examples.problem(*examples.related(200)))
    for result in (families[0], pair):
        window.session.add_result(Entry(result))
    window.viewer.turn_to("matrix")
    matrix = window.viewer.current
    sharp(qtbot, matrix)
    assert matrix.go_to("50:80, 40:90")
    sharp(qtbot, matrix)
    seen = matrix.plot.box.viewRange()
    window.session.show(window.session.entries[1])
    window.viewer.turn_to("tree")
    tree = window.viewer.current
    sharp(qtbot, tree)
    tree.set_shape("slanted")
    tree.canvas.zoom_about(2.5)
    tree.canvas.pan_by(0, -30)
    sharp(qtbot, tree)
    frame = tree.canvas.frame
    window.close()
    again = make_window()
    again.resize(1500, 900)
    assert file_actions.open_autosaved(again)
    qtbot.waitUntil(lambda: len(again.session.entries) == 2 and not again.opening and again.viewer.result is not None)
    shown = again.viewer.current
    assert shown.id == "tree" and str(shown.shape) == "slanted"
    sharp(qtbot, shown)
    found = shown.canvas.frame
    for name in ("across", "down", "left", "top"):
        assert getattr(found, name) == pytest.approx(getattr(frame, name), rel=0.05, abs=3), name
    again.session.show(again.session.entries[0])
    again.viewer.turn_to("matrix")
    sharp(qtbot, again.viewer.current)
    assert np.allclose(again.viewer.current.plot.box.viewRange(), seen, atol=6)


def test_a_preference_is_what_a_person_chose_not_what_a_result_brought(qtbot: Any, two: Any) -> None:
    """Neither is a preference that was set elsewhere replaced by what an open view has."""
    first, second = two.session.entries
    two.viewer.current.set_scheme("identity")
    two.session.show(second)
    assert two.settings.mapping(VIEW_SETTINGS)["aligned"]["colours"] == {"protein": "identity"}
    two.settings.put(VIEW_SETTINGS, {"aligned": {"colours": {"protein": "taylor"}}})
    two.session.show(first)
    two.session.show(second)
    assert two.settings.mapping(VIEW_SETTINGS)["aligned"]["colours"] == {"protein": "taylor"}
    two.viewer.current.set_scheme("zappo")
    two.session.show(first)
    assert two.settings.mapping(VIEW_SETTINGS)["aligned"]["colours"] == {"protein": "zappo"}
    assert two.viewer.current.scheme == "identity"
