"""The methods for the edit distance of two sequences."""

from __future__ import annotations

from functools import partial
from pathlib import Path

from antidiag.kernels.citation import Citation
from antidiag.kernels.cost_estimate import CostEstimate, count_all_cells
from antidiag.kernels.cost_models import minimum_models
from antidiag.kernels.method import Method, TablePicture, Teaching, backends_in
from antidiag.kernels.pairwise.bit_parallel import sizes
from antidiag.kernels.pairwise.bit_parallel.parameters import BitAlignmentParameters, BitScoreParameters
from antidiag.kernels.pairwise.bit_parallel.word_sizes import CPU_STRIP
from antidiag.kernels.pairwise.edit_distance import EDIT_DISTANCE
from antidiag.kernels.table_cuts import TableCuts

MYERS = Citation(
    key="myers1999bitvector",
    authors="Gene Myers",
    title="A Fast Bit-Vector Algorithm for Approximate String Matching Based on Dynamic Programming",
    venue="Journal of the ACM 46(3), 395-415",
    year=1999,
)


def _cut_into_strips(parameters: BitScoreParameters) -> TableCuts:
    """Return the strips of the CPU, of which nothing is kept."""
    return TableCuts(strip=CPU_STRIP)


def _cut_into_tiles(parameters: BitAlignmentParameters) -> TableCuts:
    """Return strips, and tiles of whole strips between kept rows and columns."""
    return TableCuts(strip=CPU_STRIP, tile=parameters.tile, path_rows=parameters.tile, path_columns=parameters.tile)


_declare_method = partial(
    Method,
    family="pairwise",
    problem_type=EDIT_DISTANCE,
    citation=MYERS.with_section("sections 3 and 4; blocks and free ends after Hyyrö 2003, the band after Ukkonen 1985"),
    choose_parameters=sizes.choose_parameters,
)
COST_MODELS = minimum_models(
    count_all_cells,
    "Hyyrö 2003",
    "eleven operations for a word of 64 cells on a CPU, of 32 on a GPU",
    {"cpu": 2 * 11 / 64, "cuda": 11 / 32},
)
TEACHING = Teaching(
    Path(__file__).with_name("page.md"), "antidiag.kernels.pairwise.bit_parallel.walkthrough:BIT_PARALLEL"
)

EDIT_METHODS = (
    _declare_method(
        id="bit-parallel",
        name="BitParallel",
        summary="Edit distance and alignment, 64 or 32 cells in a word: differences of neighbouring cells are bits, a "
        "row is a few logical operations and an addition a word. Tiles on the path are computed again.",
        parameters=BitAlignmentParameters,
        backends=backends_in("antidiag.kernels.pairwise.bit_parallel", "bit_parallel"),
        returns=frozenset({"score", "alignment"}),
        cost=CostEstimate(
            estimate_memory=sizes.estimate_alignment_memory,
            count_work=sizes.count_work,
            count_recomputed=sizes.count_recomputed,
            count_least=sizes.count_least,
            nominal_gcups={"cpu": 50.0, "cuda": 5000.0},
            cost_models=COST_MODELS,
        ),
        picture=TablePicture(table_cuts=_cut_into_tiles),
        teaching=TEACHING,
    ),
    _declare_method(
        id="bit-parallel-score",
        name="BitParallelScore",
        summary="Edit distance alone, 64 or 32 cells in a word; only the boundaries of strips pass through memory.",
        parameters=BitScoreParameters,
        backends=backends_in("antidiag.kernels.pairwise.bit_parallel", "bit_parallel_score"),
        returns=frozenset({"score"}),
        cost=CostEstimate(
            estimate_memory=sizes.estimate_score_memory,
            count_least=sizes.count_least,
            nominal_gcups={"cpu": 60.0, "cuda": 15000.0},
            cost_models=COST_MODELS,
        ),
        picture=TablePicture(table_cuts=_cut_into_strips),
        teaching=TEACHING,
    ),
)
