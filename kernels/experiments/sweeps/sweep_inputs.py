"""Inputs of a sweep: loaded data, cut to a length, or data generated from a seed."""

from __future__ import annotations

import math
from collections.abc import Collection
from collections.abc import Sequence as Sequences
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np

from antidiag.kernels.errors import InputError, ParameterError
from antidiag.kernels.method import DataKind, ProblemInput, ProblemType
from antidiag.kernels.model import Sequence, SequenceType

Length = int | tuple[int, ...]
"""Letters (or size) of every input: one number for all, or one for each."""

LETTERS = {
    SequenceType.DNA: b"ACGT",
    SequenceType.RNA: b"ACGU",
    SequenceType.PROTEIN: b"ACDEFGHIKLMNPQRSTVWY",
}

SIDE_INPUT_SIZE = 16
"""Size of generated data other than sequences, such as the states of a model, if one length is given for all."""

GAP_SHARE = 0.4
"""Probability that an insertion or deletion ends after each letter: 2.5 letters on average."""


@dataclass(frozen=True, slots=True)
class Loaded:
    """Data that the user opened; ``length`` cuts sequences to their first letters, ``count`` takes the first data.

    Data other than sequences, such as a model, are not cut.
    """

    data: tuple[Any, ...]
    length: Length | None = None
    count: int | None = None

    def make_data(self, problem: ProblemType) -> tuple[Any, ...]:
        """Return the data of the problem; raise InputError if they are shorter or fewer than requested."""
        data = self.data if self.count is None else self.data[: self.count]
        if self.count is not None and len(data) < self.count:
            raise InputError(f"count={self.count}, but only {len(data)} are loaded; load more, or generate the input")
        if self.length is None:
            return data
        letters = sum(isinstance(datum, Sequence) for datum in data)
        lengths = iter(_length_of_each(self.length, letters or len(data)))
        return tuple(
            _cut_sequence(datum, next(lengths)) if isinstance(datum, Sequence) or not letters else datum
            for datum in data
        )

    def describe_data(self, problem: ProblemType, varying: Collection[str] = ()) -> str:
        """Return the names of the data; "" if the problem has no inputs."""
        names = [str(getattr(datum, "name", "data")) for datum in self.data]
        return ", ".join(names[:3]) + (f" and {len(names) - 3:,} more" if len(names) > 3 else "")


@dataclass(frozen=True, slots=True)
class Generated:
    """Data made from a seed.

    ``mutated`` sequences descend from one ancestor along a random binary tree, ``random`` ones are unrelated.
    ``divergence`` is the share of letters in which the two most distant of them differ (before letters change
    twice); ``indels`` of these changes are insertions and deletions. ``count`` is the number of data of each
    input that takes several; by default the fewest it takes. Data other than sequences are made by their
    DataKind, with ``length`` as their size; beside sequences they have the size SIDE_INPUT_SIZE, unless every input
    has a length of its own. ``given`` are data that are not made, one at most of a kind.
    """

    kind: Literal["mutated", "random"] = "mutated"
    type: SequenceType = SequenceType.DNA
    length: Length = 1000
    count: int | None = None
    divergence: float = 0.1
    indels: float = 0.1
    seed: int = 1
    given: tuple[Any, ...] = ()

    def make_data(self, problem: ProblemType) -> tuple[Any, ...]:
        """Return the data of the problem in the order of its inputs; raise InputError if a kind cannot be generated."""
        draw = np.random.default_rng(self.seed)
        places = [wanted.kind for wanted in problem.inputs for _ in range(self._checked_count(wanted))]
        types = iter([kind for wanted in problem.inputs for kind in wanted.sequence_types])
        lengths = self._datum_lengths(places)
        family = iter(
            self._make_family([n for kind, n in zip(places, lengths, strict=True) if kind.type is Sequence], draw)
        )
        made: list[Any] = []
        for kind, length in zip(places, lengths, strict=True):
            if there := self._given_data(kind):
                made.append(there[0])
            elif kind.type is Sequence:
                made.append(self._with_type(next(family), next(types, self.type), draw))
            elif kind.generate is None:
                raise InputError(f"{kind.plural} cannot be generated; load one from a file")
            else:
                made.append(kind.generate(length, draw))
        return tuple(made)

    def _with_type(self, sequence: Sequence, wanted: SequenceType, draw: np.random.Generator) -> Sequence:
        """Return a sequence if it has the wanted type, else random letters of that type in its place."""
        if sequence.type is wanted:
            return sequence
        letters = np.frombuffer(LETTERS[wanted], np.uint8)
        return replace(sequence, letters=letters[draw.integers(0, letters.size, len(sequence))].tobytes(), type=wanted)

    def _datum_lengths(self, places: Sequences[DataKind]) -> tuple[int, ...]:
        """Return the length or size of every datum."""
        if isinstance(self.length, int) and any(kind.type is Sequence for kind in places):
            return tuple(self.length if kind.type is Sequence else SIDE_INPUT_SIZE for kind in places)
        return _length_of_each(self.length, len(places))

    def describe_data(self, problem: ProblemType, varying: Collection[str] = ()) -> str:
        """Return a description of the data without the quantities in ``varying``; "" if the problem takes none.

        For example "mutated DNA, length 1,000, 10% divergence, seed 1", or "random graph, size 100, seed 1".
        """
        if not problem.inputs:
            return ""
        sequences = [wanted for wanted in problem.inputs if wanted.kind.type is Sequence]
        several = len(sequences) > 1 or any(self._may_be_several(wanted, varying) for wanted in sequences)
        related = self.kind == "mutated" and several
        length = "x".join(map(str, self.length)) if isinstance(self.length, tuple) else f"{self.length:,}"
        parts = {
            "length": f"{'length' if sequences else 'size'} {length}",
            "divergence": f"{self.divergence:.0%} divergence" if related else "",
            "seed": f"seed {self.seed}",
        }
        taken = [wanted for wanted in problem.inputs if self._default_count(wanted) or wanted.minimum]
        nouns = [self._input_noun(wanted, related, bool(sequences), varying) for wanted in taken]
        said = [part for name, part in parts.items() if part and name not in varying]
        return ", ".join([" and ".join(nouns), *said])

    def _input_noun(self, wanted: ProblemInput, related: bool, beside: bool, varying: Collection[str]) -> str:
        """Return the data of an input in words: "mutated DNA", "7 random RNA", "random graph"."""
        counted = self.count is not None and wanted.maximum != wanted.minimum and "count" not in varying
        many = f"{self.count} " if counted else ""
        if wanted.kind.type is Sequence:
            return f"{many}{'mutated' if related else 'random'} {self.type}"
        if given := self._given_data(wanted.kind):
            return str(given[0].name)
        size = f" of size {SIDE_INPUT_SIZE}" if beside and isinstance(self.length, int) else ""
        several = self._may_be_several(wanted, varying)
        return f"{many}random {wanted.kind.plural if several else wanted.label or wanted.kind.label}{size}"

    def _given_data(self, kind: DataKind) -> list[Any]:
        return [datum for datum in self.given if isinstance(datum, kind.type)]

    def _may_be_several(self, wanted: ProblemInput, varying: Collection[str]) -> bool:
        """Return whether an input may get more than one datum."""
        return self._default_count(wanted) > 1 or ("count" in varying and wanted.maximum != wanted.minimum)

    def _default_count(self, wanted: ProblemInput) -> int:
        """Return the number of data of an input, unchecked; an optional input gets only given data."""
        if not wanted.minimum:
            return len(self._given_data(wanted.kind))
        return wanted.minimum if self.count is None or wanted.maximum == wanted.minimum else self.count

    def _checked_count(self, wanted: ProblemInput) -> int:
        """Return the number of data of an input; raise ParameterError if the input does not accept it."""
        count = self._default_count(wanted)
        if count < wanted.minimum or (wanted.maximum is not None and count > wanted.maximum):
            raise ParameterError(f"count must match {wanted.describe_count()}; got {count}")
        return count

    def _make_family(self, lengths: Sequences[int], draw: np.random.Generator) -> list[Sequence]:
        letters = np.frombuffer(LETTERS[self.type], np.uint8)
        if self.kind == "random":
            rows = [letters[draw.integers(0, letters.size, length)] for length in lengths]
        else:
            ancestor = letters[draw.integers(0, letters.size, max(lengths, default=0))]
            leaves = self._evolve_leaves(ancestor, self.divergence / 2, len(lengths), True, letters, draw)
            rows = [_fit_length(row, length, letters, draw) for row, length in zip(leaves, lengths, strict=True)]
        return [Sequence(f"{self.kind}{number}", row.tobytes(), self.type) for number, row in enumerate(rows, 1)]

    def _evolve_leaves(
        self, row: np.ndarray, height: float, count: int, at_root: bool, letters: np.ndarray, draw: np.random.Generator
    ) -> list[np.ndarray]:
        """Return the leaves below a node; ``height`` is the share of letters that change from here to a leaf.

        The more leaves there are, the sooner a branch parts, as in a tree that grows: most of a leaf's changes are its
        own, and so few leaves of a large family are equal.
        """
        if count <= 1:
            return [self._mutate_row(row, height, letters, draw)] * count
        branch = 0.0 if at_root else draw.uniform(0, 2 * height / (1 + math.log2(count)))
        node = self._mutate_row(row, branch, letters, draw)
        left = int(draw.integers(1, count))
        return [
            leaf
            for size in (left, count - left)
            for leaf in self._evolve_leaves(node, height - branch, size, False, letters, draw)
        ]

    def _mutate_row(self, row: np.ndarray, share: float, letters: np.ndarray, draw: np.random.Generator) -> np.ndarray:
        """Return a copy in which a ``share`` of the letters is replaced, deleted, or preceded by inserted ones."""
        row = row.copy()
        replaced = np.flatnonzero(draw.random(row.size) < share * (1 - self.indels))
        codes = np.searchsorted(letters, row[replaced])
        row[replaced] = letters[(codes + draw.integers(1, letters.size, replaced.size)) % letters.size]
        gaps = draw.binomial(row.size, share * self.indels * GAP_SHARE)
        starts, lengths = draw.integers(0, max(row.size, 1), gaps), draw.geometric(GAP_SHARE, gaps)
        inserting = draw.random(gaps) < 0.5
        places = np.repeat(starts[inserting], lengths[inserting])
        new = letters[draw.integers(0, letters.size, places.size)]
        gone = _covered_positions(starts[~inserting], lengths[~inserting], row.size)
        kept = np.insert(np.flatnonzero(~gone), np.searchsorted(np.flatnonzero(~gone), places), -1)
        changed = row[kept]
        changed[kept < 0] = new
        return changed


SweepInputs = Loaded | Generated


def with_input(inputs: SweepInputs, name: str, value: Any) -> SweepInputs:
    """Return the inputs with another length, count or divergence; raise ParameterError if they have no such setting."""
    if name == "divergence" and isinstance(inputs, Loaded):
        raise ParameterError("divergence applies to generated input only; remove the files or the axis")
    return replace(inputs, **{name: value})


def _length_of_each(length: Length, count: int) -> tuple[int, ...]:
    if isinstance(length, int):
        return (length,) * count
    if len(length) != count:
        text = "x".join(map(str, length))
        raise ParameterError(f"length={text} gives {len(length)} lengths, and there are {count} inputs")
    return length


def _cut_sequence(datum: Any, length: int) -> Any:
    if not isinstance(datum, Sequence):
        raise InputError(f"{datum.name}: only sequences can be cut to a length; generate the input instead")
    if len(datum) < length:
        raise InputError(f"{datum.name} has {len(datum):,} letters, fewer than length={length:,}; generate the input")
    return replace(datum, letters=datum.letters[:length])


def _fit_length(row: np.ndarray, length: int, letters: np.ndarray, draw: np.random.Generator) -> np.ndarray:
    """Return a row cut to a length, or extended by random letters."""
    return np.concatenate([row[:length], letters[draw.integers(0, letters.size, max(0, length - row.size))]])


def _covered_positions(starts: np.ndarray, lengths: np.ndarray, size: int) -> np.ndarray:
    """Return which of ``size`` positions lie in one of the ranges; bool."""
    depth = np.zeros(size + 1, np.int64)
    np.add.at(depth, starts, 1)
    np.add.at(depth, np.minimum(starts + lengths, size), -1)
    return np.cumsum(depth)[:size] > 0
