"""The kinds of attack, and one process that makes attempts of them for some time."""

from __future__ import annotations

import itertools
import os
import shutil
import tempfile
import time
from collections.abc import Callable, Mapping
from contextlib import nullcontext
from dataclasses import dataclass
from pathlib import Path

from tests.attack import devices, disks, files, kills, problems, program

Attempt = Callable[[int, int, Path, str], str]


@dataclass(frozen=True)
class Kind:
    """A kind of attack: ``share`` of the time, what one attempt is, in the plural, and how it is made."""

    share: int
    counted: str
    attempt: Attempt


KINDS: Mapping[str, Kind] = {
    "problems": Kind(39, "problems", problems.attempt),
    "files": Kind(19, "files damaged, or written and read again", files.attempt),
    "kills": Kind(35, "programs killed and continued", kills.attempt),
    "disks": Kind(3, "full or missing disks", disks.attempt),
    "devices": Kind(4, "devices without memory or lost", devices.attempt),
}


@dataclass(frozen=True)
class Plan:
    """What is attacked, for how long, and by how many processes at once."""

    kinds: tuple[str, ...]
    seed: int
    seconds: float
    backend: str
    jobs: int = 1


@dataclass(frozen=True)
class Made:
    """An attempt that was made: what was found, and the signals that were sent."""

    kind: str
    seconds: float
    found: str
    signals: Mapping[str, int]


def attempt(plan: Plan, kind: str, number: int, folder: Path | None = None) -> str:
    """One attempt; "" or what was found, with the command that repeats it. In a folder of its own, or in an empty one
    that is given, and empty again afterwards: to take a folder away takes longer than to read a damaged file."""
    with nullcontext(folder) if folder else tempfile.TemporaryDirectory(prefix="antidiag-attack-") as place:
        found = KINDS[kind].attempt(plan.seed, number, Path(place), plan.backend)
    if folder:
        _empty(folder)
    return f"{found}\n  again: {again(plan, kind, number)}" if found else ""


def again(plan: Plan, kind: str, number: int) -> str:
    """The command that repeats an attempt."""
    command = f"python -m tests.attack --only {kind} --seed {plan.seed} --number {number}"
    return f"{command} --backend {plan.backend}" if plan.backend != "cpu" else command


def _empty(folder: Path) -> None:
    for left in os.scandir(folder):
        if left.is_dir(follow_symlinks=False):
            shutil.rmtree(left.path)
        else:
            os.unlink(left.path)


def attack(plan: Plan, job: int, begun: Callable[[str, int], None], made: Callable[[Made], None]) -> None:
    """Attack with the kind that is furthest behind its share, until the time is over: one of the processes, whose
    numbers are those that ``plan.jobs`` leaves as many over. Every attempt is told before it begins, and when it ends.
    """
    spent = dict.fromkeys(plan.kinds, 0.0)
    numbers = {kind: itertools.count(job, plan.jobs) for kind in plan.kinds}
    with tempfile.TemporaryDirectory(prefix="antidiag-attack-") as folder:
        end = time.monotonic() + plan.seconds
        while time.monotonic() < end:
            kind = min(plan.kinds, key=lambda kind: spent[kind] / KINDS[kind].share)
            number, started = next(numbers[kind]), time.monotonic()
            begun(kind, number)
            found = attempt(plan, kind, number, Path(folder))
            seconds = time.monotonic() - started
            spent[kind] += seconds
            made(Made(kind, seconds, found, dict(program.kills)))
            program.kills.clear()
