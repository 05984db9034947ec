"""The methods that the paper compares its own with (001, sections III and VI): declarations."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from antidiag.kernels.citation import Citation
from antidiag.kernels.method import Method
from antidiag.kernels.pairwise import cuts
from antidiag.kernels.pairwise.baselines import analysis, sizes
from antidiag.kernels.pairwise.problem import PAIR
from antidiag.kernels.parameters import Parameter

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
    help="Rows and columns of a block. Small blocks are many, and many can be computed at once; large ones need fewer "
    "launches, and EnhancedBA then writes less. 8 was best where the method was published.",
    default=8,
    minimum=4,
    maximum=64,
    step=4,
    unit="cells",
)


def methods(paper: Citation) -> tuple[Method, ...]:
    """The four baselines, cited from where the paper describes them."""
    shared: Mapping[str, Any] = {
        "family": "pairwise",
        "citation": paper.at("section III"),
        "problem": PAIR,
        "work": sizes.work,
        "page": Path(__file__).parents[1] / "page.md",
    }
    score, alignment = frozenset({"score"}), frozenset({"score", "alignment"})
    return (
        Method(
            id="antidiagonal",
            name="Antidiagonal",
            summary="Score, one launch for each antidiagonal; the H, E and F that it needs are in global memory.",
            parameters=(THREADS,),
            backends={
                "cpu": "antidiag.kernels.pairwise.baselines.cpu_antidiagonal:antidiagonal",
                "cuda": "antidiag.kernels.pairwise.baselines.cuda:antidiagonal",
            },
            returns=score,
            footprint=sizes.antidiagonal_footprint,
            models=analysis.ANTIDIAGONAL,
            automatic=sizes.antidiagonal_automatic,
            staging="antidiag.kernels.pairwise.plays.stagings:ANTIDIAGONAL",
            nominal_gcups={"cpu": 0.8, "cuda": 20.0},
            **shared,
        ),
        Method(
            id="blocked-antidiagonal",
            name="BlockedAntidiagonal",
            summary="Alignment, one launch for each antidiagonal of s x s blocks; every H, E and F in global memory.",
            parameters=(BLOCK_SIZE, WORKERS),
            backends={
                "cpu": "antidiag.kernels.pairwise.baselines.cpu_blocks:blocked_antidiagonal",
                "cuda": "antidiag.kernels.pairwise.baselines.cuda:blocked_antidiagonal",
            },
            returns=alignment,
            footprint=sizes.blocked_footprint,
            models=analysis.BLOCKED,
            staging="antidiag.kernels.pairwise.plays.stagings:BLOCKED",
            automatic=sizes.blocks_automatic,
            cuts=cuts.blocks,
            nominal_gcups={"cpu": 0.15, "cuda": 20.0},
            **shared,
        ),
        Method(
            id="enhanced-ba",
            name="EnhancedBA",
            summary="Score, in the same blocks; only their right and bottom borders go through global memory.",
            parameters=(BLOCK_SIZE, WORKERS),
            backends={
                "cpu": "antidiag.kernels.pairwise.baselines.cpu_blocks:enhanced_ba",
                "cuda": "antidiag.kernels.pairwise.baselines.cuda:enhanced_ba",
            },
            returns=score,
            footprint=sizes.enhanced_footprint,
            models=analysis.ENHANCED,
            staging="antidiag.kernels.pairwise.plays.stagings:ENHANCED",
            automatic=sizes.blocks_automatic,
            cuts=cuts.blocks,
            nominal_gcups={"cpu": 0.5, "cuda": 40.0},
            **shared,
        ),
        Method(
            id="perot-recurrence",
            name="PerotRecurrence",
            summary="Score, one row after another; the gap along the row is a parallel prefix maximum.",
            parameters=(THREADS,),
            backends={
                "cpu": "antidiag.kernels.pairwise.baselines.cpu_perot:perot_recurrence",
                "cuda": "antidiag.kernels.pairwise.baselines.cuda:perot_recurrence",
            },
            returns=score,
            footprint=sizes.perot_footprint,
            models=analysis.PEROT,
            automatic=sizes.perot_automatic,
            staging="antidiag.kernels.pairwise.plays.stagings:PEROT",
            nominal_gcups={"cpu": 2.0, "cuda": 20.0},
            **shared,
        ),
    )
