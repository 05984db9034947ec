"""Values of nodes that tree files hold: read, kept by edits, and written again in every format."""

from __future__ import annotations

import json
import sys
from dataclasses import replace
from io import StringIO
from pathlib import Path

import numpy as np
import pytest
from Bio import Phylo
from hypothesis import given
from hypothesis import strategies as st

from antidiag.kernels.errors import InputError
from antidiag.kernels.io import tree_edits
from antidiag.kernels.io.newick import newick_text, parse_newick
from antidiag.kernels.io.tree import Tree
from antidiag.kernels.io.tree_files import parse_nexus_trees, parse_trees, read_trees, write_trees
from antidiag.kernels.registry import data_loading
from antidiag.kernels.serialization import decode, digest_value, encode
from tests.trees import NASTY, trees

CASES = Path("tests/cases/tree")
XML_NAMES = NASTY.map(lambda name: " ".join(name.split())).filter(
    lambda name: name and not any(character in name for character in "\ufffe\uffff")
)
TITLES = st.text("abcxyz_%!.()", min_size=2, max_size=6).map("t{}".format)


@st.composite
def trees_with_values(draw: st.DrawFn) -> Tree:
    """A tree with names and columns of values; no value is the support of a node."""
    tree = draw(trees(nodes=6, names=XML_NAMES.map("n{}".format)))
    titles = draw(st.lists(TITLES, max_size=3, unique=True))
    texts = st.one_of(st.just(""), XML_NAMES)
    columns = {title: tuple(draw(st.lists(texts, min_size=len(tree), max_size=len(tree)))) for title in titles}
    return replace(tree, node_values={title: column for title, column in columns.items() if any(column)})


@pytest.mark.parametrize("suffix", [".nwk", ".nex", ".phyloxml", ".nexml", ".nwk.gz"])
@given(many=st.lists(trees_with_values(), min_size=1, max_size=3))
def test_every_format_gives_back_what_was_written(
    tmp_path_factory: pytest.TempPathFactory, suffix: str, many: list[Tree]
) -> None:
    path = tmp_path_factory.mktemp("trees") / f"x{suffix}"
    write_trees(path, many)
    assert read_trees(path) == many


@given(tree=trees_with_values())
def test_nhx_gives_back_what_it_can_hold_and_refuses_the_rest(tmp_path_factory, tree: Tree) -> None:
    path = tmp_path_factory.mktemp("trees") / "x.nhx"
    if any(character in value for column in tree.node_values.values() for value in column for character in ":=[]"):
        with pytest.raises(InputError, match="NHX cannot hold the value"):
            write_trees(path, [tree])
        assert not path.exists()
    else:
        write_trees(path, [tree])
        assert read_trees(path) == [tree]


@pytest.mark.parametrize(
    ("text", "names", "values"),
    [
        ("(a[&&NHX:S=human:B=100]:0.1,b)r;", "r a b", {"S": ("", "human", ""), "B": ("", "100", "")}),
        ("(a:0.1[&&NHX:S=human\n:AC=GO:1],b)r;", "r a b", {"S": ("", "human", ""), "AC": ("", "GO:1", "")}),
        ("((a,b)[&&NHX:B=95:D=N],c)r;", "r 95 a b c", {"B": ("", "95", "", "", ""), "D": ("", "N", "", "", "")}),
        ("((a,b)x[&&nhx:B=95],c)r;", "r x a b c", {"B": ("", "95", "", "", "")}),
        ("((a,b)[&posterior=0.9]:1,c)r;", "r 0.9 a b c", {"posterior": ("", "0.9", "", "", "")}),
        (
            '((a,b)[&prob=1.0e+00,prob(percent)="100"],c)r;',
            "r 1.0e+00 a b c",
            {"prob": ("", "1.0e+00", "", "", ""), "prob(percent)": ("", "100", "", "", "")},
        ),
        (
            '(a[&height_95%_HPD={1,2},name="x, y"],b)r;',
            "r a b",
            {"height_95%_HPD": ("", "{1,2}", ""), "name": ("", "x, y", "")},
        ),
        ("(a[&rate=1]:[&rate=2]0.5,b)r;", "r a b", {"rate": ("", "1", ""), "rate_branch": ("", "2", "")}),
        ('(a[&x="]["],b[&!colour=#ff0000])r;', "r a b", {"x": ("", "][", ""), "!colour": ("", "", "#ff0000")}),
        ("(a[a note][and more],b[it's])r;", "r a b", {"comment": ("", "a note; and more", "it's")}),
        ("(a[12],b)r;", "r a b", {"comment": ("", "12", "")}),
        ('(a[&&NHX:S=5"],b[&&NHX:S=6"])r;', "r a b", {"S": ("", '5"', '6"')}),
        ('(a[&x=5"],b[&x=6"])r;', "r a b", {"x": ("", '5"', '6"')}),
        (
            '(a[5" or],b[&x={"p]","q"},y="a ""b"""])r;',
            "r a b",
            {"comment": ("", '5" or', ""), "x": ("", "", '{"p]","q"}'), "y": ("", "", 'a "b"')},
        ),
        ("one[&x=1];", "one", {"x": ("1",)}),
    ],
)
def test_values_of_nodes_are_kept(text: str, names: str, values: dict[str, tuple[str, ...]]) -> None:
    (tree,) = parse_newick(text)
    assert tree.names == tuple(names.split())
    assert tree.node_values == values
    assert parse_newick(newick_text(tree)) == [tree]


def test_nhx_of_a_case() -> None:
    (tree,) = read_trees(CASES / "t06_nhx.nwk")
    assert tree.names == ("", "95", "a", "b", "c")
    assert tree.node_values["S"] == ("", "", "human", "mouse", "")
    assert tree.lengths[1:].tolist() == [0.05, 0.1, 0.2, 0.3]


def test_double_quotes_are_quotes() -> None:
    (tree,) = read_trees(CASES / "t22_doublequote.nwk")
    assert tree.taxa == ("A b", "C,d", "E")
    (tree,) = parse_newick("""("it's",'5" pipe',"say ""ah"\"",5"x)"r;t";""")
    assert tree.names == ("r;t", "it's", '5" pipe', 'say "ah"', '5"x')
    with pytest.raises(InputError, match="column 2: this quote is not closed"):
        parse_newick('("a,b);')
    with pytest.raises(InputError, match="quote the whole name"):
        parse_newick('("a"b,c);')


@pytest.mark.parametrize("width", [40, 47, 80])
def test_lines_that_are_cut_at_one_width_are_joined(width: int) -> None:
    whole = "(" + ",".join(f"taxon_{number}:0.12345[&&NHX:S=species_{number}]" for number in range(50)) + ")r;"
    cut = "\n".join(whole[at : at + width] for at in range(0, len(whole), width))
    assert parse_newick(cut) == parse_newick(whole)
    broken = whole.replace("taxon_40:", "taxon_40:x")
    cut = "\n".join(broken[at : at + width] for at in range(0, len(broken), width))
    place = broken.index("x0.12")
    line, column = place // width + 1, place % width + 1
    with pytest.raises(InputError, match=f"line {line}, column {column}: 'x0.12345' is not a branch length"):
        parse_newick(cut)


def test_a_line_that_ends_inside_a_name_is_refused() -> None:
    with pytest.raises(InputError, match=r"line 1, column 4: a line ends inside the name 'b\\nc'"):
        parse_newick("(a,b\nc);")


def test_comments_that_belong_to_no_node_are_told() -> None:
    (tree,) = parse_newick("[the first tree] (([odd](a,b),c));")
    assert "2 comments of no node left out: [the first tree], [odd]" in tree.note
    (tree,) = parse_newick("[&R] (a,b);")
    assert tree.note == "" and not tree.node_values


@pytest.mark.parametrize(
    ("text", "note"),
    [
        ("[&U] (a,b);", "calls this tree unrooted"),
        ("[&R] (a,b,c);", "calls this tree rooted"),
        ("[&r] (a,b);", ""),
        ("[&u] (a,b,c);", ""),
    ],
)
def test_a_root_that_a_file_denies_is_told(text: str, note: str) -> None:
    for found in (parse_newick(text), parse_nexus_trees(f"#NEXUS begin trees; tree t = {text} end;")):
        assert (note in found[0].note) if note else found[0].note == ""


@pytest.mark.parametrize(
    "text", ["((a,(b)#H1),(#H1,c));", "((a,(b)x#LGT2:1),(x#LGT2:1,c));", "((a,(b)#H1:1::0.3),(#H1:1::0.7,c));"]
)
def test_networks_are_refused(text: str) -> None:
    with pytest.raises(InputError, match="a node with two parents"):
        parse_newick(text)


def test_a_number_sign_in_names_is_no_network() -> None:
    assert parse_newick("(plate#1,plate#2,x#H1);")[0].taxa == ("plate#1", "plate#2", "x#H1")


@pytest.mark.parametrize(
    ("text", "names", "marks"),
    [
        ("((a:0.1,b) #1:0.05,(c,d):0.05 $2,e #2:0.3);", ",,a,b,,c,d,e", ",#1,,,$2,,,#2"),
        (
            "((Human,Chimp#1:0.2)#2,(Mouse,Rat)95 $1,'a b' #1.5\n);",
            ",,Human,Chimp,95,Mouse,Rat,a b",
            ",#2,,#1,$1,,,#1.5",
        ),
        ("((a[x],b)[95] #1,c);", ",95,a,b,c", ",#1,,,"),
    ],
)
def test_marks_of_paml_are_values_and_no_names(text: str, names: str, marks: str) -> None:
    (tree,) = parse_newick(text)
    assert tree.names == tuple(names.split(","))
    assert tree.node_values["branch_mark"] == tuple(marks.split(","))
    assert "of PAML" in tree.note and f"{sum(map(bool, marks.split(',')))} mark" in tree.note
    assert parse_newick(newick_text(tree)) == [tree]


@pytest.mark.parametrize("text", ["(well #3 of a,b);", "('a #1',b);", "(plate#1,plate#2);", "(#1,b);", "( #1,b);"])
def test_other_number_signs_stay_in_names(text: str) -> None:
    (tree,) = parse_newick(text)
    assert any("#" in name for name in tree.names)
    assert not tree.node_values and not tree.note


def test_nexus_numbers_name_taxa_but_not_supports() -> None:
    block = "#NEXUS\nbegin taxa; dimensions ntax=3; taxlabels 'Homo s' b c; end;\nbegin trees;\n{}tree t = {}; end;"
    for translate in ("", "translate 1 'Homo s', 2 b, 3 c;\n"):
        (tree,) = parse_nexus_trees(block.format(translate, "((1,2)3:1,3)"))
        assert tree.names == ("", "3", "Homo s", "b", "c")


def test_values_of_nexus_trees() -> None:
    first, second = parse_nexus_trees(
        "#NEXUS\r\nBegin trees;\r\ntranslate\r\n 1 a,\r\n 2 'b b'\r\n;\r\n"
        "tree STATE_0 [&lnP=-1.5] = [&R] (1[&rate=2]:1,2:1)[&height=3];\r\nTREE two = [&R] (2,1);\r\nend;\r\n".replace(
            "\r", ""
        )
    )
    assert first.taxa == ("a", "b b") and second.taxa == ("b b", "a")
    assert first.node_values == {"rate": ("", "2", ""), "height": ("3", "", "")}
    assert first.note == "1 comment of no node left out: [&lnP=-1.5]"


@given(tree=trees_with_values(), data=st.data())
def test_edits_keep_values_at_their_nodes(tree: Tree, data: st.DataObject) -> None:
    assert tree_edits.ladderize(tree).tree.node_values.keys() == tree.node_values.keys()
    if len(tree) > 1:
        edited = tree_edits.reroot(tree, data.draw(st.integers(1, len(tree) - 1)))
        for title, column in edited.tree.node_values.items():
            for node, origin in enumerate(edited.origin.tolist()):
                assert column[node] == (tree.node_values[title][origin] if origin >= 0 else "")


PHYLOXML = """<?xml version="1.0" encoding="UTF-8"?>
<phyloxml xmlns="http://www.phyloxml.org"><phylogeny rooted="true"><name>example</name>
<clade><clade branch_length="0.06"><confidence type="bootstrap">95</confidence>
<clade><name>a</name><branch_length>0.1</branch_length><taxonomy><id provider="ncbi">9606</id><code>HUMAN</code>
<scientific_name>Homo sapiens</scientific_name></taxonomy><events><duplications>1</duplications></events></clade>
<clade><taxonomy><scientific_name>Mus musculus</scientific_name></taxonomy>
<property ref="x:depth" applies_to="node" datatype="xsd:integer">12</property></clade></clade>
<clade><name>c</name></clade></clade></phylogeny><phylogeny rooted="false"><clade><name>only</name></clade></phylogeny>
</phyloxml>"""


def test_phyloxml_is_read() -> None:
    first, second = parse_trees(PHYLOXML, "x.xml", "x")
    assert (first.name, second.name, first.source) == ("example", "x 2", "x.xml")
    assert first.names == ("", "95", "a", "Mus musculus", "c")
    assert first.lengths[1:3].tolist() == [0.06, 0.1]
    assert first.node_values["code"] == ("", "", "HUMAN", "", "")
    assert first.node_values["taxonomy_id"] == ("", "", "9606", "", "")
    assert first.node_values["x_depth"] == ("", "", "", "12", "")
    assert first.node_values["events"] == ("", "", "duplications 1", "", "")
    assert second.taxa == ("only",)
    without_space = PHYLOXML.replace(' xmlns="http://www.phyloxml.org"', "")
    assert parse_trees(without_space, "x.xml", "x")[0].names == first.names


NEXML = """<nex:nexml version="0.9" xmlns:nex="http://www.nexml.org/2009" xmlns="http://www.nexml.org/2009">
<otus id="tax1"><otu id="t1" label="Homo sapiens"/><otu id="t2" label="b"/><otu id="t3"/></otus>
<trees otus="tax1" id="Trees1"><tree id="tree1" label="one">
<node id="n3" otu="t1"/><node id="n1" label="root" root="true"/><node id="n2"/><node id="n4" otu="t2"><meta
property="x:depth" content="3"/></node><node id="n5" otu="t3"/>
<rootedge id="e0" target="n1" length="7"/>
<edge id="e1" source="n1" target="n2" length="0.5" property="{}" content="95"/>
<edge id="e2" source="n2" target="n3" length="1e-2"/><edge id="e3" source="n2" target="n4"/>
<edge id="e4" source="n1" target="n5" length="2"/></tree></trees></nex:nexml>"""


def test_nexml_is_read_with_the_labels_of_taxa() -> None:
    (tree,) = parse_trees(NEXML.format("cdao:has_Support_Value"), "x.nexml")
    assert tree.names == ("root", "95", "Homo sapiens", "b", "t3")
    assert tree.lengths.tolist()[:3] == [7, 0.5, 0.01] and np.isnan(tree.lengths[3])
    assert tree.node_values["x_depth"] == ("", "", "", "3", "")
    assert tree.name == "one"


@pytest.mark.parametrize(
    ("old", "new", "reason"),
    [
        ('otu="t2"', 'otu="t9"', "the taxon 't9' of node 'n4' is not among the <otu>"),
        ('source="n2" target="n4"', 'source="n7" target="n4"', "the edge 'e3' joins nodes that are not there"),
        ('source="n1" target="n5"', 'source="n1" target="n4"', "the node 'n4' has two parents"),
        ('length="2"', 'length="two"', "the length 'two' of edge 'e4' is no number"),
        ('<edge id="e4" source="n1" target="n5" length="2"/>', "", "a tree has one root"),
        ("</tree>", "", "line 9: this is not valid XML"),
        ('<node id="n5"', '<node id="n4"', "the node 'n4' has no id of its own"),
    ],
)
def test_damaged_nexml_says_what_is_wrong(old: str, new: str, reason: str) -> None:
    with pytest.raises(InputError, match=f"x.nexml.*{reason}"):
        parse_trees(NEXML.replace(old, new), "x.nexml")


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (PHYLOXML[:300], "line 4: this is not valid XML"),
        ('<phyloxml xmlns="http://www.phyloxml.org"></phyloxml>', "the file has no tree"),
        (PHYLOXML.replace("0.06", "x"), "not valid phyloXML: could not convert string to float: 'x'"),
    ],
)
def test_damaged_phyloxml_says_what_is_wrong(text: str, reason: str) -> None:
    with pytest.raises(InputError, match=f"x.xml.*{reason}"):
        parse_trees(text, "x.xml")


def test_biopython_reads_our_phyloxml(tmp_path: Path) -> None:
    (tree,) = parse_newick("((a[&S=human]:1,b:2)95:3,c:4);")
    write_trees(tmp_path / "x.phyloxml", [tree])
    judge = Phylo.read(StringIO((tmp_path / "x.phyloxml").read_text()), "phyloxml")
    assert [clade.name for clade in judge.get_terminals()] == ["a", "b", "c"]
    assert judge.root.clades[0].confidences[0].value == 95
    assert judge.get_terminals()[0].properties[0].value == "human"


def test_xml_refuses_what_it_cannot_hold(tmp_path: Path) -> None:
    tree = Tree(("\x1f",), np.array([-1]), np.array([np.nan]))
    for suffix in (".phyloxml", ".nexml"):
        with pytest.raises(InputError, match="XML cannot hold the character"):
            write_trees(tmp_path / f"x{suffix}", [tree])


def test_a_deep_tree_is_written_and_read_again(tmp_path: Path) -> None:
    deep = Tree.from_parents([f"n{node}" for node in range(20_000)], np.arange(20_000) - 1)
    limit = sys.getrecursionlimit()
    for suffix in (".nexml", ".nwk", ".phyloxml"):
        write_trees(tmp_path / f"x{suffix}", [deep])
        assert read_trees(tmp_path / f"x{suffix}") == [deep]
    assert sys.getrecursionlimit() == limit


@given(tree=trees_with_values())
def test_values_are_stored_and_do_not_change_digests(tree: Tree) -> None:
    arrays: list[np.ndarray] = []
    saved = json.loads(json.dumps(encode(tree, lambda array: arrays.append(array) or len(arrays) - 1)))
    assert decode(saved, arrays.__getitem__) == tree
    assert digest_value(tree) == digest_value(replace(tree, node_values={}))


def test_a_taxon_called_matrix_is_no_matrix(tmp_path: Path) -> None:
    for name in ("matrix", "n:MATRIX", "a; matrix"):
        tree = parse_newick(f"('{name}',b);")[0]
        write_trees(tmp_path / "t.nex", [tree])
        (found,) = data_loading.read_data(tmp_path / "t.nex")
        assert found.taxa == (name, "b")
