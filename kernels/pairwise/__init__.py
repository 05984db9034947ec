"""Two long sequences: the methods of Li, Ranka and Sahni (001)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from antidiag.kernels.analysis import Model
from antidiag.kernels.citation import Citation
from antidiag.kernels.cuts import Cuts
from antidiag.kernels.memory import Footprint
from antidiag.kernels.method import Method
from antidiag.kernels.pairwise import analysis, baselines, checkpointed, cuts
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

PAPER = Citation(
    key="li2012pairwise",
    authors="Junjie Li, Sanjay Ranka, Sartaj Sahni",
    title="Pairwise Sequence Alignment for Very Long Sequences on GPUs",
    venue="IEEE 2nd International Conference on Computational Advances in Bio and Medical Sciences (ICCABS)",
    year=2012,
)


def _chunked(
    number: int,
    section: str,
    summary: str,
    footprint: Callable[..., Footprint],
    cut: Callable[[Mapping[str, Any]], Cuts],
    models: tuple[Model, ...],
) -> Method:
    """ChunkedAlignment1 or ChunkedAlignment2."""
    return Method(
        id=f"chunked-alignment-{number}",
        name=f"ChunkedAlignment{number}",
        family="pairwise",
        summary=summary,
        citation=PAPER.at(section),
        problem=PAIR,
        parameters=(STRIP_WIDTH, CHUNK_HEIGHT, BATCH, THREADS, STATES_PRECISION),
        backends={
            backend: f"antidiag.kernels.pairwise.strips.{backend}:chunked_alignment_{number}"
            for backend in ("cpu", "cuda")
        },
        returns=frozenset({"score", "alignment"}),
        footprint=footprint,
        automatic=sizes.chunked_automatic,
        work=sizes.chunked_work,
        recomputed=sizes.chunked_recomputed,
        cuts=cut,
        models=models,
        staging=f"antidiag.kernels.pairwise.plays.stagings:CHUNKED_{number}",
        page=Path(__file__).with_name("page.md"),
        nominal_gcups={"cpu": 2.0, "cuda": 200.0},
    )


METHODS = (
    Method(
        id="striped-score",
        name="StripedScore",
        family="pairwise",
        summary="Score of the best alignment in strips of width s; only the strip boundaries pass through memory.",
        citation=PAPER.at("section IV"),
        problem=PAIR,
        parameters=(STRIP_WIDTH, BATCH, THREADS, PRECISION),
        backends={
            "cpu": "antidiag.kernels.pairwise.strips.cpu:striped_score",
            "cuda": "antidiag.kernels.pairwise.strips.cuda:striped_score",
        },
        returns=frozenset({"score"}),
        footprint=sizes.score_footprint,
        automatic=sizes.score_automatic,
        work=sizes.score_work,
        cuts=cuts.strips,
        models=analysis.STRIPED_SCORE,
        staging="antidiag.kernels.pairwise.plays.stagings:SCORE",
        page=Path(__file__).with_name("page.md"),
        nominal_gcups={"cpu": 10.0, "cuda": 500.0},
    ),
    Method(
        id="striped-alignment",
        name="StripedAlignment",
        family="pairwise",
        summary="Best alignment in three phases: boundaries with local start states, then the strips on the path, "
        "then their sub-paths in parallel.",
        citation=PAPER.at("section V.A"),
        problem=PAIR,
        parameters=(STRIP_WIDTH, BATCH, THREADS, STATES_PRECISION, RECOMPUTE),
        backends={
            "cpu": "antidiag.kernels.pairwise.strips.cpu:striped_alignment",
            "cuda": "antidiag.kernels.pairwise.strips.cuda:striped_alignment",
        },
        returns=frozenset({"score", "alignment"}),
        footprint=sizes.alignment_footprint,
        automatic=sizes.alignment_automatic,
        work=sizes.alignment_work,
        recomputed=sizes.alignment_recomputed,
        cuts=cuts.kept_strips,
        models=analysis.STRIPED_ALIGNMENT,
        staging="antidiag.kernels.pairwise.plays.stagings:STRIPED",
        page=Path(__file__).with_name("page.md"),
        nominal_gcups={"cpu": 2.0, "cuda": 200.0},
    ),
    _chunked(
        number=1,
        section="section V.B",
        summary="StripedAlignment in chunks of h rows, whose last rows are kept too: a strip is computed again only "
        "from the chunk in which its sub-path starts.",
        footprint=sizes.chunked_1_footprint,
        cut=cuts.chunks,
        models=analysis.CHUNKED_ALIGNMENT_1,
    ),
    _chunked(
        number=2,
        section="section V.C",
        summary="ChunkedAlignment1 with start states local to chunks: phase 3 computes every chunk on the path by "
        "itself, all in parallel.",
        footprint=sizes.chunked_2_footprint,
        cut=cuts.local_chunks,
        models=analysis.CHUNKED_ALIGNMENT_2,
    ),
    *baselines.methods(PAPER),
    checkpointed.method(PAPER, (STRIP_WIDTH, BATCH, THREADS, PRECISION), analysis.CHECKPOINTED_ALIGNMENT),
)
