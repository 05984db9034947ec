"""Options of problems that score letters and gaps, shared by all families."""

from __future__ import annotations

import re
from collections.abc import Mapping
from collections.abc import Sequence as Sequences
from functools import lru_cache
from typing import Any

from antidiag.kernels.errors import ParameterError
from antidiag.kernels.matrix_files import load_matrix
from antidiag.kernels.model import Sequence, SequenceType, sequence_types
from antidiag.kernels.parameters import Parameter, resolve_values
from antidiag.kernels.scoring import (
    NO_FREE_ENDS,
    FreeEnds,
    Mode,
    Scoring,
    SubstitutionMatrix,
    add_letters,
    match_mismatch,
    with_wildcard,
)
from antidiag.kernels.scoring_presets import NO_PRESET, PRESET_ALIASES, PRESETS, find_preset
from antidiag.kernels.sequences.alphabets import BASES, letter_meanings

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
    Parameter(
        "mismatch",
        "float",
        "Mismatch",
        "Score of two different letters, if no matrix is chosen. Ambiguous letters (N, R, ...; X, B, Z, J of proteins) "
        "count as different from every letter, themselves included.",
    ),
    Parameter("wildcard", "text", "Wildcard", "Letters that score 0 with every letter, such as N or NX.", default=""),
    Parameter("gap_open", "float", "Gap open", GAP_HELP + " 0 gives linear gaps.", minimum=0),
    Parameter("gap_extend", "float", "Gap extend", GAP_HELP, minimum=0),
)

FREE_END_OPTIONS = tuple(
    Parameter(
        f"free_{side}_{end}",
        "bool",
        f"Free {end} of {side}",
        f"With mode custom: letters, or columns of a profile, at the {end} of the {side} one may stay unaligned at no "
        "cost.",
        default=False,
    )
    for side in ("first", "second")
    for end in ("start", "end")
)
"""The switches of the mode custom; their names without "free" are those of `FreeEnds`."""

PRESET = Parameter(
    "preset",
    "choice",
    "Preset",
    "Scores and gap costs of another program: "
    + "; ".join(f"{preset.name} ({preset.label})" for preset in PRESETS)
    + ". What is set beside it replaces its own value.",
    default=NO_PRESET,
    choices=(NO_PRESET, *(preset.name for preset in PRESETS)),
    aliases=PRESET_ALIASES,
)
AMBIGUOUS = Parameter(
    "ambiguous",
    "float",
    "Ambiguous",
    "Score of an ambiguous letter (N, R, ...; X, B, Z, J of proteins) with any letter, if no matrix is chosen; by "
    "default that of two different letters, and at most 0.",
)
SECOND_PIECE = "A gap of length k costs the smaller of open + k x extend and open 2 + k x extend 2."
ONE_PIECE, TWO_PIECES = "affine", "two-piece"
GAP_MODEL_OPTIONS = (
    Parameter(
        "gap_model",
        "choice",
        "Gap model",
        "affine: a gap of length k costs open + k x extend. two-piece: it costs that or open 2 + k x extend 2, "
        "whichever is less, so that long gaps cost less, as in minimap2. Automatic: that of the preset, else affine.",
        choices=(ONE_PIECE, TWO_PIECES),
    ),
    Parameter("gap_open2", "float", "Gap open 2", f"With the gap model two-piece. {SECOND_PIECE}", minimum=0),
    Parameter("gap_extend2", "float", "Gap extend 2", f"With the gap model two-piece. {SECOND_PIECE}", minimum=0),
)
"""Gap costs of two pieces, for the families that compute with them; the first piece is that of SCORING_OPTIONS."""
SECOND_COSTS = ("gap_open2", "gap_extend2")

NUCLEOTIDE_DEFAULTS = {"match": 2, "mismatch": -3, "gap_open": 5, "gap_extend": 2}
PROTEIN_DEFAULTS = {"matrix": "BLOSUM62", "gap_open": 10, "gap_extend": 1}
NUCLEOTIDE_GAP_MODEL = {"gap_model": ONE_PIECE, "gap_open2": 24, "gap_extend2": 1}
PROTEIN_GAP_MODEL = {"gap_model": ONE_PIECE, "gap_open2": 20, "gap_extend2": 0.5}

_SUITABLE_VALUES: Mapping[bool, Mapping[str, Any]] = {
    True: {**NUCLEOTIDE_DEFAULTS, **NUCLEOTIDE_GAP_MODEL},
    False: {**NUCLEOTIDE_DEFAULTS, **PROTEIN_DEFAULTS, **PROTEIN_GAP_MODEL},
}
"""Default values of all options that score letters and gaps, by whether the sequences are nucleotides."""


def default_scores(sequences: Sequences[Sequence]) -> Mapping[str, Any]:
    """Return default scores: +2/-3 and 5 + 2k for nucleotides, BLOSUM62 and 10 + k for proteins."""
    return NUCLEOTIDE_DEFAULTS if are_nucleotides(sequences) else PROTEIN_DEFAULTS


def default_gap_model(sequences: Sequences[Sequence]) -> Mapping[str, Any]:
    """Return the default gap model, affine, and second piece: 24 + k for nucleotides, 20 + k / 2 for proteins."""
    return NUCLEOTIDE_GAP_MODEL if are_nucleotides(sequences) else PROTEIN_GAP_MODEL


def make_scoring(values: Mapping[str, Any], nucleotides: bool = False, sequences: Sequences[Sequence] = ()) -> Scoring:
    """Return the scoring of resolved option values; a matrix overrides match and mismatch.

    With ``nucleotides`` all sequences are DNA or RNA, and U equals T. Letters of the ``sequences`` that the matrix
    lacks score as what they stand for, see `scoring.add_letters`.
    """
    matrix = (
        with_wildcard(load_matrix(values["matrix"]), values["wildcard"])
        if values["matrix"]
        else match_mismatch(
            values["match"], values["mismatch"], values["wildcard"], nucleotides, values.get("ambiguous")
        )
    )
    matrix = add_letters(matrix, unscored_letters(sequences, matrix))
    open2, extend2 = (values[name] if values.get("gap_model") == TWO_PIECES else None for name in SECOND_COSTS)
    preset = find_preset(values.get("preset", ""))
    costs = values["gap_open"], values["gap_extend"], open2, extend2
    return _share_scoring(matrix.name, matrix.source, matrix, *costs, preset.name if preset else "")


@lru_cache(maxsize=64, typed=True)
def _share_scoring(
    name: str,
    source: str,
    matrix: SubstitutionMatrix,
    gap_open: float,
    gap_extend: float,
    gap_open2: float | None,
    gap_extend2: float | None,
    preset: str,
) -> Scoring:
    """Return a scoring, the same object for the same values, so that many short runs scale its scores once.

    ``name`` and ``source`` are those of the matrix, which does not compare them.
    """
    return Scoring(matrix, gap_open, gap_extend, gap_open2, gap_extend2, preset)


def resolve_options(
    sequences: Sequences[Sequence], options: Mapping[str, Any], declared: Sequences[Parameter]
) -> dict[str, Any]:
    """Return a value for every declared option: the chosen value, else the default for these sequences.

    A chosen match or mismatch score overrides the default matrix, and a chosen second piece of gap costs the default
    gap model. The values of a chosen preset replace the defaults. Raises ParameterError where the preset is for other
    letters than those of the sequences, and where a second piece is chosen that the chosen gap model does not use.
    """
    chosen = {name: value for name, value in options.items() if value is not None}
    if chosen.get("gap_model", TWO_PIECES) != TWO_PIECES:  # all automatic values have a second piece, too
        automatic = default_gap_model(sequences)
        chosen = {name: value for name, value in chosen.items() if name not in SECOND_COSTS or automatic[name] != value}
    second = [name for name in SECOND_COSTS if name in chosen]
    if second and chosen.setdefault("gap_model", TWO_PIECES) != TWO_PIECES:
        raise ParameterError(
            f"{second[0]} is set, which the gap model {chosen['gap_model']} does not use; choose the gap model "
            f"{TWO_PIECES}, or leave it out"
        )
    if "matrix" not in chosen and chosen.keys() & {"match", "mismatch"}:
        chosen["matrix"] = ""
    names = {option.name for option in declared}
    preset = find_preset(chosen.get("preset", "")) if "preset" in names else None
    own = preset.values_for(are_nucleotides(sequences)) if preset else {}
    suitable = {**_SUITABLE_VALUES[are_nucleotides(sequences)], **own}
    values = dict(resolve_values(declared, chosen))
    values.update({name: value for name, value in suitable.items() if name in names and name not in chosen})
    return values


def choose_free_ends(values: Mapping[str, Any], mode: str) -> FreeEnds:
    """Return the free ends that are switched on; ParameterError where the mode has its own."""
    ends = FreeEnds(*(values[option.name] for option in FREE_END_OPTIONS))
    if ends != NO_FREE_ENDS and mode != Mode.CUSTOM:
        raise ParameterError(
            f"free ends are chosen ({ends}), which the mode {mode} does not use; choose the mode custom, or switch "
            "them off"
        )
    return ends


def are_nucleotides(sequences: Sequences[Sequence]) -> bool:
    """Return whether all sequences are DNA or RNA, so that U equals T."""
    return SequenceType.PROTEIN not in sequence_types(sequences)


def unscored_letters(sequences: Sequences[Sequence], matrix: SubstitutionMatrix) -> str:
    """Return the letters of the sequences that a matrix lacks, in alphabetical order."""
    found: set[int] = set()
    letter_parts = getattr(sequences, "letter_parts", None)  # a `SequenceSet` makes no object for a sequence
    for letters in letter_parts() if letter_parts else (sequence.letters for sequence in sequences):
        found |= set(letters.translate(None, matrix.scored_letters))
    return bytes(sorted(found)).decode("latin-1")


def sequence_notes(sequences: Sequences[Sequence], matrix: SubstitutionMatrix | None = None) -> tuple[str, ...]:
    """Return notes about sequences of different types, a matrix of another type, and letters that the matrix lacks.

    All families call this: sequences are compared letter by letter, and nothing is translated.
    """
    notes = _mixed_type_note(sequences)
    if matrix is not None and not notes:
        notes += _matrix_type_note(sequences, matrix)
    return (*notes, *(_derived_letters_note(matrix) if matrix is not None else ()))


def _mixed_type_note(sequences: Sequences[Sequence]) -> tuple[str, ...]:
    """Return a note if nucleotides are compared with a protein."""
    if len({kind == SequenceType.PROTEIN for kind in sequence_types(sequences)}) < 2:
        return ()
    kinds: dict[bool, Sequence] = {}
    for sequence in sequences:
        kinds.setdefault(sequence.type == SequenceType.PROTEIN, sequence)
        if len(kinds) == 2:
            break
    return (
        f"The types differ: {kinds[False].name} is {kinds[False].type} and {kinds[True].name} is protein. "
        "Sequences are not translated, so the result has little meaning. Correct the type, or translate first.",
    )


def _matrix_type_note(sequences: Sequences[Sequence], matrix: SubstitutionMatrix) -> tuple[str, ...]:
    """Return a note if the matrix is one of proteins and the sequences are nucleotides, or the reverse."""
    has_bases = matrix.is_of_nucleotides and set(BASES) <= set(matrix.letters)
    if _MATCH.match(matrix.name) or (has_bases if are_nucleotides(sequences) else not has_bases):
        return ()
    own, other = ("nucleotides", "proteins")[:: 1 if are_nucleotides(sequences) else -1]
    return (
        f"{matrix.name} is a matrix of {other}, and the sequences are {own}. Their letters are looked up as they are, "
        "so the scores have little meaning. Choose another matrix, or correct the type.",
    )


def _derived_letters_note(matrix: SubstitutionMatrix) -> tuple[str, ...]:
    """Return a note that names the letters that the matrix lacks, and what they score as."""
    if not matrix.derived:
        return ()
    meanings = letter_meanings(not matrix.is_of_nucleotides)
    said = ", ".join(f"{letter} as {_list_residues(meanings[letter])}" for letter in matrix.derived)
    return (f"{matrix.name} has no scores of {', '.join(matrix.derived)}: {said}.",)


def _list_residues(residues: str) -> str:
    """Return residues in words: "C", "the mean of I and L"."""
    if len(residues) == 1:
        return residues
    if len(residues) > 4 or residues == "ACGT":
        return "the mean of all letters"
    return f"the mean of {', '.join(residues[:-1])} and {residues[-1]}"


def preset_notes(scoring: Scoring, sequences: Sequences[Sequence]) -> tuple[str, ...]:
    """Return notes of what replaces values of the preset from which a scoring was made."""
    preset = find_preset(scoring.preset)
    if preset is None:
        return ()
    nucleotides = are_nucleotides(sequences)
    values = preset.values_for(nucleotides)
    used = {"matrix": "", "gap_model": ONE_PIECE, **scoring_option_values(scoring)}
    same_kind = bool(used["matrix"]) == bool(values["matrix"])  # both a matrix, or both scores of single letters
    replaced = [name for name in values if name in used and used[name] != values[name] and (same_kind or "gap" in name)]
    notes = [
        f"{name} {_format_value(used[name])} replaces the {_format_value(values[name])} of the preset {preset.name}."
        for name in replaced
    ]
    if not same_kind:
        notes.insert(0, f"{scoring.matrix.name} replaces the scores of letters of the preset {preset.name}.")
    return tuple(notes)


def _format_value(value: Any) -> str:
    """Return the value of a scoring option as text."""
    return f"{value:g}" if isinstance(value, (int, float)) else str(value)


def scoring_option_values(scoring: Scoring) -> dict[str, Any]:
    """Return the option values that rebuild this scoring; a matrix from a file is named by the path of the file."""
    name = scoring.matrix.name
    wild, scores = _WILDCARD.search(name), _MATCH.match(name)
    letters: dict[str, Any] = {"wildcard": wild["letters"]} if wild else {}
    if ambiguous := _AMBIGUOUS.search(name):
        letters["ambiguous"] = float(ambiguous["score"])
    if scoring.preset:
        letters["preset"] = scoring.preset
    gaps: dict[str, Any] = {"gap_open": float(scoring.gap_open), "gap_extend": float(scoring.gap_extend)}
    if scoring.gap_open2 is not None and scoring.gap_extend2 is not None:
        second = {"gap_open2": float(scoring.gap_open2), "gap_extend2": float(scoring.gap_extend2)}
        gaps |= {"gap_model": TWO_PIECES, **second}
    if scoring.matrix.source:
        return {"matrix": scoring.matrix.source, **letters, **gaps}
    if scores:
        return {"match": float(scores["match"]), "mismatch": float(scores["mismatch"]), **letters, **gaps}
    return {"matrix": _WILDCARD.sub("", name), **letters, **gaps}


LETTER_SCORES = ("match", "mismatch", "ambiguous", "wildcard")
"""Options that define the scores of letters where no matrix is chosen."""


def scoring_json(scoring: Scoring) -> dict[str, Any]:
    """Return a scoring as JSON fields: the name of the matrix, gap costs, and the scores of letters where these define
    it."""
    values = scoring_option_values(scoring)
    letters: dict[str, Any] = {name: values[name] for name in LETTER_SCORES if name in values}
    return {
        "matrix": scoring.matrix.name,
        **({"preset": scoring.preset} if scoring.preset else {}),
        **letters,
        "gap_open": scoring.gap_open,
        "gap_extend": scoring.gap_extend,
        **{name: getattr(scoring, name) for name in SECOND_COSTS if scoring.has_two_pieces},
    }


_MATCH = re.compile(r"match (?P<match>[-+\d.e]+), mismatch (?P<mismatch>[-+\d.e]+)")
_AMBIGUOUS = re.compile(r", ambiguous (?P<score>[-+\d.e]+)")
_WILDCARD = re.compile(r", (?P<letters>[A-Z*]+) = 0$")
