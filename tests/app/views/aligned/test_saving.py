"""What is copied, written and drawn for files."""

from __future__ import annotations

import re
import threading
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QImage, QPainter
from PySide6.QtSvg import QSvgRenderer
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from antidiag.app import theme
from antidiag.app.kit.figures import export, print_size
from antidiag.app.kit.figures.pages import PAGE_FORMATS, save_pages
from antidiag.app.kit.figures.print_size import PrintSizeDialog
from antidiag.app.views.aligned.drawing import cell_painter, pixel_bands
from antidiag.app.views.aligned.export import figures
from antidiag.app.views.aligned.view import AlignmentViewer
from antidiag.kernels.errors import Cancelled, InputError
from antidiag.kernels.io import alignment_writer
from antidiag.kernels.monitor import Monitor
from tests.app.answers import Answers
from tests.app.svg_rendering import assert_svg_is_the_image
from tests.app.views.aligned.viewer import Control, alignment, image, press
from tests.patience import PATIENCE_MS


def written(made: figures.AlignmentFigure, path: Path, printed: export.PrintSize | None = None) -> str:
    export.save_figure(path, made.size, made.drawing_with(Monitor()), made.title, printed)
    return path.read_text(errors="replace")


def test_copies_hold_the_chosen_cells(view: AlignmentViewer) -> None:
    view.canvas.select_cells(np.arange(5) < 2, (np.arange(15) > 2) & (np.arange(15) < 6))
    press(view, Qt.Key.Key_C, Control)
    assert QApplication.clipboard().text() == ">row0\nA-L\n>row1\nAAL\n"
    for form, wanted in (("plain", "A-L\nAAL"), ("unaligned", ">row0\nAL\n>row1\nAAL\n"), ("names", "row0\nrow1")):
        view.exporter.copy_text(form)
        assert QApplication.clipboard().text() == wanted
    view.exporter.copy_text(".aln")
    assert QApplication.clipboard().text().startswith("CLUSTAL")


def test_one_file_is_written_at_a_time(
    view: AlignmentViewer, tmp_path: Any, monkeypatch: pytest.MonkeyPatch, qtbot: Any, answers: Answers
) -> None:
    answers.path = tmp_path / "one.fasta"
    wait, write = threading.Event(), alignment_writer.write_alignments
    monkeypatch.setattr(alignment_writer, "write_alignments", lambda *given: wait.wait() and write(*given))
    view.exporter.save_alignment()
    view.exporter.save_alignment()
    assert "Another file is being written" in view.status.text()
    wait.set()
    qtbot.waitUntil(lambda: "Saved" in view.status.text())
    assert (tmp_path / "one.fasta").read_text().startswith(">row0\nMKVA-LNDSTCCGHW\n")
    view.canvas.select_cells(np.arange(5) == 1, np.arange(15) < 3)
    answers.path = tmp_path / "two.fasta"
    view.exporter.save_alignment(True)
    qtbot.waitUntil(lambda: "two.fasta" in view.status.text() and not view.exporter.file_writing.busy)
    assert (tmp_path / "two.fasta").read_text() == ">row1\nMKV\n"
    answers.path = tmp_path / "missing" / "three.fasta"
    view.exporter.save_alignment()
    qtbot.waitUntil(lambda: bool(answers.warnings))
    assert "three.fasta" in answers.warnings[0] and "three.fasta" not in view.status.text()


@pytest.mark.parametrize("suffix", [".png", ".svg", ".pdf"])
def test_figures_are_written(view: AlignmentViewer, tmp_path: Any, suffix: str) -> None:
    for number, made in enumerate(
        (figures.view_figure(view.exporter.figure_source), figures.wrapped_figure(view.exporter.figure_source, 10))
    ):
        path = tmp_path / f"{number}{suffix}"
        written(made, path)
        assert path.stat().st_size > 2000 and made.size.height() > 100
    if suffix == ".svg":
        assert 'aria-label="G"' in path.read_text()  # letters are letters, not a picture


@pytest.mark.parametrize("wrapped", [False, True])
def test_what_can_be_read_in_a_figure_of_what_is_seen_is_no_picture(
    view: AlignmentViewer, tmp_path: Path, wrapped: bool
) -> None:
    view.canvas.set_tracks(["logo", "consensus", "conservation"])
    view.canvas.set_wrapped(wrapped)
    said = written(figures.view_figure(replace(view.exporter.figure_source, legend_items=())), tmp_path / "figure.svg")
    shown = "".join(view.picture.row_letters(row).tobytes().decode() for row in view.picture.order)
    there = {letter: said.count(f'aria-label="{letter}"') for letter in "LGW"}
    consensus = view.picture.columns.consensus.tobytes().decode()
    assert there == {letter: (shown + consensus).count(letter) for letter in "LGW"}
    assert "<image" not in said and all(f'aria-label="{name}"' in said for name in view.alignment.names)
    outlines = [path for path in re.findall(r'<path [^>]*d="([^"]*)"', said) if path.count(" ") > 4]
    assert len(outlines) > 10  # letters of the logo, as a few columns are too low for any


def test_cells_at_the_edge_of_a_figure_end_there(view: AlignmentViewer, tmp_path: Path) -> None:
    view.show_datum(alignment(*["ACDEFGHIK" * 100] * 100))
    view.canvas.set_tracks([])
    view.canvas.frame_.first_column, view.canvas.frame_.first_row = 20.5, 30.25
    made, frame = figures.view_figure(view.exporter.figure_source), view.canvas.frame_
    said = written(made, tmp_path / "figure.svg")
    assert_svg_is_the_image(made.size, made.drawing_with(Monitor()), share=0.02)  # small letters everywhere
    boxes = re.findall(r'<rect x="([\d.]+)" y="([\d.]+)" width="([\d.]+)" height="([\d.]+)"', said)
    cells = [tuple(map(float, box)) for box in boxes if abs(float(box[3]) - frame.cell_height) < 0.01]
    first = min(x for x, *_ in cells), max(x + wide for x, _, wide, _ in cells)
    assert len(cells) > 1000 and first == (frame.left, frame.left + frame.width)


@pytest.mark.parametrize("chosen", [False, True])
@pytest.mark.parametrize("wrap", [0, 6])
def test_two_programs_draw_the_svg_of_an_alignment_as_its_image(view: AlignmentViewer, wrap: int, chosen: bool) -> None:
    """Later blocks, tracks, labels and letters were missing, because the clip of a letter was never restored."""
    view.canvas.set_tracks(["logo", "consensus", "conservation", "occupancy"])
    if chosen:
        view.canvas.select_cells(np.arange(5) < 3, (np.arange(15) > 2) & (np.arange(15) < 9))
    source = view.exporter.figure_source
    made = figures.wrapped_figure(source, wrap) if wrap else figures.view_figure(source)
    assert_svg_is_the_image(made.size, made.drawing_with(Monitor()))


def test_a_figure_has_no_cursor(view: AlignmentViewer) -> None:
    made = [figures.view_figure(view.exporter.figure_source)]
    view.canvas.go_to(2, 5)
    made.append(figures.view_figure(view.exporter.figure_source))
    one, other = (export.render_image(figure.size, figure.drawing_with(Monitor())) for figure in made)
    assert one == other


def test_a_figure_is_fine_and_leaves_the_screen_alone(
    view: AlignmentViewer, monkeypatch: pytest.MonkeyPatch, qtbot: Any
) -> None:
    view.show_datum(alignment(*["ACDEFGHIK" * 100] * 40))
    view.canvas.fit_all()
    image(view)
    qtbot.waitUntil(lambda: view.sharp)
    painted, asked, body = view.canvas._painted, [], cell_painter.paint_cells
    monkeypatch.setattr(cell_painter, "paint_cells", lambda *given: asked.append(given[3]) or body(*given))
    view.exporter.copy_picture()
    qtbot.waitUntil(lambda: "Picture copied" in view.status.text())
    assert asked == [cell_painter.FINE_SAMPLES] and view.canvas._painted is painted
    assert not QApplication.clipboard().image().isNull()


def test_a_wrapped_figure_has_the_chosen_columns_alone(view: AlignmentViewer, tmp_path: Any) -> None:
    view.show_datum(alignment("AAAAA" + "C" * 890 + "DDDDD", "AAAAA" + "C" * 890 + "DDDDD"))
    view.canvas.set_tracks([])
    places = np.arange(900)
    view.canvas.select_cells(None, (places < 5) | (places >= 895))
    said = written(
        figures.wrapped_figure(replace(view.exporter.figure_source, legend_items=())), tmp_path / "figure.svg"
    )
    assert [said.count(f'aria-label="{letter}"') for letter in "ACD"] == [10, 0, 10]


def test_the_legend_of_selected_cells_tells_their_size(
    view: AlignmentViewer, monkeypatch: pytest.MonkeyPatch, tmp_path: Any
) -> None:
    """A figure of 2 rows and 4 columns does not claim to show the 5 rows and 15 columns of the alignment."""
    drawn: list[str] = []
    draw = figures.framed_figure.draw_figure
    monkeypatch.setattr(
        figures.framed_figure, "draw_figure", lambda *given: drawn.append(given[3][0].text) or draw(*given)
    )
    written(figures.wrapped_figure(view.exporter.figure_source), tmp_path / "all.svg")
    view.canvas.select_cells(np.arange(5) < 2, np.arange(15) < 4)
    written(figures.wrapped_figure(view.exporter.figure_source), tmp_path / "part.svg")
    save_pages(tmp_path / "part.pdf", figures.paged_figure(view.exporter.figure_source, PAGE_FORMATS["A4"], 60))
    whole, *parts = drawn
    assert whole.startswith("5 rows of 15 columns")
    assert parts == [f"2 rows of 4 columns, from {whole}"] * 2


def test_a_wrapped_figure_of_many_rows_has_smaller_cells(view: AlignmentViewer) -> None:
    letters = "".join(chr(65 + at % 20) for at in range(100))
    view.show_datum(alignment(*[letters] * 3000))
    view.canvas.set_tracks([])
    made = figures.wrapped_figure(view.exporter.figure_source)
    assert figures.MAX_HEIGHT / 2 < made.size.height() < figures.MAX_HEIGHT + 100
    found = export.render_image(made.size, made.drawing_with(Monitor()), 1)
    middle = found.height() // 2
    colours = {found.pixelColor(x, middle).name() for x in range(found.width() // 2, found.width())}
    assert len(colours) > 4  # cells far below are there too


@pytest.mark.parametrize(
    ("columns", "high"), [(753, 15_500), pytest.param(1500, figures.MAX_HEIGHT // 2 - 100, marks=pytest.mark.slow)]
)
def test_a_wrapped_figure_of_very_many_rows_is_wider_or_has_rows_share_pixels(
    view: AlignmentViewer, columns: int, high: int
) -> None:
    view.show_datum(alignment(*["A" * columns] * 15_500))
    view.canvas.set_tracks([])
    made = figures.wrapped_figure(view.exporter.figure_source)
    assert made.size.height() < figures.MAX_HEIGHT + 100 and made.size.width() > 753
    found = export.render_image(made.size, made.drawing_with(Monitor()), 1)
    x = found.width() - theme.MARGIN - 5
    inked = [found.pixelColor(x, y) != found.pixelColor(0, 0) for y in range(100, found.height())]
    assert high - 100 <= sum(inked) < high + 20  # below title and ruler


def test_a_figure_in_print_is_no_higher_than_a_page_where_it_has_no_letters(
    view: AlignmentViewer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, qtbot: Any, answers: Answers
) -> None:
    heights, path = [], tmp_path / "figure.pdf"
    answers.path = path

    def answer(dialog: print_size.PrintSizeDialog) -> int:
        heights.append(dialog.height_mm.text())
        return int(print_size.QDialog.DialogCode.Accepted)

    monkeypatch.setattr(print_size.PrintSizeDialog, "exec", answer)
    for shown in (view.alignment, alignment(*["ACDEFGHIK" * 20] * 5000)):
        view.show_datum(shown)
        view.exporter.print_wrapped()
        qtbot.waitUntil(lambda: not view.exporter.file_writing.busy)
    assert heights == ["no limit", "240 mm"]
    box = re.search(rb"/MediaBox \[0 0 ([\d.]+) ([\d.]+)", path.read_bytes())
    width, height = (float(side) / 72 * 25.4 for side in box.groups())
    assert abs(width - 180) < 1 and 150 < height <= 240


def test_a_figure_does_not_ask_to_zoom_in(view: AlignmentViewer, tmp_path: Path, qtbot: Any) -> None:
    view.show_datum(alignment(*["ACDEFGHIK" * 100] * 2500))
    view.canvas.set_tracks(["consensus", "occupancy"])
    view.canvas.fit_all()
    qtbot.waitUntil(lambda: view.sharp)
    for make in (figures.view_figure, figures.wrapped_figure):
        said = written(make(view.exporter.figure_source), tmp_path / "figure.svg")
        assert "Occupancy" in said and "zoom" not in said
    assert "Consensus" not in said  # a title with nothing beside it


@pytest.mark.parametrize("suffix", [".svg", ".pdf", ".png"])
def test_a_wrapped_figure_is_drawn_on_a_thread(
    view: AlignmentViewer, tmp_path: Any, monkeypatch: pytest.MonkeyPatch, qtbot: Any, suffix: str, answers: Answers
) -> None:
    path, threads = tmp_path / f"figure{suffix}", []
    answers.path = path
    draw = cell_painter.draw_cells
    monkeypatch.setattr(
        cell_painter, "draw_cells", lambda *given: threads.append(threading.current_thread()) or draw(*given)
    )
    view.show_datum(alignment("ACDE-GHIK" * 20, *["ACDEFGHIK" * 20] * 40))
    view.exporter.save_wrapped()
    view.set_track("logo", False)  # what is drawn is what was shown when it was asked for
    qtbot.waitUntil(lambda: "Saved" in view.status.text())
    assert path.stat().st_size > 10_000 and threads and threading.main_thread() not in threads
    monkeypatch.setattr(figures, "MAX_HEIGHT", 10)
    view.exporter.save_wrapped()
    assert "cannot hold" in view.status.text()


@pytest.mark.parametrize("look", ["letters", "fitted", "wrapped"])
def test_a_figure_is_of_what_was_seen_when_it_was_wanted(view: AlignmentViewer, look: str, qtbot: Any) -> None:
    view.canvas.select_cells(np.arange(5) < 2, np.arange(15) < 3)
    {"letters": lambda: None, "fitted": view.canvas.fit_all, "wrapped": lambda: view.canvas.set_wrapped(True)}[look]()
    qtbot.waitUntil(lambda: view.sharp)
    made = figures.view_figure(view.exporter.figure_source)
    before = export.render_image(made.size, made.drawing_with(Monitor()))
    view.canvas.clear_selection()
    view.set_scheme("zappo")
    view.set_track("logo", False)
    view.commands.sort_rows("length")
    view.canvas.zoom_cells(2, 2)
    assert export.render_image(made.size, made.drawing_with(Monitor())) == before
    after = figures.view_figure(view.exporter.figure_source)
    assert export.render_image(after.size, after.drawing_with(Monitor())) != before


@pytest.mark.parametrize("suffix", [".svg", ".pdf", ".png"])
def test_a_figure_of_what_is_seen_is_drawn_on_a_thread_and_stopped(
    view: AlignmentViewer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, qtbot: Any, suffix: str, answers: Answers
) -> None:
    path, threads, body = tmp_path / f"figure{suffix}", [], cell_painter.paint_cells
    at_work, go_on = threading.Event(), threading.Event()
    answers.path = path

    def slow(*given: Any) -> Any:
        if threading.current_thread() is not threading.main_thread() and given[3] == cell_painter.FINE_SAMPLES:
            threads.append(threading.current_thread())
            at_work.set()
            assert go_on.wait(PATIENCE_MS / 1000)
        return body(*given)

    view.show_datum(alignment(*["ACDEFGHIK" * 100] * 40))
    view.canvas.fit_all()
    qtbot.waitUntil(lambda: view.sharp)
    monkeypatch.setattr(cell_painter, "paint_cells", slow)
    view.exporter.save_picture()
    assert at_work.wait(PATIENCE_MS / 1000)
    view.exporter.stop_writing()
    go_on.set()
    threads[0].join()
    assert not path.exists()
    view.exporter.save_picture()
    qtbot.waitUntil(lambda: "Saved" in view.status.text())
    assert path.stat().st_size > 2000


def test_pixels_go_into_drawings_in_bands_that_leave_nothing_out(
    qapp: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pixel_bands, "MAX_VECTOR_PIXELS", 100)
    lines = np.repeat(np.arange(64, dtype=np.uint32)[:, None] * 0x010203 | 0xFF000000, 50, axis=1)
    told: list[tuple[int, int]] = []

    def draw(painter: QPainter, area: QRectF) -> None:
        pixel_bands.draw_pixels(painter, area, lines, lambda done, total: told.append((done, total)))

    export.save_figure(tmp_path / "bands.svg", QSize(50, 64), draw)
    assert (tmp_path / "bands.svg").read_text().count("<image") == len(told) > 8 and told[-1][0] < told[-1][1] == 64
    found = QImage(50, 64, QImage.Format.Format_RGB32)
    found.fill(0xFFFF0000)
    painter = QPainter(found)
    QSvgRenderer(str(tmp_path / "bands.svg")).render(painter)
    painter.end()
    assert found == pixel_bands.wrap_image(lines)


@pytest.mark.parametrize(
    ("box", "scale", "off"),
    [
        (QRectF(7, 5, 154, 1802), 2, 0),
        (QRectF(7, 5, 300, 2000), 1, 1),
        (QRectF(10.3, 4.7, 233.4, 1777.3), 1.37, 1),
    ],
)
def test_pixels_are_painted_in_bands_that_nobody_sees(
    qapp: Any, monkeypatch: pytest.MonkeyPatch, box: QRectF, scale: float, off: int
) -> None:
    """While Qt paints no other thread runs Python, so no call paints much more than so many pixels. Where a cell is no
    whole number of pixels, it may begin a pixel higher or lower than painted at once."""
    cells = np.random.default_rng(1).integers(0, 1 << 24, (901, 77), dtype=np.uint32) | np.uint32(0xFF000000)
    clips: list[QRectF] = []
    set_clip = QPainter.setClipRect

    def clip(painter: QPainter, area: QRectF, how: Any) -> None:
        clips.append(painter.deviceTransform().mapRect(area))
        set_clip(painter, area, how)

    def draw(painter: QPainter, area: QRectF) -> None:
        set_clip(painter, QRectF(0, 0, 320, 1500), Qt.ClipOperation.ReplaceClip)
        pixel_bands.draw_pixels(painter, box, cells)

    monkeypatch.setattr(pixel_bands, "MAX_RASTER_PIXELS", 1 << 30)
    whole = rows(export.render_image(QSize(330, 2020), draw, scale))
    monkeypatch.setattr(pixel_bands, "MAX_RASTER_PIXELS", 20_000)
    monkeypatch.setattr(QPainter, "setClipRect", clip)
    found = rows(export.render_image(QSize(330, 2020), draw, scale))
    near = [np.roll(whole, by, axis=0) for by in range(-off, off + 1)]
    assert np.any([np.all(found == one, axis=1) for one in near], axis=0).all()
    assert clips and max(one.width() * one.height() for one in clips) < 25_000


def rows(picture: QImage) -> np.ndarray:
    """The pixels of a picture, a copy."""
    return np.frombuffer(picture.constBits(), np.uint32).reshape(picture.height(), -1).copy()


@pytest.mark.parametrize("suffix", [".svg", ".pdf", ".png"])
def test_figures_have_a_size_in_print(
    view: AlignmentViewer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, qtbot: Any, suffix: str, answers: Answers
) -> None:
    path, told = tmp_path / f"figure{suffix}", []

    def answer(dialog: print_size.PrintSizeDialog) -> int:
        dialog.width_mm.setValue(120)
        dialog.dpi.setValue(254)
        dialog.columns.setValue(10)
        told.append(dialog.summary.text())
        return int(print_size.QDialog.DialogCode.Accepted)

    monkeypatch.setattr(print_size.PrintSizeDialog, "exec", answer)
    answers.path = path
    for save in (view.exporter.print_picture, view.exporter.print_wrapped):
        save()
        qtbot.waitUntil(lambda: "Saved" in view.status.text())
        assert told[-1].startswith("120 ") and "1,200 " in told[-1] and "points" in told[-1]
        if suffix == ".png":
            image = QImage(str(path))
            assert image.width() == 1200 and image.dotsPerMeterX() == 10_000
        elif suffix == ".svg":
            width = float(re.search(r'width="([\d.]+)mm"', path.read_text())[1])
            assert abs(width - 120) < 0.2
        else:
            box = re.search(rb"/MediaBox \[0 0 ([\d.]+)", path.read_bytes())
            assert abs(float(box[1]) - 120 / 25.4 * 72) < 1
        view.show_status("")


@pytest.mark.parametrize("kind", ["seen", "wrapped", "blocks"])
@pytest.mark.parametrize("suffix", [".svg", ".pdf", ".png"])
def test_a_figure_that_is_stopped_leaves_no_word_on_standard_error(
    view: AlignmentViewer, tmp_path: Path, qtlog: Any, suffix: str, kind: str
) -> None:
    view.show_datum(alignment(*["ACDEFGHIK" * 30] * 40))
    view.canvas.set_wrapped(kind == "blocks")
    made = (figures.wrapped_figure if kind == "wrapped" else figures.view_figure)(view.exporter.figure_source)
    monitor = Monitor()
    monitor.cancel()
    with pytest.raises(Cancelled):
        export.save_figure(tmp_path / f"figure{suffix}", made.size, made.drawing_with(monitor))
    assert not [said.message for said in qtlog.records if "QPainter" in said.message]


@pytest.mark.parametrize(("form", "said"), [("names", "Copied 5 names."), (".fasta", "Copied 5 rows x 15 columns.")])
def test_what_was_copied_is_said(view: AlignmentViewer, form: str, said: str) -> None:
    view.exporter.copy_text(form)
    assert view.status.text() == said


def test_the_width_in_print_is_typed_at_once(view: AlignmentViewer, qtbot: Any) -> None:
    dialog = print_size.PrintSizeDialog(view, lambda lines: (QSize(600, 400), 10.0), 60)
    qtbot.addWidget(dialog)
    dialog.show()
    qtbot.waitExposed(dialog)
    box = dialog.focusWidget()
    assert box is dialog.width_mm
    QTest.keyClicks(box, "90")
    QTest.keyClick(box, Qt.Key.Key_Tab)
    assert dialog.print_size.width_mm == 90 and dialog.focusWidget() is dialog.columns


@pytest.mark.parametrize(
    ("rows", "columns"), [(5, 600), *(pytest.param(200, columns, marks=pytest.mark.slow) for columns in (70, 130))]
)
def test_a_wrapped_figure_breaks_into_pages_that_hold_every_letter(
    view: AlignmentViewer, tmp_path: Path, rows: int, columns: int
) -> None:
    """It was one page, 4 m tall."""
    view.show_datum(alignment(*["ACDEFGHIKL" * (columns // 10)] * rows))
    view.canvas.set_tracks([])
    made = figures.paged_figure(view.exporter.figure_source, PAGE_FORMATS["A4"], 60)
    files = save_pages(tmp_path / "figure.svg", made)
    texts = [path.read_text() for path in files]
    assert len(files) > 1
    assert sum(text.count('aria-label="A"') for text in texts) == rows * columns // 10
    assert all(f'aria-label="{number} / {len(files)}"' in text for number, text in enumerate(texts, 1))
    assert all(text.count('aria-label="L"') for text in texts), "no page is empty"
    for text in texts:
        boxes = re.findall(r'<rect x="([\d.]+)" y="([\d.]+)" width="([\d.]+)" height="14"', text)
        height = float(re.search(r'viewBox="0 0 \d+ (\d+)"', text)[1])
        assert boxes and max(float(y) for _, y, _ in boxes) + 14 < height


def test_pages_are_chosen_when_printing(
    view: AlignmentViewer, qtbot: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, answers: Answers
) -> None:
    def choose(dialog: PrintSizeDialog) -> int:
        dialog.pages.setCurrentText("Letter pages")
        assert "1 page Letter" in dialog.summary.text() and not dialog.height_mm.isEnabled()
        return 1

    monkeypatch.setattr(PrintSizeDialog, "exec", choose)
    answers.path = tmp_path / "figure.pdf"
    view.exporter.print_wrapped()
    qtbot.waitUntil(lambda: "Saved" in view.status.text())
    assert (tmp_path / "figure.pdf").read_bytes().startswith(b"%PDF")


def test_a_page_that_holds_no_row_is_refused(view: AlignmentViewer) -> None:
    view.canvas.set_tracks([])
    with pytest.raises(InputError, match="holds no row of 2 columns; choose longer lines"):
        figures.paged_figure(view.exporter.figure_source, PAGE_FORMATS["A4 landscape"], 2)
