"""Shortest paths between all pairs of vertices (003, section 6.1.3)."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from pathlib import Path

from antidiag.kernels.graphs import analysis, formats, kinds, placement, problem, sizes
from antidiag.kernels.graphs.graph import random_bipartite
from antidiag.kernels.graphs.kinds import Kind
from antidiag.kernels.graphs.problem import PathsProblem
from antidiag.kernels.graphs.reading import GRAPH
from antidiag.kernels.method import Input, Method, ProblemType
from antidiag.kernels.semiring.citation import THESIS
from antidiag.kernels.semiring.parameters import THREADS

PATHS = ProblemType(
    id="paths",
    label="Shortest paths",
    inputs=(Input(GRAPH),),
    options=problem.OPTIONS,
    build=problem.build,
    defaults=problem.defaults,
    data=formats.data,
    rows=formats.rows,
    answer=formats.answer,
    formats=formats.FORMATS,
    settings=formats.settings,
    option_values=formats.option_values,
    recommend=lambda data, backend: ("floyd-blocked", "n^3 steps, nearly all in products of blocks") if data else None,
    placement=placement.VERTICES,
    trials="antidiag.kernels.graphs.trials:PATHS",
)

BIPARTITE = ProblemType(
    id="bipartite-paths",
    label="Shortest paths in a bipartite graph",
    inputs=(Input(replace(GRAPH, generate=random_bipartite), label="bipartite graph"),),
    options=problem.OPTIONS,
    build=problem.build_bipartite,
    defaults=problem.defaults,
    data=formats.data,
    rows=formats.rows,
    answer=formats.answer,
    formats=formats.FORMATS,
    settings=formats.settings,
    option_values=formats.option_values,
    placement=placement.SQUARES,
    trials="antidiag.kernels.graphs.trials:BIPARTITE",
)


def _method(
    id: str,
    name: str,
    summary: str,
    cpu_gcups: float,
    kind: Kind,
    threads: bool = True,
    section: str = "section 6.1.3",
    problem: ProblemType = PATHS,
    play: str = "",
) -> Method:
    backends = ("cpu", "cuda") if threads else ("cpu",)
    return Method(
        id=id,
        name=name,
        family="tropical",
        summary=summary,
        citation=THESIS.at(section),
        problem=problem,
        parameters=(THREADS,) if threads else (),
        backends={backend: f"antidiag.kernels.graphs.{backend}:{id.replace('-', '_')}" for backend in backends},
        returns=frozenset({"distances", "paths"}),
        footprint=partial(sizes.footprint, kind=kind),
        automatic=sizes.automatic if threads else _nothing,
        work=partial(sizes.work, kind=kind),
        logged=partial(sizes.logged, kind=kind),
        tiles=partial(sizes.tiles, kind=kind),
        done=lambda made, parameters, answer: 0 if answer.cycle else sizes.work(made, parameters, kind),
        page=Path(__file__).with_name("page.md"),
        nominal_gcups={"cpu": cpu_gcups, "cuda": 3000.0},
        staging=f"antidiag.kernels.graphs.{play}" if play else "",
        models=analysis.models(kind),
    )


def _nothing(made: PathsProblem, backend: str, multiprocessors: int | None) -> dict[str, int]:
    return {}


METHODS = (
    _method("floyd-warshall", "FloydWarshall", "All distances, one intermediate vertex after another, on one thread.",
            2.0, kinds.STEPS, threads=False, section="algorithm 6.1", play="plays:WARSHALL"),
    _method("floyd-smem", "SMemFloyd", "The matrix of weights squared again and again over (min, +), blocks in fast "
            "memory.", 12.0, kinds.SQUARED, play="plays:SQUARED"),
    _method("floyd-tmem", "TMemFloyd", "As SMemFloyd, with the factors in textures; on a CPU read through the "
            "cache.", 10.0, kinds.SQUARED, play="plays:TEXTURES"),
    _method("floyd-blocked", "Blocked Floyd-Warshall", "Floyd-Warshall in blocks: n^3 steps and no logarithm, nearly "
            "all of them in products of blocks.", 12.0, kinds.BLOCKED, play="plays:BLOCKED"),
    _method("bipartite-serial", "BipartiteAPSP", "The four blocks of the distances of a bipartite graph, on one "
            "thread.", 2.0, kinds.BIPARTITE_SERIAL, threads=False, section="algorithm 6.2",
            problem=BIPARTITE, play="plays_bipartite:SERIAL"),
    _method("bipartite-smem", "SMemBipartite", "BipartiteAPSP by products of blocks in fast memory.", 12.0,
            kinds.BIPARTITE, problem=BIPARTITE, play="plays_bipartite:SHARED"),
    _method("bipartite-tmem", "TMemBipartite", "BipartiteAPSP with the factors in textures; on a CPU read through the "
            "cache.", 10.0, kinds.BIPARTITE, problem=BIPARTITE, play="plays_bipartite:TEXTURES"),
)  # fmt: skip
