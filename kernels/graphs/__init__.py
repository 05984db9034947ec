"""Shortest paths between all pairs of vertices (Hanif 2014, section 6.1.3)."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from pathlib import Path

from antidiag.kernels.cost_estimate import CostEstimate
from antidiag.kernels.graphs import algorithms, analysis, dp_class, problem, sizes
from antidiag.kernels.graphs.algorithms import PathAlgorithm
from antidiag.kernels.graphs.files import answer_formats
from antidiag.kernels.graphs.files.graph_reader import GRAPH
from antidiag.kernels.graphs.graph import random_bipartite
from antidiag.kernels.method import Method, ProblemInput, ProblemType, TablePicture, Teaching, backends_in
from antidiag.kernels.parameters import BOTH_BACKENDS, CPU_ONLY, MethodParameters
from antidiag.kernels.semiring.thesis_citation import THESIS
from antidiag.kernels.semiring.thread_parameters import ThreadParameters

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

BIPARTITE = replace(
    PATHS,
    id="bipartite-paths",
    label="Shortest paths in a bipartite graph",
    inputs=(ProblemInput(replace(GRAPH, generate=random_bipartite), label="bipartite graph"),),
    build_problem=problem.build_bipartite,
    recommend_method=None,
    dp_classification=dp_class.SQUARES,
    trials_name="antidiag.kernels.graphs.trials:BIPARTITE",
)


def _declare_method(
    *,
    id: str,
    name: str,
    summary: str,
    algorithm: PathAlgorithm,
    cpu_gcups: float,
    walkthrough: str,
    is_serial: bool = False,
    section: str = "section 6.1.3",
    problem_type: ProblemType = PATHS,
) -> Method:
    """Declare a method; a serial one has no parameter and no GPU."""
    return Method(
        id=id,
        name=name,
        family="graphs",
        summary=summary,
        citation=THESIS.with_section(section),
        problem_type=problem_type,
        parameters=MethodParameters if is_serial else ThreadParameters,
        choose_parameters=sizes.automatic_parameters,
        backends=backends_in("antidiag.kernels.graphs", id.replace("-", "_"), CPU_ONLY if is_serial else BOTH_BACKENDS),
        returns=frozenset({"distances", "paths"}),
        cost=CostEstimate(
            estimate_memory=partial(sizes.estimate_footprint, algorithm=algorithm),
            count_work=partial(sizes.count_cells, algorithm=algorithm),
            completed_work=partial(sizes.count_completed_cells, algorithm=algorithm),
            nominal_gcups={"cpu": cpu_gcups, "cuda": 3000.0},
            cost_models=analysis.build_models(algorithm),
        ),
        picture=TablePicture(
            table_tiles=partial(sizes.find_tiles, algorithm=algorithm),
            logged_work=partial(sizes.logged_cells, algorithm=algorithm),
        ),
        teaching=Teaching(Path(__file__).with_name("page.md"), f"antidiag.kernels.graphs.walkthroughs.{walkthrough}"),
    )


METHODS = (
    _declare_method(
        id="floyd-warshall",
        name="FloydWarshall",
        summary="Shortest distances of all pairs, one intermediate vertex after another, on one thread.",
        algorithm=algorithms.STEPS,
        cpu_gcups=2.0,
        walkthrough="any_graph:WARSHALL",
        is_serial=True,
        section="algorithm 6.1",
    ),
    _declare_method(
        id="floyd-smem",
        name="SMemFloyd",
        summary="Shortest distances of all pairs by repeated (min, +) squaring of the weights, with blocks in shared "
        "memory.",
        algorithm=algorithms.SQUARED,
        cpu_gcups=12.0,
        walkthrough="any_graph:SQUARED",
    ),
    _declare_method(
        id="floyd-tmem",
        name="TMemFloyd",
        summary="SMemFloyd with the factors in textures; a CPU reads them through its cache.",
        algorithm=algorithms.SQUARED,
        cpu_gcups=10.0,
        walkthrough="any_graph:TEXTURES",
    ),
    _declare_method(
        id="floyd-blocked",
        name="Blocked Floyd-Warshall",
        summary="Floyd-Warshall in blocks: n^3 steps, nearly all of them in products of blocks.",
        algorithm=algorithms.BLOCKED,
        cpu_gcups=12.0,
        walkthrough="any_graph:BLOCKED",
    ),
    _declare_method(
        id="bipartite-serial",
        name="BipartiteAPSP",
        summary="Shortest distances in a bipartite graph by four blocks, on one thread.",
        algorithm=algorithms.BIPARTITE_SERIAL,
        cpu_gcups=2.0,
        walkthrough="bipartite_graph:SERIAL",
        is_serial=True,
        section="algorithm 6.2",
        problem_type=BIPARTITE,
    ),
    _declare_method(
        id="bipartite-smem",
        name="SMemBipartite",
        summary="BipartiteAPSP by products of blocks in fast memory.",
        algorithm=algorithms.BIPARTITE,
        cpu_gcups=12.0,
        walkthrough="bipartite_graph:SHARED",
        problem_type=BIPARTITE,
    ),
    _declare_method(
        id="bipartite-tmem",
        name="TMemBipartite",
        summary="BipartiteAPSP with the factors in textures; a CPU reads them through its cache.",
        algorithm=algorithms.BIPARTITE,
        cpu_gcups=10.0,
        walkthrough="bipartite_graph:TEXTURES",
        problem_type=BIPARTITE,
    ),
)
