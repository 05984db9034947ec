"""Trees and alignments of 10^5 sequences and more: PartTree (Katoh and Toh 2007), CUDA-Parttree (Razzolini and Melo
2020), single linkage and medoid trees, progressive alignment, and insertion into an alignment."""

from __future__ import annotations

from functools import partial
from pathlib import Path

from antidiag.kernels.citation import Citation
from antidiag.kernels.cost_estimate import CostEstimate
from antidiag.kernels.cost_models import OWN_ESTIMATE, minimum_models
from antidiag.kernels.method import Method, TablePicture, Teaching, backends_in
from antidiag.kernels.msa.problem import INPUTS, problem_type
from antidiag.kernels.parameters import CPU_ONLY, MethodParameters
from antidiag.kernels.parttree import sizes
from antidiag.kernels.parttree.insertion import insertion_problem
from antidiag.kernels.parttree.lcs.block_pairs import list_block_pairs
from antidiag.kernels.parttree.parameters import PartTreeThreads, PartTreeWarps, SectionParameters
from antidiag.kernels.parttree.problem import (
    MEDOID,
    PART_TREE,
    PARTTREE,
    SINGLE,
    note_short_sequences,
    note_unused_picks,
)
from antidiag.kernels.parttree.progressive import alignment_rules
from antidiag.kernels.run_splitting import RunSplitting
from antidiag.kernels.trees import MAFFT
from antidiag.kernels.trees.sizes import full_work

PAPER = Citation(
    key="razzolini2020cuda",
    authors="Caina Razzolini, Alba Cristina Magalhaes Alves de Melo",
    title="CUDA-Parttree: A Multiple Sequence Alignment Parallel Strategy in GPU",
    venue="Simposio em Sistemas Computacionais de Alto Desempenho (WSCAD)",
    year=2020,
)
FAMSA = Citation(
    key="gudys2025famsa2",
    authors="Adam Gudys, Andrzej Zielezinski, Cedric Notredame, Sebastian Deorowicz",
    title="FAMSA2 enables accurate multiple sequence alignment at protein-universe scale",
    venue="bioRxiv",
    year=2025,
)

MANY = 1000
"""Sequences from which an alignment begins with single linkage or PartTree rather than with all pairs."""

ALIGNMENT_PROBLEM = problem_type(
    "msa-parttree",
    "Multiple alignment of many sequences",
    alignment_rules.OPTIONS,
    alignment_rules.make_rules,
    "antidiag.kernels.parttree.trials:ALIGNMENT",
    inputs=(INPUTS[0], INPUTS[1]),
    guide_options=alignment_rules.GUIDE_OPTIONS,
    default_options=alignment_rules.default_options,
)

PAGE = Path(__file__).with_name("page.md")
LINKAGE_UNIT = "steps of pairs: a letter against a word of bits"


_declare_method = partial(Method, family="parttree", parameters=PartTreeThreads)
_declare_tree_method = partial(_declare_method, problem_type=PART_TREE, returns=frozenset({"tree"}))
_declare_part_tree = partial(
    _declare_tree_method,
    is_heuristic=True,
    criterion=PARTTREE,
    picture=TablePicture(logged_work=sizes.part_tree_logged),
    problem_notes=note_short_sequences,
)
_part_tree_cost = partial(
    CostEstimate,
    estimate_memory=sizes.part_tree_footprint,
    count_work=full_work,
    count_timed_work=sizes.timed_tree_work,
    cost_models=minimum_models(full_work, OWN_ESTIMATE, "pairs of sequences"),
)

METHODS = (
    _declare_part_tree(
        id="parttree",
        name="PartTree",
        summary="Guide tree of very many sequences: references are picked and joined, each other sequence goes to "
        "the nearest one, and each group is split again.",
        citation=MAFFT,
        parameters=PartTreeWarps,
        backends=backends_in("antidiag.kernels.parttree.splitting", "parttree"),
        cost=_part_tree_cost(nominal_gcups={"cpu": 0.003, "cuda": 2.0}),
        teaching=Teaching(PAGE, "antidiag.kernels.parttree.walkthroughs.part_tree:WARPS"),
    ),
    _declare_part_tree(
        id="cuda-parttree",
        name="CUDA-Parttree",
        summary="PartTree whose first level compares the references with sorted and padded sections of sequences; "
        "each thread compares one sequence.",
        citation=PAPER.with_section("section 4.2"),
        parameters=SectionParameters,
        backends=backends_in("antidiag.kernels.parttree.splitting", "cuda_parttree"),
        cost=_part_tree_cost(estimate_memory=sizes.sections_footprint, nominal_gcups={"cpu": 0.01, "cuda": 0.2}),
        teaching=Teaching(PAGE, "antidiag.kernels.parttree.walkthroughs.part_tree:PARTTREE"),
    ),
    _declare_part_tree(
        id="parttree-serial",
        name="PartTree-serial",
        summary="PartTree on one thread: every sequence is compared with a map of the 6-mers of every reference.",
        citation=PAPER.with_section("algorithm 1"),
        parameters=MethodParameters,
        backends=backends_in("antidiag.kernels.parttree.splitting", "parttree_serial", CPU_ONLY),
        cost=_part_tree_cost(nominal_gcups={"cpu": 0.005}),
        teaching=Teaching(PAGE, "antidiag.kernels.parttree.walkthroughs.part_tree:SERIAL"),
    ),
    _declare_tree_method(
        id="lcs-single-linkage",
        name="Single linkage",
        summary="Guide tree by single linkage over the longest common subsequences of all pairs, as in FAMSA.",
        citation=FAMSA,
        criterion=SINGLE,
        backends={
            "cpu": "antidiag.kernels.parttree.lcs.linkage:lcs_single_linkage",
            "cuda": "antidiag.kernels.parttree.lcs.cuda_linkage:lcs_single_linkage",
        },
        cost=CostEstimate(
            estimate_memory=sizes.linkage_footprint,
            count_work=sizes.linkage_work,
            nominal_gcups={"cpu": 5.0, "cuda": 100.0},
            cost_models=minimum_models(sizes.linkage_work, OWN_ESTIMATE, LINKAGE_UNIT),
        ),
        picture=TablePicture(logged_work=sizes.linkage_logged),
        problem_notes=note_unused_picks,
        splitting=RunSplitting(
            "comparisons of two blocks of sequences",
            list_block_pairs,
            {
                "cpu": "antidiag.kernels.parttree.lcs.linkage:span_block_pair",
                "cuda": "antidiag.kernels.parttree.lcs.cuda_linkage:span_block_pair",
            },
            "antidiag.kernels.parttree.lcs.linkage:join_block_pairs",
        ),
        teaching=Teaching(PAGE, "antidiag.kernels.parttree.walkthroughs.linkage:LINKAGE"),
    ),
    _declare_tree_method(
        id="medoid-tree",
        name="Medoid tree",
        is_heuristic=True,
        summary="Guide tree of very many sequences: groups around medoids, each joined by single linkage over "
        "longest common subsequences.",
        citation=FAMSA,
        criterion=MEDOID,
        backends={"cpu": "antidiag.kernels.parttree.lcs.medoid_trees:medoid_tree"},
        cost=CostEstimate(
            estimate_memory=sizes.medoid_footprint,
            count_work=sizes.medoid_work,
            nominal_gcups={"cpu": 5.0},
            cost_models=minimum_models(sizes.medoid_work, OWN_ESTIMATE, LINKAGE_UNIT),
        ),
        picture=TablePicture(logged_work=sizes.medoid_logged),
        teaching=Teaching(
            PAGE,
            no_walkthrough_reason="It splits only families of more than twenty sequences for each reference, too many "
            "to follow. Play Single linkage, by which each part is joined, and PartTree, which shows parts around "
            "picks.",
        ),
    ),
    _declare_method(
        id="msa-parttree",
        name="PartTree-MSA",
        is_heuristic=True,
        summary="Alignment of up to about 10^5 sequences: a guide tree by single linkage, medoids or PartTree, then "
        "profiles from the leaves to the root.",
        citation=FAMSA,
        problem_type=ALIGNMENT_PROBLEM,
        parameters=PartTreeWarps,
        returns=frozenset({"alignment", "tree"}),
        is_recommended_for=lambda data: len(data) >= MANY,
        backends=backends_in("antidiag.kernels.parttree.progressive", "msa_parttree"),
        cost=CostEstimate(
            estimate_memory=sizes.alignment_footprint,
            count_work=sizes.alignment_work,
            count_timed_work=sizes.timed_alignment_work,
            nominal_gcups={"cpu": 1.0, "cuda": 20.0},
            cost_models=minimum_models(sizes.alignment_work, OWN_ESTIMATE, "cells of the nodes"),
        ),
        picture=TablePicture(logged_work=sizes.alignment_logged),
        teaching=Teaching(
            PAGE,
            no_walkthrough_reason="It writes the rows of 10^5 sequences once, which a few rows cannot show. Play "
            "PartTree or Single linkage for its tree, and Progressive alignment for its nodes.",
        ),
    ),
    _declare_method(
        id="parttree-add",
        name="Adding many",
        is_heuristic=True,
        summary="Adds any number of sequences to an alignment of any size. Each is aligned to the profile of the "
        "rows, which keep their alignment.",
        citation=FAMSA,
        problem_type=insertion_problem.INSERTION_PROBLEM,
        returns=frozenset({"alignment"}),
        backends={"cpu": "antidiag.kernels.parttree.insertion.insertion_driver:parttree_add"},
        cost=CostEstimate(
            estimate_memory=insertion_problem.insertion_footprint,
            count_work=insertion_problem.count_insertion_cells,
            nominal_gcups={"cpu": 0.5},
            cost_models=minimum_models(
                insertion_problem.count_insertion_cells, OWN_ESTIMATE, "cells of the profile and each sequence"
            ),
        ),
        teaching=Teaching(
            PAGE,
            no_walkthrough_reason="It repeats one alignment very often: play ProSeqAlign, which aligns a sequence to a "
            "profile.",
        ),
    ),
)
