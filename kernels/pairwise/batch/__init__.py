"""Many pairs at once: record by record, all against all, or queries against others."""

from __future__ import annotations

from functools import partial
from pathlib import Path

from antidiag.kernels import scoring_options
from antidiag.kernels.citation import Citation
from antidiag.kernels.cost_estimate import CostEstimate, count_all_cells
from antidiag.kernels.cost_models import minimum_models
from antidiag.kernels.method import Method, ProblemType, Teaching, backends_in
from antidiag.kernels.pairwise import classification
from antidiag.kernels.pairwise.batch import formats, pair_blocks, problem, sizes
from antidiag.kernels.pairwise.batch.parameters import BatchParameters
from antidiag.kernels.pairwise.problem import default_scores
from antidiag.kernels.run_splitting import RunSplitting

GOTOH = Citation(
    key="gotoh1982improved",
    authors="Osamu Gotoh",
    title="An Improved Algorithm for Matching Biological Sequences",
    venue="Journal of Molecular Biology",
    year=1982,
    kind="article",
    volume="162",
    pages="705-708",
)

PAIR_BATCH = ProblemType(
    id="pair-batch",
    label="Many pairs of sequences",
    inputs=(problem.SEQUENCES,),
    options=problem.BATCH_OPTIONS,
    build_problem=problem.build_batch,
    default_options=default_scores,
    answer_json=formats.answer_json,
    answer_rows=formats.answer_rows,
    format_answer=formats.format_answer,
    file_formats=formats.FORMATS,
    setting_rows=problem.setting_rows,
    option_values=problem.option_values,
    problem_notes=lambda batch: (
        *scoring_options.sequence_notes(batch.sequences, batch.scoring.matrix),
        *scoring_options.preset_notes(batch.scoring, batch.sequences),
    ),
    trials_name="antidiag.kernels.pairwise.batch.trials:TRIALS",
    dp_classification=classification.GAPS,
)


def _split_by_blocks(name: str) -> RunSplitting:
    """Return how runs fall into blocks of pairs, by the name of the functions that compute a block."""
    return RunSplitting(
        "blocks of pairs",
        pair_blocks.list_blocks,
        backends_in("antidiag.kernels.pairwise.batch", name),
        "antidiag.kernels.pairwise.batch.pair_blocks:join_blocks",
    )


_declare_method = partial(
    Method,
    family="batch",
    citation=GOTOH,
    problem_type=PAIR_BATCH,
    parameters=BatchParameters,
    refuse_backend=problem.refuse_backend,
    teaching=Teaching(
        Path(__file__).with_name("page.md"),
        no_walkthrough_reason="The cells of a pair are those of StripedScore; follow the recurrence there.",
    ),
)

COST_MODELS = minimum_models(
    count_all_cells,
    "Gotoh 1982",
    "five sums and three maxima a cell; a GPU does a sum and a maximum of two pairs in one instruction",
    {"cpu": 8.0, "cuda": 4.0},
)

METHODS = (
    _declare_method(
        id="batch-alignment",
        name="BatchAlignment",
        summary="Best alignments of many pairs of any lengths in one run; on a GPU two pairs share registers.",
        backends=backends_in("antidiag.kernels.pairwise.batch", "align_batch"),
        splitting=_split_by_blocks("align_block"),
        returns=frozenset({"score", "alignments"}),
        cost=CostEstimate(
            estimate_memory=sizes.estimate_path_memory,
            memory_hint="Align the pairs in several runs.",
            nominal_gcups={"cpu": 1.5, "cuda": 1000.0},
            cost_models=COST_MODELS,
        ),
    ),
    _declare_method(
        id="batch-score",
        name="BatchScore",
        summary="Scores of the best alignments of many pairs of any lengths in one run.",
        backends=backends_in("antidiag.kernels.pairwise.batch", "score_batch"),
        splitting=_split_by_blocks("score_block"),
        returns=frozenset({"score"}),
        cost=CostEstimate(
            estimate_memory=sizes.estimate_score_memory,
            memory_hint="Align the pairs in several runs.",
            nominal_gcups={"cpu": 3.0, "cuda": 2000.0},
            cost_models=COST_MODELS,
        ),
    ),
)
