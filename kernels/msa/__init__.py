"""Multiple alignment: progressive pipelines (Hanif 2014, section 4.4; Thompson et al. 1994) and consistency."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from antidiag.kernels.citation import Citation
from antidiag.kernels.cost_models import OWN_ESTIMATE, minimum_models
from antidiag.kernels.method import Method
from antidiag.kernels.msa import sizes
from antidiag.kernels.msa.consistency import given_alignment
from antidiag.kernels.msa.consistency import rules as consistency
from antidiag.kernels.msa.consistency import sizes as consistency_sizes
from antidiag.kernels.msa.parameters import THREADS, WARPS
from antidiag.kernels.msa.pipelines import clustalw, thesis
from antidiag.kernels.msa.problem import problem_type
from antidiag.kernels.semiring.thesis_citation import THESIS

THOMPSON = Citation(
    key="thompson1994clustal",
    authors="Julie D. Thompson, Desmond G. Higgins, Toby J. Gibson",
    title="CLUSTAL W: improving the sensitivity of progressive multiple sequence alignment through sequence weighting, "
    "position-specific gap penalties and weight matrix choice",
    venue="Nucleic Acids Research",
    year=1994,
    kind="article",
    volume="22",
    pages="4673-4680",
)

THESIS_PROBLEM = problem_type(
    "msa-thesis",
    "Multiple alignment by the thesis",
    thesis.OPTIONS,
    thesis.make_rules,
    "antidiag.kernels.msa.trials:THESIS",
    option_values=thesis.read_options,
)
CLUSTALW_PROBLEM = problem_type(
    "msa-clustalw",
    "Multiple alignment by ClustalW's rules",
    clustalw.OPTIONS,
    clustalw.make_rules,
    "antidiag.kernels.msa.trials:CLUSTALW",
)
CONSISTENCY_PROBLEM = problem_type(
    "msa",
    "Multiple alignment by consistency",
    consistency.OPTIONS,
    consistency.make_rules,
    "antidiag.kernels.msa.consistency.trials:CONSISTENCY",
)
DO = Citation(
    key="do2005probcons",
    authors="Chuong B. Do, Mahathi S. P. Mahabhashyam, Michael Brudno, Serafim Batzoglou",
    title="ProbCons: probabilistic consistency-based multiple sequence alignment",
    venue="Genome Research",
    year=2005,
    kind="article",
    volume="15",
    pages="330-340",
)


def _declare_pipeline(id: str, **declared: Any) -> Method:
    """Declare a method of the progressive pipelines."""
    known = {
        "parameters": (THREADS,),
        "estimate_memory": sizes.estimate_memory,
        "automatic_parameters": sizes.choose_parameters,
        "count_work": sizes.count_cells,
        "logged_work": sizes.logged_work,
        "cost_models": minimum_models(
            sizes.count_cells, "Liu, Schmidt and Maskell 2009, section 2.1", "cells of pairs and of nodes"
        ),
        "help_page": Path(__file__).with_name("page.md"),
    }
    return Method(id=id, family="msa", returns=frozenset({"alignment", "tree"}), **{**known, **declared})


def _declare_consistency(id: str, **declared: Any) -> Method:
    """Declare a method that takes an alignment."""
    return _declare_pipeline(
        id,
        citation=DO,
        parameters=(THREADS, WARPS),
        backends={
            "cpu": "antidiag.kernels.msa.consistency.cpu:process_alignment",
            "cuda": "antidiag.kernels.msa.consistency.cuda:process_alignment",
        },
        estimate_memory=consistency_sizes.estimate_memory,
        automatic_parameters=consistency_sizes.choose_parameters,
        count_work=consistency_sizes.count_cells,
        completed_work=consistency_sizes.count_done_cells,
        logged_work=None,
        cost_models=minimum_models(consistency_sizes.count_cells, OWN_ESTIMATE, "cells of all pairs of sequences"),
        help_page=Path(__file__).with_name("consistency") / "page.md",
        nominal_gcups={"cpu": 0.05, "cuda": 1.0},
        memory_hint="remove rows, or align the sequences along PartTree, which takes any number",
        **declared,
    )


METHODS = (
    Method(
        id="msa",
        family="msa",
        name="Consistency",
        summary="The most accurate: posteriors of all pairs, made consistent through the other sequences, and refined.",
        citation=DO,
        problem_type=CONSISTENCY_PROBLEM,
        parameters=(THREADS, WARPS),
        backends={
            "cpu": "antidiag.kernels.msa.consistency.cpu:align_sequences",
            "cuda": "antidiag.kernels.msa.consistency.cuda:align_sequences",
        },
        walkthrough_name="antidiag.kernels.msa.walkthroughs.consistency_rounds:CONSISTENCY",
        returns=frozenset({"alignment", "tree"}),
        estimate_memory=consistency_sizes.estimate_memory,
        automatic_parameters=consistency_sizes.choose_parameters,
        count_work=consistency_sizes.count_cells,
        completed_work=consistency_sizes.count_done_cells,
        cost_models=minimum_models(consistency_sizes.count_cells, OWN_ESTIMATE, "cells of all pairs of sequences"),
        help_page=Path(__file__).with_name("consistency") / "page.md",
        nominal_gcups={"cpu": 0.05, "cuda": 1.0},
        memory_hint="a larger least posterior keeps fewer posteriors (0.1 needs two fifths as much as 0.01); alignment "
        "along PartTree takes any number of sequences in little memory",
    ),
    _declare_consistency(
        "msa-refine",
        name="Refinement",
        summary="Splits and merges any alignment again where expected accuracy rises; or gives its confidence alone.",
        problem_type=given_alignment.REFINING,
        no_walkthrough_reason="It begins with an alignment and merges its parts again, by posteriors of all pairs. "
        "Play "
        "Consistency, which makes these posteriors, and Progressive alignment, which shows how two parts are merged.",
    ),
    _declare_consistency(
        "msa-add",
        name="Adding sequences",
        summary="Adds sequences to any alignment by posteriors; its columns stay.",
        problem_type=given_alignment.ADDING,
        no_walkthrough_reason="It aligns each sequence to an alignment by posteriors. Play Consistency, which makes "
        "these, and "
        "ProSeqAlign, which aligns a sequence to a profile.",
    ),
    _declare_pipeline(
        "msa-thesis",
        name="Progressive alignment",
        summary="Distances, guide tree, and alignment level by level; independent nodes run in parallel.",
        citation=THESIS.with_section("section 4.4"),
        problem_type=THESIS_PROBLEM,
        backends={"cpu": "antidiag.kernels.msa.cpu:align_thesis", "cuda": "antidiag.kernels.msa.cuda:align_thesis"},
        walkthrough_name="antidiag.kernels.msa.walkthroughs.progressive_alignment:THESIS",
        nominal_gcups={"cpu": 1.0, "cuda": 100.0},
    ),
    _declare_pipeline(
        "msa-thesis-serial",
        name="Progressive alignment, serial",
        summary="One thread, one node of the tree after another.",
        citation=THESIS.with_section("section 4.4.1"),
        problem_type=THESIS_PROBLEM,
        parameters=(),
        backends={"cpu": "antidiag.kernels.msa.cpu:align_thesis_serially"},
        walkthrough_name="antidiag.kernels.msa.walkthroughs.progressive_alignment:SERIAL",
        nominal_gcups={"cpu": 1.0},
    ),
    _declare_pipeline(
        "msa-clustalw",
        name="ClustalW",
        summary="ClustalW's rules: weights, matrices by identity, gap costs by lengths and position, divergent last.",
        citation=THOMPSON,
        problem_type=CLUSTALW_PROBLEM,
        backends={"cpu": "antidiag.kernels.msa.cpu:align_clustalw", "cuda": "antidiag.kernels.msa.cuda:align_clustalw"},
        walkthrough_name="antidiag.kernels.msa.walkthroughs.progressive_alignment:CLUSTAL",
        nominal_gcups={"cpu": 1.0, "cuda": 100.0},
    ),
)
