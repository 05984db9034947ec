"""Multiple alignment of very many sequences: what it goes by, its guide tree, and the stages in their order."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from antidiag.kernels import memory
from antidiag.kernels.errors import MemoryRefused, ParameterError
from antidiag.kernels.io.tree import Tree
from antidiag.kernels.model import Sequence, contents_of, lengths_of
from antidiag.kernels.msa.guide import binary
from antidiag.kernels.msa.problem import MsaProblem
from antidiag.kernels.parameters import Parameter
from antidiag.kernels.parttree.problem import OPTIONS as PART_TREE_OPTIONS
from antidiag.kernels.parttree.symbols import (
    AMINO_ACIDS,
    BASES,
    BITS,
    ENDS,
    EXTENDS,
    LETTERS,
    OPENS,
    SYMBOLS,
    UNKNOWN,
    Rules,
    encoded,
)
from antidiag.kernels.scoring import named_matrix
from antidiag.kernels.scoring_options import nucleotides
from antidiag.kernels.serialization import stored

SINGLE, MEDOID, PARTTREE = GUIDES = ("single-linkage", "medoid", "parttree")
MOST_COST = 1000.0
NUCLEOTIDE_SCORES = 5.0, -4.0
COSTS = {True: {"gap_open": 15.0, "gap_extend": 2.0, "gap_end": 0.66},
         False: {"gap_open": 12.0, "gap_extend": 1.0, "gap_end": 0.5}}  # fmt: skip
"""Of proteins, and of nucleotides."""
MOST_STEPS = 10**12
"""Words of bits that single linkage counts with at most, where the guide is automatic: about a minute of one core."""
SMALL, FACTOR = 7.0, 45.0
"""Gap costs begin to grow where log2(sequences / SMALL)^2 is FACTOR: the numbers of FAMSA."""

OPTIONS = (
    Parameter("guide", "choice", "Guide tree",
              "single-linkage: over the longest common subsequences of all pairs, as in FAMSA; the best alignments. "
              "medoid: the same in parts around sequences in their middle; for more than can all be compared. "
              "parttree: references are picked, and the others join the nearest, by shared 6-mers; the fastest.",
              default=None, choices=GUIDES),
    Parameter("matrix", "text", "Matrix", "What two amino acids score, by name; nucleotides score 5 and -4.",
              default="BLOSUM50"),
    Parameter("gap_open", "float", "Gap opening", "Cost of the first letter of a gap (15; nucleotides 12).",
              default=None, minimum=0),
    Parameter("gap_extend", "float", "Gap extension", "Cost of each further letter (2; nucleotides 1).",
              default=None, minimum=0),
    Parameter("gap_end", "float", "End gap", "Cost of a letter before or after all letters of another row "
              "(0.66; nucleotides 0.5).",
              default=None, minimum=0, maximum=1000),
    Parameter("growth", "float", "Growth", "Power with which gap costs grow with the number of sequences; 0: not at "
              "all. In large families a gap is seldom right, and its cost must not be lost in the mean.",
              default=0.5, minimum=0, maximum=2),
    Parameter("passes", "int", "Passes", "2: once more along the single linkage tree of the rows of the first "
              "alignment, and so on. It takes long, and was hardly better on real families; a given tree has one pass.",
              default=1, minimum=1, maximum=5),
    Parameter("refine_top", "int", "Refine the top", "Largest branches of the tree that are aligned anew to all other "
              "rows in the end; 0: none. It measured no better on real families.",
              default=0, minimum=0, maximum=1000, unit="branches"),
    *PART_TREE_OPTIONS,
)  # fmt: skip


@stored("msa-parttree-rules")
@dataclass(frozen=True)
class PartTreeRules:
    """See OPTIONS."""

    guide: str
    matrix: str
    gap_open: float
    gap_extend: float
    gap_end: float
    growth: float
    references: int
    pick_seed: int
    passes: int = 1
    refine_top: int = 0


def rules(sequences: tuple[Sequence, ...], values: Mapping[str, Any]) -> PartTreeRules:
    """The rules of option values, completed by what suits the sequences."""
    found = completed(sequences, values)
    return PartTreeRules(**{"guide": affordable(sequences), **found})


def completed(sequences: tuple[Sequence, ...], values: Mapping[str, Any]) -> dict[str, Any]:
    """Values of matrix and costs that fit, with those that suit the sequences where none are given."""
    given = {name: value for name, value in values.items() if value is not None}
    found = {**COSTS[not nucleotides(sequences)], **given}
    named_matrix(found["matrix"])
    for name in ("gap_open", "gap_extend"):
        if found[name] > MOST_COST:
            raise ParameterError(f"{name}={found[name]:g} is more than {MOST_COST:g}, the most that a gap may cost")
    if found["gap_extend"] > found["gap_open"]:
        raise ParameterError(
            f"gap_extend={found['gap_extend']:g} is more than gap_open={found['gap_open']:g}; a further letter of a "
            "gap costs no more than its first"
        )
    return found


def affordable(sequences: tuple[Sequence, ...]) -> str:
    """Single linkage, unless it would take too long for the different sequences; then parts around medoids."""
    lengths = lengths_of(sequences)
    if linkage_steps(lengths) <= MOST_STEPS:
        return SINGLE
    first, _ = contents_of(sequences)
    return SINGLE if linkage_steps(lengths[first]) <= MOST_STEPS else MEDOID


def linkage_steps(lengths: np.ndarray, times: np.ndarray | int = 1) -> float:
    """Words of bits that all longest common subsequences are counted with; lengths int64, and how many have each."""
    words = np.maximum((lengths + BITS - 1) // BITS, 1)
    return float(int((lengths * times).sum()) * int((words * times).sum()) / 2)


@dataclass(frozen=True, eq=False)
class Leaves:
    """The different sequences of a problem, which are aligned, and whose they are.

    ``sequences`` int64 are their numbers among those that have letters; ``own`` int64 is the leaf of each of these.
    ``codes`` uint8 are symbols from offsets[i] on (int64).
    """

    sequences: np.ndarray
    own: np.ndarray
    codes: np.ndarray
    offsets: np.ndarray


def leaves_of(problem: MsaProblem, apart: bool) -> Leaves:
    """The leaves; where ``apart``, equal sequences are leaves of their own."""
    filled = problem.filled_sequences
    first, own = (np.arange(len(filled)),) * 2 if apart else contents_of(filled)
    return Leaves(first, own, *encoded([filled[number] for number in first.tolist()], problem.protein))


def growth(count: int, power: float) -> float:
    """How many times as much a gap costs among so many different sequences."""
    return max(1.0, float(np.log2(count / SMALL)) ** 2 / FACTOR if count > SMALL else 1.0) ** power


def table_of(problem: MsaProblem, count: int) -> Rules:
    """The scores and costs of an alignment of so many different sequences, by rules that have the names of OPTIONS."""
    own = problem.rules
    table = np.zeros((SYMBOLS, SYMBOLS), np.float32)
    if problem.protein:
        matrix, letters = named_matrix(own.matrix), AMINO_ACIDS.decode()
        places = [matrix.letters.index(letter) for letter in letters]
        table[:LETTERS, :LETTERS] = np.asarray(matrix.values)[np.ix_(places, places)]
    else:
        same, other = NUCLEOTIDE_SCORES
        table[: len(BASES), : len(BASES)] = np.where(np.eye(len(BASES)), same, other)
    costs = [growth(count, own.growth) * cost for cost in (own.gap_open, own.gap_extend, own.gap_end)]
    for gap, cost in zip((OPENS, EXTENDS, ENDS), costs, strict=True):
        for letter in (*range(LETTERS), UNKNOWN):
            table[letter, gap] = table[gap, letter] = -cost
    return Rules(table, *map(np.float32, costs))


def joins_of(tree: Tree, taxa: tuple[str, ...]) -> np.ndarray:
    """The joins of a tree whose leaves are these taxa, int64 (n - 1, 2)."""
    tree = binary(tree)
    place = {name: number for number, name in enumerate(taxa)}
    inner = np.flatnonzero(tree.degrees > 0)[::-1]
    number = np.empty(len(tree), np.int64)
    number[tree.leaves] = [place[name] for name in tree.taxa]
    number[inner] = len(taxa) + np.arange(inner.size)
    second = tree.ends[inner + 1]
    return np.stack([number[inner + 1], number[second]], 1) if inner.size else np.zeros((0, 2), np.int64)


def refuse_rows(rows: int, columns: int) -> None:
    """MemoryRefused where the rows do not fit: how many columns there are, nothing foretells."""
    free = memory.host_bytes_free()
    if rows * columns > free:
        raise MemoryRefused(
            f"the alignment has {rows:,} rows of {columns:,} columns, {memory.bytes_text(rows * columns)}, and "
            f"{memory.bytes_text(free)} is free; sequences with little in common get many columns: raise gap_open, "
            "or leave sequences out"
        )
