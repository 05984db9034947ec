"""Figures and files of a tree, made as a person makes them."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import QSize
from PySide6.QtGui import QGuiApplication, QImage

from antidiag.app.views.tree import tree_export
from antidiag.kernels.errors import InputError
from antidiag.kernels.io import newick, tree_files
from antidiag.kernels.io.tree import Tree
from antidiag.kernels.trees.tree_layout import TreeShape
from tests.app.answers import Answers
from tests.app.views.tree_examples import node, pixel

NASTY = ("it's", "a (b), [c]: d;", "\u00e9\u4e2d", "n" * 200, "under_score")
LONG = "Escherichia_coli_" + "K12" * 61
"""A name of 200 letters."""


@pytest.mark.parametrize("suffix", [".nwk", ".nex"])
def test_names_survive_a_file(view, answers: Answers, tmp_path: Path, suffix: str) -> None:
    shown = Tree(("", "", *NASTY), [-1, 0, 1, 1, 0, 0, 0], [float("nan"), 1, 2, 3, 4, 5, 0.125])
    view.show_datum(shown)
    answers.path, answers.filter = tmp_path / "out", f"Tree (*{suffix})"
    view.save_tree()
    (again,) = tree_files.read_trees(tmp_path / f"out{suffix}")
    assert again == shown


@pytest.mark.parametrize("suffix", [".png", ".svg", ".pdf"])
@pytest.mark.parametrize("size", ["seen", "whole", "size"])
def test_figures_of_any_size(
    qtbot, view, monkeypatch, tmp_path: Path, suffix: str, size: str, answers: Answers
) -> None:
    path = tmp_path / f"figure{suffix}"
    answers.path = path
    monkeypatch.setattr(tree_export, "_ask_size", lambda *_: QSize(900, 1500))
    view.save(size)
    qtbot.waitUntil(lambda: not view.saving.busy)
    if suffix == ".png":
        image = QImage(str(path))
        assert size != "size" or (image.width(), image.height()) == (1800, 3000)
        middle = image.height() // 2
        assert len({image.pixel(x, y) for x in range(0, image.width(), 2) for y in range(middle, middle + 60)}) > 1
    elif suffix == ".svg":
        assert "sea lion" in path.read_text() and "animals" in path.read_text()
    else:
        assert path.read_bytes().startswith(b"%PDF")


def long_named(view, shape: TreeShape) -> None:
    view.show_datum(newick.parse_newick(f"(({LONG}:1,b_{LONG[2:]}:2):1,(c_{LONG[2:]}:1,d:1):2);")[0])
    view.set_shape(shape)
    view.canvas.show_all()
    view.canvas.repaint()


@pytest.mark.parametrize("shape", list(TreeShape))
@pytest.mark.parametrize("size", ["seen", "whole", "size"])
def test_long_names_are_whole_in_figures(
    qtbot, view, monkeypatch, tmp_path: Path, shape: TreeShape, size: str, answers: Answers
) -> None:
    path = tmp_path / "figure.svg"
    answers.path = path
    monkeypatch.setattr(tree_export, "_ask_size", lambda *_: QSize(900, 700))
    long_named(view, shape)
    drawn = []
    paint = tree_export.tree_painter.paint_tree
    monkeypatch.setattr(
        tree_export.tree_painter,
        "paint_tree",
        lambda painter, picture, frame, *rest: drawn.append((frame, paint(painter, picture, frame, *rest))),
    )
    view.save(size)
    qtbot.waitUntil(lambda: not view.saving.busy)
    text = path.read_text()
    assert "\u2026" not in text and LONG in text
    frame, painted = drawn[-1]
    ends_x = painted.labels.x + np.array(painted.widths) * np.cos(painted.labels.angle)
    ends_y = painted.labels.y + np.array(painted.widths) * np.sin(painted.labels.angle)
    assert (ends_x >= 0).all() and (ends_x <= frame.width).all()
    assert (ends_y >= 0).all() and (ends_y <= frame.height).all()


def test_an_image_that_is_too_large_is_refused(view, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="at most 15,000 points per side"):
        tree_export.save_tree_figure(tmp_path / "huge.png", view.create_figure(), QSize(20_000, 100))


def test_the_figure_is_copied_without_what_the_mouse_points_at(qtbot, view) -> None:
    view.copy()
    before = QGuiApplication.clipboard().image()
    qtbot.mouseMove(view.canvas, pixel(view, node(view, "hen")))
    view.copy()
    assert QGuiApplication.clipboard().image() == before and not before.isNull()


@pytest.mark.parametrize("suffix", [".nwk", ".nex", ".nhx", ".phyloxml", ".nexml"])
def test_a_tree_is_saved_with_its_values(view, answers: Answers, tmp_path: Path, suffix: str) -> None:
    (tree,) = newick.parse_newick("((a[&&NHX:S=human]:1,b:1):1[&&NHX:B=95],c:2);")
    view.show_datum(tree)
    answers.path = tmp_path / f"x{suffix}"
    view.save_tree()
    assert tree_files.read_trees(tmp_path / f"x{suffix}") == [tree]


@pytest.mark.parametrize("shape", list(TreeShape))
def test_long_names_stay_on_the_canvas(view, shape: TreeShape) -> None:
    long_named(view, shape)
    labels, widths = view.canvas.painted.labels, np.array(view.canvas.painted.widths)
    assert labels.tips.size > 1 and widths.max() > 100
    for at, size, direction in ((labels.x, view.canvas.width(), np.cos), (labels.y, view.canvas.height(), np.sin)):
        ends = at + widths * direction(labels.angle)
        assert (ends >= 0).all() and (ends <= size).all()
