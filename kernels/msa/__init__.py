"""Multiple alignment: progressive pipelines (Hanif 2014, section 4.4; Thompson et al. 1994) and consistency."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from pathlib import Path

from antidiag.kernels import scoring_options
from antidiag.kernels.citation import Citation
from antidiag.kernels.cost_estimate import CostEstimate
from antidiag.kernels.cost_models import OWN_ESTIMATE, minimum_models
from antidiag.kernels.method import Method, TablePicture, Teaching, backends_in
from antidiag.kernels.msa import sizes
from antidiag.kernels.msa.consistency import given_alignment, posterior_blocks
from antidiag.kernels.msa.consistency import rules as consistency
from antidiag.kernels.msa.consistency import sizes as consistency_sizes
from antidiag.kernels.msa.parameters import PipelineParameters, PosteriorParameters
from antidiag.kernels.msa.pipelines import clustalw, thesis
from antidiag.kernels.msa.problem import problem_type
from antidiag.kernels.parameters import CPU_ONLY, MethodParameters
from antidiag.kernels.run_splitting import RunSplitting
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
    guide_options=("pairwise",),
    default_options=scoring_options.default_scores,
)
CLUSTALW_PROBLEM = problem_type(
    "msa-clustalw",
    "Multiple alignment by ClustalW's rules",
    clustalw.OPTIONS,
    clustalw.make_rules,
    "antidiag.kernels.msa.trials:CLUSTALW",
    guide_options=("pairwise",),
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


ROWS = frozenset({"alignment", "tree"})


CONSISTENCY_PAGE = Path(__file__).with_name("consistency") / "page.md"
PIPELINE_COST = CostEstimate(
    estimate_memory=sizes.estimate_memory,
    count_work=sizes.count_cells,
    completed_work=sizes.count_done_cells,
    nominal_gcups={"cpu": 1.0, "cuda": 100.0},
    cost_models=minimum_models(
        sizes.count_cells, "Liu, Schmidt and Maskell 2009, section 2.1", "cells of pairs and of nodes"
    ),
)
CONSISTENCY_COST = CostEstimate(
    estimate_memory=consistency_sizes.estimate_memory,
    memory_hint="remove rows, or align the sequences along PartTree, which takes any number",
    count_work=consistency_sizes.count_cells,
    completed_work=consistency_sizes.count_done_cells,
    count_timed_work=consistency_sizes.count_timed_work,
    nominal_gcups={"cpu": 0.05, "cuda": 1.0},
    cost_models=minimum_models(consistency_sizes.count_cells, OWN_ESTIMATE, "cells of all pairs of sequences"),
)
_declare_pipeline = partial(
    Method,
    family="msa",
    is_heuristic=True,
    parameters=PipelineParameters,
    returns=ROWS,
    cost=PIPELINE_COST,
    picture=TablePicture(logged_work=sizes.logged_work),
)
_declare_consistency = partial(
    Method,
    family="msa",
    is_heuristic=True,
    citation=DO,
    parameters=PosteriorParameters,
    choose_parameters=consistency_sizes.choose_parameters,
    backends=backends_in("antidiag.kernels.msa.consistency", "process_alignment"),
    returns=ROWS,
    cost=CONSISTENCY_COST,
)


def _teach_pipeline(walkthrough: str) -> Teaching:
    """Return the page of the pipelines and a step-by-step animation."""
    return Teaching(
        Path(__file__).with_name("page.md"), f"antidiag.kernels.msa.walkthroughs.progressive_alignment:{walkthrough}"
    )


METHODS = (
    _declare_consistency(
        id="msa",
        name="Consistency",
        summary="The most accurate alignment: posteriors of all pairs, made consistent through the other sequences, "
        "then merged along a tree and refined.",
        problem_type=CONSISTENCY_PROBLEM,
        backends=backends_in("antidiag.kernels.msa.consistency", "align_sequences"),
        cost=replace(
            CONSISTENCY_COST,
            memory_hint="a larger least posterior keeps fewer posteriors (of unlike sequences, 0.1 needs a third as "
            "much as 0.01); "
            "alignment along PartTree takes any number of sequences in little memory",
        ),
        splitting=RunSplitting(
            "posteriors of blocks of pairs",
            posterior_blocks.list_blocks,
            backends_in("antidiag.kernels.msa.consistency", "compute_block"),
            prepare_problem=posterior_blocks.drop_guide,
            finish_run=backends_in("antidiag.kernels.msa.consistency", "finish_alignment"),
            pays_beside_gpu=posterior_blocks.pays_beside_gpu,
            estimate_memory=posterior_blocks.estimate_block_memory,
        ),
        teaching=Teaching(CONSISTENCY_PAGE, "antidiag.kernels.msa.walkthroughs.consistency_rounds:CONSISTENCY"),
    ),
    _declare_consistency(
        id="msa-refine",
        name="Refinement",
        summary="Refines any alignment: splits it and merges it again where expected accuracy rises. Or computes its "
        "confidence alone.",
        problem_type=given_alignment.REFINING,
        teaching=Teaching(
            CONSISTENCY_PAGE,
            no_walkthrough_reason="It begins with an alignment and merges its parts again, by posteriors of all pairs. "
            "Play Consistency, which makes these posteriors, and Progressive alignment, which shows how two parts are "
            "merged.",
        ),
    ),
    _declare_consistency(
        id="msa-add",
        name="Adding sequences",
        summary="Adds sequences to any alignment by posteriors; its columns stay.",
        problem_type=given_alignment.ADDING,
        teaching=Teaching(
            CONSISTENCY_PAGE,
            no_walkthrough_reason="It aligns each sequence to an alignment by posteriors. Play Consistency, which "
            "makes these, and ProSeqAlign, which aligns a sequence to a profile.",
        ),
    ),
    _declare_pipeline(
        id="msa-thesis",
        name="Progressive alignment",
        summary="Distances, guide tree, and alignment level by level; independent nodes run in parallel.",
        citation=THESIS.with_section("section 4.4"),
        problem_type=THESIS_PROBLEM,
        backends=backends_in("antidiag.kernels.msa", "align_thesis"),
        teaching=_teach_pipeline("THESIS"),
    ),
    _declare_pipeline(
        id="msa-thesis-serial",
        name="Progressive alignment, serial",
        summary="Distances, guide tree, and alignment on one thread, one node of the tree after another.",
        citation=THESIS.with_section("section 4.4.1"),
        problem_type=THESIS_PROBLEM,
        parameters=MethodParameters,
        backends=backends_in("antidiag.kernels.msa", "align_thesis_serially", CPU_ONLY),
        cost=replace(PIPELINE_COST, nominal_gcups={"cpu": 1.0}),
        teaching=_teach_pipeline("SERIAL"),
    ),
    _declare_pipeline(
        id="msa-clustalw",
        name="ClustalW",
        summary="ClustalW's rules: weights, matrices by identity, gap costs by lengths and position, divergent last.",
        citation=THOMPSON,
        problem_type=CLUSTALW_PROBLEM,
        backends=backends_in("antidiag.kernels.msa", "align_clustalw"),
        teaching=_teach_pipeline("CLUSTAL"),
    ),
)
