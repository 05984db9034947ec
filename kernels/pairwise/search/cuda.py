"""A search on the GPU: scores on the current device, alignments of the hits on threads of the CPU."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any

from antidiag.kernels.cpu.cpu_run import CpuRun, LoggedCells
from antidiag.kernels.cuda.run import DeviceRun
from antidiag.kernels.model import Outcome
from antidiag.kernels.monitor import Monitor
from antidiag.kernels.pairwise.search import cuda_scores, driver, shards
from antidiag.kernels.pairwise.search.parameters import SearchParameters
from antidiag.kernels.pairwise.search.problem import SearchProblem
from antidiag.kernels.pairwise.search.score_blocks import BlockScores, DatabaseBlock, ReportCells, SearchQueries
from antidiag.kernels.steps import StepLog


def smith_waterman_search(
    problem: SearchProblem, parameters: SearchParameters, monitor: Monitor, steps: StepLog
) -> Outcome:
    """Return the best hits of every query in a database, on the current device."""
    job = driver.open_search(problem, parameters, monitor)
    run = DeviceRun(monitor, steps)
    host = run.host_part(parameters.threads)
    _score_database(job, run, host)
    return replace(driver.finish_search(job, host), device_bytes=run.device_bytes)


def search_shard(
    problem: SearchProblem, parameters: SearchParameters, numbers: Mapping[str, int], monitor: Monitor
) -> Mapping[str, Any]:
    """Score a shard of the database and return its hits as `shards.pack_shard` packs them."""
    job = shards.open_shard(problem, parameters, numbers, monitor)
    run = DeviceRun(monitor, StepLog())
    _score_database(job, run, run.host_part(parameters.threads))
    return shards.pack_shard(job)


def _score_database(job: driver.SearchJob, run: DeviceRun, host: CpuRun) -> None:
    """Score what is left of the database on the device and keep the hits."""
    problem = job.problem
    with host.phase("scores", job.cell_count) as phase:

        def log_block(block: DatabaseBlock, spent_ms: float) -> None:
            ended_ns = time.perf_counter_ns()
            cells = LoggedCells((0, sum(map(len, problem.searched))), (0, block.letter_count), block.first)
            phase.log(cells, 0, max(ended_ns - round(1e6 * spent_ms), phase.begun_ns), ended_ns=ended_ns)

        def score_blocks(
            queries: SearchQueries, blocks: Iterable[DatabaseBlock], report: ReportCells
        ) -> Iterator[BlockScores]:
            return cuda_scores.score_blocks(run, queries, blocks, report, log_block)

        driver.collect_hits(job, score_blocks, phase.report)
