"""Options of problems that score letters and gaps, shared by all families."""

from __future__ import annotations

import re
from collections.abc import Mapping
from collections.abc import Sequence as Sequences
from typing import Any

from antidiag.kernels.model import Sequence, SequenceType, sequence_types
from antidiag.kernels.parameters import Parameter, resolve_values
from antidiag.kernels.scoring import Scoring, load_matrix, match_mismatch, with_wildcard

GAP_HELP = "A gap of length k costs open + k x extend, so its first letter costs open + extend."

SCORING_OPTIONS = (
    Parameter(
        "mode",
        "choice",
        "Mode",
        "Align the best matching parts (local) or both sequences end to end (global).",
        default="local",
        choices=("local", "global"),
    ),
    Parameter(
        "matrix",
        "text",
        "Matrix",
        "Name of a substitution matrix, or a file. Leave empty to use match and mismatch scores.",
        default="",
        overrides=("match", "mismatch"),
    ),
    Parameter("match", "float", "Match", "Score of two equal letters, if no matrix is chosen."),
    Parameter("mismatch", "float", "Mismatch", "Score of two different letters, if no matrix is chosen."),
    Parameter("wildcard", "text", "Wildcard", "Letters that score 0 with every letter, such as N or NX.", default=""),
    Parameter("gap_open", "float", "Gap open", GAP_HELP + " 0 gives linear gaps.", minimum=0),
    Parameter("gap_extend", "float", "Gap extend", GAP_HELP, minimum=0),
)

NUCLEOTIDE_DEFAULTS = {"match": 2, "mismatch": -3, "gap_open": 5, "gap_extend": 2}
PROTEIN_DEFAULTS = {"matrix": "BLOSUM62", "gap_open": 10, "gap_extend": 1}


def default_scores(sequences: Sequences[Sequence]) -> Mapping[str, Any]:
    """Return default scores: +2/-3 and 5 + 2k for nucleotides, BLOSUM62 and 10 + k for proteins."""
    return NUCLEOTIDE_DEFAULTS if are_nucleotides(sequences) else PROTEIN_DEFAULTS


def make_scoring(values: Mapping[str, Any], nucleotides: bool = False) -> Scoring:
    """Return the scoring of resolved option values; a matrix overrides match and mismatch.

    With ``are_nucleotides`` all sequences are DNA or RNA, and U equals T.
    """
    matrix = (
        with_wildcard(load_matrix(values["matrix"]), values["wildcard"])
        if values["matrix"]
        else match_mismatch(values["match"], values["mismatch"], values["wildcard"], nucleotides)
    )
    return Scoring(matrix, values["gap_open"], values["gap_extend"])


def resolve_options(
    sequences: Sequences[Sequence], options: Mapping[str, Any], declared: Sequences[Parameter]
) -> dict[str, Any]:
    """Return a value for every declared option: the chosen value, else the default for these sequences.

    A chosen match or mismatch score overrides the default matrix.
    """
    chosen = {name: value for name, value in options.items() if value is not None}
    if "matrix" not in chosen and chosen.keys() & {"match", "mismatch"}:
        chosen["matrix"] = ""
    names = {option.name for option in declared}
    suitable = {**NUCLEOTIDE_DEFAULTS, **default_scores(sequences)}
    return dict(
        resolve_values(declared, {**{name: value for name, value in suitable.items() if name in names}, **chosen})
    )


def are_nucleotides(sequences: Sequences[Sequence]) -> bool:
    """Return whether all sequences are DNA or RNA, so that U equals T."""
    return SequenceType.PROTEIN not in sequence_types(sequences)


def type_notes(problem: Any) -> tuple[str, ...]:
    """Return a note if nucleotides are aligned with a protein, which are compared without translation."""
    if len({kind == SequenceType.PROTEIN for kind in sequence_types(problem.sequences)}) < 2:
        return ()
    kinds = {sequence.type == SequenceType.PROTEIN: sequence for sequence in problem.sequences}
    return (
        f"The types differ: {kinds[False].name} is {kinds[False].type} and {kinds[True].name} is protein. "
        "Sequences are not translated, so the score has little meaning. Correct the type, or translate first.",
    )


def scoring_option_values(scoring: Scoring) -> dict[str, Any]:
    """Return the option values that rebuild this scoring; a matrix from a file is named by the path of the file."""
    name = scoring.matrix.name
    wild, scores = _WILDCARD.search(name), _MATCH.match(name)
    letters = {"wildcard": wild["letters"]} if wild else {}
    gaps = {"gap_open": float(scoring.gap_open), "gap_extend": float(scoring.gap_extend)}
    if scoring.matrix.source:
        return {"matrix": scoring.matrix.source, **letters, **gaps}
    if scores:
        return {"match": float(scores["match"]), "mismatch": float(scores["mismatch"]), **letters, **gaps}
    return {"matrix": _WILDCARD.sub("", name), **letters, **gaps}


def scoring_json(scoring: Scoring) -> dict[str, Any]:
    """Return a scoring as JSON fields: the name of the matrix, gap costs, and the scores of letters where these define
    it."""
    values = scoring_option_values(scoring)
    letters: dict[str, Any] = {name: values[name] for name in ("match", "mismatch", "wildcard") if name in values}
    return {
        "matrix": scoring.matrix.name,
        **letters,
        "gap_open": scoring.gap_open,
        "gap_extend": scoring.gap_extend,
    }


_MATCH = re.compile(r"match (?P<match>[-+\d.e]+), mismatch (?P<mismatch>[-+\d.e]+)")
_WILDCARD = re.compile(r", (?P<letters>[A-Z*]+) = 0$")
