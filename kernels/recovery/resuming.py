"""Runs that survive a crash: a folder for each long run, with its problem, its parameters and the parts it finished.

``keeping`` gives a run its store. The folder appears once the run has lasted longer than ``patience_s``, stays where
the run is cancelled or dies, and goes when there is a result (`until_saved`: when that is saved). ``runs`` lists the
folders; ``find`` looks for the one of a problem. A folder holds

- ``run.json``: method, parameters, where and when, and the process that is at work in it;
- ``problem``: the problem itself, so that the run can be continued without the files that it was read from;
- ``part-000000`` and so on: what was finished (store.py), each with a checksum (checkpoint_files.py).
"""

from __future__ import annotations

import contextlib
import errno
import hashlib
import json
import os
import platform
import re
import shutil
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

import psutil

from antidiag.kernels import ROOT, __version__, memory, serialization
from antidiag.kernels.errors import Cancelled, DiskFull, InputError
from antidiag.kernels.memory import bytes_text
from antidiag.kernels.method import Method
from antidiag.kernels.monitor import Monitor
from antidiag.kernels.recovery import checkpoint_files
from antidiag.kernels.recovery.store import PARTS, Store
from antidiag.kernels.text import from_json
from antidiag.kernels.typed_fields import made

if TYPE_CHECKING:
    from antidiag.kernels.plan import Plan

FORMAT = 1
AFTER_VARIABLE = "ANTIDIAG_KEEP_AFTER_S"
"""Environment variable: seconds after which a run is a long one, and kept."""
AFTER_S = 60.0
MOST_RUNS, MOST_AGE = 8, timedelta(days=30)
"""How many interrupted runs are kept, and how long. When a new one begins, the oldest make room for it, within
``memory.disk_limit``."""
ELSEWHERE_S = 3600
"""A run of another machine that wrote nothing for so long is taken for interrupted."""
SOURCES = (".py", ".cu", ".cuh")
OTHER_VERSION = "another version of the program computed it"
MANIFEST, PROBLEM = "run.json", "problem"
TAKEN = re.compile(r"run\.json\.taken-(\d+)-\w+")
"""A manifest that the process of this number has taken away, for a moment."""
_unsaved: ContextVar[list[tuple[Plan, Path]] | None] = ContextVar("_unsaved", default=None)
"""Runs that have a result, and their folders, where somebody is going to save it."""


@dataclass(frozen=True)
class Run:
    """A run in a folder: ``fraction`` of it is done, and it is being computed where ``running``.

    Only this program goes on with it: another version (``foreign``) may keep other things, or read them differently.
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
        """The name of its folder, which no other run has."""
        return self.folder.name

    def problem(self) -> Any:
        """The problem, whose family was imported; InputError where the folder was damaged."""
        try:
            found = checkpoint_files.read(self.folder / PROBLEM)
            return serialization.decode(found.facts["problem"], lambda name: found.arrays[name])
        except (checkpoint_files.Damaged, KeyError, TypeError, ValueError, AttributeError) as error:
            raise InputError(
                f"{self.folder}: this run cannot be continued, its folder is damaged; remove it"
            ) from error


def patience_s() -> float:
    """Seconds after which a run is a long one, and kept."""
    try:
        return float(os.environ.get(AFTER_VARIABLE, AFTER_S))
    except ValueError:
        return AFTER_S


def folder() -> Path:
    """Where the runs are; it may not exist yet."""
    return memory.disk_folder() / "runs"


def runs() -> list[Run]:
    """All runs that are kept, the newest first."""
    found = (_read(path) for path in _folders())
    return sorted((run for run in found if run), key=lambda run: run.saved, reverse=True)


def find(method: Method, problem: Any, given: Mapping[str, Any], backend: str = "auto") -> Run | None:
    """The interrupted run of a method on a problem that is furthest on; None where there is none.

    It has the parameters and the backend that were given, wherever what was kept depends on them.
    """
    candidates = [run for run in runs() if run.method == method.id and run.fraction]
    candidates = [run for run in candidates if not run.running and not run.foreign]
    if not candidates or method.resumption is None:
        return None
    names, digest = method.resumption.depends_on, serialization.digest(problem)
    fitting = [
        run
        for run in candidates
        if run.digest == digest
        and backend in ("auto", run.backend)
        and all(given.get(name) in (None, run.parameters[name]) for name in names)
    ]
    return max(fitting, key=lambda run: run.fraction, default=None)


def at_work(method: Method, problem: Any) -> Run | None:
    """The run of a method on a problem that some process is computing and keeping now; None where there is none."""
    computed = [run for run in runs() if run.running and run.method == method.id]
    digest = serialization.digest(problem) if computed else ""
    return next((run for run in computed if run.digest == digest), None)


def parameters(method: Method, run: Run, given: Mapping[str, Any]) -> dict[str, Any]:
    """What is given, and the parameters of an interrupted run that what it kept depends on."""
    names = method.resumption.depends_on if method.resumption else ()
    return {**given, **{name: run.parameters[name] for name in names}}


def discard(run: Run) -> None:
    """Remove an interrupted run, unless somebody goes on with it by now."""
    now = _read(run.folder)
    if now and not now.running:
        _remove(run.folder)


def promise(
    method: Method, problem: Any, parameters: Mapping[str, Any], backend: str, time_ms: float, disk_bytes: int
) -> tuple[Mapping[str, int], str]:
    """What a run that will take so long is going to keep on disk, by purpose; or a note, why it cannot be continued.

    ``disk_bytes`` is what the run takes there anyway.
    """
    if method.resumption is None or time_ms < 1000 * patience_s():
        return {}, ""
    needed, left = method.resumption.disk_bytes(problem, parameters, backend), memory.disk_bytes_left() - disk_bytes
    if needed > left:
        room = f"{bytes_text(needed)} are needed in {folder()}, and it may take {bytes_text(max(left, 0))}"
        return {}, f"This run could not be continued after a crash: {room}."
    return ({"what is finished, in case of a crash": needed} if needed else {}), ""


@contextmanager
def keeping(
    planned: Plan, monitor: Monitor, resumed: Run | None = None, asked: bool | None = None
) -> Iterator[list[str]]:
    """A store for a run in ``monitor.store``, where its method can be continued; the list takes notes for its result.

    ``resumed`` is the interrupted run that it continues; ``asked`` keeps a run however short it is, and False none at
    all. A run that ends with a result leaves nothing behind; one that is cancelled says in ``Cancelled`` what is kept.
    """
    notes: list[str] = []
    if planned.method.resumption is None or asked is False:
        yield notes
        return
    place = resumed.folder if resumed else folder() / f"{datetime.now():%Y%m%d-%H%M%S}-{uuid.uuid4().hex[:8]}"
    if resumed:
        _take_over(resumed)
        notes.append(f"Continued from {percent(resumed.fraction)}; steps are those computed since.")
    begin = (lambda: None) if resumed else partial(_begin, place, planned)
    store = Store(place, begin, 0.0 if asked or resumed else patience_s())
    monitor.store = store
    try:
        yield notes
    except BaseException as error:
        store.close()
        _give_up(place)
        kept = f"{percent(store.fraction)} of this run is kept and can be continued"
        if isinstance(error, Cancelled) and store.fraction:
            raise Cancelled(kept) from error
        if isinstance(error, DiskFull) and store.fraction:
            raise DiskFull(f"{error}; {kept}") from error
        raise
    finally:
        monitor.store = None
    store.close()
    if store.failure:
        kept = "Nothing more" if store.fraction else "Nothing"
        notes.append(f"{kept} could be kept for the case of a crash: {store.failure}.")
    unsaved = _unsaved.get()
    if unsaved is None:
        _remove_all_of(planned, place)
    else:
        unsaved.append((planned, place))


@contextmanager
def until_saved() -> Iterator[None]:
    """What runs of this block have kept stays until its end, where their results are saved by then, and else for good:
    a program that dies in between has lost nothing."""
    unsaved: list[tuple[Plan, Path]] = []
    token = _unsaved.set(unsaved)
    try:
        yield
    except BaseException:
        for _, place in unsaved:
            _give_up(place)
        raise
    finally:
        _unsaved.reset(token)
    for planned, place in unsaved:
        _remove_all_of(planned, place)


def _give_up(place: Path) -> None:
    """This process does not go on with a run."""
    with contextlib.suppress(OSError):
        _write_manifest(place, {**_manifest(place), "owner": None})


def _remove_all_of(planned: Plan, place: Path) -> None:
    """The run in this folder, and all others that are kept of the same problem."""
    _remove(place)
    for run in runs():
        if run.method == planned.method.id and run.digest == serialization.digest(planned.problem):
            discard(run)


@cache
def program() -> str:
    """This program: its version, and a digest of the engine's sources."""
    found = hashlib.blake2b(digest_size=8)
    for path in sorted(path for path in ROOT.rglob("*") if path.suffix in SOURCES):
        found.update(path.relative_to(ROOT).as_posix().encode() + b"\n" + path.read_bytes())
    return f"{__version__} {found.hexdigest()}"


def percent(fraction: float) -> str:
    """'42 %'."""
    return f"{100 * fraction:.0f} %"


def _take_over(run: Run) -> None:
    """This process goes on with an interrupted run; of several that want to, one can take the manifest away."""
    manifest = run.folder / MANIFEST
    taken = manifest.with_name(f"{MANIFEST}.taken-{os.getpid()}-{uuid.uuid4().hex}")
    try:
        if run.foreign:
            raise InputError(f"{run.folder}: this run cannot be continued: {OTHER_VERSION}; start it anew")
        now = _read(run.folder)
        os.rename(manifest, taken)
        found = from_json(taken.read_bytes())
        if now is None or now.running or _running(found["owner"], time.time()):
            os.rename(taken, manifest)
            raise InputError(f"{run.folder}: this run cannot be continued: another process is at work in it")
        _write_manifest(run.folder, {**found, "owner": _owner()})
        taken.unlink()
    except OSError as error:
        reason = "it is no longer there" if isinstance(error, FileNotFoundError) else error.strerror or error
        raise InputError(f"{run.folder}: this run cannot be continued: {reason}; start it anew") from error


def _begin(place: Path, planned: Plan) -> None:
    """Make the folder of a run. The manifest comes last: a folder without one is no run."""
    assert planned.method.resumption
    kept = planned.method.resumption.disk_bytes(planned.problem, planned.parameters, planned.backend)
    needed = kept or planned.footprint.disk_bytes
    _clean_up(needed)
    if needed > (left := memory.disk_bytes_left()):
        raise OSError(errno.ENOSPC, f"{bytes_text(needed)} are needed, and runs may take {bytes_text(left)}")
    place.mkdir(parents=True)
    arrays: dict[str, Any] = {}

    def put(array: Any) -> str:
        arrays[str(len(arrays))] = array
        return str(len(arrays) - 1)

    checkpoint_files.write(place / PROBLEM, {"problem": serialization.encode(planned.problem, put)}, arrays)
    _write_manifest(
        place,
        {
            "format": FORMAT,
            "version": program(),
            "method": planned.method.id,
            "backend": planned.backend,
            "device": planned.device_name,
            "parameters": dict(planned.parameters),
            "digest": serialization.digest(planned.problem),
            "title": getattr(planned.problem, "title", ""),
            "size": getattr(planned.problem, "size", ""),
            "started": datetime.now(UTC).isoformat(),
            "owner": _owner(),
        },
    )


def _clean_up(needed: int) -> None:
    """Remove what is old or, with a new run that needs so many bytes, too much; and what was never finished."""
    taken, limit = needed, memory.disk_limit()
    for number, run in enumerate(run for run in runs() if not run.running):
        taken += run.nbytes
        if number >= MOST_RUNS - 1 or taken > limit or datetime.now(UTC) - run.saved > MOST_AGE:
            discard(run)
    for path in _folders():
        with contextlib.suppress(OSError):
            allowed_s = MOST_AGE.total_seconds() if (path / MANIFEST).exists() else ELSEWHERE_S
            if _read(path) is None and time.time() - path.stat().st_mtime > allowed_s:
                _remove(path)


def _folders() -> list[Path]:
    try:
        return [path for path in folder().iterdir() if path.is_dir()]
    except OSError:
        return []


def _read(path: Path) -> Run | None:
    """The run in a folder; None where there is none that this program knows."""
    try:
        _give_back(path)
        manifest = _manifest(path)
        if manifest["format"] != FORMAT:
            return None
        files = [(file.name, file.stat()) for file in path.iterdir()]
        saved = max(status.st_mtime for _, status in files)
        names = [name for name, _ in files if PARTS.fullmatch(name)]
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
            "running": _running(manifest["owner"], saved),
            "foreign": manifest["version"] != program(),
        }
        return made(Run, values)
    except (OSError, ValueError, KeyError, TypeError, AttributeError, OverflowError, checkpoint_files.Damaged):
        return None


def _give_back(path: Path) -> None:
    """Put the manifest of a run back that a process took away and then died."""
    if (path / MANIFEST).exists():
        return
    for file in path.iterdir():
        if (found := TAKEN.fullmatch(file.name)) and not psutil.pid_exists(int(found[1])):
            os.rename(file, path / MANIFEST)


def _manifest(path: Path) -> dict[str, Any]:
    return from_json((path / MANIFEST).read_bytes())


def _write_manifest(path: Path, manifest: Mapping[str, Any]) -> None:
    unfinished = path / f"{MANIFEST}.{uuid.uuid4().hex}"
    try:
        unfinished.write_text(json.dumps(manifest, indent=1), encoding="utf-8")
        os.replace(unfinished, path / MANIFEST)
    finally:
        unfinished.unlink(missing_ok=True)


def _owner() -> dict[str, Any]:
    """This process: a number alone may belong to another one later."""
    return {"host": platform.node(), "process": os.getpid(), "since": psutil.Process().create_time()}


def _running(owner: Mapping[str, Any] | None, saved: float) -> bool:
    if owner is None:
        return False
    if owner["host"] != platform.node():
        return time.time() - saved < ELSEWHERE_S
    try:
        process = psutil.Process(owner["process"])
        return abs(process.create_time() - owner["since"]) < 1 and process.status() != psutil.STATUS_ZOMBIE
    except psutil.Error:
        return False


def _remove(path: Path) -> None:
    """Remove a folder; the manifest first, so that no half of a run is taken for one."""
    with contextlib.suppress(OSError):
        (path / MANIFEST).unlink(missing_ok=True)
    shutil.rmtree(path, ignore_errors=True)
