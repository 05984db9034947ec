"""The parameters of profile methods: as they are declared, and as a run reads them."""

from __future__ import annotations

from dataclasses import dataclass

from antidiag.kernels.parameters import Parameter
from antidiag.kernels.semiring.parameters import THREADS

BLOCK = Parameter(
    name="k",
    kind="int",
    label="Block size k",
    help="Rows and columns of a block.",
    default=None,
    minimum=16,
    maximum=256,
    step=8,
    unit="columns",
)
STRIP_WIDTH = Parameter(
    name="s",
    kind="int",
    label="Strip width s",
    help="Columns of a strip; 128 on a GPU. Those of a narrow one stay in fast memory; between wide ones less is handed"
    " on.",
    default=None,
    minimum=64,
    maximum=4096,
    step=16,
    unit="columns",
    backends=("cpu",),
)
BATCH = Parameter(
    name="T",
    kind="int",
    label="Batch T",
    help="Rows that a strip computes before the next one may follow; 128 on a GPU. The last row of each batch is kept "
    "for the path, which computes tiles of s x T cells again.",
    default=None,
    minimum=16,
    maximum=65536,
    step=4,
    unit="rows",
    backends=("cpu",),
)
LIMIT = Parameter(
    name="limit",
    kind="int",
    label="Limit of the matrices",
    help="The most that the matrices H, V and D may take. The thesis had a card of 1,024 MiB, and stopped at lengths "
    "of 6,000; beyond, V2 keeps H and V as vectors.",
    default=1024,
    minimum=1,
    maximum=2**20,
    unit="MiB",
)
WORKERS = THREADS


@dataclass(frozen=True, slots=True)
class BlockParameters:
    """Side of the blocks, and threads of the CPU."""

    k: int = 64
    threads: int = 1


@dataclass(frozen=True, slots=True)
class StripParameters:
    """Width of the strips, rows of a batch, and threads of the CPU."""

    s: int
    T: int
    threads: int = 1


@dataclass(frozen=True, slots=True)
class LimitParameters:
    """MiB of the matrices at most."""

    limit: int
