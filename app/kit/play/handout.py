"""Handouts of lectures: every scene with its picture, points and text, then the questions, as PDF or one HTML page."""

from __future__ import annotations

import base64
import itertools
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path

from PySide6.QtCore import QBuffer, QByteArray, QMarginsF, QRectF, QSize, QSizeF, Qt
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QPageSize, QPainter, QPdfWriter, QTextLayout

from antidiag.app import theme
from antidiag.app.kit.figures import export
from antidiag.app.kit.painting.fonts_and_colours import resized_font
from antidiag.app.kit.play import play_figure
from antidiag.app.kit.play.view_options import PlayLook
from antidiag.kernels.errors import AntidiagError, InputError
from antidiag.kernels.io.files import write_bytes
from antidiag.kernels.registry import find_method
from antidiag.kernels.registry.lectures import Lecture, LectureScene
from antidiag.kernels.walkthroughs.html_page import STYLE
from antidiag.kernels.walkthroughs.shared_clock import SharedClock

SUFFIXES = (".pdf", ".html")
FILTERS = "PDF (*.pdf);;HTML page (*.html)"
DOTS_PER_INCH, MARGIN = 96, 48.0
"""Dots per inch of a page, and its margins in dots."""
TEXT_PIXELS, SPACING = 13.0, 6.0
TITLE_SIZE, HEADING_SIZE, SMALL_SIZE = 1.8, 1.3, 0.85
"""Sizes of letters relative to the text."""
PICTURE_SIZE = QSize(1200, 560)
"""Pixels of a picture in a page of HTML."""
PICTURE_SHARE, LEAST_PICTURE_SHARE = 0.3, 0.2
"""Share of the height of a page on paper that a picture has, and the least to which it shrinks to fill a page."""
FULL_SHARE = 2 / 3
"""Share of a page from which it is full enough to begin the next one, so that a scene stays together."""
HTML_STYLE = (
    "body { max-width: 60em; margin: 2em auto; padding: 0 1em; } "
    "img { max-width: 100%; } section { margin-top: 2.5em; } "
    "@media print { h1, h2 { break-after: avoid; } img { max-height: 32vh; break-inside: avoid; } }"
)
INK, MUTED = "#10141a", "#5d6875"
Report = Callable[[int, int], object]
"""Receives how many of how many scenes are drawn; may raise to cancel."""


@dataclass(frozen=True)
class HandoutScene:
    """What a handout has of a scene: numbers are filled in; ``picture`` draws its last step, None if it has none."""

    title: str
    points: tuple[str, ...]
    text: tuple[str, ...]
    source: str
    picture: play_figure.Drawing | None
    note: str = ""


def save_handout(path: Path, lecture: Lecture, report: Report = lambda done, total: None) -> None:
    """Write the handout of a lecture, in the format of the suffix.

    Raises InputError for an unknown suffix, and if a scene or the file is wrong.
    """
    suffix = path.suffix.lower()
    if suffix not in SUFFIXES:
        raise InputError(f"{path}: choose {' or '.join(SUFFIXES)} for a handout")
    with theme.painted_in(theme.LIGHT):
        data = _make_pdf(lecture, report) if suffix == ".pdf" else make_html(lecture, report).encode()
    write_bytes(path, [data])


def make_scene(lecture: Lecture, scene: LectureScene) -> HandoutScene:
    """Return what a handout has of a scene."""
    note, picture = "", None
    if scene.is_measured:
        names = " and ".join(find_method(one.method).name for one in scene.plays)
        note = f"Measured live: {names} on a random problem of size {scene.size:,}."
    elif scene.plays:
        picture = _scene_drawing(scene)
    points, text = tuple(map(scene.fill_numbers, scene.points)), tuple(map(scene.fill_numbers, scene.text))
    source = format_source(lecture, scene)
    return HandoutScene(scene.fill_numbers(scene.title), points, text, source, picture, note)


def format_source(lecture: Lecture, scene: LectureScene) -> str:
    """Return the sources of a scene in words."""
    parts = []
    for part in scene.source.split(";"):
        key, _, section = part.strip().partition(",")
        if key:
            parts.append(f"{lecture.sources.get(key, key)}{',' + section if section else ''}")
    return "; ".join(parts)


def _scene_drawing(scene: LectureScene) -> play_figure.Drawing:
    """Return what draws a scene at its last step."""
    clock = SharedClock(tuple(one.animation for one in scene.plays), scene.clock)
    last = clock.last_tick if scene.last < 0 else min(scene.last, clock.last_tick)
    view = scene.view
    looks = [
        PlayLook(
            cell=view.find_cell(play),
            colouring=view.colouring,  # type: ignore[arg-type]
            tables=view.table_numbers(play),
            path=view.path,
        )
        for play in clock.plays
    ]
    return play_figure.tick_drawing(clock, looks, last)


def _list_scenes(lecture: Lecture, report: Report) -> Iterator[HandoutScene]:
    """Yield the scenes; an error names the scene."""
    for number, scene in enumerate(lecture.scenes):
        report(number, len(lecture.scenes))
        try:
            yield make_scene(lecture, scene)
        except AntidiagError as error:
            raise InputError(f"scene {scene.name}: {error}") from error
    report(len(lecture.scenes), len(lecture.scenes))


def make_html(lecture: Lecture, report: Report = lambda done, total: None) -> str:
    """Return the handout as one page of HTML; pictures are inside."""
    parts = [f"<h1>{escape(lecture.title)}</h1>", f"<p>{escape(lecture.abstract)}</p>"]
    for number, scene in enumerate(_list_scenes(lecture, report), 1):
        points = "".join(f"<li>{escape(point)}</li>" for point in scene.points)
        words = "".join(f"<p>{escape(text)}</p>" for text in (*scene.text, scene.note) if text)
        source = f"<p><small>{escape(scene.source)}</small></p>" if scene.source else ""
        picture = _html_picture(scene) if scene.picture is not None else ""
        parts.append(
            f"<section><h2>{number}. {escape(scene.title)}</h2><ul>{points}</ul>{picture}{words}{source}</section>"
        )
    answered = [lecture.fill_question(question) for question in lecture.questions]
    if answered:
        asked = "".join(f"<li>{escape(question)}</li>" for question, _ in answered)
        answers = "".join(f"<li>{escape(answer)}</li>" for _, answer in answered)
        parts.append(f"<section><h2>Questions</h2><ol>{asked}</ol></section>")
        parts.append(f"<section><h2>Answers</h2><ol>{answers}</ol></section>")
    head = f'<meta charset="utf-8"><title>{escape(lecture.title)}</title>'
    style = f"<style>\n{STYLE.read_text('utf-8')}{HTML_STYLE}\n</style>"
    return f'<!DOCTYPE html>\n<html lang="en"><head>{head}\n{style}</head>\n<body>{"".join(parts)}</body></html>\n'


def _html_picture(scene: HandoutScene) -> str:
    assert scene.picture is not None
    buffer = QBuffer()
    buffer.open(QBuffer.OpenModeFlag.WriteOnly)
    export.render_image(PICTURE_SIZE, scene.picture, 1).save(buffer, "PNG")  # type: ignore[call-overload]
    data = base64.b64encode(bytes(QByteArray(buffer.data()).data())).decode("ascii")
    return f'<img alt="{escape(scene.title)}" src="data:image/png;base64,{data}">'


@dataclass(frozen=True)
class _Block:
    """A part of a page: its height for the width and height of the page, and how it is drawn.

    ``least_share`` is the part of its height to which it may shrink; ``is_title`` keeps it with the next block.
    ``split_lines`` returns its lines for the width of the page; None for what cannot be split.
    """

    height: Callable[[float, float], float]
    draw: Callable[[QPainter, QRectF], object]
    least_share: float = 1.0
    is_title: bool = False
    split_lines: Callable[[float], list[_Block]] | None = None


def _paragraph_block(
    text: str,
    size: float = 1.0,
    is_title: bool = False,
    colour: str = INK,
    indent: float = 0.0,
    space: float = SPACING,
) -> _Block:
    """Return a paragraph of text with ``space`` below it; a title is bold."""
    font, flags = resized_font(QFont(), TEXT_PIXELS * size, is_title), int(Qt.TextFlag.TextWordWrap)

    def height(width: float, _: float) -> float:
        return QFontMetricsF(font).boundingRect(QRectF(0, 0, width - indent, 1e6), flags, text).height() + space

    def draw(painter: QPainter, area: QRectF) -> None:
        painter.setFont(font)
        painter.setPen(QColor(colour))
        painter.drawText(area.adjusted(indent, 0, 0, 0), flags, text)

    def split_lines(width: float) -> list[_Block]:
        *lines, last = _break_lines(text, font, width - indent)
        style = (size, is_title, colour, indent)
        return [*(_paragraph_block(line, *style, space=0.0) for line in lines), _paragraph_block(last, *style, space)]

    return _Block(height, draw, is_title=is_title, split_lines=split_lines)


def _break_lines(text: str, font: QFont, width: float) -> list[str]:
    """Return the lines of a text of this width."""
    found = []
    for part in text.split("\n"):
        layout = QTextLayout(part, font)
        layout.beginLayout()
        while (line := layout.createLine()).isValid():
            line.setLineWidth(width)
            found.append(part[line.textStart() :][: line.textLength()].rstrip())
        layout.endLayout()
    return found


def _picture_block(drawing: play_figure.Drawing) -> _Block:
    """Return a picture across the page."""

    def draw(painter: QPainter, area: QRectF) -> None:
        painter.save()
        painter.setFont(resized_font(QFont(), TEXT_PIXELS * SMALL_SIZE))
        drawing(painter, area.adjusted(0, SPACING, 0, -SPACING))
        painter.restore()

    return _Block(lambda width, page: PICTURE_SHARE * page, draw, LEAST_PICTURE_SHARE / PICTURE_SHARE)


def _space_block() -> _Block:
    """Return the space between two groups of blocks."""
    return _Block(lambda width, page: 3 * SPACING, lambda painter, area: None)


def _scene_blocks(number: int, scene: HandoutScene) -> list[_Block]:
    found = [_paragraph_block(f"{number}. {scene.title}", HEADING_SIZE, True)]
    found += [_paragraph_block(f"\N{BULLET} {point}", indent=SPACING) for point in scene.points]
    found += [_picture_block(scene.picture)] if scene.picture is not None else []
    found += [_paragraph_block(text) for text in (*scene.text, scene.note) if text]
    found += [_paragraph_block(scene.source, SMALL_SIZE, colour=MUTED)] if scene.source else []
    return found


def _question_blocks(lecture: Lecture) -> list[list[_Block]]:
    answered = [lecture.fill_question(question) for question in lecture.questions]
    lists = (("Questions", [question for question, _ in answered]), ("Answers", [answer for _, answer in answered]))
    return [
        [
            _paragraph_block(title, HEADING_SIZE, True),
            *(_paragraph_block(f"{at}. {text}") for at, text in enumerate(texts, 1)),
        ]
        for title, texts in lists
        if texts
    ]


def _lecture_blocks(lecture: Lecture, report: Report = lambda done, total: None) -> list[list[_Block]]:
    """Return the blocks of the title, of each scene, of the questions and of the answers."""
    title = [_paragraph_block(lecture.title, TITLE_SIZE, True), _paragraph_block(lecture.abstract, colour=MUTED)]
    scenes = [_scene_blocks(number, scene) for number, scene in enumerate(_list_scenes(lecture, report), 1)]
    return [title, *scenes, *_question_blocks(lecture)]


def _make_pdf(lecture: Lecture, report: Report) -> bytes:
    buffer = QBuffer()
    buffer.open(QBuffer.OpenModeFlag.WriteOnly)
    writer = QPdfWriter(buffer)
    writer.setResolution(DOTS_PER_INCH)
    writer.setPageSize(QPageSize(QPageSize.PageSizeId.A4))
    writer.setPageMargins(QMarginsF(0, 0, 0, 0))
    writer.setTitle(lecture.title)
    groups = _lecture_blocks(lecture, report)
    painter = QPainter(writer)
    try:
        _fill_pages(painter, writer, groups, lecture.title)
    finally:
        painter.end()
    return bytes(QByteArray(buffer.data()).data())


def _fill_pages(painter: QPainter, writer: QPdfWriter, groups: Sequence[list[_Block]], title: str) -> None:
    """Draw groups of blocks one below the other on as many pages as they need."""
    area = QRectF(0, 0, writer.width(), writer.height()).adjusted(MARGIN, MARGIN, -MARGIN, -MARGIN)
    for number, page in enumerate(_divide_pages(groups, area.size()), 1):
        if number > 1:
            writer.newPage()
        _draw_footer(painter, area, title, number)
        y = area.top()
        for block, height in zip(page, _fit_heights(page, area.size()), strict=True):
            block.draw(painter, QRectF(area.left(), y, area.width(), height))
            y += height


def _divide_pages(groups: Sequence[list[_Block]], size: QSizeF) -> list[list[_Block]]:
    """Return the blocks of each page.

    A group stays together if it fits, with smaller pictures if need be, or if the page before it is full enough;
    otherwise it is divided between two blocks.
    """
    pages: list[list[_Block]] = [[]]
    for group in ([part for block in one for part in _split_high(block, size)] for one in groups):
        page = pages[-1]
        following = [_space_block(), *group] if page else group
        natural, least = _page_heights([*page, *following], size)
        if natural <= size.height():
            page += following
        elif _page_heights(page, size)[0] >= FULL_SHARE * size.height():
            pages.append([])
            _add_divided(pages, group, size)
        elif least <= size.height():
            page += following
        else:
            _add_divided(pages, following, size)
    return pages


def _split_high(block: _Block, size: QSizeF) -> list[_Block]:
    """Return a block, or its lines if it is higher than a page."""
    is_high = block.height(size.width(), size.height()) > size.height()
    return block.split_lines(size.width()) if is_high and block.split_lines is not None else [block]


def _add_divided(pages: list[list[_Block]], group: Sequence[_Block], size: QSizeF) -> None:
    """Add the blocks of a group to the last page, and to further ones where it is full."""
    for block, after in itertools.zip_longest(group, group[1:]):
        kept = [block, after] if block.is_title and after is not None else [block]
        if pages[-1] and _page_heights([*pages[-1], *kept], size)[1] > size.height():
            pages.append([])
        pages[-1].append(block)


def _page_heights(page: Sequence[_Block], size: QSizeF) -> tuple[float, float]:
    """Return the height of blocks, and their least height."""
    heights = [block.height(size.width(), size.height()) for block in page]
    return sum(heights), sum(height * block.least_share for block, height in zip(page, heights, strict=True))


def _fit_heights(page: Sequence[_Block], size: QSizeF) -> list[float]:
    """Return the height of each block of a page; pictures shrink so that all fit."""
    natural, least = _page_heights(page, size)
    share = min(max(natural - size.height(), 0.0) / (natural - least), 1.0) if natural > least else 0.0
    heights = [block.height(size.width(), size.height()) for block in page]
    return [height * (1 - share * (1 - block.least_share)) for block, height in zip(page, heights, strict=True)]


def _draw_footer(painter: QPainter, area: QRectF, title: str, number: int) -> None:
    painter.setFont(resized_font(QFont(), TEXT_PIXELS * SMALL_SIZE))
    painter.setPen(QColor(MUTED))
    place = QRectF(area.left(), area.bottom() + SPACING, area.width(), MARGIN - 2 * SPACING)
    painter.drawText(place, int(Qt.AlignmentFlag.AlignLeft), title)
    painter.drawText(place, int(Qt.AlignmentFlag.AlignRight), f"{number}")
