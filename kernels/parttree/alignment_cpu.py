"""The alignment of very many sequences on the CPU: guide tree on threads, then profiles from the leaves to the root."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from functools import cache, partial
from typing import Any

import numpy as np

from antidiag.kernels.cpu import workers
from antidiag.kernels.cpu.compiling import compiled_ms
from antidiag.kernels.cpu.phases import PhaseClock, PhaseLog
from antidiag.kernels.model import Outcome, Sequence, SequenceType, joined, lengths_of
from antidiag.kernels.monitor import Monitor
from antidiag.kernels.msa.problem import MsaProblem, answer_of
from antidiag.kernels.parameters import typed
from antidiag.kernels.parttree.alignment import (
    MEDOID,
    SINGLE,
    Leaves,
    PartTreeRules,
    joins_of,
    leaves_of,
    refuse_rows,
    table_of,
)
from antidiag.kernels.parttree.cpu import Indexed, Log, compile_all, encoded
from antidiag.kernels.parttree.cpu_counts import TASK
from antidiag.kernels.parttree.cpu_rows import Standing, Texts, written
from antidiag.kernels.parttree.cpu_stage import Found, aligned_alone
from antidiag.kernels.parttree.linkage import edges, single_linkage
from antidiag.kernels.parttree.medoids import compile_all as compile_medoids
from antidiag.kernels.parttree.medoids import medoid_linkage
from antidiag.kernels.parttree.parameters import Threads
from antidiag.kernels.parttree.problem import PartTreeProblem
from antidiag.kernels.parttree.recursion import Recursion, told, whole_tree
from antidiag.kernels.parttree.refining import compile_refining, refined, tree_of_rows
from antidiag.kernels.parttree.symbols import Nodes
from antidiag.kernels.parttree.tasks import roots_of, steps_of, tasks
from antidiag.kernels.parttree.words import letters_of
from antidiag.kernels.steps import Steps

TREE, ALIGNMENT, ROWS, FURTHER, REFINEMENT = "tree", "alignment", "rows", "further passes", "refinement"


Guide = Callable[[Leaves], tuple[np.ndarray, np.ndarray]]
"""The joins of leaves, int64 (n - 1, 2), and the lengths of the edges below each."""
Align = Callable[[Leaves, np.ndarray], Found]
"""From leaves and joins to columns of every node, places and gaps."""


def msa_parttree(problem: MsaProblem, parameters: Mapping[str, Any], monitor: Monitor, steps: Steps) -> Outcome:
    """Profiles are aligned along a guide tree of the different sequences, unless one of all of them is given."""
    threads = typed(Threads, parameters).threads
    times_ms = {"compilation": compiled_ms(compiler_of(problem), monitor), "transfer": 0.0}
    clock = PhaseClock(times_ms)
    return stages(
        problem, threads, monitor, steps, clock, times_ms,
        lambda leaves: guide(problem, leaves, threads, monitor),
        lambda leaves, joins: _aligned(problem, leaves, joins, threads, monitor),
    )  # fmt: skip


def stages(
    problem: MsaProblem, threads: int, monitor: Monitor, steps: Steps, clock: PhaseClock, times_ms: dict[str, float],
    guide_of: Guide, align: Align,
) -> Outcome:  # fmt: skip
    """Guide tree, alignment and rows, wherever the first two are made."""
    try:
        return _staged(problem, threads, monitor, steps, clock, times_ms, guide_of, align)
    except BaseException:
        workers.end_idle()
        raise


def _staged(
    problem: MsaProblem, threads: int, monitor: Monitor, steps: Steps, clock: PhaseClock, times_ms: dict[str, float],
    guide_of: Guide, align: Align,
) -> Outcome:  # fmt: skip
    leaves = leaves_of(problem, problem.tree is not None)
    count, phase, begun_ns = leaves.sequences.size, 1, clock.started_ns
    tree = problem.tree
    if tree is None:
        log = PhaseLog(steps, phase, clock.started_ns)
        joins, lengths = guide_of(leaves)
        log.add(0, (0, count), (0, count), 0, begun_ns)
        tree = whole_tree(problem.taxa, leaves.own, joins, lengths, problem.title)
        clock.phase(TREE)
        phase += 1
        begun_ns = time.perf_counter_ns()
    else:
        joins = joins_of(tree, problem.taxa)
    columns, places, gaps = align(leaves, joins)
    PhaseLog(steps, phase, clock.started_ns).add(0, (0, count), (0, int(columns[-1])), 0, begun_ns)
    clock.phase(ALIGNMENT)
    target = _rows(problem, leaves, joins, columns, places, gaps, threads, monitor)
    clock.phase(ROWS)
    nbytes = target.nbytes + gaps.nbytes
    if problem.rules.passes > 1 and problem.tree is None and count > 1:
        log, begun_ns, tell = PhaseLog(steps, phase + 2, clock.started_ns), time.perf_counter_ns(), told(
            monitor, FURTHER)  # fmt: skip
        for number in range(problem.rules.passes - 1):
            joins, lengths = tree_of_rows(target[leaves.sequences], threads, tell)
            target = _rows(problem, leaves, joins, *align(leaves, joins), threads, monitor)
            log.add(number, (0, count), (0, target.shape[1]), 0, begun_ns)
        tell(1, 1)
        tree = whole_tree(problem.taxa, leaves.own, joins, lengths, problem.title)
        clock.phase(FURTHER)
        phase += 1
    if problem.rules.refine_top and count > 1:
        log, begun_ns = PhaseLog(steps, phase + 2, clock.started_ns), time.perf_counter_ns()
        rows = refined(target[leaves.sequences], joins, problem.rules.refine_top, table_of(problem, count),
                       problem.protein, told(monitor, REFINEMENT))  # fmt: skip
        target = rows[leaves.own]
        log.add(0, (0, count), (0, target.shape[1]), 0, begun_ns)
        clock.phase(REFINEMENT)
    return Outcome(answer_of(problem, target, tree), times_ms, nbytes)


def compiler_of(problem: MsaProblem) -> Callable[[], None]:
    """What compiles all that a run takes."""
    own: PartTreeRules = problem.rules
    return partial(compile_alignment, own.guide, own.passes > 1 or own.refine_top > 0)


def guide(problem: MsaProblem, leaves: Leaves, threads: int, monitor: Monitor) -> tuple[np.ndarray, np.ndarray]:
    """Joins of the leaves, and lengths of the edges below each."""
    own: PartTreeRules = problem.rules
    tell = told(monitor, TREE)
    if own.guide == SINGLE:
        joins, heights = single_linkage(leaves.codes, leaves.offsets, threads, tell)
        tell(1, 1)
        return joins, edges(joins, heights)
    if own.guide == MEDOID:
        joins, heights = medoid_linkage(leaves.codes, leaves.offsets, leaves.sequences, own.references, own.pick_seed,
                                        threads, tell)  # fmt: skip
        tell(1, 1)
        return joins, edges(joins, heights)
    filled = [problem.sequences[problem.filled[number]] for number in leaves.sequences.tolist()]
    part = PartTreeProblem(tuple(filled), own.references, own.pick_seed)
    letters = letters_of(filled, problem.protein)
    words = encoded(letters, problem.protein, threads, Monitor())
    measure = Indexed(words, letters.bins, threads, monitor, Log(Steps(), 1, 0))
    measure.measured = tell.measured
    return Recursion(part, words, measure, threads, tell, TASK).joins()


def _aligned(problem: MsaProblem, leaves: Leaves, joins: np.ndarray, threads: int, monitor: Monitor) -> Found:
    count = leaves.sequences.size
    rules = table_of(problem, count)
    return aligned_alone(leaves, steps_of(joins, count), rules, threads, told(monitor, ALIGNMENT))


def _rows(
    problem: MsaProblem, leaves: Leaves, joins: np.ndarray, columns: np.ndarray, places: np.ndarray, gaps: np.ndarray,
    threads: int, monitor: Monitor,
) -> np.ndarray:  # fmt: skip
    """The rows of all sequences that have letters."""
    filled = problem.filled_sequences
    shape = len(filled), int(columns[-1])
    refuse_rows(*shape)
    texts = Texts(
        joined(filled),
        np.concatenate([[0], np.cumsum(lengths_of(filled))]),
        np.argsort(leaves.own, kind="stable"),
        np.concatenate([[0], np.cumsum(np.bincount(leaves.own, minlength=leaves.sequences.size))]),
    )
    target, stop = np.empty(shape, np.uint8), workers.stop_word()
    groups, top = tasks(steps_of(joins, leaves.sequences.size), threads)
    standing: list[Standing] = []

    def write(nodes: Nodes, roots: Standing) -> Standing:
        return written(texts, nodes, gaps, places, columns, roots, target, stop)

    def poll() -> None:
        monitor.check()

    root = Standing(np.arange(shape[1], dtype=np.int32), np.zeros(2, np.int64))
    workers.share(lambda worker: standing.append(write(top, root)), 1, stop, poll)
    begins = np.append(standing[0].begins, 0)
    ends = np.cumsum([roots_of(nodes) for nodes in groups], dtype=np.int64)
    parts = iter(zip(groups, ends.tolist(), strict=True))

    def work(worker: int) -> None:
        for nodes, end in parts:
            write(nodes, Standing(standing[0].columns, begins[: end + 1]))

    workers.share(work, max(1, min(threads, len(groups))), stop, poll)
    monitor.update(1, 1, ROWS)
    return target


@cache
def compile_alignment(kind: str, further: bool) -> None:
    """Compile, or load from the cache folder, a guide tree of this kind, and the profiles along it; with ``further``
    what follows the first alignment too."""
    if kind == MEDOID:
        compile_medoids()
    elif kind != SINGLE:
        compile_all()
    from antidiag.kernels.parttree.alignment import rules

    texts = (b"ACDEFGHIKL", b"ACDEFGGHIKL", b"WWW")
    sequences = tuple(Sequence(str(number), text, SequenceType.PROTEIN) for number, text in enumerate(texts))
    values: dict[str, Any] = {"matrix": "BLOSUM62", "growth": 0.5, "references": 2, "pick_seed": 1, "guide": kind}
    problem = MsaProblem(sequences, rules(sequences, values))
    leaves = leaves_of(problem, False)
    joins, _ = guide(problem, leaves, 1, Monitor())
    _rows(problem, leaves, joins, *_aligned(problem, leaves, joins, 1, Monitor()), 1, Monitor())
    if further:
        compile_refining()
