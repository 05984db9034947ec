"""Options of problems that score letters and gaps, the same in every family."""

from __future__ import annotations

import re
from collections.abc import Mapping
from collections.abc import Sequence as Sequences
from typing import Any

from antidiag.kernels.courtesy import in_turns
from antidiag.kernels.model import Sequence, SequenceType
from antidiag.kernels.parameters import Parameter, resolve
from antidiag.kernels.scoring import Scoring, load_matrix, match_mismatch, with_wildcard

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


def defaults(sequences: Sequences[Sequence]) -> Mapping[str, Any]:
    """Option values that suit the type of the sequences: +2/-3, 5 + 2k for nucleotides; BLOSUM62, 10 + k."""
    return NUCLEOTIDE_DEFAULTS if nucleotides(sequences) else PROTEIN_DEFAULTS


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


def values(
    sequences: Sequences[Sequence], options: Mapping[str, Any], declared: Sequences[Parameter]
) -> dict[str, Any]:
    """A value for every declared option: given, else what suits the sequences.

    Scores of letters that are given put the matrix of the defaults out of force.
    """
    chosen = {name: value for name, value in options.items() if value is not None}
    if "matrix" not in chosen and chosen.keys() & {"match", "mismatch"}:
        chosen["matrix"] = ""
    names = {option.name for option in declared}
    suitable = {**NUCLEOTIDE_DEFAULTS, **defaults(sequences)}
    return dict(resolve(declared, {**{name: value for name, value in suitable.items() if name in names}, **chosen}))


def nucleotides(sequences: Sequences[Sequence]) -> bool:
    """Whether all sequences are DNA or RNA, so that U equals T."""
    return all(sequence.type != SequenceType.PROTEIN for sequence in in_turns(sequences))


def notes(problem: Any) -> tuple[str, ...]:
    """A note where nucleotides are aligned with a protein: they are not translated, so that the score means little."""
    kinds = {sequence.type == SequenceType.PROTEIN: sequence for sequence in in_turns(problem.sequences)}
    if len(kinds) < 2:
        return ()
    return (
        f"The types differ: {kinds[False].name} is {kinds[False].type} and {kinds[True].name} is protein. Letters are "
        "compared as they stand and nothing is translated, so the score means little; set the type if one is wrong, "
        "or translate first.",
    )


def values_of(scoring: Scoring) -> dict[str, Any]:
    """The option values that make this scoring again; a matrix from a file is named as the file is."""
    name = scoring.matrix.name
    wild, scores = _WILDCARD.search(name), _MATCH.match(name)
    letters = {"wildcard": wild["letters"]} if wild else {}
    gaps = {"gap_open": float(scoring.gap_open), "gap_extend": float(scoring.gap_extend)}
    if scores:
        return {"match": float(scores["match"]), "mismatch": float(scores["mismatch"]), **letters, **gaps}
    return {"matrix": _WILDCARD.sub("", name), **letters, **gaps}


_MATCH = re.compile(r"match (?P<match>[-+\d.e]+), mismatch (?P<mismatch>[-+\d.e]+)")
_WILDCARD = re.compile(r", (?P<letters>[A-Z*]+) = 0$")
