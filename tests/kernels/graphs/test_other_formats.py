"""Graphs of GML, DOT and Pajek, and edge lists of any kind; what is opened is what a method reads."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from antidiag.kernels.errors import InputError
from antidiag.kernels.graphs.files import graph_reader
from antidiag.kernels.graphs.graph import Graph
from antidiag.kernels.registry import data_loading

CASES = Path("tests/cases/graph")


def read(folder: Path, text: str, name: str, expected_kind: str = "graph") -> Graph:
    path = folder / name
    path.write_bytes(text.encode())
    assert data_loading.find_kind_of_file(path).id == expected_kind
    (found,) = graph_reader.read_graph(path)
    if expected_kind == "graph":
        (opened,) = data_loading.read_data(path)
        assert opened == found
    return found


def edges(graph: Graph) -> dict[tuple[str, str], float]:
    """Return the weights of the edges of a graph by the names of their vertices."""
    there = np.argwhere(np.isfinite(graph.weights) & ~np.eye(len(graph), dtype=bool)).tolist()
    return {(graph.names[one], graph.names[other]): float(graph.weights[one, other]) for one, other in there}


def test_cases_are_read(tmp_path: Path) -> None:
    pytest.importorskip("networkx")
    found = read(tmp_path, (CASES / "g06.gml").read_text(), "g06.gml")
    assert edges(found) == {("A", "B"): 2.5}
    found = read(tmp_path, (CASES / "g07_alpha.edgelist").read_text(), "g07_alpha.edgelist")
    assert edges(found) == {("a", "b"): 0.3, ("b", "c"): 1}


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("a b 0.3\nb c 1.0\n", "g.edgelist"),
        ("a b 0.3\r\n\r\nb c 1.0\r\n", "g.txt"),
        ("# two edges\n% of KONECT\n// of others\na b 0.3 # the first\nb c\n", "g.edges"),
        ("a\tb\t0.3\nb\tc\t1.0\n", "g.tsv"),
        ("a,b,0.3\nb,c\n", "g.csv"),
        ("a;b;0.3\nb;c;1\n", "g.csv"),
        ("source,target,weight\na,b,0.3\nb,c,1\n", "g.csv"),
        ("a b {'weight': 0.3}\nb c {}\n", "g.edgelist"),
        ("a b {'weight': 0.3, 'colour': 'red'}\nb c {'colour': 'blue'}\n", "g.edgelist"),
        ('"a","b",0.3\n"b","c",1\n', "g.csv"),
    ],
)
def test_edge_lists(tmp_path: Path, text: str, name: str) -> None:
    assert edges(read(tmp_path, text, name)) == {("a", "b"): 0.3, ("b", "c"): 1}


def test_edges_of_all_pairs_tell_how_to_open_them_as_distances(tmp_path: Path) -> None:
    assert "named .dist" in read(tmp_path, "a b 1\na c 2\nb c 3\n", "g.tsv").note
    assert "named .dist" not in read(tmp_path, "a b 1\na c 2\na d 3\n", "g.tsv").note


@pytest.mark.parametrize(
    ("text", "name", "kind"),
    [
        ("name1\tACGTACGTACGTACGT\nname2\tACGTACGTACGTACGA\n", "s.tsv", "sequence"),
        ("chr1 100 200\nchr1 300 400\n", "x.txt", "matrix"),
        ("ACGTACGT\nACGT\n", "x.txt", "sequence"),
    ],
)
def test_what_is_no_edge_list(tmp_path: Path, text: str, name: str, kind: str) -> None:
    (tmp_path / name).write_text(text)
    found = data_loading.find_kind_of_file(tmp_path / name).id
    assert found != "graph" and (found == kind or kind == "matrix")


GML = """# made by hand
Creator "x"
graph
[
  directed {}
  node [ id 1 label "A &amp; B" ]
  node [ id 7 label "it's" ]
  node [ id 9 label "C" ]
  edge [ source 1 target 7 {} 2.5 ]
  edge [ source 7 target 9 {} 3 ]
]
"""


@pytest.mark.parametrize("title", ["weight", "value", "distance"])
@pytest.mark.parametrize("directed", [0, 1])
@pytest.mark.parametrize("name", ["g.gml", "g.txt"])
def test_gml(tmp_path: Path, title: str, directed: int, name: str) -> None:
    pytest.importorskip("networkx")
    found = edges(read(tmp_path, GML.format(directed, title, title), name))
    there = {("A & B", "it's"): 2.5, ("it's", "C"): 3}
    assert found == (there if directed else there | {(other, one): weight for (one, other), weight in there.items()})


def test_gml_without_labels_or_weights(tmp_path: Path) -> None:
    pytest.importorskip("networkx")
    found = read(tmp_path, 'graph [ node [ id 4 ] node [ id 5 label "x" ] edge [ source 4 target 5 ] ]', "g.gml")
    assert found.names == ("4", "5") and "called by their ids" in found.note and "every edge weighs 1" in found.note
    found = read(tmp_path, GML.format(1, "weight", "label"), "g.gml")
    assert edges(found)[("it's", "C")] == 1 and "1 edge without a weight" in found.note


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ('graph [ node [ id 1 label "A" ] edge [ source 1 target 2 ] ]', "not valid GML: .*2"),
        ("graph [ node [ id 1", "not valid GML"),
        ('graph [ node [ id 1 label "A" ] edge [ source 1 target 1 weight "x" ] ]', "the weight 'x' of A - A"),
        ("graph [ directed 1 ]", "no nodes"),
    ],
)
def test_damaged_gml(tmp_path: Path, text: str, reason: str) -> None:
    pytest.importorskip("networkx")
    with pytest.raises(InputError, match=f"g.gml.*{reason}"):
        read(tmp_path, text, "g.gml")


@pytest.mark.parametrize(("library", "name"), [("networkx", "g.gml"), ("pydot", "g.dot")])
def test_a_missing_library_says_what_to_install(tmp_path: Path, monkeypatch, library: str, name: str) -> None:
    monkeypatch.setitem(sys.modules, library, None)
    text = {"g.gml": "graph [ ]", "g.dot": "graph { a -- b }"}[name]
    with pytest.raises(
        InputError, match=rf"{name}.*{library}, which is not installed.*pip install 'antidiag\[graphs\]'"
    ):
        read(tmp_path, text, name)


def test_dot(tmp_path: Path) -> None:
    pytest.importorskip("pydot")
    text = (
        '/* a comment */\nstrict digraph "G 1" {\n  edge [weight=2];\n  a -> b -> "c, d" [weight=3];\n'
        "  subgraph s { d -> e }\n  {x y} -> z; a:port -> d:n; lone; node [shape=box];\n}\n"
    )
    found = edges(read(tmp_path, text, "g.dot"))
    assert found == {
        ("a", "b"): 3,
        ("b", "c, d"): 3,
        ("d", "e"): 2,
        ("x", "z"): 2,
        ("y", "z"): 2,
        ("a", "d"): 2,
    }
    assert edges(read(tmp_path, "graph {a -- b [len=1.5]}", "g.txt")) == {("a", "b"): 1.5, ("b", "a"): 1.5}
    with pytest.raises(InputError, match=r"g\.gv.*not valid DOT"):
        read(tmp_path, "graph { a -- ", "g.gv")


PAJEK = """% a comment
*Network test
*Vertices 4
1 "A b" 0.1 0.2 0.5
2 it's
% another a b
3 C
*Arcs
1 2 2.5
*Edges
2 3
*Arcslist
4 1 2
"""


@pytest.mark.parametrize("name", ["g.net", "g.txt"])
@pytest.mark.parametrize("line_end", ["\n", "\r\n", "\n\n"])
def test_pajek(tmp_path: Path, name: str, line_end: str) -> None:
    found = read(tmp_path, PAJEK.replace("\n", line_end), name)
    assert found.names == ("A b", "it's", "C", "4")
    assert edges(found) == {
        ("A b", "it's"): 2.5,
        ("it's", "C"): 1,
        ("C", "it's"): 1,
        ("4", "A b"): 1,
        ("4", "it's"): 1,
    }
    matrix = read(tmp_path, "*vertices 2\n*matrix\n0 3\n1.5 0\n", name)
    assert edges(matrix) == {("1", "2"): 3, ("2", "1"): 1.5}


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("*Vertices 2\n*Arcs\n1 3 1\n", "line 3: '3' is not a vertex from 1 to 2"),
        ("*Vertices 2\n*Arcs\n1\n", "line 3: '' is not a vertex"),
        ("*Vertices 2\n*Arcs\n1 2 x\n", "line 3: the weight 'x' is not a finite number"),
        ("*Vertices two\n", "line 1: 'two' is not a number of vertices"),
        ("*Vertices 2\n1 a\n2 a\n", "two vertices are called 'a'"),
        ("*Vertices 2\n*Partition x\n", r"line 2: \*Partition is not read"),
        ("*Vertices 2\n*Matrix\n0 1 2\n", "line 3: 3 numbers in the matrix; it is 2 x 2"),
        ("*Vertices 999999999\n", "line 1: 999,999,999 vertices"),
        ("*Vertices 1\n*Arcs\n*Vertices 1\n", "line 3: a second network begins"),
    ],
)
def test_damaged_pajek_names_the_line(tmp_path: Path, text: str, reason: str) -> None:
    with pytest.raises(InputError, match=f"g.net.*{reason}"):
        read(tmp_path, text, "g.net")


@given(st.lists(st.tuples(st.integers(0, 4), st.integers(0, 4), st.integers(1, 99)), min_size=1, max_size=12))
def test_networkx_agrees(tmp_path_factory: pytest.TempPathFactory, many: list[tuple[int, int, int]]) -> None:
    networkx = pytest.importorskip("networkx")
    judge = networkx.DiGraph()
    judge.add_nodes_from("abcde")
    judge.add_weighted_edges_from(("abcde"[one], "abcde"[other], weight) for one, other, weight in many if one != other)
    folder = tmp_path_factory.mktemp("graphs")
    for name in ("g.gml", "g.net"):
        networkx.write_gml(judge, folder / name) if name == "g.gml" else networkx.write_pajek(judge, folder / name)
        (found,) = graph_reader.read_graph(folder / name)
        assert edges(found) == {(one, other): data["weight"] for one, other, data in judge.edges(data=True)}
