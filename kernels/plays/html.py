"""A play, or two on one clock, as one HTML page that plays in a browser: no other file, no network, no library."""

from __future__ import annotations

import json
from collections.abc import Sequence
from html import escape
from pathlib import Path
from typing import Any

import numpy as np

from antidiag.kernels.plays import telling
from antidiag.kernels.plays.clock import Clock
from antidiag.kernels.plays.model import NEVER, Play

SCRIPT = Path(__file__).with_name("page.js")
STYLE = Path(__file__).with_name("page.css")


def page(clock: Clock, title: str, paragraphs: Sequence[str] = (), tick: int = 0) -> str:
    """The whole page; ``paragraphs`` stand above the plays."""
    data = {
        "plays": [_play(play) for play in clock.plays],
        "ticks": [list(clock.steps(tick)) for tick in range(clock.last + 1)],
        "told": [clock.told(tick) for tick in range(clock.last + 1)],
        "tick": tick,
    }
    text = json.dumps(data, ensure_ascii=False, separators=(",", ":")).replace("</", "<\\/")
    words = "".join(f"<p>{escape(one)}</p>" for one in paragraphs)
    return (
        f'<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8"><title>{escape(title)}</title>\n'
        f"<style>\n{STYLE.read_text('utf-8')}</style></head>\n<body><h1>{escape(title)}</h1>{words}\n"
        '<div id="plays"></div><div id="bar"><button id="first">|&lt;</button><button id="back">&lt;</button>'
        '<button id="play">Play</button><button id="on">&gt;</button><button id="last">&gt;|</button>'
        '<input id="slider" type="range" min="0"><span id="place"></span></div>\n'
        f'<script id="data" type="application/json">{text}</script>\n'
        f"<script>\n{SCRIPT.read_text('utf-8')}</script></body></html>\n"
    )


def _play(play: Play) -> dict[str, Any]:
    tables = [_table(play, number) for number, table in enumerate(play.tables) if not table.aside]
    return {
        "title": play.title,
        "told": play.told,
        "workers": list(play.workers),
        "busy": play.busy.tolist(),
        "tables": tables,
        "steps": [telling.heading(play, step) for step in range(len(play))],
        "before": telling.heading(play, -1),
        "counts": [[list(row) for row in telling.counts(play, step)] for step in range(len(play))],
        "leaves": list(play.leaves),
        "branches": [
            {"node": one.node, "children": list(one.children), "height": one.height, "step": one.step}
            for one in play.branches
        ],
    }


def _table(play: Play, number: int) -> dict[str, Any]:
    """A table with the text, the step, the worker and the recurrence of every place of every layer."""
    table = play.tables[number]
    rows, columns, layers = table.shape
    places = []
    for k in range(layers):
        for i in range(rows):
            for j in range(columns):
                step = int(table.step_of[i, j, k])
                if step >= NEVER:
                    continue
                cell = (number, i, j, k)
                places.append([i, j, k, step, int(table.worker_of[i, j, k]), play.letter(cell), _formula(play, cell)])
    gone = (
        None
        if table.gone is None
        else [[*place, int(table.gone[tuple(place)])] for place in np.argwhere(table.gone < NEVER).tolist()]
    )
    return {"name": table.name, "rows": list(table.rows), "columns": list(table.columns), "layers": list(table.layers),
            "shape": [rows, columns, layers], "versions": table.versions, "cuts": [list(one) for one in table.cuts],
            "places": places, "gone": gone}  # fmt: skip


def _formula(play: Play, cell: tuple[int, int, int, int]) -> list[list[Any]]:
    if play.step(cell) < 0:
        return []
    return [[words, wins] for words, wins in telling.formula_lines(play, cell)]
