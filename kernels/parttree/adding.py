"""Many sequences added to a large alignment: the problem type, what it goes by, and what it takes.

The alignment is one profile. Every sequence is aligned to it by itself, so that it does not matter which others are
added, and threads share the sequences. Letters that stand in no column of the alignment get columns of their own.
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
from antidiag.kernels.msa.consistency.given import ADDED, GIVEN, GivenProblem, given_problem
from antidiag.kernels.msa.problem import problem_type
from antidiag.kernels.parameters import resolve, typed
from antidiag.kernels.parttree.alignment import OPTIONS as ALIGNMENT_OPTIONS
from antidiag.kernels.parttree.alignment import completed
from antidiag.kernels.parttree.parameters import Threads
from antidiag.kernels.serialization import stored

OPTIONS = tuple(option for option in ALIGNMENT_OPTIONS
                if option.name in ("matrix", "gap_open", "gap_extend", "gap_end", "growth"))  # fmt: skip
SEQUENCE_BYTES, COLUMN_BYTES = 120, 24 * 8


@stored("parttree-add-rules")
@dataclass(frozen=True)
class AddingRules:
    """See OPTIONS; gap costs grow with the rows of the alignment."""

    matrix: str
    gap_open: float
    gap_extend: float
    gap_end: float
    growth: float


def _rules(sequences: tuple[Sequence, ...], values: Mapping[str, Any]) -> AddingRules:
    return AddingRules(**completed(sequences, values))


def _build(data: Sequences[Any], given: Mapping[str, Any]) -> GivenProblem:
    values = resolve(OPTIONS, given)
    ADDED.check(sum(isinstance(datum, Sequence) for datum in data))
    return given_problem(data, lambda sequences: _rules(sequences, values))


ADDING: ProblemType = replace(
    problem_type("parttree-add", "Many sequences added to an alignment", OPTIONS, _rules,
                 "antidiag.kernels.parttree.trials:ADDING", inputs=(GIVEN, ADDED)),
    build=_build,
)  # fmt: skip


def work(problem: GivenProblem, parameters: Mapping[str, Any]) -> int:
    """Cells: columns of the alignment by letters of what is added."""
    return max(problem.alignment.letters.shape[1] * sum(_added(problem)), 1)


def footprint(problem: GivenProblem, parameters: Mapping[str, Any], backend: str) -> Footprint:
    """The rows twice, as they are given and as they become; the profile, and what each thread needs beside."""
    rows, columns = problem.alignment.letters.shape
    lengths = _added(problem)
    threads, longest = typed(Threads, parameters).threads, max(lengths, default=0)
    return Footprint({
        "rows": rows * columns + (rows + len(lengths)) * (columns + longest // 4),
        "sequences": SEQUENCE_BYTES * (rows + len(lengths)), "letters": 6 * sum(lengths),
        "profile and directions": (threads + 1) * (columns + longest) * COLUMN_BYTES + threads * columns * longest,
    })  # fmt: skip


def _added(problem: GivenProblem) -> list[int]:
    """The lengths of the sequences that are added."""
    return [len(one) for one in problem.sequences[len(problem.alignment.names) :]]


def gap_table(protein: bool, codes: np.ndarray, gap: int) -> np.ndarray:
    """The symbol of every byte of a row, uint8 (256,): ``codes`` of letters, and ``gap`` where there is none."""
    table = codes.copy()
    table[ord("-")] = gap
    if not protein:
        table[ord("U")] = table[ord("T")]
    return table
