"""Models of how a GPU program uses its card: occupancy, coalescing, bank conflicts, divergence, tiles (Hanif 2014,
section 6.2). The limits of a card come from a table, or from the device at hand."""

from __future__ import annotations

from dataclasses import dataclass

from antidiag.kernels.cuda import devices

WARP = 32
SEGMENT_BYTES = 32
"""Device memory is read and written in aligned segments of so many bytes."""

BANKS, BANK_BYTES = 32, 4
"""Banks of shared memory, and bytes of a bank's word."""

SHARED_UNIT = 128
"""Shared memory is allocated to a block in units of so many bytes."""


@dataclass(frozen=True, slots=True)
class CardLimits:
    """The limits of a multiprocessor and of a block: threads, blocks, 4-byte registers, bytes of shared memory.

    The system reserves ``reserved_bytes`` of shared memory per block; registers are allocated to a warp in units of
    ``register_unit``.
    """

    name: str
    threads_per_block: int
    threads: int
    blocks: int
    registers: int
    shared_bytes: int
    shared_per_block: int
    reserved_bytes: int = 0
    register_unit: int = 256


CARDS = (
    CardLimits(
        "compute capability 2.1 (the thesis' card)", 1024, 1536, 8, 32_768, 48 << 10, 48 << 10, register_unit=64
    ),
    CardLimits("compute capability 7.5 (Turing)", 1024, 1024, 16, 65_536, 64 << 10, 64 << 10),
    CardLimits("compute capability 8.0 (A100)", 1024, 2048, 32, 65_536, 164 << 10, 163 << 10, 1024),
    CardLimits("compute capability 8.9 (Ada)", 1024, 1536, 24, 65_536, 100 << 10, 99 << 10, 1024),
    CardLimits("compute capability 9.0 (H100, H200)", 1024, 2048, 32, 65_536, 228 << 10, 227 << 10, 1024),
)


def read_card_limits(index: int = 0) -> CardLimits:
    """Return the limits of a GPU at hand; raise BackendUnavailable where there is no such GPU."""
    attributes = devices.read_attributes(index)
    return CardLimits(
        devices.find_device(index).name,
        attributes["MaxThreadsPerBlock"],
        attributes["MaxThreadsPerMultiProcessor"],
        attributes["MaxBlocksPerMultiprocessor"],
        attributes["MaxRegistersPerMultiprocessor"],
        attributes["MaxSharedMemoryPerMultiprocessor"],
        attributes["MaxSharedMemoryPerBlockOptin"],
        attributes["ReservedSharedMemoryPerBlock"],
    )


@dataclass(frozen=True, slots=True)
class Occupancy:
    """Blocks and warps that a multiprocessor holds at a time, and the limit that they meet first."""

    blocks: int
    warps: int
    most_warps: int
    limited_by: str

    @property
    def warp_share(self) -> float:
        """The share of the multiprocessor's warps."""
        return self.warps / self.most_warps


def compute_occupancy(limits: CardLimits, threads: int, shared_bytes: int = 0, registers: int = 32) -> Occupancy:
    """Return the occupancy by blocks of ``threads`` threads, each with so many registers.

    Of equal limits, the first of threads, blocks, shared memory and registers is named.
    """
    warps, most_warps = _round_up(threads, WARP) // WARP, limits.threads // WARP
    if not 0 < threads <= limits.threads_per_block or shared_bytes > limits.shared_per_block:
        return Occupancy(0, 0, most_warps, "block too large")
    registers_per_warp = _round_up(registers * WARP, limits.register_unit)
    shared_per_block = _round_up(shared_bytes + limits.reserved_bytes, SHARED_UNIT)
    fitting = {
        "threads": most_warps // warps,
        "blocks": limits.blocks,
        "shared memory": limits.shared_bytes // shared_per_block if shared_per_block else limits.blocks,
        "registers": limits.registers // registers_per_warp // warps if registers else limits.blocks,
    }
    least = min(fitting, key=lambda name: fitting[name])
    return Occupancy(fitting[least], fitting[least] * warps, most_warps, least)


def occupancy_by_threads(limits: CardLimits, shared_bytes: int = 0, registers: int = 32) -> list[tuple[int, Occupancy]]:
    """Return the occupancy for every block size of whole warps."""
    sizes = range(WARP, limits.threads_per_block + 1, WARP)
    return [(threads, compute_occupancy(limits, threads, shared_bytes, registers)) for threads in sizes]


def occupancy_by_shared(limits: CardLimits, threads: int, registers: int = 32) -> list[tuple[int, Occupancy]]:
    """Return the occupancy for shared memory from none to the maximum of a block, in steps of 1 KiB."""
    sizes = range(0, limits.shared_per_block + 1, 1024)
    return [(size, compute_occupancy(limits, threads, size, registers)) for size in sizes]


@dataclass(frozen=True, slots=True)
class WarpAccess:
    """A load by a warp: the segment of each lane (``lines``), the segments and bytes that move, and the bytes used."""

    lines: tuple[int, ...]
    segments: int
    moved_bytes: int
    used_bytes: int

    @property
    def byte_efficiency(self) -> float:
        """The share of the moved bytes that is used."""
        return self.used_bytes / self.moved_bytes


def coalesce_access(stride: int, item_bytes: int = 4, offset: int = 0) -> WarpAccess:
    """Return the access where lane t loads item ``offset + t stride``; with stride 0 all load one item."""
    starts = [(offset + lane * stride) * item_bytes for lane in range(WARP)]
    touched = {(start + byte) // SEGMENT_BYTES for start in starts for byte in range(item_bytes)}
    used = len(set(starts)) * item_bytes
    lines = tuple(start // SEGMENT_BYTES for start in starts)
    return WarpAccess(lines, len(touched), len(touched) * SEGMENT_BYTES, used)


def count_bank_conflicts(stride: int, item_bytes: int = 4) -> int:
    """Return how often shared memory is accessed where lane t loads item ``t stride``; 1 is without conflicts.

    Lanes that load the same word share the access. Half a warp loads items of 8 bytes at a time, a quarter items of 16;
    the result is for one such part.
    """
    together = min(WARP, max(1, WARP * BANK_BYTES // max(item_bytes, BANK_BYTES)))
    words: dict[int, set[int]] = {}
    for lane in range(together):
        first = lane * stride * item_bytes // BANK_BYTES
        for word in range(first, first + max(1, item_bytes // BANK_BYTES)):
            words.setdefault(word % BANKS, set()).add(word)
    return max(len(found) for found in words.values())


@dataclass(frozen=True, slots=True)
class WarpDivergence:
    """Steps that a warp takes at a branch, and those that a lane needs on average."""

    steps: int
    useful_steps: float

    @property
    def step_efficiency(self) -> float:
        """The share of the steps that lanes need."""
        return self.useful_steps / self.steps if self.steps else 1.0


def diverge_warp(lanes_taken: int, then_steps: int, else_steps: int) -> WarpDivergence:
    """Return the divergence where ``lanes_taken`` lanes take a branch: the warp executes both sides in turn."""
    steps = (then_steps if lanes_taken else 0) + (else_steps if lanes_taken < WARP else 0)
    return WarpDivergence(steps, (lanes_taken * then_steps + (WARP - lanes_taken) * else_steps) / WARP)


@dataclass(frozen=True, slots=True)
class ProductTiling:
    """A matrix product in tiles, one per block of threads, with two slabs of both factors in shared memory.

    ``steps_per_byte``: steps per byte from device memory. ``sums_per_thread``: sums of the tile that a thread holds.
    ``shared_loads``: words from shared memory per step.
    """

    shared_bytes: int
    steps_per_byte: float
    sums_per_thread: float
    shared_loads: float
    occupancy: Occupancy

    @property
    def fits_card(self) -> bool:
        """Whether a multiprocessor can hold a block."""
        return self.occupancy.blocks > 0


def tile_product(
    limits: CardLimits, tile: int, depth: int = 8, item_bytes: int = 4, threads: int = 256
) -> ProductTiling:
    """Return the tiling by square tiles of ``tile`` rows and slabs of ``depth`` columns."""
    shared = 2 * 2 * tile * depth * item_bytes
    sums = tile * tile / threads
    side = max(1.0, sums**0.5)
    registers = round((sums + 2 * side) * max(1, item_bytes // 4)) + 24
    found = compute_occupancy(limits, threads, shared, registers)
    if registers > 255:
        found = Occupancy(0, 0, found.most_warps, "registers")
    return ProductTiling(shared, tile / (2 * item_bytes), sums, 2 / side, found)


def best_threads(limits: CardLimits, shared_bytes: int = 0, registers: int = 32) -> list[int]:
    """Return the block sizes with the greatest occupancy."""
    found = occupancy_by_threads(limits, shared_bytes, registers)
    most = max(one.warp_share for _, one in found)
    return [threads for threads, one in found if one.warp_share == most]


def _round_up(count: int, unit: int) -> int:
    """Round ``count`` up to whole units."""
    return -(-count // unit) * unit
