"""A search in shards: spans of the sorted database, each scored by itself; the caller merges and aligns their hits.

E-values are those of the whole database in every shard, so that the hits are those of a search in one piece.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import Any

import numpy as np

from antidiag.kernels.cpu.cpu_run import CpuRun
from antidiag.kernels.model import Outcome
from antidiag.kernels.monitor import Monitor
from antidiag.kernels.pairwise.search import database as databases
from antidiag.kernels.pairwise.search import driver
from antidiag.kernels.pairwise.search.database import OpenedDatabase, SequenceDatabase
from antidiag.kernels.pairwise.search.driver import SearchJob
from antidiag.kernels.pairwise.search.parameters import SearchParameters
from antidiag.kernels.pairwise.search.problem import SearchProblem
from antidiag.kernels.processors import count_processors
from antidiag.kernels.run_splitting import RunPiece
from antidiag.kernels.steps import StepLog


@lru_cache(maxsize=2)
def _open_once(database: SequenceDatabase) -> OpenedDatabase:
    """Return the arrays of a database, opened once a process."""
    return databases.open_database(database)


def list_shards(problem: SearchProblem, least: int) -> list[RunPiece]:
    """Return shards of about as many letters each, ``least`` of them if there are so many sequences."""
    offsets = np.asarray(_open_once(problem.database).offsets)
    inner = np.searchsorted(offsets, np.linspace(0, int(offsets[-1]), least + 1)[1:-1])
    borders = np.unique(np.concatenate([[0], inner, [problem.database.count]])).tolist()
    return [
        RunPiece("sequences", {"first": first, "last": last}, float(offsets[last] - offsets[first]))
        for first, last in itertools.pairwise(borders)
    ]


def open_shard(
    problem: SearchProblem, parameters: SearchParameters, numbers: Mapping[str, int], monitor: Monitor
) -> SearchJob:
    """Return the search of a shard."""
    job = driver.open_search(problem, parameters, monitor, _open_once(problem.database))
    job.next_sequence, job.end_sequence = numbers["first"], numbers["last"]
    return job


def pack_shard(job: SearchJob) -> Mapping[str, Any]:
    """Return what a shard found: hits of all queries, the distribution of its scores, and their parameters."""
    for number in range(len(job.hits)):
        if not job.problem.filters_alignments:
            job.keep_best(number, job.problem.most_hits)
    counts = [hits.scores.size for hits in job.hits]
    return {
        "queries": np.repeat(np.arange(len(counts)), counts),
        "numbers": np.concatenate([hits.numbers for hits in job.hits]),
        "strands": np.concatenate([hits.strands for hits in job.hits]),
        "scores": np.concatenate([hits.scores for hits in job.hits]),
        "histogram": job.histogram,
        "statistics": job.statistics,
    }


def join_shards(problem: SearchProblem, shards: Iterable[tuple[RunPiece, Any]], monitor: Monitor) -> Outcome:
    """Return the outcome of all shards; their hits are aligned on the threads of this process."""
    threads = count_processors()
    parameters = SearchParameters(threads=threads)
    job = driver.open_search(problem, parameters, monitor, _open_once(problem.database))
    for _, found in shards:
        job.histogram += found["histogram"]
        job.statistics = job.statistics or found["statistics"]
        borders = np.searchsorted(found["queries"], np.arange(len(job.hits) + 1))
        for hits, (first, end) in zip(job.hits, itertools.pairwise(borders), strict=True):
            own = slice(first, end)
            hits.add(found["numbers"][own], found["strands"][own], found["scores"][own])
    return driver.finish_search(job, CpuRun(monitor, StepLog(), threads))
