"""The map of PartTree's recursion, and the distances of its groups."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest
from PySide6.QtCore import QPointF, QRectF
from PySide6.QtGui import QGuiApplication

from antidiag.app.kit.selection import Selection
from antidiag.app.views.recursion import view as recursion
from antidiag.app.views.recursion.distance_areas import TILE, DistanceAreas
from antidiag.app.views.recursion.line_window import LineWindow
from antidiag.app.views.recursion.view import RecursionView
from antidiag.kernels.model import Result
from antidiag.kernels.monitor import Monitor
from antidiag.kernels.parttree import reference, trials
from antidiag.kernels.parttree.problem import PartTreeAnswer, PartTreeProblem
from antidiag.kernels.parttree.splitting.recursion_map import make_recursion_map, measure_distances
from tests.app.views import made


@cache
def example() -> Result:
    problem = PartTreeProblem(trials.random_proteins(40, 20, 30), 6)
    return made.result("parttree", problem, reference.build_part_tree(problem))


def opened(qtbot, result: Result | None, selection: Selection | None = None) -> RecursionView:
    view = RecursionView(selection or Selection())
    qtbot.addWidget(view)
    view.resize(900, 600)
    view.show()
    view.show_result(result)
    qtbot.waitUntil(lambda: view.sharp)
    view.grab()
    qtbot.waitUntil(lambda: view.sharp)
    return view


def centre(view: RecursionView, reference: int) -> QPointF:
    area = QRectF(view.map_canvas.rect())
    return view.bands.reference_box(reference, view.bands.plot_area(area), view.bands.row_height(area)).center()


def test_clicking_a_reference_chooses_its_group_and_its_sequences(qtbot):
    selection = Selection()
    view = opened(qtbot, example(), selection)
    found = view.bands.map
    wide = int(np.argmax(found.references[found.bands[0], 2]))
    number = int(found.bands[0][wide])
    view.map_canvas.clicked.emit(centre(view, number))
    split = found.references[number, 3]
    assert view.bands.chosen == split
    names = example().problem.names
    assert selection.taxa == {names[at] for at in found.members(split)}
    assert len(view.bands.marked) == len(selection.taxa)
    view.map_canvas.pointed.emit(centre(view, number))
    assert names[found.references[number, 1]] in view.status.text() and "level 1" in view.status.text()
    view.choose_parent()
    assert view.bands.chosen == 0


def test_keys_walk_through_the_groups(qtbot):
    view = opened(qtbot, example())
    view.map_canvas.moved.emit((1, 0))
    below = view.bands.chosen
    assert view.bands.map.splits[below, 0] == 1
    view.map_canvas.moved.emit((0, 1))
    view.map_canvas.moved.emit((0, -1))
    view.map_canvas.moved.emit((-1, 0))
    assert view.bands.chosen == 0


def test_pointing_at_a_distance_tells_it(qtbot):
    selection = Selection()
    view = opened(qtbot, example(), selection)
    area = QRectF(view.distance_canvas.rect())
    plot = view.areas.plot_area(area)
    place = QPointF(plot.right() - 3, plot.bottom() - 3)
    row, column = view.areas.cell_at(area, place)
    view.distance_canvas.pointed.emit(place)
    one, other = view.areas.references[row : row + 1], view.areas.members[column : column + 1]
    expected = float(measure_distances(example().problem, one, other)[0, 0])
    assert f"distance {expected:.4g}" in view.status.text() and "area 3" in view.status.text()
    view.distance_canvas.clicked.emit(place)
    assert selection.taxa == {example().problem.names[int(at[0])] for at in (one, other)}


def test_tiles_have_the_distances_of_their_samples():
    problem = PartTreeProblem(trials.random_proteins(40, 20, 30), 6)
    own = DistanceAreas(problem, make_recursion_map(reference.build_part_tree(problem)), 0)
    area = QRectF(0, 0, 600, 300)
    tiles = own.compute_tiles(own.missing_tiles(area), Monitor())
    whole = tiles[own.whole_tile]
    np.testing.assert_allclose(whole, measure_distances(problem, own.references, own.members)[:TILE, :TILE], rtol=1e-6)
    own.store_tiles(tiles)
    assert own.missing_tiles(area) == [] and own.largest_distance == pytest.approx(float(whole.max()))


def test_the_table_has_a_line_for_each_level(qtbot):
    view = opened(qtbot, example())
    view.copy_table()
    lines = QGuiApplication.clipboard().text().splitlines()
    assert lines[0].startswith("level\tgroups") and len(lines) == 1 + len(view.bands.map.bands)
    assert lines[1].split("\t")[:3] == ["1", "1", "40"]


def test_zoom_stays_within_the_map(qtbot):
    view = opened(qtbot, example())
    view.map_canvas.zoomed.emit((4.0, QPointF(300, 40)))
    assert view.bands.window.width == pytest.approx(10)
    view.map_canvas.dragged.emit(QPointF(1e6, 0))
    assert view.bands.window.low == 0
    view.distance_canvas.zoomed.emit((2.0, QPointF(300, 60)))
    assert view.areas.columns.width == pytest.approx(20)
    view.fit()
    assert (view.bands.window.width, view.areas.columns.width) == (40, 40)
    window = LineWindow(5)
    window.zoom_at(100, 0.5, 8)
    assert window.width == 5


def test_what_has_no_recursion_says_so(qtbot):
    view = opened(qtbot, None)
    assert "Run PartTree" in view._empty_text() and view.table_text() == ""
    answer = example().answer
    old = made.result("parttree", example().problem, PartTreeAnswer(answer.tree, answer.splits))
    assert RecursionView.shows(old)
    view = opened(qtbot, old)
    assert view.bands is None and "Run the method again" in view._empty_text()
    single = made.result("lcs-single-linkage", example().problem, PartTreeAnswer(answer.tree))
    assert not RecursionView.shows(single)


def test_figures_have_both_pictures(qtbot):
    view = opened(qtbot, example())
    view.copy()
    assert not QGuiApplication.clipboard().image().isNull()


def test_places_of_many_chosen_sequences_are_found_on_a_thread(qtbot, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(recursion, "MOST_IMMEDIATE", 3)
    selection = Selection()
    view = opened(qtbot, example(), selection)
    names = example().problem.names
    selection.choose_taxa([*names[:9], "of another file"])
    qtbot.waitUntil(lambda: view.sharp)
    places = sorted(int(np.flatnonzero(view.bands.map.order == at)[0]) for at in range(9))
    assert view.bands.marked.tolist() == places
