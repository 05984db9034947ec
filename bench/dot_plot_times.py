"""Times of dot plots."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable
from functools import partial
from typing import Any

from antidiag.kernels.experiments.point_data.tables import Column, ReportTable
from antidiag.kernels.io import sequences
from antidiag.kernels.pairwise.pictures import dotplot

REPEATS = 5
WORD, PIXELS = 11, 1000
"""Word length of a dot plot, and the width of its picture."""
PLOT_COLUMNS = (Column("name", "pair"), Column("build_ms", "words", "ms"), Column("draw_ms", "picture", "ms"))


def dot_plots() -> ReportTable:
    """Measure finding the shared words of two sequences on the CPU, and drawing them."""
    from antidiag.kernels.experiments.suites.cpu_suite import SAMPLES

    rows = []
    for first, second in (("mitochondrion-human", "mitochondrion-chimpanzee"), ("phage-lambda", "prophage-ecoli536")):
        one, other = (sequences.read_sequences(SAMPLES / f"{name}.fasta")[0] for name in (first, second))
        found = dotplot.build_word_index(one, other, WORD)
        spans = (0, len(one)), (0, len(other))
        rows.append(
            {
                "name": f"{first} x {second}",
                "build_ms": _median_ms(partial(dotplot.build_word_index, one, other, WORD)),
                "draw_ms": _median_ms(partial(dotplot.count_density, found, *spans, (PIXELS, PIXELS))),
            }
        )
    return ReportTable(f"Dot plots, words of {WORD} letters", PLOT_COLUMNS, tuple(rows), ("On the CPU, whole calls.",))


def _median_ms(call: Callable[[], Any]) -> float:
    call()
    times = []
    for _ in range(REPEATS):
        begun = time.perf_counter()
        call()
        times.append(1e3 * (time.perf_counter() - begun))
    return statistics.median(times)
