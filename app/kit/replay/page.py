"""Runs side by side on their measured clock, as one HTML page that plays in a browser: no other file. No Qt here."""

from __future__ import annotations

import json
from collections.abc import Sequence
from html import escape
from pathlib import Path
from typing import Any

import numpy as np

from antidiag.app.kit.replay.data import NEVER, Replay, Sheet, span_ns
from antidiag.kernels.plays.html import STYLE

SCRIPT = Path(__file__).with_name("page.js")
CANVAS = "canvas { width: 100%; max-width: 60vh; image-rendering: pixelated; }\n"
PLACES = 120
"""Places along the longer side of a table in a page, which holds every one of them."""
MOMENTS = 200
"""Times at which a page says what was counted."""


def page(title: str, paragraphs: Sequence[str], runs: Sequence[tuple[str, Replay]]) -> str:
    """The whole page; ``paragraphs`` stand above the runs."""
    span = span_ns(runs)
    data = {"span": span, "moments": MOMENTS, "runs": [_run(name, replay, span) for name, replay in runs]}
    text = json.dumps(data, ensure_ascii=False, separators=(",", ":")).replace("</", "<\\/")
    words = "".join(f"<p>{escape(one)}</p>" for one in paragraphs)
    return (
        f'<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8"><title>{escape(title)}</title>\n'
        f"<style>\n{STYLE.read_text('utf-8')}{CANVAS}</style></head>\n"
        f'<body><h1>{escape(title)}</h1>{words}\n<div id="plays"></div><div id="bar"><button id="play">Play</button>'
        '<input id="slider" type="range" min="0"><span id="place"></span></div>\n'
        f'<script id="data" type="application/json">{text}</script>\n'
        f"<script>\n{SCRIPT.read_text('utf-8')}</script></body></html>\n"
    )


def _run(name: str, replay: Replay, span: int) -> dict[str, Any]:
    """A run with its phases, and what was counted by each of the times; times since it began."""
    times = [replay.start_ns + span * moment / MOMENTS for moment in range(MOMENTS + 1)]
    counters = replay.counters
    return {
        "name": name,
        "end": replay.end_ns - replay.start_ns,
        "workers": int(replay.workers.size),
        "parts": int(replay.events.size),
        "unit": counters.unit if counters else "",
        "told": counters.told if counters else "",
        "modelled": bool(counters and counters.modelled),
        "busy": [replay.busy(at) for at in times],
        "done": [replay.done(at) for at in times],
        "cells": [round(replay.cells(at)) for at in times],
        "bytes": [round(replay.bytes(at)) for at in times],
        "sheets": [_sheet(sheet, replay.start_ns) for sheet in replay.sheets],
    }


def _sheet(sheet: Sheet, start_ns: int) -> dict[str, Any]:
    """A phase, with fewer places where it has many; -1 stands for never."""
    step = -(-max(sheet.begun.shape) // PLACES)
    begun, done, worker = (array[::step, ::step] for array in (sheet.begun, sheet.done, sheet.worker))
    return {
        "phase": sheet.phase,
        "shape": list(begun.shape),
        "begun": np.where(begun < NEVER, begun - start_ns, -1).ravel().tolist(),
        "done": np.where(done < NEVER, done - start_ns, -1).ravel().tolist(),
        "worker": worker.ravel().tolist(),
    }
