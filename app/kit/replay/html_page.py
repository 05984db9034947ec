"""Runs side by side on their measured clock, as one self-contained HTML page. No Qt here."""

from __future__ import annotations

import json
from collections.abc import Sequence
from html import escape
from pathlib import Path
from typing import Any

import numpy as np

from antidiag.kernels.experiments.point_data.run_replay import NEVER, PhaseSheet, RunReplay, longest_run_ns
from antidiag.kernels.walkthroughs.html_page import STYLE

SCRIPT = Path(__file__).with_name("page.js")
CANVAS = "canvas { width: 100%; max-width: 60vh; image-rendering: pixelated; }\n"
PAGE_PIXELS = 120  # pixels along the longer side of a table in a page
MOMENTS = 200  # times with counts in a page


def format_page(title: str, paragraphs: Sequence[str], runs: Sequence[tuple[str, RunReplay]]) -> str:
    """Return the whole page; ``paragraphs`` stand above the runs."""
    span = longest_run_ns(runs)
    data = {"span": span, "moments": MOMENTS, "runs": [_run_data(name, replay, span) for name, replay in runs]}
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


def _run_data(name: str, replay: RunReplay, span: int) -> dict[str, Any]:
    """Return a run with its phases, and its counts at each moment since its start."""
    times = [replay.start_ns + span * moment / MOMENTS for moment in range(MOMENTS + 1)]
    counters = replay.counters
    return {
        "name": name,
        "end": replay.end_ns - replay.start_ns,
        "workers": int(replay.workers.size),
        "parts": int(replay.events.size),
        "unit": counters.unit if counters else "",
        "told": counters.bytes_description if counters else "",
        "modelled": bool(counters and counters.has_traffic_model),
        "busy": [replay.busy_workers(at) for at in times],
        "done": [replay.done(at) for at in times],
        "cells": [round(replay.cells(at)) for at in times],
        "bytes": [round(replay.bytes(at)) for at in times],
        "sheets": [_sheet_data(sheet, replay.start_ns) for sheet in replay.sheets],
    }


def _sheet_data(sheet: PhaseSheet, start_ns: int) -> dict[str, Any]:
    """Return a phase, thinned if it has many pixels; -1 stands for never."""
    step = -(-max(sheet.begun.shape) // PAGE_PIXELS)
    begun, done, worker = (array[::step, ::step] for array in (sheet.begun, sheet.done, sheet.worker))
    return {
        "phase": sheet.phase,
        "shape": list(begun.shape),
        "begun": np.where(begun < NEVER, begun - start_ns, -1).ravel().tolist(),
        "done": np.where(done < NEVER, done - start_ns, -1).ravel().tolist(),
        "worker": worker.ravel().tolist(),
    }
