"""What is copied, written and drawn for files."""

from __future__ import annotations

import threading
from typing import Any

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QMessageBox

from app.kit import export
from app.views.aligned import figures, paint, saving
from app.views.aligned.view import AlignmentViewer
from kernels.io import aligned_writing
from tests.app.views.aligned.viewer import Control, alignment, image, press


def shown_by(view: AlignmentViewer) -> figures.Shown:
    return figures.Shown(view.canvas, (), view.beside_rows)


def test_copies_hold_the_chosen_cells(view: AlignmentViewer) -> None:
    view.canvas.choose(np.arange(5) < 2, (np.arange(15) > 2) & (np.arange(15) < 6))
    press(view, Qt.Key.Key_C, Control)
    assert QApplication.clipboard().text() == ">row0\nA-L\n>row1\nAAL\n"
    for form, wanted in (("plain", "A-L\nAAL"), ("unaligned", ">row0\nAL\n>row1\nAAL\n"), ("names", "row0\nrow1")):
        view.taking.copy(form)
        assert QApplication.clipboard().text() == wanted
    view.taking.copy(".aln")
    assert QApplication.clipboard().text().startswith("CLUSTAL")


def test_one_file_is_written_at_a_time(
    view: AlignmentViewer, tmp_path: Any, monkeypatch: pytest.MonkeyPatch, qtbot: Any
) -> None:
    paths = iter([tmp_path / "one.fasta", tmp_path / "two.fasta", tmp_path / "missing" / "three.fasta"])
    monkeypatch.setattr(saving.QFileDialog, "getSaveFileName", lambda *_: (str(next(paths)), ""))
    told: list[str] = []
    monkeypatch.setattr(QMessageBox, "warning", lambda parent, title, said: told.append(said))
    wait, write = threading.Event(), aligned_writing.write
    monkeypatch.setattr(aligned_writing, "write", lambda *given: wait.wait() and write(*given))
    view.taking.save_alignment()
    view.taking.save_alignment()
    assert "Another file is being written" in view._status.text()
    wait.set()
    qtbot.waitUntil(lambda: "Saved" in view._status.text())
    assert (tmp_path / "one.fasta").read_text().startswith(">row0\nMKVA-LNDSTCCGHW\n")
    view.canvas.choose(np.arange(5) == 1, np.arange(15) < 3)
    view.taking.save_alignment(True)
    qtbot.waitUntil(lambda: "two.fasta" in view._status.text() and not view.taking.writing.busy)
    assert (tmp_path / "two.fasta").read_text() == ">row1\nMKV\n"
    view.taking.save_alignment()
    qtbot.waitUntil(lambda: bool(told))
    assert "three.fasta" in told[0] and "three.fasta" not in view._status.text()


@pytest.mark.parametrize("suffix", [".png", ".svg", ".pdf"])
def test_figures_are_written(view: AlignmentViewer, tmp_path: Any, suffix: str) -> None:
    for number, (size, draw) in enumerate((figures.seen(shown_by(view)), figures.wrapped(shown_by(view), 10))):
        path = tmp_path / f"{number}{suffix}"
        export.save(path, size, draw, "some")
        assert path.stat().st_size > 2000 and size.height() > 100
    if suffix == ".svg":
        assert ">G</text>" in path.read_text()  # letters are letters, not a picture


def test_a_figure_is_fine_and_leaves_the_screen_alone(view: AlignmentViewer, monkeypatch: pytest.MonkeyPatch) -> None:
    image(view)
    painted, asked, body = view.canvas._painted, [], paint.body
    monkeypatch.setattr(paint, "body", lambda *given: asked.append(given[3]) or body(*given))
    figures.copy(shown_by(view))
    assert asked == [paint.FINE] and view.canvas._painted is painted


def test_a_wrapped_figure_has_the_chosen_columns_alone(view: AlignmentViewer, tmp_path: Any) -> None:
    view.show_datum(alignment("AAAAA" + "C" * 890 + "DDDDD", "AAAAA" + "C" * 890 + "DDDDD"))
    view.canvas.set_tracks([])
    places = np.arange(900)
    view.canvas.choose(None, (places < 5) | (places >= 895))
    size, draw = figures.wrapped(shown_by(view))
    export.save(tmp_path / "figure.svg", size, draw, "some")
    written = (tmp_path / "figure.svg").read_text()
    assert [written.count(f">{letter}</text>") for letter in "ACD"] == [10, 0, 10]


def test_a_wrapped_figure_of_many_rows_has_smaller_cells(view: AlignmentViewer) -> None:
    letters = "".join(chr(65 + at % 20) for at in range(100))
    view.show_datum(alignment(*[letters] * 3000))
    view.canvas.set_tracks([])
    size, draw = figures.wrapped(shown_by(view))
    assert figures.TALL / 2 < size.height() < figures.TALL + 100
    found = export.image(size, draw, 1)
    middle = found.height() // 2
    colours = {found.pixelColor(x, middle).name() for x in range(found.width() // 2, found.width())}
    assert len(colours) > 4  # cells far below are there too


@pytest.mark.parametrize("suffix", [".svg", ".pdf", ".png"])
def test_a_wrapped_figure_is_drawn_on_a_thread(
    view: AlignmentViewer, tmp_path: Any, monkeypatch: pytest.MonkeyPatch, qtbot: Any, suffix: str
) -> None:
    path, threads = tmp_path / f"figure{suffix}", []
    monkeypatch.setattr(export.QFileDialog, "getSaveFileName", lambda *_: (str(path), ""))
    draw = paint.draw_cells
    monkeypatch.setattr(paint, "draw_cells", lambda *given: threads.append(threading.current_thread()) or draw(*given))
    view.show_datum(alignment("ACDE-GHIK" * 20, *["ACDEFGHIK" * 20] * 40))
    view.taking.save_wrapped()
    view.set_track("logo", False)  # what is drawn is what was shown when it was asked for
    qtbot.waitUntil(lambda: "Saved" in view._status.text())
    assert path.stat().st_size > 10_000 and threads and threading.main_thread() not in threads
    monkeypatch.setattr(figures, "TALL", 10)
    view.taking.save_wrapped()
    assert "too many for a wrapped figure" in view._status.text()
