"""Profile hidden Markov models of HMMER: text files of HMMER3 (3/a to 3/f) and HMMER2.

HMMER3 writes probabilities as negative natural logarithms; HMMER2 writes 1000 log2 of the probability over that of its
null model. '*' is a probability of 0. Source: S. Eddy and others, HMMER User's Guide, 3.4 (chapter *File formats*) and
2.3.2 (*HMMER save files*).
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from antidiag.kernels.errors import InputError
from antidiag.kernels.text import is_number, is_small_count, quote_text

HEAD = re.compile(rb"\s*HMMER(?:3/[a-z]|2\.0)\b")
SYMBOLS = {"amino": "ACDEFGHIKLMNPQRSTVWY", "dna": "ACGT", "rna": "ACGU", "nucleic": "ACGT"}
SUM_TOLERANCE = 0.01
"""Rounded probabilities of a state may miss a sum of 1 by this much; they are scaled to it."""
HMMER2_UNIT = 1000.0
HMMER2_TRANSITIONS = 9
"""Transitions of a node in HMMER2: those of HMMER3, and from the begin and to the end of the model."""
TRANSITIONS = ("m->m", "m->i", "m->d", "i->m", "i->i", "d->m", "d->d")
AMINO_BACKGROUND = (
    *(0.0787945, 0.0151600, 0.0535222, 0.0668298, 0.0397062, 0.0695071, 0.0229198, 0.0590092, 0.0594422, 0.0963728),
    *(0.0237718, 0.0414386, 0.0482904, 0.0395639, 0.0540978, 0.0683364, 0.0540687, 0.0673417, 0.0114135, 0.0304133),
)
"""The null model of HMMER3 for proteins, which its files do not hold: frequencies in Swiss-Prot 50.8."""
NULL_LOOP = 350 / 351
"""Probability of another letter in the null model of HMMER3."""


@dataclass(frozen=True, eq=False)
class HmmerModel:
    """A profile HMM of M nodes over K symbols; all numbers are probabilities, float64.

    ``match`` (M, K); ``insert`` (M + 1, K), of the insertions after each node and before the first; ``transitions``
    (M + 1, 7), as TRANSITIONS names them, node 0 is the begin; ``null`` (K,) and ``null_loop`` are the null model.
    """

    name: str
    type: str
    symbols: str
    match: np.ndarray = field(repr=False)
    insert: np.ndarray = field(repr=False)
    transitions: np.ndarray = field(repr=False)
    null: np.ndarray = field(repr=False)
    null_loop: float
    version: str
    description: str = ""

    def __len__(self) -> int:
        return len(self.match)

    @property
    def origin(self) -> str:
        """The format of the file, and accession and description of the model."""
        return " ".join(filter(None, (self.version, self.description)))

    @property
    def occupancy(self) -> np.ndarray:
        """The probability that a sequence has a letter in each match state, float64 (M,)."""
        found, before = np.empty(len(self)), 0.0
        for node, (mm, mi, _, _, _, dm, _) in enumerate(self.transitions[:-1].tolist()):
            before = mm + mi if not node else before * (mm + mi) + (1 - before) * dm
            found[node] = before
        return found


class _Line(NamedTuple):
    """A line that is not blank: its number in the file, and its words."""

    number: int
    words: list[str]


class _ModelReader:
    """The lines of a file, read one after another; errors name the line."""

    def __init__(self, text: str, source: str) -> None:
        self.source = source
        self.lines = [_Line(number, line.split()) for number, line in enumerate(text.split("\n"), 1) if line.strip()]
        self.place = 0

    def fail(self, line: int, reason: str) -> InputError:
        """Return an error of a line."""
        return InputError(f"{self.source}, line {line:,}: {reason}")

    def next_line(self) -> _Line:
        """Return the next line; InputError at the end of the file."""
        if self.place == len(self.lines):
            last = self.lines[-1].number if self.lines else 1
            raise self.fail(last, "the file ends inside of a model, which ends with '//'; fetch it again")
        self.place += 1
        return self.lines[self.place - 1]

    def numbers(self, line: _Line, first: int, count: int, what: str) -> np.ndarray:
        """Return numbers of a line from word ``first`` on; '*' is minus infinity."""
        words = line.words[first : first + count]
        if len(words) < count:
            raise self.fail(line.number, f"{len(words)} numbers, and {what} are {count}")
        wrong = next((word for word in words if word != "*" and not is_number(word)), None)
        if wrong is not None:
            raise self.fail(line.number, f"{quote_text(wrong)} is not a number; {what} are {count} numbers or '*'")
        return np.array([-np.inf if word == "*" else float(word) for word in words])

    def scaled(self, line: _Line, values: np.ndarray, what: str) -> np.ndarray:
        """Return probabilities that sum to 1; InputError where they miss it by more than rounding."""
        total = values.sum()
        if not abs(total - 1) <= SUM_TOLERANCE:
            raise self.fail(line.number, f"{what} sum to {total:.4g}, not to 1; the file is damaged")
        return values / total


def parse_hmmer(text: str, source: str) -> list[HmmerModel]:
    """Return all models of a text; InputError names the line and what is wrong."""
    reader, found = _ModelReader(text, source), list[HmmerModel]()
    while reader.place < len(reader.lines):
        found.append(_read_model(reader))
    if not found:
        raise InputError(f"{source}: the file is empty; give a model of HMMER")
    return found


def _read_model(reader: _ModelReader) -> HmmerModel:
    first = reader.next_line()
    version = first.words[0]
    if not HEAD.fullmatch(version.encode()):
        raise reader.fail(first.number, f"{quote_text(version)} is not read; a model begins with HMMER3/f or older")
    tags: dict[str, list[str]] = {}
    while (line := reader.next_line()).words[0] != "HMM":
        if line.words[0] == "//":
            raise reader.fail(line.number, "the model has no line HMM; fetch it again")
        tags.setdefault(line.words[0], line.words[1:])
    kind = " ".join(tags.get("ALPH", ["?"])).lower()
    symbols = SYMBOLS.get(kind, "".join(line.words[1:]))
    if symbols != "".join(line.words[1:]).upper():
        raise reader.fail(line.number, f"the symbols are {' '.join(line.words[1:])}, and those of {kind} are {symbols}")
    length = " ".join(tags.get("LENG", ["?"]))
    if not is_small_count(length) or not 0 < int(length) <= len(reader.lines):
        raise reader.fail(first.number, f"LENG is {length}, and not the number of nodes; correct it")
    reader.next_line()  # the titles of the transitions
    read = _read_hmmer2 if version == "HMMER2.0" else _read_hmmer3
    nodes = read(reader, int(length), len(symbols), tags)
    if (line := reader.next_line()).words[0] != "//":
        raise reader.fail(line.number, f"'//' is expected after {length} nodes; LENG or the file is wrong")
    name = " ".join(tags.get("NAME", ["model"]))
    words = " ".join([*tags.get("ACC", []), *tags.get("DESC", [])])
    return HmmerModel(name, kind, symbols, *nodes, version, words)


_Nodes = tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, float]
"""Match and insert emissions, transitions, and the null model."""


def _read_hmmer3(reader: _ModelReader, length: int, size: int, tags: dict[str, list[str]]) -> _Nodes:
    """Return the nodes of a model of HMMER3."""
    null = np.array(AMINO_BACKGROUND) if size == len(AMINO_BACKGROUND) else np.ones(size)
    match, insert = np.empty((length, size)), np.empty((length + 1, size))
    transitions = np.empty((length + 1, len(TRANSITIONS)))
    line = reader.next_line()
    if line.words[0] == "COMPO":
        line = reader.next_line()
    for node in range(length + 1):
        if node:
            _check_node(reader, line, node)
            match[node - 1] = _emissions(reader, line, 1, size)
            line = reader.next_line()
        insert[node] = _emissions(reader, line, 0, size)
        line = reader.next_line()
        with np.errstate(over="ignore"):
            found = _probabilities(reader.numbers(line, 0, len(TRANSITIONS), "transitions"))
        transitions[node] = _scaled_transitions(reader, line, found)
        line = reader.next_line() if node < length else line
    return match, insert, transitions, null / null.sum(), NULL_LOOP


def _probabilities(logarithms: np.ndarray) -> np.ndarray:
    """Return the probabilities of negative logarithms; minus infinity stands for 0."""
    return np.where(np.isneginf(logarithms), 0.0, np.exp(-logarithms))


def _emissions(reader: _ModelReader, line: _Line, first: int, size: int) -> np.ndarray:
    with np.errstate(over="ignore"):
        return reader.scaled(line, _probabilities(reader.numbers(line, first, size, "emissions")), "the emissions")


def _check_node(reader: _ModelReader, line: _Line, node: int) -> None:
    if line.words[0] != str(node):
        raise reader.fail(
            line.number, f"node {node:,} is expected here, not {quote_text(line.words[0])}; LENG is wrong"
        )


def _scaled_transitions(reader: _ModelReader, line: _Line, found: np.ndarray) -> np.ndarray:
    """Return the transitions of a node, those of each of its three states scaled to a sum of 1."""
    parts = ((found[:3], "m->"), (found[3:5], "i->"), (found[5:], "d->"))
    return np.concatenate([reader.scaled(line, part, f"the transitions {name}") for part, name in parts])


def _read_hmmer2(reader: _ModelReader, length: int, size: int, tags: dict[str, list[str]]) -> _Nodes:
    """Return the nodes of a model of HMMER2; its begin and end inside of the model are left out."""
    said = _Line(reader.lines[reader.place - 1].number, [*tags.get("NULE", []), *tags.get("NULT", [])])
    scores = reader.numbers(said, 0, size + 2, "NULE and NULT")
    null = reader.scaled(said, _powers(scores[:size]) / size, "the null model NULE")
    match, insert = np.empty((length, size)), np.tile(null, (length + 1, 1))
    transitions = np.zeros((length + 1, len(TRANSITIONS)))
    start = _powers(reader.numbers(reader.next_line(), 0, 3, "the transitions of the begin"))
    transitions[0] = [start[0], 0, start[2], 1, 0, 1, 0]
    for node in range(1, length + 1):
        line = reader.next_line()
        _check_node(reader, line, node)
        match[node - 1] = reader.scaled(
            line, null * _powers(reader.numbers(line, 1, size, "emissions")), "the emissions"
        )
        between = reader.next_line()
        found = null * _powers(reader.numbers(between, 1, size, "emissions"))
        insert[node] = reader.scaled(between, found, "the emissions") if found.any() else null
        line = reader.next_line()
        ways = _powers(reader.numbers(line, 1, HMMER2_TRANSITIONS, "transitions"))[: len(TRANSITIONS)]
        transitions[node] = ways if node < length else [1, 0, 0, 1, 0, 1, 0]
    for first, last in ((0, 3), (3, 5), (5, 7)):  # without the ends inside of the model
        total = transitions[:, first:last].sum(axis=1, keepdims=True)
        if not (total > 0).all():
            node = int(np.argmin(total))
            raise reader.fail(said.number, f"node {node:,} has no transition {TRANSITIONS[first]}; the file is damaged")
        transitions[:, first:last] /= total
    return match, insert, transitions, null, float(_powers(scores[size:])[0])


def _powers(scores: np.ndarray) -> np.ndarray:
    """Return the ratios of probabilities that scores of HMMER2 stand for."""
    with np.errstate(over="ignore"):
        return np.exp2(scores / HMMER2_UNIT)
