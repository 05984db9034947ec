"""Trees and alignments of 10^5 sequences and more: PartTree (Katoh and Toh 2007), CUDA-Parttree (Razzolini and Melo
2020), single linkage and medoid trees, progressive alignment, and insertion into an alignment."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from antidiag.kernels.citation import Citation
from antidiag.kernels.cost_models import OWN_ESTIMATE, minimum_models
from antidiag.kernels.memory import Footprint
from antidiag.kernels.method import CostEstimate, Method, ProblemType, TablePicture, Teaching
from antidiag.kernels.msa.problem import INPUTS, problem_type
from antidiag.kernels.parameters import MethodParameters
from antidiag.kernels.parttree import sizes
from antidiag.kernels.parttree.insertion import insertion_problem
from antidiag.kernels.parttree.parameters import PartTreeThreads, PartTreeWarps, SectionParameters
from antidiag.kernels.parttree.problem import MEDOID, PART_TREE, PARTTREE, SINGLE
from antidiag.kernels.parttree.progressive import alignment_rules
from antidiag.kernels.steps import LoggedWork
from antidiag.kernels.trees import MAFFT

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
)

PAGE = Path(__file__).with_name("page.md")
LINKAGE_UNIT = "steps of pairs, of a letter and a word of others"


def _declare_method(
    *,
    id: str,
    name: str,
    summary: str,
    citation: Citation,
    problem_type: ProblemType = PART_TREE,
    parameters: type[MethodParameters] = PartTreeThreads,
    backends: Mapping[str, str],
    returns: frozenset[str] = frozenset({"tree"}),
    criterion: str = "",
    is_recommended_for: Callable[[Sequence[Any]], bool] | None = None,
    estimate_memory: Callable[[Any, Any, str], Footprint],
    count_work: Callable[[Any, Any], int],
    unit: str,
    nominal_gcups: Mapping[str, float],
    logged_work: Callable[[Any, Any, str], LoggedWork] | None = None,
    walkthrough: str = "",
    no_walkthrough_reason: str = "",
) -> Method:
    """Declare a method for very many sequences; ``unit`` is that of its work, in the plural."""
    return Method(
        id=id,
        name=name,
        family="parttree",
        summary=summary,
        citation=citation,
        problem_type=problem_type,
        parameters=parameters,
        choose_parameters=sizes.automatic_threads,
        backends={backend: f"antidiag.kernels.parttree.{function}" for backend, function in backends.items()},
        returns=returns,
        criterion=criterion,
        is_recommended_for=is_recommended_for,
        cost=CostEstimate(
            estimate_memory=estimate_memory,
            count_work=count_work,
            nominal_gcups=nominal_gcups,
            cost_models=minimum_models(count_work, OWN_ESTIMATE, unit),
        ),
        picture=TablePicture(logged_work=logged_work),
        teaching=Teaching(
            PAGE, walkthrough and f"antidiag.kernels.parttree.walkthroughs.{walkthrough}", no_walkthrough_reason
        ),
    )


_declare_part_tree = partial(
    _declare_method,
    criterion=PARTTREE,
    count_work=sizes.part_tree_work,
    unit="pairs of sequences",
    logged_work=sizes.part_tree_logged,
)


METHODS = (
    _declare_part_tree(
        id="parttree",
        name="PartTree",
        summary="Guide tree of very many sequences: references are picked and joined, the others go to the nearest, "
        "and so on in every group.",
        citation=MAFFT,
        parameters=PartTreeWarps,
        backends={
            "cpu": "splitting.cpu:parttree",
            "cuda": "splitting.cuda:parttree",
        },
        estimate_memory=sizes.part_tree_footprint,
        walkthrough="part_tree:WARPS",
        nominal_gcups={"cpu": 0.003, "cuda": 2.0},
    ),
    _declare_part_tree(
        id="cuda-parttree",
        name="CUDA-Parttree",
        summary="PartTree, where references meet all sequences of the first level as sorted, padded sections of 6-mers "
        "and counts, a thread a sequence.",
        citation=PAPER.with_section("section 4.2"),
        parameters=SectionParameters,
        backends={
            "cpu": "splitting.cpu:cuda_parttree",
            "cuda": "splitting.cuda:cuda_parttree",
        },
        estimate_memory=sizes.sections_footprint,
        walkthrough="part_tree:PARTTREE",
        nominal_gcups={"cpu": 0.01, "cuda": 0.2},
    ),
    _declare_part_tree(
        id="parttree-serial",
        name="PartTree-serial",
        summary="PartTree on one thread: every sequence is compared with a map of the 6-mers of every reference.",
        citation=PAPER.with_section("algorithm 1"),
        parameters=MethodParameters,
        backends={"cpu": "splitting.cpu:parttree_serial"},
        estimate_memory=sizes.part_tree_footprint,
        walkthrough="part_tree:SERIAL",
        nominal_gcups={"cpu": 0.005},
    ),
    _declare_method(
        id="lcs-single-linkage",
        name="Single linkage",
        summary="Guide tree by single linkage over the longest common subsequences of all pairs, as in FAMSA.",
        citation=FAMSA,
        backends={
            "cpu": "lcs.linkage:lcs_single_linkage",
            "cuda": "lcs.cuda_linkage:lcs_single_linkage",
        },
        criterion=SINGLE,
        estimate_memory=sizes.linkage_footprint,
        count_work=sizes.linkage_work,
        logged_work=sizes.linkage_logged,
        unit=LINKAGE_UNIT,
        walkthrough="linkage:LINKAGE",
        nominal_gcups={"cpu": 5.0, "cuda": 100.0},
    ),
    _declare_method(
        id="medoid-tree",
        name="Medoid tree",
        summary="Guide tree of very many sequences: parts around sequences in their middle, each joined by single "
        "linkage over longest common subsequences.",
        citation=FAMSA,
        backends={"cpu": "lcs.medoid_trees:medoid_tree"},
        criterion=MEDOID,
        no_walkthrough_reason="It splits only families of more than twenty sequences for each reference, too many "
        "to follow. Play Single linkage, by which each part is joined, and PartTree, which shows parts around picks.",
        estimate_memory=sizes.medoid_footprint,
        count_work=sizes.medoid_work,
        logged_work=sizes.medoid_logged,
        unit=LINKAGE_UNIT,
        nominal_gcups={"cpu": 5.0},
    ),
    _declare_method(
        id="msa-parttree",
        name="PartTree-MSA",
        summary="Alignment of 10^5 sequences: single linkage or PartTree over the different ones, then profiles from "
        "the leaves to the root; rows are written once, from lists of gaps.",
        citation=FAMSA,
        problem_type=ALIGNMENT_PROBLEM,
        parameters=PartTreeWarps,
        backends={
            "cpu": "progressive.cpu:msa_parttree",
            "cuda": "progressive.cuda:msa_parttree",
        },
        returns=frozenset({"alignment", "tree"}),
        is_recommended_for=lambda data: len(data) >= MANY,
        no_walkthrough_reason="It writes the rows of 10^5 sequences once, which a few rows cannot show. Play "
        "PartTree or Single linkage for its tree, and Progressive alignment for its nodes.",
        estimate_memory=sizes.alignment_footprint,
        count_work=sizes.alignment_work,
        logged_work=sizes.alignment_logged,
        unit="cells of the nodes",
        nominal_gcups={"cpu": 1.0, "cuda": 20.0},
    ),
    _declare_method(
        id="parttree-add",
        name="Adding many",
        summary="Any number of sequences added to an alignment of any size: each is aligned to the profile of its "
        "rows, which stay as they are beside each other.",
        citation=FAMSA,
        problem_type=insertion_problem.INSERTION_PROBLEM,
        backends={"cpu": "insertion.insertion_driver:parttree_add"},
        returns=frozenset({"alignment"}),
        no_walkthrough_reason="It repeats one alignment very often: play ProSeqAlign, which aligns a sequence to a "
        "profile.",
        estimate_memory=insertion_problem.insertion_footprint,
        count_work=insertion_problem.count_insertion_cells,
        unit="cells of the profile and each sequence",
        nominal_gcups={"cpu": 0.5},
    ),
)
