"""Parameters of profile methods: their declarations, and the records that runs read."""

from __future__ import annotations

from dataclasses import dataclass

from antidiag.kernels.parameters import Parameter
from antidiag.kernels.semiring.thread_parameters import THREADS

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
    help="Columns of a strip; 128 on a GPU. Narrow strips fit into the cache; wide strips exchange less data.",
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
    help="Rows that a strip computes before the next strip may follow; 128 on a GPU. The last row of each "
    "batch is kept for the path, which recomputes tiles of s x T cells.",
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
    help="Maximum memory of the matrices H, V and D. The thesis used a card of 1,024 MiB and stopped at "
    "lengths of 6,000; V2 keeps H and V as vectors instead.",
    default=1024,
    minimum=1,
    maximum=2**20,
    unit="MiB",
)
WORKERS = THREADS


@dataclass(frozen=True, slots=True)
class ProfileBlockParameters:
    """Side of the blocks, and CPU threads."""

    k: int = 64
    threads: int = 1


@dataclass(frozen=True, slots=True)
class ProfileStripParameters:
    """Width of the strips, rows of a batch, and CPU threads."""

    s: int
    T: int
    threads: int = 1


@dataclass(frozen=True, slots=True)
class ProfileLimitParameters:
    """Maximum MiB of the matrices."""

    limit: int
