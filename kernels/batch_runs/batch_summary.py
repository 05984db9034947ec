"""The summary of a batch: a row for each item that ended, and the items that failed in a file of their own."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from antidiag.kernels.atomic_write import open_atomic
from antidiag.kernels.batch_runs.batch_items import BatchItem
from antidiag.kernels.errors import AntidiagError
from antidiag.kernels.executors.manifest import DONE, FAILED
from antidiag.kernels.model import Result

SUMMARY, FAILURES = "summary.tsv", "failures.tsv"
"""Files in the output folder of a batch."""
SUMMARY_COLUMNS = (
    "name", "input", "state", "method", "inputs", "rows", "columns", "score", "answer", "time_s", "worker", "device",
    "output", "notes", "error",
)  # fmt: skip


@dataclass(frozen=True)
class BatchRow:
    """How an item of a batch ended.

    ``facts`` are those of `item_runs.describe_result`; ``error`` is "" for an item that is done. ``resumed`` is whether
    it was done before this batch was continued.
    """

    item: BatchItem
    facts: Mapping[str, Any] = field(default_factory=dict)
    outputs: tuple[Path, ...] = ()
    error: str = ""
    detail: str = ""
    worker: str = ""
    result: Result | None = None
    resumed: bool = False

    @property
    def is_done(self) -> bool:
        """Return whether the item has a result."""
        return not self.error

    def format_cells(self) -> list[str]:
        """Return the row of the summary, in the order of SUMMARY_COLUMNS."""
        values = {
            **self.facts,
            "name": self.item.name,
            "input": self.item.label,
            "state": DONE if self.is_done else FAILED,
            "time_s": f"{self.facts['time_ms'] / 1e3:.4f}" if "time_ms" in self.facts else None,
            "worker": self.worker,
            "output": ";".join(map(str, self.outputs)),
            "notes": " ".join(self.facts.get("notes", ())),
            "error": self.error,
        }
        return ["" if values.get(name) is None else " ".join(str(values[name]).split()) for name in SUMMARY_COLUMNS]


def write_summary(folder: Path, rows: Sequence[BatchRow]) -> None:
    """Write the rows of a batch to SUMMARY, and those of failed items to FAILURES, which is removed if none failed.

    Raises AntidiagError for a file that cannot be written.
    """
    failed = [row for row in rows if not row.is_done]
    _write_rows(folder / SUMMARY, rows)
    if failed:
        _write_rows(folder / FAILURES, failed)
    else:
        (folder / FAILURES).unlink(missing_ok=True)


def _write_rows(path: Path, rows: Sequence[BatchRow]) -> None:
    text = io.StringIO()
    writer = csv.writer(text, delimiter="\t", lineterminator="\n")
    writer.writerow(SUMMARY_COLUMNS)
    writer.writerows(row.format_cells() for row in rows)
    try:
        with open_atomic(path) as file:
            file.write(text.getvalue().encode())
    except OSError as error:
        reason = error.strerror or error
        raise AntidiagError(f"{path}: cannot be written: {reason}; the results are in place") from error
