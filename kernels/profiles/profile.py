"""Profiles: frequencies of symbols in each column of an alignment (Hanif 2014, section 2.2)."""

from __future__ import annotations

from collections.abc import Iterable
from collections.abc import Sequence as Sequences
from dataclasses import dataclass, field, replace

import numpy as np

from antidiag.kernels.alignments.alignment_kind import as_arrays
from antidiag.kernels.errors import InputError, ParameterError
from antidiag.kernels.io.aligned_sequences import GAP, AlignedSequences
from antidiag.kernels.io.tree import Tree
from antidiag.kernels.io.tree_weights import leaf_weights
from antidiag.kernels.model import Sequence, SequenceType
from antidiag.kernels.sequences.alphabets import letter_meanings
from antidiag.kernels.serialization import stored
from antidiag.kernels.text import format_count

PROTEIN, NUCLEOTIDES = "ACDEFGHIKLMNPQRSTVWY-", "ACGT-"
"""Alphabets of proteins and nucleotides; the blank is the last symbol of every alphabet."""

MEANS = {PROTEIN: letter_meanings(protein=True), NUCLEOTIDES: letter_meanings(protein=False)}
"""Letters beside the symbols and what they stand for, equally likely; others, such as *, stand for all symbols."""

MANY = 1 << 20
"""Letters from which on compiled code counts an alignment."""
SPARSE = 0.3
"""Concentration of random columns: some three amino acids make most of a column, as in alignments of families."""

FACTORS = ("open_factors", "extend_factors")
"""The profile fields that scale gap costs."""


@stored("profile")
@dataclass(frozen=True, eq=False)
class Profile:
    """Frequencies of symbols in each column, and the rows they come from, if known.

    ``alphabet`` ends with the blank, '-'. ``frequencies`` float64 (symbols, columns), read-only; columns sum to 1.
    ``letters`` uint8 (rows, columns), as in `AlignedSequences`, without rows if unknown; ``names`` and ``weights``
    (float64) belong to the rows. ``open_factors`` and ``extend_factors`` (float64, one per column, finite and 0 or
    more, else InputError) scale the costs of opening and extending a gap opposite a column where gap costs depend on
    position; without them the scale is the share of rows with a letter. The frequencies include ``pseudocounts``
    letters of the background (see `profile_builder`).
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
                    f"{self.name}: {name} are {format_count(len(self), 'number')}, finite and 0 or more, one for a "
                    "column"
                )

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, Profile)
            and (self.alphabet, self.names) == (other.alphabet, other.names)
            and np.array_equal(self.frequencies, other.frequencies)
            and np.array_equal(self.letters, other.letters)
            and all(_arrays_equal(getattr(self, one), getattr(other, one)) for one in FACTORS)
        )

    def __hash__(self) -> int:
        return hash((self.alphabet, self.frequencies.shape, self.frequencies[:, :16].tobytes()))

    def __len__(self) -> int:
        return self.frequencies.shape[1]

    @property
    def summary(self) -> str:
        """Return the size in words: "160 columns of 24 rows"."""
        rows = f" of {format_count(len(self.names), 'row')}" if self.names else ""
        return f"{format_count(len(self), 'column')}{rows}, {len(self.alphabet)} symbols"

    @property
    def consensus(self) -> str:
        """Return the most frequent letter of each column, of equal ones the first of the alphabet.

        Blanks do not count, but a column without letters is a blank.
        """
        letters = self.frequencies[:-1]
        best = np.where(letters.any(axis=0), np.argmax(letters, axis=0), len(letters))
        return "".join(self.alphabet[symbol] for symbol in best)

    @property
    def has_majority(self) -> np.ndarray:
        """Return for each column whether more than half of the rows, by weight, hold the consensus; bool."""
        return self.frequencies[:-1].max(axis=0) > 0.5

    @property
    def rows(self) -> tuple[tuple[Sequence, np.ndarray], ...]:
        """Return the rows as sequences and their letters with gaps (uint8); the consensus if rows are unknown."""
        if not self.names:
            consensus = np.frombuffer(self.consensus.encode("ascii"), np.uint8)
            return ((Sequence(self.name, consensus[consensus != GAP].tobytes(), self.type), consensus),)
        return tuple(
            (Sequence(name, row[row != GAP].tobytes(), self.type), row)
            for name, row in zip(self.names, self.letters, strict=True)
        )

    def slice_columns(self, first: int, last: int) -> Profile:
        """Return the profile of columns ``first`` to ``last`` - 1."""
        opens, extends = (None if one is None else one[first:last] for one in (self.open_factors, self.extend_factors))
        return replace(
            self,
            frequencies=self.frequencies[:, first:last],
            letters=self.letters[:, first:last],
            open_factors=opens,
            extend_factors=extends,
        )


def profile_from_alignment(
    aligned: AlignedSequences,
    weights: Sequences[float] | np.ndarray | Tree | None = None,
    alphabet: str = "",
    name: str = "",
) -> Profile:
    """Return the profile of an alignment.

    Parameters
    ----------
    aligned
        The alignment.
    weights
        One per row, with any sum; or a guide tree with every row among its leaves, for ClustalW's weights; or None for
        equal row weights.
    alphabet
        Default: that of proteins or of nucleotides. Another one ends with '-' and has every letter of the alignment.

    Raises
    ------
    InputError
        Names the row.
    """
    aligned = as_arrays(aligned)
    symbols = alphabet or (PROTEIN if aligned.type == SequenceType.PROTEIN else NUCLEOTIDES)
    counted_as = _letter_shares(symbols, aligned)
    weighing = _row_weights(aligned, weights)
    frequencies = _sum_letters(aligned.letters, weighing, counted_as) / weighing.sum()
    return Profile(
        symbols,
        _freeze(frequencies),
        aligned.type,
        aligned.letters,
        aligned.names,
        _freeze(weighing),
        name=name or aligned.name,
        source=aligned.source,
        note=aligned.note,
    )


def profile_from_sequence(sequence: Sequence, alphabet: str = "") -> Profile:
    """Return the profile of one sequence: one symbol in each column."""
    letters = sequence.letter_array[None, :]
    return profile_from_alignment(
        AlignedSequences((sequence.name,), letters, sequence.type, sequence.name, sequence.source), alphabet=alphabet
    )


def profile_from_frequencies(
    frequencies: np.ndarray, alphabet: str, type: SequenceType, name: str = "profile", source: str = ""
) -> Profile:
    """Return a profile of frequencies (symbols, columns) alone; each column is scaled to sum to 1.

    InputError if the alphabet repeats a symbol, a number is negative or not finite, or a column is all 0.
    """
    values = np.array(frequencies, float)
    if not _is_alphabet(alphabet):
        raise InputError(f"{name}: {NO_ALPHABET.format(alphabet)}")
    if values.ndim != 2 or values.shape[0] != len(alphabet):
        raise InputError(f"{name}: {values.shape[0]} rows of frequencies; the alphabet {alphabet} has {len(alphabet)}")
    wrong = np.flatnonzero(~np.isfinite(values).all(axis=0) | (values < 0).any(axis=0) | ~values.any(axis=0))
    if wrong.size:
        raise InputError(f"{name}, column {wrong[0] + 1:,}: frequencies are 0 or more, finite, and not all 0")
    return Profile(
        alphabet,
        _freeze(values / values.sum(axis=0)),
        type,
        np.zeros((0, values.shape[1]), np.uint8),
        name=name,
        source=source,
    )


def generate_profile(size: int, random: np.random.Generator, alphabet: str = PROTEIN) -> Profile:
    """Return ``size`` random columns with few symbols each, like those of alignments."""
    columns = random.gamma(SPARSE, size=(len(alphabet), size)) + 1e-9
    kind = SequenceType.PROTEIN if alphabet == PROTEIN else SequenceType.DNA
    return profile_from_frequencies(columns, alphabet, kind, "random")


NO_ALPHABET = "alphabet {!r}: use different symbols, '-' last"


def _is_alphabet(alphabet: str) -> bool:
    """Return whether symbols are an alphabet: at least one letter, none twice, the blank last."""
    return len(set(alphabet)) == len(alphabet) >= 2 and alphabet.endswith("-")


def _letter_shares(alphabet: str, aligned: AlignedSequences) -> np.ndarray:
    """Return what one letter adds to each symbol, float64 (symbols, 256); InputError for an unknown letter."""
    if not _is_alphabet(alphabet):
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


def _sum_letters(letters: np.ndarray, weights: np.ndarray, counted_as: np.ndarray) -> np.ndarray:
    """Return the weighted sum of letters for each symbol, float64 (symbols, columns)."""
    if letters.size > MANY:
        from antidiag.kernels.profiles.column_scores.cpu_counts import (
            add_letter_weights,  # loads Numba, which few letters do not need
        )

        by_letter = np.zeros((256, letters.shape[1]))
        add_letter_weights(letters, weights, by_letter)
        return counted_as @ by_letter
    found = np.zeros((len(counted_as), letters.shape[1]))
    for row, weight in zip(letters, weights, strict=True):
        found += weight * counted_as[:, row]
    return found


def _row_weights(aligned: AlignedSequences, weights: Sequences[float] | np.ndarray | Tree | None) -> np.ndarray:
    """Return the weights of the rows, float64."""
    count = len(aligned.names)
    if weights is None:
        return np.ones(count)
    if isinstance(weights, Tree):
        known = dict(zip(weights.taxa, leaf_weights(weights).tolist(), strict=True))
        missing = next((name for name in aligned.names if name not in known), None)
        if missing is not None:
            raise InputError(f"{aligned.name}: row {missing} is not a leaf of the tree; use a tree of these rows")
        found = np.array([known[name] for name in aligned.names])
    else:
        found = np.array(weights, float)
    if found.shape != (count,) or not np.isfinite(found).all() or (found < 0).any() or not found.any():
        raise ParameterError(f"{aligned.name}: {count:,} rows need one weight each, at least 0 and not all 0")
    return found


def _freeze(values: np.ndarray) -> np.ndarray:
    values.setflags(write=False)
    return values


def _arrays_equal(one: np.ndarray | None, other: np.ndarray | None) -> bool:
    return (one is None) == (other is None) and (one is None or other is None or np.array_equal(one, other))
