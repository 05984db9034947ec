"""Hidden Markov models and their JSON files (Hanif 2014, section 2.4)."""

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
from antidiag.kernels.io import hmmer_models, line_blocks, packed_files
from antidiag.kernels.io.line_blocks import decode_text
from antidiag.kernels.monitor import Monitor
from antidiag.kernels.serialization import stored
from antidiag.kernels.text import format_count, parse_json

MODEL_FOLDER = RESOURCES / "models"

ROW_SUM_TOLERANCE = 1e-6
"""Rounded probabilities of a row may miss a sum of 1 by this much."""

MOST_STATES, MOST_SYMBOLS = 4096, 255
REQUIRED_FIELDS = ("states", "alphabet", "transitions", "emissions", "initial")


@stored("hmm")
@dataclass(frozen=True, eq=False)
class Hmm:
    """A hidden Markov model of l states over m symbols; arrays are float64 and read-only.

    ``transitions`` has shape (l, l), ``emissions`` (l, m), ``initial`` (l,); every row sums to one. ``alphabet`` holds
    the symbols, one upper-case letter each. ``labels`` names what states stand for in annotations: neighbouring letters
    in states of one label make one feature, and an empty label makes none. Make one with `make_hmm`.
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

    def __post_init__(self) -> None:
        if not all((array >= 0).all() for array in self._probability_arrays()):
            raise ValueError("a probability of a hidden Markov model is below 0 or no number")

    def __len__(self) -> int:
        return len(self.states)

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, Hmm)
            and self._identity_words() == other._identity_words()
            and all(
                np.array_equal(mine, its)
                for mine, its in zip(self._probability_arrays(), other._probability_arrays(), strict=True)
            )
        )

    def __hash__(self) -> int:
        return hash((self._identity_words(), self.transitions.tobytes()))

    @property
    def summary(self) -> str:
        """The size in a few words."""
        return f"{format_count(len(self), 'state')}, alphabet {self.alphabet}"

    def state_label(self, state: int) -> str:
        """Return what a state stands for."""
        return self.labels[state] if self.labels else self.states[state]

    def _identity_words(self) -> tuple:
        return self.name, self.states, self.alphabet, self.labels

    def _probability_arrays(self) -> tuple[np.ndarray, ...]:
        return self.transitions, self.emissions, self.initial


def make_hmm(
    name: str,
    states: Iterable[str],
    alphabet: Iterable[str],
    transitions: Any,
    emissions: Any,
    initial: Any,
    labels: Iterable[str] = (),
    source: str = "",
    note: str = "",
) -> Hmm:
    """Make a model of its parts.

    Parameters
    ----------
    name, states, alphabet
        Name of the model, names of its l states, and its m symbols.
    transitions, emissions, initial
        Probabilities of shapes (l, l), (l, m) and (l,).
    labels
        What each state stands for; empty where states stand for themselves.
    source, note
        The file it comes from, and a remark.

    Raises
    ------
    InputError
        Sizes disagree, a symbol is not one letter, two states have one name, a number is no probability, or a row does
        not sum to one. The message names the row.
    """
    place = source or name
    states, symbols, labels = tuple(map(str, states)), tuple(map(str, alphabet)), tuple(map(str, labels))
    letters = _check_alphabet(place, symbols)
    if not 0 < len(states) <= MOST_STATES:
        raise InputError(f"{place}: {len(states):,} states; a model has 1 to {MOST_STATES:,}")
    if len(set(states)) < len(states):
        twice = next(state for state in states if states.count(state) > 1)
        raise InputError(f"{place}: two states are called {twice!r}; give every state its own name")
    if labels and len(labels) != len(states):
        raise InputError(f"{place}: {len(labels):,} labels for {len(states):,} states; give one for each, or none")
    rows = {
        "transitions": _check_numbers(place, "transitions", transitions, (len(states), len(states))),
        "emissions": _check_numbers(place, "emissions", emissions, (len(states), len(symbols))),
        "initial": _check_numbers(place, "initial", initial, (len(states),)),
    }
    for part, numbers in rows.items():
        _check_probability_rows(place, part, np.atleast_2d(numbers), states if part != "initial" else ("",))
        numbers.setflags(write=False)
    return Hmm(name, states, letters, rows["transitions"], rows["emissions"], rows["initial"], labels, source, note)


def list_bundled_models() -> tuple[Path, ...]:
    """Return the files of the models that come with the program."""
    return tuple(sorted(MODEL_FOLDER.glob("*.json")))


@packed_files.reads_each_file
def read_hmm(path: str | Path, monitor: Monitor | None = None) -> list[Hmm]:
    """Read the model of a JSON file, or those of a file of HMMER, plain or compressed; InputError names what is wrong.

    The name of a bundled model, such as cpg-islands, stands for its file where there is no file of that name. The file
    must have ``states``, ``alphabet``, ``transitions``, ``emissions`` and ``initial``; ``name``, ``labels`` and
    ``note`` are optional. From the JSON of a result that has learned a model, the model is read.
    """
    path = Path(path)
    if not os.path.exists(path) and os.path.isfile(MODEL_FOLDER / f"{path}.json"):
        path = MODEL_FOLDER / f"{path}.json"
    elif not os.path.exists(path) and path == Path(path.stem):
        bundled = ", ".join(model.stem for model in list_bundled_models())
        raise InputError(f"{path}: there is no such file, and no bundled model of this name; these are: {bundled}")
    text = b"".join(line_blocks.read_blocks(path, monitor or Monitor()))
    if hmmer_models.HEAD.match(text):
        from antidiag.kernels.hmm.model.hmmer_states import hmm_of_hmmer

        return [hmm_of_hmmer(model, str(path)) for model in hmmer_models.parse_hmmer(decode_text(text), str(path))]
    try:
        found = parse_json(text)
    except ValueError as error:
        raise InputError(
            f"{path}: this is not JSON: {error}; give a model of this program, or of HMMER as text"
        ) from None
    if not isinstance(found, dict):
        raise InputError(f"{path}: a model is a JSON object with {', '.join(REQUIRED_FIELDS)}")
    if isinstance(found.get("model"), dict):
        found = found["model"]
    missing = [part for part in REQUIRED_FIELDS if part not in found]
    if missing:
        raise InputError(f"{path}: the model has no {' and no '.join(missing)}; it needs {', '.join(REQUIRED_FIELDS)}")
    for part in ("states", "labels"):
        if not isinstance(found.get(part, []), list) or not all(map(_is_name_value, found.get(part, []))):
            raise InputError(f"{path}: {part} is not a list of names; give one for each state")
    if not isinstance(found["alphabet"], (str, list)):
        raise InputError(f'{path}: alphabet is neither a text nor a list of letters, such as "ACGT"')
    if not all(_is_name_value(found.get(part, "")) for part in ("name", "note")):
        raise InputError(f"{path}: the name or the note of the model is no text")
    name, note = (str(found.get(part, default)) for part, default in (("name", path.stem), ("note", "")))
    parts = {part: found[part] for part in REQUIRED_FIELDS}
    return [make_hmm(name, **parts, labels=found.get("labels", ()), source=str(path), note=note)]


def looks_like_hmm(path: Path, head: bytes) -> bool:
    """Return whether a file looks like a model: of HMMER, or a JSON object with states, transitions or emissions."""
    if hmmer_models.HEAD.match(head):
        return True
    return head.lstrip()[:1] == b"{" and any(
        f'"{part}"'.encode() in head for part in ("states", "transitions", "emissions")
    )


def format_json(hmm: Hmm) -> str:
    """Format the model as the text of a JSON file, one matrix row per line."""

    def format_rows(matrix: np.ndarray) -> str:
        return "[\n  " + ",\n  ".join(json.dumps(row) for row in matrix.tolist()) + "\n ]"

    parts: Mapping[str, str] = {
        "name": json.dumps(hmm.name),
        "note": json.dumps(hmm.note),
        "states": json.dumps(list(hmm.states)),
        "labels": json.dumps(list(hmm.labels)),
        "alphabet": json.dumps(hmm.alphabet),
        "initial": json.dumps(hmm.initial.tolist()),
        "transitions": format_rows(hmm.transitions),
        "emissions": format_rows(hmm.emissions),
    }
    return "{\n" + ",\n".join(f' "{part}": {text}' for part, text in parts.items()) + "\n}\n"


def make_random_hmm(states: int, random: np.random.Generator, symbols: str = "ABCDEFGH") -> Hmm:
    """Make a random model without zeros, over eight symbols as in Hanif 2014, section 5.3."""

    def draw_rows(*shape: int) -> np.ndarray:
        numbers = random.random(shape) + 0.01
        return numbers / numbers.sum(axis=-1, keepdims=True)

    names = (f"s{number}" for number in range(1, states + 1))
    parts = draw_rows(states, states), draw_rows(states, len(symbols)), draw_rows(states)
    return make_hmm(f"random model of {states:,}", names, symbols, *parts)


def _check_alphabet(origin: str, symbols: Sequences[str]) -> str:
    """Join the symbols; InputError where one is not a single letter, or occurs twice."""
    letters = "".join(symbols).upper()
    wrong = next((symbol for symbol in symbols if len(symbol) != 1 or not symbol.isascii() or not symbol.isalpha()), "")
    if wrong or not symbols:
        raise InputError(
            f"{origin}: the symbol {wrong!r} of the alphabet is not one letter; sequences consist of letters"
        )
    if len(symbols) > MOST_SYMBOLS or len(set(letters)) < len(letters):
        raise InputError(f"{origin}: the alphabet {letters[:40]} has a letter twice; upper and lower case are one")
    return letters


def _check_numbers(origin: str, field_name: str, values: Any, shape: tuple[int, ...]) -> np.ndarray:
    """Return an array of this shape; InputError where values are no numbers or have another shape."""
    try:
        if not isinstance(values, np.ndarray) and not _contains_only_numbers(values, len(shape)):
            raise TypeError
        numbers = np.array(values, np.float64)
    except (ValueError, TypeError, OverflowError):
        raise InputError(f"{origin}: {field_name} has rows of different lengths, or what is not a number") from None
    if numbers.shape != shape:
        sizes = [" x ".join(map(str, size)) or "one number" for size in (numbers.shape, shape)]
        raise InputError(
            f"{origin}: {field_name} is {sizes[0]}; with these states and this alphabet it must be {sizes[1]}"
        )
    return np.ascontiguousarray(numbers)


def _contains_only_numbers(values: Any, depth: int) -> bool:
    """Return whether these are nested lists, ``depth`` deep, of numbers only: NumPy alone takes "1" and true."""
    if not isinstance(values, list | tuple):
        return False
    return (
        set(map(type, values)) <= {int, float}
        if depth == 1
        else all(_contains_only_numbers(row, depth - 1) for row in values)
    )


def _is_name_value(value: Any) -> bool:
    """Return whether a value can be a name: a text or a number."""
    return isinstance(value, str | int | float) and not isinstance(value, bool)


def _check_probability_rows(origin: str, field_name: str, numbers: np.ndarray, names: Sequences[str]) -> None:
    """InputError where a number is no probability, or a row does not sum to one."""
    for row, name in zip(numbers, names, strict=True):
        where = f"{field_name} of state {name!r}" if name else f"{field_name} probabilities"
        bad = row[~((row >= 0) & (row <= 1 + ROW_SUM_TOLERANCE))]
        if bad.size:
            raise InputError(f"{origin}: {where}: {bad[0]} is no probability; give numbers from 0 to 1")
        if abs(row.sum() - 1) > ROW_SUM_TOLERANCE:
            raise InputError(f"{origin}: the {where} sum to {row.sum():.9g}, not to 1; correct the probabilities")
