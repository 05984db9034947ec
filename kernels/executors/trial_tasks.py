"""Tasks that try an executor: they compute little, wait, fail or end their process."""

from __future__ import annotations

import os
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from antidiag.kernels.errors import InputError
from antidiag.kernels.executors.tasks import TaskContext

MODULE = "antidiag.kernels.executors.trial_tasks"


def sum_numbers(arguments: Mapping[str, Any], context: TaskContext) -> Mapping[str, Any]:
    """Return the sum of an array, a random number of the seed, and the sum of the shared input "table", if any."""
    random = np.random.default_rng(context.seed)
    shared = int(context.shared["table"].sum()) if "table" in context.shared else 0
    return {"sum": int(arguments["numbers"].sum()), "random": random.integers(1 << 30, size=3), "shared": shared}


def echo_value(arguments: Mapping[str, Any], context: TaskContext) -> Any:
    """Return the argument "value"."""
    return arguments["value"]


def compute_for(arguments: Mapping[str, Any], context: TaskContext) -> int:
    """Sleep for ``seconds``, and stop when the run is cancelled; return the number of this process."""
    until = time.monotonic() + arguments["seconds"]
    while (left := until - time.monotonic()) > 0:
        context.monitor.check()
        time.sleep(min(left, 0.02))
    return os.getpid()


def fail_with(arguments: Mapping[str, Any], context: TaskContext) -> None:
    """Count this attempt in the file ``attempts``, if one is named, and raise an InputError or a ValueError."""
    _count_attempt(arguments)
    raise (InputError if arguments["of_input"] else ValueError)(arguments["text"])


def fail_at_first(arguments: Mapping[str, Any], context: TaskContext) -> int:
    """Raise an error at the first attempts, ``failures`` of them; return the number of this attempt."""
    attempt = _count_attempt(arguments)
    if attempt <= arguments["failures"]:
        raise ValueError(f"attempt {attempt} fails on purpose")
    return attempt


def end_process(arguments: Mapping[str, Any], context: TaskContext) -> int:
    """End the process of the worker at the first attempts, ``deaths`` of them; return the number of this attempt."""
    attempt = _count_attempt(arguments)
    if attempt <= arguments["deaths"]:
        os._exit(17)
    return attempt


def _count_attempt(arguments: Mapping[str, Any]) -> int:
    """Append a byte to the file of attempts and return their number."""
    if "attempts" not in arguments:
        return 1
    path = Path(arguments["attempts"])
    with open(path, "ab") as file:
        file.write(b".")
    return path.stat().st_size
