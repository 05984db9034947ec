"""The pair problem: its options, and how it is made from two sequences."""

from __future__ import annotations

from collections.abc import Mapping
from collections.abc import Sequence as Sequences
from typing import Any

from kernels.errors import InputError
from kernels.method import ProblemType
from kernels.model import Mode, PairProblem, Sequence, SequenceType
from kernels.parameters import Parameter, resolve
from kernels.scoring import Scoring, load_matrix, match_mismatch, with_wildcard

GAP_HELP = "A gap of length k costs open + k x extend (so its first letter costs open + extend)."

OPTIONS = (
    Parameter("mode", "choice", "Mode", "Best local sub-alignment, or both sequences end to end.",
              default="local", choices=("local", "global")),
    Parameter("matrix", "text", "Matrix", "A substitution matrix by name, or a file; empty for match and mismatch.",
              default="", instead_of=("match", "mismatch")),
    Parameter("match", "float", "Match", "Score of two equal letters; used where no matrix is chosen.",
              default=None),
    Parameter("mismatch", "float", "Mismatch",
              "Score of two different letters, usually negative; used where no matrix is chosen.",
              default=None),
    Parameter("wildcard", "text", "Wildcard",
              "Letters that score 0 with every letter, such as N or NX; empty for none.",
              default=""),
    Parameter("gap_open", "float", "Gap open", GAP_HELP + " 0 gives linear gaps.", default=None, minimum=0),
    Parameter("gap_extend", "float", "Gap extend", GAP_HELP, default=None, minimum=0),
)  # fmt: skip

NUCLEOTIDE_DEFAULTS = {"match": 2, "mismatch": -3, "gap_open": 5, "gap_extend": 2}
PROTEIN_DEFAULTS = {"matrix": "BLOSUM62", "gap_open": 10, "gap_extend": 1}


def build(sequences: Sequences[Sequence], options: Mapping[str, Any]) -> PairProblem:
    """The pair problem of two sequences; options that are not given follow the type of the sequences."""
    if len(sequences) != 2:
        remedy = "choose two with --record NAME" if len(sequences) > 2 else "add another file or record"
        given = "1 was given" if len(sequences) == 1 else f"{len(sequences)} were given"
        raise InputError(f"this method takes 2 sequences, and {given}; {remedy}")
    for sequence in sequences:
        if not len(sequence):
            raise InputError(f"{sequence.name}: the sequence is empty; choose one with letters")
    chosen = {name: value for name, value in options.items() if value is not None}
    if "matrix" not in chosen and chosen.keys() & {"match", "mismatch"}:
        chosen["matrix"] = ""
    values = resolve(OPTIONS, {**NUCLEOTIDE_DEFAULTS, **defaults(sequences), **chosen})
    nucleotides = all(sequence.type != SequenceType.PROTEIN for sequence in sequences)
    problem = PairProblem(sequences[0], sequences[1], scoring(values, nucleotides), Mode(values["mode"]))
    problem.codes  # noqa: B018 - a letter without a score is an error now, not in the middle of a run
    return problem


def defaults(sequences: Sequences[Sequence]) -> Mapping[str, Any]:
    """Option values that suit the type of the sequences: +2/-3, 5 + 2k for nucleotides; BLOSUM62, 10 + k."""
    protein = any(sequence.type == SequenceType.PROTEIN for sequence in sequences)
    return PROTEIN_DEFAULTS if protein else NUCLEOTIDE_DEFAULTS


def scoring(values: Mapping[str, Any], nucleotides: bool = False) -> Scoring:
    """Scoring of resolved option values; a matrix goes before match and mismatch.

    ``nucleotides`` says that both sequences are DNA or RNA, where U equals T.
    """
    matrix = (
        with_wildcard(load_matrix(values["matrix"]), values["wildcard"])
        if values["matrix"]
        else match_mismatch(values["match"], values["mismatch"], values["wildcard"], nucleotides)
    )
    return Scoring(matrix, values["gap_open"], values["gap_extend"])


PAIR = ProblemType(id="pair", label="Two sequences", sequences=2, options=OPTIONS, build=build, defaults=defaults)
