"""CheckpointedAlignment: the declaration."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from antidiag.kernels.analysis import Model
from antidiag.kernels.citation import Citation
from antidiag.kernels.cuts import Cuts
from antidiag.kernels.method import Method, Resumption
from antidiag.kernels.pairwise.checkpointed import sizes
from antidiag.kernels.pairwise.cuts import Widths
from antidiag.kernels.pairwise.problem import PAIR
from antidiag.kernels.parameters import Parameter, typed

TILE = Parameter(
    name="tile",
    kind="int",
    label="Tile",
    help="Distance of the special rows and columns that are kept, rounded to whole strips. A large tile keeps less; a "
    "small one has less to compute again.",
    minimum=32,
    maximum=2**20,
    step=32,
    unit="cells",
)
CHECKPOINT_MEMORY = Parameter(
    name="checkpoint_memory",
    kind="int",
    label="Checkpoints in memory",
    help="Special rows and columns up to this size stay in memory (on a GPU: in its own, where those that the sweep is "
    "at always are); the rest goes to files in the cache folder. Automatic: a quarter of the free main memory, half of "
    "that of the GPU.",
    minimum=0,
    maximum=2**30,
    unit="MiB",
)
LONG_CELLS = 2**32
"""Some 64,000 x 64,000: as much memory as StripedAlignment on a CPU (measured: 37 and 38 MiB), and less beyond.
It is no slower for shorter pairs, but there the other methods have more to look at."""


def tiles(parameters: Mapping[str, Any]) -> Cuts:
    """Strips, and tiles of whole strips between the special rows and columns, at which the path is cut."""
    cut = typed(Widths, parameters)
    tile = sizes.whole_strips(cut.tile, cut.s)
    return Cuts(strip=cut.s, tile=tile, path_rows=tile, path_columns=tile)


def method(paper: Citation, strip_parameters: tuple[Parameter, ...], models: tuple[Model, ...]) -> Method:
    """The method: recurrence, strips and ``models`` are those of ``paper``; the checkpoints are Antidiag's own."""
    return Method(
        id="checkpointed-alignment",
        name="CheckpointedAlignment",
        family="pairwise",
        summary="Best alignment in linear memory: a score pass that keeps special rows and columns, then only the "
        "tiles on the path again.",
        citation=paper.at("strips of section IV; the checkpoints are Antidiag's own"),
        problem=PAIR,
        parameters=(*strip_parameters, TILE, CHECKPOINT_MEMORY),
        backends={
            "cpu": "antidiag.kernels.pairwise.checkpointed.cpu:checkpointed_alignment",
            "cuda": "antidiag.kernels.pairwise.checkpointed.cuda:checkpointed_alignment",
        },
        returns=frozenset({"score", "alignment"}),
        footprint=sizes.footprint,
        automatic=sizes.automatic,
        work=sizes.work,
        recomputed=sizes.recomputed,
        cuts=tiles,
        staging="antidiag.kernels.pairwise.plays.stagings:TILES",
        models=models,
        page=Path(__file__).parents[1] / "page.md",
        nominal_gcups={"cpu": 10.0, "cuda": 400.0},
        suits=lambda pair: len(pair) == 2 and len(pair[0]) * len(pair[1]) >= LONG_CELLS,
        resumption=Resumption(depends_on=("s", "tile"), disk_bytes=sizes.kept_bytes),
    )
