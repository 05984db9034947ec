"""RNA folding by Nussinov and optimal matrix chains: non-serial polyadic problems (Hanif 2014, section 6.1.4)."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from antidiag.kernels.citation import Citation
from antidiag.kernels.cost_estimate import CostEstimate, count_all_cells
from antidiag.kernels.cost_models import ADD_AND_MAX, minimum_models
from antidiag.kernels.folding import classification, cost_estimates, problem
from antidiag.kernels.io.sequences import SEQUENCE
from antidiag.kernels.method import Method, ProblemInput, ProblemType, TablePicture, Teaching, backends_in
from antidiag.kernels.model import SequenceType
from antidiag.kernels.semiring.thread_parameters import ThreadParameters
from antidiag.kernels.text import format_count

NUSSINOV = Citation(
    key="nussinov1978algorithms",
    authors="Ruth Nussinov, George Pieczenik, Jerrold R. Griggs, Daniel J. Kleitman",
    title="Algorithms for Loop Matchings",
    venue="SIAM Journal on Applied Mathematics",
    year=1978,
    kind="article",
    volume="35",
    pages="68-82",
)
CHAIN = Citation(
    key="godbole1973efficient",
    authors="Sadashiva S. Godbole",
    title="On Efficient Computation of Matrix Chain Products",
    venue="IEEE Transactions on Computers",
    year=1973,
    kind="article",
    volume="C-22",
    pages="864-866",
)

FOLDING_TYPE = ProblemType(
    id="folding",
    label="RNA folding",
    inputs=(ProblemInput(SEQUENCE),),
    options=problem.FOLDING_OPTIONS,
    build_problem=problem.build_folding,
    default_options=problem.no_defaults,
    answer_json=problem.folding_data,
    answer_rows=problem.folding_rows,
    format_answer=lambda result: format_count(result.answer.pairs, "pair"),
    file_formats=problem.FOLDING_FORMATS,
    option_values=lambda made: {"min_loop": made.min_loop, "wobble": made.wobble},
    dp_classification=classification.PAIRS,
    trials_name="antidiag.kernels.folding.trials:FOLDING",
)

CHAIN_TYPE = ProblemType(
    id="matrix-chain",
    label="Optimal matrix chain",
    inputs=(),
    options=problem.CHAIN_OPTIONS,
    build_problem=problem.build_chain,
    default_options=problem.no_defaults,
    answer_json=problem.chain_data,
    answer_rows=problem.chain_rows,
    format_answer=lambda result: f"{result.answer.cost:,}",
    answer_label="multiplications",
    option_values=lambda made: {"dimensions": ",".join(map(str, made.dimensions))},
    dp_classification=classification.CHAIN,
    trials_name="antidiag.kernels.folding.trials:CHAIN",
)


def is_one_rna(data: Sequence[Any]) -> bool:
    """Whether the data are one RNA sequence."""
    return len(data) == 1 and getattr(data[0], "type", None) is SequenceType.RNA


COST_MODELS = minimum_models(count_all_cells, "Hanif 2014, section 6.2", "sums of two parts, compared", ADD_AND_MAX)


PAGE = Path(__file__).with_name("page.md")

_declare_method = partial(
    Method,
    family="folding",
    parameters=ThreadParameters,
    choose_parameters=cost_estimates.choose_parameters,
    picture=TablePicture(logged_work=cost_estimates.describe_log),
)
METHODS = (
    _declare_method(
        id="nussinov",
        name="Nussinov",
        summary="RNA structure with the most base pairs: every interval is split at every position.",
        citation=NUSSINOV,
        problem_type=FOLDING_TYPE,
        backends=backends_in("antidiag.kernels.folding", "nussinov"),
        returns=frozenset({"structure"}),
        is_recommended_for=is_one_rna,
        cost=CostEstimate(
            estimate_memory=partial(cost_estimates.estimate_memory, np.int32),
            nominal_gcups={"cpu": 3.0, "cuda": 1000.0},
            cost_models=COST_MODELS,
        ),
        teaching=Teaching(PAGE, "antidiag.kernels.folding.walkthroughs:NUSSINOV"),
    ),
    _declare_method(
        id="matrix-chain",
        name="Optimal matrix chain",
        summary="Order of a matrix product with the fewest multiplications.",
        citation=CHAIN,
        problem_type=CHAIN_TYPE,
        backends=backends_in("antidiag.kernels.folding", "matrix_chain"),
        returns=frozenset({"order"}),
        cost=CostEstimate(
            estimate_memory=partial(cost_estimates.estimate_memory, np.int64),
            nominal_gcups={"cpu": 0.5, "cuda": 100.0},
            cost_models=COST_MODELS,
        ),
        teaching=Teaching(PAGE, "antidiag.kernels.folding.walkthroughs:CHAIN"),
    ),
)
