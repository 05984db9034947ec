"""Shortest paths as a person looks at them: the matrix, its steps, a path, a negative cycle."""

import numpy as np
import pytest
from PySide6.QtCore import QLineF, QPointF, QRectF, QSizeF, Qt
from PySide6.QtGui import QColor, QGuiApplication

from antidiag.app import theme
from antidiag.app.kit.selection import Selection
from antidiag.app.views.graph import graph_drawing
from antidiag.app.views.graph.view import GraphView
from antidiag.kernels import engine, registry
from antidiag.kernels.graphs.graph import from_weights
from antidiag.kernels.graphs.problem import PathsAnswer, PathsProblem
from antidiag.kernels.registry import samples
from tests.app.views import made

INF = np.inf
WEIGHTS = np.array([[0, 4, 2, INF], [INF, 0, INF, 5], [INF, 1, 0, 8], [7, INF, INF, 0]])
DISTANCES = np.array([[0, 3, 2, 8], [12, 0, 14, 5], [13, 1, 0, 6], [7, 10, 9, 0.0]])


def problem(weights=WEIGHTS, names="ABCD", **options):
    return PathsProblem(from_weights(np.array(weights, float), tuple(names)), **options)


def answered(**options):
    return made.result("floyd-warshall", problem(**options), PathsAnswer(DISTANCES))


def round_trip():
    """A goes to B, B to C, C to A, for -1 in all."""
    weights = [[0, 4, INF], [INF, 0, -6], [1, INF, 0]]
    return made.result("floyd-warshall", problem(weights, "ABC"), PathsAnswer(None, cycle=(0, 1, 2)))


@pytest.fixture
def view(qtbot):
    view = GraphView(Selection())
    qtbot.addWidget(view)
    view.resize(800, 500)
    view.show()
    return view


def shown(qtbot, view, result):
    view.show_result(result)
    settle(qtbot, view)


def settle(qtbot, view):
    qtbot.waitUntil(lambda: view.sharp)
    QGuiApplication.processEvents()


def centre(view, entry):
    matrix, _ = graph_drawing.split_area(QRectF(view.plane.rect()), view.shown)
    return graph_drawing._entry_box(matrix, matrix.width() / view.shown.vertex_count, entry).center()


def words(view):
    return " | ".join(item.text for item in view.legend.items)


def test_a_click_marks_the_shortest_path(qtbot, view):
    shown(qtbot, view, answered())
    qtbot.mouseClick(view.plane, Qt.MouseButton.LeftButton, pos=centre(view, (0, 3)).toPoint())
    settle(qtbot, view)
    assert view.shown.chosen == (0, 3)
    assert view.shown.marked == {(0, 2), (2, 1), (1, 3)}
    assert "A \u2192 D: 8   path A \u2192 C \u2192 B \u2192 D (3 edges)" in view.status.text()
    image, box = view.plane.grab().toImage(), centre(view, (2, 1))
    edge = [QColor(image.pixel(x, round(box.y()))).name() for x in range(round(box.x()) - 70, round(box.x()))]
    assert theme.active().path in edge


def test_two_vertices_of_the_graph_choose_a_pair(qtbot, view):
    shown(qtbot, view, answered())
    _, graph = graph_drawing.split_area(QRectF(view.plane.rect()), view.shown)
    for vertex in (3, 1):
        place = graph_drawing._vertex_centre(graph, view.shown, vertex)
        assert graph_drawing.vertex_at(place, QRectF(view.plane.rect()), view.shown) == vertex
        view.plane.clicked.emit(place)
    settle(qtbot, view)
    assert view.shown.chosen == (3, 1) and "D \u2192 B: 10" in view.status.text()


def test_the_pair_that_was_asked_for_is_chosen(qtbot, view):
    shown(qtbot, view, answered(start="B", end="A"))
    assert view.shown.chosen == (1, 0) and view.shown.path == (1, 3, 0)
    qtbot.keyClick(view.plane, Qt.Key.Key_Right)
    assert view.shown.chosen == (1, 1)


def test_steps_let_the_vertices_in_one_by_one(qtbot, view):
    shown(qtbot, view, answered())
    view.player.slider.setValue(0)
    settle(qtbot, view)
    assert np.array_equal(view.shown.stage.values, WEIGHTS) and view.shown.stage.improved is None
    view.player.slider.setValue(3)
    settle(qtbot, view)
    improved = {(u, v) for u, v in np.argwhere(view.shown.stage.improved).tolist()}
    assert improved == {(0, 1), (0, 3), (3, 1)}
    assert "3 of 4: via C" in view.player.label.text() and "3 pairs shortened" in words(view)


def test_playing_goes_through_all_steps_and_stops(qtbot, view):
    shown(qtbot, view, answered())
    view.player.offer_speeds({"": 1000.0})
    view.player.play_button.click()
    assert view.player.play_button.text() == "Pause"
    qtbot.waitUntil(lambda: view.player.play_button.text() == "Play" and view.player.slider.value() == 4)
    settle(qtbot, view)
    assert np.array_equal(view.shown.stage.values, DISTANCES)


def test_a_negative_cycle_is_shown(qtbot, view):
    shown(qtbot, view, round_trip())
    assert view.shown.marked == {(0, 1), (1, 2), (2, 0)}
    assert "A \u2192 B \u2192 C \u2192 A has negative weight \u22121" in view.status.text()
    assert "negative cycle" in words(view)


def test_pointing_tells_a_distance_and_that_there_is_no_path(qtbot, view):
    alone = made.result("floyd-warshall", problem([[0, INF], [3, 0]], "AB"), PathsAnswer(np.array([[0, INF], [3, 0]])))
    shown(qtbot, view, alone)
    view.plane.pointed.emit(centre(view, (0, 1)))
    assert view.status.text().startswith("A \u2192 B: no path")
    view.plane.pointed.emit(None)
    assert view.shown.pointed is None


def test_weights_of_edges_cover_neither_each_other_nor_vertices():
    crossing = {(0, 1): QLineF(0, 0, 300, 150), (1, 0): QLineF(0, 150, 300, 0), (2, 3): QLineF(0, 60, 300, 60),
                (3, 2): QLineF(100, 0, 100, 150)}  # fmt: skip
    vertex = QRectF(90, 40, 22, 22)
    boxes = graph_drawing.weight_boxes(crossing, dict.fromkeys(crossing, QSizeF(20, 16)), [vertex])
    placed = [vertex, *boxes.values()]
    assert not any(one.intersects(other) for at, one in enumerate(placed) for other in placed[:at])
    alone = graph_drawing.weight_boxes({(0, 1): QLineF(0, 0, 300, 0)}, {(0, 1): QSizeF(20, 16)}, [])
    assert alone[0, 1].center() == QPointF(100, 0)


def test_weights_of_the_bundled_graph_are_apart(qtbot, view, monkeypatch):
    drawn, boxes = [], graph_drawing.weight_boxes
    monkeypatch.setattr(graph_drawing, "weight_boxes", lambda *given: drawn.append(boxes(*given)) or drawn[-1])
    (graph,) = samples.find_sample("five-vertices").read_data()
    (floyd,) = (method for method in registry.METHODS if method.id == "floyd-warshall")
    found = engine.execute(
        engine.plan_run(floyd, floyd.problem_type.make_problem((graph,), {}), {}, "cpu"),
        keep_rate=False,
        keep_parts=False,
    )
    shown(qtbot, view, found)
    view.grab()
    placed = list(drawn[-1].values())
    assert len(placed) >= 8
    assert not any(one.intersects(other) for at, one in enumerate(placed) for other in placed[:at])


@pytest.mark.parametrize("colours", ["light", "dark"])
def test_one_vertex_and_many_are_painted(qtbot, view, colours):
    theme.switch(colours)
    try:
        for n in (1, 60):
            made_of = problem(np.zeros((n, n)), [f"v{k}" for k in range(n)])
            shown(qtbot, view, made.result("floyd-warshall", made_of, PathsAnswer(np.zeros((n, n)))))
            view.plane.pointed.emit(QPointF(100, 100))
            assert not view.plane.grab().isNull()
    finally:
        theme.switch("light")
