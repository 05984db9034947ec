"""Hidden Markov models: the most probable path, evaluation, posterior and learning (003, chapter 5)."""

from __future__ import annotations

from functools import partial
from pathlib import Path

from kernels.method import DataKind, Input, Method, ProblemType
from kernels.parameters import Parameter
from kernels.sequences import SEQUENCE
from kernels.tropical.declaring import PAPER, THREADS
from kernels.tropical.viterbi import formats, hmm, problem, sizes

HMM = DataKind(
    id="hmm",
    label="hidden Markov model",
    plural="hidden Markov models",
    type=hmm.Hmm,
    claims=hmm.claims,
    read=hmm.read,
    suffixes=(".json",),
    generate=hmm.random_hmm,
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
)

PIECE = Parameter(
    name="piece",
    kind="int",
    label="Piece",
    help="Letters of a piece of the sequence. Pieces run in parallel: small ones keep more workers busy, large ones "
    "have less to join or to correct.",
    minimum=4,
    maximum=1 << 24,
    unit="letters",
)


def _method(
    id: str, name: str, section: str, summary: str, cpu_gcups: float, parameters: tuple[Parameter, ...] = ()
) -> Method:
    return Method(
        id=id,
        name=name,
        family="tropical",
        summary=summary,
        citation=PAPER.at(section),
        problem=VITERBI,
        parameters=parameters,
        backends={"cpu": f"kernels.tropical.viterbi.cpu:{id.replace('-', '_')}"},
        returns=frozenset({"states", "log probability"}),
        footprint=partial(_footprint, id),
        automatic=partial(_automatic, id, tuple(parameter.name for parameter in parameters)),
        work=lambda made, values: sizes.work(made, values, id),
        page=Path(__file__).with_name("page.md"),
        nominal_gcups={"cpu": cpu_gcups, "cuda": 200.0},
        exact=id != "viterbi-probabilities",
    )


def _footprint(id: str, made, values, backend):
    return sizes.footprint(made, values, backend, id)


def _automatic(id: str, names: tuple[str, ...], made, backend, multiprocessors):
    found = sizes.automatic(made, backend, multiprocessors, id)
    return {name: found[name] for name in names}


METHODS = (
    _method("viterbi-serial", "TropViterbi", "algorithm 2.6", "The recurrence in negative logarithms, state by state, "
            "on one thread.", 0.5),
    _method("viterbi-probabilities", "Viterbi", "algorithm 2.5", "The recurrence in probabilities, which are scaled "
            "by powers of two so that they do not vanish; near ties may fall otherwise.", 0.5),
    _method("viterbi-scalprod", "TropScalProd", "algorithm 5.1", "As TropViterbi, from sums of transition and "
            "emission that are made beforehand.", 0.6),
    _method("viterbi-matvecprod", "TropMatVecProd", "algorithm 5.2", "A row of costs times a matrix over (min, +) for "
            "every letter.", 6.0),
    _method("viterbi-matprod-smem", "SMemViterbi", "algorithm 5.3", "The product of the matrices of all letters, each "
            "put together in fast memory.", 8.0, (THREADS,)),
    _method("viterbi-matprod-tmem", "TMemViterbi", "algorithm 5.3", "As SMemViterbi, with the transitions read through "
            "the cache, as through texture memory.", 8.0, (THREADS,)),
    _method("viterbi-tree", "TropMatProd in a tree", "section 5.3", "Products of pieces in parallel, joined in a tree: "
            "what the thesis names as future work.", 8.0, (PIECE, THREADS)),
    _method("viterbi-persistent", "TropMatVecProd in pieces", "section 5.2", "Pieces of the sequence in parallel from "
            "guessed starts, corrected until rows are parallel to the right ones.", 6.0, (PIECE, THREADS)),
)  # fmt: skip
