"""Hidden Markov models: the noun, and JSON files of them (003, section 2.4)."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping
from collections.abc import Sequence as Sequences
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from antidiag.kernels import RESOURCES
from antidiag.kernels.errors import InputError
from antidiag.kernels.io import line_blocks
from antidiag.kernels.monitor import Monitor
from antidiag.kernels.serialization import stored
from antidiag.kernels.text import counted, from_json

MODELS = RESOURCES / "models"

TOLERANCE = 1e-6
"""The probabilities of a row may miss 1 by this much: they were rounded when they were written."""

MOST_STATES, MOST_SYMBOLS = 4096, 255
FIELDS = ("states", "alphabet", "transitions", "emissions", "initial")


@stored("hmm")
@dataclass(frozen=True, eq=False)
class Hmm:
    """A hidden Markov model of l states over m symbols; arrays are float64 and read-only.

    ``transitions`` has shape (l, l), ``emissions`` (l, m), ``initial`` (l,); every row sums to one. ``alphabet``
    holds the symbols, one letter each, upper case. ``labels`` names what the states stand for, as annotations show
    it: states of one label make one feature, and an empty label none. Make one with `checked`.
    """

    name: str
    states: tuple[str, ...]
    alphabet: str
    transitions: np.ndarray = field(repr=False)
    emissions: np.ndarray = field(repr=False)
    initial: np.ndarray = field(repr=False)
    labels: tuple[str, ...] = ()
    source: str = ""
    note: str = ""

    def __len__(self) -> int:
        return len(self.states)

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, Hmm)
            and self._words() == other._words()
            and all(np.array_equal(mine, its) for mine, its in zip(self._arrays(), other._arrays(), strict=True))
        )

    def __hash__(self) -> int:
        return hash((self._words(), self.transitions.tobytes()))

    @property
    def summary(self) -> str:
        """The size in a few words."""
        return f"{counted(len(self), 'state')}, alphabet {self.alphabet}"

    def label(self, state: int) -> str:
        """What a state stands for."""
        return self.labels[state] if self.labels else self.states[state]

    def _words(self) -> tuple:
        return self.name, self.states, self.alphabet, self.labels

    def _arrays(self) -> tuple[np.ndarray, ...]:
        return self.transitions, self.emissions, self.initial


def checked(
    name: str, states: Iterable[str], alphabet: Iterable[str], transitions: Any, emissions: Any, initial: Any,
    labels: Iterable[str] = (), source: str = "", note: str = "",
) -> Hmm:  # fmt: skip
    """A model of these parts; InputError that names the row where something does not fit.

    Sizes must agree, symbols be single letters, states have different names, probabilities lie in 0..1 and rows sum
    to one.
    """
    place = source or name
    states, symbols, labels = tuple(map(str, states)), tuple(map(str, alphabet)), tuple(map(str, labels))
    letters = _alphabet(place, symbols)
    if not 0 < len(states) <= MOST_STATES:
        raise InputError(f"{place}: {len(states):,} states; a model has 1 to {MOST_STATES:,}")
    if len(set(states)) < len(states):
        twice = next(state for state in states if states.count(state) > 1)
        raise InputError(f"{place}: two states are called {twice!r}; give every state its own name")
    if labels and len(labels) != len(states):
        raise InputError(f"{place}: {len(labels):,} labels for {len(states):,} states; give one for each, or none")
    rows = {
        "transitions": _numbers(place, "transitions", transitions, (len(states), len(states))),
        "emissions": _numbers(place, "emissions", emissions, (len(states), len(symbols))),
        "initial": _numbers(place, "initial", initial, (len(states),)),
    }
    for part, numbers in rows.items():
        _check_rows(place, part, np.atleast_2d(numbers), states if part != "initial" else ("",))
        numbers.setflags(write=False)
    return Hmm(name, states, letters, rows["transitions"], rows["emissions"], rows["initial"], labels, source, note)


def bundled() -> tuple[Path, ...]:
    """The files of the models that come with the program."""
    return tuple(sorted(MODELS.glob("*.json")))


def read(path: str | Path, monitor: Monitor | None = None) -> list[Hmm]:
    """The model of a JSON file, plain or gzipped; InputError names what is missing or wrong.

    The name of a bundled model, such as cpg-islands, stands for its file where there is no file of that name.

    Needed are ``states``, ``alphabet``, ``transitions``, ``emissions`` and ``initial``; ``name``, ``labels`` and
    ``note`` may be given. Of the JSON of a result that has learned one, the model is taken.
    """
    path = Path(path)
    if not os.path.exists(path) and os.path.isfile(MODELS / f"{path}.json"):
        path = MODELS / f"{path}.json"
    text = b"".join(line_blocks.blocks(path, monitor or Monitor()))
    try:
        found = from_json(text)
    except ValueError as error:
        raise InputError(f"{path}: this is not JSON: {error}") from None
    if not isinstance(found, dict):
        raise InputError(f"{path}: a model is a JSON object with {', '.join(FIELDS)}")
    if isinstance(found.get("model"), dict):
        found = found["model"]
    missing = [part for part in FIELDS if part not in found]
    if missing:
        raise InputError(f"{path}: the model has no {' and no '.join(missing)}; it needs {', '.join(FIELDS)}")
    for part in ("states", "labels"):
        if not isinstance(found.get(part, []), list) or not all(map(_is_name, found.get(part, []))):
            raise InputError(f"{path}: {part} is not a list of names; give one for each state")
    if not isinstance(found["alphabet"], (str, list)):
        raise InputError(f'{path}: alphabet is neither a text nor a list of letters, such as "ACGT"')
    if not all(_is_name(found.get(part, "")) for part in ("name", "note")):
        raise InputError(f"{path}: the name or the note of the model is no text")
    name, note = (str(found.get(part, default)) for part, default in (("name", path.stem), ("note", "")))
    parts = {part: found[part] for part in FIELDS}
    return [checked(name, **parts, labels=found.get("labels", ()), source=str(path), note=note)]


def claims(path: Path, head: bytes) -> bool:
    """Whether a file looks like a model: a JSON object that speaks of states or transitions."""
    return head.lstrip()[:1] == b"{" and any(
        f'"{part}"'.encode() in head for part in ("states", "transitions", "emissions")
    )


def as_json(hmm: Hmm) -> str:
    """The model as the text of a JSON file, a matrix row to a line."""

    def rows(matrix: np.ndarray) -> str:
        return "[\n  " + ",\n  ".join(json.dumps(row) for row in matrix.tolist()) + "\n ]"

    parts: Mapping[str, str] = {
        "name": json.dumps(hmm.name),
        "note": json.dumps(hmm.note),
        "states": json.dumps(list(hmm.states)),
        "labels": json.dumps(list(hmm.labels)),
        "alphabet": json.dumps(hmm.alphabet),
        "initial": json.dumps(hmm.initial.tolist()),
        "transitions": rows(hmm.transitions),
        "emissions": rows(hmm.emissions),
    }
    return "{\n" + ",\n".join(f' "{part}": {text}' for part, text in parts.items()) + "\n}\n"


def random_hmm(states: int, random: np.random.Generator, symbols: str = "ABCDEFGH") -> Hmm:
    """A random model without zeros, over eight symbols as in the thesis (section 5.3)."""

    def rows(*shape: int) -> np.ndarray:
        numbers = random.random(shape) + 0.01
        return numbers / numbers.sum(axis=-1, keepdims=True)

    names = (f"s{number}" for number in range(1, states + 1))
    return checked(f"random model of {states:,}", names, symbols, rows(states, states), rows(states, len(symbols)),
                   rows(states))  # fmt: skip


def _alphabet(place: str, symbols: Sequences[str]) -> str:
    letters = "".join(symbols).upper()
    wrong = next((symbol for symbol in symbols if len(symbol) != 1 or not symbol.isascii() or not symbol.isalpha()), "")
    if wrong or not symbols:
        raise InputError(
            f"{place}: the symbol {wrong!r} of the alphabet is not one letter; sequences consist of letters"
        )
    if len(symbols) > MOST_SYMBOLS or len(set(letters)) < len(letters):
        raise InputError(f"{place}: the alphabet {letters[:40]} has a letter twice; upper and lower case are one")
    return letters


def _numbers(place: str, part: str, given: Any, shape: tuple[int, ...]) -> np.ndarray:
    try:
        if not isinstance(given, np.ndarray) and not _are_numbers(given, len(shape)):
            raise TypeError
        numbers = np.array(given, np.float64)
    except (ValueError, TypeError, OverflowError):
        raise InputError(f"{place}: {part} has rows of different lengths, or what is not a number") from None
    if numbers.shape != shape:
        sizes = [" x ".join(map(str, size)) or "one number" for size in (numbers.shape, shape)]
        raise InputError(f"{place}: {part} is {sizes[0]}; with these states and this alphabet it must be {sizes[1]}")
    return np.ascontiguousarray(numbers)


def _are_numbers(given: Any, depth: int) -> bool:
    """Whether these are lists of lists, ``depth`` of them, of nothing but numbers: NumPy alone takes "1" and true."""
    if not isinstance(given, list | tuple):
        return False
    return set(map(type, given)) <= {int, float} if depth == 1 else all(_are_numbers(row, depth - 1) for row in given)


def _is_name(given: Any) -> bool:
    return isinstance(given, str | int | float) and not isinstance(given, bool)


def _check_rows(place: str, part: str, numbers: np.ndarray, names: Sequences[str]) -> None:
    for row, name in zip(numbers, names, strict=True):
        where = f"{part} of state {name!r}" if name else f"{part} probabilities"
        bad = row[~((row >= 0) & (row <= 1 + TOLERANCE))]
        if bad.size:
            raise InputError(f"{place}: {where}: {bad[0]} is no probability; give numbers from 0 to 1")
        if abs(row.sum() - 1) > TOLERANCE:
            raise InputError(f"{place}: the {where} sum to {row.sum():.9g}, not to 1; correct the probabilities")
