"""Graphs from files, and results as files."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import numpy as np
import pytest

from antidiag.kernels import engine, registry
from antidiag.kernels.errors import InputError
from antidiag.kernels.graphs.files import graph_reader
from antidiag.kernels.graphs.graph import Graph, from_weights
from antidiag.kernels.hmm.model import hmm
from antidiag.kernels.hmm.trials import make_sequence
from antidiag.kernels.model import Result
from antidiag.kernels.registry import data_loading, result_saving

GRAPHML = """<?xml version="1.0"?>
<graphml xmlns="http://graphml.graphdrawing.org/xmlns">
 <key id="w" for="edge" attr.name="weight" attr.type="double"><default>7</default></key>
 <graph edgedefault="undirected">
  <node id="a"/><node id="b"/><node id="c"/>
  <edge source="a" target="b"><data key="w">2.5</data></edge>
  <edge source="b" target="c" directed="true"/>
 </graph>
</graphml>
"""
DIRECTED = GRAPHML.replace("undirected", "directed")
COORDINATE = "%%MatrixMarket matrix coordinate real general\n% a comment\n3 3 2\n1 2 2.5\n2 3 -1\n"
SYMMETRIC = "%%MatrixMarket matrix coordinate pattern symmetric\n3 3 2\n2 1\n3 2\n"
ARRAY = "%%MatrixMarket matrix array integer general\n2 2\n0\n5\n3\n0\n"
HALF = "%%MatrixMarket matrix array real symmetric\n2 2\n0\n5\n0\n"
INF = np.inf


def read(folder: Path, name: str, text: str | bytes) -> Graph:
    path = folder / name
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    (graph,) = (
        data_loading.read_data(path)
        if data_loading.find_kind_of_file(path).id == "graph"
        else graph_reader.read_graph(path)
    )
    return graph


@pytest.mark.parametrize(
    ("name", "text", "names", "weights"),
    [
        ("e.csv", "source,target,weight\na,b,2\nb,a,1\na,b,1.5\n", "ab", [[0, 1.5], [1, 0]]),
        ("e.tsv", "# made by hand\na\tb\n\nb\tc\t-2\n", "abc", [[0, 1, INF], [INF, 0, -2], [INF, INF, 0]]),
        ("e.csv", "Source,Target\na,b\n", "ab", [[0, 1], [INF, 0]]),
        ("e.csv", "u,v,weight\na,b,3\n", "ab", [[0, 3], [INF, 0]]),
        ("e.csv", "u,v\nv,u\n", "uv", [[0, 1], [1, 0]]),
        ("e.edges", "a b 2\nb b 3\n", "ab", [[0, 2], [INF, 0]]),
        ("e.csv", '"x, y";z;4\n', ("x, y", "z"), [[0, 4], [INF, 0]]),
        ("e.csv.gz", gzip.compress(b"a,b,2\n", mtime=0), "ab", [[0, 2], [INF, 0]]),
        ("g.graphml", GRAPHML, "abc", [[0, 2.5, INF], [2.5, 0, 7], [INF, INF, 0]]),
        ("g.xml", DIRECTED, "abc", [[0, 2.5, INF], [INF, 0, 7], [INF, INF, 0]]),
        ("m.mtx", COORDINATE, "123", [[0, 2.5, INF], [INF, 0, -1], [INF, INF, 0]]),
        ("m.mtx", SYMMETRIC, "123", [[0, 1, INF], [1, 0, 1], [INF, 1, 0]]),
        ("m.mtx", ARRAY, "12", [[0, 3], [5, 0]]),
        ("m.mtx", HALF, "12", [[0, 5], [5, 0]]),
        ("d.phy", "2\na 0 0.5\nb 0.5 0\n", "ab", [[0, 0.5], [0.5, 0]]),
    ],
)  # fmt: skip
def test_graphs_are_read(tmp_path: Path, name: str, text: str | bytes, names, weights) -> None:
    graph = read(tmp_path, name, text)
    assert graph.names == tuple(names) and graph.source.endswith(name)
    np.testing.assert_array_equal(graph.weights, np.array(weights, float))


def test_what_reading_changed_is_told(tmp_path: Path) -> None:
    graph = read(tmp_path, "e.csv", "from,to,cost\na,b,2\na,b,3\na,a,1\n")
    assert "headings" in graph.note and "1 parallel edge:" in graph.note and "1 loop left out" in graph.note
    assert "every edge weighs 1" in read(tmp_path, "g.graphml", GRAPHML.replace("weight", "colour")).note


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("e.csv", "a,b,1\na,b,c,d\n", r"e\.csv, line 2: 4 fields"),
        ("e.csv", "a,b,1\nb,c,much\n", r"line 2: the weight 'much' is not a number"),
        ("e.csv", "a,b,1O\nb,c,2\n", "line 1: the weight '1O' is not a number; call the headings"),
        ("e.csv", "source,target,weight\nfrom,to,cost\n", "line 2: the weight 'cost' is not a number"),
        ("e.csv", "a,b,1,2,3\n", "line 1: 5 fields"),
        ("e.csv", "a,b,1,\n", "line 1: 4 fields"),
        ("e.csv", "a\n", "line 1: 1 field;"),
        ("e.csv", "a,b,inf\n", "line 1: the weight inf is not finite"),
        ("e.csv", "# nothing\n", "no edges"),
        ("e.csv", b"a,b,1\n\xff\xfe,b,1\n", "line 2: this is not UTF-8"),
        ("g.graphml", GRAPHML.replace('target="c"', 'target="z"'), "the target 'z' of an edge is no node"),
        ("g.graphml", GRAPHML.replace("2.5", "far"), "weight 'far' of the edge a - b"),
        ("g.graphml", GRAPHML.replace("</graph>", ""), "this is not XML"),
        ("g.graphml", "<graphml/>", "no <graph>"),
        ("m.mtx", COORDINATE.replace("3 3 2", "3 4 2"), "line 3: 3 rows and 4 columns"),
        ("m.mtx", COORDINATE.replace("3 3 2", "3 3 5"), "2 entries instead of 5"),
        ("m.mtx", COORDINATE.replace("2 3 -1", "2 9 -1"), "line 5: an entry outside"),
        ("m.mtx", COORDINATE.replace("2.5", "x"), "line 4: '1 2 x'; 3 numbers are expected"),
        ("m.mtx", COORDINATE.replace("real", "complex"), "a graph cannot be 'complex'"),
        ("m.mtx", ARRAY + "1\n", "5 numbers instead of 4 for 2 rows"),
        ("m.mtx", "%%MatrixMarket matrix array real general\n", "the line with the size of the matrix is missing"),
    ],
)
def test_what_is_wrong_is_named(tmp_path: Path, name: str, text: str | bytes, message: str) -> None:
    with pytest.raises(InputError, match=message):
        read(tmp_path, name, text)


def run(method: str, inputs: list, **options) -> Result:
    found = registry.find_method(method)
    return engine.execute(engine.plan_run(found, found.problem_type.build_problem(inputs, options), {}, "cpu"))


def test_distances_as_csv_and_npy(tmp_path: Path) -> None:
    graph = from_weights(np.array([[0, 1.5, INF], [INF, 0, 2], [INF, INF, 0]]), ("a", "b, too", "c"))
    result = run("floyd-warshall", [graph])
    result_saving.write_result(tmp_path / "d.csv", result)
    result_saving.write_result(tmp_path / "d.npy", result)
    expected = [[0, 1.5, 3.5], [INF, 0, 2], [INF, INF, 0]]
    assert (tmp_path / "d.csv").read_text() == ',a,"b, too",c\na,0,1.5,3.5\n"b, too",inf,0,2\nc,inf,inf,0\n'
    np.testing.assert_array_equal(np.load(tmp_path / "d.npy"), expected)
    told = result_saving.result_json(result)
    assert told["distances"][1] == [None, 0, 2] and told["names"] == ["a", "b, too", "c"]


@pytest.mark.parametrize("method", ["floyd-warshall", "floyd-blocked", "bipartite-serial"])
def test_a_path_that_does_not_exist_is_told(method: str) -> None:
    graph = from_weights(np.array([[0, 1, INF], [INF, 0, INF], [INF, 2, 0]]), "abe")
    problem = registry.find_method(method).problem_type
    for start, end, told, path in (("a", "e", "no path", "no path from a to e"), ("a", "b", "1", "a -> b"),
                                   ("a", "a", "0", "a")):  # fmt: skip
        result = run(method, [graph], start=start, end=end)
        assert problem.format_answer(result) == f"{start} to {end}: {told}"
        assert dict(problem.answer_rows(result))["Path"] == path
    told = result_saving.result_json(run(method, [graph], start="a", end="e"))
    assert told["distance"] is None and told["path"] == []
    assert problem.format_answer(run(method, [graph])) == "3 vertices"


def test_a_negative_cycle_is_told_and_leaves_no_distances(tmp_path: Path) -> None:
    result = run("floyd-warshall", [from_weights(np.array([[0, 1.0], [-2, 0]]), "ab")])
    told = result_saving.result_json(result)
    assert told["negative_cycle"] == ["a", "b"] and told["negative_cycle_weight"] == -1
    with pytest.raises(InputError, match="negative cycle"):
        result_saving.write_result(tmp_path / "d.csv", result)
    assert not (tmp_path / "d.csv").exists()


def test_features_as_bed_and_gff(tmp_path: Path) -> None:
    (casino,) = hmm.read_hmm("dishonest-casino")
    result = run("viterbi-matvecprod", [casino, make_sequence(b"ABCDE" * 4 + b"F" * 12 + b"ABCDE" * 4)])
    result_saving.write_result(tmp_path / "f.bed", result)
    result_saving.write_result(tmp_path / "f.gff", result)
    result_saving.write_result(tmp_path / "f.tsv", result)
    assert (tmp_path / "f.bed").read_text() == "sequence\t20\t32\tloaded\t0\t.\n"
    assert "sequence\tantidiag\tloaded\t21\t32\t" in (tmp_path / "f.gff").read_text()
    assert (tmp_path / "f.tsv").read_text().splitlines()[:21:20] == ["position\tletter\tstate", "20\tE\tfair"]
    told = json.loads(json.dumps(result_saving.result_json(result)))
    assert told["states"][20] == "loaded" and len(told["states"]) == 52
    assert told["features"] == [{"start": 20, "end": 32, "label": "loaded"}]
    assert told["log_probability"] == pytest.approx(result.answer.log_probability)


@pytest.mark.parametrize("unknown", ["hmm-forward", "hmm-posterior", "viterbi-matprod-smem", "viterbi-tree"])
def test_a_result_tells_the_cells_that_were_foretold(unknown: str) -> None:
    (casino,) = hmm.read_hmm("dishonest-casino")
    method = registry.find_method(unknown)
    made = method.problem_type.make_problem([casino, make_sequence(b"ABCDEF" * 10)], {})
    planned = engine.plan_run(method, made, {}, "cpu")
    result = engine.execute(planned)
    told = result_saving.result_json(result)
    counts = method.cost.predicted_cells, method.cost.count_work
    predicted, work = (count(made, planned.parameters) for count in counts)
    assert told["cells"] == result.cells == predicted == work
    assert told["gcups"] == pytest.approx(told["cells"] / result.compute_ms / 1e6)
    assert "piece" not in told["parameters"] or unknown == "viterbi-tree"


def test_learning_tells_the_rounds_that_were_done() -> None:
    (casino,) = hmm.read_hmm("dishonest-casino")
    rolls = make_sequence(b"ABCDEFFFFFFABCDEF" * 5)
    every = run("hmm-baum-welch", [casino, rolls], iterations=3, tolerance=0.0)
    assert (
        every.cells
        == registry.find_method("hmm-baum-welch").cost.count_work(every.problem, every.parameters)
        == 3 * 4 * 85 * 4
    )
    early = run("hmm-baum-welch", [casino, rolls], iterations=100, tolerance=1e9)
    assert early.cells == 3 * 2 * 85 * 4


def test_a_negative_cycle_leaves_no_cells() -> None:
    assert run("floyd-smem", [from_weights(np.array([[0, 1.0], [-2, 0]]), "ab")]).cells == 0
    weights = np.random.default_rng(1).random((9, 9))
    assert run("floyd-smem", [from_weights(weights)]).cells == 3 * 9**3


def test_a_learned_model_is_used_again(tmp_path: Path) -> None:
    (casino,) = hmm.read_hmm("dishonest-casino")
    rolls = make_sequence(b"ABCDEFFFFFFABCDEF" * 5)
    result = run("hmm-baum-welch", [casino, rolls], iterations=3)
    result_saving.write_result(tmp_path / "m.hmm", result)
    result_saving.write_result(tmp_path / "m.json", result)
    for name in ("m.hmm", "m.json"):
        (again,) = hmm.read_hmm(tmp_path / name)
        np.testing.assert_array_equal(again.transitions, result.answer.hmm.transitions)
        assert again.name == "Dishonest casino (learned)"
    assert registry.find_method("hmm-baum-welch").problem_type.extract_data(result) == [result.answer.hmm]
    assert result.answer.hmm.source == "" and "85 letters in 3 rounds" in result.answer.hmm.note
    assert run("viterbi-serial", [again, rolls]).answer.states is not None
    assert run("hmm-baum-welch", [again, rolls], iterations=1).answer.hmm.name == again.name
