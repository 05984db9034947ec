"""Products of matrices over (min, +) and (max, +) (Hanif 2014, section 2.3), of which shortest paths and Viterbi
consist."""

from __future__ import annotations

from pathlib import Path

from antidiag.kernels.cost_estimate import CostEstimate, count_all_cells
from antidiag.kernels.cost_models import ADD_AND_MAX, minimum_models
from antidiag.kernels.method import Method, ProblemInput, ProblemType, TablePicture, Teaching, backends_in
from antidiag.kernels.products import answer_formats, dp_class, problem, sizes
from antidiag.kernels.products.matrix import MATRIX
from antidiag.kernels.semiring.thesis_citation import THESIS
from antidiag.kernels.semiring.thread_parameters import ThreadParameters

PRODUCT = ProblemType(
    id="product",
    label="Product of matrices",
    inputs=(ProblemInput(MATRIX, 2, 2),),
    options=problem.OPTIONS,
    build_problem=problem.build_problem,
    default_options=problem.default_options,
    answer_json=answer_formats.json_fields,
    answer_rows=answer_formats.report_rows,
    format_answer=answer_formats.summarise_answer,
    file_formats=answer_formats.FORMATS,
    extract_data=answer_formats.product_matrices,
    setting_rows=answer_formats.setting_rows,
    option_values=answer_formats.option_values,
    dp_classification=dp_class.PRODUCTS,
    trials_name="antidiag.kernels.products.trials:PRODUCTS",
)


METHODS = (
    Method(
        id="minplus-product",
        name="(min,+) product",
        family="products",
        summary="Matrix product with sums in place of products and minima (or maxima) in place of sums, for two "
        "matrices or many pairs.",
        citation=THESIS.with_section("section 2.3"),
        problem_type=PRODUCT,
        parameters=ThreadParameters,
        choose_parameters=sizes.automatic_parameters,
        backends=backends_in("antidiag.kernels.products", "multiply_matrices"),
        returns=frozenset({"product"}),
        cost=CostEstimate(
            estimate_memory=sizes.estimate_footprint,
            nominal_gcups={"cpu": 12.0, "cuda": 8000.0},
            cost_models=minimum_models(
                count_all_cells, "Hanif 2014, section 2.3", "Sums of two numbers, compared", ADD_AND_MAX
            ),
        ),
        picture=TablePicture(table_tiles=sizes.find_tiles),
        teaching=Teaching(Path(__file__).with_name("page.md"), "antidiag.kernels.products.walkthrough:PRODUCTS"),
    ),
)
