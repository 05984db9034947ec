"""Input fields of animations, and parsing of the typed letters, scores and tables."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

import numpy as np

from antidiag.kernels.errors import InputError, ParameterError
from antidiag.kernels.model import Sequence, SequenceType
from antidiag.kernels.parameters import Parameter
from antidiag.kernels.text import parse_real, quote_text

NUCLEOTIDES = frozenset("ACGTUN")
TextLayout = Literal["rows", "matrix"]
"""Rows separated by commas, or a matrix of numbers with rows separated by semicolons."""


@dataclass(frozen=True, slots=True)
class TypedInput(Parameter):
    """A text with several rows; ``layout`` says how a form lets one edit it."""

    layout: TextLayout = "rows"


def sequence_input(name: str, label: str, default: str) -> Parameter:
    """Return an input field for a sequence."""
    return Parameter(name, "text", label, "Letters from A to Z. The picture follows every change.", default=default)


def count_input(name: str, label: str, help: str, default: int, unit: str, most: int = 16) -> Parameter:
    """Return an input field for a whole number from 1 to ``most``: of workers, or of the cells of a piece."""
    return Parameter(name, "int", label, help, default=default, minimum=1, maximum=most, unit=unit)


def choice_input(name: str, label: str, help: str, choices: tuple[str, ...]) -> Parameter:
    """Return an input field for one of some texts; the first is the default."""
    return Parameter(name, "choice", label, help, default=choices[0], choices=choices)


def rows_input(name: str, label: str, help: str, default: str) -> TypedInput:
    """Return an input field for several sequences or aligned rows."""
    return TypedInput(name, "text", label, help, default=default)


def table_input(name: str, label: str, help: str, default: str) -> TypedInput:
    """Return an input field for a matrix of numbers; see `parse_table`."""
    return TypedInput(name, "text", label, help, default=default, layout="matrix")


def score_inputs(
    match: float, mismatch: float, gap_extend: float, gap_open: float | None = None
) -> tuple[Parameter, ...]:
    """Return input fields for match and mismatch scores and gap costs."""
    made = [
        Parameter("match", "float", "Match", "Score of two equal letters.", default=match),
        Parameter("mismatch", "float", "Mismatch", "Score of two different letters.", default=mismatch),
    ]
    if gap_open is not None:
        opening = "Costs once for every gap; 0 gives linear gaps."
        made.append(Parameter("gap_open", "float", "Gap open", opening, default=gap_open, minimum=0))
    extension = "Costs for every letter against a gap."
    return *made, Parameter("gap_extend", "float", "Gap extend", extension, default=gap_extend, minimum=0)


def parse_sequence(text: str, name: str, kind: SequenceType | None = None) -> Sequence:
    """Parse a sequence, ignoring white space; raise InputError for other characters."""
    letters = "".join(text.split()).upper()
    wrong = next((letter for letter in letters if not ("A" <= letter <= "Z")), "")
    if wrong:
        raise InputError(f"{name}: {wrong!r} is not a letter; type letters from A to Z")
    if not letters:
        raise InputError(f"{name}: no letters; type some, such as GATTACA")
    guessed = SequenceType.DNA if set(letters) <= NUCLEOTIDES else SequenceType.PROTEIN
    return Sequence(name, letters.encode("ascii"), kind or guessed)


def parse_sequences(text: str, name: str) -> list[Sequence]:
    """Parse sequences that are separated by lines or commas; their names are numbered."""
    parts = [part for part in text.replace("\n", ",").split(",") if part.strip()]
    found = [parse_sequence(part, f"{name}{number}") for number, part in enumerate(parts, 1)]
    kind = SequenceType.DNA if all(one.type == SequenceType.DNA for one in found) else SequenceType.PROTEIN
    return [Sequence(one.name, one.letters, kind) for one in found]


def parse_aligned_rows(text: str, name: str) -> tuple[tuple[str, ...], np.ndarray, SequenceType]:
    """Parse aligned rows, separated by lines or commas, with - for a gap; return names, letters (uint8) and type.

    Raises InputError if the lengths differ.
    """
    parts = ["".join(part.split()).upper() for part in text.replace("\n", ",").split(",") if part.strip()]
    if not parts or len(set(map(len, parts))) > 1:
        raise InputError(f"{name}: the rows differ in length; type rows of one length, such as GATTAC, GAT-AC")
    kind = parse_sequences(",".join(part.replace("-", "") or "?" for part in parts), name)[0].type
    letters = np.array([list(part.encode("ascii", "replace")) for part in parts], np.uint8)
    return tuple(f"row {number}" for number in range(len(parts))), letters, kind


def parse_table(text: str, name: str, square: bool = False) -> np.ndarray:
    """Parse a table of numbers, float64, with rows separated by ``;`` or lines and "-" for infinity.

    Raises ParameterError with the row of an error.
    """
    lines = [line.split() for line in text.replace(";", "\n").replace(",", " ").splitlines() if line.strip()]
    if not lines or len({len(line) for line in lines}) > 1:
        raise ParameterError(f"{name}: the rows differ in length; separate rows by ; as in 0 2 5; 2 0 4; 5 4 0")
    if square and len(lines) != len(lines[0]):
        raise ParameterError(f"{name}: {len(lines)} rows of {len(lines[0])} numbers; it must be square")
    return np.array([[_parse_number(word, name, row) for word in line] for row, line in enumerate(lines, 1)])


def _parse_number(word: str, name: str, row: int) -> float:
    if word in ("-", "inf", "\u221e"):
        return math.inf
    try:
        return parse_real(word)
    except ValueError:
        raise ParameterError(f"{name}, row {row}: {quote_text(word)} is not a number") from None


def format_table(values: np.ndarray) -> str:
    """Return a table as the text that `parse_table` reads."""
    return "; ".join(" ".join("-" if math.isinf(value) else f"{value:g}" for value in row) for row in values)
