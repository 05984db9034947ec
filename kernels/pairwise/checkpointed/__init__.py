"""Declaration of CheckpointedAlignment."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from antidiag.kernels.citation import Citation
from antidiag.kernels.cost_models import CostModel
from antidiag.kernels.method import Method, Resumption
from antidiag.kernels.pairwise.checkpointed import sizes
from antidiag.kernels.pairwise.problem import PAIR
from antidiag.kernels.pairwise.table_cuts import CutSizes
from antidiag.kernels.parameters import Parameter, to_dataclass
from antidiag.kernels.table_cuts import TableCuts

TILE = Parameter(
    name="tile",
    kind="int",
    label="Tile",
    help="Distance of the kept special rows and columns, rounded to whole strips. A large tile needs less memory; a "
    "small one recomputes fewer cells.",
    minimum=32,
    maximum=2**20,
    step=32,
    unit="cells",
)
CHECKPOINT_MEMORY = Parameter(
    name="checkpoint_memory",
    kind="int",
    label="Checkpoints in memory",
    help="Special rows and columns up to this size stay in memory (on a GPU in its own, which always holds those in "
    "use); the rest goes to files in the cache folder. Automatic: a quarter of the free main memory, or half of "
    "the free GPU memory.",
    minimum=0,
    maximum=2**30,
    unit="MiB",
)
LONG_CELLS = 2**32
"""Some 64,000 x 64,000: as much memory as StripedAlignment on a CPU (measured: 37 and 38 MiB), and less beyond.
It is no slower for shorter pairs, but there the other methods have more to look at."""


def cut_into_tiles(parameters: Mapping[str, Any]) -> TableCuts:
    """Return how the matrix is cut: strips, and tiles of whole strips between special rows and columns."""
    cut = to_dataclass(CutSizes, parameters)
    tile = sizes.round_to_strips(cut.tile, cut.s)
    return TableCuts(strip=cut.s, tile=tile, path_rows=tile, path_columns=tile)


def declare_method(paper: Citation, strip_parameters: tuple[Parameter, ...], models: tuple[CostModel, ...]) -> Method:
    """Return the method: recurrence, strips and ``models`` are those of ``paper``; the checkpoints are Antidiag's."""
    return Method(
        id="checkpointed-alignment",
        name="CheckpointedAlignment",
        family="pairwise",
        summary="Best alignment in linear memory: a score pass that keeps special rows and columns, then only the "
        "tiles on the path again.",
        citation=paper.with_section("strips of section IV; the checkpoints are Antidiag's own"),
        problem_type=PAIR,
        parameters=(*strip_parameters, TILE, CHECKPOINT_MEMORY),
        backends={
            "cpu": "antidiag.kernels.pairwise.checkpointed.cpu:checkpointed_alignment",
            "cuda": "antidiag.kernels.pairwise.checkpointed.cuda:checkpointed_alignment",
        },
        returns=frozenset({"score", "alignment"}),
        estimate_memory=sizes.estimate_memory,
        automatic_parameters=sizes.choose_parameters,
        count_work=sizes.count_work,
        count_recomputed=sizes.count_recomputed,
        table_cuts=cut_into_tiles,
        walkthrough_name="antidiag.kernels.pairwise.walkthroughs.catalog:TILES",
        cost_models=models,
        help_page=Path(__file__).parents[1] / "page.md",
        nominal_gcups={"cpu": 10.0, "cuda": 400.0},
        is_recommended_for=lambda pair: len(pair) == 2 and len(pair[0]) * len(pair[1]) >= LONG_CELLS,
        resumption=Resumption(depends_on=("s", "tile"), disk_bytes=sizes.resumable_bytes),
    )
