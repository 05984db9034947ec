"""The problem of a batch of pairs: which sequences are aligned with which, its options, and how it is built."""

from __future__ import annotations

from collections.abc import Mapping
from collections.abc import Sequence as Sequences
from typing import Any

from antidiag.kernels import scoring_options
from antidiag.kernels.errors import InputError, ParameterError
from antidiag.kernels.io.hit_tables import parse_columns
from antidiag.kernels.io.sequences import SEQUENCE
from antidiag.kernels.method import LabelledRows, ProblemInput
from antidiag.kernels.model import Sequence
from antidiag.kernels.pairwise.batch.model import ALL, PAIRINGS, QUERIES, RECORDS, BatchProblem
from antidiag.kernels.pairwise.problem import (
    LETTER_OPTIONS,
    MODE,
    STRAND,
    refuse_protein_strands,
)
from antidiag.kernels.parameters import Parameter
from antidiag.kernels.scoring import Mode, Strand
from antidiag.kernels.scoring_options import FREE_END_OPTIONS, GAP_MODEL_OPTIONS, choose_free_ends
from antidiag.kernels.scoring_presets import describe_preset

SEQUENCES = ProblemInput(SEQUENCE, 2, None)

PAIRING = Parameter(
    "pairing",
    "choice",
    "Pairs",
    "Which sequences are aligned: each of the first half, or of the first file, with the one in the same place of the "
    "second (records); every two (all); every query with every other sequence (queries).",
    default=RECORDS,
    choices=PAIRINGS,
)
QUERY_COUNT = Parameter(
    "queries",
    "int",
    "Queries",
    "With the pairs queries: so many of the first sequences are queries. 0 takes those of the first file.",
    default=0,
    minimum=0,
)
COLUMNS = Parameter(
    "columns",
    "text",
    "Columns",
    "Columns of saved tables, by the names of BLAST's -outfmt, such as 'std score cigar'; std are its twelve, of which "
    "evalue and bitscore stay empty.",
    default="",
)
BATCH_OPTIONS = (
    PAIRING,
    QUERY_COUNT,
    MODE,
    *FREE_END_OPTIONS,
    STRAND,
    *LETTER_OPTIONS,
    *GAP_MODEL_OPTIONS,
    COLUMNS,
)


def build_batch(sequences: Sequences[Sequence], options: Mapping[str, Any]) -> BatchProblem:
    """Return the problem of many pairs, as `make_batch_problem`, once its letters are encoded.

    Raises InputError for an empty sequence and a letter without a score as well.
    """
    problem = make_batch_problem(sequences, options)
    for one in problem.strand_problems:
        one.encoded  # noqa: B018 - a letter without a score is an error now, not in the middle of a run
    return problem


def make_batch_problem(sequences: Sequences[Sequence], options: Mapping[str, Any]) -> BatchProblem:
    """Return the problem of many pairs; options that are not set follow the type of the sequences.

    Raises InputError for records without a partner, ParameterError for queries that are none or all of the sequences,
    and for a strand that proteins have not.
    """
    SEQUENCES.check(len(sequences))
    values = scoring_options.resolve_options(sequences, options, BATCH_OPTIONS)
    scoring = scoring_options.make_scoring(values, scoring_options.are_nucleotides(sequences), sequences)
    pairing, queries = values["pairing"], values["queries"]
    if pairing == RECORDS:
        _check_records(sequences)
    queries = _count_queries(sequences, queries) if pairing == QUERIES else 0
    parse_columns(values["columns"])
    mode, ends, strand = Mode(values["mode"]), choose_free_ends(values, values["mode"]), Strand(values["strand"])
    refuse_protein_strands(sequences, strand)
    return BatchProblem(sequences, scoring, mode, ends, pairing, queries, values["columns"], strand)


def refuse_backend(problem: BatchProblem, backend: str) -> str:
    """Return why a backend does not compute a batch; "" where it does."""
    if backend == "cuda" and problem.scoring.has_two_pieces:
        return "batches with gap costs of two pieces are computed on the CPU only"
    return ""


def _count_by_file(sequences: Sequences[Sequence]) -> dict[str, int]:
    """Return the number of sequences of each file, in the order of the files."""
    counts: dict[str, int] = {}
    sources = getattr(sequences, "sources", None) or [sequence.source for sequence in sequences]
    for source in sources:
        counts[source] = counts.get(source, 0) + 1
    return counts


def _check_records(sequences: Sequences[Sequence]) -> None:
    """Raise InputError where two files have different numbers of records, or one list an odd number."""
    counts = _count_by_file(sequences)
    if len(counts) == 2:
        refuse_missing_records(counts)
    refuse_odd_records(len(sequences))


def refuse_missing_records(counts: Mapping[str, int]) -> None:
    """Raise InputError where two files, whose records are counted, have different numbers of them."""
    if len(counts) != 2:
        return
    (one, first), (other, second) = counts.items()
    if first != second:
        raise InputError(
            f"{one} has {first:,} sequences and {other} {second:,}; record by record both need as many. Choose the "
            "pairs all or queries, or complete the shorter file"
        )


def refuse_odd_records(count: int) -> None:
    """Raise InputError where records of one list are no whole pairs."""
    if count % 2:
        raise InputError(f"{count:,} sequences are no whole pairs; add one, or choose the pairs all or queries")


def _count_queries(sequences: Sequences[Sequence], chosen: int) -> int:
    """Return the number of queries: the chosen one, else the sequences of the first file."""
    counts = _count_by_file(sequences)
    queries = chosen or (next(iter(counts.values())) if len(counts) > 1 else 1)
    if queries >= len(sequences):
        raise ParameterError(f"queries is {queries:,}, and there are {len(sequences):,} sequences; choose fewer")
    return queries


def setting_rows(problem: BatchProblem) -> LabelledRows:
    """Return what defines the answer as rows of label and text."""
    pairs = {
        RECORDS: "record by record",
        ALL: "every two sequences",
        QUERIES: f"{problem.query_count:,} queries with all others",
    }
    return [
        ("Pairs", f"{problem.pair_count:,}, {pairs[problem.pairing]}"),
        ("Mode", problem.mode_text),
        *([("Strand", str(problem.strand))] if problem.strand is not Strand.FORWARD else []),
        *([("Preset", describe_preset(problem.scoring.preset))] if problem.scoring.preset else []),
        ("Scoring", problem.scoring.describe_costs()),
    ]


def option_values(problem: BatchProblem) -> Mapping[str, Any]:
    """Return the option values of a problem."""
    switches = {f"free_{name}": is_free for name, is_free in vars(problem.chosen_ends).items()}
    scores = scoring_options.scoring_option_values(problem.scoring)
    names = {option.name for option in BATCH_OPTIONS}
    return {
        "pairing": problem.pairing,
        "queries": problem.query_count,
        "columns": problem.columns,
        "mode": str(problem.mode),
        "strand": str(problem.strand),
        **switches,
        **{name: value for name, value in scores.items() if name in names},
    }
