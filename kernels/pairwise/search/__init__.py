"""Search: every query against every sequence of a database by Smith and Waterman, with E-values."""

from __future__ import annotations

from pathlib import Path

from antidiag.kernels.citation import Citation
from antidiag.kernels.cost_estimate import CostEstimate, count_all_cells
from antidiag.kernels.cost_models import minimum_models
from antidiag.kernels.method import Method, ProblemType, Resumption, Teaching, backends_in
from antidiag.kernels.pairwise import classification
from antidiag.kernels.pairwise.search import formats, problem, shards, sizes
from antidiag.kernels.pairwise.search.parameters import SearchParameters
from antidiag.kernels.run_splitting import RunSplitting

SWIPE = Citation(
    key="rognes2011faster",
    authors="Torbjørn Rognes",
    title="Faster Smith-Waterman Database Searches with Inter-sequence SIMD Parallelisation",
    venue="BMC Bioinformatics",
    year=2011,
    kind="article",
    volume="12",
    pages="221",
)

SEARCH = ProblemType(
    id="search",
    label="Search in a database",
    inputs=(problem.QUERIES, problem.IN_DATABASE),
    options=problem.SEARCH_OPTIONS,
    build_problem=problem.build_search,
    default_options=problem.default_scores,
    answer_json=formats.answer_json,
    answer_rows=formats.answer_rows,
    format_answer=formats.format_answer,
    file_formats=formats.FORMATS,
    extract_data=formats.extract_subjects,
    setting_rows=problem.setting_rows,
    option_values=problem.option_values,
    problem_notes=problem.problem_notes,
    trials_name="antidiag.kernels.pairwise.search.trials:TRIALS",
    dp_classification=classification.GAPS,
)

METHODS = (
    Method(
        id="smith-waterman-search",
        name="SmithWatermanSearch",
        family="search",
        summary="Every query with every sequence of a database, many sequences side by side; hits with E-values.",
        citation=SWIPE,
        problem_type=SEARCH,
        parameters=SearchParameters,
        backends=backends_in("antidiag.kernels.pairwise.search", "smith_waterman_search"),
        returns=frozenset({"hits"}),
        resumption=Resumption(depends_on=(), disk_bytes=sizes.saved_bytes),
        cost=CostEstimate(
            estimate_memory=sizes.estimate_memory,
            memory_hint="Prepare the database, ask for fewer hits, or choose a smaller block.",
            nominal_gcups={"cpu": 30.0, "cuda": 2000.0},
            cost_models=minimum_models(
                count_all_cells,
                "Rognes 2011",
                "four sums and four maxima a cell, of many sequences in a vector; a GPU does seven maxima and six sums "
                "for four cells",
                {"cpu": 8.0, "cuda": 3.25},
            ),
        ),
        splitting=RunSplitting(
            "shards of the database",
            shards.list_shards,
            backends_in("antidiag.kernels.pairwise.search", "search_shard"),
            "antidiag.kernels.pairwise.search.shards:join_shards",
        ),
        teaching=Teaching(
            Path(__file__).with_name("page.md"),
            "antidiag.kernels.pairwise.search.walkthroughs.side_by_side:SIDE_BY_SIDE",
        ),
    ),
)
