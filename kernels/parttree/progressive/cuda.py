"""The alignment of very many sequences on the GPU: all profiles of a level of the tree at once; see profiles.cu."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from antidiag.kernels.cpu.cpu_run import CpuPhase
from antidiag.kernels.cpu.workers import count_processors
from antidiag.kernels.cuda.run import DeviceRun
from antidiag.kernels.model import Outcome
from antidiag.kernels.monitor import Monitor
from antidiag.kernels.msa.problem import MsaProblem
from antidiag.kernels.parttree.kmers.word_arrays import LetterArrays
from antidiag.kernels.parttree.lcs.cuda_linkage import compile_device_linkage, link_on_device
from antidiag.kernels.parttree.lcs.linkage import Joins
from antidiag.kernels.parttree.parameters import PartTreeWarps
from antidiag.kernels.parttree.progress import RecursionProgress, ReportProgress
from antidiag.kernels.parttree.progressive.alignment_rules import SINGLE, AlignmentLeaves, make_score_rules
from antidiag.kernels.parttree.progressive.cpu import TREE, alignment_compiler, make_guide, run_stages
from antidiag.kernels.parttree.progressive.cpu_stage import AlignedNodes
from antidiag.kernels.parttree.progressive.cuda_profiles import LevelAlignments
from antidiag.kernels.parttree.splitting.cuda import TASK, DeviceDistances
from antidiag.kernels.steps import StepLog


def msa_parttree(problem: MsaProblem, parameters: PartTreeWarps, monitor: Monitor, steps: StepLog) -> Outcome:
    """Make guide tree and profiles on the device; rows are written on the host."""
    run = DeviceRun(monitor, steps)
    host = run.host_part(count_processors())
    host.compile(alignment_compiler(problem, on_device=True))
    if problem.tree is None and problem.rules.guide == SINGLE:
        host.compile(compile_device_linkage)

    def link(codes: np.ndarray, offsets: np.ndarray, report: ReportProgress) -> Joins:
        return link_on_device(codes, offsets, run, report)

    def measure_of(letters: LetterArrays) -> tuple[DeviceDistances, int]:
        return DeviceDistances(letters, problem.is_protein, run, parameters), TASK

    def guide(leaves: AlignmentLeaves, phase: CpuPhase) -> tuple[np.ndarray, np.ndarray]:
        return make_guide(problem, leaves, phase, RecursionProgress(monitor, TREE), link, measure_of)

    def align(leaves: AlignmentLeaves, joins: np.ndarray, phase: CpuPhase) -> AlignedNodes:
        rules = make_score_rules(problem, leaves.sequences.size)
        return LevelAlignments(run, leaves, joins, rules).align_all(phase)

    return replace(run_stages(problem, host, guide, align), device_bytes=run.device_bytes)
