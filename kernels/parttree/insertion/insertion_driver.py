"""Insertion of many sequences into an alignment on the CPU: its profile, the alignments to it, and the rows."""

from __future__ import annotations

from functools import cache

import numpy as np

from antidiag.kernels.cpu import workers
from antidiag.kernels.cpu.compilation import compile_cancellably
from antidiag.kernels.cpu.phase_times import PhaseClock, PhaseLog
from antidiag.kernels.io.aligned_sequences import GAP, AlignedSequences
from antidiag.kernels.model import Outcome, Sequence, SequenceType, concatenate_letters
from antidiag.kernels.monitor import Monitor
from antidiag.kernels.msa.consistency.given_alignment import GivenProblem
from antidiag.kernels.msa.problem import MsaAnswer, make_answer
from antidiag.kernels.parttree.insertion import insertion_kernels
from antidiag.kernels.parttree.insertion.insertion_problem import INSERTION_PROBLEM, symbol_table
from antidiag.kernels.parttree.parameters import PartTreeThreads
from antidiag.kernels.parttree.progress import end_threads_on_failure
from antidiag.kernels.parttree.progressive.alignment_rules import check_row_memory, make_score_rules
from antidiag.kernels.parttree.symbols import AMINO_ACIDS, BASES, SYMBOLS, encode_letters, encode_sequences
from antidiag.kernels.steps import StepLog

PROFILE, INSERTION_PHASE, ROWS = "profile", "adding", "rows"


def parttree_add(problem: GivenProblem, parameters: PartTreeThreads, monitor: Monitor, steps: StepLog) -> Outcome:
    """Insert sequences into an alignment; its rows keep their alignment, and the inserted rows follow."""
    times_ms = {"compilation": compile_cancellably(_compile_insertion, monitor), "transfer": 0.0}
    clock = PhaseClock(times_ms)
    with end_threads_on_failure():
        answer, nbytes = _insert_sequences(problem, parameters.threads, monitor, steps, clock)
    return Outcome(answer, times_ms, nbytes)


def _insert_sequences(
    problem: GivenProblem, threads: int, monitor: Monitor, steps: StepLog, clock: PhaseClock
) -> tuple[MsaAnswer, int]:
    """Insert the sequences of a problem, and return the answer and the host bytes."""
    given = [number for number in problem.filled if number < len(problem.alignment.names)]
    added = [problem.sequences[number] for number in problem.filled[len(given) :]]
    rows = problem.letters if len(given) == len(problem.alignment.names) else problem.letters[given]
    rules, stop = make_score_rules(problem, len(given)), workers.make_stop_word()
    planes, present = np.zeros(SYMBOLS * rows.shape[1], np.float32), np.zeros(1, np.int64)
    codes = encode_letters(np.arange(256, dtype=np.uint8), AMINO_ACIDS if problem.protein else BASES)
    symbols, done = symbol_table(problem.protein, codes, insertion_kernels.NO_LETTER), np.zeros(1, np.int64)

    def profile(worker: int) -> None:
        present[0] = insertion_kernels.count_profile(rows, symbols, planes, done, stop)

    workers.share_work(profile, 1, stop, lambda: monitor.update(int(done[0]), len(given), PROFILE))
    monitor.update(len(given), len(given), PROFILE)
    clock.end_phase(PROFILE)
    begun_ns = clock.started_ns + round(1e6 * clock.running_ms)
    codes, offsets = encode_sequences(added, problem.protein)
    places, ticket = np.empty(codes.size, np.int32), np.zeros(1, np.int64)
    threads = max(1, min(threads, -(-len(added) // insertion_kernels.TASK)))
    of_thread, log = np.zeros((threads, 8), np.int64), PhaseLog(steps, 2, clock.started_ns)

    def run_worker(worker: int) -> None:
        insertion_kernels.insert_sequences(
            planes,
            rows.shape[1],
            np.float32(len(given)),
            int(present[0]),
            codes,
            offsets,
            rules,
            places,
            ticket,
            of_thread[worker, :1],
            stop,
        )
        log.add_event(worker, (0, len(added)), (0, rows.shape[1]), worker, begun_ns)

    workers.share_work(
        run_worker, threads, stop, lambda: monitor.update(int(of_thread.sum()), len(added), INSERTION_PHASE)
    )
    monitor.update(len(added), len(added), INSERTION_PHASE)
    clock.end_phase(INSERTION_PHASE)
    target = _write_all_rows(rows, added, places, offsets)
    monitor.update(1, 1, ROWS)
    answer = make_answer(problem, target)
    clock.end_phase(ROWS)
    return answer, 2 * target.nbytes + planes.nbytes


def _write_all_rows(
    rows: np.ndarray, added: list[Sequence], letter_columns: np.ndarray, offsets: np.ndarray
) -> np.ndarray:
    """Write all rows, with the columns that the inserted letters need."""
    widths = np.zeros(rows.shape[1] + 1, np.int64)
    insertion_kernels.count_inserted_columns(letter_columns, offsets, widths)
    columns = np.arange(rows.shape[1]) + np.cumsum(widths)[:-1]
    shape = len(rows) + len(added), rows.shape[1] + int(widths.sum())
    check_row_memory(*shape)
    target = np.full(shape, GAP, np.uint8)
    target[: len(rows), columns] = rows
    letters = concatenate_letters(added)
    insertion_kernels.write_inserted_rows(letters, letter_columns, offsets, widths, columns, target[len(rows) :])
    return target


@cache
def _compile_insertion() -> None:
    """Compile insertion, or load it from the cache."""
    letters = np.frombuffer(b"ACDE-FGA-DEEFG", np.uint8).reshape(2, 7)
    alignment = AlignedSequences(("a", "b"), letters, SequenceType.PROTEIN)
    problem = INSERTION_PROBLEM.make_problem([alignment, Sequence("c", b"WACDEGGKK", SequenceType.PROTEIN)], {})
    clock = PhaseClock({})
    _insert_sequences(problem, 1, Monitor(), StepLog(), clock)
