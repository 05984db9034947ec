"""Methods say what they are by declaration: nobody outside their family asks for an identifier."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from antidiag.kernels import registry
from antidiag.kernels.cuts import Cuts, Tiles, no_tiles
from antidiag.kernels.errors import InputError, ParameterError
from antidiag.kernels.experiments.peers import PEERS
from antidiag.kernels.graphs import BIPARTITE, PATHS
from antidiag.kernels.graphs.graph import random_graph
from antidiag.kernels.products import PRODUCT
from antidiag.kernels.products.matrix import Matrix
from antidiag.kernels.registry import classes
from antidiag.kernels.registry.samples import sample

ROOT = Path(__file__).parents[3]
FAMILIES = {method.page.parent for method in registry.METHODS}
NAMED = {ROOT / "kernels" / "experiments" / name for name in ("suite.py", "gpu_suite.py")}
"""Which methods are compared in the benchmark is data."""


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
    assert [line for line in found if not line.endswith(("'layered'", "'sloped'", "'antidiagonal'"))] == []


CUTS = {
    "striped-score": Cuts(strip=64),
    "striped-alignment": Cuts(strip=64, path_columns=64, keeps_boundaries=True),
    "chunked-alignment-1": Cuts(strip=64, chunk=100, path_columns=64, keeps_boundaries=True),
    "chunked-alignment-2": Cuts(strip=64, chunk=100, path_rows=100, path_columns=64, keeps_boundaries=True),
    "checkpointed-alignment": Cuts(strip=64, tile=256, path_rows=256, path_columns=256),
    "blocked-antidiagonal": Cuts(block=64),
    "enhanced-ba": Cuts(block=64),
    "antidiagonal": Cuts(),
    "perot-recurrence": Cuts(),
    "layered": Cuts(block=64),
    "sloped-bt1": Cuts(block=64),
    "sloped-bt2": Cuts(block=64, layers=100),
    "sloped-checkpointed": Cuts(block=64, layers=100),
    "triple-scoring": Cuts(),
    "nj-basic": Cuts(block=32),
}


@pytest.mark.parametrize(("method_id", "expected"), CUTS.items(), ids=CUTS)
def test_cuts(method_id, expected):
    method = registry.method(method_id)
    given = {"s": 64, "h": 100, "tile": 250, "T": 32, "threads": 2, "block": "256", "cells": "4"}
    declared = {parameter.name for parameter in method.parameters}
    assert method.cuts({name: value for name, value in given.items() if name in declared}) == expected


def test_every_sized_cut_is_declared():
    """A method with a width s cuts its table by it."""
    for method in registry.METHODS:
        if any(parameter.name == "s" for parameter in method.parameters):
            values = {parameter.name: int(parameter.minimum or 0) for parameter in method.parameters}
            assert method.cuts(values) != Cuts(), method.id


@pytest.mark.parametrize(("numbers", "on_gpu"), [("float32", 128), ("float64", 64), ("int32", 128)])
def test_tiles_are_those_of_the_backend_and_of_the_numbers(numbers: str, on_gpu: int) -> None:
    graph = random_graph(300, np.random.default_rng(1))
    paths = PATHS.make([graph], {"numbers": numbers})
    for method_id in ("floyd-blocked", "floyd-smem", "floyd-tmem"):
        tiles = registry.method(method_id).tiles
        sides = {backend: tiles(paths, backend).side for backend in ("cpu", "cuda")}
        assert sides == {"cpu": 64, "cuda": on_gpu}, method_id
    factors = [Matrix(np.ones(size)) for size in ((300, 20), (20, 200))]
    products = PRODUCT.make(factors, {"numbers": numbers})
    tiles = registry.method("minplus-product").tiles
    assert tiles(products, "cuda") == Tiles(300, 200, on_gpu, "the product of 300 x 200")
    assert tiles(products, "cpu").side == 64


def test_methods_without_such_tiles_say_so() -> None:
    paths = PATHS.make([random_graph(9, np.random.default_rng(1))], {})
    assert registry.method("floyd-warshall").tiles(paths, "cpu") is None
    assert all((method.tiles is no_tiles) == (method.problem not in (PATHS, BIPARTITE, PRODUCT))
               for method in registry.METHODS)  # fmt: skip


def test_unknown_identifiers_are_errors():
    with pytest.raises(ParameterError, match="unknown method 'layered-bt4'"):
        registry.method("layered-bt4")
    with pytest.raises(ParameterError, match="unknown class 'nothing'"):
        classes.members("nothing")
    with pytest.raises(InputError, match="unknown sample 'nothing'"):
        sample("nothing")


def test_neighbor_joining_is_compared_with_neighbor_joining():
    judges = {peer.id for peer in PEERS if peer.criterion == "neighbor joining"}
    assert judges == {"scikit-bio-nj", "anjl", "quicktree"}
    assert {peer.id for peer in PEERS if peer.criterion} - judges == {"scipy-upgma"}
    suiting = {method.id: {peer.id for peer in PEERS if peer.suits(method)} for method in registry.METHODS}
    for method in registry.METHODS:
        assert (judges <= suiting[method.id]) == (method.criterion == "neighbor joining")
    assert suiting["upgma"] == {"scipy-upgma"}


def test_what_problems_recommend_is_there():
    from antidiag.kernels.graphs import PATHS
    from antidiag.kernels.hmm import advice

    assert {advice.FAST, advice.PIECES, advice.TREE} <= {method.id for method in registry.METHODS}
    assert PATHS.recommend is not None
    found = PATHS.recommend([np.zeros(1)], "cpu")
    assert found is not None and registry.method(found[0]).problem is PATHS
