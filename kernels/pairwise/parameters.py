"""What users may set of the strips, and the parameters of the family as typed fields, by the papers' letters."""

from __future__ import annotations

from dataclasses import dataclass, replace

from antidiag.kernels.parameters import Parameter

STRIP_STEP = 32
"""Widths of strips are multiples of this: the lanes of a warp on a GPU, two columns in each of 16 lanes on a CPU."""
MIB = 2**20
UNCUT = 2**62
"""Height of a chunk that no strip fills."""

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
    help="Rows of a chunk. The last row of every chunk is kept, so that the path is computed again from the top of a "
    "chunk: small chunks compute less again, large ones keep fewer rows.",
    minimum=16,
    maximum=4096,
    step=16,
    unit="rows",
)
BATCH = Parameter(
    name="T",
    kind="int",
    label="Batch T",
    help="Boundary cells that a strip hands to its right neighbour at a time. A small batch lets the neighbour "
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
    "Values are kept less a common base; where scores are so large that those of a strip could overflow, or on a GPU s "
    "is an odd multiple of 32, 32 bits are used. The answer is the same.",
    choices=("32", "16"),
    unit="bits",
)
STATES_PRECISION = replace(
    PRECISION,
    help="Bits of a value, and of its local start state, in phase 1. In 16, twice as many cells share a register; "
    "values are kept less a common base; where scores are too large for it, 32 bits are used. The answer is the same.",
    default="32",
    backends=("cpu",),
)
RECOMPUTE = Parameter(
    name="recompute",
    kind="choice",
    label="Phase 3 starts at",
    help="Where phase 3 begins to compute a strip again: at the local start point, or at the first row as published. "
    "Both give the same path.",
    default="start-point",
    choices=("start-point", "first-row"),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class StripParameters:
    """Parameters of the striped and chunked methods; those that a method does not have keep their default."""

    s: int
    T: int
    threads: int
    h: int = UNCUT
    precision: str = "32"
    recompute: str = "start-point"

    @property
    def from_first_row(self) -> bool:
        """Whether phase 3 computes a strip again from its first row, as published."""
        return self.recompute == "first-row"


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckpointedParameters(StripParameters):
    """Parameters of CheckpointedAlignment."""

    tile: int
    checkpoint_memory: int

    @property
    def whole_tile(self) -> int:
        """Distance of special rows and columns: ``tile``, rounded to whole strips."""
        return whole_strips(self.tile, self.s)

    @property
    def checkpoint_bytes(self) -> int:
        """Bytes of special rows and columns that may stay in memory."""
        return self.checkpoint_memory * MIB


@dataclass(frozen=True, slots=True, kw_only=True)
class LevelParameters:
    """Parameters of the baselines that share antidiagonals or rows."""

    threads: int


@dataclass(frozen=True, slots=True, kw_only=True)
class BlockParameters:
    """Parameters of the baselines that share antidiagonals of s x s blocks."""

    s: int
    threads: int


def whole_strips(tile: int, s: int) -> int:
    """``tile``, rounded to whole strips of width ``s``, at least one."""
    return max((tile + s // 2) // s, 1) * s
