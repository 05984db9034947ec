"""Insertion of many sequences into an alignment on the CPU: its profile, the alignments to it, and the rows."""

from __future__ import annotations

from functools import partial

import numpy as np

from antidiag.kernels.cpu.cpu_run import CpuRun, LoggedCells
from antidiag.kernels.io.aligned_sequences import GAP, AlignedSequences
from antidiag.kernels.model import Outcome, Sequence, SequenceType, concatenate_letters
from antidiag.kernels.monitor import Monitor
from antidiag.kernels.msa.consistency.given_alignment import GivenProblem
from antidiag.kernels.msa.problem import MsaAnswer, make_answer
from antidiag.kernels.parttree.insertion import insertion_kernels
from antidiag.kernels.parttree.insertion.insertion_problem import INSERTION_PROBLEM, symbol_table
from antidiag.kernels.parttree.parameters import PartTreeThreads
from antidiag.kernels.parttree.progressive.alignment_rules import check_row_memory, make_score_rules
from antidiag.kernels.parttree.symbols import AMINO_ACIDS, BASES, SYMBOLS, encode_letters, encode_sequences
from antidiag.kernels.steps import StepLog

PROFILE, INSERTION_PHASE, ROWS = "profile", "adding", "rows"


def parttree_add(problem: GivenProblem, parameters: PartTreeThreads, monitor: Monitor, steps: StepLog) -> Outcome:
    """Insert sequences into an alignment; its rows keep their alignment, and the inserted rows follow."""
    run = CpuRun(monitor, steps, parameters.threads)
    run.compile_once(_compile_insertion)
    answer, nbytes = _insert_sequences(problem, run)
    return Outcome(answer, run.times_ms, nbytes)


def _insert_sequences(problem: GivenProblem, run: CpuRun) -> tuple[MsaAnswer, int]:
    """Insert the sequences of a problem, and return the answer and the host bytes."""
    given = [number for number in problem.filled if number < len(problem.alignment.names)]
    added = [problem.sequences[number] for number in problem.filled[len(given) :]]
    rows = problem.letters if len(given) == len(problem.alignment.names) else problem.letters[given]
    rules = make_score_rules(problem, len(given))
    planes = np.zeros(SYMBOLS * rows.shape[1], np.float32)
    codes = encode_letters(np.arange(256, dtype=np.uint8), AMINO_ACIDS if problem.is_protein else BASES)
    symbols = symbol_table(problem.is_protein, codes, insertion_kernels.NO_LETTER)
    with run.phase(PROFILE, total=len(given)) as phase:
        present = phase.call(partial(insertion_kernels.call_count_profile, rows, symbols, planes, phase.done, run.stop))
    with run.phase(INSERTION_PHASE, total=len(added)) as phase:
        codes, offsets = encode_sequences(added, problem.is_protein)
        places, several = np.empty(codes.size, np.int32), insertion_kernels.TASK
        given_rows = np.float32(len(given))
        spans = [(first, min(first + several, len(added))) for first in range(0, len(added), several)]
        phase.share_tasks(
            spans,
            lambda worker, span: insertion_kernels.insert_sequences(
                planes, rows.shape[1], given_rows, int(present), codes, offsets, rules, places, *span, run.stop
            ),
            log=lambda span: LoggedCells(span, (0, rows.shape[1]), span[0] // several),
            sizes=[last - first for first, last in spans],
        )
    with run.phase(ROWS):
        target = _write_all_rows(rows, added, places, offsets)
        run.monitor.update(1, 1, ROWS)
        answer = make_answer(problem, target)
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


def _compile_insertion() -> None:
    """Compile insertion, or load it from the cache."""
    letters = np.frombuffer(b"ACDE-FGA-DEEFG", np.uint8).reshape(2, 7)
    alignment = AlignedSequences(("a", "b"), letters, SequenceType.PROTEIN)
    problem = INSERTION_PROBLEM.make_problem([alignment, Sequence("c", b"WACDEGGKK", SequenceType.PROTEIN)], {})
    _insert_sequences(problem, CpuRun())
