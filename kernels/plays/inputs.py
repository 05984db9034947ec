"""What can be typed for a play: letters, scores, tables of numbers; and what they become."""

from __future__ import annotations

import math

import numpy as np

from antidiag.kernels.errors import InputError, ParameterError
from antidiag.kernels.model import Sequence, SequenceType
from antidiag.kernels.parameters import Parameter
from antidiag.kernels.text import real, shown

NUCLEOTIDES = frozenset("ACGTUN")


def sequence_input(name: str, label: str, default: str) -> Parameter:
    """A sequence that is typed."""
    return Parameter(name, "text", label, "Letters from A to Z; change one, and the picture follows.", default=default)


def score_inputs(
    match: float, mismatch: float, gap_extend: float, gap_open: float | None = None
) -> tuple[Parameter, ...]:
    """Scores of letters, and costs of gaps."""
    made = [
        Parameter("match", "float", "Match", "Score of two equal letters.", default=match),
        Parameter("mismatch", "float", "Mismatch", "Score of two different letters.", default=mismatch),
    ]
    if gap_open is not None:
        made.append(Parameter("gap_open", "float", "Gap open", "Costs once for every gap; 0 gives linear gaps.",
                              default=gap_open, minimum=0))  # fmt: skip
    made.append(Parameter("gap_extend", "float", "Gap extend", "Costs for every letter against a gap.",
                          default=gap_extend, minimum=0))  # fmt: skip
    return tuple(made)


def letters_of(text: str, name: str, kind: SequenceType | None = None) -> Sequence:
    """The sequence that a text is, blanks apart; InputError names what no letter is."""
    letters = "".join(text.split()).upper()
    wrong = next((letter for letter in letters if not ("A" <= letter <= "Z")), "")
    if wrong:
        raise InputError(f"{name}: {wrong!r} is no letter; type letters from A to Z")
    if not letters:
        raise InputError(f"{name}: no letters; type some, such as GATTACA")
    guessed = SequenceType.DNA if set(letters) <= NUCLEOTIDES else SequenceType.PROTEIN
    return Sequence(name, letters.encode("ascii"), kind or guessed)


def sequences_of(text: str, name: str) -> list[Sequence]:
    """Sequences, one a line or parted by commas, numbered."""
    parts = [part for part in text.replace("\n", ",").split(",") if part.strip()]
    found = [letters_of(part, f"{name}{number}") for number, part in enumerate(parts, 1)]
    kind = SequenceType.DNA if all(one.type == SequenceType.DNA for one in found) else SequenceType.PROTEIN
    return [Sequence(one.name, one.letters, kind) for one in found]


def rows_of(text: str, name: str) -> tuple[tuple[str, ...], np.ndarray, SequenceType]:
    """Names, letters (uint8) and kind of rows of one length, a line each or parted by commas, - for a gap.

    InputError where they differ in length.
    """
    parts = ["".join(part.split()).upper() for part in text.replace("\n", ",").split(",") if part.strip()]
    if not parts or len(set(map(len, parts))) > 1:
        raise InputError(f"{name}: rows of different lengths; type rows of one length, such as GATTAC, GAT-AC")
    kind = sequences_of(",".join(part.replace("-", "") or "?" for part in parts), name)[0].type
    letters = np.array([list(part.encode("ascii", "replace")) for part in parts], np.uint8)
    return tuple(f"row {number}" for number in range(len(parts))), letters, kind


def table_of(text: str, name: str, square: bool = False) -> np.ndarray:
    """A table of numbers, float64, rows parted by ``;`` or lines; "-" is infinity. ParameterError says where."""
    lines = [line.split() for line in text.replace(";", "\n").replace(",", " ").splitlines() if line.strip()]
    if not lines or len({len(line) for line in lines}) > 1:
        raise ParameterError(f"{name}: rows of different lengths; type rows parted by ; such as 0 2 5; 2 0 4; 5 4 0")
    if square and len(lines) != len(lines[0]):
        raise ParameterError(f"{name}: {len(lines)} rows of {len(lines[0])} numbers; it must be square")
    return np.array([[_number(word, name, row) for word in line] for row, line in enumerate(lines, 1)])


def _number(word: str, name: str, row: int) -> float:
    if word in ("-", "inf", "\u221e"):
        return math.inf
    try:
        return real(word)
    except ValueError:
        raise ParameterError(f"{name}, row {row}: {shown(word)} is not a number") from None


def table_text(values: np.ndarray) -> str:
    """The text that `table_of` makes a table of."""
    return "; ".join(" ".join("-" if math.isinf(value) else f"{value:g}" for value in row) for row in values)
