"""One or two animations on one clock as a self-contained HTML page."""

from __future__ import annotations

import json
from collections.abc import Sequence
from html import escape
from pathlib import Path
from typing import Any

import numpy as np

from antidiag.kernels.walkthroughs import animation_text
from antidiag.kernels.walkthroughs.animation import NEVER_STEP, Animation
from antidiag.kernels.walkthroughs.shared_clock import SharedClock

SCRIPT = Path(__file__).with_name("page.js")
STYLE = Path(__file__).with_name("page.css")


def make_page(clock: SharedClock, title: str, paragraphs: Sequence[str] = (), tick: int = 0) -> str:
    """Return the page; ``paragraphs`` are shown above the animations."""
    data = {
        "plays": [_animation_json(play) for play in clock.plays],
        "ticks": [list(clock.steps_at(tick)) for tick in range(clock.last_tick + 1)],
        "told": [clock.format_tick(tick) for tick in range(clock.last_tick + 1)],
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


def _animation_json(play: Animation) -> dict[str, Any]:
    tables = [_table_json(play, number) for number, table in enumerate(play.tables) if not table.details_only]
    return {
        "title": play.title,
        "told": play.answer_text,
        "workers": list(play.workers),
        "busy": play.busy_workers.tolist(),
        "tables": tables,
        "steps": [animation_text.step_heading(play, step) for step in range(len(play))],
        "before": animation_text.step_heading(play, -1),
        "counts": [[list(row) for row in animation_text.counted_rows(play, step)] for step in range(len(play))],
        "leaves": list(play.leaves),
        "branches": [
            {"node": one.node, "children": list(one.children), "height": one.height, "step": one.step}
            for one in play.branches
        ],
    }


def _table_json(play: Animation, number: int) -> dict[str, Any]:
    """Return a table with text, step, worker and recurrence of every position of every layer."""
    table = play.tables[number]
    rows, columns, layers = table.table_shape
    places = []
    for k in range(layers):
        for i in range(rows):
            for j in range(columns):
                step = int(table.step_of[i, j, k])
                if step >= NEVER_STEP:
                    continue
                cell = (number, i, j, k)
                places.append(
                    [i, j, k, step, int(table.worker_of[i, j, k]), play.format_cell(cell), _formula_json(play, cell)]
                )
    gone = (
        None
        if table.unused_from is None
        else [
            [*place, int(table.unused_from[tuple(place)])]
            for place in np.argwhere(table.unused_from < NEVER_STEP).tolist()
        ]
    )
    return {
        "name": table.name,
        "rows": list(table.rows),
        "columns": list(table.columns),
        "layers": list(table.layers),
        "shape": [rows, columns, layers],
        "versions": table.versions,
        "cuts": [list(one) for one in table.cuts],
        "places": places,
        "gone": gone,
    }


def _formula_json(play: Animation, cell: tuple[int, int, int, int]) -> list[list[Any]]:
    if play.cell_step(cell) < 0:
        return []
    return [[words, wins] for words, wins in animation_text.format_formula(play, cell)]
