"""Multiple alignment: ClustalW's pipeline as the thesis has it (003, section 4.4), and by ClustalW's own rules."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from antidiag.kernels.analysis import OWN_ESTIMATE, least
from antidiag.kernels.citation import Citation
from antidiag.kernels.method import Method
from antidiag.kernels.msa import clustalw, sizes, thesis
from antidiag.kernels.msa.consistency import given
from antidiag.kernels.msa.consistency import rules as consistency
from antidiag.kernels.msa.consistency import sizes as consistency_sizes
from antidiag.kernels.msa.parameters import THREADS, WARPS
from antidiag.kernels.msa.problem import problem_type
from antidiag.kernels.semiring.citation import THESIS

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
    "msa-thesis", "Multiple alignment by the thesis", thesis.OPTIONS, thesis.rules,
    "antidiag.kernels.msa.trials:THESIS", option_values=thesis.option_values,
)  # fmt: skip
CLUSTALW_PROBLEM = problem_type(
    "msa-clustalw", "Multiple alignment by ClustalW's rules", clustalw.OPTIONS, clustalw.rules,
    "antidiag.kernels.msa.trials:CLUSTALW",
)  # fmt: skip
CONSISTENCY_PROBLEM = problem_type(
    "msa", "Multiple alignment by consistency", consistency.OPTIONS, consistency.rules,
    "antidiag.kernels.msa.consistency.trials:CONSISTENCY",
)  # fmt: skip
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


def _method(id: str, **declared: Any) -> Method:
    known = {
        "parameters": (THREADS,),
        "footprint": sizes.footprint,
        "automatic": sizes.automatic,
        "work": sizes.work,
        "logged": sizes.logged,
        "models": least(sizes.work, "004, section 2.1", "cells of pairs and of nodes"),
        "page": Path(__file__).with_name("page.md"),
    }
    return Method(id=id, family="msa", returns=frozenset({"alignment", "tree"}), **{**known, **declared})


def _given(id: str, **declared: Any) -> Method:
    """A method that takes an alignment."""
    return _method(
        id,
        citation=DO,
        parameters=(THREADS, WARPS),
        backends={
            "cpu": "antidiag.kernels.msa.consistency.cpu:given",
            "cuda": "antidiag.kernels.msa.consistency.cuda:given",
        },
        footprint=consistency_sizes.footprint,
        automatic=consistency_sizes.automatic,
        work=consistency_sizes.work,
        done=consistency_sizes.done,
        logged=None,
        models=least(consistency_sizes.work, OWN_ESTIMATE, "cells of all pairs of sequences"),
        page=Path(__file__).with_name("consistency") / "page.md",
        nominal_gcups={"cpu": 0.05, "cuda": 1.0},
        remedy="leave rows out, or align the sequences anew along PartTree, which takes any number of them",
        **declared,
    )


METHODS = (
    Method(
        id="msa",
        family="msa",
        name="Consistency",
        summary="The most accurate: posteriors of all pairs, made consistent by way of the others, and refined.",
        citation=DO,
        problem=CONSISTENCY_PROBLEM,
        parameters=(THREADS, WARPS),
        backends={
            "cpu": "antidiag.kernels.msa.consistency.cpu:msa",
            "cuda": "antidiag.kernels.msa.consistency.cuda:msa",
        },
        staging="antidiag.kernels.msa.plays_consistency:CONSISTENCY",
        returns=frozenset({"alignment", "tree"}),
        footprint=consistency_sizes.footprint,
        automatic=consistency_sizes.automatic,
        work=consistency_sizes.work,
        done=consistency_sizes.done,
        models=least(consistency_sizes.work, OWN_ESTIMATE, "cells of all pairs of sequences"),
        page=Path(__file__).with_name("consistency") / "page.md",
        nominal_gcups={"cpu": 0.05, "cuda": 1.0},
        remedy="a larger least posterior keeps fewer of them (0.1 takes two fifths of what 0.01 does); the alignment "
        "along PartTree takes any number of sequences in little memory",
    ),
    _given(
        "msa-refine",
        name="Refinement",
        summary="Any alignment, parted and merged again where expected accuracy rises; or its confidence alone.",
        problem=given.REFINING,
        unplayed="It begins with an alignment and merges its parts again, by posteriors of all pairs. Play "
        "Consistency, which makes these posteriors, and Progressive alignment, which shows how two parts are merged.",
    ),
    _given(
        "msa-add",
        name="Adding sequences",
        summary="Sequences added to any alignment by posteriors; its rows stay as they are beside each other.",
        problem=given.ADDING,
        unplayed="It aligns each sequence to an alignment by posteriors. Play Consistency, which makes these, and "
        "ProSeqAlign, which aligns a sequence to a profile.",
    ),
    _method(
        "msa-thesis",
        name="Progressive alignment",
        summary="Distances, guide tree, and all nodes whose children are aligned at once, phase by phase.",
        citation=THESIS.at("section 4.4"),
        problem=THESIS_PROBLEM,
        backends={"cpu": "antidiag.kernels.msa.cpu:thesis", "cuda": "antidiag.kernels.msa.cuda:thesis"},
        staging="antidiag.kernels.msa.plays:THESIS",
        nominal_gcups={"cpu": 1.0, "cuda": 100.0},
    ),
    _method(
        "msa-thesis-serial",
        name="Progressive alignment, serial",
        summary="The same on one thread, a node of the tree after another.",
        citation=THESIS.at("section 4.4.1"),
        problem=THESIS_PROBLEM,
        parameters=(),
        backends={"cpu": "antidiag.kernels.msa.cpu:thesis_serial"},
        staging="antidiag.kernels.msa.plays:SERIAL",
        nominal_gcups={"cpu": 1.0},
    ),
    _method(
        "msa-clustalw",
        name="ClustalW",
        summary="ClustalW's rules: weights, matrices by identity, gap costs by lengths and position, divergent last.",
        citation=THOMPSON,
        problem=CLUSTALW_PROBLEM,
        backends={"cpu": "antidiag.kernels.msa.cpu:clustalw", "cuda": "antidiag.kernels.msa.cuda:clustalw"},
        staging="antidiag.kernels.msa.plays:CLUSTAL",
        nominal_gcups={"cpu": 1.0, "cuda": 100.0},
    ),
)
