"""The standard benchmark: real and random pairs, our methods beside their peers, as sweeps."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from antidiag.kernels import RESOURCES, registry
from antidiag.kernels.cpu.workers import cores
from antidiag.kernels.cuda import devices
from antidiag.kernels.experiments import gpu_suite
from antidiag.kernels.experiments.axes import Axis
from antidiag.kernels.experiments.cases import DNA, TRIPLE, Case, product, thread_axis, tropical
from antidiag.kernels.experiments.inputs import Generated, Inputs, Loaded
from antidiag.kernels.experiments.sweep import Sweep
from antidiag.kernels.io import sequences
from antidiag.kernels.model import SequenceType

SAMPLES = RESOURCES / "samples"
SHARED = SAMPLES.parents[2] / "shared" / "data"
FULL_SEARCH = 2000
"""Taxa up to which every pair is compared at every join."""
PROTEIN = {"matrix": "BLOSUM62", "gap_open": 10.0, "gap_extend": 1.0}
SCORE_PEER, PATH_PEER = "parasail-score-sat", "parasail-path-scan"
"""The fastest variants of parasail that are exact whatever the score; those of 32 bits stand beside them."""


def cases(quick: bool = False, gpu_only: bool = False) -> Iterator[Case]:
    """The benchmark in order: on the CPU, and on the first GPU where there is one."""
    if not gpu_only:
        yield from _cpu(quick)
    if devices.discover()[0]:
        yield from gpu_suite.cases(quick, with_cpu=not gpu_only)


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
    yield _beside_a_peer("upgma", "scipy-upgma", Generated(length=2000 if quick else 4000))
    proteins_of_400 = Generated(type=SequenceType.PROTEIN, length=400, count=100 if quick else 300, divergence=0.5)
    yield _beside_a_peer("distance-ktuple", "clustalw-quicktree", proteins_of_400)
    yield _beside_a_peer("distance-full", "", proteins_of_400)
    yield _beside_a_peer("distance-6mer", "", proteins_of_400)
    for options in ({}, {"column_score": "sum-of-pairs", "gaps": "affine"}):
        yield _profiles(2000 if quick else 8000, options)
    yield tropical("floyd-blocked", ("scipy-floyd-warshall",), 1000 if quick else 2000, ("cpu",))
    for numbers in ("int32", "float32"):
        yield product("minplus-product", 1024 if quick else 2048, numbers, ("cpu",))
    yield tropical("viterbi-persistent", ("hmmlearn-viterbi", "numpy-viterbi"), (64, 20_000), ("cpu",))
    for states, letters in ((64, 20_000),) if quick else ((64, 20_000), (256, 32_768), (8, 1_000_000)):
        for method in ("hmm-forward", "hmm-posterior"):
            yield tropical(method, (method.replace("hmm", "hmmlearn"),), (states, letters), ("cpu",))
        yield tropical("hmm-baum-welch", ("hmmlearn-baum-welch",), (states, letters), ("cpu",), {"iterations": 1})


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


def _trees(taxa: int) -> Case:
    """Neighbor joining of the distances along a random tree, with noise; the full search where it takes seconds."""
    full = ("nj-basic", "nj-compact", "nj-serial") if taxa <= FULL_SEARCH else ()
    sweep = Sweep(
        contenders=("nj-pruned", *full, "scikit-bio-nj", "anjl", "quicktree"),
        inputs=Generated(length=taxa),
        axes=(thread_axis(),),
        backends=("cpu",),
        repeats=3,
        patience_s=25.0,
        side_by_side=True,
        title=f"Neighbor joining: random tree of {taxa:,} taxa with noise",
    )
    return Case(sweep, {"method": "scikit-bio-nj"})


def _beside_a_peer(method: str, peer: str, inputs: Generated) -> Case:
    """A method on one thread and on all, over a peer where there is one."""
    sweep = Sweep(
        contenders=(method, peer) if peer else (method,),
        inputs=inputs,
        axes=(thread_axis(),) if any(one.name == "threads" for one in registry.method(method).parameters) else (),
        backends=("cpu",),
        repeats=3,
        patience_s=25.0,
        side_by_side=True,
        title=f"{method}: {inputs.text(registry.method(method).problem)}",
    )
    return Case(sweep, {"method": peer} if peer else {"method": method, "threads": 1})


def _profiles(columns: int, options: Mapping[str, Any]) -> Case:
    """Two profiles of random columns on one thread and on all, over the serial program."""
    sweep = Sweep(
        contenders=("profile-wavefront", "profile-serial"),
        inputs=Generated(length=columns),
        axes=(thread_axis(),),
        options=options,
        backends=("cpu",),
        repeats=3,
        patience_s=25.0,
        side_by_side=True,
        title=f"Two profiles, {', '.join(options.values()) or 'Euclidean distances'}",
    )
    return Case(sweep, {"method": "profile-serial"})


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
