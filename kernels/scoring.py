"""Substitution matrices and gap costs.

Scores inside the engine are 32-bit integers. A matrix with decimals (GONNET1992) is scaled by 10 or
100 together with the gap costs; ``Scoring.scale`` is that factor and results are divided by it.
"""

from __future__ import annotations

import math
import string
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from enum import StrEnum
from functools import cached_property, lru_cache

import numpy as np

from antidiag.kernels.errors import InputError, ParameterError, ScoreOverflow
from antidiag.kernels.model import Sequence
from antidiag.kernels.sequences.alphabets import NUCLEOTIDES, ambiguous_letters, letter_meanings
from antidiag.kernels.serialization import added_field, stored
from antidiag.kernels.text import suggest_names

SCORE_LIMIT = 2**29
"""Absolute values of scores stay below this, so that "minus infinity" (-2^30) plus a score is no valid score."""

SCALES = (1, 10, 100, 1000)
CODON_MATRICES = frozenset({"SCHNEIDER"})
MATRIX_ALIASES = dict.fromkeys(("EDNAFULL", "DNAFULL", "NUC44", "NUC4.4"), "NUC.4.4")
"""Names under which other programs know a built-in matrix, in upper case."""
UNKNOWN = 255
"""Code of a letter that has no score."""


@stored("substitution-matrix")
@dataclass(frozen=True, eq=False)
class SubstitutionMatrix:
    """Scores for pairs of letters.

    ``values[x, y]`` is the score of ``letters[x]`` in the first sequence aligned with ``letters[y]``
    in the second; shape (len(letters), len(letters)), float64, read-only. ``source`` is the absolute path of the file
    that the matrix was read from, or "". ``derived`` are letters that the published matrix lacks, see `add_letters`.
    """

    name: str
    letters: str
    values: np.ndarray
    source: str = ""
    derived: str = field(default="", compare=False)

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, SubstitutionMatrix)
            and self.letters == other.letters
            and np.array_equal(self.values, other.values)
        )

    def __hash__(self) -> int:
        return hash((self.letters, self.values.tobytes()))

    @property
    def is_of_nucleotides(self) -> bool:
        """Whether all letters are those of DNA and RNA, with or without a stop."""
        return set(self.letters) <= set(NUCLEOTIDES + "U*")

    @cached_property
    def codes(self) -> np.ndarray:
        """Code of every byte, shape (256,), int16; -1 for a letter that the matrix does not have.

        Lower case counts as upper case. In a matrix of nucleotides U counts as T, and T as U, where
        only one of them is known; in proteins U is selenocysteine and has no such twin.
        """
        table = np.full(256, -1, np.int16)
        for code, letter in enumerate(self.letters):
            table[ord(letter)] = code
        if self.is_of_nucleotides:
            for letter, twin in (("U", "T"), ("T", "U")):
                if table[ord(letter)] < 0:
                    table[ord(letter)] = table[ord(twin)]
        for letter in string.ascii_uppercase:
            table[ord(letter.lower())] = table[ord(letter)]
        table.setflags(write=False)
        return table

    @cached_property
    def largest_value(self) -> float:
        """The largest absolute score."""
        return float(np.abs(self.values).max(initial=0))

    @cached_property
    def whole_scales(self) -> tuple[int, ...]:
        """The factors of SCALES that make every score an integer."""
        with np.errstate(over="ignore"):
            return tuple(scale for scale in SCALES if _are_whole(self.values * scale))

    @cached_property
    def scored_letters(self) -> bytes:
        """The bytes of all letters that have a score."""
        return bytes(np.flatnonzero(self.codes >= 0).tolist())

    @cached_property
    def translation(self) -> bytes:
        """Code of every byte for ``bytes.translate``; UNKNOWN for a letter that the matrix does not have."""
        return np.where(self.codes < 0, UNKNOWN, self.codes).astype(np.uint8).tobytes()


def make_matrix(name: str, letters: str, values: np.ndarray, source: str = "") -> SubstitutionMatrix:
    """Return a matrix whose letters are upper case and whose values, of any numbers, are read-only."""
    values = np.array(values, float)
    values.setflags(write=False)
    return SubstitutionMatrix(name, letters.upper(), values, source)


def matrix_names() -> tuple[str, ...]:
    """Return the names of Biopython's matrices that score single letters."""
    from Bio.Align import substitution_matrices

    return tuple(name for name in substitution_matrices.load() if name not in CODON_MATRICES)


@lru_cache(maxsize=64)
def named_matrix(name: str) -> SubstitutionMatrix:
    """Return a substitution matrix of Biopython by its name, in upper or lower case, or by one of MATRIX_ALIASES.

    Raises ParameterError for an unknown name and for a matrix that scores codons.
    """
    from Bio.Align import substitution_matrices

    known = {known_name.upper(): known_name for known_name in matrix_names()}
    wanted = MATRIX_ALIASES.get(name.upper(), name.upper())
    if wanted in CODON_MATRICES:
        raise ParameterError(f"matrix {name} scores codons, not letters; choose another matrix")
    if wanted not in known:
        meant = suggest_names(name, (*known, *MATRIX_ALIASES))
        raise ParameterError(
            f"unknown matrix {name!r}; {meant + ' It is' if meant else 'it is'} neither a file nor a built-in matrix "
            f"({', '.join(known.values())}; {', '.join(MATRIX_ALIASES)} are other names of NUC.4.4)"
        )
    found = substitution_matrices.load(known[wanted])
    return make_matrix(known[wanted], "".join(found.alphabet), np.asarray(found, float))


@lru_cache(maxsize=64)
def match_mismatch(
    match: float, mismatch: float, wildcard: str = "", nucleotides: bool = False, ambiguous: float | None = None
) -> SubstitutionMatrix:
    """Return a matrix with one score for equal letters and one for different letters.

    Ambiguous letters (see `sequences.alphabets`) score ``ambiguous`` with every letter, themselves included; by default
    they count as a mismatch and never score above 0. Letters in ``wildcard`` score 0 with every letter. With
    ``nucleotides`` the letters are those of DNA and RNA, and U equals T. Raises ParameterError for a score that is not
    finite or a wildcard that is not a letter.
    """
    for name, value in (("match", match), ("mismatch", mismatch), ("ambiguous", ambiguous or 0.0)):
        if not np.isfinite(value):
            raise ParameterError(f"{name} must be a finite number; got {value}")
    letters = NUCLEOTIDES if nucleotides else string.ascii_uppercase + "*"
    values = np.where(np.eye(len(letters), dtype=bool), float(match), float(mismatch))
    places = [letters.index(letter) for letter in ambiguous_letters(protein=not nucleotides)]
    values[places, :] = values[:, places] = min(float(mismatch), 0.0) if ambiguous is None else float(ambiguous)
    name = f"match {match:+g}, mismatch {mismatch:+g}" + ("" if ambiguous is None else f", ambiguous {ambiguous:+g}")
    return with_wildcard(make_matrix(name, letters, values), wildcard)


def with_wildcard(matrix: SubstitutionMatrix, wildcard: str) -> SubstitutionMatrix:
    """Return the matrix with every letter of ``wildcard`` scoring 0 with every letter; missing letters are added."""
    wild = "".join(dict.fromkeys(wildcard.upper()))
    for letter in wild:
        if letter not in string.ascii_uppercase + "*":
            raise ParameterError(f"wildcard must be letters without separators, such as N or NX; got {letter!r}")
    if not wild:
        return matrix
    letters = matrix.letters + "".join(letter for letter in wild if letter not in matrix.letters)
    values = np.zeros((len(letters), len(letters)))
    values[: len(matrix.letters), : len(matrix.letters)] = matrix.values
    places = [letters.index(letter) for letter in wild]
    values[places, :] = values[:, places] = 0
    return make_matrix(f"{matrix.name}, {wild} = 0", letters, values, matrix.source)


def add_letters(matrix: SubstitutionMatrix, wanted: Iterable[str]) -> SubstitutionMatrix:
    """Return the matrix with scores for the wanted letters that it lacks, as far as it has what they stand for.

    A letter scores the mean over the residues that it stands for, rounded down to the decimals of the matrix: U as C,
    O as K, J as the mean of I and L, and so on (`sequences.alphabets.letter_meanings`). The other scores stay as they
    are published. ``derived`` of the result names the letters that were added.
    """
    lacking = set(wanted).difference(matrix.letters)
    if not lacking:
        return matrix
    meanings = {letter: letter for letter in matrix.letters} | {
        letter: residues
        for letter, residues in letter_meanings(not matrix.is_of_nucleotides).items()
        if matrix.codes[ord(letter)] < 0 and set(residues) <= set(matrix.letters)
    }
    added = "".join(sorted(lacking & meanings.keys()))
    if not added:
        return matrix
    letters = matrix.letters + added
    shares = np.array([[letter in meanings[one] for letter in matrix.letters] for one in letters], float)
    shares /= shares.sum(axis=1, keepdims=True)
    values, size = shares @ matrix.values @ shares.T, len(matrix.letters)
    scale = matrix.whole_scales[0] if matrix.whole_scales else SCALES[-1]
    values = np.floor(np.round(values * scale, 6)) / scale
    values[:size, :size] = matrix.values
    return replace(make_matrix(matrix.name, letters, values, matrix.source), derived=added)


def _are_whole(numbers: np.ndarray) -> bool:
    """Return whether all numbers are integers, but for the rounding of decimals."""
    rounded = np.rint(numbers)
    others = numbers != rounded
    return not others.any() or bool((np.abs(numbers[others] - rounded[others]) <= 1e-6).all())


def _is_whole(number: float) -> bool:
    """Return whether a number is an integer, but for the rounding of decimals; one too large to have decimals is."""
    return math.isinf(number) or abs(number - round(number)) <= 1e-6


@stored("scoring")
@dataclass(frozen=True)
class Scoring:
    """A substitution matrix and affine gap costs, of one piece or two.

    A gap of length k costs ``gap_open + k * gap_extend``; linear gaps have ``gap_open`` 0. With two pieces it costs
    this or ``gap_open2 + k * gap_extend2``, whichever is less. Costs are in the units of the matrix and not negative.
    ``preset`` names the preset scoring from which it was made, "" for none. Raises ParameterError for negative costs,
    for scores or costs with more than three decimals, and for a second piece that does not open at more and extend for
    less than the first; ScoreOverflow for values beyond SCORE_LIMIT.
    """

    matrix: SubstitutionMatrix
    gap_open: float
    gap_extend: float
    gap_open2: float | None = added_field(None)
    gap_extend2: float | None = added_field(None)
    preset: str = added_field("", compare=False)

    def __post_init__(self) -> None:
        for name, cost in self._gap_costs.items():
            if not 0 <= cost < math.inf:
                raise ParameterError(f"{name} must be a cost of 0 or more; got {cost}")
        self._check_second_piece()
        if not self.scale:
            raise ParameterError(f"scores of {self.matrix.name} or gap costs have more than three decimals; round them")
        largest = max(self.matrix.largest_value, *self._gap_costs.values()) * self.scale
        if largest >= SCORE_LIMIT:
            raise ScoreOverflow(
                f"{self.describe_costs()}: a score or cost (x {self.scale}) exceeds the 32-bit limit of "
                f"{SCORE_LIMIT:,}; "
                "use smaller scores and gap costs"
            )

    def _check_second_piece(self) -> None:
        """Raise ParameterError for half a second piece, and for one that is never, or always, the cheaper one."""
        if self.gap_open2 is None and self.gap_extend2 is None:
            return
        if self.gap_open2 is None or self.gap_extend2 is None:
            missing = "gap_open2" if self.gap_open2 is None else "gap_extend2"
            raise ParameterError(f"gap costs of two pieces need gap_open2 and gap_extend2; set {missing}")
        if not (self.gap_open2 > self.gap_open and self.gap_extend2 < self.gap_extend):
            raise ParameterError(
                f"gap_open2 must be above gap_open ({self.gap_open:g}) and gap_extend2 below gap_extend "
                f"({self.gap_extend:g}), because the second piece is that of long gaps; got {self.gap_open2:g} and "
                f"{self.gap_extend2:g}"
            )

    @property
    def has_two_pieces(self) -> bool:
        """Whether the cost of a gap has two pieces."""
        return self.gap_open2 is not None

    @property
    def _gap_costs(self) -> dict[str, float]:
        """The gap costs that are set, by name."""
        names = ("gap_open", "gap_extend", "gap_open2", "gap_extend2")
        return {name: cost for name in names if (cost := getattr(self, name)) is not None}

    @cached_property
    def scale(self) -> int:
        """Factor that makes every score and cost an integer; 0 if no factor of SCALES does."""
        costs = self._gap_costs.values()
        return next((scale for scale in self.matrix.whole_scales if all(_is_whole(cost * scale) for cost in costs)), 0)

    @cached_property
    def scores(self) -> np.ndarray:
        """Scaled scores, int32, in the shape of the matrix."""
        return np.rint(self.matrix.values * self.scale).astype(np.int32)

    @cached_property
    def score_bounds(self) -> tuple[int, int]:
        """The least and the greatest scaled score, see `find_score_bounds`."""
        return find_score_bounds(self.scores)

    @property
    def open(self) -> int:
        """Scaled cost of opening a gap."""
        return round(self.gap_open * self.scale)

    @property
    def extend(self) -> int:
        """Scaled cost of every letter of a gap."""
        return round(self.gap_extend * self.scale)

    @property
    def second_piece(self) -> tuple[int, int] | None:
        """Scaled costs of the second piece: of opening, and of every letter; None where there is one piece."""
        if self.gap_open2 is None or self.gap_extend2 is None:
            return None
        return round(self.gap_open2 * self.scale), round(self.gap_extend2 * self.scale)

    @cached_property
    def gap_pieces(self) -> tuple[tuple[int, int], ...]:
        """Scaled costs of opening and of every letter, of each piece."""
        first = self.open, self.extend
        return (first,) if self.second_piece is None else (first, self.second_piece)

    def unscale_score(self, score: int) -> int | float:
        """Return a score of the engine in the units of the matrix."""
        return int(score) if self.scale == 1 else score / self.scale

    def describe_costs(self) -> str:
        """Return matrix and gap costs in words: 'BLOSUM62; a gap of length k costs 10 + 1 k'."""
        return f"{self.matrix.name}; a gap of length k costs {self.describe_gaps()}"

    def describe_gaps(self) -> str:
        """Return the cost of a gap of length k: '10 + 1 k', or 'the smaller of 4 + 2 k and 24 + 1 k'."""
        opening = f"{self.gap_open:g} + " if self.gap_open else ""
        first = f"{opening}{self.gap_extend:g} k"
        return (
            f"the smaller of {first} and {self.gap_open2:g} + {self.gap_extend2:g} k" if self.has_two_pieces else first
        )


def find_score_bounds(scores: np.ndarray) -> tuple[int, int]:
    """Return the least score, at most 0, and the greatest one, at least 0."""
    return int(scores.min(initial=0)), int(scores.max(initial=0))


def encode_sequence(sequence: Sequence, scoring: Scoring) -> np.ndarray:
    """Return the matrix codes of a sequence, uint8.

    Raises InputError for a letter without a score, with its record and position.
    """
    codes = bytearray(sequence.letters).translate(scoring.matrix.translation)
    position = codes.find(UNKNOWN)
    if position >= 0:
        letter = chr(sequence.letters[position])
        raise InputError(
            f"{sequence.name}: letter {letter!r} at position {position + 1:,} has no score in {scoring.matrix.name}, "
            f"which scores {scoring.matrix.letters}. Choose another matrix, or make {letter} a wildcard"
        )
    return np.frombuffer(codes, np.uint8)


def number_used_codes(parts: Iterable[bytes | bytearray], codes: int) -> tuple[list[int], bytes]:
    """Return the codes below ``codes`` that occur in any part, and a `bytes.translate` table that numbers them."""
    # Searching and translating bytes takes a fifth of the time of indexing arrays. A code that is missing costs a pass
    # over all bytes, so only codes up to the largest are searched for.
    parts = [part for part in parts if part]
    above = min(codes, 1 + max((int(np.frombuffer(part, np.uint8).max()) for part in parts), default=-1))
    present = [code for code in range(above) if any(code in part for part in parts)]
    numbers = bytearray(256)
    for number, code in enumerate(present):
        numbers[code] = number
    return present, bytes(numbers)


@stored("mode")
class Mode(StrEnum):
    """Alignment mode: what of the sequences must be aligned.

    LOCAL are the best parts (Smith-Waterman), GLOBAL both sequences from end to end (Needleman-Wunsch). In the others
    letters at some ends may stay unaligned at no cost (semi-global): with OVERLAP at all four ends, with
    QUERY_IN_TARGET at both ends of the second sequence, with CUSTOM at those that the problem names.
    """

    LOCAL = "local"
    GLOBAL = "global"
    OVERLAP = "overlap"
    QUERY_IN_TARGET = "query-in-target"
    CUSTOM = "custom"


@stored("free-ends")
@dataclass(frozen=True)
class FreeEnds:
    """The ends of two sequences whose letters may stay unaligned at no cost."""

    first_start: bool = False
    first_end: bool = False
    second_start: bool = False
    second_end: bool = False

    def exchanged(self) -> FreeEnds:
        """Return the free ends of the same sequences in the other order."""
        return FreeEnds(self.second_start, self.second_end, self.first_start, self.first_end)

    def reversed_first(self) -> FreeEnds:
        """Return the free ends of the same sequences where the first one is read from its end."""
        return FreeEnds(self.first_end, self.first_start, self.second_start, self.second_end)

    def __str__(self) -> str:
        """Name the free ends: 'start of the first, end of the second'; 'none'."""
        names = [name.replace("_", " ") for name, is_free in vars(self).items() if is_free]
        sides = [f"{end} of the {side}" for side, end in (name.split() for name in names)]
        return ", ".join(sides) or "none"


@stored("strand")
class Strand(StrEnum):
    """Which strand of the first of two nucleotide sequences is aligned with the second as it is given.

    FORWARD is the sequence as given, REVERSE its reverse complement, BOTH the one that scores higher (FORWARD where
    they score the same).
    """

    FORWARD = "forward"
    REVERSE = "reverse"
    BOTH = "both"


NO_FREE_ENDS = FreeEnds()
FREE_ENDS = {
    Mode.GLOBAL: NO_FREE_ENDS,
    Mode.OVERLAP: FreeEnds(True, True, True, True),
    Mode.QUERY_IN_TARGET: FreeEnds(second_start=True, second_end=True),
}
"""The free ends of the modes that have always the same."""


def refuse_overflow(first: int, second: int, scoring: Scoring) -> None:
    """Raise ScoreOverflow if scores of two sequences of these lengths could exceed 32 bits."""
    step = max(round(scoring.matrix.largest_value * scoring.scale), scoring.extend)
    bound = (first + second + 2) * step + max(opening for opening, _ in scoring.gap_pieces)
    if bound >= SCORE_LIMIT:
        raise ScoreOverflow(
            f"scores of {first:,} x {second:,} letters could reach {bound:,} and exceed "
            f"the 32-bit limit of {SCORE_LIMIT:,}; use smaller scores and gap costs, or shorter sequences"
        )
