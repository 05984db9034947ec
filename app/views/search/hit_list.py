"""The hits of one query as columns: what a table shows of each, and their order after sorting and filtering. No Qt."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from antidiag.kernels.errors import ParameterError
from antidiag.kernels.model import Sequence
from antidiag.kernels.monitor import Monitor
from antidiag.kernels.pairwise.search.answer import SearchAnswer
from antidiag.kernels.pairwise.search.hit_measures import HitMeasures
from antidiag.kernels.pairwise.search.problem import SearchProblem
from antidiag.kernels.text import parse_real

DASH = "\u2013"
BATCH = 1 << 14
"""Names that are compared between two checks for cancelling."""


@dataclass(frozen=True, eq=False)
class HitList:
    """The hits of one query, ``first`` .. first + count - 1 of the answer, the best first.

    ``measures`` are counts of all hits of the answer, None until they are computed or where hits are not aligned.
    """

    problem: SearchProblem
    answer: SearchAnswer
    query_number: int
    measures: HitMeasures | None = None

    @cached_property
    def span(self) -> slice:
        """The hits of the query among those of the answer."""
        hits = self.answer.hits_of_query(self.query_number)
        return slice(hits.start, hits.stop)

    @property
    def count(self) -> int:
        """Number of hits of the query."""
        return self.span.stop - self.span.start

    @property
    def query(self) -> Sequence:
        """The query as given."""
        return self.problem.queries[self.query_number]

    def subject(self, row: int) -> Sequence:
        """Return the sequence of a hit."""
        return self.answer.subjects[int(self.answer.subject[self.span.start + row])]

    @property
    def scores(self) -> np.ndarray:
        """Scores in the units of the matrix."""
        return self.answer.scores[self.span] / self.problem.scoring.scale

    @property
    def evalues(self) -> np.ndarray:
        """E-values, float64."""
        return self.answer.evalues[self.span]

    @property
    def bits(self) -> np.ndarray:
        """Bit scores, float64."""
        return self.answer.bits[self.span]

    @property
    def reverse(self) -> np.ndarray:
        """Whether the reverse complement of the query was found, bool."""
        return self.answer.reverse[self.span]

    @cached_property
    def lengths(self) -> np.ndarray:
        """Letters of the sequence of each hit, int64."""
        every = np.fromiter((len(one.letters) for one in self.answer.subjects), np.int64, len(self.answer.subjects))
        return every[self.answer.subject[self.span]]

    @cached_property
    def query_ranges(self) -> np.ndarray | None:
        """Half-open ranges of aligned letters of the query as given, (hits, 2); None where hits are not aligned."""
        if not self.answer.starts.shape[0]:
            return None
        found = np.stack([self.answer.starts[self.span, 0], self.answer.ends[self.span, 0]], axis=1).astype(np.int64)
        turned = self.reverse
        found[turned] = len(self.query) - found[turned][:, ::-1]
        return found

    @property
    def subject_ranges(self) -> np.ndarray | None:
        """Half-open ranges of aligned letters of the sequences, (hits, 2); None where hits are not aligned."""
        if not self.answer.starts.shape[0]:
            return None
        return np.stack([self.answer.starts[self.span, 1], self.answer.ends[self.span, 1]], axis=1)

    @property
    def identities(self) -> np.ndarray | None:
        """Percent of columns with the same letter twice; None until they are counted."""
        if self.measures is None:
            return None
        return 100 * self.measures.identical[self.span] / np.maximum(self.measures.columns[self.span], 1)

    @property
    def coverages(self) -> np.ndarray | None:
        """Percent of the query that is aligned; None where hits are not aligned."""
        if self.query_ranges is None:
            return None
        return 100 * np.diff(self.query_ranges, axis=1)[:, 0] / max(len(self.query), 1)


def format_evalue(value: float) -> str:
    """Return an E-value as BLAST writes it: '3e-25', '0.002', '1.4'."""
    if value == 0 or value < 1e-180:
        return "0.0"
    if value < 0.001:
        return f"{value:.0e}"
    return f"{value:.3f}" if value < 0.1 else f"{value:.1f}"


def format_score(value: float) -> str:
    """Return a score without superfluous decimals."""
    return f"{value:,.0f}" if float(value).is_integer() else f"{value:,.1f}"


def _format_range(start: int, end: int) -> str:
    return f"{start + 1:,}{DASH}{end:,}"


def _format_bits(value: float) -> str:
    return f"{value:,.1f}"


def _format_percent(value: float) -> str:
    return f"{value:.1f} %"


Values = Callable[[HitList], np.ndarray | None]


@dataclass(frozen=True)
class HitTableColumn:
    """A column of the table: ``values`` are sorted by, ``text(hits, row, values)`` is shown."""

    id: str
    title: str
    tip: str
    values: Values | None
    text: Callable[[HitList, int, np.ndarray | None], str]
    is_text: bool = False
    is_shown: bool = True


def _number_column(
    id: str, title: str, tip: str, values: Values, text: Callable[[float], str], is_shown: bool = True
) -> HitTableColumn:
    def cell(hits: HitList, row: int, known: np.ndarray | None) -> str:
        return "" if known is None else text(known[row])

    return HitTableColumn(id, title, tip, values, cell, is_shown=is_shown)


def _range_column(id: str, title: str, tip: str, ranges: Values, is_shown: bool = True) -> HitTableColumn:
    def cell(hits: HitList, row: int, known: np.ndarray | None) -> str:
        span = ranges(hits)
        return "" if span is None else _format_range(int(span[row, 0]), int(span[row, 1]))

    def starts(hits: HitList) -> np.ndarray | None:
        span = ranges(hits)
        return None if span is None else span[:, 0]

    return HitTableColumn(id, title, tip, starts, cell, is_shown=is_shown)


COLUMNS = (
    HitTableColumn(
        "name", "Sequence", "Name of the sequence", None, lambda hits, row, _: hits.subject(row).name, is_text=True
    ),
    HitTableColumn(
        "title",
        "Description",
        "What the database says of the sequence",
        None,
        lambda hits, row, _: hits.subject(row).details,
        is_text=True,
    ),
    _number_column("score", "Score", "Score in the units of the matrix", lambda hits: hits.scores, format_score),
    _number_column("bits", "Bits", "Score that does not depend on the matrix", lambda hits: hits.bits, _format_bits),
    _number_column(
        "evalue",
        "E-value",
        "Hits of such a score that are expected by chance in a database of this size",
        lambda hits: hits.evalues,
        format_evalue,
    ),
    _number_column(
        "identity",
        "Identity",
        "Columns with the same letter twice, of all columns",
        lambda hits: hits.identities,
        _format_percent,
    ),
    _number_column(
        "coverage", "Coverage", "Share of the query that is aligned", lambda hits: hits.coverages, _format_percent
    ),
    _range_column("query", "Query", "Aligned letters of the query as given", lambda hits: hits.query_ranges),
    _range_column("subject", "In sequence", "Aligned letters of the sequence", lambda hits: hits.subject_ranges),
    HitTableColumn(
        "strand",
        "Strand",
        "Strand of the query: + as given, - its reverse complement",
        lambda hits: hits.reverse,
        lambda hits, row, known: "-" if known is not None and known[row] else "+",
        is_shown=False,
    ),
    _number_column(
        "length", "Length", "Letters of the sequence", lambda hits: hits.lengths, lambda value: f"{int(value):,}", False
    ),
)
COLUMN_IDS = tuple(column.id for column in COLUMNS)


@dataclass(frozen=True)
class HitFilter:
    """Which hits are shown: every word occurs in name or description, and the numbers are within the limits."""

    words: tuple[str, ...] = ()
    limits: tuple[tuple[str, str, float], ...] = ()

    @property
    def is_empty(self) -> bool:
        """Whether all hits are shown."""
        return not self.words and not self.limits


OPERATORS = ("<=", ">=", "<", ">")


def parse_filter(text: str) -> HitFilter:
    """Return the filter of a text such as 'kinase evalue<1e-10 identity>=40'.

    Raises ParameterError for a limit of an unknown column, or without a number.
    """
    words, limits = [], []
    for word in text.split():
        sign = next((sign for sign in OPERATORS if sign in word), "")
        if not sign:
            words.append(word.lower())
            continue
        name, _, number = word.partition(sign)
        limits.append((_numeric_column(name), sign, _parse_limit(name, sign, number)))
    return HitFilter(tuple(words), tuple(limits))


def _numeric_column(name: str) -> str:
    known = {column.id for column in COLUMNS if column.values is not None}
    wanted = {"e": "evalue", "e-value": "evalue", "id": "identity"}.get(name.lower(), name.lower())
    if wanted not in known:
        raise ParameterError(f"{name!r} is no column with numbers; use {', '.join(sorted(known))}")
    return wanted


def _parse_limit(name: str, sign: str, number: str) -> float:
    try:
        return parse_real(number.removesuffix("%"))
    except ValueError:
        raise ParameterError(f"{name}{sign} needs a number, such as {name}{sign}40; got {number!r}") from None


COMPARE: dict[str, Callable[[np.ndarray, float], np.ndarray]] = {
    "<=": np.less_equal,
    ">=": np.greater_equal,
    "<": np.less,
    ">": np.greater,
}


@dataclass(frozen=True, eq=False)
class ShownHits:
    """Rows of a list in the order in which they are shown, with the values of the columns that have any."""

    hits: HitList
    order: np.ndarray
    values: dict[str, np.ndarray | None] = field(default_factory=dict)

    def text(self, place: int, column: HitTableColumn) -> str:
        """Return the text of a cell."""
        return column.text(self.hits, int(self.order[place]), self.values.get(column.id))

    def place_of(self, row: int) -> int | None:
        """Return where a hit is shown; None where it is filtered out."""
        found = np.flatnonzero(self.order == row)
        return int(found[0]) if found.size else None


def arrange_hits(
    hits: HitList, wanted: HitFilter, sort_column: str, descending: bool, monitor: Monitor | None = None
) -> ShownHits:
    """Return the hits that pass a filter, sorted by a column; those that are equal stay in the order of their scores.

    ``sort_column`` "" keeps the order of the answer. Raises Cancelled.
    """
    monitor = monitor or Monitor()
    values = {column.id: column.values(hits) for column in COLUMNS if column.values is not None}
    passes = np.ones(hits.count, bool)
    for name, sign, number in wanted.limits:
        known = values[name]
        passes &= False if known is None else COMPARE[sign](known, number)
    rows = np.flatnonzero(passes)
    if wanted.words:
        rows = rows[_match_words(hits, rows, wanted.words, monitor)]
    monitor.check()
    return ShownHits(hits, _sort_rows(hits, rows, values, sort_column, descending, monitor), values)


def _match_words(hits: HitList, rows: np.ndarray, words: tuple[str, ...], monitor: Monitor) -> np.ndarray:
    """Return which rows have every word in name or description, bool."""
    found = np.zeros(rows.size, bool)
    for place, row in enumerate(rows.tolist()):
        if place % BATCH == 0:
            monitor.check()
        subject = hits.subject(row)
        text = f"{subject.name} {subject.description}".lower()
        found[place] = all(word in text for word in words)
    return found


def _sort_rows(
    hits: HitList,
    rows: np.ndarray,
    values: dict[str, np.ndarray | None],
    sort_column: str,
    descending: bool,
    monitor: Monitor,
) -> np.ndarray:
    column = next((one for one in COLUMNS if one.id == sort_column), None)
    if column is None:
        return rows
    if column.is_text:
        texts = [column.text(hits, row, None).lower() for row in _checked(rows.tolist(), monitor)]
        order = sorted(range(rows.size), key=texts.__getitem__, reverse=descending)
        return rows[np.array(order, np.int64)] if rows.size else rows
    known = values[sort_column]
    if known is None:
        return rows
    keys = known[rows].astype(float)
    return rows[np.argsort(-keys if descending else keys, kind="stable")]


def _checked(rows: list[int], monitor: Monitor) -> Iterable[int]:
    for place, row in enumerate(rows):
        if place % BATCH == 0:
            monitor.check()
        yield row
