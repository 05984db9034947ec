"""Methods say what they are by declaration: nobody outside their family asks for an identifier."""

from __future__ import annotations

import ast
import contextlib
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from antidiag.kernels import registry
from antidiag.kernels.errors import BackendUnavailable, InputError, ParameterError
from antidiag.kernels.experiments.peers import PEERS
from antidiag.kernels.graphs import BIPARTITE, PATHS
from antidiag.kernels.graphs.graph import random_graph
from antidiag.kernels.products import PRODUCT
from antidiag.kernels.products.matrix import SemiringMatrix
from antidiag.kernels.registry import dp_class_members
from antidiag.kernels.registry.samples import find_sample
from antidiag.kernels.table_cuts import TableCuts, TableTiles, no_tiles

ROOT = Path(__file__).parents[3]
FAMILIES = {method.teaching.help_page.parent for method in registry.METHODS}
NAMED = {
    ROOT / "kernels" / "experiments" / "suites" / name for name in ("cpu_suite.py", "gpu_suite.py", "promised_costs.py")
} | {ROOT / "kernels" / "registry" / "task_methods.py"}
"""Which methods are compared in the benchmark, and which is recommended for a task, is data."""
TASKS_AND_FAMILIES = ("'msa'", "'parttree'")
"""Methods whose ids are also those of a task of the command line, or of a family."""


def _outside() -> Iterator[Path]:
    for room in ("app", "kernels"):
        for path in sorted((ROOT / room).rglob("*.py")):
            if path not in NAMED and not FAMILIES & set(path.parents):
                yield path


def test_no_code_outside_a_family_names_a_method():
    known = {method.id for method in registry.METHODS}
    found = [
        f"{path.relative_to(ROOT)}:{node.lineno}: {node.value!r}"
        for path in _outside()
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and node.value in known
    ]
    # In three dimensions these words also name an order of cells and a plane.
    found = [line for line in found if not line.endswith(("'layered'", "'sloped'", "'antidiagonal'"))]
    assert [line for line in found if not (line.startswith("app/") and line.endswith(TASKS_AND_FAMILIES))] == []


@pytest.mark.parametrize("method", registry.METHODS, ids=lambda method: method.id)
def test_every_method_has_the_functions_that_run_it(method):
    for backend in method.backends:
        with contextlib.suppress(*([BackendUnavailable] if backend == "cuda" else [])):
            assert callable(method.load_backend(backend))


CUTS = {
    "striped-score": TableCuts(strip=64),
    "striped-alignment": TableCuts(strip=64, path_columns=64, keeps_boundaries=True),
    "chunked-alignment-1": TableCuts(strip=64, chunk=100, path_columns=64, keeps_boundaries=True),
    "chunked-alignment-2": TableCuts(strip=64, chunk=100, path_rows=100, path_columns=64, keeps_boundaries=True),
    "checkpointed-alignment": TableCuts(strip=64, tile=256, path_rows=256, path_columns=256),
    "blocked-antidiagonal": TableCuts(block=64),
    "enhanced-ba": TableCuts(block=64),
    "antidiagonal": TableCuts(),
    "perot-recurrence": TableCuts(),
    "layered": TableCuts(block=64),
    "sloped-bt1": TableCuts(block=64),
    "sloped-bt2": TableCuts(block=64, layers=100),
    "sloped-checkpointed": TableCuts(block=64, layers=100),
    "triple-scoring": TableCuts(),
    "nj-basic": TableCuts(block=32),
}


@pytest.mark.parametrize(("method_id", "expected"), CUTS.items(), ids=CUTS)
def test_cuts(method_id, expected):
    method = registry.find_method(method_id)
    given = {"s": 64, "h": 100, "tile": 250, "T": 32, "threads": 2, "block": "256", "cells": "4"}
    parameters = method.parameters.restore({**given, "precision": "32", "checkpoint_memory": 1})
    assert method.picture.table_cuts(parameters) == expected


def test_every_sized_cut_is_declared():
    """A method with a width s cuts its table by it."""
    for method in registry.METHODS:
        if "s" in method.parameters.names():
            values = {parameter.name: int(parameter.minimum or 0) for parameter in method.parameters.declared()}
            assert method.picture.table_cuts(method.parameters(**values)) != TableCuts(), method.id


@pytest.mark.parametrize(("numbers", "on_gpu"), [("float32", 128), ("float64", 64), ("int32", 128)])
def test_tiles_are_those_of_the_backend_and_of_the_numbers(numbers: str, on_gpu: int) -> None:
    graph = random_graph(300, np.random.default_rng(1))
    paths = PATHS.make_problem([graph], {"numbers": numbers})
    for method_id in ("floyd-blocked", "floyd-smem", "floyd-tmem"):
        tiles = registry.find_method(method_id).picture.table_tiles
        sides = {backend: tiles(paths, backend).side for backend in ("cpu", "cuda")}
        assert sides == {"cpu": 64, "cuda": on_gpu}, method_id
    factors = [SemiringMatrix(np.ones(size)) for size in ((300, 20), (20, 200))]
    products = PRODUCT.make_problem(factors, {"numbers": numbers})
    tiles = registry.find_method("minplus-product").picture.table_tiles
    assert tiles(products, "cuda") == TableTiles(300, 200, on_gpu, "the product of 300 x 200")
    assert tiles(products, "cpu").side == 64


def test_methods_without_such_tiles_say_so() -> None:
    paths = PATHS.make_problem([random_graph(9, np.random.default_rng(1))], {})
    assert registry.find_method("floyd-warshall").picture.table_tiles(paths, "cpu") is None
    assert all((method.picture.table_tiles is no_tiles) == (method.problem_type not in (PATHS, BIPARTITE, PRODUCT))
               for method in registry.METHODS)  # fmt: skip


def test_unknown_identifiers_are_errors():
    with pytest.raises(ParameterError, match="unknown method 'layered-bt4'"):
        registry.find_method("layered-bt4")
    with pytest.raises(ParameterError, match="unknown class 'nothing'"):
        dp_class_members.find_class_members("nothing")
    with pytest.raises(InputError, match="unknown sample 'nothing'"):
        find_sample("nothing")


def test_neighbor_joining_is_compared_with_neighbor_joining():
    judges = {peer.id for peer in PEERS if peer.criterion == "neighbor joining"}
    assert judges == {"scikit-bio-nj", "anjl", "quicktree"}
    assert {peer.id for peer in PEERS if peer.criterion} - judges == {"scipy-upgma"}
    suiting = {method.id: {peer.id for peer in PEERS if peer.accepts(method)} for method in registry.METHODS}
    for method in registry.METHODS:
        assert (judges <= suiting[method.id]) == (method.criterion == "neighbor joining")
    assert suiting["upgma"] == {"scipy-upgma"}


def test_what_problems_recommend_is_there():
    from antidiag.kernels.graphs import PATHS
    from antidiag.kernels.hmm import advice

    assert {advice.WHOLE_SEQUENCE, advice.PIECES, advice.TREE} <= {method.id for method in registry.METHODS}
    assert PATHS.recommend_method is not None
    found = PATHS.recommend_method([np.zeros(1)], "cpu")
    assert found is not None and registry.find_method(found[0]).problem_type is PATHS
