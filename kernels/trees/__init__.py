"""Trees and pairwise distances: neighbor joining (Liu, Schmidt and Maskell 2009), UPGMA, and four distances."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from antidiag.kernels.citation import Citation
from antidiag.kernels.method import Method
from antidiag.kernels.table_cuts import TableCuts
from antidiag.kernels.trees import analysis, sizes
from antidiag.kernels.trees.distances import sizes as distance_sizes
from antidiag.kernels.trees.distances.problem import (
    ALIGNMENT_DISTANCES,
    FULL_DISTANCES,
    KTUPLE_DISTANCES,
    SIXMER_DISTANCES,
)
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

PAGE = Path(__file__).with_name("page.md")


def _declare_method(id: str, backends: tuple[str, ...], folder: str, **declared: Any) -> Method:
    """Declare a method whose backends are functions called as it is, in the modules cpu and cuda of ``folder``."""
    functions = {backend: f"antidiag.kernels.trees.{folder}.{backend}:{id.replace('-', '_')}" for backend in backends}
    return Method(id=id, family="trees", help_page=PAGE, backends=functions, **declared)


def _tree_method(id: str, backends: tuple[str, ...] = ("cpu", "cuda"), **declared: Any) -> Method:
    """Declare a method that makes a tree of a distance matrix: neighbor joining, unless it says otherwise."""
    defaults = {"criterion": NEIGHBOR_JOINING, "automatic_parameters": sizes.no_automatic_values}
    return _declare_method(
        id,
        backends,
        "joining",
        problem_type=TREE_PROBLEM,
        returns=frozenset({"tree"}),
        **{**defaults, **declared},
    )


def _distance_method(id: str, **declared: Any) -> Method:
    """Declare a method that makes a distance matrix."""
    return _declare_method(
        id,
        ("cpu", "cuda"),
        "distances",
        parameters=(PAIR_THREADS,),
        returns=frozenset({"distances"}),
        estimate_memory=distance_sizes.distance_footprint,
        automatic_parameters=distance_sizes.automatic_threads,
        **{"count_work": distance_sizes.distance_work, **declared},
    )


def _cut_blocks(parameters: Mapping[str, Any]) -> TableCuts:
    """Return the side of the cell blocks, for the picture of the cuts."""
    return TableCuts(block=sizes.block_side(parameters))


METHODS = (
    _tree_method(
        id="nj-pruned",
        name="NJ-pruned",
        summary="Neighbor joining, the same tree with few reads: bounds on the rows of the matrix say which to look "
        "at.",
        citation=SAITOU,
        parameters=(EPOCH, THREADS),
        automatic_parameters=sizes.pruned_automatic,
        estimate_memory=sizes.square_footprint,
        count_work=sizes.pruned_work,
        logged_work=sizes.pruned_logged,
        cost_models=analysis.ONCE,
        walkthrough_name="antidiag.kernels.trees.walkthroughs.pruned_joining:PRUNED",
        nominal_gcups={"cpu": 0.3, "cuda": 8.0},
    ),
    _tree_method(
        id="nj-basic",
        name="NJ-basic",
        summary="Neighbor joining, every pair compared at every join, the triangle cut into blocks of pairs.",
        citation=PAPER.with_section("section 4.2"),
        parameters=(BLOCK, CELLS, JOIN_THREADS),
        automatic_parameters=sizes.team_automatic,
        estimate_memory=sizes.basic_footprint,
        count_work=sizes.full_work,
        table_cuts=_cut_blocks,
        cost_models=analysis.BLOCKS,
        walkthrough_name="antidiag.kernels.trees.walkthroughs.joining:BASIC",
        nominal_gcups={"cpu": 1.5, "cuda": 400.0},
    ),
    _tree_method(
        id="nj-compact",
        name="NJ-compact",
        summary="NJ-basic in half the memory: the lower half of the triangle is folded into the empty half of the "
        "matrix.",
        citation=PAPER.with_section("section 4.3"),
        parameters=(BLOCK, CELLS, JOIN_THREADS),
        automatic_parameters=sizes.team_automatic,
        estimate_memory=sizes.compact_footprint,
        count_work=sizes.full_work,
        table_cuts=_cut_blocks,
        cost_models=analysis.BLOCKS,
        walkthrough_name="antidiag.kernels.trees.walkthroughs.joining:COMPACT",
        nominal_gcups={"cpu": 1.5, "cuda": 400.0},
    ),
    _tree_method(
        id="nj-serial",
        name="NJ-serial",
        summary="Neighbor joining as ClustalW has it: two loops over all pairs at every join.",
        citation=PAPER.with_section("section 4.1"),
        backends=("cpu",),
        parameters=(),
        estimate_memory=sizes.square_footprint,
        count_work=sizes.full_work,
        cost_models=analysis.SERIAL,
        walkthrough_name="antidiag.kernels.trees.walkthroughs.joining:SERIAL",
        nominal_gcups={"cpu": 0.7},
    ),
    _tree_method(
        id="upgma",
        name="UPGMA",
        summary="The nearest two clusters are joined, and their distances averaged, until one is left; the tree has a "
        "root.",
        citation=SOKAL,
        backends=("cpu",),
        parameters=(),
        criterion=UPGMA,
        estimate_memory=sizes.square_footprint,
        count_work=sizes.pruned_work,
        logged_work=sizes.pruned_logged,
        cost_models=analysis.ONCE,
        walkthrough_name="antidiag.kernels.trees.walkthroughs.joining:AVERAGE",
        nominal_gcups={"cpu": 0.5},
    ),
    _distance_method(
        id="distance-full",
        name="Full pairwise distances",
        summary="Every pair is aligned; the distance is 1 - identities / the shorter length.",
        citation=CLUSTALW,
        problem_type=FULL_DISTANCES,
        cost_models=analysis.ALIGNED_PAIRS,
        walkthrough_name="antidiag.kernels.trees.walkthroughs.distances:FULL_PAIRS",
        nominal_gcups={"cpu": 1.0, "cuda": 300.0},
    ),
    _distance_method(
        id="distance-ktuple",
        name="k-tuple distances",
        summary="The best chain of shared k-tuples of each pair, as in ClustalW's fast mode.",
        citation=CLUSTALW,
        problem_type=KTUPLE_DISTANCES,
        cost_models=analysis.PAIRS,
        walkthrough_name="antidiag.kernels.trees.walkthroughs.distances:CHAINS",
        nominal_gcups={"cpu": 5.0, "cuda": 500.0},
    ),
    _distance_method(
        id="distance-6mer",
        name="6-mer distances",
        summary="The share of 6-mers, over groups of amino acids, that each pair has in common, as in MAFFT.",
        citation=MAFFT,
        problem_type=SIXMER_DISTANCES,
        count_work=distance_sizes.sixmer_work,
        cost_models=analysis.PAIRS,
        walkthrough_name="antidiag.kernels.trees.walkthroughs.distances:WORDS",
        nominal_gcups={"cpu": 100.0, "cuda": 200.0},
    ),
    _distance_method(
        id="distance-alignment",
        name="Alignment distances",
        summary="The share of columns of an alignment that differ, as it is or corrected by Jukes and Cantor or by "
        "Kimura.",
        citation=KIMURA,
        problem_type=ALIGNMENT_DISTANCES,
        cost_models=analysis.COLUMNS,
        walkthrough_name="antidiag.kernels.trees.walkthroughs.distances:COLUMNS",
        nominal_gcups={"cpu": 20.0, "cuda": 300.0},
    ),
)
