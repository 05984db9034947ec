"""Many short texts in one array of bytes, with the offset of each."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from antidiag.kernels.serialization import stored

ENCODING, ERRORS = "utf-8", "surrogatepass"


@stored("text-column")
@dataclass(frozen=True, eq=False, repr=False)
class TextColumn(Sequence[str]):
    """An immutable list of texts.

    Parameters
    ----------
    data : ndarray of uint8
        The texts in UTF-8, one after another.
    offsets : ndarray of int64, shape (count + 1,)
        Text i is ``data[offsets[i]:offsets[i + 1]]``.
    """

    data: np.ndarray
    offsets: np.ndarray

    def __post_init__(self) -> None:
        check_offsets(self.data, self.offsets)
        if (self.data >= 128).any():
            self.data.tobytes().decode(ENCODING, ERRORS)
            starts = self.offsets[:-1][np.diff(self.offsets) > 0]
            if ((self.data[starts] & 0xC0) == 0x80).any():
                raise ValueError("offsets cut a character of a text")
        make_read_only(self.data, self.offsets)

    @classmethod
    def from_texts(cls, texts: Iterable[str]) -> TextColumn:
        """Return the column of these texts."""
        encoded = [text.encode(ENCODING, ERRORS) for text in texts]
        lengths = np.fromiter((len(text) for text in encoded), np.int64, len(encoded))
        return cls(np.frombuffer(b"".join(encoded), np.uint8), offsets_of(lengths))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, TextColumn):
            return NotImplemented
        return np.array_equal(self.offsets, other.offsets) and np.array_equal(self.data, other.data)

    __hash__ = None  # type: ignore[assignment]

    def __len__(self) -> int:
        return self.offsets.size - 1

    def __getitem__(self, index):
        if isinstance(index, slice):
            return TextColumn.gather([self], np.arange(*index.indices(len(self))))
        index = range(len(self))[index]
        return self.data[self.offsets[index] : self.offsets[index + 1]].tobytes().decode(ENCODING, ERRORS)

    def __iter__(self) -> Iterator[str]:
        data, offsets = self.data.tobytes(), self.offsets.tolist()
        for start, end in itertools.pairwise(offsets):
            yield data[start:end].decode(ENCODING, ERRORS)

    @staticmethod
    def gather(columns: Sequence[TextColumn], rows: np.ndarray) -> TextColumn:
        """Return some rows of several columns, whose rows are numbered through."""
        return TextColumn(*gather_ranges([(column.data, column.offsets) for column in columns], rows))


@stored("text-pool")
@dataclass(frozen=True, eq=False, repr=False)
class TextPool(Sequence[str]):
    """An immutable list of texts of which there are few different ones, such as the files of sequences.

    Parameters
    ----------
    texts : tuple of str
        The different texts.
    numbers : ndarray of int32, shape (count,)
        Which of them each text is.
    """

    texts: tuple[str, ...]
    numbers: np.ndarray

    def __post_init__(self) -> None:
        numbers = self.numbers
        known = not numbers.size or 0 <= numbers.min() <= numbers.max() < len(self.texts)
        if numbers.dtype != np.int32 or numbers.ndim != 1 or not known:
            raise ValueError("numbers of texts do not fit their texts")
        make_read_only(numbers)

    @classmethod
    def from_texts(cls, texts: Iterable[str]) -> TextPool:
        """Return the pool of these texts."""
        places: dict[str, int] = {}
        numbers = np.array([places.setdefault(text, len(places)) for text in texts], np.int32)
        return cls(tuple(places), numbers)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, TextPool):
            return NotImplemented
        same = (np.array(pool.texts, object)[pool.numbers] for pool in (self, other) if len(pool))
        return len(self) == len(other) and (not len(self) or np.array_equal(*same))

    __hash__ = None  # type: ignore[assignment]

    def __len__(self) -> int:
        return self.numbers.size

    def __getitem__(self, index):
        if isinstance(index, slice):
            return TextPool(self.texts, self.numbers[index])
        return self.texts[self.numbers[index]]

    def __iter__(self) -> Iterator[str]:
        return map(self.texts.__getitem__, self.numbers.tolist())

    @staticmethod
    def gather(pools: Sequence[TextPool], rows: np.ndarray) -> TextPool:
        """Return some rows of several pools, whose rows are numbered through."""
        places: dict[str, int] = {}
        numbers = [np.zeros(0, np.int32)]
        for pool in pools:
            own = np.array([places.setdefault(text, len(places)) for text in pool.texts], np.int32)
            numbers.append(own[pool.numbers])
        taken, listed = np.concatenate(numbers)[rows], list(places)
        used = np.flatnonzero(np.bincount(taken, minlength=len(listed)))  # texts of other rows are not kept
        new_numbers = np.zeros(len(listed), np.int32)
        new_numbers[used] = np.arange(used.size)
        return TextPool(tuple(listed[number] for number in used), new_numbers[taken])


def check_offsets(data: np.ndarray, offsets: np.ndarray) -> None:
    """Raise ValueError unless the offsets cut all of the data, a uint8 array, into ranges."""
    fits = data.dtype == np.uint8 and offsets.dtype == np.int64 and data.ndim == offsets.ndim == 1 and offsets.size > 0
    if not fits or offsets[0] != 0 or offsets[-1] != data.size or (np.diff(offsets) < 0).any():
        raise ValueError("offsets do not fit their data")


def offsets_of(lengths: np.ndarray) -> np.ndarray:
    """Return where each of the ranges of these lengths begins, and where the last one ends; int64."""
    offsets = np.zeros(lengths.size + 1, np.int64)
    np.cumsum(lengths, out=offsets[1:])
    return offsets


def make_read_only(*arrays: np.ndarray) -> None:
    """Let nobody write to these arrays."""
    for array in arrays:
        array.setflags(write=False)


def gather_ranges(sources: Sequence[tuple[np.ndarray, np.ndarray]], rows: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the data and offsets of some ranges of several arrays; neighbouring ranges are copied together.

    Parameters
    ----------
    sources : list of (data, offsets)
        Arrays of ranges, which are numbered through from the first source to the last.
    rows : ndarray of int64
        Numbers of the ranges, in the order of the result.
    """
    if not rows.size:
        return np.zeros(0, np.uint8), np.zeros(1, np.int64)
    first_rows = offsets_of(np.array([offsets.size - 1 for _, offsets in sources]))
    lengths = np.concatenate([np.diff(offsets) for _, offsets in sources])[rows]
    numbers = np.searchsorted(first_rows, rows, side="right") - 1
    breaks = np.flatnonzero((np.diff(rows) != 1) | (np.diff(numbers) != 0)) + 1
    starts, ends = np.append(0, breaks), np.append(breaks, rows.size) - 1
    own_rows = rows - first_rows[numbers]
    pieces = []
    for number, first, last in np.stack([numbers[starts], own_rows[starts], own_rows[ends]], axis=1).tolist():
        data, offsets = sources[number]
        pieces.append(data[offsets[first] : offsets[last + 1]])
    return pieces[0] if len(pieces) == 1 else np.concatenate(pieces), offsets_of(lengths)
