"""Graphs from files that others write, whole and damaged."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from antidiag.kernels import memory
from antidiag.kernels.errors import InputError, MemoryRefused
from antidiag.kernels.graphs.files import graph_reader
from antidiag.kernels.graphs.graph import Graph
from antidiag.kernels.io import distance_files
from antidiag.kernels.io.distance_matrix import DistanceMatrix
from antidiag.kernels.registry import data_loading

SPARSE = "%%MatrixMarket matrix coordinate real general\n"
DENSE = "%%MatrixMarket matrix array real general\n"
GRAPHML = '<?xml version="1.0"?>\n<graphml><graph edgedefault="directed">{}</graph></graphml>'
NODES = '<node id="a"/><node id="b"/>'


def read(tmp_path, text: str | bytes, name: str) -> Graph:
    path = tmp_path / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    (found,) = graph_reader.read_graph(path)
    return found


@pytest.mark.parametrize("zeros", [3, 29, 60, 4000])
def test_numbers_of_matrix_market_are_read_to_their_end(tmp_path, zeros) -> None:
    word = f"1.{'0' * zeros}e+05"
    assert read(tmp_path, f"{SPARSE}2 2 1\n1 2 {word}\n", "g.mtx").weights[0, 1] == 1e5
    assert read(tmp_path, f"{DENSE}2 2\n0\n{word}\n1\n0\n", "g.mtx").weights[1, 0] == 1e5


@pytest.mark.parametrize("digits", [1, 40])
def test_numbers_of_matrix_market_are_those_of_python(tmp_path, digits) -> None:
    words = [f"{value:.{digits}f}" for value in np.random.default_rng(1).random(20) * 1000]
    text = "".join(f"1 {number} {word}\n" for number, word in enumerate(words, 2))
    weights = read(tmp_path, f"{SPARSE}21 21 20\n{text}", "g.mtx").weights
    assert weights[0, 1:].tolist() == [float(word) for word in words]


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (SPARSE + "3 3 1\n1.5 2.7 4\n", "line 3: '1.5 2.7 4'; sizes and indices must be whole numbers"),
        (SPARSE + "3.5 3.5 1\n1 2 4\n", "line 2: .* whole numbers"),
        (SPARSE + "-3 -3 0\n", "line 2: .* of 0 or more"),
        (SPARSE + "nan nan nan\n", "line 2: .* whole numbers"),
        (SPARSE + "1e300 1e300 0\n", "line 2: .* whole numbers"),
        (SPARSE + "3 3 1\n1 2 1_000\n", "line 3: '1 2 1_000'; 3 numbers are expected"),
        (SPARSE.encode() + b"3 3 1\n1 2 1\x000\n", "line 3: .*; 3 numbers are expected"),
        (SPARSE + "3 3 1\n1 2\n", "line 3: '1 2'; 3 numbers are expected"),
        (SPARSE + "3 3 1\n1 2 1e309\n", "line 3: .*; a number is too large for double precision"),
        (SPARSE + "3 3 2\n1 2 1\n", "1 entries instead of 2"),
        (SPARSE + "3 3 1\n0 2 1\n", "line 3: an entry outside of the 3 x 3 matrix"),
    ],
)
@pytest.mark.filterwarnings("error")
def test_a_damaged_matrix_names_the_line(tmp_path, text, reason) -> None:
    with pytest.raises(InputError, match=f"g.mtx, {reason}" if "line" in reason else reason):
        read(tmp_path, text, "g.mtx")


def test_a_graph_that_does_not_fit_is_refused_before_it_is_made(tmp_path, monkeypatch) -> None:
    monkeypatch.setattr("antidiag.kernels.graphs.graph.host_bytes_free", lambda: 2**30)
    for text, name in ((SPARSE + "50000 50000 0\n", "g.mtx"), ("".join(f"a{k},b,1\n" for k in range(20_000)), "g.csv")):
        with pytest.raises(MemoryRefused, match=f"1.0 GiB is free.*{name}"):
            read(tmp_path, text, name)
    assert memory.host_bytes_free() > 0


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        ('<node id="a"/><node id="a"/>', "two nodes have the id 'a'"),
        ("<node/><node/>", "node 1 has no id"),
        ('<node id="a"/><node id=""/>', "node 2 has no id"),
        (NODES + '<edge source="a" target="c"/>', "the target 'c' of an edge is no node"),
        (NODES + '<edge source="a"/>', "the target '' of an edge is no node"),
        ("", "no nodes"),
        (NODES + "<edge", "line 2: this is not XML"),
    ],
)
def test_damaged_graphml_says_what_is_wrong(tmp_path, body, reason) -> None:
    with pytest.raises(InputError, match=f"g.graphml.*{reason}"):
        read(tmp_path, GRAPHML.format(body), "g.graphml")


def test_graphml_behind_a_long_comment_is_graphml(tmp_path) -> None:
    text = GRAPHML.format(NODES + '<edge source="a" target="b"/>').replace(
        "<graphml>", f"<!--{'x,' * 70_000}--><graphml>"
    )
    assert read(tmp_path, text, "g.graphml").edges == 1


def test_graphml_in_an_encoding_that_nobody_knows(tmp_path) -> None:
    with pytest.raises(InputError, match="cannot be read"):
        read(tmp_path, GRAPHML.format(NODES).replace('"1.0"', '"1.0" encoding="klingon"'), "g.graphml")


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("a,b,1\n" + "x" * 140_000 + ",b,2\n", "line 2: field larger than field limit"),
        ("x" * 140_000 + ",b,2\n", "line 1: field larger than field limit"),
        ("a,b,2\na,c,1_000\n", "line 2: the weight '1_000' is not a number"),
        ("a,b,2\na,c,\u0663\n", "line 2: the weight '\u0663' is not a number"),
        ("a,b,2\na,c,1e999\n", "line 2: the weight 1e999 is not finite"),
    ],
)
def test_damaged_edge_lists_name_the_line(tmp_path, text, reason) -> None:
    with pytest.raises(InputError, match=f"g.csv, {reason}"):
        read(tmp_path, text, "g.csv")


@pytest.mark.parametrize("write", [distance_files.write_distances, lambda path, matrix: np.save(path, matrix.values)])
def test_a_distance_matrix_of_numpy_is_a_complete_graph(tmp_path, write) -> None:
    values = np.array([[0, 1, 2.5], [1, 0, 3], [2.5, 3, 0]])
    write(tmp_path / "d.npy", DistanceMatrix(("a", "b", "c"), values, "d"))
    (graph,) = graph_reader.read_graph(tmp_path / "d.npy")
    np.testing.assert_array_equal(graph.weights, values)
    assert graph.names == (("a", "b", "c") if (tmp_path / "d.names").is_file() else ("1", "2", "3"))


def test_a_damaged_matrix_of_numpy_is_not_taken_for_text(tmp_path) -> None:
    np.save(tmp_path / "d.npy", np.zeros((3, 3)))
    whole = (tmp_path / "d.npy").read_bytes()
    (tmp_path / "d.npy").write_bytes(whole[:50])
    with pytest.raises(InputError, match="not a valid NPY file"):
        graph_reader.read_graph(tmp_path / "d.npy")


def test_edges_without_a_weight_beside_others_are_told(tmp_path) -> None:
    graph = read(tmp_path, "a b 5\nb c\n", "g.edgelist")
    assert graph.note == "1 edge without a weight: they weigh 1."
    assert read(tmp_path, "a b\nb c\n", "g.edgelist").note == ""


def test_a_decimal_comma_of_a_spreadsheet_is_one(tmp_path) -> None:
    graph = read(tmp_path, "Source;Target;Weight\na;b;1,5\nb;c;2,25\n", "g.csv")
    assert (graph.weights[0, 1], graph.weights[1, 2]) == (1.5, 2.25)


def test_edges_in_both_directions_alike_could_be_distances(tmp_path) -> None:
    pairs = [("a", "b", 1), ("a", "c", 2), ("b", "c", 3)]
    rows = [f"{u}\t{v}\t{w}\n{v}\t{u}\t{w}\n" for u, v, w in pairs] + [f"{name}\t{name}\t0\n" for name in "abc"]
    assert "a file named .dist opens as distances" in read(tmp_path, "".join(rows), "g.tsv").note
    assert ".dist" not in read(tmp_path, "".join(rows).replace("b\ta\t1", "b\ta\t7"), "g.tsv").note


def test_two_columns_of_numbers_in_a_text_file_say_that_they_could_be_edges(tmp_path) -> None:
    for name, remark in (("g.txt", "a file named .edges opens as edges"), ("g.edges", "")):
        (tmp_path / name).write_text("# FromNodeId\tToNodeId\n0\t1\n1\t2\n")
        (found,) = data_loading.read_data(tmp_path / name)
        assert remark in found.note and bool(found.note) == bool(remark)


def test_a_table_of_weights_with_names_is_a_graph(tmp_path) -> None:
    table = ",a,b,c\na,0,1,-3\nb,3,0,inf\nc,7,,0\n"
    (opened,) = data_loading.read_data(write_text(tmp_path / "w.csv", table))
    graph = read(tmp_path, table, "w.csv")
    assert opened == graph and graph.names == ("a", "b", "c")
    np.testing.assert_array_equal(graph.weights, [[0, 1, -3], [3, 0, np.inf], [7, np.inf, 0]])
    asymmetric = read(tmp_path, ",a,b\na,0,1\nb,5,0\n", "w.csv")
    np.testing.assert_array_equal(asymmetric.weights, [[0, 1], [5, 0]])
    with pytest.raises(InputError, match="one triangle of the table is empty"):
        read(tmp_path, ",a,b,c\na,0,1,\nb,,0,2\nc,,,0\n", "w.csv")


def write_text(path: Path, text: str) -> Path:
    """Write a text and return its path."""
    path.write_text(text)
    return path


def test_edges_of_gephi_are_found_by_their_headings(tmp_path) -> None:
    text = "Source,Target,Type,Id,Label,Weight\na,b,Directed,0,,1.5\nb,c,Undirected,1,,2\nc,d,Directed,2,,\n"
    graph = read(tmp_path, text, "g.csv")
    edges = {
        (graph.names[u], graph.names[v]): graph.weights[u, v]
        for u, v in np.argwhere(np.isfinite(graph.weights))
        if u != v
    }
    assert edges == {("a", "b"): 1.5, ("b", "c"): 2, ("c", "b"): 2, ("c", "d"): 1}
    assert "Edges are the columns Source, Target, Weight; others were left out." in graph.note


def test_xml_of_another_kind_is_named(tmp_path) -> None:
    with pytest.raises(InputError, match="this XML is 'gexf', which is not read; save it as GraphML"):
        read(tmp_path, '<gexf xmlns="http://gexf.net/1.3"><graph><nodes/></graph></gexf>', "g.gexf")
