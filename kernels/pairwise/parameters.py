"""User parameters of the striped methods, and the parameters of the family as typed fields, named as in the paper."""

from __future__ import annotations

from dataclasses import dataclass, replace

from antidiag.kernels.parameters import Parameter

STRIP_STEP = 32
"""Widths of strips are multiples of this: the lanes of a warp on a GPU, two columns in each of 16 lanes on a CPU."""
MIB = 2**20
UNCUT = 2**62
"""Chunk height that no strip reaches: strips are not cut."""

STRIP_WIDTH = Parameter(
    name="s",
    kind="int",
    label="Strip width s",
    help="Columns of a strip. A wide strip writes fewer boundary cells; a narrow one lets more strips work at once.",
    minimum=STRIP_STEP,
    maximum=STRIP_STEP * 32,
    step=STRIP_STEP,
    unit="columns",
)
CHUNK_HEIGHT = Parameter(
    name="h",
    kind="int",
    label="Chunk height h",
    help="Rows of a chunk. The last row of every chunk is kept, and the path is recomputed from the top of a "
    "chunk. Small chunks recompute fewer cells, large ones keep fewer rows.",
    minimum=16,
    maximum=4096,
    step=16,
    unit="rows",
)
BATCH = Parameter(
    name="T",
    kind="int",
    label="Batch T",
    help="Boundary cells that a strip passes to its right neighbour at a time. A small batch lets the neighbour "
    "start sooner; a large one synchronises less often.",
    minimum=8,
    maximum=32768,
    step=8,
    unit="cells",
)
THREADS = Parameter(
    name="threads",
    kind="int",
    label="Threads",
    help="CPU: worker threads, each computing one strip at a time. GPU: threads of a block (a warp of 32 computes "
    "one strip), rounded up to whole warps.",
    minimum=1,
    maximum=1024,
    unit="threads",
)
PRECISION = Parameter(
    name="precision",
    kind="choice",
    label="Precision",
    help="Bits of a value in phase 1. In 16, twice as many cells share a register, which takes half the instructions. "
    "Values are stored relative to a moving offset. Where scores are too large for this, or on a GPU if s "
    "is an odd multiple of 32, 32 bits are used. The answer is the same.",
    choices=("32", "16"),
    unit="bits",
)
STATES_PRECISION = replace(
    PRECISION,
    help="Bits of a value and of its local start state in phase 1. In 16, twice as many cells share a register, and "
    "values are stored relative to a moving offset. Where scores are too large, 32 bits are used. The answer is "
    "the same.",
    default="32",
    backends=("cpu",),
)
RECOMPUTE = Parameter(
    name="recompute",
    kind="choice",
    label="Phase 3 starts at",
    help="Where phase 3 begins to recompute a strip: at the local start point, or at the first row as published. "
    "Both give the same path.",
    default="start-point",
    choices=("start-point", "first-row"),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class PairStripParameters:
    """Parameters of the striped and chunked methods; those that a method lacks keep their default."""

    s: int
    T: int
    threads: int
    h: int = UNCUT
    precision: str = "32"
    recompute: str = "start-point"

    @property
    def starts_at_first_row(self) -> bool:
        """Whether phase 3 computes a strip again from its first row, as published."""
        return self.recompute == "first-row"


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckpointedParameters(PairStripParameters):
    """Parameters of CheckpointedAlignment."""

    tile: int
    checkpoint_memory: int

    @property
    def rounded_tile(self) -> int:
        """Distance of special rows and columns: ``tile``, rounded to whole strips."""
        return round_to_strips(self.tile, self.s)

    @property
    def checkpoint_bytes(self) -> int:
        """Bytes of special rows and columns that may stay in memory."""
        return self.checkpoint_memory * MIB


@dataclass(frozen=True, slots=True, kw_only=True)
class LevelThreads:
    """Parameters of the baselines that share antidiagonals or rows."""

    threads: int


@dataclass(frozen=True, slots=True, kw_only=True)
class AntidiagonalBlocks:
    """Parameters of the baselines that share antidiagonals of s x s blocks."""

    s: int
    threads: int


def round_to_strips(tile: int, s: int) -> int:
    """Return ``tile``, rounded to whole strips of width ``s``, at least one."""
    return max((tile + s // 2) // s, 1) * s
