"""The standard benchmark: real and random pairs, our methods beside their peers, as sweeps."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from kernels import RESOURCES
from kernels.cpu.workers import cores
from kernels.cuda import devices
from kernels.engine import BackendChoice
from kernels.experiments.axes import Axis
from kernels.experiments.inputs import Generated, Inputs, Length, Loaded
from kernels.experiments.sweep import Sweep
from kernels.io import sequences
from kernels.model import SequenceType

SAMPLES = RESOURCES / "samples"
SHARED = SAMPLES.parents[2] / "shared" / "data"
DNA = {"match": 2.0, "mismatch": -3.0, "gap_open": 5.0, "gap_extend": 2.0, "wildcard": "N"}
TRIPLE = {"matrix": "BLOSUM62", "gap_open": 0.0, "gap_extend": 8.0}
PROTEIN = {"matrix": "BLOSUM62", "gap_open": 10.0, "gap_extend": 1.0}
SCORE_PEER, PATH_PEER = "parasail-score-sat", "parasail-path-scan"
"""The fastest variants of parasail that are exact whatever the score; those of 32 bits stand beside them."""


@dataclass(frozen=True)
class Case:
    """One table of the benchmark: a sweep, what speedups are over, and whether the peak memory is of interest."""

    sweep: Sweep
    baseline: Mapping[str, Any]
    with_peak: bool = False


def cases(quick: bool = False, gpu_only: bool = False) -> Iterator[Case]:
    """The benchmark in order: on the CPU, and on the first GPU where there is one."""
    if not gpu_only:
        yield from _cpu(quick)
    if devices.discover()[0]:
        yield from _gpu(quick, with_cpu=not gpu_only)


def thread_axis() -> Axis:
    """One thread, and all."""
    return Axis("threads", "parameter", tuple(sorted({1, cores()})), "Threads", "threads")


def _cpu(quick: bool) -> Iterator[Case]:
    repeats = 3 if quick else 5
    mitochondria, phages = _mitochondria(), _phages()
    proteins, name = _proteins()
    biopython = () if quick else ("biopython-score",)
    yield _scores("mitochondria", mitochondria, DNA, repeats, biopython)
    yield _paths("mitochondria", mitochondria, DNA, repeats)
    yield _scores(name, proteins, PROTEIN, 4 * repeats, ("biopython-score",))
    yield _paths(name, proteins, PROTEIN, 4 * repeats)
    yield _scores("phages", phages, DNA, repeats, ())
    yield _paths("phages", phages, DNA, repeats, peer=not quick, with_peak=True)
    yield _triples(repeats)
    for taxa in (1000, 2000) if quick else (1000, 2000, 4000):
        yield _trees(taxa)
    yield _tropical("floyd-blocked", ("scipy-floyd-warshall",), 1000 if quick else 2000, ("cpu",))
    yield _tropical("viterbi-persistent", ("hmmlearn-viterbi", "numpy-viterbi"), (64, 20_000), ("cpu",))


def _gpu(quick: bool, with_cpu: bool) -> Iterator[Case]:
    for length in (100_000, 300_000) if quick else (100_000, 300_000, 600_000):
        yield _on_gpu("striped-score", length, with_cpu and length == 100_000)
    yield _on_gpu("striped-alignment", 50_000, with_cpu)
    for length in (100_000,) if quick else (100_000, 600_000):
        yield _on_gpu("checkpointed-alignment", length, False)
    yield _triples_on_gpu()
    yield _tropical("floyd-blocked", (), 4096, ("cuda",))
    yield _tropical("viterbi-persistent", (), (256, 32_768), ("cuda",))


def _scores(name: str, inputs: Inputs, options: Mapping[str, Any], repeats: int, more: tuple[str, ...]) -> Case:
    contenders = ("striped-score", SCORE_PEER, "parasail-score-32", *more)
    return Case(_side_by_side(f"Score: {name}", contenders, inputs, options, repeats), {"method": SCORE_PEER})


def _paths(
    name: str,
    inputs: Inputs,
    options: Mapping[str, Any],
    repeats: int,
    peer: bool = True,
    with_peak: bool = False,
) -> Case:
    contenders = ("striped-alignment", "checkpointed-alignment", *([PATH_PEER] if peer else []))
    sweep = _side_by_side(f"Alignment: {name}", contenders, inputs, options, repeats)
    return Case(sweep, {"method": PATH_PEER} if peer else {"method": "striped-alignment", "threads": 1}, with_peak)


def _side_by_side(
    title: str, contenders: tuple[str, ...], inputs: Inputs, options: Mapping[str, Any], repeats: int
) -> Sweep:
    return Sweep(
        contenders=contenders,
        inputs=inputs,
        axes=(thread_axis(),),
        options={"mode": "local", **options},
        backends=("cpu",),
        repeats=repeats,
        patience_s=25.0,
        side_by_side=True,
        title=title,
    )


def _on_gpu(method: str, length: int, with_cpu: bool) -> Case:
    sweep = Sweep(
        contenders=(method,),
        inputs=Generated(length=length),
        options={"mode": "local", **DNA},
        backends=("cuda", "cpu") if with_cpu else ("cuda",),
        repeats=5,
        side_by_side=True,
        title=f"{method} on a GPU: random {length // 1000} kb with a mutated copy",
    )
    return Case(sweep, {"backend": "cpu"} if with_cpu else {})


def _trees(taxa: int) -> Case:
    """Neighbor joining of the distances along a random tree, with noise."""
    sweep = Sweep(
        contenders=("nj-pruned", "scikit-bio-nj", "anjl", "quicktree"),
        inputs=Generated(length=taxa),
        axes=(thread_axis(),),
        backends=("cpu",),
        repeats=3,
        patience_s=25.0,
        side_by_side=True,
        title=f"Neighbor joining: random tree of {taxa:,} taxa with noise",
    )
    return Case(sweep, {"method": "scikit-bio-nj"})


def _tropical(method: str, peers: tuple[str, ...], length: Length, backends: tuple[BackendChoice, ...]) -> Case:
    """Shortest paths over so many vertices, or Viterbi over so many states and letters; peers are the baseline."""
    size = f"{length:,} vertices" if isinstance(length, int) else f"{length[0]} states, {length[1]:,} letters"
    sweep = Sweep(
        contenders=(method, *peers),
        inputs=Generated("random", length=length),
        axes=() if backends == ("cuda",) else (thread_axis(),),
        backends=backends,
        repeats=3,
        patience_s=25.0,
        side_by_side=True,
        title=f"{method}{' on a GPU' * (backends == ('cuda',))}: random, {size}",
    )
    return Case(sweep, {"method": peers[-1]} if peers else {})


def _triples(repeats: int) -> Case:
    """Three proteins of the paper's second size, at 1, 2, 4 ... threads, over Scoring on one core."""
    threads = [1 << power for power in range(cores().bit_length()) if 1 << power <= cores()]
    sweep = Sweep(
        contenders=("sloped", "layered", "sloped-checkpointed", "triple-scoring", "triple-traceback"),
        inputs=Generated(type=SequenceType.PROTEIN, length=(347, 349, 365), divergence=0.5),
        axes=(Axis("threads", "parameter", tuple(sorted({*threads, cores()})), "Threads", "threads"),),
        options=TRIPLE,
        backends=("cpu",),
        repeats=repeats,
        patience_s=25.0,
        side_by_side=True,
        title="Three proteins of about 350 letters",
    )
    return Case(sweep, {"method": "triple-scoring"})


def _triples_on_gpu() -> Case:
    """Three proteins of the paper's largest size."""
    sweep = Sweep(
        contenders=("sloped", "layered", "sloped-bt1", "sloped-bt2", "sloped-bt3", "sloped-checkpointed"),
        inputs=Generated(type=SequenceType.PROTEIN, length=(1399, 1404, 1406), divergence=0.5),
        options=TRIPLE,
        backends=("cuda",),
        repeats=5,
        side_by_side=True,
        title="Three proteins of about 1,400 letters on a GPU",
    )
    return Case(sweep, {"method": "layered"})


def _mitochondria() -> Loaded:
    """Two mitochondrial genomes of about 16.5 kb, nine tenths identical."""
    return _read("mitochondrion-human.fasta", "mitochondrion-chimpanzee.fasta")


def _phages() -> Loaded:
    """Two sequences of 48.5 kb with about 17 kb in common."""
    return _read("phage-lambda.fasta", "prophage-ecoli536.fasta")


def _proteins() -> tuple[Loaded, str]:
    """Two proteins of about 1,400 residues; the bundled haemoglobin chains where these are not there."""
    long = next(iter(sorted((SHARED / "triples").glob("triple_13*.fasta"))), None)
    found = sequences.read(long or SAMPLES / "human-haemoglobin.fasta")
    return Loaded(tuple(found[:2])), "long proteins" if long else "haemoglobin"


def _read(*names: str) -> Loaded:
    return Loaded(tuple(sequences.read(SAMPLES / name)[0] for name in names))
