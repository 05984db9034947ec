"""Guide trees: neighbor joining of Liu, Schmidt and Maskell (004), and UPGMA."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from kernels.method import Citation, Method
from kernels.parameters import Parameter
from kernels.trees import distance_sizes, sizes
from kernels.trees.distance_problem import ALIGNED, FULL, KTUPLE, SIXMER
from kernels.trees.problem import TREE_PROBLEM

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
    venue="Molecular Biology and Evolution 4",
    year=1987,
)
SOKAL = Citation(
    key="sokal1958statistical",
    authors="Robert R. Sokal, Charles D. Michener",
    title="A statistical method for evaluating systematic relationships",
    venue="University of Kansas Science Bulletin 38",
    year=1958,
)

CLUSTALW = Citation(
    key="larkin2007clustal",
    authors="M. A. Larkin, G. Blackshields, N. P. Brown, and others",
    title="Clustal W and Clustal X version 2.0",
    venue="Bioinformatics 23",
    year=2007,
)
MAFFT = Citation(
    key="katoh2007parttree",
    authors="Kazutaka Katoh, Hiroyuki Toh",
    title="PartTree: an algorithm to build an approximate tree from a large number of unaligned sequences",
    venue="Bioinformatics 23",
    year=2007,
)
KIMURA = Citation(
    key="kimura1980simple",
    authors="Motoo Kimura",
    title="A simple method for estimating evolutionary rates of base substitutions through comparative studies of "
    "nucleotide sequences",
    venue="Journal of Molecular Evolution 16",
    year=1980,
)

BLOCK = Parameter(
    name="block",
    kind="choice",
    label="Threads of a block",
    help="GPU: threads that scan one cell block. With the cells of a thread they make its side: 256 threads with 16 "
    "cells each scan 64 x 64 pairs. The CPU scans blocks of the same side.",
    default="256",
    choices=("64", "256", "1024"),
    unit="threads",
)
CELLS = Parameter(
    name="cells",
    kind="choice",
    label="Cells of a thread",
    help="Pairs that a thread compares before its block compares their best. Few cells make many blocks; many cells "
    "leave less to reduce.",
    default="16",
    choices=("1", "4", "16", "64"),
    unit="pairs",
)
EPOCH = Parameter(
    name="epoch",
    kind="int",
    label="Epoch",
    help="A pass over the whole matrix renews all bounds after one in so many of the clusters was joined. Short "
    "epochs (a large number) read fewer rows between the passes.",
    default=8,
    minimum=2,
    maximum=64,
)
THREADS = Parameter(
    name="threads",
    kind="int",
    label="Threads",
    help="Threads that share the passes over the matrix. The joins between them are made by one.",
    minimum=1,
    maximum=1024,
    unit="threads",
    backends=("cpu",),
)

PAIR_THREADS = Parameter(
    name="threads",
    kind="int",
    label="Threads",
    help="Worker threads, each taking a tile of the matrix at a time.",
    minimum=1,
    maximum=1024,
    unit="threads",
    backends=("cpu",),
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
    module: str = "",
    **declared: Any,
) -> Method:
    """A method of this family; ``module`` is the end of the name of the module that each backend has for it."""
    return Method(
        id=id,
        name=name,
        family="trees",
        summary=summary,
        citation=citation,
        parameters=parameters,
        backends={backend: f"kernels.trees.{backend}{module}:{id.replace('-', '_')}" for backend in backends},
        page=Path(__file__).with_name("page.md"),
        nominal_gcups=rates,
        **declared,
    )


TREES: Mapping[str, Any] = {
    "problem": TREE_PROBLEM,
    "returns": frozenset({"tree"}),
    "automatic": sizes.no_choice,
}
DISTANCES: Mapping[str, Any] = {
    "module": "_distances",
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
        **{**TREES, "automatic": sizes.pruned_automatic},
    ),
    _method(
        "nj-basic",
        "NJ-basic",
        "Neighbor joining, every pair compared at every join, the triangle cut into blocks of pairs.",
        PAPER.at("section 4.2"),
        {"cpu": 0.5, "cuda": 400.0},
        (BLOCK, CELLS),
        ON_BOTH,
        footprint=sizes.basic_footprint,
        work=sizes.full_work,
        **TREES,
    ),
    _method(
        "nj-compact",
        "NJ-compact",
        "NJ-basic in half the memory: the lower half of the triangle is folded into the empty half of the matrix.",
        PAPER.at("section 4.3"),
        {"cpu": 0.5, "cuda": 400.0},
        (BLOCK, CELLS),
        ON_BOTH,
        footprint=sizes.compact_footprint,
        work=sizes.full_work,
        **TREES,
    ),
    _method(
        "nj-serial",
        "NJ-serial",
        "Neighbor joining as ClustalW has it: two loops over all pairs at every join.",
        PAPER.at("section 4.1"),
        {"cpu": 0.7},
        footprint=sizes.square_footprint,
        work=sizes.full_work,
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
        **TREES,
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
        **DISTANCES,
    ),
    _method(
        "distance-6mer",
        "6-mer distances",
        "The share of 6-mers, over groups of amino acids, that each pair has in common, as in MAFFT.",
        MAFFT,
        {"cpu": 50.0, "cuda": 5000.0},
        (PAIR_THREADS,),
        ON_BOTH,
        problem=SIXMER,
        **DISTANCES,
    ),
    _method(
        "distance-alignment",
        "Alignment distances",
        "The share of columns of an alignment that differ, as it is or corrected by Jukes and Cantor or by Kimura.",
        KIMURA,
        {"cpu": 0.3, "cuda": 300.0},
        backends=ON_BOTH,
        problem=ALIGNED,
        **DISTANCES,
    ),
)
