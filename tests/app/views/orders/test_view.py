"""LAYERED and SLOPED side by side, as a person steps through them."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("PySide6")

from PySide6.QtCore import QPointF, Qt

from antidiag.app.kit.figures import export
from antidiag.app.kit.selection import Selection
from antidiag.app.views.orders.view import OrdersView
from antidiag.kernels.triple.chunk_order import ChunkOrder
from tests.app.views import triples


@pytest.fixture
def view(qtbot: Any) -> OrdersView:
    found = OrdersView(Selection())
    qtbot.addWidget(found)
    found.resize(900, 700)
    found.show()
    found.show_result(triples.result(triples.problem()))
    return found


def test_stepping_by_buttons_keys_and_slider(qtbot: Any, view: OrdersView) -> None:
    layered, sloped = view.panels
    qtbot.keyClick(view, Qt.Key.Key_Right)
    assert (layered.step, sloped.step, view.player.slider.value()) == (1, 1, 1)
    assert (
        sloped.step_text() == "step 2 of 12: 3 cells at once" and layered.step_text() == "step 2 of 42: 2 cells at once"
    )
    qtbot.keyClick(view, Qt.Key.Key_Left)
    assert view.player.step == 0
    view.player.slider.setValue(30)
    assert sloped.step_text() == "done after 12 steps" and layered.step_text().startswith("step 31 of 42")


def test_playing_goes_to_the_end_and_begins_anew(qtbot: Any, view: OrdersView) -> None:
    qtbot.keyClick(view, Qt.Key.Key_Space)
    assert view.player.is_playing and view.player.play_button.text() == "Pause"
    view.player.advance(1)
    assert view.player.step == 1
    view.player.slider.setValue(view.player.slider.maximum() - 1)
    view.player.advance(1)
    assert not view.player.is_playing and all(panel.step_text().startswith("done") for panel in view.panels)
    view.player.play()
    assert view.player.step == 0
    view.hide()
    assert not view.player.is_playing


def test_another_chunk_begins_at_its_first_step(view: OrdersView) -> None:
    view.player.slider.setValue(9)
    view.s.setValue(3)
    assert view.player.step == 0 and view.panels[0].order == ChunkOrder(True, 3, 3, 6)
    view.layers.setValue(2)
    assert view.player.slider.maximum() == 10
    assert "(2 \u00d7 3 \u2212 1) \u00d7 2 = 10" in view.counts_label.text()


def test_the_chunks_of_the_run_are_counted(view: OrdersView) -> None:
    assert "A chunk of this run has 8 \u00d7 8 \u00d7 22 cells" in view.counts_label.text()
    assert "(2 \u00d7 8 \u2212 1) \u00d7 22 = 330" in view.counts_label.text() and "= 36" in view.counts_label.text()
    view.selection.hover_strip(8)
    assert "Chunk 8 of this run has" in view.counts_label.text()
    view.show_result(None)
    assert "this run" not in view.counts_label.text()


@pytest.mark.parametrize(
    ("mapping", "told"),
    [("cells", "LAYERED 682 steps with at most 16 of 32 threads busy, SLOPED 52 with 256 of 256"),
     ("tiles", "LAYERED 154 steps with at most 4 of 16 threads busy, SLOPED 28 with 16 of 16")],
)  # fmt: skip
def test_the_steps_are_those_that_the_kernel_takes(view: OrdersView, mapping: str, told: str) -> None:
    """s = 16, 22 layers: (2 x 16 - 1) x 22 and 2 x 16 + 21 - 1 with one cell a step; with tiles, 4 for 16."""
    assert "SIMD lanes" in view.counts_label.text()
    result = triples.result(triples.problem(), score_only=True, s=16)
    on_gpu = replace(result, backend="cuda", parameters={"s": 16, "threads": 1, "mapping": mapping})
    view.show_result(on_gpu)
    assert f"(mapping = {mapping})" in view.counts_label.text() and told in view.counts_label.text()


def test_a_cell_shows_what_it_needs_in_both_orders(qtbot: Any, view: OrdersView) -> None:
    panel = view.panels[0]
    box = panel._cell_boxes(panel.rect().toRectF())[1, 2, 3]
    assert panel.cell_at(box.center()) == (1, 2, 3)
    qtbot.mouseMove(panel, box.center().toPoint())
    panel.hovered.emit(panel.cell_at(box.center()))
    assert [shown.cell for shown in view.panels] == [(1, 2, 3)] * 2
    assert "LAYERED in step 25" in view.status.text() and "SLOPED in step 7" in view.status.text()
    assert panel.cell_at(QPointF(1, 1)) is None


def test_the_figure_is_saved(view: OrdersView, tmp_path: Path) -> None:
    view.player.slider.setValue(11)
    for name in ("orders.png", "orders.svg"):
        export.save_figure(tmp_path / name, view.figure_size(), view.draw_figure)
        assert (tmp_path / name).stat().st_size > 5000
    assert "LAYERED" in (tmp_path / "orders.svg").read_text()
