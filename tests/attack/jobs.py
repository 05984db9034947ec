"""Several processes that attack at once: what each finds is told to the one that began them.

A process that is killed by what it attacks, or hangs in it, is a finding as well, and the others go on.
"""

from __future__ import annotations

import multiprocessing
import time
from collections.abc import Callable
from contextlib import suppress
from multiprocessing.connection import Connection, wait
from typing import Any

from tests.attack import making
from tests.attack.making import Made, Plan

LATE_S = 300.0
"""A process that goes on for so long after its time hangs."""


def share_out(plan: Plan, made: Callable[[Made], None]) -> None:
    """Attack by ``plan.jobs`` processes, all of whose attempts ``made`` is told; until all have ended."""
    end = time.monotonic() + plan.seconds + LATE_S
    processes = [_Process(plan, job) for job in range(plan.jobs)]
    try:
        while running := [one for one in processes if not one.over]:
            wait([one.told for one in running], max(0.0, end - time.monotonic()))
            for one in running:
                one.hear(made)
                if not one.over and time.monotonic() > end:
                    one.give_up(made, f"still at work after {LATE_S:.0f} s")
    finally:
        for one in processes:
            one.process.terminate()
            one.process.join()


class _Process:
    """A process that attacks, and the attempt that it began last."""

    def __init__(self, plan: Plan, job: int) -> None:
        context = multiprocessing.get_context("spawn")  # threads of this process are not in it
        self.told, there = context.Pipe(duplex=False)
        self.process = context.Process(target=_attack, args=(plan, job, there))
        self._plan, self._begun, self.over = plan, (plan.kinds[0], job), False
        self.process.start()
        there.close()

    def hear(self, made: Callable[[Made], None]) -> None:
        """Take all that was told; what killed the process is a finding."""
        try:
            while self.told.poll():
                told: Any = self.told.recv()
                if isinstance(told, Made):
                    made(told)
                else:
                    self._begun = told
        except EOFError:
            self.process.join()
            self.over = True
            if self.process.exitcode:
                self.give_up(made, f"the process that attacks ended with exit {self.process.exitcode}")

    def give_up(self, made: Callable[[Made], None], why: str) -> None:
        kind, number = self._begun
        self.over = True
        made(Made(kind, 0.0, f"{why}\n  again: {making.again(self._plan, kind, number)}", {}))


def _attack(plan: Plan, job: int, there: Connection) -> None:
    with suppress(KeyboardInterrupt):
        making.attack(plan, job, lambda kind, number: there.send((kind, number)), there.send)
