"""The program as a user starts it, in folders of its own, to be killed, or given a disk that takes no more."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from unittest import mock

import platformdirs

from antidiag.kernels import memory
from antidiag.kernels.experiments.point_data import point_store
from antidiag.kernels.machine import measured_rates, tuned_values
from antidiag.kernels.recovery import interrupted_runs

ROOT = Path(__file__).resolve().parents[2]
ENDS_S = 240.0
"""A program that has not ended after so long hangs."""
FORBIDDEN = ("Traceback", "internal error")
kills: Counter[str] = Counter()
"""Signals that programs were sent while they ran, by name."""
lasted_s: dict[str, float] = {}
"""What the last program of each command took that ended by itself."""
USERS = Path(platformdirs.user_cache_path("antidiag"))
"""Compiled code is taken from there, and kept there."""


@dataclass(frozen=True)
class Ended:
    """How a program ended: exit code (negative for a signal), standard output and error, seconds."""

    code: int
    out: str
    error: str
    seconds: float

    def told(self) -> str:
        """The end in one line."""
        return f"exit {self.code}: {self.error.strip()[-600:]}"


def folders(place: Path) -> dict[str, str]:
    """The environment in which the program keeps everything in ``place``, but for compiled code."""
    cache, temporary = place / "cache" / "antidiag", place / "tmp"
    cache.mkdir(parents=True, exist_ok=True)
    temporary.mkdir(exist_ok=True)
    for kept in ("numba", "emulator"):
        (USERS / kept).mkdir(parents=True, exist_ok=True)
        if not (cache / kept).exists():
            (cache / kept).symlink_to(USERS / kept)
    return {
        **os.environ,
        **{f"XDG_{name}_HOME": str(place / name.lower()) for name in ("CACHE", "CONFIG", "DATA", "STATE")},
        "TMPDIR": str(temporary),
        interrupted_runs.KEEP_AFTER_VARIABLE: "0",
        "PYTHONPATH": os.pathsep.join(dict.fromkeys([str(ROOT), *_search_path()])),
    }


def _search_path() -> list[str]:
    """Where packages may lie on this machine."""
    return [os.path.abspath(place) for place in os.environ.get("PYTHONPATH", "").split(os.pathsep) if place]


@contextmanager
def seen_from_here(place: Path) -> Iterator[None]:
    """This process finds runs, experiments and tuned values of programs in ``place``."""
    cache, data = place / "cache" / "antidiag", place / "data" / "antidiag"
    with (
        mock.patch.object(memory, "disk_folder", return_value=cache),
        mock.patch.object(interrupted_runs, "runs_folder", return_value=cache / "runs"),
        mock.patch.object(point_store, "experiments_folder", return_value=data / "experiments"),
        mock.patch.object(tuned_values, "_tuned_path", return_value=data / "tuned.json"),
        mock.patch.object(measured_rates, "_rates_path", return_value=cache / "rates.json"),
    ):
        yield


def run(
    place: Path,
    arguments: Sequence[str],
    after_s: float | None = None,
    by: signal.Signals = signal.SIGKILL,
    largest: int | None = None,
    out: str | None = None,
    script: str = "",
) -> Ended:
    """Run the program, or a ``script``, to its end; ``after_s`` seconds after its start it is sent a signal.

    With ``largest``, no file that it writes can have more bytes, as on a disk that is full; ``out`` takes its standard
    output. TimeoutExpired where it hangs.
    """
    command = [sys.executable, *(("-c", script) if script else (str(ROOT / "main.py"),)), *arguments]
    begun = time.monotonic()
    with open(out or os.devnull, "w") as target:
        child = subprocess.Popen(
            command, cwd=ROOT, env=folders(place), stdout=target if out else subprocess.PIPE, stderr=subprocess.PIPE,
            text=True, preexec_fn=_limited(largest), start_new_session=True,
        )  # fmt: skip
        if after_s is not None:
            try:
                child.wait(after_s)
            except subprocess.TimeoutExpired:
                child.send_signal(by)
                kills[by.name] += 1
        try:
            said, error = child.communicate(timeout=ENDS_S)
        except subprocess.TimeoutExpired:
            child.kill()
            child.communicate()
            raise
    ended = Ended(child.returncode, said or "", error, time.monotonic() - begun)
    if ended.code == 0 and arguments:
        lasted_s[arguments[0]] = ended.seconds
    return ended


def refused_well(ended: Ended, codes: Sequence[int]) -> str:
    """ "" where a program ended with one of these codes and, where it is not 0, a reason; else what was wrong."""
    if any(word in ended.error for word in FORBIDDEN) or ended.code not in codes:
        return ended.told()
    if ended.code > 0 and "antidiag: " not in ended.error:
        return f"no reason was told; {ended.told()}"
    return ""


def _limited(largest: int | None) -> Callable[[], None] | None:
    if largest is None:
        return None
    import resource  # which Windows has not

    return lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (largest, largest))
