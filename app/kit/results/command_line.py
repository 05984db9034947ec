"""The command line that repeats a result. No Qt here."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from typing import Any

from antidiag.app import texts
from antidiag.app.invocation import PROGRAM
from antidiag.kernels import registry
from antidiag.kernels.errors import ParameterError
from antidiag.kernels.io.sequences import SEQUENCE
from antidiag.kernels.method import ProblemInput
from antidiag.kernels.model import Result
from antidiag.kernels.sequences.sequence_set import SequenceSet, split_data

NO_FILE = ("", "pasted")  # sources that are not files; the user replaces FILE


def format_command(result: Result) -> str:
    """Return the command that computes this result again, with every setting."""
    try:
        kind = registry.find_method(result.method).problem_type
    except ParameterError:
        return ""
    words = [*PROGRAM.split(), "run", result.method]
    sequences, others = split_data(result.problem.data)
    for taken in kind.inputs:
        fitting = [datum for datum in others if isinstance(datum, taken.kind.type)]
        words += _input_arguments(taken, sequences if taken.kind is SEQUENCE else fitting)
    for name, value in kind.option_values(result.problem).items():
        words += ["--" + name.replace("_", "-"), _format_value(value)]
    for name, value in result.parameters.items():
        words += ["-p", f"{name}={value}"]
    return shlex.join([*words, "--backend", result.backend])


def _input_arguments(taken: ProblemInput, data: Sequence[Any]) -> list[str]:
    every = data.sources if isinstance(data, SequenceSet) else (datum.source for datum in data)
    sources = dict.fromkeys(every)  # many sequences come from few files
    files = list(dict.fromkeys("FILE" if source in NO_FILE else texts.relative_path(source) for source in sources))
    if taken.flag:
        return [word for file in files for word in ("--" + taken.flag, file)]
    if taken.kind is not SEQUENCE or taken.maximum is None:
        return files
    return files + [word for datum in data for word in ("--record", datum.name)]


def _format_value(value: Any) -> str:
    return f"{value:g}" if isinstance(value, float) else str(value)
