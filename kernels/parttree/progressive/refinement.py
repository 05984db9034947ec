"""Refinement after a first alignment of very many sequences: the tree of its rows, and its top realigned."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache, partial

import numpy as np

from antidiag.kernels.cpu.cpu_run import CpuPhase, CpuRun
from antidiag.kernels.io.aligned_sequences import GAP
from antidiag.kernels.parttree.insertion.insertion_kernels import NO_LETTER
from antidiag.kernels.parttree.insertion.insertion_problem import symbol_table
from antidiag.kernels.parttree.lcs.linkage import edge_lengths, joins_of_spanning_tree, spanning_edges_of_blocks
from antidiag.kernels.parttree.progress import ReportProgress
from antidiag.kernels.parttree.progressive import cpu_refinement
from antidiag.kernels.parttree.progressive.alignment_rules import check_row_memory
from antidiag.kernels.parttree.progressive.cpu_profile_pair import LEFT, UP
from antidiag.kernels.parttree.progressive.tree_tasks import order_steps
from antidiag.kernels.parttree.symbols import AMINO_ACIDS, BASES, SYMBOLS, ScoreRules, encode_letters

BLOCK = 2048
"""Rows of a block; a thread makes the tree between each two blocks."""


def tree_of_rows(rows: np.ndarray, phase: CpuPhase, report: ReportProgress) -> tuple[np.ndarray, np.ndarray]:
    """Link aligned rows, uint8 (n, columns): joins int64 (n - 1, 2) and lengths of the edges below."""
    count, sizes = len(rows), (rows != GAP).sum(axis=1)
    rows = rows.view()
    rows.setflags(write=False)  # as the rows of an alignment are, so that no other code is compiled
    parts = np.array_split(np.arange(count), max(1, min(16, -(-count // BLOCK))))

    def tree(one: np.ndarray, two: np.ndarray, done: np.ndarray, stop: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        within = one is two
        room = one.size - 1 + (0 if within else two.size)
        keys, lengths = np.empty(room, np.int64), np.empty(room, np.float32)
        cpu_refinement.spanning_tree_between(rows, sizes, one, two, within, keys, lengths, done, stop)
        return keys, lengths.view(np.int32)

    keys, bits = spanning_edges_of_blocks(parts, count, phase, tree, report)
    joins, heights = joins_of_spanning_tree(keys, bits.view(np.float32), np.arange(count))
    return joins, edge_lengths(joins, heights)


def refine_branches(
    rows: np.ndarray,
    joins: np.ndarray,
    branch_count: int,
    rules: ScoreRules,
    protein: bool,
    phase: CpuPhase,
    report: ReportProgress,
) -> np.ndarray:
    """Realign the largest branches of the tree, ``branch_count`` of them, to all other rows, one after another.

    ``rows`` are uint8 (n, columns); the rows of either side keep their alignment to each other.
    """
    for number, members in enumerate(_largest_branches(joins, len(rows), branch_count)):
        rows = _realign_branch(rows, members, rules, protein, phase, partial(report, number, branch_count))
    report(1, 1)
    return rows


def _largest_branches(joins: np.ndarray, count: int, branch_count: int) -> Iterator[np.ndarray]:
    """Yield the leaves of each of the largest branches below the root, bool (count,); of equal ones the first in the
    order of alignment, which does not depend on the numbers of the joins."""
    steps = order_steps(joins, count)
    leaves = np.ones(count + len(joins), np.int64)
    for number, (one, other) in enumerate(joins.tolist()):
        leaves[count + number] = leaves[one] + leaves[other]
    sizes = leaves[steps.node]
    for last in np.argsort(-sizes[:-1], kind="stable")[:branch_count].tolist():
        inside = steps.leaf[last - 2 * sizes[last] + 2 : last + 1]
        members = np.zeros(count, bool)
        members[inside[inside >= 0]] = True
        yield members


def _realign_branch(
    rows: np.ndarray, members: np.ndarray, rules: ScoreRules, protein: bool, phase: CpuPhase, report: Callable[[], None]
) -> np.ndarray:
    """Return the rows with the members realigned to the others."""
    codes = encode_letters(np.arange(256, dtype=np.uint8), AMINO_ACIDS if protein else BASES)
    symbols = symbol_table(protein, codes, NO_LETTER)
    sides = []
    for own in (rows[members], rows[~members]):
        used = (own != GAP).any(axis=0)
        sides.append(np.ascontiguousarray(own[:, used]))
    found: list[np.ndarray] = []

    def run_worker(worker: int) -> None:
        found.append(cpu_refinement.realign_groups(*sides, symbols, rules, phase.run.stop))

    phase.share(run_worker, report, threads=1)
    operations = np.repeat(found[0][:, 0], found[0][:, 1])
    check_row_memory(len(rows), operations.size)
    made = np.full((len(rows), operations.size), GAP, np.uint8)
    for own, those, absent in zip(sides, (members, ~members), (LEFT, UP), strict=True):
        made[np.ix_(those, operations != absent)] = own
    return made


@cache
def compile_refinement() -> None:
    """Compile the refinement, or load it from the cache."""
    rows = np.frombuffer(b"ACDE-FGACD-EFGA-DEFG", np.uint8).reshape(4, 5)
    rules = ScoreRules(np.zeros((SYMBOLS, SYMBOLS), np.float32), *map(np.float32, (1, 1, 1)))
    with CpuRun().phase("refinement") as phase:
        joins, _ = tree_of_rows(rows, phase, lambda done, total: None)
        refine_branches(rows, joins, 1, rules, True, phase, lambda done, total: None)
