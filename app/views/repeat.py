"""The command line that repeats a result. No Qt here."""

from __future__ import annotations

import re
import shlex

from app import texts
from kernels.model import PairProblem, Result, Sequence

NO_FILE = ("", "pasted")
"""Sources that name no file: the user puts one in place of FILE."""

MATCH = re.compile(r"match (?P<match>[-+\d.e]+), mismatch (?P<mismatch>[-+\d.e]+)")
WILDCARD = re.compile(r", (?P<letters>[A-Z*]+) = 0$")


def command_line(result: Result) -> str:
    """The command that computes this result again, with every setting written out."""
    problem = result.problem
    words = ["python", "main.py", "run", result.method]
    words += dict.fromkeys(_file(sequence) for sequence in problem.sequences)
    for sequence in problem.sequences:
        words += ["--record", sequence.name]
    if isinstance(problem, PairProblem):
        words += _pair_options(problem)
    for name, value in result.parameters.items():
        words += ["-p", f"{name}={value}"]
    return shlex.join([*words, "--backend", result.backend])


def _file(sequence: Sequence) -> str:
    return "FILE" if sequence.source in NO_FILE else texts.place(sequence.source)


def _pair_options(problem: PairProblem) -> list[str]:
    scoring, name = problem.scoring, problem.scoring.matrix.name
    words = ["--mode", str(problem.mode)]
    wild, values = WILDCARD.search(name), MATCH.match(name)
    if values:
        words += ["--match", f"{float(values['match']):g}", "--mismatch", f"{float(values['mismatch']):g}"]
    else:
        words += ["--matrix", WILDCARD.sub("", name)]
    if wild:
        words += ["--wildcard", wild["letters"]]
    return [*words, "--gap-open", f"{scoring.gap_open:g}", "--gap-extend", f"{scoring.gap_extend:g}"]
