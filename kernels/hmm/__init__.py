"""Hidden Markov models: the most probable path, evaluation, posterior and learning in several ways."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from antidiag.kernels.citation import Citation
from antidiag.kernels.cost_estimate import CostEstimate
from antidiag.kernels.cost_models import CostModel
from antidiag.kernels.hmm import advice, analysis, dp_class, kinds, sizes
from antidiag.kernels.hmm.kinds import ViterbiKind
from antidiag.kernels.hmm.model import formats, hmm, problem
from antidiag.kernels.hmm.parameters import PieceParameters, SumParameters, TextureParameters
from antidiag.kernels.hmm.sums import problem as sums
from antidiag.kernels.hmm.sums import sizes as sum_sizes
from antidiag.kernels.io.sequences import SEQUENCE
from antidiag.kernels.method import DataKind, Method, ProblemInput, ProblemType, TablePicture, Teaching, backends_in
from antidiag.kernels.parameters import BOTH_BACKENDS, CPU_ONLY, MethodParameters
from antidiag.kernels.semiring.thesis_citation import THESIS
from antidiag.kernels.semiring.thread_parameters import ThreadParameters

TUTORIAL = Citation(
    key="rabiner1989tutorial",
    authors="Lawrence R. Rabiner",
    title="A Tutorial on Hidden Markov Models and Selected Applications in Speech Recognition",
    venue="Proceedings of the IEEE",
    year=1989,
    kind="article",
    volume="77",
    pages="257-286",
)

HMM = DataKind(
    id="hmm",
    label="hidden Markov model",
    plural="hidden Markov models",
    type=hmm.Hmm,
    claims_file=hmm.looks_like_hmm,
    read=hmm.read_hmm,
    suffixes=(".json", ".hmm"),
    generate=partial(hmm.make_random_hmm, symbols="ACGTBDEF"),
    bundled_files=hmm.list_bundled_models(),
)

INPUTS = (ProblemInput(HMM, flag="model", label="hidden Markov model"), ProblemInput(SEQUENCE))

VITERBI = ProblemType(
    id="viterbi",
    label="Most probable path of a hidden Markov model",
    inputs=INPUTS,
    options=problem.OPTIONS,
    build_problem=problem.build_problem,
    default_options=problem.default_options,
    answer_json=formats.collect_json_fields,
    answer_rows=formats.list_answer_rows,
    format_answer=formats.describe_answer,
    file_formats=formats.FORMATS,
    setting_rows=formats.list_settings,
    option_values=formats.collect_options,
    recommend_method=advice.recommend_for_data,
    dp_classification=dp_class.VITERBI_CLASS,
    trials_name="antidiag.kernels.hmm.trials:VITERBI",
)

PAGE = Path(__file__).with_name("page.md")


def _declare_viterbi_method(
    *,
    id: str,
    name: str,
    section: str,
    summary: str,
    kind: ViterbiKind,
    parameters: type[MethodParameters] = MethodParameters,
    pieces_per_thread: int = 1,
    models: tuple[CostModel, ...] = (),
    backends: tuple[str, ...] = BOTH_BACKENDS,
    is_exact: bool = True,
    cpu_gcups: float,
    walkthrough: str,
) -> Method:
    """Declare a method of Viterbi; ``kind`` says what its work and its memory are."""
    return Method(
        id=id,
        name=name,
        family="hmm",
        summary=summary,
        citation=THESIS.with_section(section),
        problem_type=VITERBI,
        parameters=parameters,
        choose_parameters=partial(sizes.choose_parameters, pieces_per_thread=pieces_per_thread),
        backends=backends_in("antidiag.kernels.hmm.viterbi", id.replace("-", "_"), backends),
        returns=frozenset({"states", "log probability"}),
        is_exact=is_exact,
        cost=CostEstimate(
            estimate_memory=kind.estimate_memory,
            count_work=kind.count_work,
            completed_work=lambda problem, values, answer: kind.count_work(problem, values),
            nominal_gcups={"cpu": cpu_gcups, "cuda": 200.0},
            cost_models=(*analysis.list_viterbi_models(kind.count_work), *models),
        ),
        picture=TablePicture(logged_work=sizes.describe_log),
        teaching=Teaching(PAGE, f"antidiag.kernels.hmm.walkthroughs.{walkthrough}"),
    )


def _derive_problem_type(id: str, label: str, **changes: Any) -> ProblemType:
    """Declare a problem of a model and a sequence that differs from Viterbi's in its answer."""
    return replace(
        VITERBI, id=id, label=label, recommend_method=None, dp_classification=dp_class.FORWARD_CLASS, **changes
    )


EVALUATION = _derive_problem_type(
    id="hmm-evaluation",
    label="Probability under a hidden Markov model",
    answer_json=sums.collect_evaluation_fields,
    answer_rows=sums.list_evaluation_rows,
    format_answer=sums.describe_log_probability,
    file_formats=(),
    trials_name="antidiag.kernels.hmm.trials:EVALUATION",
)
POSTERIOR = _derive_problem_type(
    id="hmm-posterior",
    label="States of a hidden Markov model, letter by letter",
    answer_json=sums.collect_posterior_fields,
    answer_rows=sums.list_evaluation_rows,
    format_answer=sums.describe_log_probability,
    file_formats=sums.POSTERIOR_FORMATS,
    trials_name="antidiag.kernels.hmm.trials:POSTERIOR",
)
LEARNING = _derive_problem_type(
    id="hmm-learning",
    label="Learning a hidden Markov model",
    inputs=(INPUTS[0], ProblemInput(SEQUENCE, 1, None)),
    options=sums.LEARNING_OPTIONS,
    build_problem=sums.build_learning_problem,
    answer_json=sums.collect_learning_fields,
    answer_rows=sums.list_learning_rows,
    format_answer=lambda result: f"log p {result.answer.log_probabilities[-1]:,.6g}",
    file_formats=sums.LEARNING_FORMATS,
    setting_rows=lambda problem: [("Model", f"{problem.hmm.name}: {problem.hmm.summary}")],
    option_values=sums.collect_learning_options,
    extract_data=lambda result: [result.answer.hmm],
    trials_name="antidiag.kernels.hmm.trials:LEARNING",
)


def _count_swept_cells(problem: Any, parameters: SumParameters, answer: Any) -> int:
    return problem.cells * answer.sweeps


_declare_sum_method = partial(
    Method,
    family="hmm",
    parameters=SumParameters,
    choose_parameters=sum_sizes.choose_sum_parameters,
    picture=TablePicture(logged_work=sizes.describe_log),
)
METHODS = (
    _declare_viterbi_method(
        id="viterbi-serial",
        name="TropViterbi",
        section="algorithm 2.6",
        summary="Most probable path by negative logarithms, state by state, on one thread.",
        cpu_gcups=0.5,
        kind=kinds.ROWS,
        backends=CPU_ONLY,
        walkthrough="viterbi_rows:SERIAL",
    ),
    _declare_viterbi_method(
        id="viterbi-probabilities",
        name="Viterbi",
        section="algorithm 2.5",
        summary="Most probable path by probabilities, scaled by powers of two against underflow; nearly equal paths "
        "may be chosen differently.",
        cpu_gcups=0.5,
        kind=kinds.ROWS,
        backends=CPU_ONLY,
        is_exact=False,
        walkthrough="viterbi_variants:PROBABILITIES",
    ),
    _declare_viterbi_method(
        id="viterbi-scalprod",
        name="TropScalProd",
        section="algorithm 5.1",
        summary="TropViterbi with precomputed sums of transition and emission.",
        cpu_gcups=0.6,
        kind=kinds.SCALAR_PRODUCTS,
        walkthrough="viterbi_variants:SUMS",
    ),
    _declare_viterbi_method(
        id="viterbi-matvecprod",
        name="TropMatVecProd",
        section="algorithm 5.2",
        summary="Most probable path by a (min, +) product of a row and a matrix for every letter.",
        cpu_gcups=6.0,
        kind=kinds.ROWS,
        walkthrough="viterbi_rows:ROWS",
    ),
    _declare_viterbi_method(
        id="viterbi-matprod-smem",
        name="SMemViterbi",
        section="algorithm 5.3",
        summary="Most probable path by the (min, +) product of the matrices of all letters, which are built in "
        "shared memory.",
        cpu_gcups=8.0,
        kind=kinds.MATRIX_PRODUCTS,
        parameters=ThreadParameters,
        walkthrough="matrix_products:PRODUCTS",
    ),
    _declare_viterbi_method(
        id="viterbi-matprod-tmem",
        name="TMemViterbi",
        section="algorithm 5.3",
        summary="SMemViterbi with the matrices of all letters in a texture; a CPU reads their parts through its cache.",
        cpu_gcups=8.0,
        kind=kinds.TEXTURES,
        parameters=TextureParameters,
        walkthrough="matrix_products:TEXTURES",
    ),
    _declare_viterbi_method(
        id="viterbi-tree",
        name="TropMatProd in a tree",
        section="section 5.3",
        summary="Most probable path by products of pieces of the sequence in parallel, joined in a tree; proposed in "
        "the thesis as future work.",
        cpu_gcups=8.0,
        kind=kinds.TREE,
        parameters=PieceParameters,
        pieces_per_thread=4,
        models=(analysis.make_piece_model(analysis.count_tree_steps),),
        walkthrough="matrix_products:TREE",
    ),
    _declare_viterbi_method(
        id="viterbi-persistent",
        name="TropMatVecProd in pieces",
        section="section 5.2",
        summary="Most probable path by pieces of the sequence in parallel: each starts from a guess and is corrected "
        "until its rows differ from the exact ones by a constant.",
        cpu_gcups=6.0,
        kind=kinds.PIECES,
        parameters=PieceParameters,
        models=(analysis.make_piece_model(analysis.count_corrected_steps),),
        walkthrough="viterbi_variants:GUESSED",
    ),
    _declare_sum_method(
        id="hmm-forward",
        name="Forward",
        citation=TUTORIAL.with_section("section III.A"),
        summary="Probability of the sequence over all paths. The CPU computes letter by letter; threads share the "
        "states of large models.",
        problem_type=EVALUATION,
        returns=frozenset({"log probability"}),
        backends=backends_in("antidiag.kernels.hmm.sums", "hmm_forward"),
        cost=CostEstimate(
            estimate_memory=sum_sizes.estimate_forward_memory,
            count_work=sum_sizes.count_forward_steps,
            completed_work=_count_swept_cells,
            nominal_gcups={"cpu": 3.0, "cuda": 200.0},
            cost_models=analysis.list_sum_models(1),
        ),
        teaching=Teaching(PAGE, "antidiag.kernels.hmm.walkthroughs.forward_backward:FORWARD"),
    ),
    _declare_sum_method(
        id="hmm-posterior",
        name="Posterior",
        citation=TUTORIAL.with_section("section III.B"),
        summary="Probability of each state at each letter, given the whole sequence.",
        problem_type=POSTERIOR,
        returns=frozenset({"posterior", "log probability"}),
        backends=backends_in("antidiag.kernels.hmm.sums", "hmm_posterior"),
        cost=CostEstimate(
            estimate_memory=sum_sizes.estimate_posterior_memory,
            count_work=sum_sizes.count_posterior_steps,
            completed_work=_count_swept_cells,
            nominal_gcups={"cpu": 3.0, "cuda": 200.0},
            cost_models=analysis.list_sum_models(2),
        ),
        teaching=Teaching(PAGE, "antidiag.kernels.hmm.walkthroughs.forward_backward:POSTERIOR"),
    ),
    _declare_sum_method(
        id="hmm-baum-welch",
        name="Baum-Welch",
        is_heuristic=True,
        citation=TUTORIAL.with_section("section III.C"),
        summary="Learns the model that makes the sequences most probable, iteration by iteration, from a first model.",
        problem_type=LEARNING,
        returns=frozenset({"model"}),
        backends=backends_in("antidiag.kernels.hmm.sums", "hmm_baum_welch"),
        cost=CostEstimate(
            estimate_memory=sum_sizes.estimate_learning_memory,
            count_work=sum_sizes.count_learning_steps,
            completed_work=_count_swept_cells,
            nominal_gcups={"cpu": 3.0, "cuda": 200.0},
            cost_models=analysis.list_sum_models(3),
        ),
        teaching=Teaching(PAGE, "antidiag.kernels.hmm.walkthroughs.baum_welch:LEARNING"),
    ),
)
