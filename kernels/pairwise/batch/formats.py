"""How the answers of a batch are shown and saved: rows, JSON, and the tables of `kernels.io.hit_tables`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import partial
from itertools import chain
from typing import Any

import numpy as np

from antidiag.kernels.io import hit_tables
from antidiag.kernels.io.hit_tables import Hit, HitSequence, QueryHits
from antidiag.kernels.method import FileFormat, LabelledRows
from antidiag.kernels.model import Result
from antidiag.kernels.pairwise.batch.model import BatchAnswer, BatchProblem
from antidiag.kernels.pairwise.hit_records import describe_pair, table_lines
from antidiag.kernels.scoring import Mode, Strand
from antidiag.kernels.scoring_options import scoring_json

SHOWN_PAIRS = 20
"""Pairs that the text table shows."""
NAME_WIDTH = 24


def make_hit(problem: BatchProblem, answer: BatchAnswer, number: int) -> Hit:
    """Return a pair as tables take it; the first sequence is the query."""
    path = answer.paths[number] if answer.paths is not None else None
    return describe_pair(answer.settled_pair(problem, number), int(answer.scores[number]), path)


def iterate_pairs(problem: BatchProblem, answer: BatchAnswer) -> Iterator[QueryHits]:
    """Yield the pairs by their first sequences, in their order."""
    return hit_tables.group_by_query(make_hit(problem, answer, number) for number in range(problem.pair_count))


def choose_columns(text: str, has_paths: bool) -> tuple[hit_tables.HitColumn, ...]:
    """Return the columns that a text names, else those of alignments, or of scores where there are no paths."""
    names = (*hit_tables.STANDARD[:10], "score", "cigar") if has_paths else hit_tables.SCORE_COLUMNS
    return hit_tables.parse_columns(text, names)


def drop_unaligned(suffix: str, found: Iterable[QueryHits]) -> Iterator[QueryHits]:
    """Yield queries with their hits: in SAM those with an alignment, and a query of which none has one is unmapped."""
    for one in found:
        if suffix != ".sam":
            yield one
            continue
        aligned = (hit for hit in one.hits if hit.alignment is not None)
        first = next(aligned, None)
        yield QueryHits(one.query, [] if first is None else chain([first], aligned))  # type: ignore[arg-type]


def _result_lines(suffix: str, result: Result) -> Iterator[str]:
    """Yield the lines of a table of all pairs of a result."""
    problem, answer = result.problem, result.answer
    used = np.unique(problem.pairs.seconds).tolist()
    subjects = ((problem.sequences[at].name, len(problem.sequences[at])) for at in used)
    columns = choose_columns(problem.columns, answer.paths is not None)
    return table_lines(suffix, drop_unaligned(suffix, iterate_pairs(problem, answer)), columns, subjects)


def text_lines(result: Result) -> Iterator[str]:
    """Yield a table for people: a line a pair, at most `SHOWN_PAIRS`."""
    problem, answer = result.problem, result.answer
    yield f"{'First':{NAME_WIDTH}} {'Second':{NAME_WIDTH}} {'Score':>9} {'Identity':>9} {'First':>13} {'Second':>13}\n"
    for number in range(min(problem.pair_count, SHOWN_PAIRS)):
        hit = make_hit(problem, answer, number)
        path = hit.alignment
        line = ""
        if path:
            spans = map(_format_range, (path.query_range, path.subject_range))
            line = f" {f'{100 * path.identity:.1f} %':>9}" + "".join(f" {span:>13}" for span in spans)
        yield f"{_short(hit.query)} {_short(hit.subject)} {hit.score:>9}{line}\n"
    if problem.pair_count > SHOWN_PAIRS:
        more = problem.pair_count - SHOWN_PAIRS
        yield f"... and {more:,} more pairs; save a table for all of them (--out pairs.tsv)\n"


def _short(sequence: HitSequence) -> str:
    return f"{sequence.name[:NAME_WIDTH]:{NAME_WIDTH}}"


def _format_range(letters: tuple[int, int]) -> str:
    return f"{letters[0] + 1}-{letters[1]}"


TABLES = {
    ".tsv": ("BLAST table (outfmt 6)", "score"),
    ".blast": ("BLAST table with comments (outfmt 7)", "score"),
    ".csv": ("CSV", "score"),
    ".jsonl": ("JSON lines", "score"),
    ".paf": ("PAF", "score"),
    ".sam": ("SAM", "alignments"),
}
"""Tables of all pairs by suffix: label, and what a method must give."""
FORMATS = (
    *(FileFormat(suffix, label, needed, partial(_result_lines, suffix)) for suffix, (label, needed) in TABLES.items()),
    FileFormat(".txt", "Text table", "score", text_lines),
)


def answer_rows(result: Result) -> LabelledRows:
    """Return the answer as rows of label and text."""
    scores, scoring = result.answer.scores, result.problem.scoring
    best = int(np.argmax(scores))
    hit = make_hit(result.problem, result.answer, best)
    shown = [scoring.unscale_score(int(score)) for score in (scores.min(), np.median(scores), scores.max())]
    return [
        ("Pairs", f"{scores.size:,}"),
        ("Scores", f"{shown[0]:,} to {shown[2]:,}, median {shown[1]:,}"),
        ("Best pair", f"{hit.query.name} x {hit.subject.name}, score {hit.score:,}"),
    ]


def format_answer(result: Result) -> str:
    """Return the number of pairs in words."""
    return result.problem.title


def answer_json(result: Result) -> dict[str, Any]:
    """Return the JSON fields of an answer: names and scores of pairs, and with paths their cells and CIGAR strings."""
    problem, answer = result.problem, result.answer
    pairs = []
    for number in range(problem.pair_count):
        hit = make_hit(problem, answer, number)
        path = hit.alignment
        found: dict[str, Any] = {"first": hit.query.name, "second": hit.subject.name, "score": hit.score}
        if answer.is_reversed is not None:
            found["strand"] = str(Strand.REVERSE if hit.strand == "-" else Strand.FORWARD)
        if answer.paths is not None:
            pair, cells = answer.settled_pair(problem, number), answer.paths[number]
            found |= {
                "start": list(cells.start),
                "end": list(cells.end),
                "cigar": path.cigar if path else "",
                "identity": vars(cells.count_identities(*pair.sequences)),
            }
        pairs.append(found)
    return {
        "pairs": pairs,
        "mode": str(problem.mode),
        "free_ends": vars(problem.chosen_ends if problem.mode is Mode.CUSTOM else problem.free_ends),
        "strand": str(problem.strand),
        "scoring": scoring_json(problem.scoring),
    }
