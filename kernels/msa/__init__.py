"""Multiple alignment: ClustalW's pipeline as the thesis has it (003, section 4.4), and by ClustalW's own rules."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from kernels.citation import Citation
from kernels.method import Method
from kernels.msa import clustalw, sizes, thesis
from kernels.msa.parameters import THREADS
from kernels.msa.problem import problem_type
from kernels.semiring.citation import THESIS

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
    "msa-thesis", "Multiple alignment by the thesis", thesis.OPTIONS, thesis.rules, "kernels.msa.trials:THESIS",
    option_values=thesis.option_values,
)  # fmt: skip
CLUSTALW_PROBLEM = problem_type(
    "msa-clustalw", "Multiple alignment by ClustalW's rules", clustalw.OPTIONS, clustalw.rules,
    "kernels.msa.trials:CLUSTALW",
)  # fmt: skip


def _method(id: str, **declared: Any) -> Method:
    return Method(
        id=id,
        family="msa",
        parameters=(THREADS,),
        returns=frozenset({"alignment", "tree"}),
        footprint=sizes.footprint,
        automatic=sizes.automatic,
        work=sizes.work,
        page=Path(__file__).with_name("page.md"),
        **declared,
    )


METHODS = (
    _method(
        "msa-thesis",
        name="Progressive alignment",
        summary="Distances, guide tree, and all nodes whose children are aligned at once, phase by phase.",
        citation=THESIS.at("section 4.4"),
        problem=THESIS_PROBLEM,
        backends={"cpu": "kernels.msa.cpu:thesis"},
        nominal_gcups={"cpu": 1.0},
    ),
    _method(
        "msa-clustalw",
        name="ClustalW",
        summary="ClustalW's rules: weights, matrices by identity, gap costs by lengths and position, divergent last.",
        citation=THOMPSON,
        problem=CLUSTALW_PROBLEM,
        backends={"cpu": "kernels.msa.cpu:clustalw"},
        nominal_gcups={"cpu": 1.0},
    ),
)
