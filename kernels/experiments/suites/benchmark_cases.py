"""Cases of the standard benchmark that the CPU suite and the GPU suite share."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

import numpy as np

from antidiag.kernels import registry
from antidiag.kernels.cpu.workers import count_processors
from antidiag.kernels.engine import BackendChoice
from antidiag.kernels.experiments.sweeps.sweep import Sweep
from antidiag.kernels.experiments.sweeps.sweep_axes import SweepAxis
from antidiag.kernels.experiments.sweeps.sweep_inputs import Generated, Length
from antidiag.kernels.model import Sequence, SequenceType
from antidiag.kernels.pairwise.search.database import SequenceDatabase, make_memory_database
from antidiag.kernels.profiles.column_scores.scoring import BACKGROUND
from antidiag.kernels.profiles.profile import PROTEIN
from antidiag.kernels.scoring_options import TWO_PIECES
from antidiag.kernels.sequences.alphabets import AMINO_ACIDS

DNA = {"match": 2.0, "mismatch": -3.0, "gap_open": 5.0, "gap_extend": 2.0, "wildcard": "N"}
SEARCH = {"matrix": "BLOSUM62", "gap_open": 11.0, "gap_extend": 1.0, "alignments": False}
TRIPLE = {"matrix": "BLOSUM62", "gap_open": 0.0, "gap_extend": 8.0}


GAP_MODELS = SweepAxis("gap_model", "option", ("affine", TWO_PIECES), "Gap model")
"""Gap costs of one piece and of two: what the second piece costs in time."""


@dataclass(frozen=True)
class BenchmarkCase:
    """One table of the benchmark: a sweep, its baseline for speedups, and whether to measure peak memory."""

    sweep: Sweep
    baseline: Mapping[str, Any] = field(default_factory=dict)
    with_peak: bool = False


def make_thread_axis() -> SweepAxis:
    """Return an axis with one thread and with all threads."""
    return SweepAxis("threads", "parameter", tuple(sorted({1, count_processors()})), "Threads", "threads")


def has_threads(method: str) -> bool:
    """Return whether a method has a parameter for its threads."""
    return "threads" in registry.find_method(method).parameters.names()


def make_tropical_case(
    method: str,
    peers: tuple[str, ...],
    length: Length,
    backends: tuple[BackendChoice, ...],
    options: Mapping[str, Any] | None = None,
) -> BenchmarkCase:
    """Return a case of shortest paths (a length) or hidden Markov models (states, letters); peers are the baseline."""
    size = f"{length:,} vertices" if isinstance(length, int) else f"{length[0]} states, {length[1]:,} letters"
    on_gpu = backends == ("cuda",)
    sweep = Sweep(
        contenders=(method, *peers),
        inputs=Generated("random", length=length),
        axes=() if on_gpu or not has_threads(method) else (make_thread_axis(),),
        options=options or {},
        backends=backends,
        repeats=3,
        patience_s=25.0,
        side_by_side=True,
        title=f"{method}{' on a GPU' * on_gpu}: random, {size}",
    )
    return BenchmarkCase(sweep, {"method": peers[-1]} if peers else {})


def make_product_case(method: str, side: int, numbers: str, backends: tuple[BackendChoice, ...]) -> BenchmarkCase:
    """Return a case of a (min, +) product of two square matrices."""
    on_gpu = backends == ("cuda",)
    sweep = Sweep(
        contenders=(method,),
        inputs=Generated("random", length=side),
        axes=() if on_gpu else (make_thread_axis(),),
        options={"numbers": numbers},
        backends=backends,
        repeats=5,
        side_by_side=True,
        title=f"(min, +) product{' on a GPU' * on_gpu}: {side:,} x {side:,}, {numbers}",
    )
    return BenchmarkCase(sweep)


def make_random_search(letters: int, count: int) -> tuple[Sequence, SequenceDatabase]:
    """Return a random query, and `make_random_proteins` in memory."""
    return make_random_query(letters), make_memory_database(make_random_proteins(count), f"{count:,} random proteins")


def make_random_query(letters: int) -> Sequence:
    """Return a random protein of so many letters."""
    return Sequence("query", _draw_amino_acids(letters, seed=letters).tobytes(), SequenceType.PROTEIN)


def make_random_proteins(count: int) -> list[Sequence]:
    """Return random proteins whose lengths are log-normal with a mean of 360."""
    lengths = np.clip(np.random.default_rng(1).lognormal(np.log(360) - 0.23, 0.68, count), 10, 35_000).astype(int)
    letters, ends = _draw_amino_acids(int(lengths.sum()), seed=2).tobytes(), np.cumsum(lengths).tolist()
    return [
        Sequence(f"p{number}", letters[first:end], SequenceType.PROTEIN)
        for number, (first, end) in enumerate(pairwise([0, *ends]))
    ]


def _draw_amino_acids(count: int, seed: int) -> np.ndarray:
    """Return amino acids as frequent as in proteins, as bytes, so that E-values are those of unrelated proteins."""
    shares = np.cumsum(BACKGROUND[PROTEIN])
    drawn = np.searchsorted(shares / shares[-1], np.random.default_rng(seed).random(count), side="right")
    return np.frombuffer(AMINO_ACIDS.encode(), np.uint8)[drawn]


def make_random_pairs(count: int, letters: int, share: float) -> tuple[Sequence, ...]:
    """Return random DNA sequences, then a copy of each in which this share of the letters was drawn again."""
    random = np.random.default_rng(1)
    bases = np.frombuffer(b"ACGT", np.uint8)
    first = bases[random.integers(0, 4, (count, letters))]
    changed = random.random(first.shape) < share
    second = first.copy()
    second[changed] = bases[random.integers(0, 4, int(changed.sum()))]
    return tuple(
        Sequence(f"{side}{number}", row.tobytes(), SequenceType.DNA, source=side)
        for side, rows in (("first", first), ("second", second))
        for number, row in enumerate(rows)
    )
