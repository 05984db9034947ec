"""What a program for a GPU should mind, as functions of its choices (003, section 6.2): occupancy, coalescing, bank
conflicts, divergence, tiles. Numbers of a card come from a table, or from the device at hand."""

from __future__ import annotations

from dataclasses import dataclass

from antidiag.kernels.cuda import devices

WARP = 32
SEGMENT_BYTES = 32
"""Device memory is moved in segments of so many bytes, each aligned to its size."""

BANKS, BANK_BYTES = 32, 4
"""Banks of shared memory, and bytes of a word in one."""

SHARED_UNIT = 128
"""Shared memory is given to a block in units of so many bytes."""


@dataclass(frozen=True, slots=True)
class Limits:
    """What one multiprocessor holds at a time, and what one block may have; bytes of shared memory, 4-byte registers.

    ``reserved_bytes`` of shared memory are taken by the system from every block; registers are given to a warp in units
    of ``register_unit``.
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
    Limits("compute capability 2.1 (the thesis' card)", 1024, 1536, 8, 32_768, 48 << 10, 48 << 10, register_unit=64),
    Limits("compute capability 7.5 (Turing)", 1024, 1024, 16, 65_536, 64 << 10, 64 << 10),
    Limits("compute capability 8.0 (A100)", 1024, 2048, 32, 65_536, 164 << 10, 163 << 10, 1024),
    Limits("compute capability 8.9 (Ada)", 1024, 1536, 24, 65_536, 100 << 10, 99 << 10, 1024),
    Limits("compute capability 9.0 (H100, H200)", 1024, 2048, 32, 65_536, 228 << 10, 227 << 10, 1024),
)


def of_device(index: int = 0) -> Limits:
    """The limits of a GPU at hand; BackendUnavailable where there is none of this number."""
    attributes = devices.attributes(index)
    return Limits(
        devices.device(index).name,
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
    """Blocks and warps that a multiprocessor holds at a time, and what limits them; ``share`` is of its warps."""

    blocks: int
    warps: int
    most_warps: int
    limited_by: str

    @property
    def share(self) -> float:
        return self.warps / self.most_warps


def occupancy(limits: Limits, threads: int, shared_bytes: int = 0, registers: int = 32) -> Occupancy:
    """Of blocks of ``threads`` threads with so many bytes of shared memory each and registers a thread.

    Of equal limits the first of threads, blocks, shared memory and registers is named.
    """
    warps, most_warps = _whole(threads, WARP) // WARP, limits.threads // WARP
    if not 0 < threads <= limits.threads_per_block or shared_bytes > limits.shared_per_block:
        return Occupancy(0, 0, most_warps, "block too large")
    of_a_warp = _whole(registers * WARP, limits.register_unit)
    of_a_block = _whole(shared_bytes + limits.reserved_bytes, SHARED_UNIT)
    fitting = {
        "threads": most_warps // warps,
        "blocks": limits.blocks,
        "shared memory": limits.shared_bytes // of_a_block if of_a_block else limits.blocks,
        "registers": limits.registers // of_a_warp // warps if registers else limits.blocks,
    }
    least = min(fitting, key=lambda name: fitting[name])
    return Occupancy(fitting[least], fitting[least] * warps, most_warps, least)


def occupancy_by_threads(limits: Limits, shared_bytes: int = 0, registers: int = 32) -> list[tuple[int, Occupancy]]:
    """For all whole numbers of warps."""
    sizes = range(WARP, limits.threads_per_block + 1, WARP)
    return [(threads, occupancy(limits, threads, shared_bytes, registers)) for threads in sizes]


def occupancy_by_shared(
    limits: Limits, threads: int, registers: int = 32, step: int = 1024
) -> list[tuple[int, Occupancy]]:
    """For shared memory from none to the most of a block."""
    sizes = range(0, limits.shared_per_block + 1, step)
    return [(size, occupancy(limits, threads, size, registers)) for size in sizes]


@dataclass(frozen=True, slots=True)
class Access:
    """A load by a warp: which ``segments`` of memory move, for the bytes that are used; ``lines`` a segment a lane."""

    lines: tuple[int, ...]
    segments: int
    moved_bytes: int
    used_bytes: int

    @property
    def efficiency(self) -> float:
        return self.used_bytes / self.moved_bytes


def coalescing(stride: int, item_bytes: int = 4, offset: int = 0, lanes: int = WARP) -> Access:
    """Lane number t loads item ``offset + t stride``; stride 0 is one item for all."""
    starts = [(offset + lane * stride) * item_bytes for lane in range(lanes)]
    touched = {(start + byte) // SEGMENT_BYTES for start in starts for byte in range(item_bytes)}
    used = len(set(starts)) * item_bytes
    lines = tuple(start // SEGMENT_BYTES for start in starts)
    return Access(lines, len(touched), len(touched) * SEGMENT_BYTES, used)


def bank_conflicts(stride: int, item_bytes: int = 4, lanes: int = WARP) -> int:
    """How many times shared memory is gone to where lane t loads item ``t stride``; 1 is the best.

    Lanes that want the same word get it at once. Items of 8 bytes are loaded by half a warp at a time, of 16 by a
    quarter: the number is that of one such part.
    """
    together = min(lanes, max(1, lanes * BANK_BYTES // max(item_bytes, BANK_BYTES)))
    words: dict[int, set[int]] = {}
    for lane in range(together):
        first = lane * stride * item_bytes // BANK_BYTES
        for word in range(first, first + max(1, item_bytes // BANK_BYTES)):
            words.setdefault(word % BANKS, set()).add(word)
    return max(len(found) for found in words.values())


@dataclass(frozen=True, slots=True)
class Divergence:
    """Steps that a warp takes at a branch, and the steps that its lanes have use for, on average."""

    steps: int
    useful_steps: float

    @property
    def efficiency(self) -> float:
        return self.useful_steps / self.steps if self.steps else 1.0


def divergence(lanes_taken: int, then_steps: int, else_steps: int, lanes: int = WARP) -> Divergence:
    """``lanes_taken`` lanes of a warp go one way, the others the other: the warp goes both, one after another."""
    steps = (then_steps if lanes_taken else 0) + (else_steps if lanes_taken < lanes else 0)
    return Divergence(steps, (lanes_taken * then_steps + (lanes - lanes_taken) * else_steps) / lanes)


@dataclass(frozen=True, slots=True)
class Tiling:
    """A product of matrices in tiles, a block of threads a tile, slabs of both factors twice in shared memory.

    ``steps_per_byte``: sums for every byte from device memory; ``sums_per_thread``: of the tile; ``shared_loads``:
    words from shared memory for every step, in threads that hold square parts; ``occupancy``: by threads, shared
    memory, and registers for the sums and what they are made from.
    """

    shared_bytes: int
    steps_per_byte: float
    sums_per_thread: float
    shared_loads: float
    occupancy: Occupancy

    @property
    def fits(self) -> bool:
        return self.occupancy.blocks > 0

    def balanced(self, steps_per_s: float, bytes_per_s: float) -> bool:
        """Whether a device of such rates spends at least as long on steps as on device memory."""
        return self.steps_per_byte * bytes_per_s >= steps_per_s


def tiling(limits: Limits, tile: int, depth: int = 8, item_bytes: int = 4, threads: int = 256) -> Tiling:
    """Square tiles of ``tile`` rows; slabs are ``depth`` deep."""
    shared = 2 * 2 * tile * depth * item_bytes
    sums = tile * tile / threads
    side = max(1.0, sums**0.5)
    registers = round((sums + 2 * side) * max(1, item_bytes // 4)) + 24
    found = occupancy(limits, threads, shared, registers)
    if registers > 255:
        found = Occupancy(0, 0, found.most_warps, "registers")
    return Tiling(shared, tile / (2 * item_bytes), sums, 2 / side, found)


def best_threads(limits: Limits, shared_bytes: int = 0, registers: int = 32) -> list[int]:
    """The sizes of blocks with the greatest occupancy."""
    found = occupancy_by_threads(limits, shared_bytes, registers)
    most = max(one.share for _, one in found)
    return [threads for threads, one in found if one.share == most]


def _whole(count: int, unit: int) -> int:
    """``count`` in whole units."""
    return -(-count // unit) * unit
