"""Every reader of the program, and attempts on it: a damaged file is read, or refused in our words."""

from __future__ import annotations

import importlib.util
import json
import signal
import threading
import time
import traceback
import warnings
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import Any

import numpy as np

from antidiag.app.session import archive
from antidiag.kernels import memory, user_limits
from antidiag.kernels.alignments import row_notes, row_statistics
from antidiag.kernels.errors import LONGEST_MESSAGE, AntidiagError, InputError
from antidiag.kernels.experiments.point_data import point_store, points, speedups, tables
from antidiag.kernels.experiments.rooflines import roofline
from antidiag.kernels.experiments.sweeps import sweep_records
from antidiag.kernels.graphs.files import graph_reader as graphs
from antidiag.kernels.hmm.model import hmm
from antidiag.kernels.io import aligned_sequences, distance_files, sequences, tree_files
from antidiag.kernels.machine import measured_rates, tuned_values
from antidiag.kernels.matrix_files import matrix_from_file
from antidiag.kernels.products import matrix as products
from antidiag.kernels.profiles import profile_files as profiles
from antidiag.kernels.recovery import checkpoint_files, interrupted_runs
from antidiag.kernels.registry import data_loading, lectures
from tests.attack.corpus import ALIGNMENT, corpus
from tests.attack.mutation import mutate

LIMIT_S = 20.0
"""Processor time for one file; a real one of this size takes milliseconds."""
PATIENCE = 10
"""How many times as long a reader may wait: for a busy machine, or for what never comes."""
ROOM = 2**28
"""Bytes of memory that the program believes to be free, so that a file which announces much is refused."""


def _session(path: Path) -> None:
    """A session that opens can be used and saved; another is refused by an InputError, which the window expects."""
    try:
        state, entries, settings, edits = archive.load(path)
    except InputError:
        raise
    except AntidiagError as error:
        raise AssertionError(f"refused by {type(error).__name__}: {error}") from error
    for taken in (taken for entry in entries for taken in _problem_type(entry).inputs):
        state.given(taken)
    for number in edits:
        assert state.data[number] is not None
    for entry in entries:
        assert entry.result.gcups is not None
        json.dumps([entry.options, entry.parameters])
    archive.save(path.with_suffix(".again"), state, entries, settings, edits)


def _problem_type(entry: Any) -> Any:
    from antidiag.kernels import registry

    return registry.find_method(entry.result.method).problem_type


def _sweep(path: Path) -> None:
    """The points of a file in tables and with speedups, and the sweep that they belong to."""
    kept = point_store.read_points(path)
    assert sweep_records.stored_title(kept) is not None
    for point in kept.newest_points:
        for quantity in (*points.QUANTITIES, *point.models):
            point.median_value(quantity)
        assert point.phase_spreads is not None
        json.dumps(point.to_json(), allow_nan=True)
    if kept.points:
        tables.to_csv(tables.full_table(kept.newest_points, None))
        tables.to_markdown(tables.summary_table(kept.newest_points, "title", None))
        speedups.parse_baseline("method")
    sweep_records.sweep_from_json(kept.sweep).make_tasks()


def _run(path: Path) -> None:
    """The folder of an interrupted run in which one file is damaged."""
    folder = path.parent / "run"
    folder.mkdir(exist_ok=True)
    for name, content in corpus().items():
        if name.startswith("2026") or name in RUN_FILES:
            (folder / Path(name).name).write_bytes(content)
    (folder / path.name).write_bytes(path.read_bytes())
    run = interrupted_runs._read_run(folder)
    if run is not None:
        assert run.problem() is not None and f"{run.fraction:.0%} {run.started:%Y} {run.title} {run.size}"
    for part in folder.glob("part-*"):
        try:
            checkpoint_files.read_checkpoint(part)
            checkpoint_files.read_facts(part)
        except checkpoint_files.DamagedCheckpoint:
            continue


RUN_FILES = ("run.json", "problem", "part-000000")


@contextmanager
def _kept_at(module: Any, name: str, path: Path) -> Iterator[None]:
    """Let a module find what it keeps in this file."""
    before = getattr(module, name)
    setattr(module, name, lambda: path)
    try:
        yield
    finally:
        setattr(module, name, before)


def _rates(path: Path) -> None:
    from antidiag.kernels import registry

    with _kept_at(measured_rates, "_rates_path", path):
        method = registry.METHODS[0]
        assert measured_rates.estimate_gcups(method, "cpu", "a device", 1e6) > 0
        list(measured_rates._read_runs().points.items())


def _tuned(path: Path) -> None:
    from antidiag.kernels import registry

    with _kept_at(tuned_values, "_tuned_path", path):
        for one in tuned_values.read_tuned():
            assert one.format_text() and one.size_distance(1000) >= 0
        for method in registry.METHODS[:3]:
            tuned_values.find_tuned(method, "cpu", "a device", 10_000)


def _roofline(path: Path) -> None:
    with _kept_at(roofline, "_store_path", path):
        for key in roofline._read_store():
            backend, _, device = key.partition("/")
            if found := roofline.stored_roofline(backend, device):
                assert 1 / found.operations_per_s + 1 / found.bytes_per_s > 0


def _limits(path: Path) -> None:
    with _kept_at(user_limits, "_limit_path", path):
        assert memory.disk_limit() >= 0 and memory.unpacked_limit() >= 0


def _table(path: Path) -> None:
    """A table beside an alignment whose rows it may name, and the rows sorted by what it says."""
    (alignment,) = aligned_sequences.read_alignments(ALIGNMENT)
    table = row_notes.read_note_table(path)
    alignment, _ = row_notes.add_note_table(alignment, table, str(path))
    order = np.arange(len(alignment.names))
    for tag in row_notes.note_tags(alignment)[:MOST_TAGS]:
        assert sorted(row_notes.sort_rows_by_note(alignment, order, tag)) == order.tolist()


MOST_TAGS = 3
"""Columns of a table by which rows are sorted."""


WITH_QT = ("colours",)
"""Readers that need Qt; where that is not installed, their files are read as any other."""


def without_qt() -> bool:
    """Whether Qt is not installed."""
    return importlib.util.find_spec("PySide6") is None


def _colours(path: Path) -> None:
    from antidiag.app.views.aligned.colouring import schemes

    schemes.colour_groups(schemes.read_groups(path))


def _alignments(path: Path) -> list[Any]:
    """The alignments of a file, which can be sorted and taken apart."""
    found = aligned_sequences.read_alignments(path)
    for alignment in found[:MOST_TAGS]:
        row_statistics.sort_rows(alignment, np.arange(len(alignment.names)), "name")
        aligned_sequences.unaligned_sequences(alignment)
    return found


def _pasted(path: Path) -> list[Any]:
    """The text of a file as somebody could paste it, with halves of letters."""
    return data_loading.parse_text(path.read_bytes().decode("utf-8", "surrogateescape"))


def _told(read: Callable[[Path], list[Any]]) -> Callable[[Path], None]:
    """A reader of data, all of which can say what they are in UTF-8."""

    def reader(path: Path) -> None:
        for datum in read(path):
            f"{datum.name} {datum.summary} {datum.note}".encode()

    return reader


READERS: Mapping[str, Callable[[Path], None]] = {
    "any": _told(data_loading.read_data),
    "pasted": _told(_pasted),
    "sequences": _told(sequences.read_sequences),
    "distances": _told(distance_files.read_distances),
    "trees": _told(tree_files.read_trees),
    "graph": _told(graphs.read_graph),
    "model": _told(hmm.read_hmm),
    "alignment": _told(_alignments),
    "profile": _told(profiles.read_profile),
    "product": _told(products.read_matrix),
    "table": _table,
    "colours": _colours,
    "lecture": lambda path: lectures.read_lecture(path).title and None,
    "matrix": lambda path: matrix_from_file(path).translation and None,
    "session": _session,
    "sweep": _sweep,
    "run": _run,
    "rates": _rates,
    "tuned": _tuned,
    "roofline": _roofline,
    "limits": _limits,
}

_ROWS = ("alignment", "alignment", "sequences")
OWN: Mapping[str, tuple[str, ...]] = {
    ".csv": ("graph",), ".tsv": ("graph",), ".mtx": ("graph",), ".graphml": ("graph",), ".phy": ("distances", "graph"),
    ".dist": ("distances",), ".npy": ("distances",), ".names": ("names",), ".nwk": ("trees",), ".nex": ("trees",),
    ".json": ("model",), ".mat": ("matrix",), ".antidiag": ("session",), ".jsonl": ("sweep",), ".table": ("table",),
    ".colours": ("colours",), ".xml": ("alignment",), ".a3m": ("alignment",),
    ".a2m": ("alignment",), ".ffdata": ("alignment",), ".sam": ("alignment",), ".paf": ("alignment",),
    ".axt": ("alignment",), ".needle": ("alignment",),
    ".pir": ("alignment",), ".maf": _ROWS, ".msf": _ROWS, ".aln": _ROWS, ".sto": _ROWS, ".afa": _ROWS,
    ".phylip": _ROWS, ".nexus": _ROWS, ".nxs": _ROWS, ".nhx": ("trees",), ".phyloxml": ("trees",), ".nexml": ("trees",),
    ".gml": ("graph",), ".net": ("graph",), ".edgelist": ("graph", "distances"), ".hmm": ("profile", "model"),
}  # fmt: skip
"""Readers of files by suffix, beside the one that takes any file; sequences where nothing is said."""
OF_NAME = {
    "rates.json": "rates",
    "table-distances.tsv": "distances",
    "nexus-distances.nex": "distances",
    "mega-distances.meg": "distances",
    "tuned.json": "tuned",
    "rooflines.json": "roofline",
    "parttree.json": "lecture",
    "profile.csv": "profile",
    "profile.json": "profile",
    "three.matrix.csv": "product",
    "by-clustalw.phy": "alignment",
    "by-emboss.phy": "alignment",
    "by-emboss-sequential.phy": "alignment",
    "by-emboss.nex": "alignment",
    "by-emboss-sequential.nex": "alignment",
    **dict.fromkeys(RUN_FILES, "run"),
}
APART = ("names", "run")
"""Readers that need more files than the one."""


def readers_of(name: str) -> tuple[str, ...]:
    """The readers that a file of this name is for."""
    base = Path(name).name
    if base in OF_NAME:
        return (OF_NAME[base],)
    path = Path(base.removesuffix(".gz"))
    return OWN.get(path.suffix, ("sequences",))


class Hangs(BaseException):
    """A reader took longer than it may."""


@contextmanager
def within(seconds: float) -> Iterator[None]:
    """Hangs where what is inside takes more processor time; it can be interrupted between two steps of Python alone.

    While Numba compiles, once for all files, the time begins again. Waiting ends after ``PATIENCE`` times as long.
    """
    if threading.current_thread() is not threading.main_thread() or not hasattr(signal, "setitimer"):
        yield
        return

    begun, alarms = time.process_time(), 0

    def stop(signum: int, frame: FrameType | None) -> None:
        nonlocal begun, alarms
        alarms += 1
        if _is_compiling(frame):
            begun, alarms = time.process_time(), 0
        elif time.process_time() - begun >= seconds or alarms >= PATIENCE:
            raise Hangs(f"more than {seconds:g} s")

    before = signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, seconds, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def _is_compiling(frame: FrameType | None) -> bool:
    while frame is not None:
        if "numba" in Path(frame.f_code.co_filename).parts:
            return True
        frame = frame.f_back
    return False


def attempt(reader: str, path: Path, limit_s: float = LIMIT_S) -> str:
    """Have a reader read a file: "" where it did or refused in an error of ours, else what went wrong."""
    free = memory.host_bytes_free
    memory.host_bytes_free = lambda: ROOM
    try:
        with within(limit_s), warnings.catch_warnings():
            warnings.simplefilter("error")
            READERS[reader](path)
    except AntidiagError as error:
        text = str(error)
        return (
            ""
            if text and "\n" not in text and len(text) <= LONGEST_MESSAGE
            else f"an error that nobody reads: {text[:300]!r}"
        )
    except (Exception, Hangs) as error:
        return "".join(traceback.format_exception(error)[-3:])
    finally:
        memory.host_bytes_free = free
    return ""


def case(seed: int, number: int) -> tuple[str, str, bytes]:
    """The damaged file of a number: the name of the real one, the reader that shall read it, and its bytes."""
    random = np.random.default_rng([seed, number])
    names = sorted(corpus())
    name = names[int(random.integers(len(names)))]
    own, choice = readers_of(name), random.random()
    every = tuple(READERS)
    reader = own[int(random.integers(len(own)))] if choice < 0.7 else "any"
    if choice > 0.9:
        reader = every[int(random.integers(len(every)))]
    return name, reader, mutate(corpus()[name], random)


def attack(seed: int, number: int, folder: Path, limit_s: float = LIMIT_S) -> str:
    """Read the damaged file of a number in a folder; "" or what was found, with what repeats it."""
    name, reader, data = case(seed, number)
    if reader in WITH_QT and without_qt():
        reader = "any"
    path = folder / Path(name).name
    if reader == "names":
        (folder / "three.npy").write_bytes(corpus()["three.npy"])
        path, reader = folder / "three.npy", "distances"
        (folder / "three.names").write_bytes(data)
    else:
        path.write_bytes(data)
    found = attempt(reader, path, limit_s)
    again = f"python -m tests.attack.readers --seed {seed} --only {number}"
    return f"{name} by {reader}; {again}\n{found}" if found else ""


def main() -> int:
    """Attack for some time, or one number again; what was found, each kind once."""
    import argparse
    import tempfile
    import time
    from collections import Counter

    parser = argparse.ArgumentParser(description="Damage real files, and read them.")
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--only", type=int)
    options = parser.parse_args()
    seen: Counter[str] = Counter()
    count, end = 0, time.monotonic() + options.seconds
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        if options.only is not None:
            found = attack(options.seed, options.only, folder)
            print(found or "nothing found")
            return bool(found)
        while time.monotonic() < end:
            for left in folder.iterdir():
                if left.is_file():
                    left.unlink()
            if found := attack(options.seed, count, folder):
                kind = "\n".join(found.split("\n")[-3:])
                seen[kind] += 1
                if seen[kind] == 1:
                    print(found, flush=True)
            count += 1
    print(f"{count:,} damaged files, {sum(seen.values()):,} findings of {len(seen)} kinds")
    return bool(seen)


if __name__ == "__main__":
    raise SystemExit(main())
