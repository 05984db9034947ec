"""Dask clusters for tests, whose workers are threads of this process, so that they start at once."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest


@contextmanager
def start_thread_cluster(workers: int = 2, threads: int = 1, protocol: str = "tcp://") -> Iterator[Any]:
    """Yield a cluster in this process, whose workers are threads of it but connect as those of other machines."""
    distributed = pytest.importorskip("distributed")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # a taken port of the dashboard
        cluster = distributed.LocalCluster(
            n_workers=workers,
            threads_per_worker=threads,
            host="127.0.0.1",
            dashboard_address=None,
            processes=False,
            protocol=protocol,
        )
    with cluster:
        yield cluster
