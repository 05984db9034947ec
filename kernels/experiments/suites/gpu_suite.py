"""The standard benchmark on a GPU: the figures of docs/measurements.md that sweeps measure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from itertools import product
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from antidiag.kernels import RESOURCES, registry
from antidiag.kernels.experiments.suites.benchmark_cases import (
    DNA,
    GAP_MODELS,
    SEARCH,
    TRIPLE,
    BenchmarkCase,
    make_product_case,
    make_random_pairs,
    make_random_proteins,
    make_random_query,
    make_tropical_case,
)
from antidiag.kernels.experiments.sweeps.sweep import Sweep
from antidiag.kernels.experiments.sweeps.sweep_axes import SweepAxis
from antidiag.kernels.experiments.sweeps.sweep_inputs import Generated, Length, Loaded
from antidiag.kernels.hmm.model import hmm
from antidiag.kernels.model import SequenceType
from antidiag.kernels.pairwise.batch.model import RECORDS
from antidiag.kernels.pairwise.search.database import SequenceDatabase
from antidiag.kernels.pairwise.search.database_maker import make_database

AFFINE = {"matrix": "BLOSUM62", "gap_open": 10.0, "gap_extend": 1.0}
LOCAL = {"mode": "local", **DNA}
LARGEST_TRIPLE = 1399, 1404, 1406
"""Lengths of the largest three proteins that the paper aligns."""
PRUNED_METHODS = "striped-score", "checkpointed-alignment"
UNPRUNED = {"pruning": "off"}
"""Parameters of the tables that compare rates of all cells."""
MEGABASES = 10_000_000, 9_800_000


def gpu_cases(quick: bool, with_cpu: bool) -> Iterator[BenchmarkCase]:
    """Yield the tables in order; ``quick`` leaves out long ones, ``with_cpu`` also measures some pairs on the CPU."""
    for length in (100_000, 300_000) if quick else (100_000, 300_000, 600_000):
        yield _pair_case("striped-score", length, with_cpu and length == 100_000)
    yield _pair_case("striped-alignment", 50_000, with_cpu)
    two_piece = ("striped-score", "striped-alignment", "checkpointed-alignment")
    yield _gpu_case(two_piece, Generated(length=50_000), LOCAL, {"gap_model": "affine"}, (GAP_MODELS,))
    for length in (100_000,) if quick else (100_000, 600_000):
        yield _pair_case("checkpointed-alignment", length, False)
    yield _pair_case("striped-score", 1000, False)
    yield _pair_case("chunked-alignment-1", (20_860, 29_120), False)
    if not quick:
        precisions = (SweepAxis("precision", "parameter", ("32", "16"), "Precision"),)
        for length in (300_000, 600_000):
            yield _gpu_case("striped-score", Generated(length=length), LOCAL, axes=precisions, parameters=UNPRUNED)
        yield _gpu_case("checkpointed-alignment", Generated(length=MEGABASES), LOCAL, repeats=1, parameters=UNPRUNED)
        for length, share in product((1_000_000, 10_000_000), (0.1, 0.03, 0.01)):
            yield _gpu_case("striped-score", Generated(length=length, divergence=share), LOCAL, repeats=1)
    yield from _published_pair_cases()
    yield from _many_pairs_cases(quick)
    yield from _triple_cases(quick)
    yield from _tree_cases(quick)
    yield from _tropical_cases(quick)


def _published_pair_cases() -> Iterator[BenchmarkCase]:
    # A block a strip, with the strip widths and the chunk height of the paper's figures 9 and 19.
    widths = (SweepAxis("s", "parameter", (64, 256, 1024, 1900), "Strip width s"),)
    published = {"mapping": "published"}
    yield _gpu_case("striped-score", Generated(length=100_000), LOCAL, axes=widths, parameters=published)
    yield _gpu_case(
        ("striped-alignment", "chunked-alignment-1", "chunked-alignment-2"),
        Generated(length=(20_860, 29_120)),
        LOCAL,
        parameters={**published, "s": 410, "h": 128},
    )


def _many_pairs_cases(quick: bool) -> Iterator[BenchmarkCase]:
    """Yield searches, batches of pairs with 5 % of other letters, and edit distances."""
    count = 20_000 if quick else 200_000
    with _prepared_database(count) as database:
        for letters in (500,) if quick else (144, 500, 1000, 5000):
            title = f"Search on a GPU: query of {letters:,} letters, {count:,} proteins"
            yield _loaded_case(("smith-waterman-search",), (make_random_query(letters), database), SEARCH, title)
    pairs = 10_000 if quick else 100_000
    options = {"mode": "global", "pairing": RECORDS, **DNA}
    title = f"Many pairs on a GPU: {pairs:,} of 1,000 letters, 5 % redrawn"
    yield _loaded_case(("batch-score", "batch-alignment"), make_random_pairs(pairs, 1000, 0.05), options, title)
    edited = ("bit-parallel-score", "bit-parallel")
    yield _gpu_case(edited, Generated(length=100_000 if quick else 1_000_000), {"mode": "global"}, repeats=3)


@contextmanager
def _prepared_database(count: int) -> Iterator[SequenceDatabase]:
    """Yield a prepared database of random proteins, which is removed at the end."""
    with TemporaryDirectory(prefix="antidiag-bench-") as folder:
        fasta, prepared = Path(folder, "proteins.fa"), Path(folder, "proteins.adb")
        with open(fasta, "wb") as file:
            file.writelines(b">%s\n%s\n" % (one.name.encode(), one.letters) for one in make_random_proteins(count))
        yield make_database([fasta], prepared).database


def _loaded_case(
    methods: tuple[str, ...], data: tuple[Any, ...], options: Mapping[str, Any], title: str
) -> BenchmarkCase:
    sweep = Sweep(methods, Loaded(data), options=options, backends=("cuda",), repeats=5, patience_s=120.0, title=title)
    return BenchmarkCase(sweep)


def _triple_cases(quick: bool) -> Iterator[BenchmarkCase]:
    # SLOPED over LAYERED: in tiles, and with one cell per thread and step as in the paper.
    mappings = (SweepAxis("mapping", "parameter", ("tiles", "cells"), "Mapping"),)
    yield _gpu_case(("sloped", "layered"), _random_proteins(LARGEST_TRIPLE), TRIPLE, {"method": "layered"}, mappings)
    for method, s in (("layered", 67), ("sloped", 47)):
        yield _gpu_case(method, _random_proteins(LARGEST_TRIPLE), TRIPLE, parameters={"mapping": "cells", "s": s})
    methods = ("sloped", "sloped-bt1", "sloped-bt2", "sloped-bt3", "sloped-checkpointed")
    yield _gpu_case(methods, _random_proteins(LARGEST_TRIPLE), TRIPLE)
    yield _gpu_case("sloped", _random_proteins((2500, 2500, 2500)), TRIPLE)
    yield _gpu_case("sloped", _random_proteins(LARGEST_TRIPLE), AFFINE)
    if not quick:
        yield _gpu_case("sloped", _random_proteins((10_000, 10_000, 10_000)), TRIPLE, repeats=1)
        yield _gpu_case("sloped-checkpointed", _random_proteins((5000, 5000, 5000)), TRIPLE)


def _tree_cases(quick: bool) -> Iterator[BenchmarkCase]:
    for taxa in (10_240,) if quick else (10_240, 30_000, 100_000):
        yield _gpu_case("nj-pruned", Generated(length=taxa), repeats=1 if taxa > 30_000 else 3)
    mappings = (SweepAxis("mapping", "parameter", ("dense", "published"), "Mapping"),)
    yield _gpu_case(("nj-basic", "nj-compact"), Generated(length=10_240), axes=mappings)
    proteins = Generated(type=SequenceType.PROTEIN, length=400, count=1000)
    for method, options in (("distance-full", {"mode": "local"}), ("distance-ktuple", {}), ("distance-6mer", {})):
        yield _gpu_case(method, proteins, options)


def _tropical_cases(quick: bool) -> Iterator[BenchmarkCase]:
    for vertices in (4096,) if quick else (4096, 16_384):
        yield make_tropical_case("floyd-blocked", (), vertices, ("cuda",))
    for numbers in ("int32", "float32"):
        yield make_product_case("minplus-product", 4096, numbers, ("cuda",))
    for length in ((256, 32_768), (8, 1_000_000)):
        for method in ("viterbi-persistent", "hmm-posterior"):
            yield make_tropical_case(method, (), length, ("cuda",))
        yield make_tropical_case("hmm-baum-welch", (), length, ("cuda",), {"iterations": 1})
    for name in ("cpg-islands", "gene-finder"):
        (model,) = hmm.read_hmm(RESOURCES / "models" / f"{name}.json")
        yield _gpu_case(("viterbi-persistent", "viterbi-tree"), Generated("random", length=1_000_000, given=(model,)))


def _pair_case(method: str, length: Length, with_cpu: bool) -> BenchmarkCase:
    """Return a case of a random DNA sequence and a mutated copy."""
    sweep = Sweep(
        contenders=(method,),
        inputs=Generated(length=length),
        options=LOCAL,
        backends=("cuda", "cpu") if with_cpu else ("cuda",),
        repeats=5,
        side_by_side=True,
        parameters=UNPRUNED if method in PRUNED_METHODS else {},
        title=f"{method} on a GPU: random {_format_length(length)} with a mutated copy",
    )
    return BenchmarkCase(sweep, {"backend": "cpu"} if with_cpu else {})


def _gpu_case(
    methods: str | tuple[str, ...],
    inputs: Generated,
    options: Mapping[str, Any] | None = None,
    baseline: Mapping[str, Any] | None = None,
    axes: tuple[SweepAxis, ...] = (),
    repeats: int = 5,
    parameters: Mapping[str, Any] | None = None,
) -> BenchmarkCase:
    """Return a case of methods of one problem on the GPU that take turns; each takes the parameters that it has."""
    contenders = (methods,) if isinstance(methods, str) else methods
    sweep = Sweep(
        contenders=contenders,
        inputs=inputs,
        axes=axes,
        options=options or {},
        parameters=parameters or {},
        backends=("cuda",),
        repeats=repeats,
        patience_s=120.0,
        side_by_side=True,
        title=(
            f"{' and '.join(contenders)} on a GPU: "
            f"{inputs.describe_data(registry.find_method(contenders[0]).problem_type)}"
        ),
    )
    return BenchmarkCase(sweep, baseline or {})


def _random_proteins(length: Length) -> Generated:
    return Generated(type=SequenceType.PROTEIN, length=length, divergence=0.5)


def _format_length(length: Length) -> str:
    """'100 kb', '20,860 x 29,120 letters'."""
    if isinstance(length, int):
        return f"{length // 1000} kb"
    return " x ".join(f"{one:,}" for one in length) + " letters"
