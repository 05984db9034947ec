"""The three stages of a progressive alignment (Hanif 2014, section 4.4), the same on every backend."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from collections.abc import Sequence as Sequences
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from antidiag.kernels.cpu.phase_times import measure_ms
from antidiag.kernels.io.tree import Tree
from antidiag.kernels.model import Outcome, Sequence
from antidiag.kernels.monitor import Monitor, PartMonitor
from antidiag.kernels.msa.pipelines.alignment_nodes import ALIGNMENT, ProgressiveLog
from antidiag.kernels.msa.problem import MsaProblem, make_answer
from antidiag.kernels.parameters import MethodParameters
from antidiag.kernels.profiles.profile import NUCLEOTIDES, PROTEIN
from antidiag.kernels.steps import StepLog

DISTANCES, TREE = "distances", "tree"
STAGES = (DISTANCES, TREE, ALIGNMENT)

Backend = Callable[[Any, Any, Monitor, StepLog], Outcome]


@dataclass(frozen=True)
class PipelineTools:
    """The methods that a backend uses for the stages."""

    full_distances: Backend
    ktuple_distances: Backend
    join_tree: Backend
    align_encoded_pairs: Callable[..., Any]
    threads: int
    align_along_tree: Callable[..., np.ndarray]


@dataclass
class PipelineJob:
    """One run: its problem, its monitor, and the times of its stages."""

    problem: MsaProblem
    tools: PipelineTools
    monitor: Monitor = field(default_factory=Monitor)
    steps: StepLog = field(default_factory=StepLog)
    times_ms: dict[str, float] = field(default_factory=lambda: {"compilation": 0.0, "transfer": 0.0})
    started_ns: int = field(default_factory=time.perf_counter_ns)
    host_bytes: int = 0
    device_bytes: int = 0

    @property
    def sequences(self) -> tuple[Sequence, ...]:
        """Return the sequences that have letters, named as taxa."""
        return tuple(
            replace(self.problem.sequences[number], name=self.problem.names[number]) for number in self.problem.filled
        )

    @property
    def alphabet(self) -> str:
        """Return the alphabet of the profiles."""
        return PROTEIN if self.problem.protein else NUCLEOTIDES

    def run_stage(self, name: str, method: Backend, problem: Any, parameters: MethodParameters) -> Any:
        """Run a method as a stage and return its answer; its compilation and transfers count separately."""
        begun_ns, steps = time.perf_counter_ns(), StepLog()
        outcome = method(problem, parameters, PartMonitor(self.monitor, 0, 1, name), steps)
        self.monitor.update(1, 1, name)
        apart = sum(outcome.times_ms.get(kind, 0.0) for kind in ("compilation", "transfer"))
        for kind in ("compilation", "transfer"):
            self.times_ms[kind] += outcome.times_ms.get(kind, 0.0)
        self.add_time(name, begun_ns, apart)
        self.host_bytes = max(self.host_bytes, outcome.host_bytes)
        self.device_bytes = max(self.device_bytes, outcome.device_bytes)
        self._append_events(name, steps, begun_ns)
        return outcome.answer

    def add_time(self, name: str, begun_ns: int, apart_ms: float = 0.0) -> None:
        """Count the time since ``begun_ns`` for a stage, except separately counted time."""
        passed = (time.perf_counter_ns() - begun_ns) / 1e6
        self.times_ms[name] = self.times_ms.get(name, 0.0) + max(passed - apart_ms, 0.0)

    def stage_number(self, name: str) -> int:
        """Return the number of a stage in the step log: its place among the stages of this run."""
        given = {
            DISTANCES: self.problem.distances is not None or self.problem.tree is not None,
            TREE: self.problem.tree is not None,
        }
        return [stage for stage in STAGES if not given.get(stage)].index(name) + 1

    def _append_events(self, name: str, steps: StepLog, begun_ns: int) -> None:
        """Append the events of a stage, in the time of the whole run."""
        events = steps.ordered_events().copy()
        events["phase"] = self.stage_number(name)
        for moment in ("start_ns", "end_ns"):
            events[moment] += begun_ns - self.started_ns
        self.steps.add_array(events)

    @contextmanager
    def time_alignment(self) -> Iterator[ProgressiveLog]:
        """Time the third stage and yield its log."""
        begun_ns = time.perf_counter_ns()
        yield ProgressiveLog(self.steps, self.stage_number(ALIGNMENT), self.started_ns)
        self.add_time(ALIGNMENT, begun_ns)

    def make_outcome(self, letters: np.ndarray, tree: Tree | None) -> Outcome:
        """Return the outcome of rows in the order of the sequences that have letters."""
        return Outcome(make_answer(self.problem, letters, tree), self.times_ms, self.host_bytes, self.device_bytes)


AlignMethod = Callable[[PipelineJob], tuple[np.ndarray, Tree]]
"""A method's alignment: rows in the order of the sequences that have letters, and the guide tree."""


TINY = (b"ACDEFGH", b"ACDEGH", b"AACDEFH", b"CDEFFGH")
"""Sequences whose tree has two profiles, by which methods are compiled before the clock starts."""


def run_pipeline(
    aligned: AlignMethod, problem: MsaProblem, tools: PipelineTools, monitor: Monitor, steps: StepLog
) -> Outcome:
    """Run a method on a backend and return its outcome."""
    monitor.check()  # compilation cannot be interrupted
    tiny = tuple(Sequence(f"{number}", letters, problem.type) for number, letters in enumerate(TINY))
    compilation_ms = measure_ms(
        lambda: aligned(PipelineJob(replace(problem, sequences=tiny, tree=None, distances=None), tools))
    )
    job = PipelineJob(problem, tools, monitor, steps)
    job.times_ms["compilation"] = compilation_ms
    return job.make_outcome(*aligned(job))


def reorder_rows(rows: np.ndarray, taxa: Sequences[str], names: Sequences[str]) -> np.ndarray:
    """Return rows of ``taxa`` in the order of ``names``."""
    place = {name: number for number, name in enumerate(taxa)}
    return rows[[place[name] for name in names]]
