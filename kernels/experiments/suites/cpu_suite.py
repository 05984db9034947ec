"""The standard benchmark on the CPU: sweeps over real and random data with methods and peers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import partial
from typing import Any

from antidiag.kernels import RESOURCES, registry
from antidiag.kernels.cpu.workers import count_processors
from antidiag.kernels.cuda import devices
from antidiag.kernels.experiments.suites import gpu_suite
from antidiag.kernels.experiments.suites.benchmark_cases import (
    DNA,
    GAP_MODELS,
    SEARCH,
    TRIPLE,
    BenchmarkCase,
    make_product_case,
    make_random_search,
    make_thread_axis,
    make_tropical_case,
)
from antidiag.kernels.experiments.sweeps.sweep import Sweep
from antidiag.kernels.experiments.sweeps.sweep_axes import SweepAxis
from antidiag.kernels.experiments.sweeps.sweep_inputs import Generated, Loaded, SweepInputs
from antidiag.kernels.io import sequences
from antidiag.kernels.model import SequenceType

SAMPLES = RESOURCES / "samples"
SHARED_DATA = SAMPLES.parents[2] / "shared" / "data"
FULL_SEARCH = 2000
"""Largest number of taxa for methods that compare every pair at every join."""
PROTEIN = {"matrix": "BLOSUM62", "gap_open": 10.0, "gap_extend": 1.0}
SCORE_PEER, PATH_PEER = "parasail-score-sat", "parasail-path-scan"
"""The fastest variants of parasail that are exact for the costs of this suite."""


_make_cpu_sweep = partial(Sweep, backends=("cpu",), repeats=3, patience_s=25.0, side_by_side=True)


def benchmark_cases(quick: bool = False, gpu_only: bool = False) -> Iterator[BenchmarkCase]:
    """Yield the cases in order: on the CPU, then on the first GPU if there is one."""
    if not gpu_only:
        yield from _cpu_cases(quick)
    if devices.discover_devices()[0]:
        yield from gpu_suite.gpu_cases(quick, with_cpu=not gpu_only)


def _cpu_cases(quick: bool) -> Iterator[BenchmarkCase]:
    repeats = 3 if quick else 5
    mitochondria, phages = _load_mitochondria(), _load_phages()
    proteins, name = _load_proteins()
    biopython = () if quick else ("biopython-score",)
    yield _score_case("mitochondria", mitochondria, DNA, repeats, biopython)
    yield _alignment_case("mitochondria", mitochondria, DNA, repeats)
    yield _gap_model_case("mitochondria", mitochondria, repeats)
    yield _score_case(name, proteins, PROTEIN, 4 * repeats, ("biopython-score",))
    yield _alignment_case(name, proteins, PROTEIN, 4 * repeats)
    yield _score_case("phages", phages, DNA, repeats, ())
    yield _alignment_case("phages", phages, DNA, repeats, peer=not quick, with_peak=True)
    yield from _edit_distance_cases(quick)
    for letters in (500,) if quick else (144, 500, 1000, 5000):
        yield _search_case(letters, 5_000 if quick else 20_000)
    yield _triple_case(repeats)
    for taxa in (1000, 2000) if quick else (1000, 2000, 4000):
        yield _tree_case(taxa)
    yield _peer_case("upgma", "scipy-upgma", Generated(length=2000 if quick else 4000))
    proteins_of_400 = Generated(type=SequenceType.PROTEIN, length=400, count=100 if quick else 300, divergence=0.5)
    yield _peer_case("distance-ktuple", "clustalw-quicktree", proteins_of_400)
    yield _peer_case("distance-full", "", proteins_of_400)
    yield _peer_case("distance-6mer", "", proteins_of_400)
    for options in ({}, {"column_score": "sum-of-pairs", "gaps": "affine"}):
        yield _profile_case(2000 if quick else 8000, options)
    yield make_tropical_case("floyd-blocked", ("scipy-floyd-warshall",), 1000 if quick else 2000, ("cpu",))
    for numbers in ("int32", "float32"):
        yield make_product_case("minplus-product", 1024 if quick else 2048, numbers, ("cpu",))
    yield make_tropical_case("viterbi-persistent", ("hmmlearn-viterbi", "numpy-viterbi"), (64, 20_000), ("cpu",))
    for states, letters in ((64, 20_000),) if quick else ((64, 20_000), (256, 32_768), (8, 1_000_000)):
        for method in ("hmm-forward", "hmm-posterior"):
            yield make_tropical_case(method, (method.replace("hmm", "hmmlearn"),), (states, letters), ("cpu",))
        yield make_tropical_case(
            "hmm-baum-welch", ("hmmlearn-baum-welch",), (states, letters), ("cpu",), {"iterations": 1}
        )


def _score_case(
    name: str, inputs: SweepInputs, options: Mapping[str, Any], repeats: int, more: tuple[str, ...]
) -> BenchmarkCase:
    contenders = ("striped-score", SCORE_PEER, "parasail-score-32", *more)
    return BenchmarkCase(
        _make_pair_sweep(f"Score: {name}", contenders, inputs, options, repeats), {"method": SCORE_PEER}
    )


def _gap_model_case(name: str, inputs: SweepInputs, repeats: int) -> BenchmarkCase:
    """Return the case of gap costs of one piece and of two, which no peer computes in quadratic time."""
    contenders = ("striped-score", "striped-alignment", "checkpointed-alignment")
    sweep = _make_pair_sweep(f"Gap costs of two pieces: {name}", contenders, inputs, DNA, repeats)
    return BenchmarkCase(replace(sweep, axes=(GAP_MODELS,)), {"gap_model": "affine"})


def _alignment_case(
    name: str,
    inputs: SweepInputs,
    options: Mapping[str, Any],
    repeats: int,
    peer: bool = True,
    with_peak: bool = False,
) -> BenchmarkCase:
    contenders = ("striped-alignment", "checkpointed-alignment", *([PATH_PEER] if peer else []))
    sweep = _make_pair_sweep(f"Alignment: {name}", contenders, inputs, options, repeats)
    return BenchmarkCase(
        sweep, {"method": PATH_PEER} if peer else {"method": "striped-alignment", "threads": 1}, with_peak
    )


def _edit_distance_cases(quick: bool) -> Iterator[BenchmarkCase]:
    """Yield cases of edit distance beside edlib: pairs with 1 % and 10 % of different letters, and unrelated ones."""
    for length in (16_384,) if quick else (16_384, 1_000_000):
        for share in (0.01, 0.1, 1.0):
            for contenders in (("bit-parallel-score", "edlib-score"), ("bit-parallel", "edlib-path")):
                related = Generated(length=length, divergence=share)
                sweep = Sweep(
                    contenders=contenders,
                    inputs=related if share < 1 else Generated(kind="random", length=length),
                    axes=(make_thread_axis(),),
                    options={"mode": "global"},
                    backends=("cpu",),
                    repeats=3 if length < 10**6 else 1,
                    patience_s=100.0,
                    side_by_side=True,
                    title=f"Edit distance: 2 x {length:,} letters, {100 * share:g} % different",
                )
                yield BenchmarkCase(sweep, {"method": contenders[1]})


def _make_pair_sweep(
    title: str, contenders: tuple[str, ...], inputs: SweepInputs, options: Mapping[str, Any], repeats: int
) -> Sweep:
    return _make_cpu_sweep(
        contenders=contenders,
        inputs=inputs,
        axes=(make_thread_axis(),),
        options={"mode": "local", **options},
        repeats=repeats,
        title=title,
    )


def _tree_case(taxa: int) -> BenchmarkCase:
    """Return a case of neighbor joining of noisy distances along a random tree; the full search up to FULL_SEARCH."""
    full = ("nj-basic", "nj-compact", "nj-serial") if taxa <= FULL_SEARCH else ()
    sweep = _make_cpu_sweep(
        contenders=("nj-pruned", *full, "scikit-bio-nj", "anjl", "quicktree"),
        inputs=Generated(length=taxa),
        axes=(make_thread_axis(),),
        title=f"Neighbor joining: random tree of {taxa:,} taxa with noise",
    )
    return BenchmarkCase(sweep, {"method": "scikit-bio-nj"})


def _peer_case(method: str, peer: str, inputs: Generated) -> BenchmarkCase:
    """Return a case of a method on one thread and on all threads, with a peer as baseline if there is one."""
    sweep = _make_cpu_sweep(
        contenders=(method, peer) if peer else (method,),
        inputs=inputs,
        axes=(make_thread_axis(),) if "threads" in registry.find_method(method).parameters.names() else (),
        title=f"{method}: {inputs.describe_data(registry.find_method(method).problem_type)}",
    )
    return BenchmarkCase(sweep, {"method": peer} if peer else {"method": method, "threads": 1})


def _profile_case(columns: int, options: Mapping[str, Any]) -> BenchmarkCase:
    """Return a case of two random profiles on one thread and on all threads; the serial method is the baseline."""
    sweep = _make_cpu_sweep(
        contenders=("profile-wavefront", "profile-serial"),
        inputs=Generated(length=columns),
        axes=(make_thread_axis(),),
        options=options,
        title=f"Two profiles, {', '.join(options.values()) or 'Euclidean distances'}",
    )
    return BenchmarkCase(sweep, {"method": "profile-serial"})


def _search_case(letters: int, count: int) -> BenchmarkCase:
    """Return a case of a random query against random proteins of the lengths of Swiss-Prot, on one and all threads."""
    sweep = _make_cpu_sweep(
        contenders=("smith-waterman-search", "parasail-search", "ssearch36", "blastp"),
        inputs=Loaded(make_random_search(letters, count)),
        axes=(make_thread_axis(),),
        options=SEARCH,
        title=f"Search: query of {letters:,} letters, {count:,} proteins",
    )
    return BenchmarkCase(sweep, {"method": "parasail-search"})


def _triple_case(repeats: int) -> BenchmarkCase:
    """Return a case of three proteins of the paper's second size at 1, 2, 4 ... threads."""
    threads = [1 << power for power in range(count_processors().bit_length()) if 1 << power <= count_processors()]
    sweep = _make_cpu_sweep(
        contenders=("sloped", "layered", "sloped-checkpointed", "triple-scoring", "triple-traceback"),
        inputs=Generated(type=SequenceType.PROTEIN, length=(347, 349, 365), divergence=0.5),
        axes=(SweepAxis("threads", "parameter", tuple(sorted({*threads, count_processors()})), "Threads", "threads"),),
        options=TRIPLE,
        repeats=repeats,
        title="Three proteins of about 350 letters",
    )
    return BenchmarkCase(sweep, {"method": "triple-scoring"})


def _load_mitochondria() -> Loaded:
    """Return two mitochondrial genomes of about 16.5 kb with 90 % identity."""
    return _load_samples("mitochondrion-human.fasta", "mitochondrion-chimpanzee.fasta")


def _load_phages() -> Loaded:
    """Return two sequences of 48.5 kb that share about 17 kb."""
    return _load_samples("phage-lambda.fasta", "prophage-ecoli536.fasta")


def _load_proteins() -> tuple[Loaded, str]:
    """Return two proteins of about 1,400 residues, or the bundled haemoglobin chains if they are missing."""
    long = next(iter(sorted((SHARED_DATA / "triples").glob("triple_13*.fasta"))), None)
    found = sequences.read_sequences(long or SAMPLES / "human-haemoglobin.fasta")
    return Loaded(tuple(found[:2])), "long proteins" if long else "haemoglobin"


def _load_samples(*names: str) -> Loaded:
    return Loaded(tuple(sequences.read_sequences(SAMPLES / name)[0] for name in names))
