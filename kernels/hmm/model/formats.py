"""The most probable path for people, as JSON fields, and as files."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from antidiag.kernels.hmm.model.problem import HmmProblem
from antidiag.kernels.hmm.model.state_annotations import find_features, write_bed, write_gff
from antidiag.kernels.hmm.model.state_annotations import find_result_features as result_features
from antidiag.kernels.method import FileFormat, LabelledRows
from antidiag.kernels.model import Result
from antidiag.kernels.text import format_count


def describe_answer(result: Result) -> str:
    """Describe the answer in one line: 'log p -312.5' or 'impossible'."""
    return "impossible" if result.answer.states is None else f"log p {result.answer.log_probability:,.6g}"


def list_answer_rows(result: Result) -> LabelledRows:
    """List the answer for people, as pairs of label and text."""
    if result.answer.states is None:
        return [("Path", "none: the model cannot emit this sequence")]
    hmm = result.problem.hmm
    found = find_features(hmm, result.answer.states)
    covered = sum(feature.end - feature.start for feature in found)
    names = ", ".join(dict.fromkeys(feature.label for feature in found)) or "none"
    if len(names) > 60:
        names = names[:57] + "..."
    return [
        ("Log probability", f"{result.answer.log_probability:,.6f} (natural logarithm, of the path)"),
        ("Features", f"{len(found):,}, {covered:,} of {format_count(result.problem.n, 'letter')}: {names}"),
    ]


def collect_json_fields(result: Result) -> dict[str, Any]:
    """Return the fields of the JSON; ``log_probability`` is natural, and null where no path is possible."""
    problem, found = result.problem, result.answer
    fields = collect_model_fields(problem)
    if found.states is None:
        return {**fields, "log_probability": None, "states": None}
    names = problem.hmm.states
    return {
        **fields,
        "log_probability": found.log_probability,
        "states": [names[state] for state in found.states.tolist()],
        "features": [
            {"start": feature.start, "end": feature.end, "label": feature.label}
            for feature in find_features(problem.hmm, found.states)
        ],
    }


def collect_model_fields(problem: HmmProblem) -> dict[str, Any]:
    """Return the fields that every answer over a model has of its problem."""
    return {
        "model": problem.hmm.name,
        "sequence": {"name": problem.sequence.name, "length": problem.n},
        "unknown": problem.unknown,
    }


def finite_or_none(value: float) -> float | None:
    """Return a number as JSON has it: infinite ones are null."""
    return value if np.isfinite(value) else None


def list_settings(problem: HmmProblem) -> LabelledRows:
    """List what defines the problem, for people."""
    return [("Model", f"{problem.hmm.name}: {problem.hmm.summary}"), ("Unknown letters", problem.unknown)]


def collect_options(problem: HmmProblem) -> Mapping[str, Any]:
    """Return the options from which the problem can be built again."""
    return {"unknown": problem.unknown}


def _write_states_table(result: Result) -> Iterator[str]:
    """Yield a line per letter below the headings: position from 1, letter, state."""
    result_features(result)
    yield "position\tletter\tstate\n"
    names, letters = result.problem.hmm.states, result.problem.sequence.letters.decode("ascii")
    for position, (letter, state) in enumerate(zip(letters, result.answer.states.tolist(), strict=True), 1):
        yield f"{position}\t{letter}\t{names[state]}\n"


FORMATS = (
    FileFormat(".bed", "Features as BED", "states", iterate_lines=write_bed),
    FileFormat(".gff", "Features as GFF3", "states", iterate_lines=write_gff),
    FileFormat(".gff3", "Features as GFF3", "states", iterate_lines=write_gff),
    FileFormat(".tsv", "States, one line per letter", "states", iterate_lines=_write_states_table),
)
