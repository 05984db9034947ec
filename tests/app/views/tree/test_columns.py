"""Columns beside the tips of a tree: from a table, and the values of its file."""

from __future__ import annotations

import pytest

from antidiag.app.kit.selection import Selection
from antidiag.app.views.tree.tree_view import TreeView
from antidiag.kernels.errors import InputError
from antidiag.kernels.io import newick
from antidiag.kernels.trees.tree_layout import TreeShape
from tests.app.views import tree_examples
from tests.app.views.tree_examples import action, node


def table_of(tmp_path, lines: str):
    path = tmp_path / "taxa.csv"
    path.write_text(lines)
    return path


def test_a_table_gives_columns_beside_the_tips_and_colours(qtbot, view, tmp_path) -> None:
    names = view.tree.taxa
    rows = "".join(f"{name},{'warm' if number % 2 else 'cold'},{number}.5\n" for number, name in enumerate(names))
    before = view.canvas.frame
    view.show_table(table_of(tmp_path, f"name,blood,mass\n{rows}stranger,warm,3\n"))
    picture = view.canvas.picture
    assert picture.metadata.table.titles == ("blood", "mass")
    assert f"{len(names)} of {len(names)} taxa" in view.status.text()
    assert view.canvas.frame.across < before.across, "the tree makes room"
    blood, mass = picture.metadata.colourings
    leaves = view.tree.leaves.tolist()
    assert (
        len({blood.node_colour(leaf) for leaf in leaves}) == 2 and len({mass.node_colour(leaf) for leaf in leaves}) > 2
    )
    words = [item.text for item in view.legend.items]
    assert "blood:" in words and any(word.startswith("mass 0.5 to") for word in words)
    view.choose(leaves[1])
    assert "blood warm" in view.status.text()
    view.canvas.repaint()
    assert picture.names_offset > 0 and view.canvas.painted.labels.x.min() > view.canvas.frame.px(picture.layout.far[0])
    view.menus._fill_colours()
    action(view.menus.colour_menu, "Column blood").trigger()
    assert view.canvas.picture.colouring.node_colour(leaves[0]) == blood.node_colour(leaves[0])
    for shape in TreeShape:
        view.set_shape(shape)
        view.canvas.repaint()
        assert (view.canvas.picture.names_offset > 0) == (shape != TreeShape.UNROOTED)
    kept = view.editor.saved_edits
    again = TreeView(Selection())
    qtbot.addWidget(again)
    again.show_datum(tree_examples.tree())
    again.show_edits(kept)
    assert again.editor.table == view.editor.table
    view.set_table(None)
    assert view.canvas.picture.metadata is None and view.colour_by == "none" and view.editor.saved_edits is None


def test_a_table_of_other_names_is_refused(view, tmp_path) -> None:
    with pytest.raises(InputError, match="none of the 1 names in the first column is a taxon"):
        view.show_table(table_of(tmp_path, "name,blood\nnobody,warm\n"))
    assert view.editor.table is None


def test_values_of_a_file_are_columns_beside_the_tips(qtbot, view) -> None:
    (tree,) = newick.parse_newick("((a[&&NHX:S=human]:1,b:1[&&NHX:S=mouse]):1[&&NHX:B=95:D=N],c:2);")
    view.show_datum(tree)
    assert view.canvas.picture.metadata.table.titles == ("S",)
    assert view.editor.table.values == {"a": ("human",), "b": ("mouse",), "c": ("",)}
    assert view.editor.is_untouched and view.editor.saved_edits is None
    view.choose(1)
    assert "D N" in view.status.text() and view.tree.names[1] == "95"
    view.choose(node(view, "a"))
    assert "S human" in view.status.text()
    view.editor.root_above(node(view, "c"))
    assert view.tree.node_values["S"] == tuple({"a": "human", "b": "mouse"}.get(name, "") for name in view.tree.names)
    view.editor.undo()
    view.set_table(None)
    assert view.canvas.picture.metadata is None
    edits = view.editor.saved_edits
    again = TreeView(Selection())
    qtbot.addWidget(again)
    again.show_datum(newick.parse_newick("((a[&&NHX:S=human]:1,b:1[&&NHX:S=mouse]):1[&&NHX:B=95:D=N],c:2);")[0])
    again.show_edits(edits)
    assert again.editor.table is None
