"""Pairs and hits, and their tables: BLAST's tabular formats 6 and 7, CSV and JSON lines.

Every writer takes `QueryHits` one by one and yields lines, so that tables larger than memory can be written. Columns
are named as in BLAST's ``-outfmt``: https://www.ncbi.nlm.nih.gov/books/NBK279684/, table C1. Positions in BLAST's
columns count from 1 with both ends included.
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from types import MappingProxyType
from typing import Any, Protocol

from antidiag.kernels.errors import ParameterError

COMPLEMENTS = bytes.maketrans(b"ACGTURYSWKMBDHVNacgturyswkmbdhvn", b"TGCAAYRSWMKVHDBNtgcaayrswmkvhdbn")
RNA_COMPLEMENTS = COMPLEMENTS.translate(bytes.maketrans(b"Tt", b"Uu"))


@dataclass(frozen=True, slots=True)
class HitSequence:
    """A sequence of a hit: ``title`` is the whole title line with the name; ``letters`` are needed by SAM alone."""

    name: str
    length: int
    title: str = ""
    letters: bytes = field(default=b"", repr=False)


def reverse_complement(row: bytes, sequence: HitSequence) -> bytes:
    """Return the reverse complement of letters of a sequence: in RNA, which has U and no T, that of A is U."""
    is_rna = b"U" in sequence.letters and b"T" not in sequence.letters
    return row[::-1].translate(RNA_COMPLEMENTS if is_rna else COMPLEMENTS)


class HitAlignment(Protocol):
    """What tables read of the alignment of a hit.

    Ranges are half-open, of letters from 0, on the forward strand of each sequence. Rows have the direction of the
    subject: of a hit on the reverse strand the query's row is reverse-complemented, and so are CIGAR, MD and cs.
    """

    @property
    def query_range(self) -> tuple[int, int]:
        """Letters of the query that are aligned."""
        ...

    @property
    def subject_range(self) -> tuple[int, int]:
        """Letters of the subject that are aligned."""
        ...

    @property
    def query_row(self) -> bytes:
        """Aligned letters of the query, '-' for gaps."""
        ...

    @property
    def subject_row(self) -> bytes:
        """Aligned letters of the subject, '-' for gaps."""
        ...

    @property
    def identical(self) -> int:
        """Columns of identical letters."""
        ...

    @property
    def positive(self) -> int:
        """Columns of two letters whose score is positive."""
        ...

    @property
    def cigar(self) -> str:
        """Lengths with = X I D, or with M I D."""
        ...

    @property
    def md(self) -> str | None:
        """The tag MD of SAM."""
        ...

    @property
    def cs(self) -> str | None:
        """The tag cs of PAF."""
        ...

    @property
    def column_count(self) -> int:
        """Columns of the alignment."""
        return len(self.query_row)

    @property
    def gap_letters(self) -> int:
        """Columns with a gap."""
        return self.query_row.count(b"-") + self.subject_row.count(b"-")

    @property
    def gap_count(self) -> int:
        """Gaps, each of one or more letters."""
        return sum(is_gap for row in (self.query_row, self.subject_row) for is_gap, _ in groupby(row, b"-"[0].__eq__))

    @property
    def mismatches(self) -> int:
        """Columns of two letters that are not identical."""
        return self.column_count - self.gap_letters - self.identical

    @property
    def identity(self) -> float:
        """Share of identical columns among all columns, 0 to 1."""
        return self.identical / self.column_count if self.column_count else 0.0


@dataclass(frozen=True, slots=True)
class Hit:
    """A query and a subject with their score in the units of the matrix, and what else is known of them.

    ``rank`` is 0 for the best hit of the query; ``strand`` is '-' where the reverse complement of the query is aligned.
    """

    query: HitSequence
    subject: HitSequence
    score: int | float
    bits: float | None = None
    evalue: float | None = None
    strand: str = "+"
    alignment: HitAlignment | None = None
    rank: int = 0

    def cover(self, of_subject: bool = False) -> float | None:
        """Return the share of the query, or of the subject, that is aligned; None without an alignment."""
        if self.alignment is None:
            return None
        start, end = self.alignment.subject_range if of_subject else self.alignment.query_range
        length = self.subject.length if of_subject else self.query.length
        return (end - start) / length if length else 0.0


@dataclass(frozen=True, slots=True)
class QueryHits:
    """A query with its hits, the best first; there may be none."""

    query: HitSequence
    hits: Sequence[Hit]


def group_by_query(hits: Iterable[Hit]) -> Iterator[QueryHits]:
    """Yield consecutive hits of one query together, as a batch of pairs has them."""
    for query, group in groupby(hits, lambda hit: hit.query):
        yield QueryHits(query, list(group))


def format_evalue(evalue: float) -> str:
    """Return an E-value as BLAST's tables have it."""
    if evalue < 1e-180:
        return "0.0"
    if evalue < 0.0009:
        return f"{evalue:.2e}"
    return f"{evalue:.{3 if evalue < 0.1 else 2 if evalue < 1 else 1 if evalue < 10 else 0}f}"


def format_bits(bits: float) -> str:
    """Return a bit score as BLAST's tables have it: whole numbers from 100 on."""
    return f"{bits:.3e}" if bits > 9999 else str(int(bits)) if bits > 99.9 else f"{bits:.1f}"


@dataclass(frozen=True, slots=True)
class HitColumn:
    """A column: BLAST's name, the label in the comments of format 7, its value, and how tables write the value.

    Values of columns that need an alignment are None for hits without one.
    """

    id: str
    label: str
    value: Callable[[Hit], Any]
    format: Callable[[Any], str] = str


def _of_alignment(read: Callable[[Hit, HitAlignment], Any]) -> Callable[[Hit], Any]:
    """Return a function that is None for a hit without an alignment."""
    return lambda hit: None if hit.alignment is None else read(hit, hit.alignment)


def _subject_end(hit: Hit, at_start: bool) -> int:
    """Return where the subject's part begins or ends, from 1; a reverse strand runs from the greater number down."""
    assert hit.alignment is not None
    start, end = hit.alignment.subject_range
    return start + 1 if at_start == (hit.strand == "+") else end


def blast_rows(hit: Hit) -> tuple[bytes, bytes]:
    """Return the rows in the direction of the query, as BLAST shows them."""
    assert hit.alignment is not None
    rows = hit.alignment.query_row, hit.alignment.subject_row
    if hit.strand == "+":
        return rows
    return reverse_complement(rows[0], hit.query), reverse_complement(rows[1], hit.subject)


def format_btop(query_row: bytes, subject_row: bytes) -> str:
    """Return BLAST's trace-back operations: counts of equal letters, and both letters of every other column."""
    pieces, same = [], 0
    for query, subject in zip(query_row.decode("ascii"), subject_row.decode("ascii"), strict=True):
        if query == subject:
            same += 1
            continue
        pieces.append(f"{same or ''}{query}{subject}")
        same = 0
    return "".join(pieces) + str(same or "")


def _percent(part: float | None) -> float | None:
    return None if part is None else 100 * part


def _decimals(count: int) -> Callable[[Any], str]:
    return lambda value: f"{value:.{count}f}"


_COLUMNS = (
    HitColumn("qseqid", "query id", lambda hit: hit.query.name),
    HitColumn("sseqid", "subject id", lambda hit: hit.subject.name),
    HitColumn("pident", "% identity", _of_alignment(lambda hit, path: 100 * path.identity), _decimals(3)),
    HitColumn("length", "alignment length", _of_alignment(lambda hit, path: path.column_count)),
    HitColumn("mismatch", "mismatches", _of_alignment(lambda hit, path: path.mismatches)),
    HitColumn("gapopen", "gap opens", _of_alignment(lambda hit, path: path.gap_count)),
    HitColumn("qstart", "q. start", _of_alignment(lambda hit, path: path.query_range[0] + 1)),
    HitColumn("qend", "q. end", _of_alignment(lambda hit, path: path.query_range[1])),
    HitColumn("sstart", "s. start", _of_alignment(lambda hit, path: _subject_end(hit, True))),
    HitColumn("send", "s. end", _of_alignment(lambda hit, path: _subject_end(hit, False))),
    HitColumn("evalue", "evalue", lambda hit: hit.evalue, format_evalue),
    HitColumn("bitscore", "bit score", lambda hit: hit.bits, format_bits),
    HitColumn("score", "score", lambda hit: hit.score),
    HitColumn("qlen", "query length", lambda hit: hit.query.length),
    HitColumn("slen", "subject length", lambda hit: hit.subject.length),
    HitColumn("qtitle", "query title", lambda hit: hit.query.title or hit.query.name),
    HitColumn("stitle", "subject title", lambda hit: hit.subject.title or hit.subject.name),
    HitColumn("nident", "identical", _of_alignment(lambda hit, path: path.identical)),
    HitColumn("positive", "positives", _of_alignment(lambda hit, path: path.positive)),
    HitColumn(
        "ppos",
        "% positives",
        _of_alignment(lambda hit, path: 100 * path.positive / max(path.column_count, 1)),
        _decimals(2),
    ),
    HitColumn("gaps", "gaps", _of_alignment(lambda hit, path: path.gap_letters)),
    HitColumn("qcovs", "% query coverage per subject", lambda hit: _percent(hit.cover()), _decimals(0)),
    HitColumn("qcovhsp", "% query coverage per hsp", lambda hit: _percent(hit.cover()), _decimals(0)),
    HitColumn("scovhsp", "% subject coverage per hsp", lambda hit: _percent(hit.cover(True)), _decimals(0)),
    HitColumn("sstrand", "subject strand", lambda hit: "plus" if hit.strand == "+" else "minus"),
    HitColumn(
        "pident_ungapped",
        "% identity without gaps",
        _of_alignment(lambda hit, path: 100 * path.identical / max(path.column_count - path.gap_letters, 1)),
        _decimals(3),
    ),
    HitColumn(
        "pident_shorter",
        "% identity of the shorter sequence",
        _of_alignment(lambda hit, path: 100 * path.identical / max(min(hit.query.length, hit.subject.length), 1)),
        _decimals(3),
    ),
    HitColumn("qseq", "query seq", _of_alignment(lambda hit, path: blast_rows(hit)[0].decode("ascii"))),
    HitColumn("sseq", "subject seq", _of_alignment(lambda hit, path: blast_rows(hit)[1].decode("ascii"))),
    HitColumn("btop", "BTOP", _of_alignment(lambda hit, path: format_btop(*blast_rows(hit)))),
    HitColumn("cigar", "CIGAR", _of_alignment(lambda hit, path: path.cigar)),
)
COLUMNS: Mapping[str, HitColumn] = MappingProxyType({column.id: column for column in _COLUMNS})
"""All columns by name."""
STANDARD = tuple(column.id for column in _COLUMNS[:12])
"""The columns that BLAST calls std."""
SCORE_COLUMNS = ("qseqid", "sseqid", "score", "qlen", "slen")
"""Columns of pairs of which only the score is known."""
MISSING = "N/A"
"""What BLAST writes for a value that there is not."""


def parse_columns(text: str, default: Sequence[str] = STANDARD) -> tuple[HitColumn, ...]:
    """Return the columns that a text names, with blanks or commas between; ``std`` stands for BLAST's twelve.

    Raises ParameterError for an unknown name and for one that is given twice.
    """
    names: list[str] = []
    for name in text.replace(",", " ").split() or default:
        names += STANDARD if name == "std" else [name]
    for name in names:
        if name not in COLUMNS:
            raise ParameterError(f"unknown column {name!r}; choose from std, {', '.join(COLUMNS)}")
        if names.count(name) > 1:
            raise ParameterError(f"column {name} is chosen twice; name each column once")
    return tuple(COLUMNS[name] for name in names)


def format_cell(column: HitColumn, hit: Hit, missing: str = MISSING) -> str:
    """Return the value of a hit in a column as text without tabs and line ends."""
    value = column.value(hit)
    return missing if value is None else " ".join(column.format(value).split())


def tabular_lines(found: Iterable[QueryHits], columns: Sequence[HitColumn]) -> Iterator[str]:
    """Yield BLAST's format 6: a line a hit, columns separated by tabs, no head."""
    for one in found:
        for hit in one.hits:
            yield "\t".join(format_cell(column, hit) for column in columns) + "\n"


def commented_lines(
    found: Iterable[QueryHits], columns: Sequence[HitColumn], program: str = "Antidiag", database: str = ""
) -> Iterator[str]:
    """Yield BLAST's format 7: format 6 with comments that name program, query, database and columns."""
    count = 0
    for one in found:
        count += 1
        yield f"# {program}\n# Query: {one.query.title or one.query.name}\n"
        if database:
            yield f"# Database: {database}\n"
        if one.hits:
            yield f"# Fields: {', '.join(column.label for column in columns)}\n"
        yield f"# {len(one.hits)} hits found\n"
        yield from tabular_lines([one], columns)
    yield f"# {program} processed {count} {'query' if count == 1 else 'queries'}\n"


def csv_lines(found: Iterable[QueryHits], columns: Sequence[HitColumn]) -> Iterator[str]:
    """Yield CSV with the names of the columns as its head; a value that there is not stays empty."""
    yield _csv_line([column.id for column in columns])
    for one in found:
        for hit in one.hits:
            yield _csv_line([format_cell(column, hit, missing="") for column in columns])


def _csv_line(values: Sequence[str]) -> str:
    buffer = io.StringIO()
    csv.writer(buffer, lineterminator="\n").writerow(values)
    return buffer.getvalue()


def hit_values(hit: Hit, columns: Sequence[HitColumn]) -> dict[str, Any]:
    """Return the values of a hit by the names of the columns, not rounded; None for a value that there is not."""
    return {column.id: column.value(hit) for column in columns}


def json_lines(found: Iterable[QueryHits], columns: Sequence[HitColumn]) -> Iterator[str]:
    """Yield a JSON object a hit and line, with the names of the columns as keys and numbers that are not rounded."""
    for one in found:
        for hit in one.hits:
            yield json.dumps(hit_values(hit, columns), ensure_ascii=False) + "\n"
