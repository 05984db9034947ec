"""The alignment of three sequences: the methods of Li, Ranka and Sahni (2014)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Any

from antidiag.kernels.citation import Citation
from antidiag.kernels.memory import Footprint
from antidiag.kernels.method import Method
from antidiag.kernels.parameters import to_dataclass
from antidiag.kernels.table_cuts import TableCuts
from antidiag.kernels.triple import analysis, sizes
from antidiag.kernels.triple.grid import CHUNK_KINDS
from antidiag.kernels.triple.model import TripleProblem
from antidiag.kernels.triple.parameters import CHUNK_WIDTH, MAPPING, SUBCHUNK_HEIGHT, THREADS, ChunkParameters
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
BT2 = "BT1 with subchunks of h layers, whose bottom faces are kept: phase 3 begins in the first one on the path."
BT3 = "BT1 with starts local to subchunks: phase 3 computes every subchunk on the path by itself, in parallel."
"""Summaries of the alignment methods, which exist in both orders."""


def _cut_chunks(parameters: Mapping[str, Any]) -> TableCuts:
    cut = to_dataclass(ChunkParameters, parameters)
    return TableCuts(block=cut.s, layers=cut.h or 0)


def _declare_chunk_method(
    method_id: str, name: str, section: str, summary: str, play: str, cpu: float, cuda: float
) -> Method:
    """Declare a method that computes chunks; its kind decides what it keeps, needs and returns."""
    kind, function = CHUNK_KINDS[method_id], method_id.replace("-", "_")
    return Method(
        id=method_id,
        name=name,
        family="triple",
        summary=summary,
        citation=PAPER.with_section(section),
        problem_type=TRIPLE,
        parameters=(CHUNK_WIDTH, *((SUBCHUNK_HEIGHT,) if kind.has_subchunks else ()), THREADS, MAPPING),
        backends={
            "cpu": f"antidiag.kernels.triple.chunks.cpu.backend:{function}",
            "cuda": f"antidiag.kernels.triple.chunks.cuda.backend:{function}",
        },
        returns=frozenset({"score", "alignment"} if kind.keeps_faces else {"score"}),
        estimate_memory=partial(sizes.estimate_footprint, kind=kind),
        automatic_parameters=partial(sizes.choose_parameters, kind=kind),
        count_work=partial(sizes.count_work, kind=kind),
        count_recomputed=partial(sizes.bound_recomputed_cells, kind=kind),
        parameter_notes=partial(sizes.list_notes, kind=kind),
        table_cuts=_cut_chunks,
        cost_models=analysis.list_chunk_models(kind),
        walkthrough_name=play,
        help_page=PAGE,
        nominal_gcups={"cpu": cpu, "cuda": cuda},
    )


def _declare_alignment_method(order: str, number: int, summary: str, cpu: float, cuda: float) -> Method:
    """Declare one of the alignment methods of the paper."""
    name = f"{order}-BT{number}"
    play = f"antidiag.kernels.triple.plays.alignments:{order}_BT{number}"
    return _declare_chunk_method(name.lower(), name, f"section 5.{number}", summary, play, cpu, cuda)


def _declare_serial_method(
    id: str,
    name: str,
    summary: str,
    backend: str,
    play: str,
    returns: frozenset[str],
    footprint: Callable[[TripleProblem, Mapping[str, Any], str], Footprint],
    gcups: float,
) -> Method:
    """Declare a baseline on one core."""
    return Method(
        id=id,
        name=name,
        family="triple",
        summary=summary,
        citation=PAPER.with_section("sections 3 and 6.1"),
        problem_type=TRIPLE,
        parameters=(),
        backends={"cpu": backend},
        returns=returns,
        estimate_memory=footprint,
        automatic_parameters=sizes.choose_serial_parameters,
        count_work=sizes.count_serial_work,
        cost_models=analysis.SERIAL,
        walkthrough_name=play,
        help_page=PAGE,
        nominal_gcups={"cpu": gcups},
    )


METHODS = (
    _declare_chunk_method(
        method_id="layered",
        name="LAYERED",
        section="section 4.1",
        summary="Score, in chunks of s x s cells and all layers; layer by layer, and in a layer by antidiagonals.",
        play="antidiag.kernels.triple.plays.scores:LAYERED",
        cpu=2.5,
        cuda=60.0,
    ),
    _declare_chunk_method(
        method_id="sloped",
        name="SLOPED",
        section="section 4.2",
        summary="Score, in the same chunks; a chunk by sloped planes, on which all cells can be computed at once.",
        play="antidiag.kernels.triple.plays.scores:SLOPED",
        cpu=4.0,
        cuda=500.0,
    ),
    _declare_alignment_method("LAYERED", 1, BT1, cpu=0.6, cuda=40.0),
    _declare_alignment_method("LAYERED", 2, BT2, cpu=0.6, cuda=40.0),
    _declare_alignment_method("LAYERED", 3, BT3, cpu=0.6, cuda=40.0),
    _declare_alignment_method("SLOPED", 1, BT1, cpu=0.8, cuda=200.0),
    _declare_alignment_method("SLOPED", 2, BT2, cpu=0.8, cuda=200.0),
    _declare_alignment_method("SLOPED", 3, BT3, cpu=0.8, cuda=200.0),
    _declare_chunk_method(
        method_id="sloped-checkpointed",
        name="SLOPED-checkpointed",
        section="section 4.2; the checkpoints are Antidiag's own",
        summary="Alignment with 4 bytes per boundary cell: subchunks on the path are computed again, from the end.",
        play="antidiag.kernels.triple.plays.alignments:SLOPED_CHECKPOINTED",
        cpu=2.0,
        cuda=400.0,
    ),
    _declare_serial_method(
        id="triple-scoring",
        name="Scoring",
        summary="Score on one core, two planes of the cube in memory; the baseline of the paper's table 1.",
        backend="antidiag.kernels.triple.serial.cpu:scoring",
        play="antidiag.kernels.triple.plays.scores:SCORING",
        returns=frozenset({"score"}),
        footprint=sizes.estimate_scoring_footprint,
        gcups=0.4,
    ),
    _declare_serial_method(
        id="triple-traceback",
        name="Traceback",
        summary="Alignment on one core, the best move of every cell in memory; the baseline of the paper's table 1.",
        backend="antidiag.kernels.triple.serial.cpu:traceback",
        play="antidiag.kernels.triple.plays.scores:TRACEBACK",
        returns=frozenset({"score", "alignment"}),
        footprint=sizes.estimate_traceback_footprint,
        gcups=0.25,
    ),
)
