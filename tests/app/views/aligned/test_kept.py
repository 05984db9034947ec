"""Names and head that are kept while one scrolls: what is seen is what would be painted anew."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication

from antidiag.app import theme
from antidiag.app.views.aligned.drawing import cell_painter
from antidiag.app.views.aligned.drawing.margin_cache import MarginCache
from antidiag.app.views.aligned.view import AlignmentViewer
from antidiag.kernels.alignments.column_statistics import ColumnCounts
from antidiag.kernels.io import tree_files
from antidiag.kernels.model import SequenceType
from tests.app.views.aligned.viewer import alignment, chosen, image, press

ROWS, COLUMNS = 60, 300
SHOWN = ["logo", "consensus", "occupancy", "frame 1"]


@pytest.fixture
def long(view: AlignmentViewer) -> Iterator[AlignmentViewer]:
    """A view that can be scrolled both ways, with tracks of all kinds."""
    letters = np.random.default_rng(1).choice(list("ACGT-"), (ROWS, COLUMNS))
    view.show_datum(alignment(*("".join(row) for row in letters), kind=SequenceType.DNA))
    view.canvas.set_tracks(list(SHOWN))
    for _ in range(4):  # values of tracks made, painted, made pixels of, and drawn of those
        image(view)
    yield view
    theme.apply(QApplication.instance(), "light")


def scroll(down: float, across: float) -> Callable[[AlignmentViewer], None]:
    def done(view: AlignmentViewer) -> None:
        view.canvas.frame_.first_row += down
        view.canvas.frame_.first_column += across
        view.canvas.repaint_all()

    return done


def upside_down(view: AlignmentViewer) -> ColumnCounts:
    """Counts as of the columns the other way round."""
    return replace(view.picture.columns, counts=view.picture.columns.counts[::-1].copy())


def dark(view: AlignmentViewer) -> None:
    theme.apply(QApplication.instance(), "dark")


def more(view: AlignmentViewer) -> None:
    view.resize(view.width() + 40, view.height() + 30)


CHANGES: dict[str, Callable[[AlignmentViewer], Any]] = {
    "down": scroll(3.5, 0),
    "right": scroll(0, 7.25),
    "zoomed": lambda view: view.canvas.zoom_cells(1.2, 0.9),
    "chosen": lambda view: view.canvas.select_cells(np.arange(ROWS) < 4, None),
    "cursor": lambda view: press(view, Qt.Key.Key_Down),
    "taxa": lambda view: view.selection.choose_taxa(["row2"]),
    "edited": lambda view: view.commands.insert_gap(),
    "sorted": lambda view: view.commands.sort_rows("length"),
    "hidden": lambda view: (view.canvas.select_cells(np.arange(ROWS) < 2, None), view.commands.hide_selected()),
    "renamed": lambda view: view.commands.rename_row("another"),
    "tagged": lambda view: (view.canvas.select_cells(np.arange(ROWS) < 2, None), view.commands.tag_rows("some")),
    "track": lambda view: view.set_track("gaps", True),
    "no track": lambda view: view.set_track("logo", False),
    "coloured": lambda view: view.set_scheme("identity"),
    "collapsed": lambda view: (
        view.tree.show_tree(tree_files.parse_trees("((row3,row1),row0,row2);")[0]),
        view.tree.set_collapsed([1]),
    ),
    "counted": lambda view: setattr(view.picture, "columns", upside_down(view)),
    "values": lambda view: view.picture.tracks.update(occupancy=np.zeros(COLUMNS)),
    "names": lambda view: (setattr(view.canvas, "names_width", 180), view.canvas.repaint_all()),
    "larger": more,
    "dark": dark,
}


@pytest.mark.parametrize("what", CHANGES)
def test_what_is_kept_is_what_would_be_painted_anew(long: AlignmentViewer, what: str) -> None:
    before = image(long)
    CHANGES[what](long)
    kept = [image(long) for _ in range(3)]
    long.canvas._around = MarginCache()
    assert kept == [image(long)] * 3
    assert kept[0] != before


def test_names_and_head_are_painted_no_more_while_one_scrolls(
    long: AlignmentViewer, monkeypatch: pytest.MonkeyPatch
) -> None:
    for _ in range(3):
        scroll(1, 0)(long)
        image(long)
    painted = []
    for name in ("draw_names", "draw_head"):
        own = getattr(cell_painter, name)
        monkeypatch.setattr(cell_painter, name, lambda *given, own=own, name=name: (painted.append(name), own(*given)))
    for _ in range(3):
        scroll(2, 0)(long)
        image(long)
    assert painted == ["draw_names"] * 3
    for _ in range(3):
        scroll(0, 5)(long)
        image(long)
    assert painted == ["draw_names"] * 4 + ["draw_head"] * 3 and chosen(long) == ([], [])


def test_names_are_painted_no_more_while_one_edits(long: AlignmentViewer, monkeypatch: pytest.MonkeyPatch) -> None:
    long.commands.insert_gap()
    image(long)
    painted, own = [], cell_painter.draw_names
    monkeypatch.setattr(cell_painter, "draw_names", lambda *given: (painted.append(1), own(*given)))
    for _ in range(3):
        long.commands.insert_gap()
        image(long)
    assert not painted
