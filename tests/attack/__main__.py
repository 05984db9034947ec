"""Attack the program for some time: ``python -m tests.attack --minutes 10 --only problems,files --seed 7``.

Every attempt is made by a seed and a number, which repeat it: what fails is printed with the command for it. The time
is shared out among the kinds of attack.
"""

from __future__ import annotations

import argparse
import itertools
import os
import re
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from tests.attack import devices, disks, files, kills, problems, program
from tests.attack.program import folders

Attempt = Callable[[int, int, Path, str], str]


@dataclass(frozen=True)
class Kind:
    """A kind of attack: ``share`` of the time, what one attempt is, in the plural, and how it is made."""

    share: int
    counted: str
    attempt: Attempt


KINDS: Mapping[str, Kind] = {
    "problems": Kind(8, "problems", problems.attempt),
    "files": Kind(4, "damaged files", files.attempt),
    "kills": Kind(4, "programs killed and continued", kills.attempt),
    "disks": Kind(1, "full or missing disks", disks.attempt),
    "devices": Kind(1, "devices without memory or lost", devices.attempt),
}


def attempt(kind: str, seed: int, number: int, backend: str) -> str:
    """One attempt, in a folder of its own; "" or what was found, with the command that repeats it."""
    with tempfile.TemporaryDirectory(prefix="antidiag-attack-") as folder:
        found = KINDS[kind].attempt(seed, number, Path(folder), backend)
    again = f"python -m tests.attack --only {kind} --seed {seed} --number {number}"
    return f"{found}\n  again: {again}{f' --backend {backend}' if backend != 'cpu' else ''}" if found else ""


def main(arguments: Sequence[str] | None = None) -> int:
    """Attack; 1 where something was found."""
    options = _parser().parse_args(arguments)
    kinds = options.only.split(",") if options.only else list(KINDS)
    if unknown := [kind for kind in kinds if kind not in KINDS]:
        _parser().error(f"--only {','.join(unknown)}: kinds are {', '.join(KINDS)}")
    if options.number is not None:
        found = attempt(kinds[0], options.seed, options.number, options.backend)
        print(found or "nothing was found")
        return bool(found)
    return _for_some_time(kinds, options.seed, 60 * options.minutes, options.backend)


def _for_some_time(kinds: Sequence[str], seed: int, seconds: float, backend: str) -> int:
    """Attack with the kind that is furthest behind its share, until the time is over or Ctrl-C.

    A fault that is found again is counted, and not printed.
    """
    spent, count, findings, known = dict.fromkeys(kinds, 0.0), Counter[str](), Counter[str](), Counter[str]()
    numbers = {kind: itertools.count() for kind in kinds}
    end = time.monotonic() + seconds
    try:
        while time.monotonic() < end:
            kind = min(kinds, key=lambda kind: spent[kind] / KINDS[kind].share)
            begun = time.monotonic()
            found = attempt(kind, seed, next(numbers[kind]), backend)
            spent[kind] += time.monotonic() - begun
            count[kind] += 1
            if found:
                findings[kind] += 1
                known[_gist(found)] += 1
                if known[_gist(found)] == 1:
                    print(f"{kind}: {found}", flush=True)
    except KeyboardInterrupt:
        print("stopped")
    for kind in kinds:
        print(f"{count[kind]:,} {KINDS[kind].counted} in {spent[kind]:,.0f} s: {findings[kind] or 'no'} findings")
    if program.kills:
        print(f"signals: {', '.join(f'{count} {name}' for name, count in sorted(program.kills.items()))}")
    return bool(findings)


def _gist(found: str) -> str:
    """What is the same where one fault is found again: the text without numbers, and without what repeats it."""
    return re.sub(r"\d+", "", found.partition("\n  again: ")[0].splitlines()[-1])


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser("python -m tests.attack", description="Attack the program for some time.")
    parser.add_argument("--minutes", type=float, default=10.0)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--only", metavar="KIND,...", default="", help=f"of {', '.join(KINDS)}; all by default")
    parser.add_argument("--number", type=int, help="this attempt alone, of the one kind that is named")
    parser.add_argument("--backend", choices=("cpu", "cuda"), default="cpu", help="of problems; cuda needs a GPU")
    return parser


if __name__ == "__main__":
    with tempfile.TemporaryDirectory(prefix="antidiag-attack-") as own:
        os.environ.update(folders(Path(own)))
        sys.exit(main())
