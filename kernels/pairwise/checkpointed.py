"""CheckpointedAlignment: the declaration."""

from __future__ import annotations

from pathlib import Path

from kernels.method import Citation, Method, Resumption
from kernels.pairwise import checkpointed_sizes as sizes
from kernels.pairwise.problem import PAIR
from kernels.parameters import Parameter

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


def method(paper: Citation, strip_parameters: tuple[Parameter, ...]) -> Method:
    """The method, whose recurrence and strips are those of ``paper``; the checkpoints are Antidiag's own."""
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
            "cpu": "kernels.pairwise.cpu_checkpointed:checkpointed_alignment",
            "cuda": "kernels.pairwise.cuda_checkpointed:checkpointed_alignment",
        },
        returns=frozenset({"score", "alignment"}),
        footprint=sizes.footprint,
        automatic=sizes.automatic,
        work=sizes.work,
        again=sizes.again,
        page=Path(__file__).with_name("page.md"),
        nominal_gcups={"cpu": 5.0, "cuda": 400.0},
        suits=lambda pair: len(pair) == 2 and len(pair[0]) * len(pair[1]) >= LONG_CELLS,
        resumption=Resumption(depends_on=("s", "tile"), disk_bytes=sizes.kept_bytes),
    )
