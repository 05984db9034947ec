"""Compares two paths in one matrix and shows where they differ."""

from __future__ import annotations

import numpy as np
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPaintEvent, QPen, QPolygonF
from PySide6.QtWidgets import QListWidget, QPlainTextEdit, QSplitter, QVBoxLayout, QWidget

from antidiag.app import texts, theme
from antidiag.app.kit.controls.widgets import create_label
from antidiag.kernels.model import Result, Sequence
from antidiag.kernels.pairwise.model import LEFT, UP, Alignment
from antidiag.kernels.pairwise.path_difference import PathDifference, PathDivergence
from antidiag.kernels.pairwise.path_index import shared_path_index
from antidiag.kernels.text import format_count

MAX_LISTED, CONTEXT, MAX_POINTS = 500, 12, 4000
"""Most listed differences, cells shown around one, and most drawn points."""
MARGIN = 46


def find_path(result: Result) -> Alignment | None:
    """Return the path of a pairwise result, or None."""
    found = getattr(result.answer, "alignment", None)
    if not isinstance(found, Alignment) or not found.operations.size:
        return None
    return found if all(isinstance(datum, Sequence) for datum in getattr(result.problem, "data", (None,))) else None


def are_comparable(first: Result, second: Result) -> bool:
    """Whether both results have a path through the matrix of the same two sequences."""
    both = find_path(first) is not None and find_path(second) is not None
    return both and first.problem.data == second.problem.data


class PathPicture(QWidget):
    """Draws both paths, whole or where they differ."""

    def __init__(self) -> None:
        super().__init__()
        self.setMinimumSize(260, 220)
        self._paths: tuple[Alignment, ...] = ()
        self._window = QRectF(0, 0, 1, 1)
        theme.notifier.changed.connect(self.update)

    def show_paths(self, *paths: Alignment) -> None:
        """Show the whole of these paths."""
        self._paths = paths
        self.fit_all()

    def fit_all(self) -> None:
        """Zoom to the whole of both paths."""
        starts, ends = ([getattr(path, name) for path in self._paths] for name in ("start", "end"))
        low, high = np.min(starts, axis=0), np.max(ends, axis=0)
        self.show_window(int(low[0]), int(high[0]), int(low[1]), int(high[1]))

    def show_window(self, top: int, bottom: int, left: int, right: int) -> None:
        """Zoom to these cells."""
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
            painter.drawPolyline(self._path_polygon(path, area))

    def _path_polygon(self, path: Alignment, area: QRectF) -> QPolygonF:
        window = self._window
        rows = int(window.top()), int(window.bottom()) + 1
        columns = int(window.left()), int(window.right()) + 1
        points = shared_path_index(path).sample_cells(rows, columns, MAX_POINTS).astype(float)
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
    """Shows how much two paths share, where they differ, and both alignments there."""

    def __init__(self) -> None:
        super().__init__()
        self.summary, self.picture, self.list, self.text = (
            create_label(wrap=True),
            PathPicture(),
            QListWidget(),
            QPlainTextEdit(),
        )
        self.text.setReadOnly(True)
        self.text.setFont(theme.fixed_font())
        self.text.setLineWrapMode(QPlainTextEdit.LineWrapMode.NoWrap)
        self.list.setAccessibleName("Differences of the paths")
        self.list.currentRowChanged.connect(self._show_place)
        lower, upper = QSplitter(Qt.Orientation.Vertical), QSplitter(Qt.Orientation.Horizontal)
        upper.addWidget(self.picture)
        upper.addWidget(self.list)
        upper.setSizes([600, 300])
        lower.addWidget(upper)
        lower.addWidget(self.text)
        lower.setSizes([400, 180])
        box = QVBoxLayout(self)
        box.addWidget(self.summary)
        box.addWidget(lower, 1)
        self._results: tuple[Result, ...] = ()
        self._stretches: tuple[PathDivergence, ...] = ()

    def show_difference(self, results: tuple[Result, Result], names: tuple[str, str], found: PathDifference) -> None:
        """Show the difference of two results under their names."""
        self._results, self._stretches = results, found.divergences
        total = found.common_cells + found.cells_in_first_only + found.cells_in_second_only
        self.summary.setText(
            f"Both paths share {texts.format_percent(found.common_share)} of {total:,} cells; "
            f"{found.cells_in_first_only:,} are only in "
            f"the first ({names[0]}), {found.cells_in_second_only:,} only in the second ({names[1]}). They differ in "
            f"{format_count(len(found.divergences), 'place')}."
        )
        self.picture.show_paths(*(find_path(result) for result in results))
        self.list.clear()
        self.list.addItem("All")
        for stretch in found.divergences[:MAX_LISTED]:
            first, second = (last - start for start, last in (stretch.first_points, stretch.second_points))
            i, j = stretch.start_cell or stretch.end or (0, 0)
            self.list.addItem(f"at {i:,}, {j:,}: {first:,} and {second:,} cells")
        if len(found.divergences) > MAX_LISTED:
            self.list.addItem(f"and {len(found.divergences) - MAX_LISTED:,} more")
        self.list.setCurrentRow(0)

    def _show_place(self, row: int) -> None:
        if row <= 0 or row > min(len(self._stretches), MAX_LISTED):
            hint = "Select a place in the list to see both alignments there."
            self.text.setPlainText(hint if self._stretches else "Both paths are identical.")
            if self._results:
                self.picture.fit_all()
            return
        stretch = self._stretches[row - 1]
        parts = list(zip(self._results, (stretch.first_points, stretch.second_points), strict=True))
        points = np.concatenate([_segment_cells(shared_path_index(find_path(result)), part) for result, part in parts])
        (top, left), (bottom, right) = points.min(axis=0).tolist(), points.max(axis=0).tolist()
        self.picture.show_window(top - CONTEXT, bottom + CONTEXT, left - CONTEXT, right + CONTEXT)
        self.text.setPlainText("\n\n".join(_segment_rows(result, part) for result, part in parts))


def _segment_cells(index, part: tuple[int, int]) -> np.ndarray:
    low, high = max(part[0] - 1, 0), min(part[1], index.length)
    return np.concatenate(
        [index.cells(low, min(low + MAX_POINTS, high)), index.cells(max(high - MAX_POINTS, low), high)]
    )


def _segment_rows(result: Result, part: tuple[int, int]) -> str:
    """Return both rows of the alignment in a segment, with some columns around it."""
    path = find_path(result)
    low = max(part[0] - CONTEXT, 0)
    high = min(part[1] + CONTEXT, len(path.operations), low + 400)
    start = shared_path_index(path).cell(low)
    moves = path.operations[low:high]
    lines = []
    for sequence, at, without in zip(result.problem.data, start, (LEFT, UP), strict=True):
        taken = moves != without
        row = np.full(moves.size, ord("-"), np.uint8)
        row[taken] = sequence.letter_array[at : at + int(taken.sum())]
        lines.append(f"{at + 1:>12,}  {row.tobytes().decode('ascii')}")
    return "\n".join(lines)
