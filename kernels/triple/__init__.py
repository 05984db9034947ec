"""The alignment of three sequences: the methods of Li, Ranka and Sahni (2014)."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

from antidiag.kernels.citation import Citation
from antidiag.kernels.cost_estimate import CostEstimate
from antidiag.kernels.memory import Footprint
from antidiag.kernels.method import Method, TablePicture, Teaching, backends_in
from antidiag.kernels.parameters import CPU_ONLY
from antidiag.kernels.table_cuts import TableCuts
from antidiag.kernels.triple import analysis, sizes
from antidiag.kernels.triple.grid import CHUNK_KINDS
from antidiag.kernels.triple.parameters import ChunkParameters, SubchunkParameters
from antidiag.kernels.triple.problem import TRIPLE

PAPER = Citation(
    key="li2014triple",
    authors="Junjie Li, Sanjay Ranka, Sartaj Sahni",
    title="Optimal Alignment of Three Sequences on a GPU",
    venue="6th International Conference on Bioinformatics and Computational Biology (BICoB)",
    year=2014,
)
PAGE = Path(__file__).with_name("page.md")

BT1 = "Alignment in three phases: faces with local starts, then the chunks on the path, then their sub-paths."
BT2 = (
    "Alignment in three phases, in subchunks of h layers whose bottom faces are kept: phase 3 recomputes a chunk from "
    "the first subchunk on the path."
)
BT3 = (
    "Alignment in three phases, with start states local to subchunks of h layers: phase 3 computes every subchunk on "
    "the path by itself, all in parallel."
)
"""Summaries of the alignment methods, which exist in both orders."""


def _cut_chunks(parameters: ChunkParameters) -> TableCuts:
    return TableCuts(block=parameters.s, layers=parameters.subchunk_height or 0)


def _declare_chunk_method(
    *, id: str, name: str, section: str, summary: str, walkthrough: str, cpu_gcups: float, cuda_gcups: float
) -> Method:
    """Declare a method that computes chunks; its kind decides what it keeps, needs and returns."""
    kind, function = CHUNK_KINDS[id], id.replace("-", "_")
    return Method(
        id=id,
        name=name,
        family="triple",
        summary=summary,
        citation=PAPER.with_section(section),
        problem_type=TRIPLE,
        parameters=SubchunkParameters if kind.has_subchunks else ChunkParameters,
        choose_parameters=partial(sizes.choose_parameters, kind=kind),
        fit_parameters=sizes.fit_parameters,
        parameter_notes=partial(sizes.list_notes, kind=kind),
        backends={
            "cpu": f"antidiag.kernels.triple.chunks.cpu.backend:{function}",
            "cuda": f"antidiag.kernels.triple.chunks.cuda.backend:{function}",
        },
        returns=frozenset({"score", "alignment"} if kind.keeps_faces else {"score"}),
        cost=CostEstimate(
            estimate_memory=partial(sizes.estimate_footprint, kind=kind),
            count_work=partial(sizes.count_work, kind=kind),
            count_recomputed=partial(sizes.bound_recomputed_cells, kind=kind),
            nominal_gcups={"cpu": cpu_gcups, "cuda": cuda_gcups},
            cost_models=analysis.list_chunk_models(kind),
        ),
        picture=TablePicture(table_cuts=_cut_chunks),
        teaching=Teaching(PAGE, f"antidiag.kernels.triple.walkthroughs.{walkthrough}"),
    )


def _declare_alignment_method(order: str, number: int, summary: str, cpu_gcups: float, cuda_gcups: float) -> Method:
    """Declare one of the alignment methods of the paper."""
    return _declare_chunk_method(
        id=f"{order.lower()}-bt{number}",
        name=f"{order}-BT{number}",
        section=f"section 5.{number}",
        summary=summary,
        walkthrough=f"alignments:{order}_BT{number}",
        cpu_gcups=cpu_gcups,
        cuda_gcups=cuda_gcups,
    )


def _declare_serial_method(
    *,
    id: str,
    name: str,
    summary: str,
    returns: frozenset[str],
    estimate_memory: Callable[[Any, Any, str], Footprint],
    walkthrough: str,
    cpu_gcups: float,
) -> Method:
    """Declare a baseline on one core."""
    return Method(
        id=id,
        name=name,
        family="triple",
        summary=summary,
        citation=PAPER.with_section("sections 3 and 6.1"),
        problem_type=TRIPLE,
        backends=backends_in("antidiag.kernels.triple.serial", id.replace("triple-", "run_"), CPU_ONLY),
        returns=returns,
        cost=CostEstimate(
            estimate_memory=estimate_memory, nominal_gcups={"cpu": cpu_gcups}, cost_models=analysis.SERIAL
        ),
        teaching=Teaching(PAGE, f"antidiag.kernels.triple.walkthroughs.{walkthrough}"),
    )


METHODS = (
    _declare_chunk_method(
        id="layered",
        name="LAYERED",
        section="section 4.1",
        summary="Score in chunks of s x s columns of cells; a chunk is computed layer by layer, and a layer by "
        "antidiagonals.",
        walkthrough="scores:LAYERED",
        cpu_gcups=2.5,
        cuda_gcups=60.0,
    ),
    _declare_chunk_method(
        id="sloped",
        name="SLOPED",
        section="section 4.2",
        summary="Score in chunks of s x s columns of cells; a chunk is computed by sloped planes, whose cells are "
        "independent of each other.",
        walkthrough="scores:SLOPED",
        cpu_gcups=4.0,
        cuda_gcups=500.0,
    ),
    _declare_alignment_method("LAYERED", 1, BT1, cpu_gcups=0.6, cuda_gcups=40.0),
    _declare_alignment_method("LAYERED", 2, BT2, cpu_gcups=0.6, cuda_gcups=40.0),
    _declare_alignment_method("LAYERED", 3, BT3, cpu_gcups=0.6, cuda_gcups=40.0),
    _declare_alignment_method("SLOPED", 1, BT1, cpu_gcups=0.8, cuda_gcups=200.0),
    _declare_alignment_method("SLOPED", 2, BT2, cpu_gcups=0.8, cuda_gcups=200.0),
    _declare_alignment_method("SLOPED", 3, BT3, cpu_gcups=0.8, cuda_gcups=200.0),
    _declare_chunk_method(
        id="sloped-checkpointed",
        name="SLOPED-checkpointed",
        section="section 4.2; the checkpoints are Antidiag's own",
        summary="Alignment with 4 bytes per boundary cell; subchunks on the path are recomputed, from the last one on.",
        walkthrough="alignments:SLOPED_CHECKPOINTED",
        cpu_gcups=2.0,
        cuda_gcups=400.0,
    ),
    _declare_serial_method(
        id="triple-scoring",
        name="Scoring",
        summary="Score on one core with two planes of the cube in memory; the serial baseline of the paper.",
        walkthrough="scores:SCORING",
        returns=frozenset({"score"}),
        estimate_memory=sizes.estimate_scoring_footprint,
        cpu_gcups=0.4,
    ),
    _declare_serial_method(
        id="triple-traceback",
        name="Traceback",
        summary="Alignment on one core with the best move of every cell in memory; the serial baseline of the paper.",
        walkthrough="scores:TRACEBACK",
        returns=frozenset({"score", "alignment"}),
        estimate_memory=sizes.estimate_traceback_footprint,
        cpu_gcups=0.25,
    ),
)
