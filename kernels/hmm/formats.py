"""The most probable path told: for people, as JSON, and as files."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from antidiag.kernels.hmm import islands
from antidiag.kernels.hmm.problem import HmmProblem
from antidiag.kernels.method import FileFormat, Rows
from antidiag.kernels.model import Result
from antidiag.kernels.text import counted


def answer(result: Result) -> str:
    """'log p -312.5', or that no path is possible."""
    return "impossible" if result.answer.states is None else f"log p {result.answer.log_probability:,.6g}"


def rows(result: Result) -> Rows:
    """The answer for people."""
    if result.answer.states is None:
        return [("Path", "none: the model cannot emit this sequence")]
    hmm = result.problem.hmm
    found = islands.features(hmm, result.answer.states)
    covered = sum(feature.end - feature.start for feature in found)
    names = ", ".join(dict.fromkeys(feature.label for feature in found)) or "none"
    if len(names) > 60:
        names = names[:57] + "..."
    return [
        ("Log probability", f"{result.answer.log_probability:,.6f} (natural logarithm, of the path)"),
        ("Features", f"{len(found):,}, {covered:,} of {counted(result.problem.n, 'letter')}: {names}"),
    ]


def data(result: Result) -> dict[str, Any]:
    """The fields of the JSON: the logarithm is natural, and null where no path is possible; states by name."""
    problem, found = result.problem, result.answer
    fields = model_fields(problem)
    if found.states is None:
        return {**fields, "log_probability": None, "states": None}
    names = problem.hmm.states
    return {
        **fields,
        "log_probability": found.log_probability,
        "states": [names[state] for state in found.states.tolist()],
        "features": [
            {"start": feature.start, "end": feature.end, "label": feature.label}
            for feature in islands.features(problem.hmm, found.states)
        ],
    }


def model_fields(problem: HmmProblem) -> dict[str, Any]:
    """What every answer over a model says of its problem."""
    return {
        "model": problem.hmm.name,
        "sequence": {"name": problem.sequence.name, "length": problem.n},
        "unknown": problem.unknown,
    }


def finite(value: float) -> float | None:
    """A number as JSON has it: infinite ones are null."""
    return value if np.isfinite(value) else None


def settings(problem: HmmProblem) -> Rows:
    return [("Model", f"{problem.hmm.name}: {problem.hmm.summary}"), ("Other letters", problem.unknown)]


def option_values(problem: HmmProblem) -> Mapping[str, Any]:
    return {"unknown": problem.unknown}


def _text(result: Result) -> Iterator[str]:
    """A line for each letter below the headings: position from 1, letter, state."""
    islands.of(result)
    yield "position\tletter\tstate\n"
    names, letters = result.problem.hmm.states, result.problem.sequence.letters.decode("ascii")
    for position, (letter, state) in enumerate(zip(letters, result.answer.states.tolist(), strict=True), 1):
        yield f"{position}\t{letter}\t{names[state]}\n"


FORMATS = (
    FileFormat(".bed", "Features as BED", "states", lines=islands.bed),
    FileFormat(".gff", "Features as GFF3", "states", lines=islands.gff),
    FileFormat(".gff3", "Features as GFF3", "states", lines=islands.gff),
    FileFormat(".tsv", "States, a line a letter", "states", lines=_text),
)
