"""PAF and SAM of pairs and hits.

Positions in PAF count from 0, half-open; those in SAM from 1. Both writers take `QueryHits` one by one and yield lines,
so that tables larger than memory can be written.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from antidiag.kernels.errors import InputError
from antidiag.kernels.io.hit_tables import Hit, QueryHits, reverse_complement
from antidiag.kernels.io.unique_names import name_without_spaces


def paf_lines(found: Iterable[QueryHits]) -> Iterator[str]:
    """Yield PAF; a hit without an alignment has only its score, and a query without a hit the line of minimap2."""
    for one in found:
        if not one.hits:
            yield f"{name_without_spaces(one.query.name)}\t{one.query.length}\t0\t0" + "\t*" * 2 + "\t0" * 6 + "\n"
        for hit in one.hits:
            yield _paf_line(hit)


def _paf_line(hit: Hit) -> str:
    path = hit.alignment
    ranges = (path.query_range, path.subject_range) if path else ((0, 0), (0, 0))
    query = f"{name_without_spaces(hit.query.name)}\t{hit.query.length}\t{ranges[0][0]}\t{ranges[0][1]}\t{hit.strand}"
    subject = f"{name_without_spaces(hit.subject.name)}\t{hit.subject.length}\t{ranges[1][0]}\t{ranges[1][1]}"
    counts = f"{path.identical}\t{path.column_count}\t255" if path else "0\t0\t255"
    tags = [f"tp:A:{'S' if hit.rank else 'P'}", *_score_tags(hit)]
    if path:
        tags += _text_tags(cg=path.cigar, cs=path.cs)
    return "\t".join([query, subject, counts, *tags]) + "\n"


def _score_tags(hit: Hit) -> list[str]:
    """Return the score as AS, which SAM defines for whole numbers only, else as the free tag as; bits and E-value."""
    tags = [f"AS:i:{hit.score}" if isinstance(hit.score, int) else f"as:f:{hit.score}"]
    if hit.bits is not None:
        tags.append(f"bs:f:{hit.bits:.1f}")
    if hit.evalue is not None:
        tags.append(f"ev:f:{hit.evalue:.3g}")
    return tags


def _text_tags(**texts: str | None) -> list[str]:
    return [f"{name}:Z:{text}" for name, text in texts.items() if text is not None]


def sam_lines(found: Iterable[QueryHits], subjects: Iterable[tuple[str, int]]) -> Iterator[str]:
    """Yield SAM: the head with all ``subjects`` (name and length), then a record a hit.

    The best hit of a query is its primary record with all letters; others are secondary ones without letters. A query
    without a hit is unmapped. Raises InputError for a hit without an alignment.
    """
    yield "@HD\tVN:1.6\tSO:unknown\tGO:query\n"
    lengths: dict[str, int] = {}
    for name, length in subjects:
        name = name_without_spaces(name)
        if lengths.setdefault(name, length) != length:
            raise InputError(
                f"two subjects of different lengths are called {name}, which SAM cannot tell apart; choose PAF or a "
                "table, or give them different names"
            )
    for name, length in lengths.items():
        yield f"@SQ\tSN:{name}\tLN:{length}\n"
    yield "@PG\tID:antidiag\tPN:antidiag\n"
    for one in found:
        if not one.hits:
            letters = one.query.letters.decode("ascii") or "*"
            yield f"{name_without_spaces(one.query.name)}\t4\t*\t0\t0\t*\t*\t0\t0\t{letters}\t*\n"
        for hit in one.hits:
            yield _sam_line(hit)


def _sam_line(hit: Hit) -> str:
    path, reverse = hit.alignment, hit.strand == "-"
    if path is None:
        raise InputError("SAM needs alignments, and only scores were computed; compute alignments, or choose a table")
    flag = (16 if reverse else 0) | (256 if hit.rank else 0)
    start, end = path.query_range
    front, back = (hit.query.length - end, start) if reverse else (start, hit.query.length - end)
    clip = "H" if hit.rank else "S"
    cigar = f"{front}{clip}" * (front > 0) + path.cigar + f"{back}{clip}" * (back > 0)
    letters = reverse_complement(hit.query.letters, hit.query) if reverse else hit.query.letters
    shown = "*" if hit.rank or not letters else letters.decode("ascii")
    place = f"{name_without_spaces(hit.subject.name)}\t{path.subject_range[0] + 1}\t255\t{cigar}"
    tags = [*_score_tags(hit), *_text_tags(MD=path.md)]
    return "\t".join([f"{name_without_spaces(hit.query.name)}\t{flag}\t{place}\t*\t0\t0\t{shown}\t*", *tags]) + "\n"
