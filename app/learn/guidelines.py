"""Declarations of the guidelines that can be tried out: their values, texts and pictures."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from PySide6.QtCore import QRectF
from PySide6.QtGui import QPainter

from antidiag.app.learn import guideline_pictures as pictures
from antidiag.kernels.cuda import guidelines
from antidiag.kernels.cuda.guidelines import CardLimits
from antidiag.kernels.memory import format_bytes

Values = Mapping[str, int]
KIB = 1024
ITEMS = (1, 2, 4, 8, 16)


@dataclass(frozen=True)
class SliderSpec:
    """A value that can be set, one of those that ``allowed_values(limits)`` allows on a GPU."""

    name: str
    label: str
    allowed_values: Callable[[CardLimits], tuple[int, ...]]
    start: int
    unit: str = ""


@dataclass(frozen=True)
class Guideline:
    """One page: ``describe`` describes the result of the values, ``draw`` draws it."""

    id: str
    title: str
    text: str
    slides: tuple[SliderSpec, ...]
    describe: Callable[[CardLimits, Values], str]
    draw: Callable[[QPainter, QRectF, CardLimits, Values], None]
    depends_on_card: bool = True


def _value_range(first: int, last: int) -> Callable[[CardLimits], tuple[int, ...]]:
    return lambda limits: tuple(range(first, last + 1))


def _fixed_values(*values: int) -> Callable[[CardLimits], tuple[int, ...]]:
    return lambda limits: values


def _threads(limits: CardLimits) -> tuple[int, ...]:
    return tuple(range(32, limits.threads_per_block + 1, 32))


def _shared_memory(limits: CardLimits) -> tuple[int, ...]:
    return tuple(range(limits.shared_per_block // KIB + 1))


THREADS = SliderSpec("threads", "Threads per block", _threads, 256, "threads")
SHARED = SliderSpec("shared", "Shared memory per block", _shared_memory, 16, "KiB")
REGISTERS = SliderSpec("registers", "Registers per thread", _value_range(16, 255), 32, "registers")


def compute_occupancy(limits: CardLimits, values: Values) -> guidelines.Occupancy:
    """Return the occupancy of the values of its page."""
    return guidelines.compute_occupancy(limits, values["threads"], values["shared"] * KIB, values["registers"])


def _occupancy_text(limits: CardLimits, values: Values) -> str:
    found = compute_occupancy(limits, values)
    if not found.blocks:
        return f"No block of this size fits: {found.limited_by}."
    best = guidelines.best_threads(limits, values["shared"] * KIB, values["registers"])
    return (
        f"{found.blocks:,} blocks of {values['threads'] // 32:,} warps: {found.warps:,} of {found.most_warps:,} warps, "
        f"{_format_percent(found.warp_share)}. Limited by {found.limited_by}. Best: {_join_some(best)} threads."
    )


def _coalescing_text(limits: CardLimits, values: Values) -> str:
    found = guidelines.coalesce_access(values["stride"], values["item"], values["offset"])
    conflicts = guidelines.count_bank_conflicts(values["stride"], values["item"])
    banks = "no conflicts" if conflicts == 1 else f"{conflicts} accesses one after another"
    return (
        f"A warp uses {found.used_bytes:,} of {found.moved_bytes:,} bytes moved, "
        f"{_format_percent(found.byte_efficiency)}, in "
        f"{found.segments:,} segments of {guidelines.SEGMENT_BYTES} bytes. "
        f"With the same stride in shared memory: {banks}."
    )


def _divergence_text(limits: CardLimits, values: Values) -> str:
    found = guidelines.diverge_warp(values["lanes"], values["then"], values["otherwise"])
    return (
        f"The warp takes {found.steps:,} steps; a lane is active in {found.useful_steps:.1f} of them on average, "
        f"{_format_percent(found.step_efficiency)}."
    )


def compute_tiling(limits: CardLimits, values: Values) -> guidelines.ProductTiling:
    """Return the tiling of the values of its page."""
    return guidelines.tile_product(limits, values["tile"], values["depth"], values["item"], values["threads"])


def _tiling_text(limits: CardLimits, values: Values) -> str:
    found = compute_tiling(limits, values)
    if not found.fits_card:
        return f"No tile of this size fits: {found.occupancy.limited_by}."
    return (
        f"Each byte from device memory is used in {found.steps_per_byte:g} steps; each step loads "
        f"{found.shared_loads:.2g} numbers from shared memory. A block needs {format_bytes(found.shared_bytes)}, a "
        f"thread holds {found.sums_per_thread:g} sums; occupancy {_format_percent(found.occupancy.warp_share)}, "
        "limited by "
        f"{found.occupancy.limited_by}."
    )


def _format_percent(share: float) -> str:
    return f"{100 * share:.0f} %"


def _join_some(values: list[int]) -> str:
    return ", ".join(map(str, values[:4])) + (f" or {len(values) - 4} more sizes" if len(values) > 4 else "")


OCCUPANCY = Guideline(
    "occupancy",
    "Occupancy",
    "While one warp waits for memory, another one computes. Threads, blocks, shared memory and registers limit the "
    "warps of a multiprocessor. More warps are not always faster, but few warps hide little latency.",
    (THREADS, SHARED, REGISTERS),
    _occupancy_text,
    pictures.draw_occupancy,
)
COALESCING = Guideline(
    "coalescing",
    "Coalescing",
    "The 32 lanes of a warp load together. Memory is transferred in whole segments. Neighbouring lanes should use "
    "neighbouring numbers, or most of the transfer is wasted.",
    (
        SliderSpec("stride", "Stride between lanes", _value_range(0, 40), 1, "items"),
        SliderSpec("item", "Bytes per item", _fixed_values(*ITEMS), 4, "bytes"),
        SliderSpec("offset", "First item", _value_range(0, 16), 0),
    ),
    _coalescing_text,
    pictures.draw_coalescing,
    depends_on_card=False,
)
DIVERGENCE = Guideline(
    "divergence",
    "Divergence",
    "All lanes of a warp execute the same step. If a condition sends some lanes to another branch, the warp executes "
    "both branches one after the other, and the other lanes wait.",
    (
        SliderSpec("lanes", "Lanes in the first branch", _value_range(0, 32), 8, "of 32"),
        SliderSpec("then", "Steps of the first branch", _value_range(1, 24), 8),
        SliderSpec("otherwise", "Steps of the other branch", _value_range(0, 24), 12),
    ),
    _divergence_text,
    pictures.draw_divergence,
    depends_on_card=False,
)
TILES = Guideline(
    "tiles",
    "Tile size",
    "A matrix product is computed in tiles: a block of threads holds the sums of one tile in registers, and slabs of "
    "both factors in shared memory. Larger tiles use every byte more often, but fewer blocks fit.",
    (
        SliderSpec("tile", "Side of a tile", _fixed_values(16, 32, 48, 64, 96, 128, 160, 192, 256), 128, "numbers"),
        SliderSpec("depth", "Depth of a slab", _fixed_values(4, 8, 16, 32, 64), 8, "numbers"),
        SliderSpec("item", "Bytes per number", _fixed_values(2, 4, 8), 4, "bytes"),
        SliderSpec("threads", "Threads per block", _fixed_values(64, 128, 256, 512, 1024), 256, "threads"),
    ),
    _tiling_text,
    pictures.draw_tiling,
)
GUIDELINES = (OCCUPANCY, COALESCING, DIVERGENCE, TILES)
