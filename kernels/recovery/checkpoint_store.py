"""The store of a run: writes finished parts to disk on a thread while the run goes on.

A method that can be continued finds its store in ``monitor.store`` (interrupted_runs.py puts it there). It first
reads ``parts()``, which an interrupted run has left. Then, whenever ``is_save_due``, it saves what it has finished
since the last part, as arrays that it will not change any more; all parts together must suffice to continue. A store
never stops a run: if a part cannot be written, ``failure`` says why, and nothing is due again.
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
from antidiag.kernels.recovery.checkpoint_files import Checkpoint, DamagedCheckpoint

POLL_S = 0.05
PART_NAME = re.compile(r"part-\d{6}")


class CheckpointWriter:
    """Writes and reads the parts of one run in ``folder``, which ``begin()`` makes before the first part is written.

    Nothing is due before ``patience_s`` seconds: a short run writes nothing.
    """

    def __init__(self, folder: Path, begin: Callable[[], None], patience_s: float = 0.0) -> None:
        self.folder, self.failure, self.fraction = folder, "", 0.0
        self._begin, self._begun, self._closing = begin, False, False
        self._patient_until = time.monotonic() + patience_s
        self._count = 0
        self._pool = ThreadPoolExecutor(1, "antidiag-store")
        self._written: Future[None] | None = None

    @property
    def is_save_due(self) -> bool:
        """Return whether to save now: the last part is written, and the run has lasted long enough."""
        idle = self._written is None or self._written.done()
        return idle and not self.failure and time.monotonic() >= self._patient_until

    def parts(self, check: Callable[[], None] = lambda: None) -> Iterator[Checkpoint]:
        """Yield the parts of the interrupted run in order, up to the first that is missing or damaged.

        Later parts are removed. ``check()`` is called often and may raise.
        """
        while (path := self._part_path(self._count)).exists():
            try:
                part = parts.read_checkpoint(path, check)
            except DamagedCheckpoint:
                break
            self._count += 1
            self.fraction = float(part.facts["fraction"])
            yield part
        for path in self.folder.glob("part-*"):
            if path.name >= self._part_path(self._count).name:
                path.unlink()

    def save(
        self,
        facts: Mapping[str, Any],
        arrays: Mapping[str, np.ndarray],
        fraction: float,
        ready: Callable[[], None] = lambda: None,
    ) -> Future[None]:
        """Begin to write what has been finished since the last part; return the future of the write.

        Parameters
        ----------
        facts : mapping
            Plain values.
        arrays : mapping of ndarray
            Read after ``ready()`` has returned on the writing thread; they must not change until the future is done.
        fraction : float
            How much of the run is finished with this part, from 0 to 1.
        """
        number = self._count
        self._count += 1
        self._written = self._pool.submit(self._write_part, number, {**facts, "fraction": fraction}, arrays, ready)
        return self._written

    def saved(self, number: int) -> Checkpoint:
        """Read a part that exists; its arrays are views of the file."""
        return parts.read_checkpoint(self._part_path(number), verify=False)

    def wait(self, check: Callable[[], None], future: Future[None]) -> None:
        """Wait until a part is written; ``check()`` is called often and may raise."""
        while wait([future], POLL_S).not_done:
            check()
        future.result()

    def close(self) -> None:
        """Abandon the part that is being written, and write nothing more; the arrays may change afterwards."""
        self._closing = True
        self._pool.shutdown()

    def _write_part(
        self, number: int, facts: Mapping[str, Any], arrays: Mapping[str, np.ndarray], ready: Callable[[], None]
    ) -> None:
        ready()
        if self.failure or self._closing:
            return
        try:
            if not self._begun:
                self._begin()
                self._begun = True
            if parts.write_checkpoint(self._part_path(number), facts, arrays, lambda: not self._closing):
                self.fraction = facts["fraction"]
        except OSError as error:
            self.failure = f"{self.folder}: {error.strerror or error}"

    def _part_path(self, number: int) -> Path:
        return self.folder / f"part-{number:06}"
