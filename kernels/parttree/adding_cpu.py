"""Many sequences added to an alignment on the CPU: its profile, each sequence against it on threads, and the rows."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any

import numpy as np

from antidiag.kernels.cpu import workers
from antidiag.kernels.cpu.compiling import compiled_ms
from antidiag.kernels.cpu.phases import PhaseClock, PhaseLog
from antidiag.kernels.io.aligned import GAP, AlignedSequences
from antidiag.kernels.model import Outcome, Sequence, SequenceType, joined
from antidiag.kernels.monitor import Monitor
from antidiag.kernels.msa.consistency.given import GivenProblem
from antidiag.kernels.msa.problem import MsaAnswer, answer_of
from antidiag.kernels.parameters import typed
from antidiag.kernels.parttree import cpu_adding
from antidiag.kernels.parttree.adding import ADDING, gap_table
from antidiag.kernels.parttree.alignment import refuse_rows, table_of
from antidiag.kernels.parttree.parameters import Threads
from antidiag.kernels.parttree.symbols import AMINO_ACIDS, BASES, SYMBOLS, codes_of, encoded
from antidiag.kernels.steps import Steps

PROFILE, ADDITION, ROWS = "profile", "adding", "rows"


def parttree_add(problem: GivenProblem, parameters: Mapping[str, Any], monitor: Monitor, steps: Steps) -> Outcome:
    """The rows of the alignment stay as they are beside each other; those that are added follow."""
    times_ms = {"compilation": compiled_ms(_compiled, monitor), "transfer": 0.0}
    clock = PhaseClock(times_ms)
    try:
        answer, nbytes = _run(problem, typed(Threads, parameters).threads, monitor, steps, clock)
    except BaseException:
        workers.end_idle()
        raise
    return Outcome(answer, times_ms, nbytes)


def _run(
    problem: GivenProblem, threads: int, monitor: Monitor, steps: Steps, clock: PhaseClock
) -> tuple[MsaAnswer, int]:
    given = [number for number in problem.filled if number < len(problem.alignment.names)]
    added = [problem.sequences[number] for number in problem.filled[len(given) :]]
    rows = problem.letters if len(given) == len(problem.alignment.names) else problem.letters[given]
    rules, stop = table_of(problem, len(given)), workers.stop_word()
    planes, present = np.zeros(SYMBOLS * rows.shape[1], np.float32), np.zeros(1, np.int64)
    codes = codes_of(np.arange(256, dtype=np.uint8), AMINO_ACIDS if problem.protein else BASES)
    symbols, done = gap_table(problem.protein, codes, cpu_adding.NO_LETTER), np.zeros(1, np.int64)

    def profile(worker: int) -> None:
        present[0] = cpu_adding.profile_of(rows, symbols, planes, done, stop)

    workers.share(
        profile,
        1, stop, lambda: monitor.update(int(done[0]), len(given), PROFILE),
    )  # fmt: skip
    monitor.update(len(given), len(given), PROFILE)
    clock.phase(PROFILE)
    begun_ns = clock.started_ns + round(1e6 * clock.running_ms)
    codes, offsets = encoded(added, problem.protein)
    places, ticket = np.empty(codes.size, np.int32), np.zeros(1, np.int64)
    threads = max(1, min(threads, -(-len(added) // cpu_adding.TASK)))
    of_thread, log = np.zeros((threads, 8), np.int64), PhaseLog(steps, 2, clock.started_ns)

    def work(worker: int) -> None:
        cpu_adding.add(planes, rows.shape[1], np.float32(len(given)), int(present[0]), codes, offsets, rules, places,
                       ticket, of_thread[worker, :1], stop)  # fmt: skip
        log.add(worker, (0, len(added)), (0, rows.shape[1]), worker, begun_ns)

    workers.share(work, threads, stop, lambda: monitor.update(int(of_thread.sum()), len(added), ADDITION))
    monitor.update(len(added), len(added), ADDITION)
    clock.phase(ADDITION)
    target = _rows(rows, added, places, offsets)
    monitor.update(1, 1, ROWS)
    answer = answer_of(problem, target)
    clock.phase(ROWS)
    return answer, 2 * target.nbytes + planes.nbytes


def _rows(rows: np.ndarray, added: list[Sequence], places: np.ndarray, offsets: np.ndarray) -> np.ndarray:
    """All rows, with the columns that the added letters need."""
    widths = np.zeros(rows.shape[1] + 1, np.int64)
    cpu_adding.widths_of(places, offsets, widths)
    columns = np.arange(rows.shape[1]) + np.cumsum(widths)[:-1]
    shape = len(rows) + len(added), rows.shape[1] + int(widths.sum())
    refuse_rows(*shape)
    target = np.full(shape, GAP, np.uint8)
    target[: len(rows), columns] = rows
    letters = joined(added)
    cpu_adding.written(letters, places, offsets, widths, columns, target[len(rows) :])
    return target


@cache
def _compiled() -> None:
    """Compile, or load from the cache folder."""
    letters = np.frombuffer(b"ACDE-FGA-DEEFG", np.uint8).reshape(2, 7)
    alignment = AlignedSequences(("a", "b"), letters, SequenceType.PROTEIN)
    problem = ADDING.make([alignment, Sequence("c", b"WACDEGGKK", SequenceType.PROTEIN)], {})
    clock = PhaseClock({})
    _run(problem, 1, Monitor(), Steps(), clock)
