"""Attack the program for some time: ``python -m tests.attack --minutes 10 --only problems,files --seed 7``.

Every attempt is made by a seed and a number, which repeat it: what fails is printed with the command for it. The time
is shared out among the kinds of attack, and the attempts among as many processes as there are cores.
"""

from __future__ import annotations

import argparse
import os
import re
import signal
import sys
import tempfile
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from antidiag.kernels.cpu import workers
from tests.attack import jobs, making, readers
from tests.attack.making import KINDS, Made, Plan
from tests.attack.program import folders


def main(arguments: Sequence[str] | None = None) -> int:
    """Attack; 1 where something was found."""
    options = _parser().parse_args(arguments)
    kinds = options.only.split(",") if options.only else list(KINDS)
    if unknown := [kind for kind in kinds if kind not in KINDS]:
        _parser().error(f"--only {','.join(unknown)}: kinds are {', '.join(KINDS)}")
    count = options.jobs or (workers.count_processors() if options.backend == "cpu" else 1)
    plan = Plan(tuple(kinds), options.seed, 60 * options.minutes, options.backend, count)
    if options.number is not None:
        found = making.attempt(plan, kinds[0], options.number)
        print(found or "nothing was found")
        return bool(found)
    tally = Tally(plan.kinds)
    try:
        if plan.jobs == 1:
            making.attack(plan, 0, lambda kind, number: None, tally.made)
        else:
            jobs.share_out(plan, tally.made)
    except KeyboardInterrupt:
        print("stopped")
    tally.told()
    return bool(sum(tally.findings.values()))


class Tally:
    """What all attempts found. A fault that is found again is counted, and not printed."""

    def __init__(self, kinds: Sequence[str]) -> None:
        self._spent = dict.fromkeys(kinds, 0.0)
        self._count, self.findings, self._known, self._signals = (Counter[str]() for _ in range(4))

    def made(self, one: Made) -> None:
        """An attempt has ended."""
        self._spent[one.kind] += one.seconds
        self._count[one.kind] += 1
        self._signals.update(one.signals)
        if one.found:
            self.findings[one.kind] += 1
            self._known[_gist(one.found)] += 1
            if self._known[_gist(one.found)] == 1:
                print(f"{one.kind}: {one.found}", flush=True)

    def told(self) -> None:
        """Print the counts."""
        for kind, spent in self._spent.items():
            counted = f"{self._count[kind]:,} {KINDS[kind].counted} in {spent:,.0f} s"
            print(f"{counted}: {self.findings[kind] or 'no'} findings")
        if "files" in self._spent and readers.without_qt():
            print(f"without PySide6, files of {', '.join(readers.WITH_QT)} were read as any other")
        if self._signals:
            print(f"signals: {', '.join(f'{count} {name}' for name, count in sorted(self._signals.items()))}")


def _gist(found: str) -> str:
    """What is the same where one fault is found again: the text without numbers, and without what repeats it."""
    return re.sub(r"\d+", "", found.partition("\n  again: ")[0].splitlines()[-1])


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser("python -m tests.attack", description="Attack the program for some time.")
    parser.add_argument("--minutes", type=float, default=10.0)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--only", metavar="KIND,...", default="", help=f"of {', '.join(KINDS)}; all by default")
    parser.add_argument("--number", type=int, help="this attempt alone, of the one kind that is named")
    parser.add_argument("--jobs", type=int, default=0, help="processes at once; one a core by default, one for a GPU")
    parser.add_argument("--backend", choices=("cpu", "cuda"), default="cpu", help="of problems; cuda needs a GPU")
    return parser


if __name__ == "__main__":
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))
    with tempfile.TemporaryDirectory(prefix="antidiag-attack-") as own:
        os.environ.update(folders(Path(own)))
        tempfile.tempdir = os.environ["TMPDIR"]  # what killed processes leave goes with the folder
        sys.exit(main())
