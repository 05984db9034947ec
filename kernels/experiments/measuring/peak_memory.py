"""Peak memory of one run, measured in a new process that has warmed up on a small problem."""

from __future__ import annotations

import pickle
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

from antidiag.kernels import CHECKOUT
from antidiag.kernels.experiments.measuring import runner
from antidiag.kernels.experiments.point_data.points import PointStatus
from antidiag.kernels.experiments.sweeps.sweep import MeasurementTask
from antidiag.kernels.experiments.sweeps.sweep_inputs import with_input

STATUS = Path("/proc/self/status")
WARM_UP_LENGTH = 200
"""Length of the inputs of the warm-up run."""


def measure_peak_bytes(task: MeasurementTask) -> int | None:
    """Return the bytes that a task adds to the peak memory of a new process; None if unknown or if it does not run."""
    if not STATUS.exists():
        return None
    command = [sys.executable, "-m", __name__]
    found = subprocess.run(command, input=pickle.dumps(task), capture_output=True, check=False, cwd=CHECKOUT)
    return int(found.stdout) if found.returncode == 0 else None


def main() -> int:
    """Read a pickled task from standard input, run it once, print the bytes."""
    task: MeasurementTask = replace(pickle.load(sys.stdin.buffer), repeats=1, warm_up=0)
    small = replace(task, inputs=with_input(task.inputs, "length", WARM_UP_LENGTH))
    before = 0
    for one in (small, task):
        before = _peak_resident_bytes()
        if runner.measure_task(one).status is not PointStatus.MEASURED:
            return 1
    print(_peak_resident_bytes() - before)
    return 0


def _peak_resident_bytes() -> int:
    """Return the largest resident size of this process so far, in bytes."""
    lines = STATUS.read_text(encoding="utf-8").splitlines()
    return next(int(line.split()[1]) * 1024 for line in lines if line.startswith("VmHWM"))


if __name__ == "__main__":
    sys.exit(main())
