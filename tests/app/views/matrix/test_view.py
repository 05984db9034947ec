"""The matrix of a pair: cells, layers, recomputed areas, states of the path, and the scan behind them."""

import threading
from dataclasses import replace

import numpy as np
import pytest
from PySide6.QtCore import QPointF
from PySide6.QtGui import QColor, QGuiApplication

from antidiag.app import theme
from antidiag.app.kit.figures import export
from antidiag.app.kit.plane import cells as matrix_cells
from antidiag.app.kit.plane import path_states
from antidiag.app.kit.plane.matrix_picture import LAYERS
from antidiag.app.kit.tasks import progress_card
from antidiag.app.views.matrix import view as matrix
from antidiag.kernels import engine, registry
from antidiag.kernels.errors import MemoryRefused
from antidiag.kernels.pairwise import reference
from antidiag.kernels.registry import matrix_values
from tests.app.views import examples
from tests.app.views.matrix.steps import FIRST, SECOND, settled, shown


@pytest.mark.parametrize("options", [{}, {"mode": "global"}, {"first": SECOND, "second": FIRST}])
def test_cells_print_the_values_of_the_recurrence(qtbot, view, options):
    result = shown(qtbot, view, **options)
    full = reference.compute_matrices(result.problem)
    assert view.go_to("40, 42")
    settled(qtbot, view)
    assert view.plot.visible_frame().shows_cells
    for cell in ((40, 42), (39, 44), (42, 41)):
        expected = tuple(f"{values[cell]}".replace("-", "\u2212") for values in (full.H, full.E, full.F))
        assert matrix_cells.cell_values(view.picture, cell) == expected


def test_cells_whose_values_take_long_are_said_to_be_computed(qtbot, view, monkeypatch):
    shown(qtbot, view)
    compute, go_on = matrix_values.compute_cell_block, threading.Event()
    monkeypatch.setattr(matrix_values, "compute_cell_block", lambda *given: go_on.wait(60) and compute(*given))
    assert view.go_to("40, 42")
    qtbot.waitUntil(lambda: view.status.text() == "Computing the values of these cells ...")
    go_on.set()
    settled(qtbot, view)
    assert "Computing" not in view.status.text() and matrix_cells.cell_values(view.picture, (40, 42)) is not None


def test_minus_infinity_and_borders(qtbot, view):
    shown(qtbot, view, mode="global")
    view.go_to("0, 0")
    settled(qtbot, view)
    assert matrix_cells.cell_values(view.picture, (0, 0)) == ("0", "\u2212\u221e", "\u2212\u221e")
    assert matrix_cells.cell_values(view.picture, (0, 2)) == ("\u22129", "\u2212\u221e", "\u22129")


def test_hover_says_values_letters_and_path(qtbot, view, selection):
    result = shown(qtbot, view)
    full = reference.compute_matrices(result.problem)
    i, j = (int(x) for x in result.answer.alignment.list_cells()[30])
    selection.hover_cell((i, j))
    qtbot.waitUntil(lambda: "H" in view.describe_cell((i, j)))
    text = view.describe_cell((i, j))
    assert text.startswith(f"cell ({i}, {j})   H {full.H[i, j]}")
    assert f"{FIRST[i - 1]} \u00b7 {SECOND[j - 1]}" in text
    assert text.endswith("on the path, after column 30   strip 0   recomputed")
    assert view.describe_cell((i, j + 5)).endswith("not on the path   strip 1")
    assert "before first" in view.describe_cell((0, 3))


def test_the_mouse_tells_the_others_cell_and_strip(qtbot, view, selection):
    shown(qtbot, view)
    place = view.plot.box.mapViewToScene(QPointF(70.3, 19.7))
    view.plot.scene().sigMouseMoved.emit(place)
    assert selection.cell == (20, 70)
    assert selection.strip == 2
    view.plot.scene().sigMouseMoved.emit(view.plot.box.mapViewToScene(QPointF(-9, 20)))
    assert selection.cell is None
    assert selection.strip is None


def test_strips_run_over_the_longer_sequence(qtbot, view):
    shown(qtbot, view)
    assert view.picture.strip_axis == 1
    assert view.picture.strip_of((5, 33)) == 1
    shown(qtbot, view, first=SECOND, second=FIRST)
    assert view.picture.strip_axis == 0
    assert view.picture.strip_of((33, 5)) == 1
    assert view.picture.strip_of((0, 5)) is None
    assert view.picture.strip_span(2) == (65, 92)


@pytest.mark.parametrize("swapped", [False, True])
def test_recomputed_areas_lie_on_the_path(qtbot, view, swapped):
    pair = {"first": SECOND, "second": FIRST} if swapped else {}
    result = shown(qtbot, view, **pair)
    cells = result.answer.alignment.list_cells()[1:]
    covered = np.zeros(len(cells), bool)
    for top, bottom, left, right in view.picture.recomputed.tolist():
        covered |= (cells[:, 0] >= top) & (cells[:, 0] < bottom) & (cells[:, 1] >= left) & (cells[:, 1] < right)
    assert len(view.picture.recomputed) == 3
    assert covered.all()


@pytest.mark.parametrize("swapped", [False, True])
def test_chunk_borders_run_across_the_strips(qtbot, view, swapped):
    pair = {"first": SECOND, "second": FIRST} if swapped else {}
    result = shown(qtbot, view, **pair)
    assert not view.layer_actions["chunks"].isVisible()
    view.show_result(replace(result, method="chunked-alignment-1", parameters={**result.parameters, "h": 16}))
    assert view.layer_actions["chunks"].isVisible()
    assert f"every 16 {'columns' if swapped else 'rows'}" in " ".join(item.text for item in view.legend.items)
    with_chunks = view.plot.grab().toImage()
    view.layer_actions["chunks"].setChecked(False)
    without = view.plot.grab().toImage()
    frame = view.plot.visible_frame()
    changed = {
        (x, y) for x in range(with_chunks.width()) for y in range(with_chunks.height())
        if with_chunks.pixel(x, y) != without.pixel(x, y)
    }  # fmt: skip
    across = {pixel[0 if swapped else 1] for pixel in changed}
    place = frame.x if swapped else frame.y
    expected = [place(k * 16 + 0.5) for k in range(6)]
    assert across
    assert all(min(abs(found - border) for border in expected) <= 1.5 for found in across)


def layers_offered(view):
    return {layer for layer, action in view.layer_actions.items() if action.isVisible()}


def words(view):
    return " | ".join(item.text for item in view.legend.items)


def made_by(result, method, **parameters):
    """The same result as another method would have given it."""
    return replace(result, method=method, parameters={**result.parameters, **parameters})


def test_only_what_a_method_has_is_offered(qtbot, view):
    result = shown(qtbot, view)
    common = {"path", "ends", "recomputed"}
    strips = {"strips", "boundaries", "states"}
    for method, parameters, own in (
        ("striped-alignment", {}, strips),
        ("chunked-alignment-1", {"h": 16}, {*strips, "chunks"}),
        ("checkpointed-alignment", {"tile": 64}, {"strips", "tiles", "states"}),
        ("enhanced-ba", {"s": 8}, {"blocks"}),
    ):
        view.show_result(made_by(result, method, **parameters))
        assert layers_offered(view) == common | own, method
    view.show_result(examples.result(examples.problem(FIRST, SECOND), score_only=True))
    assert layers_offered(view) == {"ends", "strips"}


@pytest.mark.parametrize("swapped", [False, True])
@pytest.mark.parametrize("method", ["striped-alignment", "chunked-alignment-2", "checkpointed-alignment"])
def test_sub_paths_meet_in_the_states_of_the_path(qtbot, view, method, swapped):
    gap = FIRST[:40] + SECOND[20:28] + FIRST[40:]
    pair = {"first": gap, "second": FIRST} if swapped else {"first": FIRST, "second": gap}
    result = shown(qtbot, view, **pair)
    view.show_result(made_by(result, method, h=16, tile=32))
    cells = [tuple(cell) for cell in result.answer.alignment.list_cells().tolist()]
    expected = {}
    for before, after, operation in zip(cells, cells[1:], result.answer.alignment.operations, strict=False):
        cuts = [axis for axis, distance in path_states.list_path_cuts(view.picture)
                if after[axis] > before[axis] and before[axis] and before[axis] % distance == 0]  # fmt: skip
        if cuts:
            expected[before] = "HEF"[operation]
    found = dict(path_states.find_marks(view.plot.visible_frame(), view.picture))
    assert found == expected
    assert len(found) >= 2
    assert "partial paths meet" in words(view)
    view.layer_actions["states"].setChecked(False)
    assert "partial paths meet" not in words(view)


def test_marks_of_states_make_room_when_far_away(qtbot, view):
    view.resize(300, 300)
    shown(qtbot, view, first=FIRST * 5, second=SECOND * 5)
    assert not path_states.find_marks(view.plot.visible_frame(), view.picture)
    assert "partial paths meet: in H, or in a gap (E, F) (zoom in)" in words(view)


def test_special_rows_and_columns_are_drawn_and_can_be_switched_off(qtbot, view):
    result = shown(qtbot, view)
    view.show_result(made_by(result, "checkpointed-alignment", tile=64))
    assert "special row or column, every 64 cells" in words(view)
    colour = QColor(theme.active().special).rgb()
    for layer, action in view.layer_actions.items():
        action.setChecked(layer == "tiles")
    image, frame = view.plot.grab().toImage(), view.plot.visible_frame()
    row, column = round(frame.y(64.5)), round(frame.x(64.5))
    assert all(any(image.pixel(round(frame.x(j)), row + d) == colour for d in (-1, 0)) for j in range(2, 90))
    assert all(any(image.pixel(column + d, round(frame.y(i))) == colour for d in (-1, 0)) for i in range(2, 60))
    view.layer_actions["tiles"].setChecked(False)
    assert "special row" not in words(view)
    assert view.plot.grab().toImage() != image


def test_dense_special_rows_leave_the_colours_visible(qtbot, view):
    """Many of them are faint or left out, and the legend says so; a few are drawn in full."""
    result = shown(qtbot, view, first=FIRST * 5, second=SECOND * 5)
    for layer, action in view.layer_actions.items():
        action.setChecked(layer == "tiles")
    special = QColor(theme.active().special).rgb()

    def share(tile):
        view.show_result(made_by(result, "checkpointed-alignment", tile=tile))
        plot = view.plot.grab(view.plot.visible_frame().visible_area.toAlignedRect()).toImage()
        places = [(x, y) for x in range(0, plot.width(), 3) for y in range(0, plot.height(), 3)]
        return sum(plot.pixel(*place) == special for place in places) / len(places)

    apart = min(view.plot.visible_frame().column_width, view.plot.visible_frame().row_height)
    assert 0 < share(round(100 / apart)) < 0.1
    assert share(round(20 / apart)) == 0
    assert "(zoom in)" not in words(view)
    view.resize(240, 240)
    assert share(32) == 0
    assert "special row or column, every 32 cells (zoom in)" in words(view)


@pytest.mark.parametrize("swapped", [False, True])
def test_the_tiles_that_a_real_run_computed_again_are_shown(qtbot, view, swapped):
    pair = {"first": SECOND * 3, "second": FIRST * 3} if swapped else {"first": FIRST * 3, "second": SECOND * 3}
    problem, method = examples.problem(**pair, mode="global"), registry.find_method("checkpointed-alignment")
    given = {"s": 32, "tile": 64, "T": 32, "threads": 2, "checkpoint_memory": 16}
    result = engine.execute(engine.plan_run(method, problem, given, "cpu"))
    view.show_result(result)
    settled(qtbot, view)
    assert view.picture.phases == (2,)
    assert all(view.picture.recomputed_at((i, j)) for i, j in result.answer.alignment.list_cells()[1:].tolist())
    assert not view.picture.recomputed_at((5, 250))
    assert "recomputed in phase 2" in words(view)
    i, j = result.answer.alignment.list_cells()[100].tolist()
    assert f"tile ({(i - 1) // 64}, {(j - 1) // 64})   recomputed" in view.describe_cell((i, j))


@pytest.mark.parametrize("swapped", [False, True])
def test_blocks_that_pruning_skipped_are_veiled(qtbot, view, swapped):
    letters = "".join(np.random.default_rng(4).choice(list("ACGT"), 900))
    first, second = (letters, letters[:700]) if swapped else (letters[:700], letters)
    problem = examples.problem(first, second)
    plan = engine.plan_run(registry.find_method("striped-score"), problem, {"s": 32, "T": 32}, "cpu")
    result = engine.execute(plan, keep_rate=False)
    view.show_result(result)
    settled(qtbot, view)
    picture = view.picture
    sizes = np.diff(picture.skipped[:, :2]) * np.diff(picture.skipped[:, 2:])
    assert sizes.sum() == result.answer.skipped.skipped_cells > problem.cells / 2
    far, near = ((880, 30), (300, 301)) if swapped else ((30, 880), (300, 301))
    assert picture.skipped_at(far)
    assert not picture.skipped_at(near)
    assert "skipped by pruning" in view.describe_cell(far)
    assert "skipped by pruning" not in view.describe_cell(near)
    assert "skipped" in layers_offered(view)
    assert "skipped by pruning" in words(view)


def test_the_path_is_painted_through_its_cells(qtbot, view):
    result = shown(qtbot, view)
    for layer in LAYERS:
        view.layer_actions[layer].setChecked(layer == "path")
    cells = result.answer.alignment.list_cells()[5:-5:7]
    assert all(_has_colour(view, *cell, "#ff5a5a") for cell in cells.tolist())
    view.layer_actions["path"].setChecked(False)
    assert not any(_has_colour(view, *cell, "#ff5a5a") for cell in cells.tolist())


def test_path_cells_are_framed_at_cell_level(qtbot, view):
    result = shown(qtbot, view)
    i, j = (int(x) for x in result.answer.alignment.list_cells()[40])
    view.go_to(f"{i}, {j}")
    settled(qtbot, view)
    assert _has_colour(view, i, j, "#ff5a5a")
    assert not _has_colour(view, i + 1, j - 1, "#ff5a5a")


def _has_colour(view, i, j, colour):
    """Whether a pixel of this colour lies in the picture of a cell."""
    image = view.plot.grab().toImage()
    box = view.plot.visible_frame().visible_rect((i, i + 1), (j, j + 1))
    wanted = QColor(colour).rgb()
    return any(
        image.pixel(x, y) == wanted
        for x in range(int(box.left()), int(box.right()) + 1)
        for y in range(int(box.top()), int(box.bottom()) + 1)
    )


def test_the_scan_is_kept_for_the_same_problem(qtbot, view):
    shown(qtbot, view)
    scanned = view._scanned
    view.show_result(examples.result(examples.problem(FIRST, SECOND), score_only=True))
    assert view._scanned is scanned
    assert view.picture.path is None
    view.show_result(examples.result(examples.problem(FIRST, SECOND, mode="global")))
    assert view._scanned is None


@pytest.mark.parametrize(
    "options",
    [{"score_only": True}, {"first": "AAAA", "second": "TTTTT"}, {"first": "A", "second": "A"},
     {"first": "A" * 60, "second": "C", "mode": "global"}, {"first": FIRST[:50], "second": "ACGT" * 80}],
)  # fmt: skip
def test_unusual_results_are_painted(qtbot, view, options):
    shown(qtbot, view, **options)
    for place in ("end", "0, 0"):
        view.go_to(place)
        settled(qtbot, view)
        view.grab()
    view.show_path()
    view.show_one_to_one()
    view.grab()
    view.show_result(None)
    view.grab()
    assert view.describe_cell((1, 1)) == ""


def test_the_scan_tells_no_time_before_it_knows_one():
    assert progress_card.progress_text("Computing the matrix", 0.0001, 2.0) == "Computing the matrix: 0 %"
    assert progress_card.progress_text("Computing the matrix", 0.5, 2.0) == "Computing the matrix: 50 %, 2.0 s left"


def test_a_large_problem_asks_first_and_can_be_cancelled(qtbot, view, monkeypatch):
    monkeypatch.setattr(matrix, "LARGE_CELLS", 100)
    view.show_result(examples.result(examples.problem(FIRST, SECOND)))
    assert view.scan_panel.isVisible()
    assert "8,190 cells" in view.scan_panel.message
    assert view._scanned is None

    def endless(problem, monitor, gpu):
        while True:
            monitor.update(1, 10)

    with monkeypatch.context() as patched:
        patched.setattr(matrix_values, "scan_matrix", endless)
        view.scan_panel.button.click()
        qtbot.waitUntil(lambda: "10 %" in view.scan_panel.message)
        view.scan_panel.button.click()
        assert "not computed" in view.scan_panel.message
    view.scan_panel.button.click()
    settled(qtbot, view)
    assert not view.scan_panel.isVisible()


def test_a_scan_that_fails_says_why(qtbot, view, monkeypatch):
    def broken(problem, monitor, gpu):
        raise MemoryRefused("no room for the checkpoints")

    monkeypatch.setattr(matrix_values, "scan_matrix", broken)
    view.show_result(examples.result(examples.problem(FIRST, SECOND)))
    qtbot.waitUntil(lambda: "no room" in view.scan_panel.message)


def test_figures_are_written(qtbot, view, tmp_path):
    shown(qtbot, view)
    for name in ("matrix.png", "matrix.svg"):
        export.save_figure(tmp_path / name, view.figure_size(), view.draw_figure, "title")
    drawing = (tmp_path / "matrix.svg").read_text(encoding="utf-8")
    assert "second (j)" in drawing
    assert "<image" in drawing
    assert (tmp_path / "matrix.png").read_bytes().startswith(b"\x89PNG")
    view.copy()
    assert not QGuiApplication.clipboard().image().isNull()


def test_contrast_and_colour_map_change_the_picture(qtbot, view):
    shown(qtbot, view)
    pictures = []
    for change in (lambda: None, lambda: view.set_contrast("root"), lambda: view.set_map("cividis")):
        change()
        pictures.append(view.plot.grab().toImage())
    assert pictures[0] != pictures[1]
    assert pictures[1] != pictures[2]


def test_the_matrix_of_a_gpu_that_is_not_here_says_so(qtbot, view):
    result = replace(examples.result(examples.problem(FIRST, SECOND)), backend="cuda", device="NVIDIA Other")
    view.show_result(result)
    qtbot.waitUntil(lambda: view._scanned is not None)
    assert view._scanned.device is None
    assert "Matrix computed by the CPU" in view.status.text()
