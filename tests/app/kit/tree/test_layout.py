"""Where nodes are drawn, which branches are seen, and which names are written."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from antidiag.app.kit.tree import visible_branches
from antidiag.app.kit.tree.visible_branches import TreeFrame, find_visible_branches, node_pixels
from antidiag.app.views.tree import tree_colours
from antidiag.app.views.tree.tip_labels import select_labels
from antidiag.app.views.tree.tree_painter import TreePicture
from antidiag.kernels.io.tree import Tree
from antidiag.kernels.io.tree_files import random_tree
from antidiag.kernels.trees.tree_layout import TreeLayout, TreeShape, lay_out_tree
from tests.app.views import tree_examples
from tests.trees import trees

SHAPES = list(TreeShape)
WINDOW = 700.0, 500.0


def pictured(found: TreeLayout, aligned: bool = False) -> TreePicture:
    none = np.zeros(len(found.tree), bool)
    return TreePicture(found, tree_colours.make_uncoloured(found.tree), none, np.flatnonzero(none), aligned=aligned)


def random(taxa: int) -> Tree:
    return random_tree(taxa, np.random.default_rng(3))


def fitted(found) -> TreeFrame:
    left, top, right, bottom = found.bounds
    across, down = WINDOW[0] / max(right - left, 1e-9), WINDOW[1] / max(bottom - top, 1e-9)
    if not found.is_straight:
        across = down = min(across, down)
    return TreeFrame(across, down, -left * across, -top * down, *WINDOW)


@given(trees(), st.sampled_from(SHAPES), st.booleans(), st.data())
def test_every_node_has_a_place(tree: Tree, shape: TreeShape, lengths: bool, data: st.DataObject) -> None:
    closed = data.draw(st.sets(st.integers(0, len(tree) - 1), max_size=3))
    found = lay_out_tree(tree, shape, lengths, closed)
    assert np.isfinite(found.x).all() and np.isfinite(found.y).all()
    assert found.shown[0] and found.shown[found.tips].all()
    closed = {node for node in closed if tree.degrees[node]}
    hidden = {node for node in range(len(tree)) if closed.intersection(tree.path(node)[1:])}
    assert set(np.flatnonzero(~found.shown).tolist()) == hidden
    assert found.shown[found.visible_node].all()
    if found.is_straight:
        tips = found.row[found.tips]
        assert (np.diff(tips) >= 1 - 1e-9).all()
        row = found.row[found.shown]
        assert (found.first[found.shown] <= row + 1e-9).all() and (row <= found.last[found.shown] + 1e-9).all()


@pytest.mark.parametrize("shape", SHAPES)
def test_branches_are_as_long_as_they_are_drawn(shape: TreeShape) -> None:
    tree = tree_examples.tree()
    found, below = lay_out_tree(tree, shape), np.arange(1, len(tree))
    if shape == TreeShape.UNROOTED:
        drawn = np.hypot(*(at[below] - at[tree.parents[below]] for at in (found.x, found.y)))
    else:
        radius = np.hypot(found.x, found.y) if shape == TreeShape.CIRCULAR else found.x
        drawn = radius[below] - radius[tree.parents[below]]
    assert drawn == pytest.approx(tree.lengths[1:])


@pytest.mark.parametrize("shape", [TreeShape.RECTANGULAR, TreeShape.SLANTED, TreeShape.CIRCULAR])
def test_the_tips_of_a_cladogram_stand_in_a_line(shape: TreeShape) -> None:
    found = lay_out_tree(random(40), shape, lengths=False)
    ends = np.hypot(found.x, found.y) if shape == TreeShape.CIRCULAR else found.x
    assert ends[found.tips] == pytest.approx(np.ones(40))


def test_a_rectangular_tree_has_a_level_and_an_upright_line_for_each_node() -> None:
    tree = tree_examples.tree()
    found = lay_out_tree(tree, TreeShape.RECTANGULAR)
    drawn = find_visible_branches(found, fitted(found), detail=0.01)
    inner = int((tree.degrees > 0).sum())
    assert len(drawn.lines) == len(tree) + inner
    assert np.bincount(drawn.owners, minlength=len(tree)).tolist() == (1 + (tree.degrees > 0)).tolist()


@pytest.mark.parametrize("shape", SHAPES)
def test_a_large_tree_is_thinned_to_what_a_screen_can_show(shape: TreeShape) -> None:
    found = lay_out_tree(random(20_000), shape)
    frame = fitted(found)
    drawn = find_visible_branches(found, frame)
    most = 20_000 if shape == TreeShape.UNROOTED else 12_000
    assert 100 < len(drawn.lines) < most
    assert drawn.lines.min() >= -700 and drawn.lines.max() <= 1400
    closer = TreeFrame(frame.across * 50, frame.down * 50, frame.left * 50 - 300, frame.top * 50 - 300, *WINDOW)
    assert len(find_visible_branches(found, closer).lines) < most


@pytest.mark.parametrize("taxa", [30, 3000])
@pytest.mark.parametrize("shape", [TreeShape.RECTANGULAR, TreeShape.SLANTED, TreeShape.CIRCULAR])
@pytest.mark.parametrize("aligned", [False, True])
def test_names_do_not_lie_over_each_other(qtbot, shape: TreeShape, taxa: int, aligned: bool) -> None:
    from PySide6.QtGui import QFont, QFontMetricsF

    found = lay_out_tree(random(taxa), shape)
    frame = fitted(found)
    written = select_labels(pictured(found, aligned), frame, find_visible_branches(found, frame).lines, QFont())
    height = 0.8 * QFontMetricsF(written.font).ascent()
    assert 8 < written.tips.size <= taxa and written.thinned == (taxa > 1000)
    if shape == TreeShape.CIRCULAR:
        middle = node_pixels(found, frame, np.array([0]))
        radius = np.hypot(written.x - middle[0], written.y - middle[1])
        apart = np.diff(np.sort(written.angle)) * (radius.min() if aligned else radius.max())
    else:
        apart = np.diff(np.sort(written.y))
    assert apart.min() >= height


def test_a_name_that_lies_on_nothing_is_found_in_the_unrooted_shape(qtbot) -> None:
    from PySide6.QtGui import QFont

    found = lay_out_tree(random(400), TreeShape.UNROOTED)
    frame = fitted(found)
    written = select_labels(pictured(found), frame, find_visible_branches(found, frame).lines, QFont())
    assert written.thinned and 5 < written.tips.size < 400


@given(trees(), st.sampled_from(SHAPES), st.sampled_from([0.1, 0.5, 3.0]))
def test_clades_of_less_than_a_pixel_are_one_line(tree: Tree, shape: TreeShape, scale: float) -> None:
    found = lay_out_tree(tree, shape)
    parts, extent = (
        visible_branches._find_drawn_nodes(found, scale, scale, 1.0),
        visible_branches._clade_extents(found, scale, scale),
    )
    big = {node for node in range(len(tree)) if found.has_visible_children[node] and (extent[node] >= 1 or node == 0)}
    drawn = {0} | {node for node in range(1, len(tree)) if found.shown[node] and int(tree.parents[node]) in big}
    assert parts.nodes.tolist() == sorted(drawn)
    assert parts.inner.tolist() == sorted(big & drawn)
    assert np.flatnonzero(parts.tiny).tolist() == [
        node for node in sorted(drawn - big) if found.has_visible_children[node]
    ]
