"""Profiles: how often each symbol stands in each column of an alignment (003, section 2.2)."""

from __future__ import annotations

from collections.abc import Iterable
from collections.abc import Sequence as Sequences
from dataclasses import dataclass, field, replace

import numpy as np

from antidiag.kernels.errors import InputError, ParameterError
from antidiag.kernels.io.aligned import GAP, AlignedSequences
from antidiag.kernels.io.aligned_kind import settled
from antidiag.kernels.io.tree import Tree
from antidiag.kernels.io.tree_weights import leaf_weights
from antidiag.kernels.model import Sequence, SequenceType
from antidiag.kernels.serialization import stored
from antidiag.kernels.text import counted

PROTEIN, NUCLEOTIDES = "ACDEFGHIKLMNPQRSTVWY-", "ACGT-"
"""The alphabets of the field; the blank is the last symbol of every alphabet."""

MEANS = {
    PROTEIN: {"B": "DN", "Z": "EQ", "J": "IL", "U": "C", "O": "K"},
    NUCLEOTIDES: {
        "U": "T", "R": "AG", "Y": "CT", "S": "CG", "W": "AT", "K": "GT", "M": "AC", "B": "CGT", "D": "AGT", "H": "ACT",
        "V": "ACG",
    },
}  # fmt: skip
"""Letters that stand for several symbols, each as likely; those named nowhere (X, N, *) stand for all letters."""

MANY = 1 << 20
"""Letters beyond which an alignment is counted by compiled code."""
SPARSE = 0.3
"""Concentration of random columns: of protein some three letters make most of one, as in alignments of families."""

FACTORS = ("open_factors", "extend_factors")
"""The fields of a profile that scale gap costs."""


@stored("profile")
@dataclass(frozen=True, eq=False)
class Profile:
    """Frequencies of symbols, column by column, and the rows that they come from, where those are known.

    ``alphabet`` ends with the blank, '-'. ``frequencies`` is float64 (symbols, columns), each column sums to 1,
    read-only. ``letters`` is uint8 (rows, columns), as in `AlignedSequences`, and has no rows where the profile comes
    from elsewhere; ``names`` and ``weights`` (float64) belong to the rows. ``open_factors`` and ``extend_factors``
    (float64, one for a column, finite and 0 or more, else InputError) scale the cost of opening and of extending a gap
    opposite a column, where gap costs depend on the position; without them that is the share of rows that have a letter
    there. ``pseudocounts`` so many letters of the background are in the frequencies (see `making`).
    """

    alphabet: str
    frequencies: np.ndarray = field(repr=False)
    type: SequenceType
    letters: np.ndarray = field(repr=False)
    names: tuple[str, ...] = ()
    weights: np.ndarray = field(default_factory=lambda: np.ones(0), repr=False)
    open_factors: np.ndarray | None = field(default=None, repr=False)
    extend_factors: np.ndarray | None = field(default=None, repr=False)
    name: str = "profile"
    source: str = ""
    note: str = ""
    pseudocounts: float = 0.0

    def __post_init__(self) -> None:
        for name in FACTORS:
            factors = getattr(self, name)
            if factors is None:
                continue
            if factors.shape != (len(self),) or not np.isfinite(factors).all() or (factors < 0).any():
                raise InputError(
                    f"{self.name}: {name} are {counted(len(self), 'number')}, finite and 0 or more, one for a column"
                )

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, Profile)
            and (self.alphabet, self.names) == (other.alphabet, other.names)
            and np.array_equal(self.frequencies, other.frequencies)
            and np.array_equal(self.letters, other.letters)
            and all(_equal(getattr(self, one), getattr(other, one)) for one in FACTORS)
        )

    def __hash__(self) -> int:
        return hash((self.alphabet, self.frequencies.shape, self.frequencies[:, :16].tobytes()))

    def __len__(self) -> int:
        return self.frequencies.shape[1]

    @property
    def summary(self) -> str:
        """The size in a few words: "160 columns of 24 rows"."""
        rows = f" of {counted(len(self.names), 'row')}" if self.names else ""
        return f"{counted(len(self), 'column')}{rows}, {len(self.alphabet)} symbols"

    @property
    def consensus(self) -> str:
        """The most frequent letter of every column; of equal ones the first of the alphabet. Blanks do not count, but
        a column without any letter is a blank."""
        letters = self.frequencies[:-1]
        best = np.where(letters.any(axis=0), np.argmax(letters, axis=0), len(letters))
        return "".join(self.alphabet[symbol] for symbol in best)

    @property
    def majority(self) -> np.ndarray:
        """Whether more than half of the rows, by weight, hold the letter of the consensus; bool, one for a column."""
        return self.frequencies[:-1].max(axis=0) > 0.5

    @property
    def rows(self) -> tuple[tuple[Sequence, np.ndarray], ...]:
        """The rows as sequences and their letters with gaps (uint8); the consensus where the rows are not known."""
        if not self.names:
            consensus = np.frombuffer(self.consensus.encode("ascii"), np.uint8)
            return ((Sequence(self.name, consensus[consensus != GAP].tobytes(), self.type), consensus),)
        return tuple(
            (Sequence(name, row[row != GAP].tobytes(), self.type), row)
            for name, row in zip(self.names, self.letters, strict=True)
        )

    def columns(self, first: int, last: int) -> Profile:
        """The profile of columns ``first``..``last`` - 1."""
        opens, extends = (None if one is None else one[first:last] for one in (self.open_factors, self.extend_factors))
        return replace(
            self, frequencies=self.frequencies[:, first:last], letters=self.letters[:, first:last], open_factors=opens,
            extend_factors=extends,
        )  # fmt: skip


def from_alignment(
    aligned: AlignedSequences,
    weights: Sequences[float] | np.ndarray | Tree | None = None,
    alphabet: str = "",
    name: str = "",
) -> Profile:
    """The profile of an alignment.

    ``weights`` are those of the rows, in their order, a guide tree with every row among its leaves, from which they
    are taken as ClustalW does (`tree_weights.leaf_weights`), or None where all rows count alike. They need not sum
    to 1. ``alphabet`` is that of proteins or of nucleotides where it is left out; another one ends with '-', and every
    letter of the alignment must be in it. InputError names the row.
    """
    aligned = settled(aligned)
    symbols = alphabet or (PROTEIN if aligned.type == SequenceType.PROTEIN else NUCLEOTIDES)
    counted_as = _shares(symbols, aligned)
    weighing = _weights(aligned, weights)
    frequencies = _weighed(aligned.letters, weighing, counted_as) / weighing.sum()
    return Profile(
        symbols, _frozen(frequencies), aligned.type, aligned.letters, aligned.names, _frozen(weighing),
        name=name or aligned.name, source=aligned.source, note=aligned.note,
    )  # fmt: skip


def from_sequence(sequence: Sequence, alphabet: str = "") -> Profile:
    """The profile of one sequence: in every column one symbol."""
    letters = sequence.array[None, :]
    return from_alignment(AlignedSequences((sequence.name,), letters, sequence.type, sequence.name, sequence.source),
                          alphabet=alphabet)  # fmt: skip


def from_frequencies(
    frequencies: np.ndarray, alphabet: str, type: SequenceType, name: str = "profile", source: str = ""
) -> Profile:
    """A profile of frequencies (symbols, columns) alone; each column is scaled to sum to 1.

    InputError for an alphabet that repeats a symbol, for numbers that are negative or not finite, and for a column
    without any.
    """
    values = np.array(frequencies, float)
    if not _proper(alphabet):
        raise InputError(f"{name}: {NO_ALPHABET.format(alphabet)}")
    if values.ndim != 2 or values.shape[0] != len(alphabet):
        raise InputError(f"{name}: {values.shape[0]} rows of frequencies; the alphabet {alphabet} has {len(alphabet)}")
    wrong = np.flatnonzero(~np.isfinite(values).all(axis=0) | (values < 0).any(axis=0) | ~values.any(axis=0))
    if wrong.size:
        raise InputError(f"{name}, column {wrong[0] + 1:,}: frequencies are 0 or more, finite, and not all 0")
    return Profile(alphabet, _frozen(values / values.sum(axis=0)), type, np.zeros((0, values.shape[1]), np.uint8),
                   name=name, source=source)  # fmt: skip


def random_profile(size: int, random: np.random.Generator, alphabet: str = PROTEIN) -> Profile:
    """``size`` random columns, of which each holds a few symbols, as those of alignments do."""
    columns = random.gamma(SPARSE, size=(len(alphabet), size)) + 1e-9
    kind = SequenceType.PROTEIN if alphabet == PROTEIN else SequenceType.DNA
    return from_frequencies(columns, alphabet, kind, "random")


NO_ALPHABET = "alphabet {!r}: give different symbols, and '-' as the last one"


def _proper(alphabet: str) -> bool:
    """Whether symbols are an alphabet: a letter at least, none twice, the blank last."""
    return len(set(alphabet)) == len(alphabet) >= 2 and alphabet.endswith("-")


def _shares(alphabet: str, aligned: AlignedSequences) -> np.ndarray:
    """What one letter adds to each symbol, float64 (symbols, 256); InputError for a letter that has no place."""
    if not _proper(alphabet):
        raise ParameterError(NO_ALPHABET.format(alphabet))
    shares = np.zeros((len(alphabet), 256))
    means = MEANS.get(alphabet)
    for letter in np.unique(aligned.letters).tolist():
        symbol = chr(letter)
        if symbol in alphabet:
            stands_for: Iterable[str] = symbol
        elif means is not None:
            stands_for = means.get(symbol, alphabet[:-1])
        else:
            row, column = np.argwhere(aligned.letters == letter)[0]
            raise InputError(
                f"{aligned.name}, row {aligned.names[row]}, column {column + 1:,}: {symbol!r} is not in the alphabet "
                f"{alphabet}"
            )
        places = [alphabet.index(one) for one in stands_for]
        shares[places, letter] = 1 / len(places)
    return shares


def _weighed(letters: np.ndarray, weights: np.ndarray, counted_as: np.ndarray) -> np.ndarray:
    """The sum of what the rows add to each symbol, float64 (symbols, columns)."""
    if letters.size > MANY:
        from antidiag.kernels.profiles.cpu_counts import weigh  # loads Numba, which few letters do not need

        by_letter = np.zeros((256, letters.shape[1]))
        weigh(letters, weights, by_letter)
        return counted_as @ by_letter
    found = np.zeros((len(counted_as), letters.shape[1]))
    for row, weight in zip(letters, weights, strict=True):
        found += weight * counted_as[:, row]
    return found


def _weights(aligned: AlignedSequences, weights: Sequences[float] | np.ndarray | Tree | None) -> np.ndarray:
    count = len(aligned.names)
    if weights is None:
        return np.ones(count)
    if isinstance(weights, Tree):
        known = dict(zip(weights.taxa, leaf_weights(weights).tolist(), strict=True))
        missing = next((name for name in aligned.names if name not in known), None)
        if missing is not None:
            raise InputError(f"{aligned.name}: the row {missing} is no leaf of the tree; give the tree of these rows")
        found = np.array([known[name] for name in aligned.names])
    else:
        found = np.array(weights, float)
    if found.shape != (count,) or not np.isfinite(found).all() or (found < 0).any() or not found.any():
        raise ParameterError(f"{aligned.name}: {count:,} rows need as many weights, 0 or more, and not all 0")
    return found


def _frozen(values: np.ndarray) -> np.ndarray:
    values.setflags(write=False)
    return values


def _equal(one: np.ndarray | None, other: np.ndarray | None) -> bool:
    return (one is None) == (other is None) and (one is None or other is None or np.array_equal(one, other))
