"""A family that is registered in a test: the longest common subsequence, in strips, in plain NumPy.

It declares what every family declares, and has no line for any check. The variants below are broken, each so that one
check must find it in whatever problem is drawn: all pairs have one letter in common and two lengths, and two runs in a
row have different strip widths.
"""

from __future__ import annotations

import sys
import tempfile
import threading
import time
from contextlib import nullcontext, suppress
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import cycle, product
from pathlib import Path
from typing import Any

import numpy as np

from antidiag.kernels.cost_estimate import CostEstimate
from antidiag.kernels.cpu.cpu_run import CpuRun
from antidiag.kernels.errors import Cancelled
from antidiag.kernels.io.result_alignments import file_formats
from antidiag.kernels.io.sequences import SEQUENCE
from antidiag.kernels.memory import Footprint
from antidiag.kernels.method import Citation, Method, ProblemInput, ProblemType, Teaching
from antidiag.kernels.model import Outcome, Sequence, SequenceType
from antidiag.kernels.monitor import Monitor
from antidiag.kernels.pairwise.model import DIAGONAL, LEFT, UP, Alignment, PairAnswer, PairProblem
from antidiag.kernels.parameters import MethodParameters, parameter
from antidiag.kernels.scoring import Mode, Scoring, match_mismatch
from antidiag.kernels.steps import StepLog
from antidiag.kernels.trials import ProblemAndParameters, ProblemSymmetry, TrialChooser, Trials

COMMON = Scoring(match_mismatch(1, 0), 0, 0)


@dataclass(frozen=True, kw_only=True)
class CommonParameters(MethodParameters):
    """The parameters of the family."""

    s: int = parameter("Strip width", "Columns of a strip.", default=64, minimum=4, maximum=4096, step=4)
    threads: int = parameter("Threads", "Of no use yet.", default=1, minimum=1, maximum=64)


@dataclass(frozen=True)
class Broken:
    """What is wrong with a variant."""

    border: bool = False
    parameter: bool = False
    path: bool = False
    mirrored: bool = False
    falls: bool = False
    stops_short: bool = False
    silent: bool = False
    backwards: bool = False
    leaves_file: bool = False
    leaves_thread: bool = False
    deaf: bool = False
    swallows: bool = False
    greedy: bool = False


WELL = Broken()
HELD = threading.Event()
"""What a thread that is left waits for."""


def run(
    problem: PairProblem, parameters: CommonParameters, monitor: Monitor, steps: StepLog, broken: Broken = WELL
) -> Outcome:
    """All values column by column, then the way back: a letter of the second sequence is left out first."""
    cpu_run = CpuRun(monitor, steps)
    first, second = (sequence.letter_array for sequence in problem.sequences)
    if broken.leaves_thread:
        threading.Thread(target=HELD.wait, name="left", daemon=True).start()
    if broken.leaves_file:
        Path(tempfile.mkdtemp(), "left").write_bytes(b"left")
    m, n, s = first.size, second.size, parameters.s
    H = np.zeros((n + 1, m + 1), np.int32)
    extra = np.ones(H.size * 2, np.int32) if broken.greedy else None
    with cpu_run.phase("phase 1", n):
        _fill(H, first, second, s, cpu_run, broken)
    del extra
    with cpu_run.phase("walk"):
        operations = _walk(H, broken)
    strips = -(-n // s)
    score = int(H[n, m]) + broken.border * strips + broken.parameter * s + broken.mirrored * m
    path = None if broken.parameter or broken.mirrored else Alignment((0, 0), (m, n), operations)
    return Outcome(PairAnswer(score, (m, n), path), cpu_run.times_ms, H.nbytes)


def _fill(H: np.ndarray, first: np.ndarray, second: np.ndarray, s: int, run: CpuRun, broken: Broken) -> None:
    (n, m), monitor = (size - 1 for size in H.shape), run.monitor
    for start in range(0, n, s):
        end, begun_ns = min(start + s, n), time.perf_counter_ns()
        if not broken.deaf:
            done = n - start if broken.falls else start
            with suppress(Cancelled) if broken.swallows else nullcontext():
                monitor.update(done, n, "phase 1")
        for j in range(start, end):
            H[j + 1, 1:] = np.maximum(H[j, 1:], H[j, :-1] + (first == second[j]))
            np.maximum.accumulate(H[j + 1], out=H[j + 1])
        at = begun_ns - run.started_ns, time.perf_counter_ns() - run.started_ns
        if not broken.silent:
            run.steps.add(1, start // s, (0, m), (start, end), 0, *(at[::-1] if broken.backwards else at))
    if not broken.stops_short and not broken.swallows:
        monitor.update(n, n, "phase 1")


def _walk(H: np.ndarray, broken: Broken) -> np.ndarray:
    j, i = (size - 1 for size in H.shape)
    operations = []
    while i or j:
        if j and H[j, i] == H[j - 1, i]:
            operations.append(LEFT)
        elif i and H[j, i] == H[j, i - 1]:
            operations.append(UP)
        else:
            operations.append(DIAGONAL)
        j, i = j - (operations[-1] != UP), i - (operations[-1] != LEFT)
    if broken.path:
        operations = [LEFT] * (H.shape[0] - 1) + [UP] * (H.shape[1] - 1)
    return np.array(operations[::-1], np.uint8)


def draw(choose: TrialChooser) -> PairProblem:
    """Return two sequences of different lengths, around the borders of strips, that both start with A."""
    shorter, longer = sorted(choose.choose_one((1, 3, 4, 5, 8, 9, choose.draw_integer(1, 30))) for _ in range(2))
    lengths = choose.choose_one(((shorter, longer + 1), (longer + 1, shorter)))
    random = choose.make_generator()
    return common(*("A" + "".join(random.choice(list("AC"), length - 1)) for length in lengths))


def common(first: str, second: str) -> PairProblem:
    rows = (Sequence(name, letters.encode(), SequenceType.DNA) for name, letters in (("a", first), ("b", second)))
    return PairProblem(*rows, COMMON, Mode.GLOBAL)


@lru_cache(maxsize=64)
def textbook(problem: PairProblem) -> int:
    first, second = (sequence.letters for sequence in problem.sequences)
    lengths: dict[tuple[int, int], int] = {}
    for i, j in product(range(len(first) + 1), range(len(second) + 1)):
        if not i or not j:
            lengths[i, j] = 0
        elif first[i - 1] == second[j - 1]:
            lengths[i, j] = lengths[i - 1, j - 1] + 1
        else:
            lengths[i, j] = max(lengths[i - 1, j], lengths[i, j - 1])
    return lengths[len(first), len(second)]


def same(problem: PairProblem, found: PairAnswer, expected: PairAnswer | int, method: Method) -> None:
    score = expected if isinstance(expected, int) else expected.score
    assert found.score == score, f"the score is {found.score}, not {score}"


def large(method: Method, backend: str, size: int) -> ProblemAndParameters:
    letters = np.random.default_rng(1).choice(list("ACGT"), 16 + 4 * size)
    return common("".join(letters), "".join(letters[::-1])[:256]), {"s": 32}


def read_back(result: Any, data: Any) -> None:
    rows = result.answer.alignment.gapped_rows(*result.problem.sequences)
    for datum in data:
        letters = getattr(datum, "letters", None)
        found = [letters.decode()] if isinstance(letters, bytes) else [row.tobytes().decode() for row in letters]
        kept = [row.replace("-", "") for row in found]
        assert set(kept) <= {row.replace("-", "") for row in rows}


def build(data: Any, options: Any) -> PairProblem:
    return PairProblem(*data, COMMON, Mode.GLOBAL)


def _rows(result: Any) -> Any:
    return tuple(
        zip(result.problem.sequences, result.answer.alignment.gapped_rows(*result.problem.sequences), strict=True)
    )


STRIP_WIDTHS = cycle((4, 8, 64))


TRIALS = Trials(
    draw_problem=draw,
    adjust_values=lambda method, backend, drawn: {**drawn, "s": next(STRIP_WIDTHS)},
    solve_by_textbook=textbook,
    assert_same_answer=same,
    make_large_problem=large,
    make_long_problem=large,
    symmetries=(
        ProblemSymmetry(
            "exchanged",
            lambda problem: PairProblem(problem.second, problem.first, problem.scoring, problem.mode),
            lambda problem, found, changed, method: same(problem, found, changed, method),
        ),
    ),
    phases_without_steps=lambda method, backend: frozenset({"walk"}),
    assert_read_back=read_back,
    example_count=6,
)
PROBLEM = ProblemType(
    id="common-subsequence",
    label="Longest common subsequence",
    inputs=(ProblemInput(SEQUENCE, 2, 2),),
    options=(),
    build_problem=build,
    default_options=lambda data: {},
    answer_json=lambda result: {"score": result.answer.score},
    answer_rows=lambda result: [],
    format_answer=lambda result: str(result.answer.score),
    file_formats=file_formats(_rows, lambda result: " " * result.answer.alignment.operations.size),
    trials_name=f"{__name__}:TRIALS",
)
METHOD = Method(
    id="common-subsequence",
    name="CommonSubsequence",
    family="dummy",
    summary="In strips.",
    citation=Citation("nobody", "Nobody", "Nothing", "Nowhere", 1970),
    problem_type=PROBLEM,
    parameters=CommonParameters,
    backends={"cpu": f"{__name__}:run"},
    returns=frozenset({"score", "alignment"}),
    cost=CostEstimate(
        estimate_memory=lambda problem, parameters, backend: Footprint(
            {"values": 4 * (len(problem.first) + 1) * (len(problem.second) + 1)}
        ),
        nominal_gcups={"cpu": 0.5},
    ),
    teaching=Teaching(Path(__file__)),
)


def variant(broken: Broken) -> Method:
    """The method, broken so."""

    def wrong(problem: Any, parameters: Any, monitor: Monitor, steps: StepLog) -> Outcome:
        return run(problem, parameters, monitor, steps, broken)

    sys.modules[__name__].wrong = wrong
    return replace(METHOD, backends={"cpu": f"{__name__}:wrong"})
