"""Trees and pairwise distances: neighbor joining (Liu, Schmidt and Maskell 2009), UPGMA, and four distances."""

from __future__ import annotations

from functools import partial
from pathlib import Path

from antidiag.kernels.citation import Citation
from antidiag.kernels.cost_estimate import CostEstimate
from antidiag.kernels.method import Method, TablePicture, Teaching, backends_in
from antidiag.kernels.parameters import CPU_ONLY
from antidiag.kernels.run_splitting import RunSplitting
from antidiag.kernels.table_cuts import TableCuts
from antidiag.kernels.trees import analysis, sizes
from antidiag.kernels.trees.alignment_trees import sizes as alignment_tree_sizes
from antidiag.kernels.trees.alignment_trees.problem import ALIGNMENT_TREE, count_work
from antidiag.kernels.trees.alignment_trees.replicate_pieces import list_replicates
from antidiag.kernels.trees.distances import sizes as distance_sizes
from antidiag.kernels.trees.distances.pair_strips import list_strips, sort_problem
from antidiag.kernels.trees.distances.problem import (
    ALIGNMENT_DISTANCES,
    FULL_DISTANCES,
    KTUPLE_DISTANCES,
    SIXMER_DISTANCES,
)
from antidiag.kernels.trees.parameters import (
    CellBlockParameters,
    PairParameters,
    PlacementParameters,
    PrunedParameters,
)
from antidiag.kernels.trees.placement import sizes as placement_sizes
from antidiag.kernels.trees.placement.problem import PLACED_ALIGNMENT, PLACED_SEQUENCES
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
DESPER = Citation(
    key="desper2002fast",
    authors="Richard Desper, Olivier Gascuel",
    title="Fast and accurate phylogeny reconstruction algorithms based on the minimum-evolution principle",
    venue="Journal of Computational Biology",
    year=2002,
    kind="article",
    volume="9",
    pages="687-705",
)
ONDOV = Citation(
    key="ondov2016mash",
    authors="Brian D. Ondov, Todd J. Treangen, Páll Melsted, and others",
    title="Mash: fast genome and metagenome distance estimation using MinHash",
    venue="Genome Biology",
    year=2016,
    kind="article",
    volume="17",
    pages="132",
)

PAGE = Path(__file__).with_name("page.md")
_declare_method = partial(Method, family="trees")
_declare_tree_method = partial(_declare_method, returns=frozenset({"tree"}))
_declare_joining = partial(
    _declare_tree_method, problem_type=TREE_PROBLEM, is_heuristic=True, criterion=NEIGHBOR_JOINING
)
_declare_distance_method = partial(_declare_method, parameters=PairParameters, returns=frozenset({"distances"}))
_distance_cost = partial(CostEstimate, estimate_memory=distance_sizes.distance_footprint, count_work=sizes.full_work)


def _teach(walkthrough: str) -> Teaching:
    """Return the page of the family and a step-by-step animation."""
    return Teaching(PAGE, f"antidiag.kernels.trees.walkthroughs.{walkthrough}")


def _cut_blocks(parameters: CellBlockParameters) -> TableCuts:
    """Return the side of the cell blocks."""
    return TableCuts(block=parameters.side)


_declare_placement = partial(
    _declare_tree_method,
    parameters=PlacementParameters,
    backends=backends_in("antidiag.kernels.trees.placement", "solve_placement"),
    is_exact=False,
    criterion="balanced minimum evolution",
    cost=CostEstimate(
        estimate_memory=placement_sizes.estimate_memory,
        count_work=placement_sizes.count_work,
        nominal_gcups={"cpu": 100.0, "cuda": 4000.0},
        cost_models=analysis.COLUMNS,
    ),
    teaching=Teaching(
        PAGE,
        no_walkthrough_reason="Its backbone is that of nj-pruned, which can be followed; help describes placing and "
        "interchanging.",
    ),
)
_declare_block_joining = partial(
    _declare_joining,
    parameters=CellBlockParameters,
    choose_parameters=sizes.team_automatic,
    picture=TablePicture(table_cuts=_cut_blocks),
)
_block_cost = partial(
    CostEstimate,
    count_work=sizes.full_work,
    nominal_gcups={"cpu": 1.5, "cuda": 400.0},
    cost_models=analysis.BLOCKS,
)
PRUNED_PICTURE = TablePicture(logged_work=sizes.pruned_logged)

METHODS = (
    _declare_joining(
        id="nj-pruned",
        name="NJ-pruned",
        summary="Neighbor joining that reads few rows of the matrix: bounds exclude the others. The tree is that of "
        "the other methods.",
        citation=SAITOU,
        parameters=PrunedParameters,
        backends=backends_in("antidiag.kernels.trees.joining", "nj_pruned"),
        cost=CostEstimate(
            estimate_memory=sizes.square_footprint,
            count_work=sizes.pruned_work,
            nominal_gcups={"cpu": 0.3, "cuda": 8.0},
            cost_models=analysis.ONCE,
        ),
        picture=PRUNED_PICTURE,
        teaching=_teach("pruned_joining:PRUNED"),
    ),
    _declare_block_joining(
        id="nj-basic",
        name="NJ-basic",
        summary="Neighbor joining that compares all pairs at each join, in blocks of pairs.",
        citation=PAPER.with_section("section 4.2"),
        backends=backends_in("antidiag.kernels.trees.joining", "nj_basic"),
        cost=_block_cost(
            estimate_memory=sizes.basic_footprint, occupancy="antidiag.kernels.trees.joining.cuda:basic_occupancy"
        ),
        teaching=_teach("joining:BASIC"),
    ),
    _declare_block_joining(
        id="nj-compact",
        name="NJ-compact",
        summary="NJ-basic in half the memory: the lower half of the triangle is folded into the empty half of the "
        "matrix.",
        citation=PAPER.with_section("section 4.3"),
        backends=backends_in("antidiag.kernels.trees.joining", "nj_compact"),
        cost=_block_cost(
            estimate_memory=sizes.compact_footprint, occupancy="antidiag.kernels.trees.joining.cuda:compact_occupancy"
        ),
        teaching=_teach("joining:COMPACT"),
    ),
    _declare_joining(
        id="nj-serial",
        name="NJ-serial",
        summary="Neighbor joining on one thread as in ClustalW: two loops over all pairs at each join.",
        citation=PAPER.with_section("section 4.1"),
        backends=backends_in("antidiag.kernels.trees.joining", "nj_serial", CPU_ONLY),
        cost=CostEstimate(
            estimate_memory=sizes.square_footprint,
            count_work=sizes.full_work,
            nominal_gcups={"cpu": 0.7},
            cost_models=analysis.SERIAL,
        ),
        teaching=_teach("joining:SERIAL"),
    ),
    _declare_joining(
        id="upgma",
        name="UPGMA",
        summary="Rooted tree by average linkage: the nearest two clusters are joined and their distances averaged "
        "until one is left.",
        citation=SOKAL,
        criterion=UPGMA,
        backends=backends_in("antidiag.kernels.trees.joining", "upgma", CPU_ONLY),
        cost=CostEstimate(
            estimate_memory=sizes.square_footprint,
            count_work=sizes.pruned_work,
            nominal_gcups={"cpu": 0.5},
            cost_models=analysis.ONCE,
        ),
        picture=PRUNED_PICTURE,
        teaching=_teach("joining:AVERAGE"),
    ),
    _declare_tree_method(
        id="nj-alignment",
        name="NJ of an alignment",
        summary="Neighbor joining of the rows of an alignment in one run: distances from packed letters stay on the "
        "device, where they are joined. Optional bootstrap support of the branches.",
        citation=SAITOU,
        problem_type=ALIGNMENT_TREE,
        parameters=PrunedParameters,
        backends=backends_in("antidiag.kernels.trees.alignment_trees", "nj_alignment"),
        is_heuristic=True,
        criterion="neighbor joining of an alignment",
        cost=CostEstimate(
            estimate_memory=alignment_tree_sizes.estimate_memory,
            memory_hint="Choose place-alignment, whose memory grows with the number of rows and not with its square.",
            count_work=count_work,
            nominal_gcups={"cpu": 150.0, "cuda": 8000.0},
            cost_models=analysis.COLUMNS,
        ),
        splitting=RunSplitting(
            "tree and replicates",
            list_replicates,
            backends_in("antidiag.kernels.trees.alignment_trees", "nj_alignment_piece"),
            "antidiag.kernels.trees.alignment_trees.replicate_pieces:join_replicates",
        ),
        teaching=Teaching(
            PAGE,
            no_walkthrough_reason="It is two methods one after the other, each of which can be followed: "
            "distance-alignment and nj-pruned.",
        ),
    ),
    _declare_placement(
        id="place-alignment",
        name="Placed tree of an alignment",
        summary="Tree of very many aligned rows in memory that grows with their number: a backbone by neighbor "
        "joining, the other rows placed, and branches interchanged by balanced minimum evolution.",
        citation=DESPER,
        problem_type=PLACED_ALIGNMENT,
    ),
    _declare_placement(
        id="place-sequences",
        name="Placed tree of sequences",
        summary="Tree of very many sequences that are not aligned, by sketches of their words, in memory that grows "
        "with their number: a backbone by neighbor joining, the others placed, and branches interchanged.",
        citation=ONDOV,
        problem_type=PLACED_SEQUENCES,
    ),
    _declare_distance_method(
        id="distance-full",
        name="Full pairwise distances",
        summary="Distance of the best alignment of each pair: 1 - identical letters / length of the shorter sequence.",
        citation=CLUSTALW,
        problem_type=FULL_DISTANCES,
        backends=backends_in("antidiag.kernels.trees.distances", "distance_full"),
        cost=_distance_cost(nominal_gcups={"cpu": 1.0, "cuda": 300.0}, cost_models=analysis.ALIGNED_PAIRS),
        splitting=RunSplitting(
            "strips of pairs",
            list_strips,
            backends_in("antidiag.kernels.trees.distances", "distance_full_strip"),
            "antidiag.kernels.trees.distances.pair_strips:join_strips",
            sort_problem,
        ),
        teaching=_teach("distances:FULL_PAIRS"),
    ),
    _declare_distance_method(
        id="distance-ktuple",
        name="k-tuple distances",
        is_heuristic=True,
        summary="Distance by the best chain of shared words (k-tuples) of each pair, as in ClustalW's fast mode.",
        citation=CLUSTALW,
        problem_type=KTUPLE_DISTANCES,
        backends=backends_in("antidiag.kernels.trees.distances", "distance_ktuple"),
        cost=_distance_cost(nominal_gcups={"cpu": 5.0, "cuda": 500.0}, cost_models=analysis.PAIRS),
        teaching=_teach("distances:CHAINS"),
    ),
    _declare_distance_method(
        id="distance-6mer",
        name="6-mer distances",
        is_heuristic=True,
        summary="Distance by the share of common 6-mers of each pair, over groups of amino acids, as in MAFFT.",
        citation=MAFFT,
        problem_type=SIXMER_DISTANCES,
        backends=backends_in("antidiag.kernels.trees.distances", "distance_6mer"),
        cost=_distance_cost(
            count_work=distance_sizes.sixmer_work,
            nominal_gcups={"cpu": 100.0, "cuda": 200.0},
            cost_models=analysis.PAIRS,
        ),
        teaching=_teach("distances:WORDS"),
    ),
    _declare_distance_method(
        id="distance-alignment",
        name="Alignment distances",
        summary="Distance by the share of different letters in an alignment, or that share corrected by Jukes and "
        "Cantor, Kimura, Tamura and Nei, or LogDet.",
        citation=KIMURA,
        problem_type=ALIGNMENT_DISTANCES,
        backends=backends_in("antidiag.kernels.trees.distances", "distance_alignment"),
        cost=_distance_cost(nominal_gcups={"cpu": 200.0, "cuda": 8000.0}, cost_models=analysis.COLUMNS),
        teaching=_teach("distances:COLUMNS"),
    ),
)
