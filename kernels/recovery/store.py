"""The store of a run: what it has finished, written to disk part by part on a thread while it goes on.

A method that can be continued finds one in ``monitor.store`` (resuming.py puts it there). It first takes over
``parts()``, which are there where an interrupted run is continued. Then, whenever ``due``, it saves what it has
finished since the part before, as arrays that it will not change any more; the parts together must be all that it
needs to go on. A store never stops a run: where nothing can be written, ``failure`` says why and nothing is due again.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import Future, ThreadPoolExecutor, wait
from pathlib import Path
from typing import Any

import numpy as np

from antidiag.kernels.recovery import checkpoint_files as parts
from antidiag.kernels.recovery.checkpoint_files import Damaged, Part

POLL_S = 0.05
PARTS = re.compile(r"part-\d{6}")


class Store:
    """Parts of one run in ``folder``, which need not exist: ``begin()`` makes it before the first part is written.

    Nothing is due before ``patience_s`` seconds: a short run leaves the disk alone.
    """

    def __init__(self, folder: Path, begin: Callable[[], None], patience_s: float = 0.0) -> None:
        self.folder, self.failure, self.fraction = folder, "", 0.0
        self._begin, self._begun, self._closing = begin, False, False
        self._patient_until = time.monotonic() + patience_s
        self._count = 0
        self._pool = ThreadPoolExecutor(1, "antidiag-store")
        self._written: Future[None] | None = None

    @property
    def due(self) -> bool:
        """Whether it is time to save what has been finished: the part before is written, and the run is a long one."""
        idle = self._written is None or self._written.done()
        return idle and not self.failure and time.monotonic() >= self._patient_until

    def parts(self, check: Callable[[], None] = lambda: None) -> Iterator[Part]:
        """The parts of the interrupted run that is continued, in order, up to the first that is missing or damaged.

        What lies behind that one is removed. ``check()`` is called often and may raise.
        """
        while (path := self._path(self._count)).exists():
            try:
                part = parts.read(path, check)
            except Damaged:
                break
            self._count += 1
            self.fraction = float(part.facts["fraction"])
            yield part
        for path in self.folder.glob("part-*"):
            if path.name >= self._path(self._count).name:
                path.unlink()

    def save(
        self,
        facts: Mapping[str, Any],
        arrays: Mapping[str, np.ndarray],
        fraction: float,
        ready: Callable[[], None] = lambda: None,
    ) -> Future[None]:
        """Begin to write a part: what has been finished since the part before, after which ``fraction`` is done.

        ``facts`` are plain values; ``arrays`` hold what is to be written once ``ready()`` has returned on the thread
        that writes, and must stay so until the future is done.
        """
        number = self._count
        self._count += 1
        self._written = self._pool.submit(self._write, number, {**facts, "fraction": fraction}, arrays, ready)
        return self._written

    def saved(self, number: int) -> Part:
        """A part that has been taken over, or written; its arrays are views of the file."""
        return parts.read(self._path(number), verify=False)

    def wait(self, check: Callable[[], None], future: Future[None]) -> None:
        """Wait for a part to be written; ``check()`` is called often and may raise."""
        while wait([future], POLL_S).not_done:
            check()
        future.result()

    def close(self) -> None:
        """Write nothing more: what is being written is given up. The arrays handed over are free after it."""
        self._closing = True
        self._pool.shutdown()

    def _write(
        self, number: int, facts: Mapping[str, Any], arrays: Mapping[str, np.ndarray], ready: Callable[[], None]
    ) -> None:
        ready()
        if self.failure or self._closing:
            return
        try:
            if not self._begun:
                self._begin()
                self._begun = True
            if parts.write(self._path(number), facts, arrays, lambda: not self._closing):
                self.fraction = facts["fraction"]
        except OSError as error:
            self.failure = f"{self.folder}: {error.strerror or error}"

    def _path(self, number: int) -> Path:
        return self.folder / f"part-{number:06}"
