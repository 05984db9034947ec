"""The guidelines that can be tried out: what can be set, what it says, and what is drawn. Declared here alone."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from PySide6.QtCore import QRectF
from PySide6.QtGui import QPainter

from antidiag.app.learn import guideline_pictures as pictures
from antidiag.kernels.cuda import guidelines
from antidiag.kernels.cuda.guidelines import Limits
from antidiag.kernels.memory import bytes_text

Values = Mapping[str, int]
KIB = 1024
ITEMS = (1, 2, 4, 8, 16)


@dataclass(frozen=True)
class Slide:
    """A value that can be set, out of ``values``, or of those that a card allows."""

    name: str
    label: str
    values: Callable[[Limits], tuple[int, ...]]
    start: int
    unit: str = ""


@dataclass(frozen=True)
class Guideline:
    """One page: ``words`` tells what follows from the values, ``draw`` shows it."""

    id: str
    title: str
    text: str
    slides: tuple[Slide, ...]
    words: Callable[[Limits, Values], str]
    draw: Callable[[QPainter, QRectF, Limits, Values], None]
    of_card: bool = True


def _range(first: int, last: int, step: int = 1) -> Callable[[Limits], tuple[int, ...]]:
    return lambda limits: tuple(range(first, last + 1, step))


def _fixed(*values: int) -> Callable[[Limits], tuple[int, ...]]:
    return lambda limits: values


THREADS = Slide(
    "threads", "Threads of a block", lambda card: tuple(range(32, card.threads_per_block + 1, 32)), 256, "threads"
)
SHARED = Slide(
    "shared", "Shared memory of a block", lambda card: tuple(range(card.shared_per_block // KIB + 1)), 16, "KiB"
)
REGISTERS = Slide("registers", "Registers of a thread", _range(16, 255), 32, "registers")


def found_occupancy(limits: Limits, values: Values) -> guidelines.Occupancy:
    """The occupancy of the values of its page."""
    return guidelines.occupancy(limits, values["threads"], values["shared"] * KIB, values["registers"])


def _occupancy_text(limits: Limits, values: Values) -> str:
    found = found_occupancy(limits, values)
    if not found.blocks:
        return f"A block like this does not fit: {found.limited_by}."
    best = guidelines.best_threads(limits, values["shared"] * KIB, values["registers"])
    return (
        f"{found.blocks:,} blocks of {values['threads'] // 32:,} warps: {found.warps:,} of {found.most_warps:,} warps, "
        f"{_percent(found.share)}. Limited by {found.limited_by}. Most with {_some(best)} threads."
    )


def _coalescing_text(limits: Limits, values: Values) -> str:
    found = guidelines.coalescing(values["stride"], values["item"], values["offset"])
    conflicts = guidelines.bank_conflicts(values["stride"], values["item"])
    banks = "no conflicts" if conflicts == 1 else f"{conflicts} times one after another"
    return (
        f"A warp uses {found.used_bytes:,} of {found.moved_bytes:,} bytes that move, {_percent(found.efficiency)}, in "
        f"{found.segments:,} segments of {guidelines.SEGMENT_BYTES} bytes. "
        f"With the same stride in shared memory: {banks}."
    )


def _divergence_text(limits: Limits, values: Values) -> str:
    found = guidelines.divergence(values["lanes"], values["then"], values["otherwise"])
    return (
        f"The warp takes {found.steps:,} steps; a lane has use for {found.useful_steps:.1f} of them on average, "
        f"{_percent(found.efficiency)}."
    )


def found_tiling(limits: Limits, values: Values) -> guidelines.Tiling:
    """The tiling of the values of its page."""
    return guidelines.tiling(limits, values["tile"], values["depth"], values["item"], values["threads"])


def _tiling_text(limits: Limits, values: Values) -> str:
    found = found_tiling(limits, values)
    if not found.fits:
        return f"A tile like this does not fit: {found.occupancy.limited_by}."
    return (
        f"Every byte from device memory serves {found.steps_per_byte:g} steps; every step loads "
        f"{found.shared_loads:.2g} numbers from shared memory. A block takes {bytes_text(found.shared_bytes)}, a "
        f"thread keeps {found.sums_per_thread:g} sums; occupancy {_percent(found.occupancy.share)}, limited by "
        f"{found.occupancy.limited_by}."
    )


def _percent(share: float) -> str:
    return f"{100 * share:.0f} %"


def _some(values: list[int]) -> str:
    return ", ".join(map(str, values[:4])) + (f" or {len(values) - 4} more sizes" if len(values) > 4 else "")


OCCUPANCY = Guideline(
    "occupancy",
    "Occupancy",
    "While one warp waits for memory, another computes: a multiprocessor holds as many warps as threads, blocks, "
    "shared memory and registers allow. More is not always faster, but few warps hide little waiting.",
    (THREADS, SHARED, REGISTERS),
    _occupancy_text,
    pictures.occupancy,
)
COALESCING = Guideline(
    "coalescing",
    "Coalescing",
    "The 32 lanes of a warp load together. Memory moves in whole segments: neighbouring lanes should use neighbouring "
    "numbers, or most of what moves is not used.",
    (
        Slide("stride", "Stride between lanes", _range(0, 40), 1, "items"),
        Slide("item", "Bytes of an item", _fixed(*ITEMS), 4, "bytes"),
        Slide("offset", "First item", _range(0, 16), 0),
    ),
    _coalescing_text,
    pictures.coalescing,
    of_card=False,
)
DIVERGENCE = Guideline(
    "divergence",
    "Divergence",
    "All lanes of a warp take the same step. Where a condition sends some of them another way, the warp goes both "
    "ways, one after the other, and lanes wait meanwhile.",
    (
        Slide("lanes", "Lanes that take the first way", _range(0, 32), 8, "of 32"),
        Slide("then", "Steps of the first way", _range(1, 24), 8),
        Slide("otherwise", "Steps of the other way", _range(0, 24), 12),
    ),
    _divergence_text,
    pictures.divergence,
    of_card=False,
)
TILES = Guideline(
    "tiles",
    "Tile size",
    "A product of matrices is computed in tiles: a block of threads keeps the sums of one tile in registers and slabs "
    "of both factors in shared memory. Larger tiles use every byte more often, and leave room for fewer blocks.",
    (
        Slide("tile", "Side of a tile", _fixed(16, 32, 48, 64, 96, 128, 160, 192, 256), 128, "numbers"),
        Slide("depth", "Depth of a slab", _fixed(4, 8, 16, 32, 64), 8, "numbers"),
        Slide("item", "Bytes of a number", _fixed(2, 4, 8), 4, "bytes"),
        Slide("threads", "Threads of a block", _fixed(64, 128, 256, 512, 1024), 256, "threads"),
    ),
    _tiling_text,
    pictures.tiling,
)
GUIDELINES = (OCCUPANCY, COALESCING, DIVERGENCE, TILES)
