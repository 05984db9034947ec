"""Numbers of plays for texts: "{cells}" becomes what the program counted, so that no text holds a number of its own."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from antidiag.kernels.errors import InputError
from antidiag.kernels.memory import bytes_text
from antidiag.kernels.plays.model import Cell, Machine, Play, number

PLACEHOLDER = re.compile(r"\{([^{}]+)\}")
CELL = re.compile(r"(.+)\((\d+(?:, \d+)*)\)")
RATIOS = ("steps", "cells", "bytes", "barriers", "time")
FREE_NUMBER = re.compile(r"(?<![\w\-\u2212])\d[\d,.]*(?![\w]|\s*[,)]\s*[ijk])")
"""A number that stands by itself, not in a name such as BT1 or in a formula such as i-1."""


@dataclass(frozen=True)
class Shown:
    """A play, the values that were typed, and the step that is shown."""

    play: Play
    values: Mapping[str, Any]
    step: int


def filled(text: str, shown: Sequence[Shown]) -> str:
    """The text with its numbers; InputError names a placeholder that means nothing."""

    def replaced(match: re.Match[str]) -> str:
        return fact(match[1].strip(), shown)

    return PLACEHOLDER.sub(replaced, text)


def fact(name: str, shown: Sequence[Shown]) -> str:
    """What a placeholder stands for: see `counts`; "1." before it is of the second play, "ratio " compares both."""
    if name.startswith("ratio "):
        return _ratio(name.removeprefix("ratio ").strip(), shown)
    at, _, rest = name.partition(".") if re.match(r"[01]\.", name) else ("0", "", name)
    if int(at) >= len(shown):
        raise InputError(f"{{{name}}}: this scene has {len(shown)} plays; add one, or take the placeholder out")
    here = shown[int(at)]
    known = counts(here)
    if rest in here.values:
        return str(here.values[rest])
    if rest in known:
        return known[rest]()
    if match := CELL.fullmatch(rest):
        return here.play.letter(cell_of(here.play, match[1], [int(word) for word in match[2].split(",")]))
    raise InputError(f"{{{name}}} is no number of the play; there are {', '.join(known)}, what was typed, and H(1, 2)")


def counts(shown: Shown) -> dict[str, Callable[[], str]]:
    """The numbers of a whole play, and those of the step that is shown."""
    play, step = shown.play, min(max(shown.step, 0), len(shown.play) - 1)
    totals = _totals(play)
    return {
        "steps": lambda: f"{len(play):,}",
        "cells": lambda: f"{totals['cells']:,.0f}",
        "workers": lambda: f"{len(play.workers):,}",
        "bytes": lambda: bytes_text(int(totals["bytes"])),
        "barriers": lambda: f"{totals['barriers']:,.0f}",
        "time": lambda: f"{totals['time']:,.0f} ns",
        "mean-busy": lambda: f"{float(play.busy.mean()):.2g}",
        "most-busy": lambda: f"{int(play.busy.max()):,}",
        "answer": lambda: play.told.split("\n")[0],
        "step": lambda: f"{shown.step + 1:,}",
        "busy-now": lambda: f"{int(play.busy[step]):,}",
        "cells-now": lambda: f"{int(play.main_cells[step]):,}",
        "bytes-now": lambda: bytes_text(int(play.bytes_crossed[step])),
        "waiting-now": lambda: f"{len(play.steps[step].waiting):,}",
    }


def cell_of(play: Play, table: str, place: Sequence[int]) -> Cell:
    """The cell of a table by name, at a row and column (and layer); InputError where there is none."""
    found = next((at for at, one in enumerate(play.tables) if one.name == table), None)
    if found is None:
        raise InputError(f"{table}: no table of {play.title}; it has {', '.join(one.name for one in play.tables)}")
    shape = play.tables[found].shape
    whole = (*place, *([0] * (3 - len(place))))
    if len(whole) != 3 or not all(0 <= at < size for at, size in zip(whole, shape, strict=True)):
        raise InputError(f"{table}{tuple(place)}: outside of the table, which is {shape[0]} x {shape[1]} x {shape[2]}")
    return found, whole[0], whole[1], whole[2]


def _totals(play: Play) -> dict[str, float]:
    return {
        "steps": len(play),
        "cells": float(play.main_cells.sum()),
        "bytes": float(play.bytes_crossed.sum()),
        "barriers": float(sum(step.barrier for step in play.steps)),
        "time": float(play.times_ns(Machine())[-1]),
    }


def _ratio(name: str, shown: Sequence[Shown]) -> str:
    if len(shown) < 2 or name not in RATIOS:
        raise InputError(f"{{ratio {name}}} compares two plays by one of {', '.join(RATIOS)}")
    one, other = (_totals(play.play)[name] for play in shown[:2])
    if not other:
        raise InputError(f"{{ratio {name}}}: the second play has none; compare something else")
    return number(round(one / other, 1))


def free_numbers(text: str) -> list[str]:
    """Numbers in a text that the program did not put there."""
    return FREE_NUMBER.findall(PLACEHOLDER.sub("", text))
