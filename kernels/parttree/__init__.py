"""Guide trees of 10^5 sequences: PartTree, as MAFFT has it, as CUDA-Parttree (002), and ours."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from antidiag.kernels.analysis import OWN_ESTIMATE, least
from antidiag.kernels.citation import Citation
from antidiag.kernels.method import Method
from antidiag.kernels.msa.problem import INPUTS, problem_type
from antidiag.kernels.parttree import adding, alignment, sizes
from antidiag.kernels.parttree.parameters import BLOCK, SECTION, THREADS, WARPS
from antidiag.kernels.parttree.problem import MEDOID, PART_TREE, PARTTREE, SINGLE
from antidiag.kernels.trees import MAFFT

PAPER = Citation(
    key="razzolini2020cuda",
    authors="Caina Razzolini, Alba Cristina Magalhaes Alves de Melo",
    title="CUDA-Parttree: A Multiple Sequence Alignment Parallel Strategy in GPU",
    venue="Simposio em Sistemas Computacionais de Alto Desempenho (WSCAD)",
    year=2020,
)


STEPS = "steps of pairs, of a letter and a word of others"


def _method(id: str, name: str, summary: str, citation: Citation, **declared: Any) -> Method:
    backends = declared.pop("on", ("cpu", "cuda"))
    work = declared.get("work", sizes.work)
    functions = {backend: f"antidiag.kernels.parttree.{backend}:{id.replace('-', '_')}" for backend in backends}
    return Method(
        id=id,
        name=name,
        family="parttree",
        summary=summary,
        citation=citation,
        problem=PART_TREE,
        backends=declared.pop("functions", functions),
        returns=frozenset({"tree"}),
        page=Path(__file__).with_name("page.md"),
        **{
            "criterion": PARTTREE,
            "automatic": sizes.automatic,
            "work": work,
            **({} if "work" in declared else {"logged": sizes.logged}),
            "models": least(work, OWN_ESTIMATE, "pairs of sequences"),
            **declared,
        },
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
    "msa-parttree", "Multiple alignment of many sequences", alignment.OPTIONS, alignment.rules,
    "antidiag.kernels.parttree.trials:ALIGNMENT", inputs=(INPUTS[0], INPUTS[1]),
)  # fmt: skip

METHODS = (
    _method(
        "parttree",
        "PartTree",
        "Guide tree of very many sequences: references are picked and joined, the others go to the nearest, and so on "
        "in every group.",
        MAFFT,
        parameters=(THREADS, WARPS),
        staging="antidiag.kernels.parttree.plays:WARPS",
        footprint=sizes.footprint,
        nominal_gcups={"cpu": 0.003, "cuda": 2.0},
    ),
    _method(
        "cuda-parttree",
        "CUDA-Parttree",
        "PartTree, where references meet all sequences of the first level as sorted, padded sections of 6-mers and "
        "counts, a thread a sequence.",
        PAPER.at("section 4.2"),
        parameters=(BLOCK, SECTION, THREADS),
        staging="antidiag.kernels.parttree.plays:PARTTREE",
        footprint=sizes.sections_footprint,
        nominal_gcups={"cpu": 0.01, "cuda": 0.2},
    ),
    _method(
        "parttree-serial",
        "PartTree-serial",
        "PartTree on one thread: every sequence is held against a map of the 6-mers of every reference.",
        PAPER.at("algorithm 1"),
        parameters=(),
        on=("cpu",),
        staging="antidiag.kernels.parttree.plays:SERIAL",
        footprint=sizes.footprint,
        nominal_gcups={"cpu": 0.005},
    ),
    _method(
        "lcs-single-linkage",
        "Single linkage",
        "Guide tree by single linkage over the longest common subsequences of all pairs, as in FAMSA.",
        FAMSA,
        parameters=(THREADS,),
        functions={
            "cpu": "antidiag.kernels.parttree.linkage:lcs_single_linkage",
            "cuda": "antidiag.kernels.parttree.cuda_lcs:lcs_single_linkage",
        },
        footprint=sizes.linkage_footprint,
        work=sizes.linkage_work,
        logged=sizes.linkage_logged,
        models=least(sizes.linkage_work, OWN_ESTIMATE, STEPS),
        criterion=SINGLE,
        staging="antidiag.kernels.parttree.plays_linkage:LINKAGE",
        nominal_gcups={"cpu": 5.0, "cuda": 100.0},
    ),
    _method(
        "medoid-tree",
        "Medoid tree",
        "Guide tree of very many sequences: parts around sequences in their middle, each joined by single linkage over "
        "longest common subsequences.",
        FAMSA,
        parameters=(THREADS,),
        functions={"cpu": "antidiag.kernels.parttree.medoids:medoid_tree"},
        unplayed="It parts only families of more than twenty sequences for each reference, too many to be followed. "
        "Play Single linkage, by which each part is joined, and PartTree, which shows parts around picks.",
        footprint=sizes.medoid_footprint,
        work=sizes.medoid_work,
        logged=sizes.medoid_logged,
        models=least(sizes.medoid_work, OWN_ESTIMATE, STEPS),
        criterion=MEDOID,
        nominal_gcups={"cpu": 5.0},
    ),
    Method(
        id="msa-parttree",
        unplayed="Its own are rows of 10^5 sequences that are written once, which a few rows cannot show. Play "
        "PartTree or Single linkage for its tree, and Progressive alignment for its nodes.",
        name="PartTree-MSA",
        family="parttree",
        summary="Alignment of 10^5 sequences: single linkage or PartTree over the different ones, then profiles from "
        "the leaves to the root; rows are written once, from lists of gaps.",
        citation=FAMSA,
        problem=ALIGNMENT_PROBLEM,
        parameters=(THREADS, WARPS),
        backends={
            "cpu": "antidiag.kernels.parttree.alignment_cpu:msa_parttree",
            "cuda": "antidiag.kernels.parttree.alignment_cuda:msa_parttree",
        },
        returns=frozenset({"alignment", "tree"}),
        footprint=sizes.alignment_footprint,
        automatic=sizes.automatic,
        work=sizes.alignment_work,
        logged=sizes.alignment_logged,
        models=least(sizes.alignment_work, OWN_ESTIMATE, "cells of the nodes"),
        page=Path(__file__).with_name("page.md"),
        nominal_gcups={"cpu": 1.0, "cuda": 20.0},
        suits=lambda data: len(data) >= MANY,
    ),
    Method(
        id="parttree-add",
        unplayed="It does one thing very often: play ProSeqAlign, which aligns a sequence to a profile.",
        name="Adding many",
        family="parttree",
        summary="Any number of sequences added to an alignment of any size: each is aligned to the profile of its "
        "rows, which stay as they are beside each other.",
        citation=FAMSA,
        problem=adding.ADDING,
        parameters=(THREADS,),
        backends={"cpu": "antidiag.kernels.parttree.adding_cpu:parttree_add"},
        returns=frozenset({"alignment"}),
        footprint=adding.footprint,
        automatic=sizes.automatic,
        work=adding.work,
        models=least(adding.work, OWN_ESTIMATE, "cells of the profile and each sequence"),
        page=Path(__file__).with_name("page.md"),
        nominal_gcups={"cpu": 0.5},
    ),
)
