"""Figures of a tree for files, at any size, and the tree itself as Newick or NEXUS."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QFontMetricsF, QGuiApplication, QPainter
from PySide6.QtWidgets import (
    QDialog,
    QDialogButtonBox,
    QDoubleSpinBox,
    QFileDialog,
    QFormLayout,
    QMessageBox,
    QVBoxLayout,
    QWidget,
)

from antidiag.app import theme
from antidiag.app.kit import export, figure
from antidiag.app.kit.legend import LegendItem
from antidiag.app.kit.tree.frame import Frame, branches
from antidiag.app.kit.tree.layout import TURN, Shape
from antidiag.app.kit.widgets import label
from antidiag.app.views.tree import paint
from antidiag.app.views.tree.canvas import TreeCanvas
from antidiag.app.views.tree.fitting import BOTTOM, LEAST_TREE, LEFT, NAMES_SHARE, TOP, fitting, names_width
from antidiag.app.views.tree.labels import EDGE, labels, text_of
from antidiag.app.views.tree.paint import Picture
from antidiag.kernels.errors import InputError
from antidiag.kernels.io.tree import Tree
from antidiag.kernels.io.tree_files import write

READABLE_ROW = 13.0
"""Pixels of a row in which a name is easy to read."""
PRINT_DETAIL = 0.15
LARGEST_IMAGE = 15_000
"""Pixels of the side of an image, which PNG doubles; the painter of images counts in 16 bits."""
TREE_FILTERS = "Newick tree (*.nwk);;NEXUS tree (*.nex)"


@dataclass(frozen=True)
class Figure:
    """A picture with what stands above and below it."""

    picture: Picture
    title: str
    items: tuple[LegendItem, ...]

    def plain(self) -> Picture:
        """The picture without what the mouse and the keys point at."""
        return dataclasses.replace(self.picture, hovered=None, current=None)


def draw(painter: QPainter, area: QRectF, shown: Figure, frame: Frame | None, detail: float = 1.0) -> None:
    """Draw title, tree and legend into ``area``; ``frame`` is a window on it, None for all of it with its names."""
    picture = shown.plain()

    def body(painter: QPainter, width: float, height: float) -> None:
        window = frame or fitting(picture, width, height, painter.font(), share=1.0)
        paint.paint(painter, picture, window, theme.active(), detail)

    figure.draw(painter, area, shown.title, shown.items, body)


def seen(shown: Figure, canvas: TreeCanvas) -> Frame:
    """The window of a canvas, grown so far that the names in it are whole.

    In the round shapes it grows only where all of the tree is seen, because more of the tree would come in sight.
    """
    picture, frame = shown.picture, canvas.frame
    if not picture.names or not (canvas.fitted or picture.layout.straight):
        return frame
    font = canvas.font()
    lines = branches(picture.layout, frame).lines
    found = labels(picture.layout, frame, lines, font, picture.in_column, None, picture.label_size, picture.offset)
    metrics = QFontMetricsF(found.font)
    widths = np.array([metrics.horizontalAdvance(text_of(picture.layout, tip)) for tip in found.tips.tolist()])
    x, y = found.x + (widths + 1) * np.cos(found.angle), found.y + (widths + 1) * np.sin(found.angle)
    left, top = max(EDGE - x.min(initial=EDGE), 0.0), max(EDGE - y.min(initial=EDGE), 0.0)
    right = max(x.max(initial=0) + EDGE - frame.width, 0.0)
    bottom = max(y.max(initial=0) + EDGE - frame.height, 0.0)
    if picture.layout.straight:
        left = top = bottom = 0.0
    return Frame(
        frame.across, frame.down, frame.left + left, frame.top + top,
        frame.width + left + right, frame.height + top + bottom,
    )  # fmt: skip


def size_of(shown: Figure, frame: Frame) -> QSize:
    """Size of the figure of a window on the tree."""
    return figure.size(np.ceil(frame.width), np.ceil(frame.height), shown.items)


def least_size(shown: Figure) -> QSize:
    """Size of a figure that has room for whole names and a small tree."""
    layout = shown.picture.layout
    names = names_width(layout, QGuiApplication.font(), shown.picture.label_size) if shown.picture.names else 0.0
    names += shown.picture.offset
    if layout.straight:
        return figure.size(LEFT + LEAST_TREE + names, 0, shown.items)
    return figure.size(LEAST_TREE + 2 * names, LEAST_TREE + 2 * names, shown.items)


def size_whole(shown: Figure, canvas: TreeCanvas) -> QSize:
    """Size of a figure of the whole tree in which every name can be read."""
    layout = shown.picture.layout
    names = names_width(layout, QGuiApplication.font(), shown.picture.label_size) if shown.picture.names else 0.0
    names += shown.picture.offset
    if layout.straight:
        width = max(float(canvas.width()), (1 - NAMES_SHARE) * canvas.width() + names)
        height = layout.rows * READABLE_ROW + TOP + BOTTOM
    else:
        if layout.shape == Shape.CIRCULAR:
            side = 2 * layout.rows * READABLE_ROW / TURN
        else:
            side = 60 * max(layout.rows, 1) ** 0.75
        width = height = max(side + 2 * names, min(canvas.width(), canvas.height()))
    return figure.size(width, max(height, 120), shown.items)


def save(path: Path, shown: Figure, size: QSize, frame: Frame | None = None) -> None:
    """Write a figure as PNG, SVG or PDF; InputError where that fails or an image would be too large.

    A figure of the whole tree is made larger where its names need it.
    """
    if frame is None:
        size = size.expandedTo(least_size(shown))
    image = path.suffix.lower() == ".png"
    if image and max(size.width(), size.height()) > LARGEST_IMAGE:
        raise InputError(
            f"{path}: {size.width():,} x {size.height():,} points are too many for an image, which ends at "
            f"{LARGEST_IMAGE:,}; save it as .pdf or .svg, or choose another size"
        )
    detail = 1 / export.PNG_SCALE if image else PRINT_DETAIL
    export.save(path, size, lambda painter, area: draw(painter, area, shown, frame, detail), shown.title)


def ask_and_save(parent: QWidget, shown: Figure, canvas: TreeCanvas, kind: str) -> None:
    """Ask for a file, and for a size where ``kind`` is "size", and write the figure; what goes wrong is shown."""
    frame = seen(shown, canvas) if kind == "seen" else None
    size = size_of(shown, frame) if frame else (size_whole if kind == "whole" else _ask_size)(shown, canvas)
    if size is None:
        return
    chosen, filtered = QFileDialog.getSaveFileName(parent, "Save figure", f"{_file_name(shown.title)}.pdf", FILTERS)
    if not chosen:
        return
    path = _with_suffix(Path(chosen), filtered)
    QGuiApplication.setOverrideCursor(Qt.CursorShape.WaitCursor)
    try:
        save(path, shown, size, frame)
    except InputError as error:
        QGuiApplication.restoreOverrideCursor()
        QMessageBox.warning(parent, "Save figure", str(error))
    else:
        QGuiApplication.restoreOverrideCursor()


FILTERS = ";;".join(reversed(export.FILTERS.split(";;")))


def ask_and_save_tree(parent: QWidget, tree: Tree) -> None:
    """Ask for a file and write the tree; what goes wrong is shown."""
    chosen, filtered = QFileDialog.getSaveFileName(parent, "Save tree", f"{_file_name(tree.name)}.nwk", TREE_FILTERS)
    if not chosen:
        return
    try:
        write(_with_suffix(Path(chosen), filtered), [tree])
    except InputError as error:
        QMessageBox.warning(parent, "Save tree", str(error))


class SizeDialog(QDialog):
    """Width and height of a figure in millimetres."""

    def __init__(self, parent: QWidget, width: float, height: float) -> None:
        super().__init__(parent)
        self.setWindowTitle("Size of the figure")
        self.width_mm, self.height_mm = QDoubleSpinBox(), QDoubleSpinBox()
        form = QFormLayout()
        for box, text, value in ((self.width_mm, "Width", width), (self.height_mm, "Height", height)):
            box.setRange(20, 20_000)
            box.setDecimals(0)
            box.setSuffix(" mm")
            box.setValue(value)
            form.addRow(text, box)
        buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Ok | QDialogButtonBox.StandardButton.Cancel)
        buttons.accepted.connect(self.accept)
        buttons.rejected.connect(self.reject)
        column = QVBoxLayout(self)
        said = "The whole tree is drawn, in a larger figure where long names need it; names without a row are left out."
        column.addWidget(label(said, "muted", wrap=True))
        column.addLayout(form)
        column.addWidget(buttons)

    def size_px(self) -> QSize:
        """The size in points of the screen, of which a drawing has 96 an inch."""
        dots = export.dots_per_inch() / export.MM_PER_INCH
        return QSize(round(self.width_mm.value() * dots), round(self.height_mm.value() * dots))


def _ask_size(shown: Figure, canvas: TreeCanvas) -> QSize | None:
    dialog = SizeDialog(canvas, 180, 240)
    return dialog.size_px() if dialog.exec() == QDialog.DialogCode.Accepted else None


def _with_suffix(path: Path, filtered: str) -> Path:
    """The path with the suffix of the chosen filter, where it has none."""
    return path if path.suffix else path.with_suffix(filtered[filtered.rfind("*") + 1 :].rstrip(")"))


def _file_name(title: str) -> str:
    kept = "".join(letter if letter.isalnum() or letter in "-_." else "_" for letter in title)
    return kept[:60] or "tree"
