"""The manifest of a long run: a file with the tasks that have ended, by which the run is continued after a crash.

Its first line describes the run (what must be equal for it to be continued), each further line a task: key, digest of
its input, state, and what the caller keeps of its answer. Lines are only appended, so that a crash damages none but the
last, which is then ignored.
"""

from __future__ import annotations

import contextlib
import json
import os
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

from antidiag.kernels.atomic_write import open_atomic
from antidiag.kernels.errors import AntidiagError, InputError
from antidiag.kernels.recovery.run_folders import describe_process, is_running

FORMAT = 1
SYNC_S = 1.0
"""Seconds between two flushes to the disk: what a failure of power can cost. A crash of the program costs nothing."""
DONE, FAILED = "done", "failed"


@dataclass(frozen=True)
class ManifestEntry:
    """A task that has ended: digest of its input, state ("done" or "failed"), and what is kept of its answer."""

    key: str
    digest: str
    state: str
    answer: Mapping[str, Any]


class TaskManifest:
    """The manifest of a run, open for appending; use it in a ``with`` block.

    Parameters
    ----------
    path : Path
        The file.
    description : mapping
        What must be equal for a run to be continued, such as version, method and settings: JSON values.
    resume : bool
        Continue the run of an existing file. Otherwise a file that exists is an error.

    Raises
    ------
    InputError
        A manifest exists and is not to be continued, describes another run, or belongs to a running process.
    AntidiagError
        The manifest cannot be written, as on a full disk; also of `record`.
    """

    def __init__(self, path: Path, description: Mapping[str, Any], resume: bool) -> None:
        self.path = path
        self.entries: dict[str, ManifestEntry] = {}
        if path.exists():
            self._read(description, resume)
        with self._explain_failure():
            self._write_whole(description)
            self._file = open(path, "ab", buffering=0)  # noqa: SIM115 (closed by `close`)
        self._synced = time.monotonic()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def record(self, entry: ManifestEntry) -> None:
        """Append a task that has ended; it survives a crash of this process."""
        self.entries[entry.key] = entry
        with self._explain_failure():
            self._file.write(_entry_line(entry))
            if time.monotonic() - self._synced > SYNC_S:
                os.fsync(self._file.fileno())
                self._synced = time.monotonic()

    def close(self) -> None:
        """Flush the manifest to the disk and release it for other processes."""
        if self._file.closed:
            return
        with contextlib.suppress(OSError):
            os.fsync(self._file.fileno())
        self._file.close()
        self._owner_path.unlink(missing_ok=True)

    @contextlib.contextmanager
    def _explain_failure(self) -> Iterator[None]:
        """Raise AntidiagError for an error of the disk."""
        try:
            yield
        except OSError as error:
            raise AntidiagError(
                f"{self.path}: cannot be written: {error.strerror or error}; make room on the disk, and continue with "
                "--resume"
            ) from error

    @property
    def _owner_path(self) -> Path:
        """The file with the process that writes the manifest."""
        return self.path.with_suffix(".owner.json")

    def _read(self, description: Mapping[str, Any], resume: bool) -> None:
        """Read the entries of an existing manifest; raise InputError if the run cannot be continued."""
        if not resume:
            raise InputError(f"{self.path.parent}: holds a run already; continue it with --resume or name another")
        if is_running(*self._owner()):
            raise InputError(f"{self.path}: another process is at work on this run; wait for it, or stop it")
        try:
            lines = self.path.read_bytes().split(b"\n")
            head = json.loads(lines[0])
            before = head["run"]
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise InputError(f"{self.path}: this manifest cannot be read; remove it to start anew") from error
        wanted = json.loads(json.dumps(description))
        changed = [name for name in sorted({*wanted, *before}) if wanted.get(name) != before.get(name)]
        if changed or head.get("format") != FORMAT:
            texts = [f"{name} was {before.get(name)!r} and is {wanted.get(name)!r}" for name in changed]
            raise InputError(
                f"{self.path}: this run cannot be continued: {'; '.join(texts) or 'its format differs'}; "
                "give the same settings, or use another folder"
            )
        for line in lines[1:]:
            with contextlib.suppress(ValueError, KeyError, TypeError):  # the last line of a crash is incomplete
                found = json.loads(line)
                entry = ManifestEntry(found["key"], found["digest"], found["state"], found["answer"])
                self.entries[entry.key] = entry

    def _owner(self) -> tuple[Mapping[str, Any] | None, float]:
        """Return the process that last opened the manifest, and when it last wrote."""
        try:
            return json.loads(self._owner_path.read_bytes()), self.path.stat().st_mtime
        except (OSError, ValueError):
            return None, 0.0

    def _write_whole(self, description: Mapping[str, Any]) -> None:
        """Write the description and the entries that are known, atomically."""
        with open_atomic(self._owner_path) as owner:
            owner.write(json.dumps(describe_process()).encode())
        with open_atomic(self.path, sync=True) as file:
            file.write(json.dumps({"format": FORMAT, "run": description}).encode() + b"\n")
            for entry in self.entries.values():
                file.write(_entry_line(entry))


def _entry_line(entry: ManifestEntry) -> bytes:
    kept = {"key": entry.key, "digest": entry.digest, "state": entry.state, "answer": dict(entry.answer)}
    return json.dumps(kept).encode() + b"\n"
