"""What one call adds to the peak memory of a fresh process that has warmed up on a small problem."""

from __future__ import annotations

import pickle
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

from antidiag.kernels import CHECKOUT
from antidiag.kernels.experiments import runner
from antidiag.kernels.experiments.inputs import with_input
from antidiag.kernels.experiments.points import Status
from antidiag.kernels.experiments.sweep import Task

STATUS = Path("/proc/self/status")
SMALL = 200
"""Length of the inputs of the warm-up."""


def peak_bytes(task: Task) -> int | None:
    """Bytes that a task adds to the peak of a process of its own; None where that is not known, or it does not run."""
    if not STATUS.exists():
        return None
    command = [sys.executable, "-m", "antidiag.kernels.experiments.peak"]
    found = subprocess.run(command, input=pickle.dumps(task), capture_output=True, check=False, cwd=CHECKOUT)
    return int(found.stdout) if found.returncode == 0 else None


def main() -> int:
    """Read a pickled task from standard input, run it once, print the bytes."""
    task: Task = replace(pickle.load(sys.stdin.buffer), repeats=1, warm_up=0)
    small = replace(task, inputs=with_input(task.inputs, "length", SMALL))
    before = 0
    for one in (small, task):
        before = _peak()
        if runner.measure_task(one).status is not Status.MEASURED:
            return 1
    print(_peak() - before)
    return 0


def _peak() -> int:
    """Largest resident size of this process so far, in bytes."""
    lines = STATUS.read_text(encoding="utf-8").splitlines()
    return next(int(line.split()[1]) * 1024 for line in lines if line.startswith("VmHWM"))


if __name__ == "__main__":
    sys.exit(main())
