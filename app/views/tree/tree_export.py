"""Figures of a tree for files, and the tree itself as Newick or NEXUS."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from PySide6.QtCore import QRectF, QSize
from PySide6.QtGui import QFontMetricsF, QGuiApplication, QPainter
from PySide6.QtWidgets import QDialog, QDialogButtonBox, QFormLayout, QVBoxLayout, QWidget

from antidiag.app import theme
from antidiag.app.kit.controls.spin_boxes import DoubleSpinBox
from antidiag.app.kit.controls.widgets import create_label
from antidiag.app.kit.figures import export, framed_figure
from antidiag.app.kit.figures.export import PrintSize
from antidiag.app.kit.figures.legend import LegendItem
from antidiag.app.kit.tasks.saving_card import SavingCard
from antidiag.app.kit.tree.visible_branches import TreeFrame, find_visible_branches
from antidiag.app.views.tree import tree_painter
from antidiag.app.views.tree.fit_to_window import (
    BOTTOM,
    LEAST_TREE,
    LEFT,
    NAMES_SHARE,
    TOP,
    fit_tree,
    longest_name_width,
)
from antidiag.app.views.tree.tip_labels import EDGE, select_labels, tip_text
from antidiag.app.views.tree.tree_canvas import TreeCanvas
from antidiag.app.views.tree.tree_painter import TreePicture
from antidiag.kernels.errors import InputError
from antidiag.kernels.io.tree import Tree
from antidiag.kernels.io.tree_files import write_trees
from antidiag.kernels.monitor import Monitor
from antidiag.kernels.trees.tree_layout import TURN, TreeShape

READABLE_ROW = 13.0  # pixels of a row with an easily readable name
PRINT_DETAIL = 0.15
LARGEST_IMAGE = 15_000  # largest side of an image in pixels, which PNG doubles; the painter counts in 16 bits
TREE_FILTERS = (
    "Newick tree (*.nwk);;NEXUS tree (*.nex);;NHX tree (*.nhx);;phyloXML tree (*.phyloxml);;NeXML tree (*.nexml)"
)


@dataclass(frozen=True)
class TreeFigure:
    """A picture with its title and legend."""

    picture: TreePicture
    title: str
    items: tuple[LegendItem, ...]

    def unmarked_picture(self) -> TreePicture:
        """Return the picture without hovered and current node."""
        return dataclasses.replace(self.picture, hovered=None, current=None)


def draw_tree_figure(
    painter: QPainter, area: QRectF, shown: TreeFigure, frame: TreeFrame | None, detail: float = 1.0
) -> None:
    """Draw title, tree and legend into ``area``; ``frame`` is the window, or None for the whole tree."""
    picture = shown.unmarked_picture()

    def body(painter: QPainter, width: float, height: float) -> None:
        window = frame or fit_tree(picture, width, height, painter.font(), share=1.0)
        tree_painter.paint_tree(painter, picture, window, theme.active(), detail)

    framed_figure.draw_figure(painter, area, shown.title, shown.items, body)


def frame_with_names(shown: TreeFigure, canvas: TreeCanvas) -> TreeFrame:
    """Return the window of a canvas, enlarged so that names in it are complete. Round shapes are enlarged only where
    the whole tree is visible, because more of the tree would appear."""
    picture, frame = shown.picture, canvas.frame
    if not picture.names or not (canvas.fitted or picture.layout.is_straight):
        return frame
    font = canvas.font()
    lines = find_visible_branches(picture.layout, frame).lines
    found = select_labels(picture, frame, lines, font)
    metrics = QFontMetricsF(found.font)
    widths = np.array([metrics.horizontalAdvance(tip_text(picture.layout, tip)) for tip in found.tips.tolist()])
    x, y = found.x + (widths + 1) * np.cos(found.angle), found.y + (widths + 1) * np.sin(found.angle)
    left, top = max(EDGE - x.min(initial=EDGE), 0.0), max(EDGE - y.min(initial=EDGE), 0.0)
    right = max(x.max(initial=0) + EDGE - frame.width, 0.0)
    bottom = max(y.max(initial=0) + EDGE - frame.height, 0.0)
    if picture.layout.is_straight:
        left = top = bottom = 0.0
    width, height = frame.width + left + right, frame.height + top + bottom
    return TreeFrame(frame.across, frame.down, frame.left + left, frame.top + top, width, height)


def window_figure_size(shown: TreeFigure, frame: TreeFrame) -> QSize:
    """Return the size of the figure of a window."""
    return framed_figure.figure_size(np.ceil(frame.width), np.ceil(frame.height), shown.items)


def least_figure_size(shown: TreeFigure) -> QSize:
    """Return the size of a figure with complete names and a small tree."""
    layout, names = shown.picture.layout, _names_width(shown.picture)
    if layout.is_straight:
        return framed_figure.figure_size(LEFT + LEAST_TREE + names, 0, shown.items)
    return framed_figure.figure_size(LEAST_TREE + 2 * names, LEAST_TREE + 2 * names, shown.items)


def _names_width(picture: TreePicture) -> float:
    """Return the pixels that the longest name and the columns beside it need."""
    names = longest_name_width(picture.layout, QGuiApplication.font(), picture.label_size) if picture.names else 0.0
    return names + picture.names_offset


def readable_figure_size(shown: TreeFigure, canvas: TreeCanvas) -> QSize:
    """Return the size of a figure of the whole tree with readable names."""
    layout, names = shown.picture.layout, _names_width(shown.picture)
    if layout.is_straight:
        width = max(float(canvas.width()), (1 - NAMES_SHARE) * canvas.width() + names)
        height = layout.rows * READABLE_ROW + TOP + BOTTOM
    else:
        if layout.shape == TreeShape.CIRCULAR:
            side = 2 * layout.rows * READABLE_ROW / TURN
        else:
            side = 60 * max(layout.rows, 1) ** 0.75
        width = height = max(side + 2 * names, min(canvas.width(), canvas.height()))
    return framed_figure.figure_size(width, max(height, 120), shown.items)


def save_tree_figure(
    path: Path,
    shown: TreeFigure,
    size: QSize,
    frame: TreeFrame | None = None,
    printed: PrintSize | None = None,
    monitor: Monitor | None = None,
) -> None:
    """Write a figure as PNG, SVG or PDF; a figure of the whole tree grows if its names need it. Any thread may call
    this; nothing is written after Cancel."""
    if frame is None:
        size = size.expandedTo(least_figure_size(shown))
    image = path.suffix.lower() == ".png"
    if image and max(size.width(), size.height()) > LARGEST_IMAGE:
        raise InputError(
            f"{path}: an image may have at most {LARGEST_IMAGE:,} points per side, not {size.width():,} x "
            f"{size.height():,}; choose .pdf, .svg or a smaller size"
        )
    detail = 1 / export.PNG_SCALE if image else PRINT_DETAIL
    export.save_figure(
        path,
        size,
        lambda painter, area: draw_tree_figure(painter, area, shown, frame, detail),
        shown.title,
        printed,
        check=(monitor or Monitor()).check,
    )


def ask_and_save_figure(
    parent: QWidget, name: str, shown: TreeFigure, canvas: TreeCanvas, kind: str, saving: SavingCard
) -> None:
    """Ask for a file, and for a size if ``kind`` is "size", and let ``saving`` write the figure."""
    frame = frame_with_names(shown, canvas) if kind == "seen" else None
    size = (
        window_figure_size(shown, frame)
        if frame
        else (readable_figure_size if kind == "whole" else _ask_size)(shown, canvas)
    )
    if size is None:
        return
    path = export.ask_save_path(parent, name, FILTERS)
    if path is not None:
        saving.save(path, lambda path, monitor: save_tree_figure(path, shown, size, frame, monitor=monitor))


FILTERS = ";;".join(reversed(export.FILTERS.split(";;")))


def ask_and_save_tree(parent: QWidget, name: str, tree: Tree) -> None:
    """Ask for a file and write the tree; show errors."""
    path = export.ask_save_path(parent, name, TREE_FILTERS, "Save tree")
    if path is not None:
        export.run_with_warning(parent, path, lambda path: write_trees(path, [tree]), "Save tree")


class TreeSizeDialog(QDialog):
    """Asks for width and height of a figure in millimetres."""

    def __init__(self, parent: QWidget, width: float, height: float) -> None:
        super().__init__(parent)
        self.setWindowTitle("Figure size")
        self.width_mm, self.height_mm = DoubleSpinBox(), DoubleSpinBox()
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
        said = "The figure shows the whole tree and grows if long names need it; names without room are left out."
        column.addWidget(create_label(said, "muted", wrap=True))
        column.addLayout(form)
        column.addWidget(buttons)

    def figure_size(self) -> QSize:
        """Return the size in pixels of the screen."""
        dots = export.screen_dpi() / export.MM_PER_INCH
        return QSize(round(self.width_mm.value() * dots), round(self.height_mm.value() * dots))


def _ask_size(shown: TreeFigure, canvas: TreeCanvas) -> QSize | None:
    dialog = TreeSizeDialog(canvas, 180, 240)
    return dialog.figure_size() if dialog.exec() == QDialog.DialogCode.Accepted else None
