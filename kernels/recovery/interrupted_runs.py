"""Interrupted runs: a folder for each long run, from which the run can be continued after a crash or a cancel.

`keep_run` gives a run its store. The folder is made once the run has lasted longer than `patience_s`. It stays if the
run is cancelled or dies, and is removed when there is a result (in `keep_until_saved`: when the result is saved).
`list_runs` lists the folders, `find_run` finds the one of a problem. A folder holds

- ``run.json``: method, parameters, place and time, and the process that computes the run;
- ``problem``: the problem itself, so that the run can be continued without its input files;
- ``part-000000`` and so on: finished parts (checkpoint_store.py), each with a checksum (checkpoint_files.py).
"""

from __future__ import annotations

import contextlib
import errno
import hashlib
import os
import time
import uuid
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from antidiag.kernels import ROOT, __version__, memory, serialization
from antidiag.kernels.errors import BackendUnavailable, Cancelled, DiskFull, InputError
from antidiag.kernels.memory import format_bytes
from antidiag.kernels.method import Method
from antidiag.kernels.monitor import Monitor
from antidiag.kernels.parameters import MethodParameters
from antidiag.kernels.recovery import checkpoint_files
from antidiag.kernels.recovery.checkpoint_store import PART_NAME, CheckpointWriter
from antidiag.kernels.recovery.run_folders import (
    MANIFEST,
    OTHER_HOST_TIMEOUT_S,
    describe_process,
    is_running,
    read_manifest,
    release_run,
    remove_folder,
    restore_manifest,
    write_manifest,
)
from antidiag.kernels.text import parse_json
from antidiag.kernels.typed_fields import make_checked

if TYPE_CHECKING:
    from antidiag.kernels.run_plan import RunPlan

FORMAT = 1
KEEP_AFTER_VARIABLE = "ANTIDIAG_KEEP_AFTER_S"
"""Environment variable: seconds after which a run is kept."""
KEEP_AFTER_S = 60.0
MAX_RUNS, MAX_AGE = 8, timedelta(days=30)
"""How many interrupted runs are kept, and how long. A new one replaces the oldest, within ``memory.disk_limit``."""
SOURCES = (".py", ".cu", ".cuh")
OTHER_VERSION = "another version of the program computed it"
PROBLEM = "problem"
_unsaved: ContextVar[list[tuple[RunPlan, Path]] | None] = ContextVar("_unsaved", default=None)
"""Finished runs whose results are not saved yet, and their folders, inside `keep_until_saved`."""


@dataclass(frozen=True)
class InterruptedRun:
    """A run in a folder: ``fraction`` of it is done, and ``running`` is whether a process computes it now.

    Only the version of the program that began a run can continue it; ``foreign`` is whether another one did.
    """

    folder: Path
    method: str
    backend: str
    device: str
    parameters: Mapping[str, Any]
    digest: str
    title: str
    size: str
    started: datetime
    saved: datetime
    fraction: float
    nbytes: int
    running: bool
    foreign: bool = False

    @property
    def id(self) -> str:
        """Return the name of the folder, which is unique."""
        return self.folder.name

    def problem(self) -> Any:
        """Return the problem, whose family must be imported; InputError if the folder is damaged."""
        try:
            found = checkpoint_files.read_checkpoint(self.folder / PROBLEM)
            return serialization.decode(found.facts["problem"], lambda name: found.arrays[name])
        except (checkpoint_files.DamagedCheckpoint, KeyError, TypeError, ValueError, AttributeError) as error:
            raise InputError(
                f"{self.folder}: this run cannot be continued, its folder is damaged; remove it"
            ) from error


def patience_s() -> float:
    """Return the seconds after which a run is kept."""
    try:
        return float(os.environ.get(KEEP_AFTER_VARIABLE, KEEP_AFTER_S))
    except ValueError:
        return KEEP_AFTER_S


def runs_folder() -> Path:
    """Return the folder of all runs, which may not exist yet."""
    return memory.disk_folder() / "runs"


def list_runs() -> list[InterruptedRun]:
    """Return all runs that are kept, the newest first."""
    found = (_read_run(path) for path in _list_folders())
    return sorted((run for run in found if run), key=lambda run: run.saved, reverse=True)


def find_run(method: Method, problem: Any, given: Mapping[str, Any], backend: str = "auto") -> InterruptedRun | None:
    """Return the most advanced interrupted run of a method on a problem, or None.

    It has the given backend, and the given parameters as far as its saved parts depend on them.
    """
    candidates = [run for run in list_runs() if run.method == method.id and run.fraction]
    candidates = [run for run in candidates if not run.running and not run.foreign]
    if not candidates or method.resumption is None:
        return None
    names, digest = method.resumption.depends_on, serialization.digest_value(problem)
    fitting = [
        run
        for run in candidates
        if run.digest == digest
        and backend in ("auto", run.backend)
        and all(given.get(name) in (None, run.parameters[name]) for name in names)
    ]
    return max(fitting, key=lambda run: run.fraction, default=None)


def find_running(method: Method, problem: Any) -> InterruptedRun | None:
    """Return the kept run of a method on a problem that a process computes now, or None."""
    computed = [run for run in list_runs() if run.running and run.method == method.id]
    digest = serialization.digest_value(problem) if computed else ""
    return next((run for run in computed if run.digest == digest), None)


def resumed_parameters(method: Method, run: InterruptedRun, given: Mapping[str, Any]) -> dict[str, Any]:
    """Return the given parameters with those of an interrupted run that its saved parts depend on."""
    names = method.resumption.depends_on if method.resumption else ()
    return {**given, **{name: run.parameters[name] for name in names}}


def discard_run(run: InterruptedRun) -> None:
    """Remove an interrupted run, unless another process continues it by now."""
    now = _read_run(run.folder)
    if now and not now.running:
        remove_folder(run.folder)


def predict_disk_bytes(
    method: Method, problem: Any, parameters: MethodParameters, backend: str, time_ms: float, disk_bytes: int
) -> tuple[Mapping[str, int], str]:
    """Return the disk bytes that a run of ``time_ms`` will keep, by purpose, or a note why it cannot be continued.

    ``disk_bytes`` are those that the run needs anyway.
    """
    if method.resumption is None or time_ms < 1000 * patience_s():
        return {}, ""
    needed, left = method.resumption.disk_bytes(problem, parameters, backend), memory.allowed_disk_bytes() - disk_bytes
    if needed > left:
        available = format_bytes(max(left, 0))
        reason = f"it needs {format_bytes(needed)} in {runs_folder()}, where {available} are available"
        return {}, f"This run could not be continued after a crash: {reason}."
    return ({"checkpoints, in case of a crash": needed} if needed else {}), ""


@contextmanager
def keep_run(
    planned: RunPlan, monitor: Monitor, resumed: InterruptedRun | None = None, keep: bool | None = None
) -> Iterator[list[str]]:
    """Give a run a store in ``monitor.store`` if its method can be continued; yield a list of notes for its result.

    A run that ends with a result leaves nothing behind. ``Cancelled`` says how much of a cancelled run is kept, as do
    errors of a full disk and a lost GPU.

    Parameters
    ----------
    resumed : Run, optional
        The interrupted run that is continued.
    asked : bool, optional
        True keeps the run however short it is, False never; by default it is kept after `patience_s`.
    """
    notes: list[str] = []
    if planned.method.resumption is None or keep is False:
        yield notes
        return
    place = resumed.folder if resumed else runs_folder() / f"{datetime.now():%Y%m%d-%H%M%S}-{uuid.uuid4().hex[:8]}"
    if resumed:
        _take_over_run(resumed)
        notes.append(f"Continued from {format_percent(resumed.fraction)}; the step log begins there.")
    begin = (lambda: None) if resumed else partial(_make_run_folder, place, planned)
    store = CheckpointWriter(place, begin, 0.0 if keep or resumed else patience_s())
    monitor.store = store
    try:
        yield notes
    except BaseException as error:
        store.close()
        release_run(place)
        kept = f"{format_percent(store.fraction)} of this run is kept and can be continued"
        if isinstance(error, Cancelled) and store.fraction:
            raise Cancelled(kept) from error
        if isinstance(error, (DiskFull, BackendUnavailable)) and store.fraction:
            raise type(error)(f"{error}; {kept}") from error
        raise
    finally:
        monitor.store = None
    store.close()
    if store.failure:
        notes.append(
            f"Checkpoints were saved up to {format_percent(store.fraction)} of this run only: {store.failure}."
        )
    unsaved = _unsaved.get()
    if unsaved is None:
        _remove_runs_of(planned, place)
    else:
        unsaved.append((planned, place))


@contextmanager
def keep_until_saved() -> Iterator[None]:
    """Keep the folders of all runs in the block until its end, when their results are saved.

    If the block raises, they stay for good: a program that dies before it has saved a result loses nothing.
    """
    unsaved: list[tuple[RunPlan, Path]] = []
    token = _unsaved.set(unsaved)
    try:
        yield
    except BaseException:
        for _, place in unsaved:
            release_run(place)
        raise
    finally:
        _unsaved.reset(token)
    for planned, place in unsaved:
        _remove_runs_of(planned, place)


def _remove_runs_of(planned: RunPlan, place: Path) -> None:
    """Remove the run in this folder and all others of the same method and problem."""
    remove_folder(place)
    for run in list_runs():
        if run.method == planned.method.id and run.digest == serialization.digest_value(planned.problem):
            discard_run(run)


@cache
def program_version() -> str:
    """Return the version of this program and a digest of the engine's sources."""
    found = hashlib.blake2b(digest_size=8)
    for path in sorted(path for path in ROOT.rglob("*") if path.suffix in SOURCES):
        found.update(path.relative_to(ROOT).as_posix().encode() + b"\n" + path.read_bytes())
    return f"{__version__} {found.hexdigest()}"


def format_percent(fraction: float) -> str:
    """Return a fraction as text, such as '42 %'."""
    return f"{100 * fraction:.0f} %"


def _take_over_run(run: InterruptedRun) -> None:
    """Make this process the owner of an interrupted run; of several, only one can rename the manifest."""
    manifest = run.folder / MANIFEST
    taken = manifest.with_name(f"{MANIFEST}.taken-{os.getpid()}-{uuid.uuid4().hex}")
    try:
        if run.foreign:
            raise InputError(f"{run.folder}: this run cannot be continued: {OTHER_VERSION}; start it anew")
        now = _read_run(run.folder)
        os.rename(manifest, taken)
        found = parse_json(taken.read_bytes())
        if now is None or now.running or is_running(found["owner"], time.time()):
            os.rename(taken, manifest)
            raise InputError(f"{run.folder}: this run cannot be continued: another process is at work in it")
        write_manifest(run.folder, {**found, "owner": describe_process()})
        taken.unlink()
    except OSError as error:
        reason = "it is no longer there" if isinstance(error, FileNotFoundError) else error.strerror or error
        raise InputError(f"{run.folder}: this run cannot be continued: {reason}; start it anew") from error


def _make_run_folder(place: Path, planned: RunPlan) -> None:
    """Make the folder of a run. The manifest is written last: a folder without one is no run."""
    assert planned.method.resumption
    kept = planned.method.resumption.disk_bytes(planned.problem, planned.parameters, planned.backend)
    needed = kept or planned.footprint.disk_bytes
    _remove_old_runs(needed)
    if needed > (left := memory.allowed_disk_bytes()):
        raise OSError(errno.ENOSPC, f"it needs {format_bytes(needed)}, and {format_bytes(left)} are available")
    place.mkdir(parents=True)
    arrays: dict[str, Any] = {}

    def put(array: Any) -> str:
        arrays[str(len(arrays))] = array
        return str(len(arrays) - 1)

    checkpoint_files.write_checkpoint(place / PROBLEM, {"problem": serialization.encode(planned.problem, put)}, arrays)
    write_manifest(
        place,
        {
            "format": FORMAT,
            "version": program_version(),
            "method": planned.method.id,
            "backend": planned.backend,
            "device": planned.device_name,
            "parameters": dict(planned.parameters.as_mapping()),
            "digest": serialization.digest_value(planned.problem),
            "title": getattr(planned.problem, "title", ""),
            "size": getattr(planned.problem, "size", ""),
            "started": datetime.now(UTC).isoformat(),
            "owner": describe_process(),
        },
    )


def _remove_old_runs(needed: int) -> None:
    """Remove old runs, the oldest ones where a new run needs so many bytes, and folders without a manifest."""
    taken, limit = needed, memory.disk_limit()
    for number, run in enumerate(run for run in list_runs() if not run.running):
        taken += run.nbytes
        if number >= MAX_RUNS - 1 or taken > limit or datetime.now(UTC) - run.saved > MAX_AGE:
            discard_run(run)
    for path in _list_folders():
        with contextlib.suppress(OSError):
            allowed_s = MAX_AGE.total_seconds() if (path / MANIFEST).exists() else OTHER_HOST_TIMEOUT_S
            if _read_run(path) is None and time.time() - path.stat().st_mtime > allowed_s:
                remove_folder(path)


def _list_folders() -> list[Path]:
    try:
        return [path for path in runs_folder().iterdir() if path.is_dir()]
    except OSError:
        return []


def _read_run(path: Path) -> InterruptedRun | None:
    """Return the run in a folder, or None if there is none that this program can read."""
    try:
        restore_manifest(path)
        manifest = read_manifest(path)
        if manifest["format"] != FORMAT:
            return None
        files = [(file.name, file.stat()) for file in path.iterdir()]
        saved = max(status.st_mtime for _, status in files)
        names = [name for name, _ in files if PART_NAME.fullmatch(name)]
        values = {
            "folder": path,
            "method": manifest["method"],
            "backend": manifest["backend"],
            "device": manifest["device"],
            "parameters": manifest["parameters"],
            "digest": manifest["digest"],
            "title": manifest["title"],
            "size": manifest["size"],
            "started": datetime.fromisoformat(manifest["started"]),
            "saved": datetime.fromtimestamp(saved, UTC),
            "fraction": float(checkpoint_files.read_facts(path / max(names))["fraction"]) if names else 0.0,
            "nbytes": sum(status.st_size for _, status in files),
            "running": is_running(manifest["owner"], saved),
            "foreign": manifest["version"] != program_version(),
        }
        return make_checked(InterruptedRun, values)
    except (
        OSError,
        ValueError,
        KeyError,
        TypeError,
        AttributeError,
        OverflowError,
        checkpoint_files.DamagedCheckpoint,
    ):
        return None
