"""The three stages of a progressive alignment (Hanif 2014, section 4.4), the same on every backend."""

from __future__ import annotations

import time
from collections.abc import Callable
from collections.abc import Sequence as Sequences
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from antidiag.kernels.cpu.cpu_run import CpuRun
from antidiag.kernels.io.tree import Tree
from antidiag.kernels.model import Outcome, Sequence
from antidiag.kernels.monitor import CancelOnlyMonitor, Monitor, PartMonitor
from antidiag.kernels.msa.pipelines.alignment_nodes import ALIGNMENT, ScoringRule
from antidiag.kernels.msa.problem import MsaProblem, make_answer
from antidiag.kernels.parameters import MethodParameters
from antidiag.kernels.profiles.profile import NUCLEOTIDES, PROTEIN
from antidiag.kernels.steps import StepLog

DISTANCES, TREE = "distances", "tree"

Backend = Callable[[Any, Any, Monitor, StepLog], Outcome]


@dataclass(frozen=True)
class PipelineTools:
    """The methods that a backend uses for the stages; the last one is like `progressive.align_along_tree`."""

    full_distances: Backend
    ktuple_distances: Backend
    join_tree: Backend
    align_along_tree: Callable[..., np.ndarray]


@dataclass
class PipelineJob:
    """The stages of one run, and the largest memory of one of them."""

    problem: MsaProblem
    tools: PipelineTools
    run: CpuRun
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
        return PROTEIN if self.problem.is_protein else NUCLEOTIDES

    def run_stage(self, name: str, method: Backend, problem: Any, parameters: MethodParameters) -> Any:
        """Run a method as a stage and return its answer; its compilation and transfers count separately."""
        run, steps = self.run, StepLog()
        with run.phase(name) as phase:
            begun_ns = time.perf_counter_ns()
            outcome = method(problem, parameters, PartMonitor(run.monitor, 0, 1, name), steps)
            run.monitor.update(1, 1, name)
            for kind in ("compilation", "transfer"):
                run.times_ms[kind] += outcome.times_ms.get(kind, 0.0)
        self.host_bytes = max(self.host_bytes, outcome.host_bytes)
        self.device_bytes = max(self.device_bytes, outcome.device_bytes)
        events = steps.ordered_events().copy()
        events["phase"] = phase.number
        for moment in ("start_ns", "end_ns"):
            events[moment] += begun_ns - run.started_ns
        run.steps.add_array(events)
        return outcome.answer

    def align_along_tree(self, tree: Tree, weights: Sequences[int], rule: ScoringRule) -> np.ndarray:
        """Return rows in the order of the sequences that have letters; ``weights`` are those of the leaves."""
        known = {sequence.name: sequence for sequence in self.sequences}
        with self.run.phase(ALIGNMENT) as phase:
            leaves = [known[name] for name in tree.taxa]
            rows = self.tools.align_along_tree(tree, leaves, weights, self.alphabet, rule, phase)
        place = {name: number for number, name in enumerate(tree.taxa)}
        return rows[[place[name] for name in self.problem.taxa]]

    def make_outcome(self, letters: np.ndarray, tree: Tree | None) -> Outcome:
        """Return the outcome of rows in the order of the sequences that have letters."""
        return Outcome(make_answer(self.problem, letters, tree), self.run.times_ms, self.host_bytes, self.device_bytes)


AlignMethod = Callable[[PipelineJob], tuple[np.ndarray, Tree]]
"""A method's alignment: rows in the order of the sequences that have letters, and the guide tree."""


TINY = (b"ACDEFGH", b"ACDEGH", b"AACDEFH", b"CDEFFGH")
"""Sequences whose tree has two profiles, by which methods are compiled before the clock starts."""


def compile_pipeline(aligned: AlignMethod, problem: MsaProblem, tools: PipelineTools, monitor: Monitor) -> None:
    """Compile all stages of a method by running it on tiny sequences."""
    tiny = tuple(Sequence(f"{number}", letters, problem.type) for number, letters in enumerate(TINY))
    silent = CpuRun(CancelOnlyMonitor(monitor))
    aligned(PipelineJob(replace(problem, sequences=tiny, tree=None, distances=None), tools, silent))


def run_pipeline(aligned: AlignMethod, problem: MsaProblem, tools: PipelineTools, run: CpuRun) -> Outcome:
    """Run a method on a backend and return its outcome."""
    job = PipelineJob(problem, tools, run)
    return job.make_outcome(*aligned(job))
