"""Figures of alignments, trees, distances and pairs as files, drawn by the views of the window without a window.

No screen is needed: views are laid out but not displayed.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from PySide6.QtCore import QEventLoop, QLoggingCategory, QSize, Qt
from PySide6.QtWidgets import QApplication, QWidget

from antidiag.app import theme
from antidiag.app.kit.figures import export, pages
from antidiag.app.kit.figures.export import PrintSize
from antidiag.app.kit.selection import Selection
from antidiag.kernels.errors import ParameterError
from antidiag.kernels.io.aligned_sequences import AlignedSequences
from antidiag.kernels.io.distance_matrix import DistanceMatrix
from antidiag.kernels.io.tree import Tree
from antidiag.kernels.model import Result, Sequence, SequenceType
from antidiag.kernels.monitor import Monitor

PAUSE_MS = 20
"""Longest wait for events of Qt between two looks at the view."""


@dataclass(frozen=True)
class FigureLook:
    """How a figure looks: colours, size, and what suits some kinds of figures only.

    ``size`` is in pixels of a screen; ``printed`` the size in print, or None. ``columns`` are those of a line of an
    alignment, ``scheme`` its colours, and ``page`` the format of pages that it is broken into, or "". ``shape`` is that
    of a tree.
    """

    dark: bool = False
    size: QSize = QSize(960, 720)  # noqa: RUF009
    printed: PrintSize | None = None
    columns: int = 80
    scheme: str = ""
    shape: str = "rectangular"
    page: str = ""
    dpi: int = 300


def start_drawing(look: FigureLook) -> None:
    """Start Qt, and use the colours of the figure."""
    QLoggingCategory.setFilterRules("default.warning=false")  # the offscreen plugin warns of every size
    application = QApplication.instance() or QApplication(["antidiag"])
    theme.apply(application, "dark" if look.dark else "light")  # type: ignore[arg-type] # one with widgets


def save_alignment_figure(path: Path, alignment: AlignedSequences, look: FigureLook, monitor: Monitor) -> list[Path]:
    """Write an alignment in lines of columns, with its letters as far as they are readable; return the files.

    They are several where the alignment is broken into pages of SVG or PNG.
    """
    from antidiag.app.views.aligned.colouring import schemes
    from antidiag.app.views.aligned.export import figures
    from antidiag.app.views.aligned.view import AlignmentViewer

    view = AlignmentViewer(Selection())
    known = schemes.available_schemes(alignment.type == SequenceType.PROTEIN, {"agreement", "confidence", "structure"})
    if look.scheme and look.scheme not in known:
        raise ParameterError(f"--colours must be one of {', '.join(known)} for this alignment; got {look.scheme!r}")
    _lay_out(view, look.size)
    view.show_datum(alignment)
    if look.scheme:
        view.set_scheme(look.scheme)
    _wait_until(lambda: view.sharp, monitor)
    source, written = view.exporter.figure_source, [path]
    if look.page:
        page = pages.find_page_format(look.page)
        written = pages.save_pages(path, figures.paged_figure(source, page, look.columns), look.dpi, monitor)
    else:
        made = figures.wrapped_figure(source, look.columns)
        export.save_figure(path, made.size, made.drawing_with(monitor), made.title, look.printed, monitor.check)
    view.deleteLater()
    return written


def save_tree_figure(path: Path, tree: Tree, look: FigureLook, monitor: Monitor) -> None:
    """Write a whole tree; a figure grows where long or many names need it."""
    from antidiag.app.views.tree import tree_export
    from antidiag.app.views.tree.tree_view import TreeView
    from antidiag.kernels.trees.tree_layout import TreeShape

    if look.shape not in list(TreeShape):
        raise ParameterError(f"--shape must be one of {', '.join(TreeShape)}; got {look.shape!r}")
    view = TreeView(Selection())
    _lay_out(view, look.size)
    view.set_shape(look.shape)
    view.show_datum(tree)
    _wait_until(lambda: view.sharp, monitor)
    shown = view.create_figure()
    size = tree_export.readable_figure_size(shown, view.canvas).expandedTo(tree_export.least_figure_size(shown))
    tree_export.save_tree_figure(path, shown, size, printed=look.printed, monitor=monitor)
    view.deleteLater()


def save_distances_figure(path: Path, matrix: DistanceMatrix, look: FigureLook, monitor: Monitor) -> None:
    """Write a heat map of distances, its rows ordered by a UPGMA tree."""
    from antidiag.app.views.distances.view import DistancesView

    _save_view(path, DistancesView(Selection()), lambda view: view.show_datum(matrix), look, monitor)


def save_dotplot_figure(path: Path, first: Sequence, second: Sequence, look: FigureLook, monitor: Monitor) -> None:
    """Write the words that two sequences share."""
    from antidiag.app.views.dotplot.view import DotPlotView, SequencePair

    _save_view(path, DotPlotView(Selection()), lambda view: view.show_datum(SequencePair(first, second)), look, monitor)


def save_matrix_figure(path: Path, result: Result, look: FigureLook, monitor: Monitor) -> None:
    """Write the dynamic-programming matrix of a run, with its strips and the path."""
    from antidiag.app.views.matrix.view import MatrixView

    _save_view(path, MatrixView(Selection()), lambda view: view.show_result(result), look, monitor)


def _save_view(path: Path, view: Any, show: Callable[[Any], None], look: FigureLook, monitor: Monitor) -> None:
    """Write the figure of a view once its picture is complete."""
    card, failures = getattr(view, "scan_panel", None), list[Exception]()
    if card is not None:
        card.asks = False  # the window asks before a long computation; here it was ordered
        card.failed.connect(failures.append)
    _lay_out(view, look.size)
    show(view)
    _wait_until(lambda: view.sharp, monitor, failures)
    export.save_figure(path, view.figure_size(), view.draw_figure, view.figure_title(), look.printed, monitor.check)
    view.deleteLater()


def _lay_out(view: QWidget, size: QSize) -> None:
    """Give a view its size, as if it were shown."""
    view.setAttribute(Qt.WidgetAttribute.WA_DontShowOnScreen)
    view.resize(size)
    view.show()
    QApplication.processEvents()


def _wait_until(complete: Callable[[], bool], monitor: Monitor, failures: list[Exception] | None = None) -> None:
    """Let the background work of a view go on until its picture is complete.

    Raises Cancelled if the user cancels, and the first of the ``failures`` of that work.
    """
    while not complete():
        monitor.check()
        if failures:
            raise failures[0]
        QApplication.processEvents(QEventLoop.ProcessEventsFlag.WaitForMoreEvents, PAUSE_MS)
