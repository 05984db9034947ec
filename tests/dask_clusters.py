"""Dask clusters for tests: of threads of this process, which start at once, or of processes that may be killed."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest


@contextmanager
def start_thread_cluster(workers: int = 2, threads: int = 1, **changes: object) -> Iterator[Any]:
    """Yield a cluster in this process, whose workers are threads of it but speak TCP."""
    with _start_cluster(workers, threads, processes=False, **{"protocol": "tcp://", **changes}) as cluster:
        yield cluster


@contextmanager
def start_process_cluster(workers: int, threads: int = 1) -> Iterator[Any]:
    """Yield a cluster whose workers are processes; one that dies is started again.

    A task that kills two workers is given up, so that tests wait for few of them.
    """
    dask = pytest.importorskip("dask")
    with (
        dask.config.set({"distributed.scheduler.allowed-failures": 1}),
        _start_cluster(workers, threads, processes=True) as cluster,
    ):
        yield cluster


@contextmanager
def _start_cluster(workers: int, threads: int, **changes: object) -> Iterator[Any]:
    distributed = pytest.importorskip("distributed")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # a taken port of the dashboard
        cluster = distributed.LocalCluster(
            n_workers=workers, threads_per_worker=threads, host="127.0.0.1", dashboard_address=None, **changes
        )
    with cluster:
        yield cluster
