"""Rules of the alignment of very many sequences: options, guide tree, leaves, scores and gap costs."""

from __future__ import annotations

from collections.abc import Mapping
from collections.abc import Sequence as Sequences
from dataclasses import dataclass
from typing import Any

import numpy as np

from antidiag.kernels import memory
from antidiag.kernels.errors import MemoryRefused, ParameterError
from antidiag.kernels.io.tree import Tree
from antidiag.kernels.model import Sequence, group_equal_sequences, sequence_lengths
from antidiag.kernels.msa.pipelines.guide_tree import resolve_multifurcations
from antidiag.kernels.msa.problem import MsaProblem
from antidiag.kernels.msa.relatedness import sample_shared_words
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
    ScoreRules,
    encode_sequences,
)
from antidiag.kernels.scoring import named_matrix
from antidiag.kernels.scoring_options import are_nucleotides
from antidiag.kernels.sequences.sequence_set import split_data, take_sequences
from antidiag.kernels.serialization import stored

SINGLE, MEDOID, PARTTREE, SKETCH = GUIDES = ("single-linkage", "medoid", "parttree", "sketch")
MOST_COST = 1000.0
SAME, TRANSITION, TRANSVERSION = 5.0, -1.0, -3.0
"""Scores of two nucleotides: equal, both purines or both pyrimidines, and one of each."""
DEFAULT_COSTS = {
    True: {"gap_open": 15.0, "gap_extend": 1.5, "gap_end": 0.66},
    False: {"gap_open": 14.0, "gap_extend": 2.0, "gap_end": 1.5},
}
"""Gap costs for proteins (True) and for nucleotides (False)."""
MOST_STEPS = 10**12
"""Words of bits that single linkage counts at most where the guide is automatic: about a minute of one core."""
SKETCHED_STEPS, MOST_SKETCHED = 10**9, 12_000
"""Such steps (about 0.1 s of one core) from which sketches make the automatic guide of related nucleotides; and the
most sequences of which they do, because they keep all distances."""
SKETCHED_SHARE = 0.05
"""Mean share of words that pairs of sequences have in common from which sketches tell how far apart they are."""
GROWTH_START, GROWTH_FACTOR = 7.0, 45.0
"""Gap costs grow where log2(sequences / SMALL)^2 exceeds FACTOR: the numbers of FAMSA."""

PROTEIN_MATRIX = "BLOSUM50"

OPTIONS = (
    Parameter("guide", "choice", "Guide tree",
              "single-linkage: longest common subsequences of all pairs, as in FAMSA; best for proteins. "
              "medoid: single linkage in parts around central sequences; for more sequences than can all be compared. "
              "parttree: references are picked, and the others join the nearest by shared 6-mers; the fastest. "
              "sketch: joined by words of 10 letters that sketches share; for related nucleotides of 1,000 letters or "
              "more.",
              default=None, choices=GUIDES),
    Parameter("matrix", "text", "Matrix", "Substitution matrix of proteins. Equal nucleotides score 5, A and G "
              "or C and T -1, others -3.",
              default=PROTEIN_MATRIX),
    Parameter("gap_open", "float", "Gap opening", "Cost of the first letter of a gap (15; nucleotides 14).",
              default=None, minimum=0),
    Parameter("gap_extend", "float", "Gap extension", "Cost of each further letter (1.5; nucleotides 2).", default=None,
              minimum=0),
    Parameter("gap_end", "float", "End gap",
              "Cost of each letter in a gap at an end of a row (0.66; nucleotides 1.5).", default=None,
              minimum=0, maximum=1000),
    Parameter("growth", "float", "Gap cost growth",
              "Exponent with which gap costs grow with the number of sequences. 0 keeps them constant.",
              default=0.0, minimum=0, maximum=2),
    Parameter("passes", "int", "Passes",
              "Number of alignments. Each further one follows a tree of the rows of the one before. Slow, and hardly "
              "better on real families. A given tree has one pass.", default=1, minimum=1, maximum=5),
    Parameter("refine_top", "int", "Refined branches",
              "Number of the largest branches of the tree that are realigned to all other rows at the end. 0: none. "
              "Not better on real families.", default=0, minimum=0, maximum=1000, unit="branches"),
    *PART_TREE_OPTIONS,
)  # fmt: skip
GUIDE_OPTIONS = ("guide", "passes", *(option.name for option in PART_TREE_OPTIONS))
"""Options that have no effect where a tree is given."""


@stored("msa-parttree-rules")
@dataclass(frozen=True)
class PartTreeRules:
    """Rules of an alignment of very many sequences; see OPTIONS."""

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


def make_rules(sequences: Sequences[Sequence], values: Mapping[str, Any]) -> PartTreeRules:
    """Return the rules of option values; missing values are chosen for the sequences."""
    found = complete_options(sequences, values)
    return PartTreeRules(**{"guide": choose_guide(sequences), **found})


def default_options(data: Sequences) -> dict[str, Any]:
    """Return the scores that the sequences among the data get where nothing is chosen; {} without sequences."""
    sequences, _ = split_data(data)
    if not len(sequences):
        return {}
    nucleotides = are_nucleotides(sequences)
    no_matrix = {"matrix": ""} if nucleotides else {}
    return {**no_matrix, **DEFAULT_COSTS[not nucleotides]}


def complete_options(sequences: Sequences[Sequence], values: Mapping[str, Any]) -> dict[str, Any]:
    """Return option values with a valid matrix and costs; missing ones are chosen for the sequences."""
    given = {name: value for name, value in values.items() if value is not None}
    found = {**DEFAULT_COSTS[not are_nucleotides(sequences)], **given}
    found["matrix"] = found["matrix"] or PROTEIN_MATRIX
    named_matrix(found["matrix"])
    for name in ("gap_open", "gap_extend"):
        if found[name] > MOST_COST:
            raise ParameterError(f"{name} must be at most {MOST_COST:g}; got {found[name]:g}")
    if found["gap_extend"] > found["gap_open"]:
        raise ParameterError(
            f"gap_extend must be at most gap_open ({found['gap_open']:g}); got {found['gap_extend']:g}"
        )
    return found


def choose_guide(sequences: Sequences[Sequence]) -> str:
    """Choose single linkage; sketches for many or long nucleotide sequences that are related; or medoids where single
    linkage of the different sequences would take too long."""
    lengths = sequence_lengths(sequences)
    if _suits_sketches(sequences, lengths):
        return SKETCH
    if count_linkage_steps(lengths) <= MOST_STEPS:
        return SINGLE
    first, _ = group_equal_sequences(sequences)
    return SINGLE if count_linkage_steps(lengths[first]) <= MOST_STEPS else MEDOID


def _suits_sketches(sequences: Sequences[Sequence], lengths: np.ndarray) -> bool:
    """Return whether sketches give a good guide tree of these sequences, and sooner than single linkage."""
    if count_linkage_steps(lengths) < SKETCHED_STEPS or lengths.size > MOST_SKETCHED or not are_nucleotides(sequences):
        return False
    return float(sample_shared_words(sequences, protein=False).mean()) >= SKETCHED_SHARE


def count_linkage_steps(lengths: np.ndarray, copies: np.ndarray | int = 1) -> float:
    """Return the words of bits that all longest common subsequences are counted with.

    ``lengths`` int64 are those of the sequences; there are ``copies`` of each.
    """
    words = np.maximum((lengths + BITS - 1) // BITS, 1)
    return float(int((lengths * copies).sum()) * int((words * copies).sum()) / 2)


@dataclass(frozen=True, eq=False)
class AlignmentLeaves:
    """The different sequences of a problem, which are aligned, and whose they are.

    ``sequences`` int64 are their numbers among those that have letters; ``own`` int64 is the leaf of each of these.
    ``codes`` uint8 are symbols from offsets[i] on (int64).
    """

    sequences: np.ndarray
    own: np.ndarray
    codes: np.ndarray
    offsets: np.ndarray


def make_leaves(problem: MsaProblem) -> AlignmentLeaves:
    """Return a leaf for each of the different sequences of a problem."""
    return _encode_leaves(problem, *group_equal_sequences(problem.filled_sequences))


def leaves_of_tree(problem: MsaProblem, tree: Tree) -> tuple[AlignmentLeaves, np.ndarray]:
    """Return the leaves of a given tree of all sequences, and its joins, int64 (leaves - 1, 2).

    A branch whose sequences are all equal is one leaf, as it is where the method makes the tree: so the tree of a
    result gives its alignment back.
    """
    tree = resolve_multifurcations(tree)
    place = {name: number for number, name in enumerate(problem.taxa)}
    sequence = np.array([place[name] for name in tree.taxa])
    content = group_equal_sequences(problem.filled_sequences)[1][sequence]
    runs = np.cumsum(np.append(0, content[1:] != content[:-1]))
    leaves_before = np.append(0, np.cumsum(tree.degrees == 0))
    first = leaves_before[:-1]
    is_uniform = runs[first] == runs[leaves_before[tree.ends] - 1]
    branches = np.flatnonzero(is_uniform & ~np.append(False, is_uniform[tree.parents[1:]]))
    smallest = np.minimum.reduceat(sequence, first[branches])
    order = np.argsort(smallest)
    inner = np.flatnonzero(~is_uniform)[::-1]
    number = np.empty(len(tree), np.int64)
    number[branches[order]] = np.arange(order.size)
    number[inner] = order.size + np.arange(inner.size)
    own = np.empty_like(sequence)
    own[sequence] = np.repeat(number[branches], tree.leaf_counts[branches])
    joins = number[np.stack([inner + 1, tree.ends[inner + 1]], 1)] if inner.size else np.zeros((0, 2), np.int64)
    return _encode_leaves(problem, smallest[order], own), joins


def _encode_leaves(problem: MsaProblem, sequences: np.ndarray, own: np.ndarray) -> AlignmentLeaves:
    """Return the leaves of these sequences with their letters as symbols."""
    taken = take_sequences(problem.filled_sequences, sequences.tolist())
    return AlignmentLeaves(sequences, own, *encode_sequences(taken, problem.is_protein))


def gap_cost_growth(count: int, power: float) -> float:
    """Return the factor of gap costs among so many different sequences."""
    return max(1.0, float(np.log2(count / GROWTH_START)) ** 2 / GROWTH_FACTOR if count > GROWTH_START else 1.0) ** power


def make_score_rules(problem: MsaProblem, count: int) -> ScoreRules:
    """Return the scores and costs of an alignment of so many different sequences; its rules have the names of
    OPTIONS."""
    own = problem.rules
    table = np.zeros((SYMBOLS, SYMBOLS), np.float32)
    if problem.is_protein:
        matrix, letters = named_matrix(own.matrix), AMINO_ACIDS.decode()
        places = [matrix.letters.index(letter) for letter in letters]
        table[:LETTERS, :LETTERS] = np.asarray(matrix.values)[np.ix_(places, places)]
    else:
        purine = np.isin(np.frombuffer(BASES, np.uint8), np.frombuffer(b"AG", np.uint8))
        different = np.where(purine[:, None] == purine, TRANSITION, TRANSVERSION)
        table[: len(BASES), : len(BASES)] = np.where(np.eye(len(BASES)), SAME, different)
    costs = [gap_cost_growth(count, own.growth) * cost for cost in (own.gap_open, own.gap_extend, own.gap_end)]
    for gap, cost in zip((OPENS, EXTENDS, ENDS), costs, strict=True):
        for letter in (*range(LETTERS), UNKNOWN):
            table[letter, gap] = table[gap, letter] = -cost
    return ScoreRules(table, *map(np.float32, costs))


def check_row_memory(rows: int, columns: int) -> None:
    """Raise MemoryRefused where the rows do not fit: the number of columns is known only after the alignment."""
    free = memory.host_bytes_free()
    if rows * columns > free:
        raise MemoryRefused(
            f"the alignment has {rows:,} rows of {columns:,} columns, {memory.format_bytes(rows * columns)}, and "
            f"{memory.format_bytes(free)} is free; sequences with little in common get many columns: raise gap_open, "
            "or leave sequences out"
        )
