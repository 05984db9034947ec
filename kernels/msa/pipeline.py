"""The three stages of a progressive alignment (003, section 4.4; 004, section 2.1), the same on every backend."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping
from collections.abc import Sequence as Sequences
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from antidiag.kernels.cpu.phases import time_ms
from antidiag.kernels.io.tree import Tree
from antidiag.kernels.model import Outcome, Sequence
from antidiag.kernels.monitor import Monitor, Part
from antidiag.kernels.msa.problem import MsaProblem, answer_of
from antidiag.kernels.msa.progressive import ALIGNMENT, Log
from antidiag.kernels.profiles.profile import NUCLEOTIDES, PROTEIN
from antidiag.kernels.steps import Steps

DISTANCES, TREE = "distances", "tree"
STAGES = (DISTANCES, TREE, ALIGNMENT)

Backend = Callable[[Any, Mapping[str, Any], Monitor, Steps], Outcome]


@dataclass(frozen=True)
class Tools:
    """What the stages are done with on a backend: methods of `kernels.trees`, and all alignments of a phase."""

    full: Backend
    ktuple: Backend
    joining: Backend
    align_each: Callable[..., Any]
    threads: int
    progressive: Callable[..., np.ndarray]


@dataclass
class Job:
    """One run: its problem, where it is told, and where its time went."""

    problem: MsaProblem
    tools: Tools
    monitor: Monitor = field(default_factory=Monitor)
    steps: Steps = field(default_factory=Steps)
    times_ms: dict[str, float] = field(default_factory=lambda: {"compilation": 0.0, "transfer": 0.0})
    started_ns: int = field(default_factory=time.perf_counter_ns)
    host_bytes: int = 0
    device_bytes: int = 0

    @property
    def sequences(self) -> tuple[Sequence, ...]:
        """Those that have letters, under the names of the taxa."""
        return tuple(
            replace(self.problem.sequences[number], name=self.problem.names[number]) for number in self.problem.filled
        )

    @property
    def alphabet(self) -> str:
        return PROTEIN if self.problem.protein else NUCLEOTIDES

    def stage(self, name: str, method: Backend, problem: Any, parameters: Mapping[str, Any]) -> Any:
        """The answer of a method that does a stage; its compilation and transfers count apart."""
        begun_ns, steps = time.perf_counter_ns(), Steps()
        outcome = method(problem, parameters, Part(self.monitor, 0, 1, name), steps)
        self.monitor.update(1, 1, name)
        apart = sum(outcome.times_ms.get(kind, 0.0) for kind in ("compilation", "transfer"))
        for kind in ("compilation", "transfer"):
            self.times_ms[kind] += outcome.times_ms.get(kind, 0.0)
        self.spend(name, begun_ns, apart)
        self.host_bytes = max(self.host_bytes, outcome.host_bytes)
        self.device_bytes = max(self.device_bytes, outcome.device_bytes)
        self._take(name, steps, begun_ns)
        return outcome.answer

    def spend(self, name: str, begun_ns: int, apart_ms: float = 0.0) -> None:
        """Count the time since ``begun_ns`` as that of a stage, but for what counts apart."""
        passed = (time.perf_counter_ns() - begun_ns) / 1e6
        self.times_ms[name] = self.times_ms.get(name, 0.0) + max(passed - apart_ms, 0.0)

    def number(self, name: str) -> int:
        """The number of a stage in the step log: its place among those that this run has."""
        given = {DISTANCES: self.problem.distances is not None or self.problem.tree is not None,
                 TREE: self.problem.tree is not None}  # fmt: skip
        return [stage for stage in STAGES if not given.get(stage)].index(name) + 1

    def _take(self, name: str, steps: Steps, begun_ns: int) -> None:
        """The events of a stage, in the time of the whole run."""
        events = steps.array().copy()
        events["phase"] = self.number(name)
        for moment in ("start_ns", "end_ns"):
            events[moment] += begun_ns - self.started_ns
        self.steps.extend(events)

    @contextmanager
    def alignment(self) -> Iterator[Log]:
        """The third stage, whose log is given."""
        begun_ns = time.perf_counter_ns()
        yield Log(self.steps, self.number(ALIGNMENT), self.started_ns)
        self.spend(ALIGNMENT, begun_ns)

    def outcome(self, letters: np.ndarray, tree: Tree | None) -> Outcome:
        """The outcome of rows in the order of the sequences that have letters."""
        return Outcome(answer_of(self.problem, letters, tree), self.times_ms, self.host_bytes, self.device_bytes)


Aligned = Callable[[Job], tuple[np.ndarray, Tree]]
"""What a method does: rows in the order of the sequences that have letters, and the guide tree."""


TINY = (b"ACDEFGH", b"ACDEGH", b"AACDEFH", b"CDEFFGH")
"""Sequences with two profiles in their tree, by which everything is compiled before the clock starts."""


def run(aligned: Aligned, problem: MsaProblem, tools: Tools, monitor: Monitor, steps: Steps) -> Outcome:
    """The outcome of a method on a backend."""
    monitor.check()  # compiling is not interrupted
    tiny = tuple(Sequence(f"{number}", letters, problem.type) for number, letters in enumerate(TINY))
    compilation_ms = time_ms(lambda: aligned(Job(replace(problem, sequences=tiny, tree=None, distances=None), tools)))
    job = Job(problem, tools, monitor, steps)
    job.times_ms["compilation"] = compilation_ms
    return job.outcome(*aligned(job))


def in_order(rows: np.ndarray, taxa: Sequences[str], names: Sequences[str]) -> np.ndarray:
    """Rows of ``taxa`` in the order of ``names``."""
    place = {name: number for number, name in enumerate(taxa)}
    return rows[[place[name] for name in names]]
