"""Published tables and figures of the papers, as data.

They are a TOML file for each paper in resources/papers, and a CSV file for each of its tables. A family adds its paper
by adding such files.
"""

from __future__ import annotations

import csv
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path
from typing import Any

from antidiag.kernels import RESOURCES
from antidiag.kernels.errors import InputError, ParameterError
from antidiag.kernels.experiments.papers import quantities
from antidiag.kernels.experiments.sweeps.sweep_inputs import Generated
from antidiag.kernels.model import SequenceType

FOLDER = RESOURCES / "papers"
MILLISECONDS = {"ms": 1.0, "s": 1000.0}
PERCENT = "%"
MEAN, MAXIMUM = STATISTICS = ("mean", "maximum")
"""What a number over several lengths is; the length of such a number lists them, as in ``64;128``."""
FIXED = ("method", "statistic", "quantity", "value", "note", "panel")
"""Columns of the CSV files that are no axes; all others are."""


@dataclass(frozen=True, slots=True)
class PublishedNumber:
    """One published number: of which contender, at which place, of which quantity; None where the paper has none.

    ``statistic`` is "" for a number of one run, else one of STATISTICS over a run for each length. ``panel`` names the
    part of a figure where no axis or note does.
    """

    contender: str
    coordinates: Mapping[str, str]
    quantity: str
    value: float | None
    note: str = ""
    statistic: str = ""
    panel: str = ""

    @property
    def run_place(self) -> tuple[str, tuple[tuple[str, str], ...]]:
        """Contender and coordinates: numbers of one place are quantities of one run."""
        return self.contender, tuple(self.coordinates.items())

    @property
    def single_runs(self) -> tuple[PublishedNumber, ...]:
        """The runs of which this is a statistic, one for each length; the number itself if it is of one run."""
        if not self.statistic:
            return (self,)
        lengths = self.coordinates["length"].split(";")
        return tuple(
            replace(self, coordinates={**self.coordinates, "length": length}, statistic="") for length in lengths
        )


@dataclass(frozen=True)
class PaperTable:
    """A table or figure of a paper, with its numbers in the paper's ``unit``.

    ``scale`` is the factor of the lengths of a quick run, or of what else ``scaled`` names, and ``power`` the power of
    it with which time grows; parameters that ``along`` names are scaled with it. ``parameters`` are given to those
    methods that have them.
    ``plot`` says how the paper draws it: the names on ``x`` and ``y``, what determines the ``colour`` (a name, or
    several) and its panels (``panel``) apart, what a length is (``scaled``) where it is no length, and whether the axes
    are ``logarithmic`` ("x" for the horizontal one alone). Numbers over a ``baseline`` are speed-ups over that method.
    For times, ``beside`` names a method or peer to which the speed-up is shown. ``parts`` are the quantities of a table
    in percent: the phases of each, and all of them together are 100.
    """

    id: str
    title: str
    citation: str
    hardware: str
    unit: str
    inputs: Generated
    published: tuple[PublishedNumber, ...]
    scale: float = 1.0
    scaled: str = "length"
    along: tuple[str, ...] = ()
    power: float = 2.0
    options: Mapping[str, Any] = field(default_factory=dict)
    parameters: Mapping[str, Any] = field(default_factory=dict)
    plot: Mapping[str, Any] = field(default_factory=dict)
    remarks: tuple[str, ...] = ()
    baseline: str = ""
    beside: str = ""
    parts: Mapping[str, Sequence[str]] = field(default_factory=dict)

    @property
    def scaled_text(self) -> str:
        """What a quick run has less of, in the words of the figure where the name of the axis does not say it."""
        return self.plot.get("scaled", self.scaled)

    @property
    def counts_transfers(self) -> bool:
        """Whether a quantity of the table counts transfers between host and GPU."""
        phases = [phase for part in self.parts.values() for phase in part]
        return any(map(quantities.counts_transfers, [*phases, *(number.quantity for number in self.published)]))

    @property
    def axis_names(self) -> tuple[str, ...]:
        """The names of the coordinates, in the order of the columns."""
        return tuple(dict.fromkeys(name for number in self.published for name in number.coordinates))


@cache
def paper_tables() -> tuple[PaperTable, ...]:
    """Return all tables of all papers in the order of their files; raise InputError for an invalid file."""
    return tuple(table for path in sorted(FOLDER.glob("*.toml")) for table in _read_paper(path))


def find_tables(ids: Iterable[str]) -> tuple[PaperTable, ...]:
    """Return the tables with these identifiers or of these papers, all for none; raise ParameterError if unknown."""
    wanted = list(ids)
    found = {
        table.id: table
        for name in wanted
        for table in paper_tables()
        if name == table.id or name == table.id.split("-")[0]
    }
    for name in wanted:
        if not any(name in (table_id, table_id.split("-")[0]) for table_id in found):
            raise ParameterError(
                f"there is no table {name!r}; there are: {', '.join(table.id for table in paper_tables())}"
            )
    return tuple(found.values()) if wanted else paper_tables()


def _read_paper(path: Path) -> Iterable[PaperTable]:
    try:
        data = tomllib.loads(path.read_text(encoding="utf-8"))
        for table in data["table"]:
            yield _make_table(path, data, table)
    except (OSError, tomllib.TOMLDecodeError, KeyError, TypeError, ValueError) as error:
        raise InputError(f"{path}: not a description of a paper's tables: {error!r}") from error


def _make_table(path: Path, paper: Mapping[str, Any], table: Mapping[str, Any]) -> PaperTable:
    merged = {**paper, **table}
    source = {**paper.get("input", {}), **table.get("input", {})}
    if "type" in source:
        source["type"] = SequenceType(source["type"])
    remarks = (paper.get("remark"), table.get("remark"))
    return PaperTable(
        id=table["id"],
        title=table["title"],
        citation=merged["citation"],
        hardware=merged["hardware"],
        unit=merged["unit"],
        inputs=Generated(**source),
        published=_read_numbers(path.parent / merged.get("published", f"{table['id']}.csv")),
        scale=merged.get("quick", 1.0),
        scaled=merged.get("quick_of", "length"),
        along=tuple(merged.get("quick_along", ())),
        power=merged.get("power", 2.0),
        options=merged.get("options", {}),
        parameters=table.get("parameters", {}),
        plot=table.get("plot", {}),
        remarks=tuple(remark for remark in remarks if remark),
        baseline=table.get("baseline", ""),
        beside=table.get("beside", ""),
        parts=table.get("parts", {}),
    )


def _read_numbers(path: Path) -> tuple[PublishedNumber, ...]:
    with open(path, encoding="utf-8", newline="") as lines:
        return tuple(_make_number(row) for row in csv.DictReader(lines))


def _make_number(row: Mapping[str, str]) -> PublishedNumber:
    """Return the number of a row; raise ValueError if it has several lengths and no statistic, or the reverse."""
    coordinates = {name: value for name, value in row.items() if name not in FIXED and value}
    statistic = row.get("statistic", "")
    if statistic not in ("", *STATISTICS) or bool(statistic) != (";" in coordinates.get("length", "")):
        raise ValueError(f"statistic {statistic!r} of length {coordinates.get('length')!r}")
    value = float(row["value"]) if row["value"] else None
    words = row["note"], statistic, row.get("panel", "")
    return PublishedNumber(row["method"], coordinates, row["quantity"], value, *words)
