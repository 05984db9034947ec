"""Rows of measurements, and how they are printed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass

from kernels.memory import bytes_text


@dataclass(frozen=True)
class Row:
    """One contender on one pair; ``ratio`` is its speed over the peer's, ``of_limit`` its share of the limit."""

    table: str
    pair: str
    contender: str
    median_s: float | None = None
    spread: float | None = None
    repeats: int = 0
    gcups: float | None = None
    ratio: float | None = None
    of_limit: float | None = None
    score: float | None = None
    peak_bytes: int | None = None
    note: str = ""

    def data(self) -> dict[str, object]:
        return asdict(self)


DISAGREEMENT = "SCORES DIFFER"
HEADINGS = ("contender", "median", "spread", "n", "GCUPS", "vs peer", "of limit", "peak", "score", "")
ALIGNED = "<>>>>>>>><"


def print_table(rows: Sequence[Row]) -> None:
    """The rows of one table, columns aligned; columns that hold nothing are left out."""
    print(f"\n{rows[0].table}: {rows[0].pair}")
    cells = [HEADINGS, *(_cells(row) for row in rows)]
    used = [column for column in range(len(HEADINGS)) if any(line[column] for line in cells[1:])]
    widths = {column: max(len(line[column]) for line in cells) for column in used}
    for line in cells:
        texts = (f"{line[column]:{ALIGNED[column]}{widths[column]}}" for column in used)
        print("  " + "  ".join(texts).rstrip(), flush=True)


def _cells(row: Row) -> tuple[str, ...]:
    return (
        row.contender,
        _time(row.median_s),
        "" if row.spread is None else f"{row.spread:.0%}",
        str(row.repeats or ""),
        "" if row.gcups is None else f"{row.gcups:,.2f}",
        "" if row.ratio is None else f"{row.ratio:.2f} x",
        "" if row.of_limit is None else f"{row.of_limit:.0%}",
        "" if row.peak_bytes is None else bytes_text(row.peak_bytes),
        "" if row.score is None else f"{row.score:,g}" if row.score % 1 else f"{int(row.score):,}",
        row.note,
    )


def _time(seconds: float | None) -> str:
    if seconds is None:
        return ""
    return f"{seconds * 1e3:.2f} ms" if seconds < 1 else f"{seconds:.2f} s"
