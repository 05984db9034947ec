"""Problems and answers of RNA folding by Nussinov and of the optimal order of a matrix product."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from antidiag.kernels.errors import InputError, ParameterError
from antidiag.kernels.method import FileFormat, LabelledRows
from antidiag.kernels.model import Result
from antidiag.kernels.model import Sequence as Letters
from antidiag.kernels.parameters import Parameter, resolve_values
from antidiag.kernels.serialization import stored
from antidiag.kernels.text import format_count, quote_text

PAIRS = ("AU", "UA", "CG", "GC")
WOBBLE = ("GU", "UG")
LONGEST = 46_000
"""Most letters or matrices: their table has 2**31 numbers."""

MOST_DIGITS = 18
POSITIVE = re.compile(f"0*[1-9][0-9]{{0,{MOST_DIGITS - 1}}}")
"""A positive dimension; with a few more digits the cost of any product exceeds 64 bits."""

FOLDING_OPTIONS = (
    Parameter(
        "min_loop",
        "int",
        "Smallest loop",
        "Fewest unpaired letters in a hairpin loop.",
        default=3,
        minimum=0,
        maximum=100,
    ),
    Parameter("wobble", "bool", "G-U pairs", "Allow G-U pairs beside A-U and C-G.", default=True),
)

CHAIN_OPTIONS = (
    Parameter(
        "dimensions",
        "text",
        "Dimensions",
        "Rows of the first matrix, then the columns of every matrix: 30,35,15,5 are three matrices.",
        default="30,35,15,5,10,20,25",
    ),
)


@stored("folding-problem")
@dataclass(frozen=True)
class FoldingProblem:
    """An RNA (or DNA) sequence, the smallest loop, and whether G and U pair."""

    sequence: Letters
    min_loop: int = 3
    wobble: bool = True

    @property
    def data(self) -> tuple[Letters]:
        """The data of the problem: the sequence."""
        return (self.sequence,)

    @property
    def n(self) -> int:
        """The number of letters."""
        return len(self.sequence)

    @property
    def cells(self) -> int:
        """Splits of all intervals: (n^3 - n) / 6."""
        return (self.n**3 - self.n) // 6

    @property
    def title(self) -> str:
        """Name of the sequence."""
        return self.sequence.name

    @property
    def size(self) -> str:
        """Length and smallest loop, as text."""
        return f"{format_count(self.n, 'letter')}, loops of {self.min_loop} or more"

    @cached_property
    def letter_codes(self) -> np.ndarray:
        """Codes of the letters, uint8: A, C, G, U (T) are 0 to 3; 4 stands for letters that pair with nothing."""
        table = np.full(256, 4, np.uint8)
        for letter, code in zip("ACGUT", (0, 1, 2, 3, 3), strict=True):
            table[ord(letter)] = code
        return table[self.sequence.letter_array]

    @cached_property
    def pairing_table(self) -> np.ndarray:
        """Whether two codes pair: uint8, shape (5, 5)."""
        table = np.zeros((5, 5), np.uint8)
        for first, second in (*PAIRS, *(WOBBLE if self.wobble else ())):
            table["ACGU".index(first), "ACGU".index(second)] = 1
        return table


@stored("folding-answer")
@dataclass(frozen=True, eq=False)
class FoldingAnswer:
    """A structure with the most pairs; ``partners`` (int32, n) holds the partner of each letter, or -1."""

    pairs: int
    partners: np.ndarray

    @property
    def dot_bracket(self) -> str:
        """The structure in dot-bracket notation, one character a letter."""
        numbers = np.arange(self.partners.size)
        signs = np.where(self.partners < 0, ord("."), np.where(self.partners > numbers, ord("("), ord(")")))
        return signs.astype(np.uint8).tobytes().decode("ascii")

    def check(self, problem: FoldingProblem) -> None:
        """Raise AssertionError where pairs cross, loops are too small, or letters cannot pair."""
        assert self.partners.size == problem.n
        opened: list[int] = []
        pairs = 0
        for number, partner in enumerate(self.partners.tolist()):
            if partner > number:
                opened.append(number)
            elif partner >= 0:
                assert opened and opened.pop() == partner, f"the pair {partner} - {number} crosses another"
                assert number - partner > problem.min_loop, f"the loop of {partner} - {number} is too small"
                codes = problem.letter_codes[[partner, number]]
                assert problem.pairing_table[codes[0], codes[1]], f"letters {partner} and {number} do not pair"
                pairs += 1
        assert not opened and pairs == self.pairs, f"{pairs} pairs in the structure, not {self.pairs}"


@stored("matrix-chain-problem")
@dataclass(frozen=True)
class ChainProblem:
    """A chain of matrices; number i (from 0) has dimensions[i] rows and dimensions[i + 1] columns."""

    dimensions: tuple[int, ...]

    @property
    def data(self) -> tuple[()]:
        """A chain has no data."""
        return ()

    @property
    def n(self) -> int:
        """The number of matrices."""
        return len(self.dimensions) - 1

    @property
    def cells(self) -> int:
        """Splits of all partial products: (n^3 - n) / 6."""
        return (self.n**3 - self.n) // 6

    @property
    def title(self) -> str:
        """Number of matrices, as text."""
        return f"{self.n:,} matrices"

    @property
    def size(self) -> str:
        """The dimensions, as text."""
        shown = ",".join(map(str, self.dimensions[:8])) + (",..." if len(self.dimensions) > 8 else "")
        return f"dimensions {shown}"


@stored("matrix-chain-answer")
@dataclass(frozen=True, eq=False)
class ChainAnswer:
    """The fewest multiplications of numbers (``cost``), and where each partial product is split.

    ``splits`` (int32, shape (n - 1, 3)) has a row (first, split, last) for every product of the best order, outer ones
    first: matrices first..split times split + 1..last.
    """

    cost: int
    splits: np.ndarray = field(repr=False)

    def format_order(self, problem: ChainProblem) -> str:
        """Return the product with brackets: ((A1 A2) A3)."""
        opened, closed = [0] * problem.n, [0] * problem.n
        for first, _, last in self.splits.tolist():
            opened[first] += 1
            closed[last] += 1
        return " ".join("(" * opened[i] + f"A{i + 1}" + ")" * closed[i] for i in range(problem.n))

    def check(self, problem: ChainProblem) -> None:
        """Raise AssertionError where the products of the order cost something else."""
        size = problem.dimensions
        cost = sum(size[first] * size[split + 1] * size[last + 1] for first, split, last in self.splits.tolist())
        assert len(self.splits) == problem.n - 1, f"{len(self.splits)} products of {problem.n} matrices"
        assert cost == self.cost, f"the order costs {cost}, not {self.cost}"


def build_folding(data: Sequence[Any], options: Mapping[str, Any]) -> FoldingProblem:
    """Return the folding problem of one nucleotide sequence.

    Raises InputError for a protein and for a sequence of more than LONGEST letters.
    """
    (sequence,) = data
    values = resolve_values(FOLDING_OPTIONS, options)
    if sequence.type == "protein":
        raise InputError(f"{sequence.name}: a protein has no base pairs; choose RNA or DNA")
    if len(sequence) > LONGEST:
        raise InputError(f"{sequence.name}: {len(sequence):,} letters; at most {LONGEST:,} can be folded")
    return FoldingProblem(sequence, values["min_loop"], values["wobble"])


def build_chain(data: Sequence[Any], options: Mapping[str, Any]) -> ChainProblem:
    """Return the problem that the option ``dimensions`` describes.

    Raises ParameterError, which names what is not a positive whole number.
    """
    text = resolve_values(CHAIN_OPTIONS, options)["dimensions"]
    words = text.replace(",", " ").replace(";", " ").split()
    wrong = next((word for word in words if not POSITIVE.fullmatch(word)), None)
    if wrong is not None:
        raise ParameterError(
            f"dimensions: {quote_text(wrong)} is not a positive whole number of at most {MOST_DIGITS} digits"
        )
    if not 2 <= len(words) <= LONGEST + 1:
        raise ParameterError(f"dimensions: {len(words):,} numbers; give 2 to {LONGEST + 1:,}, such as 30,35,15,5")
    sizes = tuple(map(int, words))
    if len(sizes) * max(sizes) ** 3 >= 2**62:
        raise ParameterError("dimensions: the cost could leave the range of 64-bit numbers; give smaller dimensions")
    return ChainProblem(sizes)


def no_defaults(data: Sequence[Any]) -> Mapping[str, Any]:
    """Return no defaults: no option depends on the data."""
    return {}


def folding_rows(result: Result) -> LabelledRows:
    """Return the answer as rows of label and text."""
    structure = result.answer.dot_bracket
    shown = structure if len(structure) <= 80 else structure[:77] + "..."
    return [("Pairs", f"{result.answer.pairs:,}"), ("Structure", shown or "empty")]


def folding_data(result: Result) -> dict[str, Any]:
    """Return the answer as JSON fields."""
    problem, found = result.problem, result.answer
    left = np.flatnonzero(found.partners > np.arange(problem.n))
    return {
        "sequence": {"name": problem.sequence.name, "length": problem.n},
        "min_loop": problem.min_loop,
        "wobble": problem.wobble,
        "pairs": found.pairs,
        "dot_bracket": found.dot_bracket,
        "pair_list": [[int(first), int(found.partners[first])] for first in left],
    }


def chain_rows(result: Result) -> LabelledRows:
    """Return the answer as rows of label and text."""
    order = result.answer.format_order(result.problem)
    return [
        ("Multiplications", f"{result.answer.cost:,}"),
        ("Order", order if len(order) <= 120 else order[:117] + "..."),
    ]


def chain_data(result: Result) -> dict[str, Any]:
    """Return the answer as JSON fields."""
    return {
        "dimensions": list(result.problem.dimensions),
        "multiplications": result.answer.cost,
        "order": result.answer.format_order(result.problem),
    }


def _dot_bracket_lines(result: Result) -> Iterator[str]:
    """Yield title, letters and structure in the layout of the Vienna package."""
    sequence = result.problem.sequence
    yield f">{sequence.name}\n{sequence.letters.decode('ascii')}\n{result.answer.dot_bracket}\n"


FOLDING_FORMATS = (
    FileFormat(".dbn", "Dot-bracket", "structure", iterate_lines=_dot_bracket_lines),
    FileFormat(".db", "Dot-bracket", "structure", iterate_lines=_dot_bracket_lines),
)
