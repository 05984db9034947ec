"""Three sequences: the methods of Li, Ranka and Sahni (000)."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Any

from antidiag.kernels.citation import Citation
from antidiag.kernels.cuts import Cuts
from antidiag.kernels.method import Method
from antidiag.kernels.parameters import typed
from antidiag.kernels.triple import analysis, sizes
from antidiag.kernels.triple.grid import KINDS, Kind
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
BT2 = "BT1 with subchunks of h layers, whose bottom faces are kept: phase 3 begins in the first on the path."
BT3 = "BT1 with starts local to subchunks: phase 3 computes every subchunk on the path by itself, in parallel."
"""What the methods of both orders that give an alignment do."""


def _chunks(parameters: Mapping[str, Any]) -> Cuts:
    return Cuts(block=typed(ChunkParameters, parameters).s)


def _subchunks(parameters: Mapping[str, Any]) -> Cuts:
    cut = typed(ChunkParameters, parameters)
    return Cuts(block=cut.s, layers=cut.h or 0)


def _staging(name: str, kind: Kind) -> str:
    """Where a method is played."""
    return f"antidiag.kernels.triple.plays{'_paths' if kind.keeps else ''}:{name.replace('-', '_').upper()}"


def _chunked(method_id: str, name: str, section: str, summary: str, cpu: float, cuda: float) -> Method:
    """A method that computes chunks; its kind says the rest."""
    kind = KINDS[method_id]
    function = method_id.replace("-", "_")
    return Method(
        id=method_id,
        name=name,
        family="triple",
        summary=summary,
        citation=PAPER.at(section),
        problem=TRIPLE,
        parameters=(CHUNK_WIDTH, *((SUBCHUNK_HEIGHT,) if kind.subchunks else ()), THREADS, MAPPING),
        backends={
            "cpu": f"antidiag.kernels.triple.chunks.cpu:{function}",
            "cuda": f"antidiag.kernels.triple.chunks.cuda:{function}",
        },
        returns=frozenset({"score", "alignment"} if kind.keeps else {"score"}),
        footprint=partial(sizes.footprint, kind=kind),
        automatic=partial(sizes.automatic, kind=kind),
        work=partial(sizes.work, kind=kind),
        recomputed=partial(sizes.recomputed, kind=kind),
        notes=partial(sizes.notes, kind=kind),
        cuts=_subchunks if kind.subchunks else _chunks,
        models=analysis.models(kind),
        staging=_staging(name, kind),
        page=PAGE,
        nominal_gcups={"cpu": cpu, "cuda": cuda},
    )


METHODS = (
    _chunked(
        "layered",
        "LAYERED",
        "section 4.1",
        "Score, in chunks of s x s cells and all layers; layer by layer, and in a layer by antidiagonals.",
        2.5,
        60.0,
    ),
    _chunked(
        "sloped",
        "SLOPED",
        "section 4.2",
        "Score, in the same chunks; a chunk by sloped planes, on which all cells can be computed at once.",
        4.0,
        500.0,
    ),
    _chunked("layered-bt1", "LAYERED-BT1", "section 5.1", BT1, 0.6, 40.0),
    _chunked("layered-bt2", "LAYERED-BT2", "section 5.2", BT2, 0.6, 40.0),
    _chunked("layered-bt3", "LAYERED-BT3", "section 5.3", BT3, 0.6, 40.0),
    _chunked("sloped-bt1", "SLOPED-BT1", "section 5.1", BT1, 0.8, 200.0),
    _chunked("sloped-bt2", "SLOPED-BT2", "section 5.2", BT2, 0.8, 200.0),
    _chunked("sloped-bt3", "SLOPED-BT3", "section 5.3", BT3, 0.8, 200.0),
    _chunked(
        "sloped-checkpointed",
        "SLOPED-checkpointed",
        "section 4.2; the checkpoints are Antidiag's own",
        "Alignment with 4 bytes a boundary cell: subchunks on the path are computed again, from the end.",
        2.0,
        400.0,
    ),
    Method(
        id="triple-scoring",
        name="Scoring",
        family="triple",
        summary="Score on one core, two planes of the cube in memory; the baseline of the paper's table 1.",
        citation=PAPER.at("sections 3 and 6.1"),
        problem=TRIPLE,
        parameters=(),
        backends={"cpu": "antidiag.kernels.triple.serial.cpu:scoring"},
        returns=frozenset({"score"}),
        footprint=sizes.scoring_footprint,
        automatic=sizes.serial_automatic,
        work=sizes.serial_work,
        models=analysis.SERIAL,
        staging="antidiag.kernels.triple.plays:SCORING",
        page=PAGE,
        nominal_gcups={"cpu": 0.4},
    ),
    Method(
        id="triple-traceback",
        name="Traceback",
        family="triple",
        summary="Alignment on one core, the best move of every cell in memory; the baseline of the paper's table 1.",
        citation=PAPER.at("sections 3 and 6.1"),
        problem=TRIPLE,
        parameters=(),
        backends={"cpu": "antidiag.kernels.triple.serial.cpu:traceback"},
        returns=frozenset({"score", "alignment"}),
        footprint=sizes.traceback_footprint,
        automatic=sizes.serial_automatic,
        work=sizes.serial_work,
        models=analysis.SERIAL,
        staging="antidiag.kernels.triple.plays:TRACEBACK",
        page=PAGE,
        nominal_gcups={"cpu": 0.25},
    ),
)
