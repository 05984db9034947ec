"""Two long sequences: the methods of Li, Ranka and Sahni (2012), and CheckpointedAlignment."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from antidiag.kernels.citation import Citation
from antidiag.kernels.cost_estimate import CostEstimate
from antidiag.kernels.cost_models import CostModel
from antidiag.kernels.method import Method, Resumption, TablePicture, Teaching, backends_in
from antidiag.kernels.pairwise import cost_models, table_cuts
from antidiag.kernels.pairwise.baselines import cost_models as baseline_models
from antidiag.kernels.pairwise.baselines import sizes as baseline_sizes
from antidiag.kernels.pairwise.checkpointed import sizes as checkpointed_sizes
from antidiag.kernels.pairwise.operation_counts import TWO_PIECE_PEROT_TIME, TWO_PIECE_TIME, count_timed_work
from antidiag.kernels.pairwise.parameters import (
    AntidiagonalBlocks,
    CheckpointedParameters,
    ChunkedAlignmentParameters,
    LevelThreads,
    StripedAlignmentParameters,
    StripedScoreParameters,
)
from antidiag.kernels.pairwise.problem import PAIR
from antidiag.kernels.pairwise.pruning import sizes as pruning_sizes
from antidiag.kernels.pairwise.strips import sizes
from antidiag.kernels.table_cuts import TableCuts

PAPER = Citation(
    key="li2012pairwise",
    authors="Junjie Li, Sanjay Ranka, Sartaj Sahni",
    title="Pairwise Sequence Alignment for Very Long Sequences on GPUs",
    venue="IEEE 2nd International Conference on Computational Advances in Bio and Medical Sciences (ICCABS)",
    year=2012,
)
LONG_CELLS = 2**32
"""Some 64,000 x 64,000: as much memory as StripedAlignment on a CPU (measured: 37 and 38 MiB), and less beyond.
It is no slower for shorter pairs, but there the other methods have more to look at."""
SCORE, ALIGNMENT = frozenset({"score"}), frozenset({"score", "alignment"})


def _declare_method(*, cost: CostEstimate, two_piece_time: float = TWO_PIECE_TIME, **declared: Any) -> Method:
    """Declare a method; a cell takes ``two_piece_time`` times as long where gap costs have two pieces."""
    timed = partial(count_timed_work, count_work=cost.count_work, two_piece_time=two_piece_time)
    return Method(family="pairwise", problem_type=PAIR, cost=replace(cost, count_timed_work=timed), **declared)


def _teach(walkthrough: str) -> Teaching:
    """Return the page of the family and a step-by-step animation."""
    return Teaching(
        Path(__file__).with_name("page.md"), f"antidiag.kernels.pairwise.walkthroughs.catalog:{walkthrough}"
    )


def _declare_chunked(
    number: int,
    *,
    section: str,
    summary: str,
    models: tuple[CostModel, ...],
    cuts: Callable[[ChunkedAlignmentParameters], TableCuts],
) -> Method:
    """Declare ChunkedAlignment1 or ChunkedAlignment2, which differ in what phase 1 keeps."""
    return _declare_method(
        id=f"chunked-alignment-{number}",
        name=f"ChunkedAlignment{number}",
        summary=summary,
        citation=PAPER.with_section(section),
        parameters=ChunkedAlignmentParameters,
        choose_parameters=sizes.choose_chunked_parameters,
        fit_parameters=partial(sizes.fit_parameters, states=True),
        backends=backends_in("antidiag.kernels.pairwise.strips", f"chunked_alignment_{number}"),
        returns=ALIGNMENT,
        cost=CostEstimate(
            estimate_memory=partial(sizes.estimate_chunked_memory, chunks=number),
            count_work=sizes.count_chunked_work,
            count_recomputed=sizes.count_chunked_recomputed,
            nominal_gcups={"cpu": 2.0, "cuda": 200.0},
            cost_models=models,
        ),
        picture=TablePicture(table_cuts=cuts),
        teaching=_teach(f"CHUNKED_{number}"),
    )


def _baseline_backends(cpu_module: str, function: str) -> Mapping[str, str]:
    """Return the backends of a baseline, which share a module on the GPU only."""
    package = "antidiag.kernels.pairwise.baselines"
    return {"cpu": f"{package}.{cpu_module}:{function}", "cuda": f"{package}.cuda:{function}"}


METHODS = (
    _declare_method(
        id="striped-score",
        name="StripedScore",
        summary="Score of the best alignment in strips of width s; only the strip boundaries pass through memory.",
        citation=PAPER.with_section("section IV"),
        parameters=StripedScoreParameters,
        choose_parameters=sizes.choose_score_parameters,
        choice_depends_on_given=True,
        fit_parameters=partial(sizes.fit_parameters, states=False),
        backends=backends_in("antidiag.kernels.pairwise.strips", "striped_score"),
        returns=SCORE,
        cost=CostEstimate(
            estimate_memory=sizes.estimate_score_memory,
            count_work=sizes.count_score_work,
            completed_work=sizes.count_computed_cells,
            gpu_share=sizes.score_gpu_share,
            forget_problem=pruning_sizes.forget_bounds,
            nominal_gcups={"cpu": 10.0, "cuda": 500.0},
            cost_models=cost_models.STRIPED_SCORE,
        ),
        picture=TablePicture(table_cuts=table_cuts.cut_into_strips),
        teaching=_teach("SCORE"),
    ),
    _declare_method(
        id="striped-alignment",
        name="StripedAlignment",
        summary="Best alignment in three phases: boundaries with local start states, then the strips on the path, "
        "then their sub-paths in parallel.",
        citation=PAPER.with_section("section V.A"),
        parameters=StripedAlignmentParameters,
        choose_parameters=sizes.choose_alignment_parameters,
        fit_parameters=partial(sizes.fit_parameters, states=True),
        backends=backends_in("antidiag.kernels.pairwise.strips", "striped_alignment"),
        returns=ALIGNMENT,
        cost=CostEstimate(
            estimate_memory=sizes.estimate_alignment_memory,
            count_work=sizes.count_alignment_work,
            count_recomputed=sizes.count_alignment_recomputed,
            nominal_gcups={"cpu": 2.0, "cuda": 200.0},
            cost_models=cost_models.STRIPED_ALIGNMENT,
        ),
        picture=TablePicture(table_cuts=table_cuts.cut_into_kept_strips),
        teaching=_teach("STRIPED"),
    ),
    _declare_chunked(
        1,
        section="section V.B",
        summary="StripedAlignment in chunks of h rows, whose last rows are kept too: phase 3 recomputes a strip "
        "only from the chunk in which its sub-path starts.",
        models=cost_models.CHUNKED_ALIGNMENT_1,
        cuts=table_cuts.cut_into_chunks,
    ),
    _declare_chunked(
        2,
        section="section V.C",
        summary="ChunkedAlignment1 with start states local to chunks: phase 3 computes every chunk on the path by "
        "itself, all in parallel.",
        models=cost_models.CHUNKED_ALIGNMENT_2,
        cuts=table_cuts.cut_into_local_chunks,
    ),
    _declare_method(
        id="antidiagonal",
        name="Antidiagonal",
        summary="Score by antidiagonals, a launch each; H, E and F of the last antidiagonals are in global memory.",
        citation=PAPER.with_section("section III"),
        parameters=LevelThreads,
        choose_parameters=baseline_sizes.choose_antidiagonal_threads,
        backends=_baseline_backends("cpu_antidiagonal", "antidiagonal"),
        returns=SCORE,
        cost=CostEstimate(
            estimate_memory=baseline_sizes.antidiagonal_footprint,
            nominal_gcups={"cpu": 0.8, "cuda": 20.0},
            cost_models=baseline_models.ANTIDIAGONAL,
        ),
        teaching=_teach("ANTIDIAGONAL"),
    ),
    _declare_method(
        id="blocked-antidiagonal",
        name="BlockedAntidiagonal",
        summary="Alignment by antidiagonals of s x s blocks, a launch each; all H, E and F are kept in global memory.",
        citation=PAPER.with_section("section III"),
        parameters=AntidiagonalBlocks,
        choose_parameters=baseline_sizes.choose_block_threads,
        backends=_baseline_backends("cpu_blocks", "blocked_antidiagonal"),
        returns=ALIGNMENT,
        cost=CostEstimate(
            estimate_memory=baseline_sizes.blocked_footprint,
            nominal_gcups={"cpu": 0.15, "cuda": 20.0},
            cost_models=baseline_models.BLOCKED,
        ),
        picture=TablePicture(table_cuts=table_cuts.cut_into_blocks),
        teaching=_teach("BLOCKED"),
    ),
    _declare_method(
        id="enhanced-ba",
        name="EnhancedBA",
        summary="Score by antidiagonals of s x s blocks; only the right and bottom borders of blocks go through "
        "global memory.",
        citation=PAPER.with_section("section III"),
        parameters=AntidiagonalBlocks,
        choose_parameters=baseline_sizes.choose_block_threads,
        backends=_baseline_backends("cpu_blocks", "enhanced_ba"),
        returns=SCORE,
        cost=CostEstimate(
            estimate_memory=baseline_sizes.enhanced_footprint,
            nominal_gcups={"cpu": 0.5, "cuda": 40.0},
            cost_models=baseline_models.ENHANCED,
        ),
        picture=TablePicture(table_cuts=table_cuts.cut_into_blocks),
        teaching=_teach("ENHANCED"),
    ),
    _declare_method(
        id="perot-recurrence",
        name="PerotRecurrence",
        summary="Score row by row; gaps along a row are a parallel prefix maximum.",
        citation=PAPER.with_section("section III"),
        parameters=LevelThreads,
        choose_parameters=baseline_sizes.choose_perot_threads,
        backends=_baseline_backends("cpu_perot", "perot_recurrence"),
        returns=SCORE,
        two_piece_time=TWO_PIECE_PEROT_TIME,
        cost=CostEstimate(
            estimate_memory=baseline_sizes.perot_footprint,
            nominal_gcups={"cpu": 2.0, "cuda": 20.0},
            cost_models=baseline_models.PEROT,
        ),
        teaching=_teach("PEROT"),
    ),
    _declare_method(
        id="checkpointed-alignment",
        name="CheckpointedAlignment",
        summary="Best alignment in linear memory: a score pass keeps special rows and columns, then only the tiles "
        "on the path are recomputed.",
        citation=PAPER.with_section("strips of section IV; the checkpoints are Antidiag's own"),
        parameters=CheckpointedParameters,
        choose_parameters=checkpointed_sizes.choose_parameters,
        choice_depends_on_given=True,
        backends=backends_in("antidiag.kernels.pairwise.checkpointed", "checkpointed_alignment"),
        returns=ALIGNMENT,
        resumption=Resumption(depends_on=("s", "tile"), disk_bytes=checkpointed_sizes.resumable_bytes),
        is_recommended_for=lambda pair: len(pair) == 2 and len(pair[0]) * len(pair[1]) >= LONG_CELLS,
        cost=CostEstimate(
            estimate_memory=checkpointed_sizes.estimate_memory,
            count_work=checkpointed_sizes.count_work,
            count_recomputed=checkpointed_sizes.count_recomputed,
            completed_work=checkpointed_sizes.count_completed_work,
            gpu_share=checkpointed_sizes.gpu_share,
            forget_problem=pruning_sizes.forget_bounds,
            nominal_gcups={"cpu": 10.0, "cuda": 400.0},
            cost_models=cost_models.CHECKPOINTED_ALIGNMENT,
        ),
        picture=TablePicture(table_cuts=table_cuts.cut_into_tiles),
        teaching=_teach("TILES"),
    ),
)
