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
        return cls(np.frombuffer(b"".join(encoded), np.uint8), offsets_of(np.array(list(map(len, encoded)), np.int64)))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, TextColumn):
            return NotImplemented
        return np.array_equal(self.offsets, other.offsets) and np.array_equal(self.data, other.data)

    __hash__ = None  # type: ignore[assignment]

    def __len__(self) -> int:
        return self.offsets.size - 1

    def __getitem__(self, index):
        if isinstance(index, slice):
            return self.take(np.arange(*index.indices(len(self))))
        index = range(len(self))[index]
        return self.data[self.offsets[index] : self.offsets[index + 1]].tobytes().decode(ENCODING, ERRORS)

    def __iter__(self) -> Iterator[str]:
        data, offsets = self.data.tobytes(), self.offsets.tolist()
        for start, end in itertools.pairwise(offsets):
            yield data[start:end].decode(ENCODING, ERRORS)

    def take(self, rows: np.ndarray) -> TextColumn:
        """Return the texts of these rows, in their order."""
        return TextColumn(*take_ranges(self.data, self.offsets, rows))

    @staticmethod
    def concatenate(columns: Sequence[TextColumn]) -> TextColumn:
        """Return one column with the texts of several."""
        data = np.concatenate([np.zeros(0, np.uint8), *(column.data for column in columns)])
        lengths = np.concatenate([np.zeros(0, np.int64), *(np.diff(column.offsets) for column in columns)])
        return TextColumn(data, offsets_of(lengths))


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
        return self.take(index) if isinstance(index, slice) else self.texts[self.numbers[index]]

    def __iter__(self) -> Iterator[str]:
        return map(self.texts.__getitem__, self.numbers.tolist())

    def take(self, rows: np.ndarray | slice) -> TextPool:
        """Return the texts of these rows, in their order."""
        return TextPool(self.texts, self.numbers[rows])

    @staticmethod
    def concatenate(pools: Sequence[TextPool]) -> TextPool:
        """Return one pool with the texts of several."""
        places: dict[str, int] = {}
        numbers = [np.zeros(0, np.int32)]
        for pool in pools:
            own = np.array([places.setdefault(text, len(places)) for text in pool.texts], np.int32)
            numbers.append(own[pool.numbers])
        return TextPool(tuple(places), np.concatenate(numbers))


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


def take_ranges(data: np.ndarray, offsets: np.ndarray, rows: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the data and offsets of some ranges, in the order of ``rows``; neighbouring rows are copied together."""
    rows = np.asarray(rows, np.int64)
    if not rows.size:
        return np.zeros(0, np.uint8), np.zeros(1, np.int64)
    breaks = np.flatnonzero(np.diff(rows) != 1) + 1
    first, last = rows[np.append(0, breaks)], rows[np.append(breaks, rows.size) - 1]
    starts, ends = offsets[first].tolist(), offsets[last + 1].tolist()
    pieces = [data[start:end] for start, end in zip(starts, ends, strict=True)]
    taken = pieces[0] if len(pieces) == 1 else np.concatenate(pieces)
    return taken, offsets_of(offsets[rows + 1] - offsets[rows])
