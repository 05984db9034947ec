"""Two long sequences: the methods of Li, Ranka and Sahni (2012)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from antidiag.kernels.citation import Citation
from antidiag.kernels.cost_models import CostModel
from antidiag.kernels.memory import Footprint
from antidiag.kernels.method import Method
from antidiag.kernels.pairwise import baselines, checkpointed, cost_models, table_cuts
from antidiag.kernels.pairwise.parameters import (
    BATCH,
    CHUNK_HEIGHT,
    PRECISION,
    RECOMPUTE,
    STATES_PRECISION,
    STRIP_WIDTH,
    THREADS,
)
from antidiag.kernels.pairwise.problem import PAIR
from antidiag.kernels.pairwise.strips import sizes
from antidiag.kernels.table_cuts import TableCuts

PAPER = Citation(
    key="li2012pairwise",
    authors="Junjie Li, Sanjay Ranka, Sartaj Sahni",
    title="Pairwise Sequence Alignment for Very Long Sequences on GPUs",
    venue="IEEE 2nd International Conference on Computational Advances in Bio and Medical Sciences (ICCABS)",
    year=2012,
)


def _declare_chunked(
    number: int,
    section: str,
    summary: str,
    footprint: Callable[..., Footprint],
    cut: Callable[[Mapping[str, Any]], TableCuts],
    models: tuple[CostModel, ...],
) -> Method:
    """Return the declaration of ChunkedAlignment1 or ChunkedAlignment2, which differ in what phase 1 keeps."""
    return Method(
        id=f"chunked-alignment-{number}",
        name=f"ChunkedAlignment{number}",
        family="pairwise",
        summary=summary,
        citation=PAPER.with_section(section),
        problem_type=PAIR,
        parameters=(STRIP_WIDTH, CHUNK_HEIGHT, BATCH, THREADS, STATES_PRECISION),
        backends={
            backend: f"antidiag.kernels.pairwise.strips.{backend}:chunked_alignment_{number}"
            for backend in ("cpu", "cuda")
        },
        returns=frozenset({"score", "alignment"}),
        estimate_memory=footprint,
        automatic_parameters=sizes.choose_chunked_parameters,
        count_work=sizes.count_chunked_work,
        count_recomputed=sizes.count_chunked_recomputed,
        table_cuts=cut,
        cost_models=models,
        walkthrough_name=f"antidiag.kernels.pairwise.walkthroughs.catalog:CHUNKED_{number}",
        help_page=Path(__file__).with_name("page.md"),
        nominal_gcups={"cpu": 2.0, "cuda": 200.0},
    )


METHODS = (
    Method(
        id="striped-score",
        name="StripedScore",
        family="pairwise",
        summary="Score of the best alignment in strips of width s; only the strip boundaries pass through memory.",
        citation=PAPER.with_section("section IV"),
        problem_type=PAIR,
        parameters=(STRIP_WIDTH, BATCH, THREADS, PRECISION),
        backends={
            "cpu": "antidiag.kernels.pairwise.strips.cpu:striped_score",
            "cuda": "antidiag.kernels.pairwise.strips.cuda:striped_score",
        },
        returns=frozenset({"score"}),
        estimate_memory=sizes.estimate_score_memory,
        automatic_parameters=sizes.choose_score_parameters,
        count_work=sizes.count_score_work,
        table_cuts=table_cuts.cut_into_strips,
        cost_models=cost_models.STRIPED_SCORE,
        walkthrough_name="antidiag.kernels.pairwise.walkthroughs.catalog:SCORE",
        help_page=Path(__file__).with_name("page.md"),
        nominal_gcups={"cpu": 10.0, "cuda": 500.0},
    ),
    Method(
        id="striped-alignment",
        name="StripedAlignment",
        family="pairwise",
        summary="Best alignment in three phases: boundaries with local start states, then the strips on the path, "
        "then their sub-paths in parallel.",
        citation=PAPER.with_section("section V.A"),
        problem_type=PAIR,
        parameters=(STRIP_WIDTH, BATCH, THREADS, STATES_PRECISION, RECOMPUTE),
        backends={
            "cpu": "antidiag.kernels.pairwise.strips.cpu:striped_alignment",
            "cuda": "antidiag.kernels.pairwise.strips.cuda:striped_alignment",
        },
        returns=frozenset({"score", "alignment"}),
        estimate_memory=sizes.estimate_alignment_memory,
        automatic_parameters=sizes.choose_alignment_parameters,
        count_work=sizes.count_alignment_work,
        count_recomputed=sizes.count_alignment_recomputed,
        table_cuts=table_cuts.cut_into_kept_strips,
        cost_models=cost_models.STRIPED_ALIGNMENT,
        walkthrough_name="antidiag.kernels.pairwise.walkthroughs.catalog:STRIPED",
        help_page=Path(__file__).with_name("page.md"),
        nominal_gcups={"cpu": 2.0, "cuda": 200.0},
    ),
    _declare_chunked(
        number=1,
        section="section V.B",
        summary="StripedAlignment in chunks of h rows, whose last rows are kept too: phase 3 recomputes a strip "
        "only from the chunk in which its sub-path starts.",
        footprint=sizes.estimate_chunked_1_memory,
        cut=table_cuts.cut_into_chunks,
        models=cost_models.CHUNKED_ALIGNMENT_1,
    ),
    _declare_chunked(
        number=2,
        section="section V.C",
        summary="ChunkedAlignment1 with start states local to chunks: phase 3 computes every chunk on the path by "
        "itself, all in parallel.",
        footprint=sizes.estimate_chunked_2_memory,
        cut=table_cuts.cut_into_local_chunks,
        models=cost_models.CHUNKED_ALIGNMENT_2,
    ),
    *baselines.declare_baselines(PAPER),
    checkpointed.declare_method(PAPER, (STRIP_WIDTH, BATCH, THREADS, PRECISION), cost_models.CHECKPOINTED_ALIGNMENT),
)
