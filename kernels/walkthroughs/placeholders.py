"""Placeholders in texts, such as {cells}, for numbers that the program counts in an animation."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from antidiag.kernels.errors import InputError
from antidiag.kernels.memory import format_bytes
from antidiag.kernels.walkthroughs.animation import Animation, Cell, ModelMachine, format_number

PLACEHOLDER = re.compile(r"\{([^{}]+)\}")
CELL = re.compile(r"(.+)\((\d+(?:, \d+)*)\)")
RATIOS = ("steps", "cells", "bytes", "barriers", "time")
FREE_NUMBER = re.compile(r"(?<![\w\-\u2212])\d[\d,.]*(?![\w]|\s*[,)]\s*[ijk])")
"""A number that is not part of a name such as BT1 or a formula such as i-1."""


@dataclass(frozen=True)
class AnimationMoment:
    """An animation with its input values and its shown step."""

    play: Animation
    values: Mapping[str, Any]
    step: int


def fill_placeholders(text: str, shown: Sequence[AnimationMoment]) -> str:
    """Return a text with numbers in its placeholders; raise InputError for an unknown placeholder."""

    def replaced(match: re.Match[str]) -> str:
        return find_number(match[1].strip(), shown)

    return PLACEHOLDER.sub(replaced, text)


def find_number(name: str, shown: Sequence[AnimationMoment]) -> str:
    """Return the value of a placeholder; "1." refers to the second animation, "ratio " compares both."""
    if name.startswith("ratio "):
        return _format_ratio(name.removeprefix("ratio ").strip(), shown)
    at, _, rest = name.partition(".") if re.match(r"[01]\.", name) else ("0", "", name)
    if int(at) >= len(shown):
        raise InputError(f"{{{name}}}: this scene has {len(shown)} animations; add one or remove the placeholder")
    here = shown[int(at)]
    known = count_quantities(here)
    if rest in here.values:
        return str(here.values[rest])
    if rest in known:
        return known[rest]()
    if match := CELL.fullmatch(rest):
        return here.play.format_cell(find_cell(here.play, match[1], [int(word) for word in match[2].split(",")]))
    raise InputError(f"unknown placeholder {{{name}}}; known: {', '.join(known)}, inputs, and cells such as H(1, 2)")


def count_quantities(shown: AnimationMoment) -> dict[str, Callable[[], str]]:
    """Return functions for the numbers of an animation and of its shown step, by placeholder."""
    play, step = shown.play, min(max(shown.step, 0), len(shown.play) - 1)
    totals = _total_quantities(play)
    return {
        "steps": lambda: f"{len(play):,}",
        "cells": lambda: f"{totals['cells']:,.0f}",
        "workers": lambda: f"{len(play.workers):,}",
        "bytes": lambda: format_bytes(int(totals["bytes"])),
        "barriers": lambda: f"{totals['barriers']:,.0f}",
        "time": lambda: f"{totals['time']:,.0f} ns",
        "mean-busy": lambda: f"{float(play.busy_workers.mean()):.2g}",
        "most-busy": lambda: f"{int(play.busy_workers.max()):,}",
        "answer": lambda: play.answer_text.split("\n")[0],
        "step": lambda: f"{shown.step + 1:,}",
        "busy-now": lambda: f"{int(play.busy_workers[step]):,}",
        "cells-now": lambda: f"{int(play.main_cells[step]):,}",
        "bytes-now": lambda: format_bytes(int(play.bytes_crossed[step])),
        "waiting-now": lambda: f"{len(play.steps[step].waiting):,}",
    }


def find_cell(play: Animation, table: str, place: Sequence[int]) -> Cell:
    """Return the cell of a named table at a row, column (and layer); raise InputError if there is none."""
    found = next((at for at, one in enumerate(play.tables) if one.name == table), None)
    if found is None:
        raise InputError(f"{table}: no table of {play.title}; it has {', '.join(one.name for one in play.tables)}")
    shape = play.tables[found].table_shape
    whole = (*place, *([0] * (3 - len(place))))
    if len(whole) != 3 or not all(0 <= at < size for at, size in zip(whole, shape, strict=True)):
        raise InputError(f"{table}{tuple(place)}: outside of the table, which is {shape[0]} x {shape[1]} x {shape[2]}")
    return found, whole[0], whole[1], whole[2]


def _total_quantities(play: Animation) -> dict[str, float]:
    return {
        "steps": len(play),
        "cells": float(play.main_cells.sum()),
        "bytes": float(play.bytes_crossed.sum()),
        "barriers": float(sum(step.barrier for step in play.steps)),
        "time": float(play.times_ns(ModelMachine())[-1]),
    }


def _format_ratio(name: str, shown: Sequence[AnimationMoment]) -> str:
    if len(shown) < 2 or name not in RATIOS:
        raise InputError(f"{{ratio {name}}} compares two plays by one of {', '.join(RATIOS)}")
    one, other = (_total_quantities(play.play)[name] for play in shown[:2])
    if not other:
        raise InputError(f"{{ratio {name}}}: the second play has none; compare something else")
    return format_number(round(one / other, 1))


def find_typed_numbers(text: str) -> list[str]:
    """Return the typed numbers in a text, outside of placeholders."""
    return FREE_NUMBER.findall(PLACEHOLDER.sub("", text))
