"""Results of small problems, from the textbook recurrence, for the tests of the views."""

from __future__ import annotations

from datetime import UTC, datetime

import numpy as np

from antidiag.kernels.model import Result, Sequence, SequenceType
from antidiag.kernels.pairwise.model import Alignment, PairAnswer, PairProblem
from antidiag.kernels.scoring import Mode
from antidiag.kernels.scoring_options import make_scoring
from antidiag.kernels.steps import StepLog
from tests.oracle import best_alignment

DNA_OPTIONS = {"matrix": "", "match": 2, "mismatch": -3, "wildcard": "", "gap_open": 5, "gap_extend": 2}


def sequence(name: str, letters: str) -> Sequence:
    return Sequence(name, letters.encode(), SequenceType.DNA)


def related(length: int, seed: int = 5) -> tuple[str, str]:
    """Two random DNA sequences, the second a mutated copy of the first with gaps."""
    random = np.random.default_rng(seed)
    first = random.choice(list("ACGT"), length)
    second = np.where(random.random(length) < 0.1, random.choice(list("ACGT"), length), first)
    second = np.concatenate((second[: length // 3], second[length // 3 + 4 :]))
    cut = 2 * length // 3
    return "".join(first), "".join(second[:cut]) + "ACGTA" + "".join(second[cut:])


def problem(first: str, second: str, mode: str = "local", **options) -> PairProblem:
    return PairProblem(
        sequence("first", first), sequence("second", second), make_scoring({**DNA_OPTIONS, **options}), Mode(mode)
    )


def result(pair: PairProblem, score_only: bool = False, s: int = 32, threads: int = 2) -> Result:
    """A result as a run of the striped methods gives it, with a step log of all three phases."""
    answer = best_alignment(pair)
    path = answer.alignment
    return Result(
        method="striped-score" if score_only else "striped-alignment",
        problem=pair,
        parameters={"s": s, "T": 32, "threads": threads} | ({} if score_only else {"recompute": "start-point"}),
        backend="cpu",
        device="Test processor",
        answer=PairAnswer(answer.score, answer.end, None if score_only else path),
        times_ms={"phase 1": 12.5, "compilation": 80.0}
        | ({} if score_only else {"phase 2": 0.2, "phase 3": 3.1, "transfer": 0.4}),
        host_bytes=3_000_000,
        device_bytes=0,
        started=datetime(2025, 3, 4, 12, 4, tzinfo=UTC),
        versions={"python": "3.11.2", "numpy": "2.0"},
        notes=("The CPU is used: no NVIDIA GPU was found.",),
        steps=steps(pair, None if score_only else path, s, threads),
    )


def steps(pair: PairProblem, path: Alignment | None, s: int, threads: int) -> StepLog:
    log = StepLog()
    for strip in range(-(-pair.columns // s)):
        columns = (strip * s, min((strip + 1) * s, pair.columns))
        start = strip * 1_000_000
        log.add(1, strip, (0, pair.rows), columns, strip % threads, start, start + 1_800_000)
        if path is None or not len(path.operations):
            continue
        cells = path.list_cells()[:, ::-1] if pair.swapped else path.list_cells()
        inside = cells[(cells[:, 1] > columns[0]) & (cells[:, 1] <= columns[1])]
        if len(inside):
            rows = (int(inside[0, 0]) - 1, int(inside[-1, 0]))
            start = 13_000_000 + strip * 500_000
            log.add(3, strip, rows, columns, strip % threads, start, start + 400_000)
    return log
