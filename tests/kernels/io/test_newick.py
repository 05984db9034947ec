"""Newick: what is written is read again, other programs read it too, and errors name the place."""

from __future__ import annotations

import io

import numpy as np
import pytest
from Bio import Phylo
from hypothesis import given
from hypothesis import strategies as st

from antidiag.kernels.errors import InputError
from antidiag.kernels.io.newick import newick_text, parse_newick
from antidiag.kernels.io.tree import Tree
from tests.trees import NASTY, trees


@given(trees(names=NASTY), st.data())
def test_any_names_come_back(tree: Tree, data: st.DataObject) -> None:
    unknown = data.draw(st.lists(st.booleans(), min_size=len(tree), max_size=len(tree)))
    tree = Tree(tree.names, tree.parents, np.where(unknown, np.nan, tree.lengths))
    assert parse_newick(newick_text(tree)) == [tree]


@given(trees(names=NASTY.map("x{}".format)))
def test_scikit_bio_reads_the_names(tree: Tree) -> None:
    """It takes a quoted name of nothing but punctuation for that punctuation, so names begin with a letter."""
    skbio = pytest.importorskip("skbio")
    judge = skbio.TreeNode.read([newick_text(tree)], format="newick", convert_underscores=False)
    assert [node.name for node in judge.preorder()] == list(tree.names)
    assert [node.length for node in judge.preorder()][1:] == pytest.approx(list(tree.lengths[1:]))


def test_biopython_reads_the_names() -> None:
    names = ["it's", "a (b)", "x:y;z", "[5]", "plain_name", "long " * 40 + "end"]
    tree = Tree.from_parents(["", *names], np.array([-1, 0, 0, 0, 0, 0, 0]), np.arange(7.0))
    judge = Phylo.read(io.StringIO(newick_text(tree)), "newick")
    assert [leaf.name for leaf in judge.get_terminals()] == names
    assert [leaf.branch_length for leaf in judge.get_terminals()] == [1, 2, 3, 4, 5, 6]


@pytest.mark.parametrize(
    ("text", "names", "parents", "lengths"),
    [
        ("(a,b,c);", ["", "a", "b", "c"], [-1, 0, 0, 0], [None] * 4),
        (" ( a : 1e-3 , b:-2.5E+1 ) 0.95 : .5 ; ", ["0.95", "a", "b"], [-1, 0, 0], [0.5, 0.001, -25]),
        ("('it''s','a b')'';", ["", "it's", "a b"], [-1, 0, 0], [None] * 3),
        ("[&R] (a[note],[x(]b[a [nested] one])r[2:3];", ["r", "a", "b"], [-1, 0, 0], [None] * 3),
        ("((a,b):0.1[95],c)[100];", ["100", "95", "a", "b", "c"], [-1, 0, 1, 1, 0], [None, 0.1, None, None, None]),
        ("(d'Orbigny,a_b|c.1);", ["", "d'Orbigny", "a_b|c.1"], [-1, 0, 0], [None] * 3),
        ("(,(:1,));", ["", "", "", "", ""], [-1, 0, 0, 2, 2], [None, None, None, 1, None]),
        ("only;", ["only"], [-1], [None]),
        ("(a\n,\r\n b\t)", ["", "a", "b"], [-1, 0, 0], [None] * 3),
    ],
)
def test_grammar(text: str, names: list[str], parents: list[int], lengths: list[float | None]) -> None:
    (tree,) = parse_newick(text)
    assert tree.names == tuple(names)
    assert tree.parents.tolist() == parents
    assert np.array_equal(tree.lengths, np.array(lengths, float), equal_nan=True)


def test_several_trees_get_numbers() -> None:
    found = parse_newick("(a,b);(c,d);\n[last](e,f);\n", name="boot")
    assert [(tree.name, tree.taxa) for tree in found] == [
        ("boot 1", ("a", "b")),
        ("boot 2", ("c", "d")),
        ("boot 3", ("e", "f")),
    ]


@pytest.mark.parametrize(
    ("text", "line", "column", "reason"),
    [
        ("", 1, 1, "not a Newick tree"),
        ("(a,b);\nhello", 2, 1, "not a Newick tree"),
        ("((a,b);", 1, 1, "never closed"),
        ("(a,(b,c);", 1, 1, "never closed"),
        ("((a,b),(c,d);", 1, 1, "never closed"),
        ("(a,b));", 1, 6, "closes nothing"),
        ("(a,b)\n(c,d);", 2, 1, "comma is missing"),
        ("(a,b(c,d));", 1, 5, "text before"),
        ("(a:x,b);", 1, 4, "'x' is not a branch length"),
        ("(a:1_0,b);", 1, 4, "'1_0' is not a branch length"),
        ("(a:\u0663,b);", 1, 4, "is not a branch length"),
        ("(a:inf,b);", 1, 4, "'inf' is not a branch length"),
        ("(a:,b);", 1, 3, "no branch length follows"),
        ("(a:1:2,b);", 1, 5, "comma is missing"),
        ("(a,b),c;", 1, 6, "outside all parentheses"),
        ("(a,b);;", 1, 7, "no tree"),
        (":1;", 1, 1, "without a node"),
        ("(a[,b);", 1, 3, "not closed"),
        ("(a],b);", 1, 3, "not opened"),
        ("(a,\n 'b);", 2, 2, "not closed"),
        ("(a,'b'c);", 1, 4, "quote the whole name"),
    ],
)
def test_errors_name_the_place(text: str, line: int, column: int, reason: str) -> None:
    with pytest.raises(InputError, match=f"^trees.nwk, line {line}, column {column}: .*{reason}"):
        parse_newick(text, "trees.nwk")


@given(st.text("(),:;'[] ab1.", max_size=12))
def test_any_text_gives_trees_or_an_error(text: str) -> None:
    try:
        found = parse_newick(text)
    except InputError:
        found = []
    assert [parse_newick(newick_text(tree)) for tree in found] == [[tree] for tree in found]


def test_a_caterpillar_of_twenty_thousand() -> None:
    text = "(" * 20_000 + "a" + "".join(f",b{at})" for at in range(20_000)) + ";"
    (tree,) = parse_newick(text)
    assert tree.summary == "20,001 taxa"
    assert tree.depths.max() == 20_000
    assert newick_text(tree) == text


def test_a_number_of_trees_may_stand_before_them() -> None:
    for head in ("2\n", "4 2\n", "  4  2 \n\n"):
        found = parse_newick(f"{head}(A,B,(C,D));\n(A,C,(B,D));\n")
        assert [tree.taxa for tree in found] == [("A", "B", "C", "D"), ("A", "C", "B", "D")]
    with pytest.raises(InputError, match="announces 3 trees, and 2 follow"):
        parse_newick("3\n(A,B);\n(A,C);\n")
    with pytest.raises(InputError, match="text before the tree"):
        parse_newick(f"{'1' * 5000}\n(A,B);\n")


def test_lengths_with_a_decimal_comma_are_refused() -> None:
    for last in ("0,5", "1"):
        with pytest.raises(InputError, match="0,1 may be a length with a decimal comma"):
            parse_newick(f"(A:0,1,B:0,2,(C:1,5,D:0,4):{last});")
    assert parse_newick("(A:1,2:2,3:3);")[0].taxa == ("A", "2", "3")


def test_text_before_a_tree_is_told_as_such() -> None:
    with pytest.raises(InputError, match=r"text before the tree, which begins with '\('; remove it"):
        parse_newick("tree1 = (A,B);")
