"""The standard benchmark on a GPU: every figure of docs/measurements.md that a sweep can give."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from antidiag.kernels import RESOURCES, registry
from antidiag.kernels.experiments.axes import Axis
from antidiag.kernels.experiments.cases import DNA, TRIPLE, Case, product, tropical
from antidiag.kernels.experiments.inputs import Generated, Length
from antidiag.kernels.experiments.sweep import Sweep
from antidiag.kernels.hmm import hmm
from antidiag.kernels.model import SequenceType

AFFINE = {"matrix": "BLOSUM62", "gap_open": 10.0, "gap_extend": 1.0}
LOCAL = {"mode": "local", **DNA}
LARGEST = 1399, 1404, 1406
"""Letters of three proteins, the largest that the paper aligns."""
MEGABASES = 10_000_000, 9_800_000


def cases(quick: bool, with_cpu: bool) -> Iterator[Case]:
    """The tables in order; ``quick`` leaves out what takes long, ``with_cpu`` has some pairs on both."""
    for length in (100_000, 300_000) if quick else (100_000, 300_000, 600_000):
        yield _pair("striped-score", length, with_cpu and length == 100_000)
    yield _pair("striped-alignment", 50_000, with_cpu)
    for length in (100_000,) if quick else (100_000, 600_000):
        yield _pair("checkpointed-alignment", length, False)
    yield _pair("striped-score", 1000, False)
    yield _pair("chunked-alignment-1", (20_860, 29_120), False)
    if not quick:
        precisions = (Axis("precision", "parameter", ("32", "16"), "Precision"),)
        for length in (300_000, 600_000):
            yield _alone("striped-score", Generated(length=length), LOCAL, axes=precisions)
        yield _alone("checkpointed-alignment", Generated(length=MEGABASES), LOCAL, repeats=1)
    yield from _triples(quick)
    yield from _trees(quick)
    yield from _tropical(quick)


def _triples(quick: bool) -> Iterator[Case]:
    # SLOPED over LAYERED: in tiles, and with one cell a thread and step, as the paper has it.
    mappings = (Axis("mapping", "parameter", ("tiles", "cells"), "Mapping"),)
    yield _alone(("sloped", "layered"), _proteins(LARGEST), TRIPLE, {"method": "layered"}, mappings)
    methods = ("sloped", "sloped-bt1", "sloped-bt2", "sloped-bt3", "sloped-checkpointed")
    yield _alone(methods, _proteins(LARGEST), TRIPLE)
    yield _alone("sloped", _proteins((2500, 2500, 2500)), TRIPLE)
    yield _alone("sloped", _proteins(LARGEST), AFFINE)
    if not quick:
        yield _alone("sloped", _proteins((10_000, 10_000, 10_000)), TRIPLE, repeats=1)
        yield _alone("sloped-checkpointed", _proteins((5000, 5000, 5000)), TRIPLE)


def _trees(quick: bool) -> Iterator[Case]:
    for taxa in (10_240,) if quick else (10_240, 30_000, 100_000):
        yield _alone("nj-pruned", Generated(length=taxa), repeats=1 if taxa > 30_000 else 3)
    yield _alone(("nj-basic", "nj-compact"), Generated(length=10_240))
    proteins = Generated(type=SequenceType.PROTEIN, length=400, count=1000)
    for method, options in (("distance-full", {"mode": "local"}), ("distance-ktuple", {}), ("distance-6mer", {})):
        yield _alone(method, proteins, options)


def _tropical(quick: bool) -> Iterator[Case]:
    for vertices in (4096,) if quick else (4096, 16_384):
        yield tropical("floyd-blocked", (), vertices, ("cuda",))
    for numbers in ("int32", "float32"):
        yield product("minplus-product", 4096, numbers, ("cuda",))
    for length in ((256, 32_768), (8, 1_000_000)):
        for method in ("viterbi-persistent", "hmm-posterior"):
            yield tropical(method, (), length, ("cuda",))
        yield tropical("hmm-baum-welch", (), length, ("cuda",), {"iterations": 1})
    for name in ("cpg-islands", "gene-finder"):
        (model,) = hmm.read(RESOURCES / "models" / f"{name}.json")
        yield _alone(("viterbi-persistent", "viterbi-tree"), Generated("random", length=1_000_000, given=(model,)))


def _pair(method: str, length: Length, with_cpu: bool) -> Case:
    """A random pair of DNA with a mutated copy."""
    sweep = Sweep(
        contenders=(method,),
        inputs=Generated(length=length),
        options=LOCAL,
        backends=("cuda", "cpu") if with_cpu else ("cuda",),
        repeats=5,
        side_by_side=True,
        title=f"{method} on a GPU: random {_size(length)} with a mutated copy",
    )
    return Case(sweep, {"backend": "cpu"} if with_cpu else {})


def _alone(
    methods: str | tuple[str, ...],
    inputs: Generated,
    options: Mapping[str, Any] | None = None,
    baseline: Mapping[str, Any] | None = None,
    axes: tuple[Axis, ...] = (),
    repeats: int = 5,
) -> Case:
    """Methods of one problem on the GPU, in turns."""
    contenders = (methods,) if isinstance(methods, str) else methods
    sweep = Sweep(
        contenders=contenders,
        inputs=inputs,
        axes=axes,
        options=options or {},
        backends=("cuda",),
        repeats=repeats,
        patience_s=120.0,
        side_by_side=True,
        title=f"{' and '.join(contenders)} on a GPU: {inputs.text(registry.method(contenders[0]).problem)}",
    )
    return Case(sweep, baseline or {})


def _proteins(length: Length) -> Generated:
    return Generated(type=SequenceType.PROTEIN, length=length, divergence=0.5)


def _size(length: Length) -> str:
    """'100 kb', '20,860 x 29,120 letters'."""
    if isinstance(length, int):
        return f"{length // 1000} kb"
    return " x ".join(f"{one:,}" for one in length) + " letters"
