"""The function ``batch`` of ``import antidiag``: one method on many inputs, here or on a cluster."""

from __future__ import annotations

import importlib
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

from antidiag.interface.answer_of_result import make_answer
from antidiag.interface.inputs import as_data, parse_type
from antidiag.interface.pictures import rows_html
from antidiag.interface.runs import errors_in_python, watch_progress
from antidiag.kernels.batch_runs.batch import Batch, run_batch
from antidiag.kernels.batch_runs.batch_items import BatchItem, list_items, read_table
from antidiag.kernels.batch_runs.batch_summary import SUMMARY_COLUMNS, BatchRow
from antidiag.kernels.errors import AntidiagError, InputError
from antidiag.kernels.executors.executor_choice import ExecutorChoice

FLAGS = ("tree", "distances", "model")


@dataclass(frozen=True)
class BatchEntry:
    """One input of a batch and how its run ended.

    Attributes
    ----------
    name : str
    error : str
        "" for a run that has an answer.
    facts : mapping
        method, inputs, rows, columns, score, answer (a text), time_ms, device and notes; {} for a run that failed.
    outputs : tuple of Path
        The files that were written.
    worker : str
        Where it ran.
    """

    name: str
    error: str
    facts: Mapping[str, Any]
    outputs: tuple[Path, ...]
    worker: str
    _row: BatchRow = field(repr=False, compare=False)

    @cached_property
    def answer(self) -> Any:
        """The answer, as the function of the method returns it. Raises InputError for a run without one."""
        if self.error:
            raise InputError(f"{self.name} failed: {self.error}")
        if self._row.result is None:
            raise InputError(f"{self.name}: the answer is in {self.outputs[0]}; read it, or pass keep=True to batch")
        return make_answer(self._row.result)


class BatchAnswer(Sequence[BatchEntry]):
    """The entries of a batch, in the order of the inputs; they are found by number and by name."""

    def __init__(self, rows: Sequence[BatchRow]) -> None:
        self._rows = list(rows)
        self._entries = [_make_entry(row) for row in rows]
        self._by_name = {entry.name: entry for entry in self._entries}

    def __len__(self) -> int:
        return len(self._entries)

    def __getitem__(self, key: Any) -> Any:
        return self._by_name[key] if isinstance(key, str) else self._entries[key]

    def __iter__(self) -> Iterator[BatchEntry]:
        return iter(self._entries)

    @property
    def failed(self) -> list[BatchEntry]:
        """The entries without an answer."""
        return [entry for entry in self._entries if entry.error]

    @property
    def answers(self) -> list[Any]:
        """The answers of all entries that have one."""
        return [entry.answer for entry in self._entries if not entry.error]

    def to_pandas(self) -> Any:
        """Return the summary as a `pandas.DataFrame` (package pandas)."""
        pandas = importlib.import_module("pandas")
        return pandas.DataFrame([row.format_cells() for row in self._rows], columns=list(SUMMARY_COLUMNS))

    def __str__(self) -> str:
        width = max((len(entry.name) for entry in self._entries), default=0)
        texts = [f"{one.name:{width}}  {one.error or one.facts.get('answer', '')}" for one in self._entries]
        return "\n".join(texts)

    def __repr__(self) -> str:
        failed = f", {len(self.failed):,} failed" if self.failed else ""
        return f"<BatchAnswer: {len(self):,} runs{failed}>"

    def _repr_html_(self) -> str:
        return rows_html([(one.name, one.error or str(one.facts.get("answer", ""))) for one in self._entries])


def batch(
    method: str,
    inputs: Any = None,
    *,
    table: str | Path | None = None,
    out: str | Path | None = None,
    to: str | Sequence[str] = (),
    resume: bool = False,
    keep: bool | None = None,
    on: str = "auto",
    scheduler: str | None = None,
    scheduler_file: str | Path | None = None,
    slots: int | None = None,
    backend: str = "auto",
    device: int = 0,
    progress: bool = False,
    type: str | None = None,
    **settings: Any,
) -> BatchAnswer:
    """Run one method on many inputs, each by itself.

    Parameters
    ----------
    method : str
        An id of `methods`, or a task ("align", "msa", "tree", "distances", "fold", "viterbi"), for which each input
        gets the recommended method.
    inputs : path, list of paths, mapping of names to data, or list of data
        A run for each file, for each file in folders, or for each of the data, which are what `run` takes.
    table : path, optional
        A table instead, with a line a run: column "file", optionally "name", and options and parameters.
    out : path, optional
        A folder for results, summary.tsv, failures.tsv, and the manifest by which ``resume=True`` continues a batch.
    to : str or list of str
        The formats of the files, such as "sto"; by default the first of the method.
    keep : bool, optional
        Whether entries have their answers in memory; by default if there is no folder.
    on : {"auto", "local", "processes", "gpus", "dask"}
        Where to run: threads of this process, processes on the CPU, a process a GPU, or a Dask cluster; "auto" is dask
        if a scheduler is named, else local.
    scheduler, scheduler_file
        Address of a Dask scheduler, or the file that it wrote.
    slots : int, optional
        Tasks at a time of "local" and "processes"; by default one a processor.
    progress : bool
        Whether to draw a progress bar.
    backend, device, type, **settings
        As of `run`; ``tree=``, ``distances=`` and ``model=`` name files for methods that take one.

    Returns
    -------
    BatchAnswer
        An entry for each input; those that failed have an ``error``.

    Raises
    ------
    InputError, ParameterError
        Nothing can be run; an input that cannot be read is an entry with an error.
    BackendUnavailable
        The GPUs or the cluster cannot be had.

    Examples
    --------
    >>> import antidiag as ad
    >>> found = ad.batch("align", {"one": ["GATTACA", "GCATGCA"], "two": ["CCC", "CCC"]}, slots=1, mode="global")
    >>> [entry.answer.score for entry in found]
    [-1, 6]
    """
    items = _make_items(inputs, table, type)
    flagged = {flag: Path(settings.pop(flag)) for flag in FLAGS if isinstance(settings.get(flag), (str, os.PathLike))}
    with errors_in_python():
        planned = Batch(
            method,
            tuple(items),
            {name: value for name, value in settings.items() if value is not None},
            flagged,
            tuple(f".{one.lower().removeprefix('.')}" for one in ([to] if isinstance(to, str) else to)),
            None if out is None else Path(out),
            backend,
            device,
            str(parse_type(type) or ""),
            keep if keep is not None else out is None,
        )
        planned.check()
        choice = ExecutorChoice(on, scheduler, scheduler_file, slots)
        with watch_progress(progress) as monitor, choice.open() as executor:
            rows = {row.item.name: row for row in run_batch(planned, executor, monitor, resume)}
    return BatchAnswer([rows[item.name] for item in items])


def _make_items(inputs: Any, table: str | Path | None, type: str | None) -> list[BatchItem]:
    """Return the items of what a user passed."""
    if (inputs is None) == (table is None):
        raise InputError("pass inputs or table, one of them")
    if table is not None:
        return read_table(table)
    if isinstance(inputs, (str, os.PathLike)):
        return list_items([Path(inputs)])
    if isinstance(inputs, Mapping):
        return [BatchItem(str(name), data=_read_data(str(name), one, type)) for name, one in inputs.items()]
    listed = list(inputs)
    if all(isinstance(one, os.PathLike) or (isinstance(one, str) and os.path.exists(one)) for one in listed):
        return list_items(listed)
    return [BatchItem(f"{number}", data=_read_data(f"{number}", one, type)) for number, one in enumerate(listed, 1)]


def _read_data(name: str, given: Any, type: str | None) -> tuple[Any, ...]:
    """Return the data of one input. An error names the input."""
    try:
        found = tuple(as_data(given, type))
    except AntidiagError as error:
        raise error.__class__(f"input {name}: {error}") from error
    if not found:
        raise InputError(f"input {name} has no data; pass some, or leave it out")
    return found


def _make_entry(row: BatchRow) -> BatchEntry:
    return BatchEntry(row.item.name, row.error, dict(row.facts), row.outputs, row.worker, row)
