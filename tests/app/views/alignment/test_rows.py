"""The alignment of three sequences, taken elsewhere."""

from pathlib import Path

import pytest
from PySide6.QtCore import QPointF
from PySide6.QtWidgets import QFileDialog, QMessageBox

from app.kit.selection import Selection
from app.views.alignment.rows import RowsView
from tests.app.views import triples


@pytest.fixture
def view(qtbot) -> RowsView:
    view = RowsView(Selection())
    qtbot.addWidget(view)
    view.show_result(triples.result(triples.problem()))
    return view


def test_the_ruler_counts_as_the_line_below_does(view) -> None:
    width = view.canvas.per_line
    for first in (0, width):
        for number, right in view.canvas.ruler(first, first + width):
            block = QPointF(
                right - 1, first // width * view.canvas._block + 1 - view.canvas.verticalScrollBar().value()
            )
            assert number % 10 == 0
            assert view.canvas.column_at(block) in (number - 1, None)
    assert view.canvas.column_at(QPointF(view.canvas.ruler(0, 10)[0][1] - 1, 1)) == 9


def test_an_alignment_is_written_by_a_thread(qtbot, view, monkeypatch, tmp_path) -> None:
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_: (str(tmp_path / "out"), "FASTA (*.fasta)"))
    view.save()
    assert view.told.text().startswith("Saving")
    qtbot.waitUntil(lambda: view.told.text() == f"Saved {tmp_path / 'out.fasta'}")
    assert (tmp_path / "out.fasta").read_text().startswith(">first")


def test_a_folder_that_is_not_there_is_said(qtbot, view, monkeypatch, tmp_path) -> None:
    told: list[str] = []
    place = Path(tmp_path / "missing" / "x.fasta")
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_: (str(place), ""))
    monkeypatch.setattr(QMessageBox, "warning", lambda parent, title, text: told.append(text))
    view.save()
    qtbot.waitUntil(lambda: bool(told))
    assert str(place) in told[0]
