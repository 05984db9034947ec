"""How hits are shown and saved: rows of a report, JSON, and the tables of `kernels.io.hit_tables`."""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

import numpy as np

from antidiag.kernels import __version__
from antidiag.kernels.io import hit_tables
from antidiag.kernels.io.hit_tables import Hit, HitColumn, QueryHits
from antidiag.kernels.method import FileFormat, LabelledRows
from antidiag.kernels.model import Result
from antidiag.kernels.pairwise.hit_records import PathAlignment, describe_sequence, table_lines
from antidiag.kernels.pairwise.search.answer import SearchAnswer, iterate_queries
from antidiag.kernels.pairwise.search.problem import SearchProblem
from antidiag.kernels.scoring_options import scoring_json
from antidiag.kernels.text import format_count

PROGRAM = f"Antidiag {__version__}"
NAME_WIDTH, TITLE_WIDTH = 24, 40
"""Letters of a name and of a title in the table for the terminal."""


def make_hit(problem: SearchProblem, answer: SearchAnswer, hit: int, rank: int) -> Hit:
    """Return a hit as tables take it; ``rank`` is 0 for the best of its query."""
    query, subject = answer.searched_query(problem, hit), answer.subjects[int(answer.subject[hit])]
    reverse, path = bool(answer.reverse[hit]), answer.alignment(hit)
    forward = problem.queries[int(answer.query[hit])]
    return Hit(
        describe_sequence(forward),
        describe_sequence(subject),
        problem.scoring.unscale_score(int(answer.scores[hit])),
        float(answer.bits[hit]),
        float(answer.evalues[hit]),
        "-" if reverse else "+",
        None if path is None else PathAlignment(path, query, subject, problem.scoring, reverse),
        rank,
    )


def iterate_hits(problem: SearchProblem, answer: SearchAnswer) -> Iterator[QueryHits]:
    """Yield every query with its hits; a query without hits has an empty list."""
    for query, hits in iterate_queries(problem, answer):
        found = [make_hit(problem, answer, hit, rank) for rank, hit in enumerate(hits)]
        yield QueryHits(describe_sequence(query), found)


def write_table(problem: SearchProblem, answer: SearchAnswer, kind: str, columns: Sequence[HitColumn]) -> Iterator[str]:
    """Yield the lines of a table of hits.

    ``kind`` is the suffix of a format in `TABLES`; ``columns`` are those of tables that have a choice of columns.
    """
    found = iterate_hits(problem, answer)
    if kind == ".txt":
        return terminal_lines(found)
    subjects = ((subject.name, len(subject)) for subject in answer.subjects)
    return table_lines(kind, found, columns, subjects, problem.database.name)


TABLES = {
    ".tsv": "BLAST table (outfmt 6)",
    ".blast": "BLAST table with comments (outfmt 7)",
    ".csv": "CSV",
    ".jsonl": "JSON lines",
    ".paf": "PAF",
    ".sam": "SAM",
    ".txt": "Text table",
}
"""Formats of tables by suffix."""


def _table_writer(kind: str) -> Callable[[Result], Iterable[str]]:
    def write(result: Result) -> Iterable[str]:
        return write_table(result.problem, result.answer, kind, hit_tables.parse_columns(result.problem.columns))

    return write


FORMATS = tuple(FileFormat(suffix, label, "hits", _table_writer(suffix)) for suffix, label in TABLES.items())


def terminal_lines(found: Iterable[QueryHits]) -> Iterator[str]:
    """Yield a table for people: a line a hit, with names and titles cut to a width."""
    for number, one in enumerate(found):
        yield f"{'' if not number else chr(10)}Query {one.query.name}, {format_count(one.query.length, 'letter')}\n"
        if not one.hits:
            yield "  no hits within the limits\n"
            continue
        yield (
            f"  {'Sequence':{NAME_WIDTH}} {'Score':>7} {'Bits':>7} {'E-value':>9} {'Identity':>8} "
            f"{'Query':>13} {'Sequence':>13}  Title\n"
        )
        for hit in one.hits:
            yield _terminal_line(hit)


def _terminal_line(hit: Hit) -> str:
    path = hit.alignment
    identity = "" if path is None else f"{100 * path.identity:.1f} %"
    query, subject = (
        ("", "")
        if path is None
        else (_format_range(path.query_range), _format_range(path.subject_range, hit.strand == "-"))
    )
    title = hit.subject.title[len(hit.subject.name) :].strip() if hit.subject.title else ""
    line = (
        f"  {hit.subject.name[:NAME_WIDTH]:{NAME_WIDTH}} {hit.score:>7} {hit_tables.format_bits(hit.bits or 0.0):>7} "
        f"{hit_tables.format_evalue(hit.evalue or 0.0):>9} {identity:>8} {query:>13} {subject:>13}  "
        f"{textwrap.shorten(title, TITLE_WIDTH, placeholder='...')}"
    )
    return line.rstrip() + "\n"


def _format_range(letters: tuple[int, int], backwards: bool = False) -> str:
    first, last = letters[0] + 1, letters[1]
    return f"{last}-{first}" if backwards else f"{first}-{last}"


def answer_rows(result: Result) -> LabelledRows:
    """Return the answer as rows of label and text."""
    answer, problem = result.answer, result.problem
    with_hits = np.unique(answer.query).size
    for_queries = f", for {with_hits:,} of {len(problem.queries):,} queries" if len(problem.queries) > 1 else ""
    rows = [("Hits", f"{len(answer):,}{for_queries}")]
    if len(answer):
        best = int(np.argmax(answer.scores))
        hit = make_hit(problem, answer, best, 0)
        rows.append(("Best hit", f"{hit.subject.name}, score {hit.score:,}, E-value {answer.evalues[best]:.2g}"))
    statistics = answer.statistics
    scale = problem.scoring.scale
    rows.append(("E-values", f"lambda {statistics.lambda_ * scale:.4g}, K {statistics.K:.3g}; {statistics.origin}"))
    return rows


def format_answer(result: Result) -> str:
    """Return the number of hits in words."""
    return format_count(len(result.answer), "hit")


def answer_json(result: Result) -> dict[str, Any]:
    """Return the JSON fields of an answer: scores, statistics, and the hits with the names of BLAST's columns."""
    problem, answer = result.problem, result.answer
    wanted = (*hit_tables.STANDARD, "score", "qlen", "slen", "sstrand", "cigar")
    columns = tuple(hit_tables.COLUMNS[name] for name in wanted)
    statistics = answer.statistics
    return {
        "queries": [{"name": query.name, "length": len(query)} for query in problem.queries],
        "database": {
            "name": problem.database.name,
            "digest": problem.database.digest,
            "sequences": problem.database.count,
            "letters": problem.database.letter_count,
        },
        "scoring": scoring_json(problem.scoring),
        "statistics": {
            "lambda": statistics.lambda_ * problem.scoring.scale,
            "K": statistics.K,
            "H": statistics.H,
            "origin": statistics.origin,
        },
        "hits": [hit_tables.hit_values(hit, columns) for one in iterate_hits(problem, answer) for hit in one.hits],
    }


def extract_subjects(result: Result) -> list[Any]:
    """Return the sequences that were hit, the best hit first."""
    answer = result.answer
    ranked = dict.fromkeys(answer.subject[np.lexsort((answer.evalues, -answer.scores))].tolist())
    return [answer.subjects[number] for number in ranked]
