"""Insertion of many sequences into a large alignment: the problem type, its rules, memory and work.

The alignment is one profile. Every sequence is aligned to it independently of the others, and threads share the
sequences. Letters that fit no column of the alignment get columns of their own.
"""

from __future__ import annotations

from collections.abc import Mapping
from collections.abc import Sequence as Sequences
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from antidiag.kernels.memory import Footprint
from antidiag.kernels.method import ProblemType
from antidiag.kernels.model import Sequence
from antidiag.kernels.msa.consistency.given_alignment import ADDED, GIVEN, GivenProblem, build_given_problem
from antidiag.kernels.msa.problem import problem_type
from antidiag.kernels.parameters import resolve_values
from antidiag.kernels.parttree.parameters import PartTreeThreads
from antidiag.kernels.parttree.progressive.alignment_rules import OPTIONS as ALIGNMENT_OPTIONS
from antidiag.kernels.parttree.progressive.alignment_rules import complete_options, default_options
from antidiag.kernels.serialization import stored

OPTIONS = tuple(
    option for option in ALIGNMENT_OPTIONS if option.name in ("matrix", "gap_open", "gap_extend", "gap_end", "growth")
)
SEQUENCE_BYTES, COLUMN_BYTES = 120, 24 * 8


@stored("parttree-add-rules")
@dataclass(frozen=True)
class InsertionRules:
    """Rules of an insertion; see OPTIONS. Gap costs grow with the rows of the alignment."""

    matrix: str
    gap_open: float
    gap_extend: float
    gap_end: float
    growth: float


def make_insertion_rules(sequences: Sequences[Sequence], values: Mapping[str, Any]) -> InsertionRules:
    """Return the rules of option values."""
    return InsertionRules(**complete_options(sequences, values))


def _build_insertion_problem(data: Sequences[Any], options: Mapping[str, Any]) -> GivenProblem:
    """Return the problem of an alignment and the sequences to insert."""
    values = resolve_values(OPTIONS, options)
    ADDED.check(sum(isinstance(datum, Sequence) for datum in data))
    return build_given_problem(data, lambda sequences: make_insertion_rules(sequences, values))


INSERTION_PROBLEM: ProblemType = replace(
    problem_type(
        "parttree-add",
        "Many sequences added to an alignment",
        OPTIONS,
        make_insertion_rules,
        "antidiag.kernels.parttree.trials:INSERTION",
        inputs=(GIVEN, ADDED),
        default_options=default_options,
    ),
    build_problem=_build_insertion_problem,
)


def count_insertion_cells(problem: GivenProblem, parameters: PartTreeThreads) -> int:
    """Return the cells: columns of the alignment x letters of the inserted sequences."""
    return max(problem.alignment.letters.shape[1] * sum(_inserted_lengths(problem)), 1)


def insertion_footprint(problem: GivenProblem, parameters: PartTreeThreads, backend: str) -> Footprint:
    """Return the memory of the rows before and after, the profile, and the buffers of each thread."""
    rows, columns = problem.alignment.letters.shape
    lengths = _inserted_lengths(problem)
    threads, longest = parameters.threads, max(lengths, default=0)
    return Footprint(
        {
            "rows": rows * columns + (rows + len(lengths)) * (columns + longest // 4),
            "sequences": SEQUENCE_BYTES * (rows + len(lengths)),
            "letters": 6 * sum(lengths),
            "profile and directions": (threads + 1) * (columns + longest) * COLUMN_BYTES + threads * columns * longest,
        }
    )


def _inserted_lengths(problem: GivenProblem) -> list[int]:
    """Return the lengths of the inserted sequences."""
    return [len(one) for one in problem.sequences[len(problem.alignment.names) :]]


def symbol_table(protein: bool, codes: np.ndarray, gap: int) -> np.ndarray:
    """Return the symbol of every byte of a row, uint8 (256,): ``codes`` of letters, and ``gap`` for a gap."""
    table = codes.copy()
    table[ord("-")] = gap
    if not protein:
        table[ord("U")] = table[ord("T")]
    return table
