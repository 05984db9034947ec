"""What is measured beside the methods: products of matrices, and dot plots."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np

from kernels.cpu.workers import cores
from kernels.experiments.tables import Column, Table
from kernels.io import sequences
from kernels.pairwise.pictures import dotplot
from kernels.semiring import cpu

REPEATS = 5
SIDE, QUICK_SIDE, GPU_SIDE = 2048, 1024, 4096
"""Rows and columns of the matrices that are multiplied."""
WORD, PIXELS = 11, 1000
"""Letters of a word of a dot plot, and the side of its picture."""
PRODUCT_COLUMNS = (
    Column("name", "method"), Column("backend", "on"), Column("threads", "threads", "count"),
    Column("wall_ms", "whole call", "ms"), Column("rate", "T steps/s", "number"),
)  # fmt: skip
PLOT_COLUMNS = (Column("name", "pair"), Column("build_ms", "words", "ms"), Column("draw_ms", "picture", "ms"))


def products(quick: bool, gpu: bool, gpu_only: bool) -> Table:
    """(min, +) products of random matrices; a step is an addition and a comparison."""
    rows = [] if gpu_only else list(_on_cpu(QUICK_SIDE if quick else SIDE))
    if gpu:
        rows += _on_gpu(GPU_SIDE)
    notes = (f"Medians of {REPEATS} whole calls after one that compiles; on a GPU with both transfers.",)
    return Table("(min, +) product", PRODUCT_COLUMNS, tuple(rows), notes)


def _on_cpu(side: int) -> Iterator[dict[str, Any]]:
    for kind in (np.int32, np.float32):
        a, b = _matrices(side, kind)
        for threads in sorted({1, cores()}):
            yield _row("cpu", threads, kind, side, partial(cpu.product, a, b, threads=threads))


def _on_gpu(side: int) -> Iterator[dict[str, Any]]:
    from kernels.semiring import cuda

    for kind in (np.int32, np.float32):
        a, b = _matrices(side, kind)
        yield _row("cuda", None, kind, side, partial(cuda.product, a, b))


def _matrices(side: int, kind: Any) -> tuple[np.ndarray, np.ndarray]:
    random = np.random.default_rng(1)
    first, second = (random.integers(0, 1000, (side, side)).astype(kind) for _ in range(2))
    return first, second


def _row(backend: str, threads: int | None, kind: Any, side: int, call: Callable[[], Any]) -> dict[str, Any]:
    found = _median_ms(call)
    name = f"{side:,} x {side:,}, {np.dtype(kind).name}"
    return {"name": name, "backend": backend, "threads": threads, "wall_ms": found, "rate": side**3 / found / 1e9}


def dot_plots() -> Table:
    """The words that two sequences have in common, found on the CPU, and the picture of all of them."""
    from kernels.experiments.suite import SAMPLES

    rows = []
    for first, second in (("mitochondrion-human", "mitochondrion-chimpanzee"), ("phage-lambda", "prophage-ecoli536")):
        one, other = (sequences.read(SAMPLES / f"{name}.fasta")[0] for name in (first, second))
        found = dotplot.build(one, other, WORD)
        spans = (0, len(one)), (0, len(other))
        rows.append({
            "name": f"{first} x {second}",
            "build_ms": _median_ms(partial(dotplot.build, one, other, WORD)),
            "draw_ms": _median_ms(partial(dotplot.density, found, *spans, (PIXELS, PIXELS))),
        })  # fmt: skip
    return Table(f"Dot plots, words of {WORD} letters", PLOT_COLUMNS, tuple(rows), ("On the CPU, whole calls.",))


def _median_ms(call: Callable[[], Any]) -> float:
    call()
    times = []
    for _ in range(REPEATS):
        begun = time.perf_counter()
        call()
        times.append(1e3 * (time.perf_counter() - begun))
    return statistics.median(times)
