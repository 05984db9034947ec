"""The pair problem: its options, how it is built from two sequences, and how its answer is shown."""

from __future__ import annotations

from collections.abc import Mapping
from collections.abc import Sequence as Sequences
from typing import Any

from antidiag.kernels import scoring_options
from antidiag.kernels.errors import InputError, ParameterError
from antidiag.kernels.io.sequences import SEQUENCE
from antidiag.kernels.method import LabelledRows, ProblemInput, ProblemType
from antidiag.kernels.model import Result, Sequence, SequenceType, format_score
from antidiag.kernels.pairwise import classification, formats
from antidiag.kernels.pairwise.model import UNKNOWN_END, Alignment, PairProblem
from antidiag.kernels.parameters import Parameter
from antidiag.kernels.scoring import Mode, Strand
from antidiag.kernels.scoring_options import (
    AMBIGUOUS,
    FREE_END_OPTIONS,
    GAP_MODEL_OPTIONS,
    PRESET,
    SCORING_OPTIONS,
    choose_free_ends,
)
from antidiag.kernels.scoring_presets import describe_preset

SEQUENCES = ProblemInput(SEQUENCE, 2, 2)

MODE = Parameter(
    "mode",
    "choice",
    "Mode",
    "What is aligned: the best matching parts (local); both sequences end to end (global); both, but letters at any "
    "end may stay unaligned at no cost (overlap); the whole first sequence with a part of the second "
    "(query-in-target); or with the free ends that are chosen (custom).",
    default=str(Mode.LOCAL),
    choices=tuple(map(str, Mode)),
)
LETTER_OPTIONS = tuple(
    added
    for option in SCORING_OPTIONS
    if option.name != MODE.name
    for added in {"matrix": (PRESET, option), "mismatch": (option, AMBIGUOUS)}.get(option.name, (option,))
)
"""Preset, scores of letters and gap costs."""
STRAND = Parameter(
    "strand",
    "choice",
    "Strand",
    "Strand of the first sequence, of nucleotides: as given (forward), its reverse complement (reverse), or the one "
    "that scores higher (both), which takes twice the time. The second sequence stays as given.",
    default=str(Strand.FORWARD),
    choices=tuple(map(str, Strand)),
    nucleotides_only=True,
)
PAIR_OPTIONS = (MODE, *FREE_END_OPTIONS, STRAND, *LETTER_OPTIONS, *GAP_MODEL_OPTIONS)


def build_pair(sequences: Sequences[Sequence], options: Mapping[str, Any]) -> PairProblem:
    """Return the pair problem of two sequences; options that are not set follow the type of the sequences.

    Raises InputError for an empty sequence and for a letter without a score, ParameterError for the reverse strand of
    a protein.
    """
    SEQUENCES.check(len(sequences))
    for sequence in sequences:
        if not len(sequence):
            raise InputError(f"{sequence.name}: the sequence is empty; choose another sequence")
    values = scoring_options.resolve_options(sequences, options, PAIR_OPTIONS)
    scoring = scoring_options.make_scoring(values, scoring_options.are_nucleotides(sequences), sequences)
    strand = Strand(values["strand"])
    refuse_protein_strands(sequences, strand)
    mode, ends = Mode(values["mode"]), choose_free_ends(values, values["mode"])
    problem = PairProblem(sequences[0], sequences[1], scoring, mode, ends, strand)
    for variant in problem.variants:
        variant.codes  # noqa: B018 - a letter without a score is an error now, not in the middle of a run
    return problem


def refuse_protein_strands(sequences: Sequences[Sequence], strand: Strand) -> None:
    """Raise ParameterError for a strand that is not forward where a sequence is a protein."""
    if strand is Strand.FORWARD or scoring_options.are_nucleotides(sequences):
        return
    proteins = [sequence.name for sequence in sequences if sequence.type == SequenceType.PROTEIN]
    named = " and ".join(proteins if len(proteins) < 3 else [*proteins[:2], f"{len(proteins) - 2:,} others"])
    raise ParameterError(
        f"strand {strand} needs nucleotides, and {named} {'is' if len(proteins) == 1 else 'are'} "
        "protein, which has no other strand; choose the strand forward, or correct the type of the sequences"
    )


def default_scores(sequences: Sequences[Sequence]) -> Mapping[str, Any]:
    """Return the default scores and gap costs, the second piece of these included."""
    return {**scoring_options.default_scores(sequences), **scoring_options.default_gap_model(sequences)}


def answer_rows(result: Result) -> LabelledRows:
    """Return the answer as rows of label and text."""
    problem, answer, path = result.problem, result.answer, result.answer.alignment
    found = [("Score", format_score(result))]
    if answer.end != UNKNOWN_END:
        found.append(("Ends at cell", _format_cell(answer.end)))
    if problem.strand is not Strand.FORWARD:
        found.insert(1, ("Strand", _describe_strand(problem)))
    if answer.skipped is not None:
        found.append(("Pruning", _describe_pruning(result)))
    if path is None:
        return [*found, ("Alignment", "none; this method returns only the score")]
    found.insert([label for label, _ in found].index("Ends at cell"), ("Starts at cell", _format_cell(path.start)))
    if problem.is_reversed:
        found.append(("Aligned letters", _describe_letters(problem, path)))
    identities = path.count_identities(*problem.sequences)
    return [*found, ("Columns", f"{identities.columns:,}"), ("Identical", identities.describe_shares())]


def _describe_pruning(result: Result) -> str:
    """Return how much was skipped, and the rates: "92.6 % of the cells skipped; 120 GCUPS of all cells, 9 of ..."."""
    problem, skipped = result.problem, result.answer.skipped.skipped_cells
    rates = [cells / result.compute_ms / 1e6 if result.compute_ms else 0.0 for cells in (problem.cells, result.cells)]
    return (
        f"{100 * skipped / problem.cells:.1f} % of the cells skipped ({skipped:,}); "
        f"{rates[0]:,.4g} GCUPS counting all cells, {rates[1]:,.4g} counting computed ones"
    )


def _describe_strand(problem: PairProblem) -> str:
    """Return the aligned strand in words: "reverse: the reverse complement of q is aligned"."""
    if problem.is_reversed:
        return f"reverse: the reverse complement of {problem.first.name} is aligned"
    return f"forward: {problem.first.name} is aligned as given"


def _describe_letters(problem: PairProblem, path: Alignment) -> str:
    """Return the aligned letters of both sequences as given, from 1: "20 to 1 of q, 5 to 24 of t"."""
    numbered = [problem.number_letters(side, path.start[side], path.end[side]) for side in (0, 1)]
    spans = zip(problem.data, numbered, strict=True)
    return ", ".join(f"{start:,} to {end:,} of {sequence.name}" for sequence, (start, end) in spans)


def setting_rows(problem: PairProblem) -> LabelledRows:
    """Return what defines the answer as rows of label and text."""
    along = f"the {'first' if problem.swapped else 'second'} sequence"
    longer = ", the longer one" if problem.rows < problem.columns else ""
    return [
        ("Mode", problem.mode_text),
        *([("Strand", str(problem.strand))] if problem.strand is not Strand.FORWARD else []),
        *([("Preset", describe_preset(problem.scoring.preset))] if problem.scoring.preset else []),
        ("Scoring", problem.scoring.describe_costs()),
        ("Strips run along", along + longer),
    ]


def option_values(problem: PairProblem) -> Mapping[str, Any]:
    """Return the option values of a problem."""
    switches = {f"free_{name}": is_free for name, is_free in vars(problem.chosen_ends).items()}
    chosen = {"mode": str(problem.mode), **switches, "strand": str(problem.strand)}
    return {**chosen, **scoring_options.scoring_option_values(problem.scoring)}


def _format_cell(cell: tuple[int, int]) -> str:
    """Return a cell of the matrix as text."""
    return f"({cell[0]:,}, {cell[1]:,})"


PAIR = ProblemType(
    id="pair",
    label="Two sequences",
    inputs=(SEQUENCES,),
    options=PAIR_OPTIONS,
    build_problem=build_pair,
    default_options=default_scores,
    answer_json=formats.answer_json,
    answer_rows=answer_rows,
    format_answer=format_score,
    answer_label="score",
    file_formats=formats.FORMATS,
    setting_rows=setting_rows,
    option_values=option_values,
    problem_notes=lambda problem: (
        *scoring_options.sequence_notes(problem.data, problem.scoring.matrix),
        *scoring_options.preset_notes(problem.scoring, problem.data),
    ),
    trials_name="antidiag.kernels.pairwise.trials:TRIALS",
    dp_classification=classification.GAPS,
)
