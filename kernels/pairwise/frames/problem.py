"""The problem of a protein against nucleotides: its options, how it is built, and how its answer is shown."""

from __future__ import annotations

from collections.abc import Mapping
from collections.abc import Sequence as Sequences
from typing import Any

from antidiag.kernels import scoring_options
from antidiag.kernels.errors import InputError, ParameterError
from antidiag.kernels.io.result_alignments import file_formats
from antidiag.kernels.io.sequences import SEQUENCE
from antidiag.kernels.method import FileFormat, LabelledRows, ProblemInput, ProblemType
from antidiag.kernels.model import Result, Sequence, SequenceType, format_score
from antidiag.kernels.pairwise import classification
from antidiag.kernels.pairwise.frames import codon_text, genetic_codes
from antidiag.kernels.pairwise.frames.genetic_codes import AMINO_LETTERS
from antidiag.kernels.pairwise.frames.model import FrameProblem, is_protein
from antidiag.kernels.parameters import Parameter
from antidiag.kernels.scoring import Mode
from antidiag.kernels.scoring_options import SCORING_OPTIONS

SEQUENCES = ProblemInput(SEQUENCE, 2, 2, sequence_types=(SequenceType.PROTEIN, SequenceType.DNA))
STRANDS = ("forward", "reverse", "both")
USED_SCORES = ("matrix", "gap_open", "gap_extend")
FRAME_OPTIONS = (
    Parameter(
        "mode",
        "choice",
        "Mode",
        "What is aligned: the best matching parts of both (local), or the whole protein with a part of the bases "
        "(query-in-target).",
        default=str(Mode.LOCAL),
        choices=(str(Mode.LOCAL), str(Mode.QUERY_IN_TARGET)),
    ),
    Parameter(
        "strand",
        "choice",
        "Strand",
        "Strands that are read: three frames each. Of both, the better one is the answer.",
        default="both",
        choices=STRANDS,
    ),
    Parameter(
        "genetic_code",
        "choice",
        "Genetic code",
        "Number of NCBI's genetic code: 1 is the standard code, 2 that of vertebrate mitochondria, 4 of moulds and "
        "Mycoplasma, 11 of bacteria and plastids.",
        default="1",
        choices=genetic_codes.code_ids(),
    ),
    *(option for option in SCORING_OPTIONS if option.name in USED_SCORES),
    Parameter(
        "frameshift",
        "float",
        "Frameshift",
        "Cost of a frameshift: a base is skipped or read twice between two codons.",
        default=20,
        minimum=0,
    ),
    Parameter(
        "stop",
        "float",
        "Stop codon",
        "Score of a stop codon with an amino acid. Automatic: that of '*' in the matrix.",
    ),
)


def build_frame_problem(sequences: Sequences[Sequence], options: Mapping[str, Any]) -> FrameProblem:
    """Return the problem of a protein and nucleotides, in either order.

    Raises InputError for an empty sequence and for two of one kind, ParameterError for scores that do not fit.
    """
    SEQUENCES.check(len(sequences))
    for sequence in sequences:
        if not len(sequence):
            raise InputError(f"{sequence.name}: the sequence is empty; choose another sequence")
    proteins = [sequence for sequence in sequences if is_protein(sequence)]
    if len(proteins) != 1:
        kind = "proteins" if proteins else "nucleotides"
        raise InputError(
            f"{sequences[0].name} and {sequences[1].name} are both {kind}; give a protein and DNA or RNA, or correct "
            "the type of one"
        )
    dna = next(sequence for sequence in sequences if not is_protein(sequence))
    values = scoring_options.resolve_options(sequences, options, FRAME_OPTIONS)
    if not values["matrix"]:
        raise ParameterError("frame-alignment needs a matrix of amino acids; give one, such as BLOSUM62")
    scoring = scoring_options.make_scoring(
        {"match": 0, "mismatch": 0, "wildcard": "", **values}, False, [proteins[0], _translated_letters()]
    )
    for name in ("frameshift", "stop"):
        if values[name] is not None and not float(values[name] * scoring.scale).is_integer():
            raise ParameterError(
                f"{name} must have no more decimals than {scoring.matrix.name} and the gap costs; got {values[name]:g}"
            )
    problem = FrameProblem(
        proteins[0], dna, scoring, values["frameshift"], values["stop"], int(values["genetic_code"]), values["strand"],
        Mode(values["mode"]),
    )  # fmt: skip
    problem.rows  # noqa: B018 - a letter without a score is an error now, not in the middle of a run
    return problem


def _translated_letters() -> Sequence:
    """Return all translated letters but the stop as a protein, so that the matrix scores them."""
    return Sequence("translated letters", AMINO_LETTERS.replace("*", "").encode(), SequenceType.PROTEIN)


def answer_rows(result: Result) -> LabelledRows:
    """Return the answer as rows of label and text."""
    problem, answer, path = result.problem, result.answer, result.answer.path
    if not path.operations.size:
        return [("Score", format_score(result)), ("Alignment", "none: no part of both scores above 0")]
    columns = path.operations.size
    same = codon_text.match_line(result).count("|")
    first, last = codon_text.base_range(problem, answer.strand, path.start[1], path.end[1])
    shifts = codon_text.list_shifts(result)
    said = ", ".join(f"base {base:,} {'read twice' if mark == '/' else 'skipped'}" for base, mark in shifts)
    frame = path.start[1] % 3 + 1
    return [
        ("Score", format_score(result)),
        ("Strand and frame", f"{'forward' if answer.strand > 0 else 'reverse'}, begins in frame {frame}"),
        ("Amino acids", f"{path.start[0] + 1:,}-{path.end[0]:,} of {len(problem.protein):,}"),
        ("Bases", f"{first:,}-{last:,} of {len(problem.dna):,}"),
        ("Columns", f"{columns:,}"),
        ("Identical", f"{same:,} of {columns:,} columns, {100 * same / columns:.1f} %"),
        ("Frameshifts", f"{len(shifts)}: {said}" if shifts else "none"),
        ("Stop codons", f"{codon_text.count_stops(result):,}"),
    ]


def answer_json(result: Result) -> dict[str, Any]:
    """Return the JSON fields of an answer; ranges of letters are half-open, from 0, on the forward strand."""
    problem, answer, path = result.problem, result.answer, result.answer.path
    first, last = codon_text.base_range(problem, answer.strand, path.start[1], path.end[1])
    shifts = codon_text.list_shifts(result)
    return {
        "score": result.score,
        "strand": "+" if answer.strand > 0 else "-",
        "protein_range": [path.start[0], path.end[0]],
        "base_range": [first - 1, last],
        "aligned": list(codon_text.translated_rows(result)),
        "codons": codon_text.list_codons(result),
        "frameshifts": [[base - 1, "twice" if mark == "/" else "skipped"] for base, mark in shifts],
        "stop_codons": codon_text.count_stops(result),
        "protein": {"name": problem.protein.name, "length": len(problem.protein)},
        "bases": {"name": problem.dna.name, "length": len(problem.dna)},
        "scoring": {
            "matrix": problem.scoring.matrix.name,
            "gap_open": problem.scoring.gap_open,
            "gap_extend": problem.scoring.gap_extend,
            "frameshift": problem.frameshift,
            "stop": problem.stop,
        },
        "genetic_code": problem.genetic_code,
        "strands": problem.strand,
        "mode": str(problem.mode),
    }


def setting_rows(problem: FrameProblem) -> LabelledRows:
    """Return what defines the answer as rows of label and text."""
    stop = "that of the matrix" if problem.stop is None else f"{problem.stop:g}"
    return [
        ("Mode", str(problem.mode)),
        ("Strands", problem.strand),
        ("Genetic code", genetic_codes.code_name(problem.genetic_code)),
        ("Scoring", f"{problem.scoring.describe_costs()}; a frameshift costs {problem.frameshift:g}"),
        ("Stop codon", stop),
    ]


def option_values(problem: FrameProblem) -> Mapping[str, Any]:
    """Return the option values of a problem."""
    scores = scoring_options.scoring_option_values(problem.scoring)
    return {
        **{name: scores[name] for name in USED_SCORES},
        "mode": str(problem.mode),
        "strand": problem.strand,
        "genetic_code": str(problem.genetic_code),
        "frameshift": float(problem.frameshift),
        "stop": problem.stop,
    }


def extract_alignment(result: Result) -> list[Any]:
    """Return the alignment of the protein and the translated codons, or nothing if nothing is aligned."""
    return [codon_text.make_alignment(result)] if result.answer.path.operations.size else []


FRAMES = ProblemType(
    id="frame-alignment",
    label="Protein against DNA or RNA",
    inputs=(SEQUENCES,),
    options=FRAME_OPTIONS,
    build_problem=build_frame_problem,
    default_options=lambda sequences: scoring_options.PROTEIN_DEFAULTS,
    answer_json=answer_json,
    answer_rows=answer_rows,
    format_answer=format_score,
    answer_label="score",
    extract_data=extract_alignment,
    file_formats=(
        *file_formats(codon_text.aligned_rows, codon_text.identity_marks),
        FileFormat(".txt", "Codons", "alignment", codon_text.text_lines),
    ),
    setting_rows=setting_rows,
    option_values=option_values,
    trials_name="antidiag.kernels.pairwise.frames.trials:TRIALS",
    dp_classification=classification.GAPS,
)
