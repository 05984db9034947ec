"""Declarations of the baselines: the methods that Li et al. 2012 compare their own with (sections III and VI)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from antidiag.kernels.citation import Citation
from antidiag.kernels.cost_models import CostModel
from antidiag.kernels.memory import Footprint
from antidiag.kernels.method import Method
from antidiag.kernels.pairwise import table_cuts
from antidiag.kernels.pairwise.baselines import cost_models, sizes
from antidiag.kernels.pairwise.problem import PAIR
from antidiag.kernels.parameters import Parameter
from antidiag.kernels.table_cuts import TableCuts, no_cuts

THREADS = Parameter(
    name="threads",
    kind="int",
    label="Threads",
    help="CPU: worker threads that share an antidiagonal or a row. GPU: threads of a block, rounded up to whole warps.",
    minimum=1,
    maximum=1024,
    unit="threads",
)
WORKERS = Parameter(
    name="threads",
    kind="int",
    label="Threads",
    help="Worker threads that share an antidiagonal of blocks. On a GPU a block of s threads computes one block.",
    minimum=1,
    maximum=1024,
    unit="threads",
    backends=("cpu",),
)
BLOCK_SIZE = Parameter(
    name="s",
    kind="int",
    label="Block size s",
    help="Rows and columns of a block. Many small blocks can be computed at once; large ones need fewer "
    "launches, and EnhancedBA then writes less. The publication found 8 best.",
    default=8,
    minimum=4,
    maximum=64,
    step=4,
    unit="cells",
)


def _declare_baseline(
    *,
    id: str,
    name: str,
    summary: str,
    paper: Citation,
    parameters: tuple[Parameter, ...],
    backends: Mapping[str, str],
    footprint: Callable[..., Footprint],
    automatic: Callable[..., Mapping[str, Any]],
    models: tuple[CostModel, ...],
    staging: str,
    nominal_gcups: Mapping[str, float],
    cuts: Callable[[Mapping[str, Any]], TableCuts] = no_cuts,
    returns: frozenset[str] = frozenset({"score"}),
) -> Method:
    """Return a baseline: every cell is computed once, and the paper describes it in section III."""
    return Method(
        id=id,
        name=name,
        family="pairwise",
        summary=summary,
        citation=paper.with_section("section III"),
        problem_type=PAIR,
        parameters=parameters,
        backends=backends,
        returns=returns,
        estimate_memory=footprint,
        automatic_parameters=automatic,
        count_work=sizes.count_cells,
        table_cuts=cuts,
        cost_models=models,
        walkthrough_name=staging,
        help_page=Path(__file__).parents[1] / "page.md",
        nominal_gcups=nominal_gcups,
    )


def declare_baselines(paper: Citation) -> tuple[Method, ...]:
    """Return the four baselines, cited from where the paper describes them."""
    return (
        _declare_baseline(
            id="antidiagonal",
            name="Antidiagonal",
            summary="Score, one launch for each antidiagonal; H, E and F of recent antidiagonals are in global memory.",
            paper=paper,
            parameters=(THREADS,),
            backends={
                "cpu": "antidiag.kernels.pairwise.baselines.cpu_antidiagonal:antidiagonal",
                "cuda": "antidiag.kernels.pairwise.baselines.cuda:antidiagonal",
            },
            footprint=sizes.antidiagonal_footprint,
            automatic=sizes.choose_antidiagonal_threads,
            models=cost_models.ANTIDIAGONAL,
            staging="antidiag.kernels.pairwise.walkthroughs.catalog:ANTIDIAGONAL",
            nominal_gcups={"cpu": 0.8, "cuda": 20.0},
        ),
        _declare_baseline(
            id="blocked-antidiagonal",
            name="BlockedAntidiagonal",
            summary="Alignment, one launch for each antidiagonal of s x s blocks; every H, E and F in global memory.",
            paper=paper,
            parameters=(BLOCK_SIZE, WORKERS),
            backends={
                "cpu": "antidiag.kernels.pairwise.baselines.cpu_blocks:blocked_antidiagonal",
                "cuda": "antidiag.kernels.pairwise.baselines.cuda:blocked_antidiagonal",
            },
            returns=frozenset({"score", "alignment"}),
            footprint=sizes.blocked_footprint,
            automatic=sizes.choose_block_threads,
            cuts=table_cuts.cut_into_blocks,
            models=cost_models.BLOCKED,
            staging="antidiag.kernels.pairwise.walkthroughs.catalog:BLOCKED",
            nominal_gcups={"cpu": 0.15, "cuda": 20.0},
        ),
        _declare_baseline(
            id="enhanced-ba",
            name="EnhancedBA",
            summary="Score, in the same blocks; only their right and bottom borders go through global memory.",
            paper=paper,
            parameters=(BLOCK_SIZE, WORKERS),
            backends={
                "cpu": "antidiag.kernels.pairwise.baselines.cpu_blocks:enhanced_ba",
                "cuda": "antidiag.kernels.pairwise.baselines.cuda:enhanced_ba",
            },
            footprint=sizes.enhanced_footprint,
            automatic=sizes.choose_block_threads,
            cuts=table_cuts.cut_into_blocks,
            models=cost_models.ENHANCED,
            staging="antidiag.kernels.pairwise.walkthroughs.catalog:ENHANCED",
            nominal_gcups={"cpu": 0.5, "cuda": 40.0},
        ),
        _declare_baseline(
            id="perot-recurrence",
            name="PerotRecurrence",
            summary="Score, one row after another; the gap along the row is a parallel prefix maximum.",
            paper=paper,
            parameters=(THREADS,),
            backends={
                "cpu": "antidiag.kernels.pairwise.baselines.cpu_perot:perot_recurrence",
                "cuda": "antidiag.kernels.pairwise.baselines.cuda:perot_recurrence",
            },
            footprint=sizes.perot_footprint,
            automatic=sizes.choose_perot_threads,
            models=cost_models.PEROT,
            staging="antidiag.kernels.pairwise.walkthroughs.catalog:PEROT",
            nominal_gcups={"cpu": 2.0, "cuda": 20.0},
        ),
    )
