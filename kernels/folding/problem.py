"""The non-serial polyadic class: RNA folding by Nussinov, and the optimal order of a product of matrices."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from antidiag.kernels.errors import InputError, ParameterError
from antidiag.kernels.method import FileFormat, Rows
from antidiag.kernels.model import Result
from antidiag.kernels.model import Sequence as Letters
from antidiag.kernels.parameters import Parameter, resolve
from antidiag.kernels.serialization import stored
from antidiag.kernels.text import counted, shown

PAIRS = ("AU", "UA", "CG", "GC")
WOBBLE = ("GU", "UG")
LONGEST = 46_000
"""Letters or matrices: their table has 2**31 numbers."""

MOST_DIGITS = 18
POSITIVE = re.compile(f"0*[1-9][0-9]{{0,{MOST_DIGITS - 1}}}")
"""A dimension: with a few more digits the cost of any product leaves the range of 64-bit numbers."""

FOLDING_OPTIONS = (
    Parameter("min_loop", "int", "Smallest loop", "Letters that a hairpin has between its two ends at least.",
              default=3, minimum=0, maximum=100),
    Parameter("wobble", "bool", "G-U pairs", "Whether G and U pair, as A and U, C and G do.", default=True),
)  # fmt: skip

CHAIN_OPTIONS = (
    Parameter("dimensions", "text", "Dimensions",
              "Rows of the first matrix, then the columns of every matrix: 30,35,15,5 are three matrices.",
              default="30,35,15,5,10,20,25"),
)  # fmt: skip


@stored("folding-problem")
@dataclass(frozen=True)
class FoldingProblem:
    """A sequence of RNA (or DNA), the smallest loop, and whether G and U pair."""

    sequence: Letters
    min_loop: int = 3
    wobble: bool = True

    @property
    def data(self) -> tuple[Letters]:
        return (self.sequence,)

    @property
    def n(self) -> int:
        return len(self.sequence)

    @property
    def cells(self) -> int:
        """Splits of all parts: n^3 / 6."""
        return (self.n**3 - self.n) // 6

    @property
    def title(self) -> str:
        return self.sequence.name

    @property
    def size(self) -> str:
        return f"{counted(self.n, 'letter')}, loops of {self.min_loop} or more"

    @cached_property
    def codes(self) -> np.ndarray:
        """A, C, G, U (T) as 0 to 3, all other letters as 4, which pairs with nothing; uint8."""
        table = np.full(256, 4, np.uint8)
        for letter, code in zip("ACGUT", (0, 1, 2, 3, 3), strict=True):
            table[ord(letter)] = code
        return table[self.sequence.array]

    @cached_property
    def pairing(self) -> np.ndarray:
        """Whether two codes pair, uint8, shape (5, 5)."""
        table = np.zeros((5, 5), np.uint8)
        for first, second in (*PAIRS, *(WOBBLE if self.wobble else ())):
            table["ACGU".index(first), "ACGU".index(second)] = 1
        return table


@stored("folding-answer")
@dataclass(frozen=True, eq=False)
class FoldingAnswer:
    """A structure of the most pairs: ``partners`` (int32, n) holds for each letter the one it pairs with, or -1."""

    pairs: int
    partners: np.ndarray

    @property
    def dot_bracket(self) -> str:
        """The structure in dots and brackets, a character a letter."""
        numbers = np.arange(self.partners.size)
        signs = np.where(self.partners < 0, ord("."), np.where(self.partners > numbers, ord("("), ord(")")))
        return signs.astype(np.uint8).tobytes().decode("ascii")

    def check(self, problem: FoldingProblem) -> None:
        """AssertionError where brackets cross, loops are too small, or letters cannot pair."""
        assert self.partners.size == problem.n
        opened: list[int] = []
        pairs = 0
        for number, partner in enumerate(self.partners.tolist()):
            if partner > number:
                opened.append(number)
            elif partner >= 0:
                assert opened and opened.pop() == partner, f"the pair {partner} - {number} crosses another"
                assert number - partner > problem.min_loop, f"the loop of {partner} - {number} is too small"
                codes = problem.codes[[partner, number]]
                assert problem.pairing[codes[0], codes[1]], f"letters {partner} and {number} do not pair"
                pairs += 1
        assert not opened and pairs == self.pairs, f"{pairs} pairs in the structure, not {self.pairs}"


@stored("matrix-chain-problem")
@dataclass(frozen=True)
class ChainProblem:
    """Matrix number i (from 0) has dimensions[i] rows and dimensions[i + 1] columns."""

    dimensions: tuple[int, ...]

    @property
    def data(self) -> tuple[()]:
        return ()

    @property
    def n(self) -> int:
        """How many matrices there are."""
        return len(self.dimensions) - 1

    @property
    def cells(self) -> int:
        """Splits of all parts: n^3 / 6."""
        return (self.n**3 - self.n) // 6

    @property
    def title(self) -> str:
        return f"{self.n:,} matrices"

    @property
    def size(self) -> str:
        shown = ",".join(map(str, self.dimensions[:8])) + (",..." if len(self.dimensions) > 8 else "")
        return f"dimensions {shown}"


@stored("matrix-chain-answer")
@dataclass(frozen=True, eq=False)
class ChainAnswer:
    """``cost`` multiplications of numbers, and where each part is split.

    ``splits`` (int32, shape (n - 1, 3)) has a row (first, split, last) for every product of the best order, outer ones
    first: matrices first..split times split + 1..last.
    """

    cost: int
    splits: np.ndarray = field(repr=False)

    def order(self, problem: ChainProblem) -> str:
        """The product with brackets: ((A1 A2) A3)."""
        opened, closed = [0] * problem.n, [0] * problem.n
        for first, _, last in self.splits.tolist():
            opened[first] += 1
            closed[last] += 1
        return " ".join("(" * opened[i] + f"A{i + 1}" + ")" * closed[i] for i in range(problem.n))

    def check(self, problem: ChainProblem) -> None:
        """AssertionError where the products of the order cost something else."""
        size = problem.dimensions
        cost = sum(size[first] * size[split + 1] * size[last + 1] for first, split, last in self.splits.tolist())
        assert len(self.splits) == problem.n - 1, f"{len(self.splits)} products of {problem.n} matrices"
        assert cost == self.cost, f"the order costs {cost}, not {self.cost}"


def build_folding(data: Sequence[Any], options: Mapping[str, Any]) -> FoldingProblem:
    """The problem of a sequence of nucleotides; InputError for a protein, and for one that is too long."""
    (sequence,) = data
    values = resolve(FOLDING_OPTIONS, options)
    if sequence.type == "protein":
        raise InputError(f"{sequence.name}: a protein does not fold by base pairs; choose RNA or DNA")
    if len(sequence) > LONGEST:
        raise InputError(f"{sequence.name}: {len(sequence):,} letters; {LONGEST:,} are the most that can be folded")
    return FoldingProblem(sequence, values["min_loop"], values["wobble"])


def build_chain(data: Sequence[Any], options: Mapping[str, Any]) -> ChainProblem:
    """The problem of a text of dimensions; ParameterError names what is not a positive whole number."""
    text = resolve(CHAIN_OPTIONS, options)["dimensions"]
    words = text.replace(",", " ").replace(";", " ").split()
    wrong = next((word for word in words if not POSITIVE.fullmatch(word)), None)
    if wrong is not None:
        raise ParameterError(
            f"dimensions: {shown(wrong)} is not a positive whole number of at most {MOST_DIGITS} digits"
        )
    if not 2 <= len(words) <= LONGEST + 1:
        raise ParameterError(f"dimensions: {len(words):,} numbers; give 2 to {LONGEST + 1:,}, such as 30,35,15,5")
    sizes = tuple(map(int, words))
    if len(sizes) * max(sizes) ** 3 >= 2**62:
        raise ParameterError("dimensions: the cost could leave the range of 64-bit numbers; give smaller dimensions")
    return ChainProblem(sizes)


def no_defaults(data: Sequence[Any]) -> Mapping[str, Any]:
    return {}


def folding_rows(result: Result) -> Rows:
    structure = result.answer.dot_bracket
    shown = structure if len(structure) <= 80 else structure[:77] + "..."
    return [("Pairs", f"{result.answer.pairs:,}"), ("Structure", shown or "empty")]


def folding_data(result: Result) -> dict[str, Any]:
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


def chain_rows(result: Result) -> Rows:
    order = result.answer.order(result.problem)
    return [
        ("Multiplications", f"{result.answer.cost:,}"),
        ("Order", order if len(order) <= 120 else order[:117] + "..."),
    ]


def chain_data(result: Result) -> dict[str, Any]:
    return {
        "dimensions": list(result.problem.dimensions),
        "multiplications": result.answer.cost,
        "order": result.answer.order(result.problem),
    }


def _dot_bracket_lines(result: Result) -> Iterator[str]:
    """The layout of the Vienna package: title, letters, structure."""
    sequence = result.problem.sequence
    yield f">{sequence.name}\n{sequence.letters.decode('ascii')}\n{result.answer.dot_bracket}\n"


FOLDING_FORMATS = (
    FileFormat(".dbn", "Dot-bracket", "structure", lines=_dot_bracket_lines),
    FileFormat(".db", "Dot-bracket", "structure", lines=_dot_bracket_lines),
)
