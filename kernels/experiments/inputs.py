"""Inputs of a sweep: what the user loaded, cut to a length, or what is generated, the same at every call."""

from __future__ import annotations

import math
from collections.abc import Collection
from collections.abc import Sequence as Sequences
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np

from antidiag.kernels.errors import InputError, ParameterError
from antidiag.kernels.method import DataKind, Input, ProblemType
from antidiag.kernels.model import Sequence, SequenceType

Length = int | tuple[int, ...]
"""Letters (or size) of every input, or of each of them."""

LETTERS = {
    SequenceType.DNA: b"ACGT",
    SequenceType.RNA: b"ACGU",
    SequenceType.PROTEIN: b"ACDEFGHIKLMNPQRSTVWY",
}

BESIDE = 16
"""Size of what is generated beside sequences, such as the states of a model, where one length is given for all."""

GAP_SHARE = 0.4
"""A gap of an insertion or a deletion goes on with probability 1 - GAP_SHARE: 2.5 letters on average."""


@dataclass(frozen=True, slots=True)
class Loaded:
    """Data that the user opened; ``length`` cuts sequences to their front, ``count`` takes the first so many.

    What stands beside sequences, such as a model, is left as it is.
    """

    data: tuple[Any, ...]
    length: Length | None = None
    count: int | None = None

    def make(self, problem: ProblemType) -> tuple[Any, ...]:
        """The data of the problem, flat; InputError where they are shorter or fewer than asked for."""
        data = self.data if self.count is None else self.data[: self.count]
        if self.count is not None and len(data) < self.count:
            raise InputError(f"count={self.count}: {len(data)} are loaded; load more, or generate the input")
        if self.length is None:
            return data
        letters = sum(isinstance(datum, Sequence) for datum in data)
        lengths = iter(_each(self.length, letters or len(data)))
        return tuple(
            _cut(datum, next(lengths)) if isinstance(datum, Sequence) or not letters else datum for datum in data
        )

    def text(self, problem: ProblemType, varying: Collection[str] = ()) -> str:
        """The data for people; "" where the problem takes none."""
        names = [str(getattr(datum, "name", "data")) for datum in self.data]
        return ", ".join(names[:3]) + (f" and {len(names) - 3:,} more" if len(names) > 3 else "")


@dataclass(frozen=True, slots=True)
class Generated:
    """Data made from a seed.

    ``mutated`` sequences descend from one ancestor along a random binary tree, ``random`` ones are unrelated.
    ``divergence`` is the share of letters in which the two most distant of them differ (before letters change
    twice); ``indels`` of these changes are insertions and deletions. ``count`` is the number of data of each
    input that takes several; by default the fewest it takes. Data other than sequences are made by their
    DataKind, with ``length`` as their size; beside sequences they have the size BESIDE, unless every input has a
    length of its own. ``given`` are data that are not made, one at most of a kind.
    """

    kind: Literal["mutated", "random"] = "mutated"
    type: SequenceType = SequenceType.DNA
    length: Length = 1000
    count: int | None = None
    divergence: float = 0.1
    indels: float = 0.1
    seed: int = 1
    given: tuple[Any, ...] = ()

    def make(self, problem: ProblemType) -> tuple[Any, ...]:
        """The data of the problem, flat, in the order of its inputs; InputError where a kind cannot be generated."""
        draw = np.random.default_rng(self.seed)
        places = [wanted.kind for wanted in problem.inputs for _ in range(self._count(wanted))]
        lengths = self._lengths(places)
        family = iter(self._family([n for kind, n in zip(places, lengths, strict=True) if kind.type is Sequence], draw))
        made: list[Any] = []
        for kind, length in zip(places, lengths, strict=True):
            if there := self._given(kind):
                made.append(there[0])
            elif kind.type is Sequence:
                made.append(next(family))
            elif kind.generate is None:
                raise InputError(f"{kind.plural} cannot be generated; load one from a file")
            else:
                made.append(kind.generate(length, draw))
        return tuple(made)

    def _lengths(self, places: Sequences[DataKind]) -> tuple[int, ...]:
        """The length or size of every datum."""
        if isinstance(self.length, int) and any(kind.type is Sequence for kind in places):
            return tuple(self.length if kind.type is Sequence else BESIDE for kind in places)
        return _each(self.length, len(places))

    def text(self, problem: ProblemType, varying: Collection[str] = ()) -> str:
        """The data for people, without what is in ``varying``: "mutated DNA, length 1,000, 10% divergence, seed 1",
        "random graph, size 100, seed 1"; "" where the problem takes none."""
        if not problem.inputs:
            return ""
        sequences = [wanted for wanted in problem.inputs if wanted.kind.type is Sequence]
        several = len(sequences) > 1 or any(self._several(wanted, varying) for wanted in sequences)
        related = self.kind == "mutated" and several
        length = "x".join(map(str, self.length)) if isinstance(self.length, tuple) else f"{self.length:,}"
        parts = {
            "length": f"{'length' if sequences else 'size'} {length}",
            "divergence": f"{self.divergence:.0%} divergence" if related else "",
            "seed": f"seed {self.seed}",
        }
        taken = [wanted for wanted in problem.inputs if self._number(wanted) or wanted.minimum]
        nouns = [self._noun(wanted, related, bool(sequences), varying) for wanted in taken]
        said = [part for name, part in parts.items() if part and name not in varying]
        return ", ".join([" and ".join(nouns), *said])

    def _noun(self, wanted: Input, related: bool, beside: bool, varying: Collection[str]) -> str:
        """What is made for an input: "mutated DNA", "7 random RNA", "random graph"."""
        counted = self.count is not None and wanted.maximum != wanted.minimum and "count" not in varying
        many = f"{self.count} " if counted else ""
        if wanted.kind.type is Sequence:
            return f"{many}{'mutated' if related else 'random'} {self.type}"
        if given := self._given(wanted.kind):
            return str(given[0].name)
        size = f" of size {BESIDE}" if beside and isinstance(self.length, int) else ""
        several = self._several(wanted, varying)
        return f"{many}random {wanted.kind.plural if several else wanted.label or wanted.kind.label}{size}"

    def _given(self, kind: DataKind) -> list[Any]:
        return [datum for datum in self.given if isinstance(datum, kind.type)]

    def _several(self, wanted: Input, varying: Collection[str]) -> bool:
        """Whether an input may get more than one datum."""
        return self._number(wanted) > 1 or ("count" in varying and wanted.maximum != wanted.minimum)

    def _number(self, wanted: Input) -> int:
        """Data of an input, whether it takes so many or not; of one that may be left out those that are given."""
        if not wanted.minimum:
            return len(self._given(wanted.kind))
        return wanted.minimum if self.count is None or wanted.maximum == wanted.minimum else self.count

    def _count(self, wanted: Input) -> int:
        """The same; ParameterError where it takes fewer or more."""
        count = self._number(wanted)
        if count < wanted.minimum or (wanted.maximum is not None and count > wanted.maximum):
            raise ParameterError(f"count={count} is not a number of inputs that is taken: {wanted.number()}")
        return count

    def _family(self, lengths: Sequences[int], draw: np.random.Generator) -> list[Sequence]:
        letters = np.frombuffer(LETTERS[self.type], np.uint8)
        if self.kind == "random":
            rows = [letters[draw.integers(0, letters.size, length)] for length in lengths]
        else:
            ancestor = letters[draw.integers(0, letters.size, max(lengths, default=0))]
            leaves = self._descend(ancestor, self.divergence / 2, len(lengths), True, letters, draw)
            rows = [_fitted(row, length, letters, draw) for row, length in zip(leaves, lengths, strict=True)]
        return [Sequence(f"{self.kind}{number}", row.tobytes(), self.type) for number, row in enumerate(rows, 1)]

    def _descend(
        self, row: np.ndarray, height: float, count: int, at_root: bool, letters: np.ndarray, draw: np.random.Generator
    ) -> list[np.ndarray]:
        """The leaves below a node; ``height`` is the share of letters that change from here to a leaf.

        The more leaves there are, the sooner a branch parts, as in a tree that grows: most of a leaf's changes are its
        own, and so few leaves of a large family are equal.
        """
        if count <= 1:
            return [self._changed(row, height, letters, draw)] * count
        branch = 0.0 if at_root else draw.uniform(0, 2 * height / (1 + math.log2(count)))
        node = self._changed(row, branch, letters, draw)
        left = int(draw.integers(1, count))
        return [
            leaf
            for size in (left, count - left)
            for leaf in self._descend(node, height - branch, size, False, letters, draw)
        ]

    def _changed(self, row: np.ndarray, share: float, letters: np.ndarray, draw: np.random.Generator) -> np.ndarray:
        """A copy of which ``share`` of the letters were replaced, deleted, or have others before them."""
        row = row.copy()
        replaced = np.flatnonzero(draw.random(row.size) < share * (1 - self.indels))
        codes = np.searchsorted(letters, row[replaced])
        row[replaced] = letters[(codes + draw.integers(1, letters.size, replaced.size)) % letters.size]
        gaps = draw.binomial(row.size, share * self.indels * GAP_SHARE)
        starts, lengths = draw.integers(0, max(row.size, 1), gaps), draw.geometric(GAP_SHARE, gaps)
        inserting = draw.random(gaps) < 0.5
        places = np.repeat(starts[inserting], lengths[inserting])
        new = letters[draw.integers(0, letters.size, places.size)]
        gone = _covered(starts[~inserting], lengths[~inserting], row.size)
        kept = np.insert(np.flatnonzero(~gone), np.searchsorted(np.flatnonzero(~gone), places), -1)
        changed = row[kept]
        changed[kept < 0] = new
        return changed


Inputs = Loaded | Generated


def with_input(inputs: Inputs, name: str, value: Any) -> Inputs:
    """The inputs with another length, count or divergence; ParameterError where they have no such thing."""
    if name == "divergence" and isinstance(inputs, Loaded):
        raise ParameterError("divergence belongs to generated input; leave the files out, or the axis")
    return replace(inputs, **{name: value})


def _each(length: Length, count: int) -> tuple[int, ...]:
    if isinstance(length, int):
        return (length,) * count
    if len(length) != count:
        text = "x".join(map(str, length))
        raise ParameterError(f"length={text} gives {len(length)} lengths, and there are {count} inputs")
    return length


def _cut(datum: Any, length: int) -> Any:
    if not isinstance(datum, Sequence):
        raise InputError(f"{datum.name}: only sequences can be cut to a length; generate the input instead")
    if len(datum) < length:
        raise InputError(f"{datum.name} has {len(datum):,} letters, fewer than length={length:,}; generate the input")
    return replace(datum, letters=datum.letters[:length])


def _fitted(row: np.ndarray, length: int, letters: np.ndarray, draw: np.random.Generator) -> np.ndarray:
    """The front of a row, made longer by random letters where it is too short."""
    return np.concatenate([row[:length], letters[draw.integers(0, letters.size, max(0, length - row.size))]])


def _covered(starts: np.ndarray, lengths: np.ndarray, size: int) -> np.ndarray:
    """Which of ``size`` places lie in one of the ranges; bool."""
    depth = np.zeros(size + 1, np.int64)
    np.add.at(depth, starts, 1)
    np.add.at(depth, np.minimum(starts + lengths, size), -1)
    return np.cumsum(depth)[:size] > 0
