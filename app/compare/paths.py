"""Two paths in one matrix, and the columns where they part."""

from __future__ import annotations

from functools import partial

import numpy as np
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPaintEvent, QPen, QPolygonF
from PySide6.QtWidgets import QListWidget, QPlainTextEdit, QSplitter, QVBoxLayout, QWidget

from antidiag.app import theme
from antidiag.app.kit.paths import path_index
from antidiag.app.kit.widgets import label
from antidiag.kernels.model import Result, Sequence
from antidiag.kernels.pairwise.apart import Difference, Stretch, difference
from antidiag.kernels.pairwise.model import LEFT, UP, Alignment

MOST_LISTED, AROUND, SAMPLES = 500, 12, 4000
MARGIN = 46


def paths_of(result: Result) -> Alignment | None:
    """The path of a pair of sequences, where a result has one."""
    found = getattr(result.answer, "alignment", None)
    pair = all(isinstance(datum, Sequence) for datum in getattr(result.problem, "data", (None,)))
    return found if isinstance(found, Alignment) and found.operations.size and pair else None


def comparable(first: Result, second: Result) -> bool:
    """Whether both have a path through the matrix of the same pair."""
    both = paths_of(first) is not None and paths_of(second) is not None
    return both and first.problem.data == second.problem.data


class PathPicture(QWidget):
    """The whole of both paths, what they share in grey; or a stretch in which they part."""

    def __init__(self) -> None:
        super().__init__()
        self.setMinimumSize(260, 220)
        self._paths: tuple[Alignment, ...] = ()
        self._window = QRectF(0, 0, 1, 1)
        theme.notifier.changed.connect(self.update)

    def show_paths(self, *paths: Alignment) -> None:
        self._paths = paths
        self.fit()

    def fit(self) -> None:
        """Show the whole of both."""
        starts, ends = ([getattr(path, name) for path in self._paths] for name in ("start", "end"))
        low, high = np.min(starts, axis=0), np.max(ends, axis=0)
        self.show_window(int(low[0]), int(high[0]), int(low[1]), int(high[1]))

    def show_window(self, top: int, bottom: int, left: int, right: int) -> None:
        """Show these cells, (i, j)."""
        self._window = QRectF(left, top, max(right - left, 1), max(bottom - top, 1))
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        painter, active = QPainter(self), theme.active()
        painter.fillRect(self.rect(), QColor(active.panel))
        area = QRectF(MARGIN, 10, self.width() - MARGIN - 12, self.height() - 40)
        painter.setPen(QColor(active.border))
        painter.drawRect(area)
        self._draw_edges(painter, area)
        painter.setClipRect(area)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        for path, colour, wide in zip(self._paths, active.series, (6.0, 2.5), strict=False):
            painter.setPen(QPen(QColor(colour), wide, Qt.PenStyle.SolidLine, Qt.PenCapStyle.FlatCap))
            painter.drawPolyline(self._line(path, area))

    def _line(self, path: Alignment, area: QRectF) -> QPolygonF:
        window = self._window
        rows = int(window.top()), int(window.bottom()) + 1
        columns = int(window.left()), int(window.right()) + 1
        points = path_index(path).sample(rows, columns, SAMPLES).astype(float)
        across, down = area.width() / window.width(), area.height() / window.height()
        x = area.left() + (points[:, 1] - window.left()) * across
        y = area.top() + (points[:, 0] - window.top()) * down
        return QPolygonF([QPointF(*point) for point in zip(x.tolist(), y.tolist(), strict=True)])

    def _draw_edges(self, painter: QPainter, area: QRectF) -> None:
        painter.setFont(theme.small_font(self.font()))
        painter.setPen(QColor(theme.active().muted))
        window, line = self._window, painter.fontMetrics().height()
        right = Qt.AlignmentFlag.AlignRight
        for value, y in ((window.top(), area.top()), (window.bottom(), area.bottom() - line)):
            painter.drawText(QRectF(0, y, MARGIN - 4, line), right, f"{value:,.0f}")
        painter.drawText(QPointF(area.left(), area.bottom() + line), f"{window.left():,.0f}")
        painter.drawText(QRectF(area.left(), area.bottom() + 3, area.width(), line), right, f"{window.right():,.0f}")


class PathsPage(QWidget):
    """The paths of two results: how much they share, where they part, and both alignments there."""

    def __init__(self) -> None:
        super().__init__()
        self.told, self.picture, self.list, self.text = label(wrap=True), PathPicture(), QListWidget(), QPlainTextEdit()
        self.text.setReadOnly(True)
        self.text.setFont(theme.fixed_font())
        self.text.setLineWrapMode(QPlainTextEdit.LineWrapMode.NoWrap)
        self.list.setAccessibleName("Where the paths part")
        self.list.currentRowChanged.connect(self._go)
        lower, upper = QSplitter(Qt.Orientation.Vertical), QSplitter(Qt.Orientation.Horizontal)
        upper.addWidget(self.picture)
        upper.addWidget(self.list)
        upper.setSizes([600, 300])
        lower.addWidget(upper)
        lower.addWidget(self.text)
        lower.setSizes([400, 180])
        box = QVBoxLayout(self)
        box.addWidget(self.told)
        box.addWidget(lower, 1)
        self._results: tuple[Result, ...] = ()
        self._stretches: tuple[Stretch, ...] = ()

    def work(self, first: Result, second: Result):
        """What compares two results; its value goes to `show_difference`."""
        return partial(difference, paths_of(first), paths_of(second))

    def show_difference(self, results: tuple[Result, Result], names: tuple[str, str], found: Difference) -> None:
        self._results, self._stretches = results, found.stretches
        total = found.common + found.only_first + found.only_second
        self.told.setText(
            f"{found.share:.1%} of {total:,} cells are in both paths; {found.only_first:,} are only in the first "
            f"({names[0]}), {found.only_second:,} only in the second ({names[1]}). They part in "
            f"{len(found.stretches):,} place{'s' * (len(found.stretches) != 1)}.".replace("%", " %", 1)
        )
        self.picture.show_paths(*(paths_of(result) for result in results))
        self.list.clear()
        self.list.addItem("The whole")
        for stretch in found.stretches[:MOST_LISTED]:
            lengths = (part[1] - part[0] for part in (stretch.first, stretch.second))
            where = stretch.start or stretch.end or (0, 0)
            self.list.addItem(
                f"at {where[0]:,}, {where[1]:,}: {' and '.join(f'{length:,}' for length in lengths)} cells"
            )
        if len(found.stretches) > MOST_LISTED:
            self.list.addItem(f"and {len(found.stretches) - MOST_LISTED:,} more")
        self.list.setCurrentRow(0)

    def _go(self, row: int) -> None:
        if row <= 0 or row > min(len(self._stretches), MOST_LISTED):
            hint = "Choose a place at the right: both alignments stand here, one above the other."
            self.text.setPlainText(hint if self._stretches else "Both paths are the same.")
            if self._results:
                self.picture.fit()
            return
        stretch = self._stretches[row - 1]
        parts = [
            _points(path_index(paths_of(result)), part)
            for result, part in zip(self._results, (stretch.first, stretch.second), strict=True)
        ]
        points = np.concatenate(parts)
        (top, left), (bottom, right) = points.min(axis=0).tolist(), points.max(axis=0).tolist()
        self.picture.show_window(top - AROUND, bottom + AROUND, left - AROUND, right + AROUND)
        texts = [
            _rows(result, part) for result, part in zip(self._results, (stretch.first, stretch.second), strict=True)
        ]
        self.text.setPlainText("\n\n".join(texts))


def _points(index, part: tuple[int, int]) -> np.ndarray:
    """The cells of a stretch of a path, and one on either side; no more than can be seen."""
    low, high = max(part[0] - 1, 0), min(part[1], index.length)
    return np.concatenate([index.cells(low, min(low + SAMPLES, high)), index.cells(max(high - SAMPLES, low), high)])


def _rows(result: Result, part: tuple[int, int]) -> str:
    """Both rows of the alignment in a stretch, with some columns around it."""
    path = paths_of(result)
    low = max(part[0] - AROUND, 0)
    high = min(part[1] + AROUND, len(path.operations), low + 400)
    start = path_index(path).cell(low)
    moves = path.operations[low:high]
    lines = []
    for sequence, at, without in zip(result.problem.data, start, (LEFT, UP), strict=True):
        taken = moves != without
        row = np.full(moves.size, ord("-"), np.uint8)
        row[taken] = sequence.array[at : at + int(taken.sum())]
        lines.append(f"{at + 1:>12,}  {row.tobytes().decode('ascii')}")
    return "\n".join(lines)
