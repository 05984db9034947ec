"""Running of a batch: small items grouped, large ones first, results written as they come, and a summary at the end."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

from antidiag.kernels.atomic_write import open_atomic
from antidiag.kernels.batch_runs.batch_items import BatchItem
from antidiag.kernels.batch_runs.batch_messages import pack_file, pack_item, plain_settings, setting_files
from antidiag.kernels.batch_runs.batch_summary import BatchRow, write_summary
from antidiag.kernels.batch_runs.item_runs import (
    FLAGGED_FILE,
    RUN_GROUP,
    find_usual_method,
    parse_type,
    split_settings,
    unpack_result,
)
from antidiag.kernels.errors import InputError, ParameterError
from antidiag.kernels.executors.executor import Executor
from antidiag.kernels.executors.manifest import DONE, FAILED, ManifestEntry, TaskManifest
from antidiag.kernels.executors.tasks import Task, TaskOutcome
from antidiag.kernels.monitor import CancelOnlyMonitor, Monitor
from antidiag.kernels.recovery.interrupted_runs import program_version
from antidiag.kernels.registry import result_saving
from antidiag.kernels.registry.task_methods import TASKS

MANIFEST = "batch-manifest.jsonl"
"""The manifest in the output folder of a batch."""
GROUP_COST = (32 << 10) ** 2
"""Cost of a task up to which small items are grouped: the square of 32 KiB of input, of the order of a second."""
GROUP_ITEMS = 32
"""Most items of a task."""
TASKS_PER_SLOT = 8
"""Tasks that a batch has at least for each slot, so that all slots end at the same time."""


@dataclass(frozen=True)
class Batch:
    """One method on many items.

    Fields
    ------
    method
        Id of a method, or a task ("msa", "align", "tree", "distances", "fold", "viterbi"), for which each item gets the
        recommended method.
    items
        What it runs on.
    settings
        Options and parameters by name; texts are read as on the command line.
    flagged
        Files of inputs with a flag, such as "tree", for all items.
    suffixes
        Formats in which results are written to ``folder``; by default the first of the method.
    folder
        Folder of results, manifest and summary; None to keep results in memory only.
    backend, device, type
        As of a single run; ``type`` is that of all sequences, "" to guess it.
    keeps_results
        Whether rows have the results themselves.
    """

    method: str
    items: tuple[BatchItem, ...]
    settings: Mapping[str, Any] = field(default_factory=dict)
    flagged: Mapping[str, Path] = field(default_factory=dict)
    suffixes: tuple[str, ...] = ()
    folder: Path | None = None
    backend: str = "auto"
    device: int = 0
    type: str = ""
    keeps_results: bool = False

    def check(self) -> None:
        """Raise ParameterError or InputError for settings, formats and folders with which no item could run."""
        method = find_usual_method(self.method)
        parse_type(self.type)
        if self.backend not in ("auto", "cpu", "cuda"):
            raise ParameterError(f"backend must be auto, cpu or cuda; got {self.backend!r}")
        for settings in (self.settings, *(item.settings for item in self.items if item.settings)):
            if self.method not in TASKS:
                split_settings(method, {**self.settings, **settings})
        for suffix in self.suffixes:
            result_saving.check_suffix("--to", method, suffix)
        known = [taken.flag for taken in method.problem_type.inputs if taken.flag]
        if unknown := [flag for flag in self.flagged if flag not in known]:
            raise ParameterError(f"--{unknown[0]} does not belong to {method.id}; remove it")
        for item in self.items:
            if self.folder is not None and (same := [one for one in self.outputs(item) if one in item.files]):
                raise InputError(f"{same[0]}: this input file would be overwritten; choose another folder")

    @property
    def formats(self) -> tuple[str, ...]:
        """The suffixes of the files that are written; none without a folder."""
        if self.folder is None:
            return ()
        return self.suffixes or (next(iter(result_saving.result_suffixes(find_usual_method(self.method)))),)

    def outputs(self, item: BatchItem) -> list[Path]:
        """Return the files of an item's result."""
        return [] if self.folder is None else [self.folder / f"{item.name}{suffix}" for suffix in self.formats]

    def describe(self) -> Mapping[str, Any]:
        """Return what must be equal for a batch to be continued."""
        return {
            "version": program_version(),
            "method": self.method,
            "settings": {name: repr(value) for name, value in sorted(self.settings.items())},
            "flagged": {flag: BatchItem("", (Path(path),)).digest() for flag, path in sorted(self.flagged.items())},
            "formats": list(self.formats),
            "type": self.type,
        }


@dataclass
class BatchProgress:
    """How many items of a batch are done, failed, and were done before; another thread may read it."""

    total: int = 0
    done: int = 0
    failed: int = 0
    resumed: int = 0

    def describe(self, executor: Executor) -> str:
        """Return the progress in words: "12 of 40 done, 1 failed, 4 tasks running on 2 workers"."""
        counts = executor.counts
        parts = [f"{self.done:,} of {self.total:,} done"]
        parts += [f"{self.failed:,} failed"] if self.failed else []
        running = f"{counts.running:,} {'task' if counts.running == 1 else 'tasks'} running"
        workers = f" on {len(counts.by_worker):,} workers" if len(counts.by_worker) > 1 else ""
        parts += [f"{running}{workers}"] if counts.running else []
        return ", ".join(parts)


def run_batch(
    batch: Batch, executor: Executor, monitor: Monitor | None = None, resume: bool = False
) -> Iterator[BatchRow]:
    """Run a batch and yield a row for each item as it ends, those of an earlier run first.

    Results are written to the folder of the batch as they come, with the manifest by which ``resume`` continues an
    interrupted batch; items that failed are tried again then. The summary is written at the end, also of a batch that
    was cancelled.

    Raises
    ------
    ParameterError, InputError
        Nothing can be run: a setting, the folder, or a manifest of another batch.
    Cancelled, ExecutorLost, ForeignWorker
        What has ended is kept.
    """
    batch.check()
    monitor = monitor or Monitor()
    rows: dict[str, BatchRow] = {}
    with ExitStack() as stack:
        manifest = None
        if batch.folder is not None:
            _make_folder(batch.folder)
            manifest = stack.enter_context(TaskManifest(batch.folder / MANIFEST, batch.describe(), resume))
            stack.callback(_write_ended, batch, rows)
        run = _BatchRun(batch, executor, monitor, manifest)
        for row in run.rows():
            rows[row.item.name] = row
            yield row


class _BatchRun:
    """A batch that runs: its progress, and its manifest if it has a folder."""

    def __init__(self, batch: Batch, executor: Executor, monitor: Monitor, manifest: TaskManifest | None) -> None:
        self._batch, self._executor, self._manifest = batch, executor, manifest
        self._progress = BatchProgress(len(batch.items))
        self._monitor = _ItemMonitor(monitor, self._progress, executor)
        self._digests: dict[str, str] = {}
        options = find_usual_method(batch.method).problem_type.options
        self._text_options = [option.name for option in options if option.kind == "text"]
        self._by_name = {item.name: item for item in batch.items}

    def rows(self) -> Iterator[BatchRow]:
        """Yield the rows of all items; items that failed in a group, or whose group failed, run again alone."""
        waiting = []
        for item in self._batch.items:
            self._monitor.update(0, 1)
            row = self._find_finished(item)
            if row is None:
                waiting.append(item)
                continue
            self._progress.done, self._progress.resumed = self._progress.done + 1, self._progress.resumed + 1
            yield row
        alone: list[BatchItem] = []
        yield from self._run_groups(group_items(waiting, self._executor.slots), alone)
        if alone:
            yield from self._run_groups([[item] for item in alone], [])

    def _run_groups(self, groups: Sequence[Sequence[BatchItem]], alone: list[BatchItem]) -> Iterator[BatchRow]:
        """Yield the rows of items that are run in groups; append those that are to run alone."""
        for outcome in self._executor.map(map(self._make_task, groups), self._monitor):
            yield from self._end_task(outcome, alone)

    def _end_task(self, outcome: TaskOutcome, alone: list[BatchItem]) -> Iterator[BatchRow]:
        """Yield the rows of the items of a task; append those that are to run alone."""
        items = [self._by_name[name] for name in outcome.task.key.split("\n")]
        if not outcome.is_done and len(items) > 1:
            alone += items
            return
        if not outcome.is_done:
            yield self._record(BatchRow(items[0], error=outcome.error, detail=outcome.detail, worker=outcome.worker))
            return
        for item, ended in zip(items, outcome.value, strict=True):
            if "error" not in ended:
                yield self._record(self._save(item, ended, outcome.worker))
            elif ended["repeats"]:
                yield self._record(BatchRow(item, error=ended["error"], worker=outcome.worker))
            else:
                alone.append(item)

    def _save(self, item: BatchItem, ended: Mapping[str, Any], worker: str) -> BatchRow:
        """Write the files of an item's result and return its row; a file that cannot be written makes it fail."""
        outputs = self._batch.outputs(item)
        try:
            for path in outputs:
                path.parent.mkdir(parents=True, exist_ok=True)
                with open_atomic(path) as file:
                    file.write(ended["files"][path.name[len(Path(item.name).name) :]])
        except OSError as error:
            return BatchRow(item, error=f"{error.filename or item.name}: cannot be written: {error.strerror or error}")
        result = unpack_result(ended["result"]) if "result" in ended else None
        return BatchRow(item, dict(ended["facts"]), tuple(outputs), worker=worker, result=result)

    def _record(self, row: BatchRow) -> BatchRow:
        """Count a row that ended and write it to the manifest."""
        self._progress.done += row.is_done
        self._progress.failed += not row.is_done
        if self._manifest is not None:
            sizes = [path.stat().st_size for path in row.outputs]
            facts = {**row.facts, "notes": list(row.facts.get("notes", ()))}
            answer = {"facts": facts, "sizes": sizes, "error": row.error, "worker": row.worker}
            state, digest = (DONE if row.is_done else FAILED), self._digests.pop(row.item.name, "")
            self._manifest.record(ManifestEntry(row.item.name, digest, state, answer))
        return row

    def _find_finished(self, item: BatchItem) -> BatchRow | None:
        """Return the row of an item that an earlier run has done, unless its input or its files have changed since."""
        entry = self._manifest.entries.get(item.name) if self._manifest is not None else None
        if entry is None or entry.state != DONE or _try_digest(item) != entry.digest:
            return None
        outputs = self._batch.outputs(item)
        sizes = [path.stat().st_size if path.is_file() else None for path in outputs]
        if sizes != entry.answer["sizes"]:
            return None
        return BatchRow(item, entry.answer["facts"], tuple(outputs), worker=entry.answer["worker"], resumed=True)

    def _make_task(self, items: Sequence[BatchItem]) -> Task:
        """Return the task of a group of items; their files are read when it starts."""
        key = "\n".join(item.name for item in items)
        return Task(key, RUN_GROUP, partial(self._load_arguments, items), cost=sum(map(_item_cost, items)))

    def _load_arguments(self, items: Sequence[BatchItem]) -> Mapping[str, Any]:
        batch, sends = self._batch, not self._executor.reads_files
        if self._manifest is not None:
            self._digests.update((item.name, _try_digest(item)) for item in items)
        files = {f"{FLAGGED_FILE}{flag}": pack_file(Path(path), sends) for flag, path in batch.flagged.items()}
        return {
            "batch": {
                "method": batch.method,
                "settings": plain_settings(batch.settings),
                "files": {**files, **setting_files(batch.settings, self._text_options, sends)},
                "suffixes": list(batch.formats),
                "backend": batch.backend,
                "device": batch.device,
                "type": batch.type,
                "keeps_results": batch.keeps_results,
            },
            "items": [pack_item(item, self._text_options, sends) for item in items],
        }


class _ItemMonitor(CancelOnlyMonitor):
    """Reports the items of a batch where an executor reports tasks."""

    def __init__(self, whole: Monitor, progress: BatchProgress, executor: Executor) -> None:
        super().__init__(whole)
        self._progress, self._executor = progress, executor

    def update(self, done: int, total: int, phase: str = "") -> None:
        """Report the items that have ended."""
        progress = self._progress
        self._source.update(progress.done + progress.failed, progress.total, progress.describe(self._executor))


def group_items(items: Sequence[BatchItem], slots: int) -> list[list[BatchItem]]:
    """Return items in groups: large ones alone, small ones together, at least `TASKS_PER_SLOT` groups a slot."""
    most = min(max(len(items) // (TASKS_PER_SLOT * slots), 1), GROUP_ITEMS)
    groups: list[list[BatchItem]] = []
    cost = 0.0
    for own, item in sorted(((_item_cost(item), item) for item in items), key=lambda one: -one[0]):
        if groups and len(groups[-1]) < most and cost + own <= GROUP_COST:
            groups[-1].append(item)
            cost += own
        else:
            groups.append([item])
            cost = own
    return groups


def _item_cost(item: BatchItem) -> float:
    """Return the expected cost of an item: the square of its bytes, as of methods that compare all with all."""
    return float(max(item.count_bytes(), 1)) ** 2


def _try_digest(item: BatchItem) -> str:
    """Return the digest of an item; "" for files that cannot be read, whose run says why."""
    try:
        return item.digest()
    except OSError:
        return ""


def _make_folder(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(f"{folder}: this folder cannot be made: {error.strerror or error}; choose another") from error
    if not os.access(folder, os.W_OK):
        raise InputError(f"{folder}: no permission to write there; choose another folder")


def _write_ended(batch: Batch, rows: Mapping[str, BatchRow]) -> None:
    """Write the summary of the items that have ended, in the order of the batch."""
    assert batch.folder is not None
    write_summary(batch.folder, [rows[item.name] for item in batch.items if item.name in rows])
