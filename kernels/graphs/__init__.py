"""Shortest paths between all pairs of vertices (Hanif 2014, section 6.1.3)."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from pathlib import Path

from antidiag.kernels.graphs import algorithms, analysis, dp_class, problem, sizes
from antidiag.kernels.graphs.algorithms import PathAlgorithm
from antidiag.kernels.graphs.files import answer_formats
from antidiag.kernels.graphs.files.graph_reader import GRAPH
from antidiag.kernels.graphs.graph import random_bipartite
from antidiag.kernels.graphs.problem import PathsProblem
from antidiag.kernels.method import Method, ProblemInput, ProblemType
from antidiag.kernels.semiring.thesis_citation import THESIS
from antidiag.kernels.semiring.thread_parameters import THREADS

PATHS = ProblemType(
    id="paths",
    label="Shortest paths",
    inputs=(ProblemInput(GRAPH),),
    options=problem.OPTIONS,
    build_problem=problem.build_problem,
    default_options=problem.default_options,
    answer_json=answer_formats.json_fields,
    answer_rows=answer_formats.report_rows,
    format_answer=answer_formats.summarise_answer,
    file_formats=answer_formats.FORMATS,
    setting_rows=answer_formats.setting_rows,
    option_values=answer_formats.option_values,
    recommend_method=lambda data, backend: (
        ("floyd-blocked", "n^3 steps, nearly all in products of blocks") if data else None
    ),
    dp_classification=dp_class.VERTICES,
    trials_name="antidiag.kernels.graphs.trials:PATHS",
)

BIPARTITE = ProblemType(
    id="bipartite-paths",
    label="Shortest paths in a bipartite graph",
    inputs=(ProblemInput(replace(GRAPH, generate=random_bipartite), label="bipartite graph"),),
    options=problem.OPTIONS,
    build_problem=problem.build_bipartite,
    default_options=problem.default_options,
    answer_json=answer_formats.json_fields,
    answer_rows=answer_formats.report_rows,
    format_answer=answer_formats.summarise_answer,
    file_formats=answer_formats.FORMATS,
    setting_rows=answer_formats.setting_rows,
    option_values=answer_formats.option_values,
    dp_classification=dp_class.SQUARES,
    trials_name="antidiag.kernels.graphs.trials:BIPARTITE",
)


def _declare_method(
    id: str,
    name: str,
    summary: str,
    algorithm: PathAlgorithm,
    cpu_gcups: float,
    walkthrough: str,
    threads: bool = True,
    section: str = "section 6.1.3",
    problem: ProblemType = PATHS,
) -> Method:
    """Declare a method; a serial one has no parameter and no GPU."""
    backends = ("cpu", "cuda") if threads else ("cpu",)
    return Method(
        id=id,
        name=name,
        family="tropical",
        summary=summary,
        citation=THESIS.with_section(section),
        problem_type=problem,
        parameters=(THREADS,) if threads else (),
        backends={backend: f"antidiag.kernels.graphs.{backend}:{id.replace('-', '_')}" for backend in backends},
        returns=frozenset({"distances", "paths"}),
        estimate_memory=partial(sizes.estimate_footprint, algorithm=algorithm),
        automatic_parameters=sizes.automatic_parameters if threads else _no_parameters,
        count_work=partial(sizes.count_cells, algorithm=algorithm),
        logged_work=partial(sizes.logged_cells, algorithm=algorithm),
        table_tiles=partial(sizes.find_tiles, algorithm=algorithm),
        completed_work=lambda made, parameters, answer: (
            0 if answer.cycle else sizes.count_cells(made, parameters, algorithm)
        ),
        help_page=Path(__file__).with_name("page.md"),
        nominal_gcups={"cpu": cpu_gcups, "cuda": 3000.0},
        walkthrough_name=walkthrough,
        cost_models=analysis.build_models(algorithm),
    )


def _no_parameters(made: PathsProblem, backend: str, multiprocessors: int | None) -> dict[str, int]:
    return {}


METHODS = (
    _declare_method(
        "floyd-warshall",
        "FloydWarshall",
        "All distances, one intermediate vertex after another, on one thread.",
        algorithms.STEPS,
        2.0,
        "antidiag.kernels.graphs.walkthroughs.any_graph:WARSHALL",
        threads=False,
        section="algorithm 6.1",
    ),
    _declare_method(
        "floyd-smem",
        "SMemFloyd",
        "The matrix of weights squared again and again over (min, +), blocks in fast memory.",
        algorithms.SQUARED,
        12.0,
        "antidiag.kernels.graphs.walkthroughs.any_graph:SQUARED",
    ),
    _declare_method(
        "floyd-tmem",
        "TMemFloyd",
        "As SMemFloyd, with the factors in textures; on a CPU read through the cache.",
        algorithms.SQUARED,
        10.0,
        "antidiag.kernels.graphs.walkthroughs.any_graph:TEXTURES",
    ),
    _declare_method(
        "floyd-blocked",
        "Blocked Floyd-Warshall",
        "Floyd-Warshall in blocks: n^3 steps and no logarithm, nearly all of them in products of blocks.",
        algorithms.BLOCKED,
        12.0,
        "antidiag.kernels.graphs.walkthroughs.any_graph:BLOCKED",
    ),
    _declare_method(
        "bipartite-serial",
        "BipartiteAPSP",
        "The four blocks of the distances of a bipartite graph, on one thread.",
        algorithms.BIPARTITE_SERIAL,
        2.0,
        "antidiag.kernels.graphs.walkthroughs.bipartite_graph:SERIAL",
        threads=False,
        section="algorithm 6.2",
        problem=BIPARTITE,
    ),
    _declare_method(
        "bipartite-smem",
        "SMemBipartite",
        "BipartiteAPSP by products of blocks in fast memory.",
        algorithms.BIPARTITE,
        12.0,
        "antidiag.kernels.graphs.walkthroughs.bipartite_graph:SHARED",
        problem=BIPARTITE,
    ),
    _declare_method(
        "bipartite-tmem",
        "TMemBipartite",
        "BipartiteAPSP with the factors in textures; on a CPU read through the cache.",
        algorithms.BIPARTITE,
        10.0,
        "antidiag.kernels.graphs.walkthroughs.bipartite_graph:TEXTURES",
        problem=BIPARTITE,
    ),
)
