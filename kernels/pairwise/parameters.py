"""Parameters of the methods for two sequences, named as in the paper."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from antidiag.kernels.parameters import (
    BOTH_BACKENDS,
    CPU_ONLY,
    GPU_ONLY,
    MethodParameters,
    parameter,
    thread_count,
)

STRIP_STEP = 32
"""Widths of strips are multiples of this: the lanes of a warp on a GPU, two columns in each of 16 lanes on a CPU."""
WIDEST_OF_WARP, WIDEST = STRIP_STEP * 32, 2048
"""Greatest s where a warp computes a strip, and where a block does."""
MIB = 2**20
SIXTEEN_BITS = "16 bits compute twice as many cells per instruction."
THIRTY_TWO_BITS = "32 bits are used. The answer is the same."
"""What both declarations of the precision say."""
UNCUT = 2**62
"""Chunk height that no strip reaches: strips are not cut."""


@dataclass(frozen=True, kw_only=True)
class StripWidth(MethodParameters):
    """The strips of a matrix."""

    s: int = parameter(
        "Strip width s",
        "Columns of a strip. A wide strip writes fewer boundary cells; a narrow one lets more strips work at once.",
        minimum=STRIP_STEP,
        maximum=WIDEST_OF_WARP,
        step=STRIP_STEP,
        unit="columns",
    )


@dataclass(frozen=True, kw_only=True)
class PairStripParameters(StripWidth):
    """Parameters of StripedScore, which all methods with strips have."""

    T: int = parameter(
        "Batch T",
        "Boundary cells that a strip hands to the next strip at a time. With small batches the next strip starts "
        "sooner; large ones synchronise less often.",
        minimum=8,
        maximum=32768,
        step=8,
        unit="cells",
    )
    threads: int = thread_count(
        "CPU: worker threads, each computing one strip at a time. GPU: threads of a block (a warp of 32 computes one "
        "strip), rounded up to whole warps.",
        BOTH_BACKENDS,
    )
    precision: Literal["32", "16"] = parameter(
        "Precision",
        f"Bits of a score in phase 1. {SIXTEEN_BITS} Where scores are too large, or on a GPU if s is an odd "
        f"multiple of 32, {THIRTY_TWO_BITS}",
        unit="bits",
    )

    @property
    def chunk_height(self) -> int:
        """Rows of a chunk: more than there are, because strips are not cut."""
        return UNCUT

    @property
    def starts_at_first_row(self) -> bool:
        """Whether phase 3 computes a strip again from its first row, as published."""
        return False


@dataclass(frozen=True, kw_only=True)
class PruningParameters(MethodParameters):
    """Whether blocks that cannot lie on a best alignment are skipped."""

    pruning: Literal["on", "off"] = parameter(
        "Pruning",
        "on: blocks of the matrix that provably cannot lie on a best alignment are not computed. The answer is the "
        "same. Similar sequences gain most. By default on, but on a GPU only from about 260,000 letters a sequence on: "
        "shorter pairs take no longer without.",
    )

    @property
    def is_pruned(self) -> bool:
        """Whether blocks are skipped."""
        return self.pruning == "on"


@dataclass(frozen=True, kw_only=True)
class MappedStripParameters(PairStripParameters):
    """Parameters of the methods of the paper, which a GPU can compute as published, with strips of any width."""

    s: int = parameter(
        "Strip width s",
        "Columns of a strip. A wide strip writes fewer boundary cells; a narrow one lets more strips work at once. "
        "A GPU computes more than 1,024 with mapping=published only; on a CPU s is rounded up to a multiple of 32.",
        minimum=STRIP_STEP,
        maximum=WIDEST,
        step=STRIP_STEP,
        unit="columns",
        between_steps="with mapping=published",
    )
    mapping: Literal["warps", "published"] = parameter(
        "Mapping",
        "GPU: what computes a strip. warps: a warp, whose lanes keep their columns in registers (Antidiag's own). "
        "published: a block, with the last antidiagonals in shared memory and a thread for each column, up to 1,024; "
        "of p blocks, block i has every strip j with j mod p = i. It uses 32 bits and ignores threads.",
        default="warps",
        backends=GPU_ONLY,
    )

    @property
    def is_published(self) -> bool:
        """Whether a block computes a strip, as published."""
        return self.mapping == "published"


@dataclass(frozen=True, kw_only=True)
class StripedScoreParameters(PruningParameters, MappedStripParameters):
    """Parameters of StripedScore."""

    @property
    def is_pruned(self) -> bool:
        """Whether blocks are skipped; the published mapping computes all."""
        return self.pruning == "on" and not self.is_published


@dataclass(frozen=True, kw_only=True)
class PairStateParameters(MappedStripParameters):
    """Parameters of the methods whose phase 1 carries local start states."""

    precision: Literal["32", "16"] = parameter(
        "Precision",
        f"Bits of a score and of its local start state in phase 1. {SIXTEEN_BITS} Where scores are too large, "
        f"{THIRTY_TWO_BITS}",
        default="32",
        unit="bits",
        backends=CPU_ONLY,
    )


@dataclass(frozen=True, kw_only=True)
class StripedAlignmentParameters(PairStateParameters):
    """Parameters of StripedAlignment."""

    recompute: Literal["start-point", "first-row"] = parameter(
        "Phase 3 start",
        "Row at which phase 3 starts to recompute a strip: the local start point, or the first row as published. "
        "Both give the same path.",
        default="start-point",
    )

    @property
    def starts_at_first_row(self) -> bool:
        """Whether phase 3 computes a strip again from its first row, as published."""
        return self.recompute == "first-row"


@dataclass(frozen=True, kw_only=True)
class ChunkHeight(StripWidth):
    """The chunks of a strip."""

    h: int = parameter(
        "Chunk height h",
        "Rows of a chunk. The last row of every chunk is kept, and the path is recomputed from the top of a chunk. "
        "Small chunks recompute fewer cells, large ones keep fewer rows.",
        minimum=16,
        maximum=4096,
        step=16,
        unit="rows",
    )


@dataclass(frozen=True, kw_only=True)
class ChunkedAlignmentParameters(PairStateParameters, ChunkHeight):
    """Parameters of ChunkedAlignment1 and 2."""

    @property
    def chunk_height(self) -> int:
        """Rows of a chunk."""
        return self.h


@dataclass(frozen=True, kw_only=True)
class CheckpointedParameters(PruningParameters, PairStripParameters):
    """Parameters of CheckpointedAlignment."""

    tile: int = parameter(
        "Tile",
        "Distance of the kept special rows and columns, rounded to whole strips. A large tile needs less memory; a "
        "small one recomputes fewer cells.",
        minimum=32,
        maximum=2**20,
        step=32,
        unit="cells",
    )
    checkpoint_memory: int = parameter(
        "Checkpoint memory",
        "Special rows and columns up to this size stay in memory (on a GPU in its own, which always holds those in "
        "use); the rest goes to files in the cache folder. Automatic: a quarter of the free main memory, or half of "
        "the free GPU memory.",
        minimum=0,
        maximum=2**30,
        unit="MiB",
    )

    @property
    def rounded_tile(self) -> int:
        """Distance of special rows and columns: ``tile``, rounded to whole strips."""
        return round_to_strips(self.tile, self.s)

    @property
    def checkpoint_bytes(self) -> int:
        """Bytes of special rows and columns that may stay in memory."""
        return self.checkpoint_memory * MIB


@dataclass(frozen=True, kw_only=True)
class LevelThreads(MethodParameters):
    """Parameters of the baselines that share antidiagonals or rows."""

    threads: int = thread_count(
        "CPU: worker threads that share an antidiagonal or a row. GPU: threads of a block, rounded up to whole warps.",
        BOTH_BACKENDS,
    )


@dataclass(frozen=True, kw_only=True)
class AntidiagonalBlocks(MethodParameters):
    """Parameters of the baselines that share antidiagonals of s x s blocks."""

    s: int = parameter(
        "Block size s",
        "Rows and columns of a block. Many small blocks can be computed at once; large ones need fewer launches, and "
        "EnhancedBA then writes less. The publication found 8 best.",
        default=8,
        minimum=4,
        maximum=64,
        step=4,
        unit="cells",
    )
    threads: int = thread_count(
        "Worker threads that share an antidiagonal of blocks. On a GPU a block of s threads computes one block."
    )


def round_to_strips(tile: int, s: int) -> int:
    """Return ``tile``, rounded to whole strips of width ``s``, at least one."""
    return max((tile + s // 2) // s, 1) * s
