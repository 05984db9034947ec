"""The problem of a search: its options, how it is built, and what defines the answer."""

from __future__ import annotations

from collections.abc import Mapping
from collections.abc import Sequence as Sequences
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from antidiag.kernels import scoring_options
from antidiag.kernels.errors import InputError
from antidiag.kernels.io import hit_tables
from antidiag.kernels.io.sequences import SEQUENCE
from antidiag.kernels.io.unique_names import first_repeated
from antidiag.kernels.method import LabelledRows, ProblemInput
from antidiag.kernels.model import Sequence, SequenceType
from antidiag.kernels.pairwise.search.database import DATABASE, SequenceDatabase, make_memory_database
from antidiag.kernels.pairwise.search.score_blocks import SearchQueries, encode_letters, make_code_table
from antidiag.kernels.parameters import Parameter
from antidiag.kernels.scoring import Scoring, add_letters, encode_sequence, refuse_overflow
from antidiag.kernels.scoring_options import AMBIGUOUS, PRESET, SCORING_OPTIONS
from antidiag.kernels.scoring_presets import describe_preset, find_preset
from antidiag.kernels.sequences.alphabets import reverse_complement_letters
from antidiag.kernels.sequences.sequence_set import split_data
from antidiag.kernels.serialization import stored
from antidiag.kernels.text import format_count

QUERIES = ProblemInput(SEQUENCE, 1, None, label="queries")
IN_DATABASE = ProblemInput(DATABASE, 0, 1, flag="database", label="database")
STRANDS = ("forward", "reverse", "both")
MOST_HITS = 10**6
"""Hits of a query that are kept where their number is not limited."""

HIT_OPTIONS = (
    Parameter(
        "best",
        "int",
        "Best hits",
        "Hits that are kept for each query, the best first; 0 keeps all that pass the limits.",
        default=500,
        minimum=0,
        maximum=MOST_HITS,
        unit="hits",
    ),
    Parameter(
        "max_evalue",
        "float",
        "E-value limit",
        "Keep hits up to this E-value: the number of hits of such a score that are expected by chance.",
        default=10.0,
        minimum=0,
    ),
    Parameter("min_score", "float", "Least score", "Keep hits from this score on.", default=0.0, minimum=0),
    Parameter(
        "min_identity",
        "float",
        "Least identity",
        "Keep hits with this share of identical columns or more. It needs alignments.",
        default=0.0,
        minimum=0,
        maximum=100,
        unit="%",
    ),
    Parameter(
        "min_coverage",
        "float",
        "Least coverage",
        "Keep hits whose alignment covers this share of the query or more. It needs alignments.",
        default=0.0,
        minimum=0,
        maximum=100,
        unit="%",
    ),
    Parameter("alignments", "bool", "Alignments", "Align the hits; without, only scores are computed.", default=True),
    Parameter(
        "strand",
        "choice",
        "Strand",
        "Strands of nucleotide queries that are searched; proteins have one.",
        default="both",
        choices=STRANDS,
        nucleotides_only=True,
    ),
    Parameter(
        "shuffle_seed",
        "int",
        "Seed",
        "Seed of the shuffled sequences to which E-values are fitted where NCBI publishes no parameters of the scores.",
        default=1,
        minimum=0,
        maximum=2**31 - 1,
    ),
    Parameter(
        "columns",
        "text",
        "Columns",
        "Columns of saved tables, by the names of BLAST's -outfmt, such as 'std qlen btop'; std are its twelve.",
        default="",
    ),
)
SEARCH_OPTIONS = (PRESET, *(option for option in SCORING_OPTIONS if option.name != "mode"), AMBIGUOUS, *HIT_OPTIONS)
PROTEIN_DEFAULTS = {"matrix": "BLOSUM62", "gap_open": 11, "gap_extend": 1}
"""Scores of proteins as blastp has them."""


@stored("search-problem")
@dataclass(frozen=True)
class SearchProblem:
    """Queries, database, scores, and which hits are kept: everything that defines the answer of a search.

    ``min_identity`` and ``min_coverage`` are in percent; ``best`` is 0 where all hits within the limits are kept.
    ``columns`` are those of saved tables.
    """

    queries: tuple[Sequence, ...]
    database: SequenceDatabase
    scoring: Scoring
    best: int = 500
    max_evalue: float = 10.0
    min_score: float = 0.0
    min_identity: float = 0.0
    min_coverage: float = 0.0
    alignments: bool = True
    strand: str = "both"
    shuffle_seed: int = 1
    columns: str = ""

    def __post_init__(self) -> None:
        longest = max(map(len, self.queries), default=0)
        refuse_overflow(longest, min(self.database.longest, 2**28), self.scoring)

    @property
    def data(self) -> tuple[Any, ...]:
        """The queries and the database."""
        return (*self.queries, self.database)

    @property
    def nucleotides(self) -> bool:
        """Whether queries and database are DNA or RNA."""
        types = {query.type for query in self.queries} | {self.database.type}
        return SequenceType.PROTEIN not in types

    @property
    def strands(self) -> tuple[bool, ...]:
        """Whether each searched strand of a query is the reverse one."""
        if not self.nucleotides or self.strand == "forward":
            return (False,)
        return (True,) if self.strand == "reverse" else (False, True)

    @property
    def strand_count(self) -> int:
        """Number of searched strands of all queries."""
        return len(self.queries) * len(self.strands)

    @property
    def cells(self) -> int:
        """Number of cells of all matrices."""
        return sum(map(len, self.queries)) * len(self.strands) * self.database.letter_count

    @property
    def title(self) -> str:
        """Names of query and database."""
        first = self.queries[0].name if len(self.queries) == 1 else format_count(len(self.queries), "query", "queries")
        return f"{first} in {self.database.name}"

    @property
    def size(self) -> str:
        """Letters of the queries and of the database, as text."""
        return f"{sum(map(len, self.queries)):,} x {self.database.letter_count:,}"

    @property
    def most_hits(self) -> int:
        """Hits that are kept of a query, at most."""
        return min(self.best or MOST_HITS, self.database.count)

    @property
    def filters_alignments(self) -> bool:
        """Whether hits are chosen by their alignments."""
        return self.min_identity > 0 or self.min_coverage > 0

    @property
    def aligns_hits(self) -> bool:
        """Whether hits are aligned: where that is wanted, or needed to choose them."""
        return self.alignments or self.filters_alignments

    @cached_property
    def searched(self) -> tuple[Sequence, ...]:
        """What is searched for: strand after strand of one query after another."""
        return tuple(
            reverse_complement(query) if reverse else query for query in self.queries for reverse in self.strands
        )

    @cached_property
    def encoded(self) -> SearchQueries:
        """The searched queries and the costs as backends take them."""
        codes = tuple(encode_letters(query.letter_array) for query in self.searched)
        table = make_code_table(self.scoring.scores, self.scoring.matrix.codes)
        return SearchQueries(codes, table, self.scoring.open, self.scoring.extend)


def reverse_complement(sequence: Sequence) -> Sequence:
    """Return the reverse complement of a nucleotide sequence under the same name."""
    return replace(sequence, letters=reverse_complement_letters(sequence.letters, sequence.type))


def default_scores(sequences: Sequences[Any]) -> Mapping[str, Any]:
    """Return default scores: +2/-3 and 5 + 2k for nucleotides, BLOSUM62 and 11 + k for proteins."""
    return scoring_options.NUCLEOTIDE_DEFAULTS if _types(sequences) else PROTEIN_DEFAULTS


def _types(data: Sequences[Any]) -> bool:
    """Return whether all data are nucleotides."""
    sequences, others = split_data(data)
    databases = [other for other in others if isinstance(other, SequenceDatabase)]
    return scoring_options.are_nucleotides(sequences) and all(
        database.type != SequenceType.PROTEIN for database in databases
    )


def build_search(data: Sequences[Any], options: Mapping[str, Any]) -> SearchProblem:
    """Return the problem of searching for sequences in a database.

    Without a database the first sequence is searched for in the others. Raises InputError for an empty query and for a
    letter without a score.
    """
    sequences, others = split_data(data)
    database = next((other for other in others if isinstance(other, SequenceDatabase)), None)
    if database is None:
        if len(sequences) < 2:
            raise InputError("there is nothing to search in; give a database with --database, or more sequences")
        database, sequences = make_memory_database(sequences[1:], "the other sequences"), sequences[:1]
    for query in sequences:
        if not len(query):
            raise InputError(f"{query.name}: the query is empty; remove it, or give another")
    values = _resolve_options(data, options)
    hit_tables.parse_columns(values["columns"])  # a wrong name is an error now, not after the search
    nucleotides = _types([*sequences, database])
    scoring = scoring_options.make_scoring(values, nucleotides, sequences)
    scoring = replace(scoring, matrix=add_letters(scoring.matrix, database.letters))
    problem = SearchProblem(
        tuple(sequences), database, scoring, **{option.name: values[option.name] for option in HIT_OPTIONS}
    )
    _refuse_unscored(problem)
    return problem


def _resolve_options(data: Sequences[Any], options: Mapping[str, Any]) -> dict[str, Any]:
    """Return a value for every option; a chosen match or mismatch overrides the default matrix, and the values of a
    chosen preset the other defaults."""
    chosen = {name: value for name, value in options.items() if value is not None}
    if "matrix" not in chosen and chosen.keys() & {"match", "mismatch"}:
        chosen["matrix"] = ""
    declared = {option.name: option.default for option in SEARCH_OPTIONS}
    preset = find_preset(chosen.get("preset", ""))
    own = preset.values_for(_types(data)) if preset else {}
    used = {name: value for name, value in own.items() if name in declared}
    suitable = {**scoring_options.NUCLEOTIDE_DEFAULTS, **default_scores(data), **used}
    for option in SEARCH_OPTIONS:
        if option.name in chosen:
            chosen[option.name] = option.validate(chosen[option.name])
    return {**declared, **suitable, **chosen}


def _refuse_unscored(problem: SearchProblem) -> None:
    """Raise InputError for a letter of a query or of the database that has no score."""
    for query in problem.queries:
        encode_sequence(query, problem.scoring)
    matrix = problem.scoring.matrix
    unknown = [letter for letter in problem.database.letters if matrix.codes[ord(letter)] < 0]
    if unknown:
        raise InputError(
            f"{problem.database.name}: {', '.join(unknown)} of the database has no score in {matrix.name}, which "
            f"scores {matrix.letters}. Choose another matrix, or give wildcard={''.join(unknown)}"
        )


def setting_rows(problem: SearchProblem) -> LabelledRows:
    """Return what defines the answer as rows of label and text."""
    rows = [
        ("Database", f"{problem.database.name}: {problem.database.summary}"),
        *([("Preset", describe_preset(problem.scoring.preset))] if problem.scoring.preset else []),
        ("Scoring", problem.scoring.describe_costs()),
        ("Hits", describe_limits(problem)),
    ]
    return [*rows, ("Strand", problem.strand)] if problem.nucleotides else rows


def describe_limits(problem: SearchProblem) -> str:
    """Return which hits are kept, in words."""
    parts = [f"the best {problem.best:,}" if problem.best else "all", f"E-value at most {problem.max_evalue:g}"]
    if problem.min_score:
        parts.append(f"score at least {problem.min_score:g}")
    if problem.min_identity:
        parts.append(f"at least {problem.min_identity:g} % identical")
    if problem.min_coverage:
        parts.append(f"at least {problem.min_coverage:g} % of the query")
    return ", ".join(parts)


def option_values(problem: SearchProblem) -> Mapping[str, Any]:
    """Return the option values of a problem."""
    own = {option.name: getattr(problem, option.name) for option in HIT_OPTIONS}
    return {**scoring_options.scoring_option_values(problem.scoring), **own}


def _one_of_each_type(database: SequenceDatabase) -> tuple[Sequence, ...]:
    """Return a sequence of each type in a database; for a prepared one, which has one type, its name stands for it."""
    if database.is_prepared:
        return (Sequence(database.name, b"", database.type),)
    types = getattr(database.sequences, "types", None)  # a `SequenceSet` has arrays
    if types is not None:
        return tuple(database.sequences[int(row)] for row in np.unique(types, return_index=True)[1])
    found: dict[SequenceType, Sequence] = {}
    for sequence in database.sequences:
        found.setdefault(sequence.type, sequence)
    return tuple(found.values())


def problem_notes(problem: SearchProblem) -> tuple[str, ...]:
    """Return notes about types that do not go together, letters without a score, and limits without effect."""
    named = (*problem.queries, *_one_of_each_type(problem.database))
    notes = list(scoring_options.sequence_notes(named, problem.scoring.matrix))
    notes += scoring_options.preset_notes(problem.scoring, named)
    if repeated := first_repeated([query.name for query in problem.queries]):
        one, other = repeated[0] + 1, repeated[1] + 1
        name = problem.queries[repeated[0]].name
        notes.append(f"Queries {one:,} and {other:,} are both called {name}; tables do not tell them apart.")
    if problem.filters_alignments and not problem.alignments:
        notes.append("Hits are aligned all the same, because identity or coverage limits them.")
    if problem.database.note:
        notes.append(f"{problem.database.name}: {problem.database.note}.")
    return tuple(notes)
