"""Hidden Markov models: the most probable path, evaluation, posterior and learning (003, chapter 5)."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from antidiag.kernels.citation import Citation
from antidiag.kernels.hmm import advice, analysis, formats, hmm, kinds, placement, problem, sizes
from antidiag.kernels.hmm.kinds import Kind, SumKind
from antidiag.kernels.hmm.parameters import BINDING, PIECE, PIECE_ON_GPU
from antidiag.kernels.hmm.sums import problem as sums
from antidiag.kernels.io.sequences import SEQUENCE
from antidiag.kernels.method import DataKind, Input, Method, ProblemType
from antidiag.kernels.parameters import Parameter
from antidiag.kernels.semiring.citation import THESIS
from antidiag.kernels.semiring.parameters import THREADS

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
    claims=hmm.claims,
    read=hmm.read,
    suffixes=(".json",),
    generate=partial(hmm.random_hmm, symbols="ACGTBDEF"),
    bundled=hmm.bundled(),
)

INPUTS = (Input(HMM, flag="model", label="hidden Markov model"), Input(SEQUENCE))

VITERBI = ProblemType(
    id="viterbi",
    label="Most probable path of a hidden Markov model",
    inputs=INPUTS,
    options=problem.OPTIONS,
    build=problem.build,
    defaults=problem.defaults,
    data=formats.data,
    rows=formats.rows,
    answer=formats.answer,
    formats=formats.FORMATS,
    settings=formats.settings,
    option_values=formats.option_values,
    recommend=advice.recommended,
    placement=placement.VITERBI,
    trials="antidiag.kernels.hmm.trials:VITERBI",
)

BOTH, CPU = ("cpu", "cuda"), ("cpu",)
"""Backends; methods that take one number after another have no version for the GPU."""


def _method(
    id: str,
    name: str,
    section: str,
    summary: str,
    cpu_gcups: float,
    kind: Kind,
    parameters: tuple[Parameter, ...] = (),
    backends: tuple[str, ...] = BOTH,
    exact: bool = True,
    play: str = "",
) -> Method:
    return Method(
        id=id,
        name=name,
        family="tropical",
        summary=summary,
        citation=THESIS.at(section),
        problem=VITERBI,
        parameters=parameters,
        backends={backend: f"antidiag.kernels.hmm.viterbi.{backend}:{id.replace('-', '_')}" for backend in backends},
        returns=frozenset({"states", "log probability"}),
        footprint=partial(sizes.footprint, kind=kind),
        automatic=partial(_automatic, kind, tuple(parameter.name for parameter in parameters)),
        work=partial(sizes.work, kind=kind),
        done=lambda made, values, answer: sizes.work(made, values, kind),
        logged=sizes.logged,
        page=Path(__file__).with_name("page.md"),
        nominal_gcups={"cpu": cpu_gcups, "cuda": 200.0},
        exact=exact,
        staging=f"antidiag.kernels.hmm.{play}" if play else "",
        models=analysis.models(kind),
    )


def _automatic(
    kind: Kind, names: tuple[str, ...], made: Any, backend: str, multiprocessors: int | None
) -> dict[str, Any]:
    found = sizes.automatic(made, backend, multiprocessors, kind)
    return {name: found[name] for name in names if name in found}


def _told(id: str, label: str, **told: Any) -> ProblemType:
    """A problem of a model and a sequence whose answer is told by other functions than a path's."""
    return replace(VITERBI, id=id, label=label, products=None, recommend=None, placement=placement.FORWARD, **told)


EVALUATION = _told("hmm-evaluation", "Probability under a hidden Markov model", data=sums.evaluation_data,
                   rows=sums.evaluation_rows, answer=sums.log_probability, formats=(),
                   trials="antidiag.kernels.hmm.trials:EVALUATION")  # fmt: skip
POSTERIOR = _told("hmm-posterior", "States of a hidden Markov model, letter by letter", data=sums.posterior_data,
                  rows=sums.evaluation_rows, answer=sums.log_probability, formats=sums.POSTERIOR_FORMATS,
                  trials="antidiag.kernels.hmm.trials:POSTERIOR")  # fmt: skip
LEARNING = _told(
    "hmm-learning", "Learning a hidden Markov model", inputs=(INPUTS[0], Input(SEQUENCE, 1, None)),
    options=sums.LEARNING_OPTIONS, build=sums.build_learning, data=sums.learning_data, rows=sums.learning_rows,
    answer=lambda result: f"log p {result.answer.log_probabilities[-1]:,.6g}", formats=sums.LEARNING_FORMATS,
    settings=lambda made: [("Model", f"{made.hmm.name}: {made.hmm.summary}")], option_values=sums.learning_options,
    trials="antidiag.kernels.hmm.trials:LEARNING",
)  # fmt: skip
LEARNING = replace(LEARNING, products=lambda result: [result.answer.hmm])


def _sum_method(
    id: str, name: str, problem: ProblemType, kind: SumKind, summary: str, citation: Citation, returns: set[str],
    parameters: tuple[Parameter, ...] = (PIECE_ON_GPU,), play: str = "",
) -> Method:  # fmt: skip
    return Method(
        id=id,
        name=name,
        family="tropical",
        summary=summary,
        citation=citation,
        problem=problem,
        parameters=parameters,
        backends={
            backend: f"antidiag.kernels.hmm.sums.{backend}:{id.replace('-', '_')}" for backend in ("cpu", "cuda")
        },
        returns=frozenset(returns),
        footprint=partial(sizes.sums_footprint, kind=kind),
        automatic=sizes.sums_automatic,
        work=lambda made, values: made.cells * kind.passes * (made.iterations + 1 if kind.counts else 1),
        done=lambda made, values, answer: made.cells * answer.sweeps,
        logged=sizes.logged,
        staging=f"antidiag.kernels.hmm.{play}" if play else "",
        models=analysis.sums(kind),
        page=Path(__file__).with_name("page.md"),
        nominal_gcups={"cpu": 3.0, "cuda": 200.0},
    )


SUMS = (
    _sum_method("hmm-forward", "Forward", EVALUATION, kinds.FORWARD,
                "How probable the sequence is, over all paths; on the CPU a letter after the other, whose many states "
                "threads share.", TUTORIAL.at("section III.A"), {"log probability"},
                (PIECE_ON_GPU, THREADS), play="plays:FORWARD"),
    _sum_method("hmm-posterior", "Posterior", POSTERIOR, kinds.POSTERIOR,
                "How probable each state is at each letter, given the whole sequence; on the CPU as Forward.",
                TUTORIAL.at("section III.B"), {"posterior", "log probability"}, (PIECE_ON_GPU, THREADS),
                play="plays:POSTERIOR"),
    _sum_method("hmm-baum-welch", "Baum-Welch", LEARNING, kinds.LEARNING,
                "A model that makes the sequences most probable, from a first one, round by round.",
                TUTORIAL.at("section III.C"), {"model"}, (PIECE_ON_GPU, THREADS),
                play="plays_learning:LEARNING"),
)  # fmt: skip

METHODS = (
    _method("viterbi-serial", "TropViterbi", "algorithm 2.6", "The recurrence in negative logarithms, state by state, "
            "on one thread.", 0.5, kinds.ROWS, backends=CPU, play="plays:SERIAL"),
    _method("viterbi-probabilities", "Viterbi", "algorithm 2.5", "The recurrence in probabilities, which are scaled "
            "by powers of two so that they do not vanish; near ties may fall otherwise.", 0.5, kinds.ROWS, backends=CPU,
            exact=False, play="plays_other:PROBABILITIES"),
    _method("viterbi-scalprod", "TropScalProd", "algorithm 5.1", "As TropViterbi, from sums of transition and "
            "emission that are made beforehand.", 0.6, kinds.SCALAR_PRODUCTS, play="plays_other:SUMS"),
    _method("viterbi-matvecprod", "TropMatVecProd", "algorithm 5.2", "A row of costs times a matrix over (min, +) for "
            "every letter.", 6.0, kinds.ROWS, play="plays:ROWS"),
    _method("viterbi-matprod-smem", "SMemViterbi", "algorithm 5.3", "The product of the matrices of all letters, each "
            "put together in fast memory.", 8.0, kinds.MATRIX_PRODUCTS, (THREADS,),
            play="plays:PRODUCTS"),
    _method("viterbi-matprod-tmem", "TMemViterbi", "algorithm 5.3", "As SMemViterbi, from matrices of all letters in a "
            "texture; on a CPU their parts are read through the cache.", 8.0, kinds.TEXTURES, (THREADS, BINDING),
            play="plays:TEXTURES"),
    _method("viterbi-tree", "TropMatProd in a tree", "section 5.3", "Products of pieces in parallel, joined in a tree: "
            "what the thesis names as future work.", 8.0, kinds.TREE, (PIECE, THREADS), play="plays:TREE"),
    _method("viterbi-persistent", "TropMatVecProd in pieces", "section 5.2", "Pieces of the sequence in parallel from "
            "guessed starts, corrected until rows are parallel to the right ones.", 6.0, kinds.PIECES,
            (PIECE, THREADS), play="plays_other:GUESSED"),
    *SUMS,
)  # fmt: skip
