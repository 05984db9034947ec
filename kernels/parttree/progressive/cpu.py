"""The alignment of very many sequences on the CPU: guide tree on threads, then profiles from leaves to root."""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import cache, partial
from typing import Any

import numpy as np

from antidiag.kernels.cpu.cpu_run import CpuPhase, CpuRun, LoggedCells
from antidiag.kernels.model import Outcome, Sequence, SequenceType, concatenate_letters, sequence_lengths
from antidiag.kernels.monitor import CancelOnlyMonitor, Monitor
from antidiag.kernels.msa.problem import MsaProblem, make_answer
from antidiag.kernels.parttree import sizes
from antidiag.kernels.parttree.kmers.cpu_shared_words import TASK
from antidiag.kernels.parttree.kmers.sketches import compile_sketches, link_sketches
from antidiag.kernels.parttree.kmers.word_arrays import LetterArrays
from antidiag.kernels.parttree.kmers.word_arrays import concatenate_letters as letters_of
from antidiag.kernels.parttree.lcs.linkage import Joins, edge_lengths, single_linkage
from antidiag.kernels.parttree.lcs.medoid_trees import MedoidRecursion
from antidiag.kernels.parttree.lcs.medoid_trees import compile_medoids as compile_medoids
from antidiag.kernels.parttree.parameters import PartTreeThreads
from antidiag.kernels.parttree.problem import PartTreeProblem
from antidiag.kernels.parttree.progress import RecursionProgress, ReportProgress
from antidiag.kernels.parttree.progressive.alignment_rules import (
    MEDOID,
    PARTTREE,
    SINGLE,
    SKETCH,
    AlignmentLeaves,
    PartTreeRules,
    check_row_memory,
    leaves_of_tree,
    make_leaves,
    make_score_rules,
)
from antidiag.kernels.parttree.progressive.cpu_rows import NodeColumns, RowLetters, write_rows
from antidiag.kernels.parttree.progressive.cpu_stage import AlignedNodes, align_whole_tree
from antidiag.kernels.parttree.progressive.refinement import compile_refinement, refine_branches, tree_of_rows
from antidiag.kernels.parttree.progressive.tree_tasks import count_roots, order_steps, split_steps
from antidiag.kernels.parttree.splitting.cpu import WORDS, IndexedDistances, compile_all, encode_sixmers
from antidiag.kernels.parttree.splitting.recursion import PartTreeRecursion, tree_with_equal_leaves
from antidiag.kernels.parttree.symbols import TreeSteps
from antidiag.kernels.sequences.sequence_set import take_sequences
from antidiag.kernels.steps import StepLog

TREE, ALIGNMENT, ROWS, FURTHER, REFINEMENT = "tree", "alignment", "rows", "further passes", "refinement"


GuideMaker = Callable[[AlignmentLeaves, CpuPhase], tuple[np.ndarray, np.ndarray]]
"""The joins of leaves, int64 (n - 1, 2), and the lengths of the edges below each."""
ProfileAligner = Callable[[AlignmentLeaves, np.ndarray, CpuPhase], AlignedNodes]
"""From leaves and joins to columns of every node, places and gaps."""


def msa_parttree(problem: MsaProblem, parameters: PartTreeThreads, monitor: Monitor, steps: StepLog) -> Outcome:
    """Align profiles along a guide tree of the different sequences, or along a given tree of all of them."""
    threads = parameters.threads
    run = CpuRun(monitor, steps, threads)
    run.compile(alignment_compiler(problem))
    return run_stages(problem, run, partial(make_guide_on_threads, problem), partial(_align_profiles, problem))


def run_stages(problem: MsaProblem, run: CpuRun, guide_of: GuideMaker, align: ProfileAligner) -> Outcome:
    """Make guide tree, alignment and rows; ``guide_of`` and ``align`` make the first two."""
    tree = problem.tree
    if tree is None:
        with run.phase(TREE) as phase:
            begun_ns = time.perf_counter_ns()
            leaves = make_leaves(problem)
            count = leaves.sequences.size
            joins, lengths = guide_of(leaves, phase)
            phase.log(LoggedCells((0, count), (0, count)), 0, begun_ns)
            tree = tree_with_equal_leaves(problem.taxa, leaves.own, joins, lengths, problem.title)
        begun_ns = time.perf_counter_ns()
    else:
        with run.phase(ALIGNMENT):
            begun_ns = time.perf_counter_ns()
            leaves, joins = leaves_of_tree(problem, tree)
            count = leaves.sequences.size
    with run.phase(ALIGNMENT) as phase:
        found = align(leaves, joins, phase)
        node_cells = _count_node_cells(found[0], joins)
        phase.log(LoggedCells((0, count), (0, int(found[0][-1]))), 0, begun_ns)
    with run.phase(ROWS) as phase:
        target = _write_rows(problem, leaves, joins, found, phase)
    nbytes = target.nbytes + found[2].nbytes
    if problem.rules.passes > 1 and problem.tree is None and count > 1:
        with run.phase(FURTHER) as phase:
            begun_ns, report = time.perf_counter_ns(), RecursionProgress(run.monitor, FURTHER)
            for number in range(problem.rules.passes - 1):
                joins, lengths = tree_of_rows(target[leaves.sequences], phase, report)
                found = align(leaves, joins, phase)
                node_cells += _count_node_cells(found[0], joins)
                target = _write_rows(problem, leaves, joins, found, phase)
                phase.log(LoggedCells((0, count), (0, target.shape[1]), number), 0, begun_ns)
            report(1, 1)
            tree = tree_with_equal_leaves(problem.taxa, leaves.own, joins, lengths, problem.title)
    if problem.rules.refine_top and count > 1:
        with run.phase(REFINEMENT) as phase:
            begun_ns, report = time.perf_counter_ns(), RecursionProgress(run.monitor, REFINEMENT)
            rules, most = make_score_rules(problem, count), problem.rules.refine_top
            rows = target[leaves.sequences]
            target = refine_branches(rows, joins, most, rules, problem.is_protein, phase, report)[leaves.own]
            phase.log(LoggedCells((0, count), (0, target.shape[1])), 0, begun_ns)
    return Outcome(
        make_answer(problem, target, tree), run.times_ms, nbytes, work=sizes.aligned_cells(problem, node_cells)
    )


def _count_node_cells(columns: np.ndarray, joins: np.ndarray) -> int:
    """Return the cells of all joins: the columns of one child times those of the other."""
    return int((columns[joins[:, 0]] * columns[joins[:, 1]]).sum())


def alignment_compiler(problem: MsaProblem, on_device: bool = False) -> Callable[[], None]:
    """Return a function that compiles all that a run needs; ``on_device``: where a device links sequences."""
    own: PartTreeRules = problem.rules
    is_made_elsewhere = problem.tree is not None or (on_device and own.guide == SINGLE)
    return partial(compile_alignment, None if is_made_elsewhere else own.guide, own.passes > 1 or own.refine_top > 0)


def make_guide_on_threads(
    problem: MsaProblem, leaves: AlignmentLeaves, phase: CpuPhase
) -> tuple[np.ndarray, np.ndarray]:
    """Make the guide tree on threads; see `make_guide`."""
    report = RecursionProgress(phase.run.monitor, TREE)

    def link(codes: np.ndarray, offsets: np.ndarray, report: ReportProgress) -> Joins:
        return single_linkage(codes, offsets, phase, report)

    def measure_of(letters: LetterArrays) -> tuple[IndexedDistances, int]:
        with CpuRun(CancelOnlyMonitor(phase.run.monitor), threads=phase.run.threads).phase(WORDS) as unlogged:
            words = encode_sixmers(letters, problem.is_protein, unlogged)
        return IndexedDistances(words, letters.possible_words, unlogged, report.report_distances), TASK

    return make_guide(problem, leaves, phase, report, link, measure_of)


def make_guide(
    problem: MsaProblem,
    leaves: AlignmentLeaves,
    phase: CpuPhase,
    report: RecursionProgress,
    link: Callable[[np.ndarray, np.ndarray, ReportProgress], Joins],
    measure_of: Callable[[LetterArrays], tuple[Any, int]],
) -> tuple[np.ndarray, np.ndarray]:
    """Return the joins of the leaves, int64 (n - 1, 2), and the lengths of the edges below each, float64 (n - 1, 2).

    ``link`` makes single linkage; ``measure_of`` gives what measures distances for PartTree (`recursion.Measure`, with
    its ``words``) and the most members of a task. Medoid trees and sketches are made on the host.
    """
    rules: PartTreeRules = problem.rules
    numbers = np.asarray(problem.filled)[leaves.sequences]  # picks are drawn by them, as where the tree is made alone
    if rules.guide == PARTTREE:
        different = take_sequences(problem.sequences, numbers.tolist())
        part = PartTreeProblem(different, rules.references, rules.pick_seed)
        measure, task = measure_of(letters_of(different, problem.is_protein))
        return PartTreeRecursion(part, measure.words, measure, phase, report, task, numbers=numbers).joins()
    if rules.guide == SKETCH:
        joins, heights = link_sketches(leaves.codes, leaves.offsets, problem.is_protein, phase, report)
    elif rules.guide == MEDOID:
        settings = rules.references, rules.pick_seed, phase, report
        joins, heights = MedoidRecursion(leaves.codes, leaves.offsets, numbers, *settings).tree()
    else:
        joins, heights = link(leaves.codes, leaves.offsets, report)
    report(1, 1)
    return joins, edge_lengths(joins, heights)


def _align_profiles(problem: MsaProblem, leaves: AlignmentLeaves, joins: np.ndarray, phase: CpuPhase) -> AlignedNodes:
    """Align all nodes on threads."""
    count = leaves.sequences.size
    rules, report = make_score_rules(problem, count), RecursionProgress(phase.run.monitor, ALIGNMENT)
    return align_whole_tree(leaves, order_steps(joins, count), rules, phase, report)


def _write_rows(
    problem: MsaProblem, leaves: AlignmentLeaves, joins: np.ndarray, found: AlignedNodes, phase: CpuPhase
) -> np.ndarray:
    """Write the rows of all sequences that have letters."""
    columns, gap_ranges, gaps = found
    filled = problem.filled_sequences
    shape = len(filled), int(columns[-1])
    check_row_memory(*shape)
    texts = RowLetters(
        concatenate_letters(filled),
        np.concatenate([[0], np.cumsum(sequence_lengths(filled))]),
        np.argsort(leaves.own, kind="stable"),
        np.concatenate([[0], np.cumsum(np.bincount(leaves.own, minlength=leaves.sequences.size))]),
    )
    target, monitor = np.empty(shape, np.uint8), phase.run.monitor
    groups, top = split_steps(order_steps(joins, leaves.sequences.size), phase.run.threads)

    def write(nodes: TreeSteps, roots: NodeColumns) -> NodeColumns:
        return write_rows(texts, nodes, gaps, gap_ranges, columns, roots, target, phase.run.stop)

    standing: list[NodeColumns] = []
    root = NodeColumns(np.arange(shape[1], dtype=np.int32), np.zeros(2, np.int64))
    phase.share(lambda worker: standing.append(write(top, root)), monitor.check, threads=1)
    begins = np.append(standing[0].begins, 0)
    ends = np.cumsum([count_roots(nodes) for nodes in groups], dtype=np.int64).tolist()
    phase.share_tasks(
        list(zip(groups, ends, strict=True)),
        lambda worker, part: write(part[0], NodeColumns(standing[0].columns, begins[: part[1] + 1])),
        report=monitor.check,
    )
    monitor.update(1, 1, ROWS)
    return target


@cache
def compile_alignment(kind: str | None, further: bool) -> None:
    """Compile a guide tree of this kind and the profiles along it, or load them from the cache.

    Without a kind no guide tree is compiled; with ``further`` also what follows the first alignment.
    """
    if kind == SKETCH:
        compile_sketches()
    elif kind == MEDOID:
        compile_medoids()
    elif kind == PARTTREE:
        compile_all()
    from antidiag.kernels.parttree.progressive.alignment_rules import make_rules

    texts = (b"ACDEFGHIKL", b"ACDEFGGHIKL", b"WWW")
    sequences = tuple(Sequence(str(number), text, SequenceType.PROTEIN) for number, text in enumerate(texts))
    values: dict[str, Any] = {
        "matrix": "BLOSUM62",
        "growth": 0.5,
        "references": 2,
        "pick_seed": 1,
        "guide": kind or SINGLE,
    }
    problem = MsaProblem(sequences, make_rules(sequences, values))
    leaves = make_leaves(problem)
    with CpuRun().phase(TREE) as phase:
        joins = make_guide_on_threads(problem, leaves, phase)[0] if kind else np.array([[0, 1], [3, 2]])
        _write_rows(problem, leaves, joins, _align_profiles(problem, leaves, joins, phase), phase)
    if further:
        compile_refinement()
