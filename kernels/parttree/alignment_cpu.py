"""The alignment of very many sequences on the CPU: guide tree on threads, then profiles from the leaves to the root."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from typing import Any

import numpy as np

from kernels.cpu import workers
from kernels.cpu.phases import PhaseClock, PhaseLog, time_ms
from kernels.io.aligned import GAP
from kernels.model import Outcome, Sequence, SequenceType
from kernels.monitor import Monitor
from kernels.msa.problem import MsaProblem, answer_of
from kernels.parameters import typed
from kernels.parttree import cpu_profiles
from kernels.parttree.alignment import (
    MEDOID,
    SINGLE,
    Leaves,
    PartTreeRules,
    joins_of,
    leaves_of,
    refuse_rows,
    steps_of,
    table_of,
)
from kernels.parttree.cpu import Indexed, Log, compile_all, encoded
from kernels.parttree.cpu_counts import TASK
from kernels.parttree.linkage import edges, single_linkage
from kernels.parttree.medoids import compile_all as compile_medoids
from kernels.parttree.medoids import medoid_linkage
from kernels.parttree.parameters import Threads
from kernels.parttree.problem import PartTreeProblem
from kernels.parttree.recursion import Recursion, told, whole_tree
from kernels.parttree.symbols import Nodes
from kernels.parttree.words import letters_of
from kernels.steps import Steps

TREE, ALIGNMENT, ROWS = "tree", "alignment", "rows"


def msa_parttree(problem: MsaProblem, parameters: Mapping[str, Any], monitor: Monitor, steps: Steps) -> Outcome:
    """Profiles are aligned along a guide tree of the different sequences, unless one of all of them is given."""
    threads = typed(Threads, parameters).threads
    times_ms = {"compilation": time_ms(_compiled), "transfer": 0.0}
    clock = PhaseClock(times_ms)
    try:
        return _run(problem, threads, monitor, steps, clock, times_ms)
    except BaseException:
        workers.end_idle()
        raise


def _run(
    problem: MsaProblem, threads: int, monitor: Monitor, steps: Steps, clock: PhaseClock, times_ms: dict[str, float]
) -> Outcome:
    leaves = leaves_of(problem, problem.tree is not None)
    count, phase, begun_ns = leaves.sequences.size, 1, clock.started_ns
    tree = problem.tree
    if tree is None:
        log = PhaseLog(steps, phase, clock.started_ns)
        joins, lengths = _guide(problem, leaves, threads, monitor)
        log.add(0, (0, count), (0, count), 0, begun_ns)
        tree = whole_tree(problem.taxa, leaves.own, joins, lengths, problem.title)
        clock.phase(TREE)
        phase += 1
        begun_ns = begun_ns + round(1e6 * times_ms[TREE])
    else:
        joins = joins_of(tree, problem.taxa)
    nodes = steps_of(joins, count)
    columns, places, gaps = _aligned(problem, leaves, nodes, monitor)
    PhaseLog(steps, phase, clock.started_ns).add(0, (0, count), (0, int(columns[nodes.node[-1]])), 0, begun_ns)
    clock.phase(ALIGNMENT)
    target = _rows(problem, leaves, nodes, columns, places, gaps, monitor)
    answer = answer_of(problem, target, tree)
    clock.phase(ROWS)
    return Outcome(answer, times_ms, target.nbytes + gaps.nbytes)


def _guide(problem: MsaProblem, leaves: Leaves, threads: int, monitor: Monitor) -> tuple[np.ndarray, np.ndarray]:
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
    return Recursion(part, words, measure, threads, tell, TASK).joins()


def _aligned(
    problem: MsaProblem, leaves: Leaves, nodes: Nodes, monitor: Monitor
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Columns of every node, and the gaps of its two sides: see `cpu_profiles.progressive`."""
    count, total = leaves.sequences.size, nodes.leaf.size
    columns, places = np.zeros(total, np.int64), np.zeros(2 * total + 1, np.int64)
    weights, rules = np.ones(count, np.float32), table_of(problem, count)
    done, stop, found = np.zeros(1, np.int64), workers.stop_word(), []

    def work(worker: int) -> None:
        found.append(cpu_profiles.progressive(
            leaves.codes, leaves.offsets, weights, nodes, rules, columns, places, done, stop))  # fmt: skip

    workers.share(work, 1, stop, lambda: monitor.update(int(done[0]), total, ALIGNMENT))
    monitor.update(total, total, ALIGNMENT)
    return columns, places, found[0]


def _rows(
    problem: MsaProblem, leaves: Leaves, nodes: Nodes, columns: np.ndarray, places: np.ndarray,
    gaps: np.ndarray, monitor: Monitor,
) -> np.ndarray:  # fmt: skip
    """The rows of all sequences that have letters."""
    filled = [problem.sequences[number] for number in problem.filled]
    letters = np.frombuffer(b"".join(one.letters for one in filled), np.uint8)
    offsets = np.concatenate([[0], np.cumsum([len(one) for one in filled])])
    shape = len(filled), int(columns[nodes.node[-1]])
    refuse_rows(*shape)
    target = np.full(shape, GAP, np.uint8)
    copies = np.argsort(leaves.own, kind="stable")
    starts = np.concatenate([[0], np.cumsum(np.bincount(leaves.own, minlength=leaves.sequences.size))])
    cpu_profiles.written(letters, offsets, copies, starts, nodes, gaps, places, columns, target)
    monitor.update(1, 1, ROWS)
    return target


@cache
def _compiled() -> None:
    """Compile, or load from the cache folder."""
    compile_all()
    compile_medoids()
    from kernels.parttree.alignment import rules

    texts = (b"ACDEFGHIKL", b"ACDEFGGHIKL", b"WWW")
    sequences = tuple(Sequence(str(number), text, SequenceType.PROTEIN) for number, text in enumerate(texts))
    values: dict[str, Any] = {"matrix": "BLOSUM62", "growth": 0.5, "references": 2, "pick_seed": 1}
    problem = MsaProblem(sequences, rules(sequences, values))
    leaves = leaves_of(problem, False)
    tell: Callable[[int, int], None] = told(Monitor(), TREE)
    joins, _ = single_linkage(leaves.codes, leaves.offsets, 1, tell)
    nodes = steps_of(joins, 3)
    _rows(problem, leaves, nodes, *_aligned(problem, leaves, nodes, Monitor()), Monitor())
