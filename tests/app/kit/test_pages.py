"""Figures on pages: what is on which, numbers, formats, files."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import QRectF
from PySide6.QtGui import QImage

from antidiag.app.kit.figures import pages
from antidiag.app.kit.figures.pages import PAGE_FORMATS, PagedFigure
from antidiag.kernels.errors import Cancelled, InputError
from antidiag.kernels.monitor import Monitor


def numbered_pages(count: int, page: str = "A4") -> PagedFigure:
    """Pages that say which they are."""

    def drawing(number: int) -> Any:
        return lambda painter, area: painter.drawText(QRectF(0, 0, 300, 40), 0, f"part {number}")

    return PagedFigure(tuple(map(drawing, range(1, count + 1))), 700, PAGE_FORMATS[page], "a figure", 11)


def test_parts_are_shared_among_pages_in_their_order() -> None:
    assert pages.share_among_pages([40, 40, 40], 100) == [[0, 1], [2]]
    assert pages.share_among_pages([100, 10], 100) == [[0], [1]]
    assert pages.share_among_pages([200, 10], 100) == [[0], [1]], "a part is never divided"
    assert pages.share_among_pages([], 100) == []


def test_a_pdf_has_all_pages_of_its_format(qapp: Any, tmp_path: Path) -> None:
    for name, points in (("A4", (595, 842)), ("Letter landscape", (792, 612))):
        (path,) = pages.save_pages(tmp_path / "figure.pdf", numbered_pages(3, name))
        text = path.read_bytes()
        assert len(re.findall(rb"/Type /Page\b(?!s)", text)) == 3
        found = re.findall(rb"/MediaBox \[([^\]]*)\]", text)
        boxes = {tuple(round(float(number)) for number in box.split()) for box in found}
        assert boxes == {(0, 0, *points)}


def test_svg_and_png_are_a_file_for_each_page(qapp: Any, tmp_path: Path) -> None:
    found = pages.save_pages(tmp_path / "figure.svg", numbered_pages(11))
    assert [path.name for path in found][::10] == ["figure-01.svg", "figure-11.svg"] and len(found) == 11
    text = found[4].read_text()
    assert 'aria-label="part 5"' in text and 'aria-label="5 / 11"' in text
    width, height = map(float, re.search(r'width="([\d.]+)mm" height="([\d.]+)mm"', text).groups())
    assert width == 210 and abs(height - 297) < 0.3
    (only,) = pages.save_pages(tmp_path / "one.png", numbered_pages(1), dpi=100)
    image = QImage(str(only))
    assert only.name == "one.png" and abs(image.width() - 210 / 25.4 * 100) < 2
    assert abs(image.height() - 297 / 25.4 * 100) < 4


def test_nothing_is_written_after_cancel_or_in_an_unknown_format(qapp: Any, tmp_path: Path) -> None:
    stopped = Monitor()
    stopped.cancel()
    with pytest.raises(Cancelled):
        pages.save_pages(tmp_path / "figure.svg", numbered_pages(2), monitor=stopped)
    with pytest.raises(InputError, match=r"choose \.pdf, \.svg or \.png"):
        pages.save_pages(tmp_path / "figure.gif", numbered_pages(2))
    assert not list(tmp_path.iterdir())


def test_formats_are_found_by_name() -> None:
    assert pages.find_page_format("letter").width_mm == 215.9
    with pytest.raises(InputError, match="A4, A4 landscape, Letter"):
        pages.find_page_format("A3")
