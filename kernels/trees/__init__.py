"""Guide trees: neighbor joining of Liu, Schmidt and Maskell (004), and UPGMA."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from antidiag.kernels.citation import Citation
from antidiag.kernels.cuts import Cuts
from antidiag.kernels.method import Method
from antidiag.kernels.parameters import Parameter
from antidiag.kernels.trees import analysis, sizes
from antidiag.kernels.trees.distances import sizes as distance_sizes
from antidiag.kernels.trees.distances.problem import ALIGNED, FULL, KTUPLE, SIXMER
from antidiag.kernels.trees.parameters import BLOCK, CELLS, EPOCH, JOIN_THREADS, PAIR_THREADS, THREADS
from antidiag.kernels.trees.problem import NEIGHBOR_JOINING, TREE_PROBLEM, UPGMA

PAPER = Citation(
    key="liu2009parallel",
    authors="Yongchao Liu, Bertil Schmidt, Douglas L. Maskell",
    title="Parallel Reconstruction of Neighbor-Joining Trees for Large Multiple Sequence Alignments using CUDA",
    venue="IEEE International Symposium on Parallel and Distributed Processing (IPDPS)",
    year=2009,
)
SAITOU = Citation(
    key="saitou1987neighbor",
    authors="Naruya Saitou, Masatoshi Nei",
    title="The neighbor-joining method: a new method for reconstructing phylogenetic trees",
    venue="Molecular Biology and Evolution",
    year=1987,
    kind="article",
    volume="4",
    pages="406-425",
)
SOKAL = Citation(
    key="sokal1958statistical",
    authors="Robert R. Sokal, Charles D. Michener",
    title="A statistical method for evaluating systematic relationships",
    venue="University of Kansas Science Bulletin",
    year=1958,
    kind="article",
    volume="38",
    pages="1409-1438",
)

CLUSTALW = Citation(
    key="larkin2007clustal",
    authors="M. A. Larkin, G. Blackshields, N. P. Brown, and others",
    title="Clustal W and Clustal X version 2.0",
    venue="Bioinformatics",
    year=2007,
    kind="article",
    volume="23",
    pages="2947-2948",
)
MAFFT = Citation(
    key="katoh2007parttree",
    authors="Kazutaka Katoh, Hiroyuki Toh",
    title="PartTree: an algorithm to build an approximate tree from a large number of unaligned sequences",
    venue="Bioinformatics",
    year=2007,
    kind="article",
    volume="23",
    pages="372-374",
)
KIMURA = Citation(
    key="kimura1980simple",
    authors="Motoo Kimura",
    title="A simple method for estimating evolutionary rates of base substitutions through comparative studies of "
    "nucleotide sequences",
    venue="Journal of Molecular Evolution",
    year=1980,
    kind="article",
    volume="16",
    pages="111-120",
)

ON_BOTH = ("cpu", "cuda")


def _method(
    id: str,
    name: str,
    summary: str,
    citation: Citation,
    rates: Mapping[str, float],
    parameters: tuple[Parameter, ...] = (),
    backends: tuple[str, ...] = ("cpu",),
    room: str = "joining",
    **declared: Any,
) -> Method:
    """A method of this family; ``room`` is the folder that has its backends."""
    return Method(
        id=id,
        name=name,
        family="trees",
        summary=summary,
        citation=citation,
        parameters=parameters,
        backends={backend: f"antidiag.kernels.trees.{room}.{backend}:{id.replace('-', '_')}" for backend in backends},
        page=Path(__file__).with_name("page.md"),
        nominal_gcups=rates,
        **declared,
    )


def _blocks(parameters: Mapping[str, Any]) -> Cuts:
    """Blocks of pairs."""
    return Cuts(block=sizes.block_side(parameters))


TREES: Mapping[str, Any] = {
    "problem": TREE_PROBLEM,
    "returns": frozenset({"tree"}),
    "automatic": sizes.no_choice,
    "criterion": NEIGHBOR_JOINING,
}
DISTANCES: Mapping[str, Any] = {
    "room": "distances",
    "returns": frozenset({"distances"}),
    "footprint": distance_sizes.footprint,
    "automatic": distance_sizes.automatic,
    "work": distance_sizes.work,
}

METHODS = (
    _method(
        "nj-pruned",
        "NJ-pruned",
        "Neighbor joining, the same tree with few reads: bounds on the rows of the matrix say which to look at.",
        SAITOU,
        {"cpu": 0.3, "cuda": 8.0},
        (EPOCH, THREADS),
        ON_BOTH,
        footprint=sizes.square_footprint,
        work=sizes.pruned_work,
        logged=sizes.pruned_logged,
        staging="antidiag.kernels.trees.plays_pruned:PRUNED",
        models=analysis.ONCE,
        **{**TREES, "automatic": sizes.pruned_automatic},
    ),
    _method(
        "nj-basic",
        "NJ-basic",
        "Neighbor joining, every pair compared at every join, the triangle cut into blocks of pairs.",
        PAPER.at("section 4.2"),
        {"cpu": 1.5, "cuda": 400.0},
        (BLOCK, CELLS, JOIN_THREADS),
        ON_BOTH,
        footprint=sizes.basic_footprint,
        models=analysis.BLOCKS,
        cuts=_blocks,
        work=sizes.full_work,
        staging="antidiag.kernels.trees.plays:BASIC",
        **{**TREES, "automatic": sizes.team_automatic},
    ),
    _method(
        "nj-compact",
        "NJ-compact",
        "NJ-basic in half the memory: the lower half of the triangle is folded into the empty half of the matrix.",
        PAPER.at("section 4.3"),
        {"cpu": 1.5, "cuda": 400.0},
        (BLOCK, CELLS, JOIN_THREADS),
        ON_BOTH,
        footprint=sizes.compact_footprint,
        staging="antidiag.kernels.trees.plays:COMPACT",
        models=analysis.BLOCKS,
        cuts=_blocks,
        work=sizes.full_work,
        **{**TREES, "automatic": sizes.team_automatic},
    ),
    _method(
        "nj-serial",
        "NJ-serial",
        "Neighbor joining as ClustalW has it: two loops over all pairs at every join.",
        PAPER.at("section 4.1"),
        {"cpu": 0.7},
        footprint=sizes.square_footprint,
        models=analysis.SERIAL,
        work=sizes.full_work,
        staging="antidiag.kernels.trees.plays:SERIAL",
        **TREES,
    ),
    _method(
        "upgma",
        "UPGMA",
        "The nearest two clusters are joined, and their distances averaged, until one is left; the tree has a root.",
        SOKAL,
        {"cpu": 0.5},
        footprint=sizes.square_footprint,
        work=sizes.pruned_work,
        logged=sizes.pruned_logged,
        models=analysis.ONCE,
        staging="antidiag.kernels.trees.plays:AVERAGE",
        **{**TREES, "criterion": UPGMA},
    ),
    _method(
        "distance-full",
        "Full pairwise distances",
        "Every pair is aligned; the distance is 1 - identities / the shorter length.",
        CLUSTALW,
        {"cpu": 1.0, "cuda": 300.0},
        (PAIR_THREADS,),
        ON_BOTH,
        problem=FULL,
        staging="antidiag.kernels.trees.plays_distances:FULL_PAIRS",
        models=analysis.ALIGNED_PAIRS,
        **DISTANCES,
    ),
    _method(
        "distance-ktuple",
        "k-tuple distances",
        "The best chain of shared k-tuples of each pair, as in ClustalW's fast mode.",
        CLUSTALW,
        {"cpu": 5.0, "cuda": 500.0},
        (PAIR_THREADS,),
        ON_BOTH,
        problem=KTUPLE,
        staging="antidiag.kernels.trees.plays_distances:CHAINS",
        models=analysis.PAIRS,
        **DISTANCES,
    ),
    _method(
        "distance-6mer",
        "6-mer distances",
        "The share of 6-mers, over groups of amino acids, that each pair has in common, as in MAFFT.",
        MAFFT,
        {"cpu": 100.0, "cuda": 200.0},
        (PAIR_THREADS,),
        ON_BOTH,
        problem=SIXMER,
        staging="antidiag.kernels.trees.plays_distances:WORDS",
        models=analysis.PAIRS,
        **{**DISTANCES, "work": distance_sizes.sixmer_work},
    ),
    _method(
        "distance-alignment",
        "Alignment distances",
        "The share of columns of an alignment that differ, as it is or corrected by Jukes and Cantor or by Kimura.",
        KIMURA,
        {"cpu": 20.0, "cuda": 300.0},
        (PAIR_THREADS,),
        ON_BOTH,
        problem=ALIGNED,
        staging="antidiag.kernels.trees.plays_distances:COLUMNS",
        models=analysis.COLUMNS,
        **DISTANCES,
    ),
)
