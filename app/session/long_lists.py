"""Long lists of a session as arrays: a million values of JSON hold the interpreter, and with it the window, when they
are read and when they are given back, and each takes as much memory as the sequence that it stands for."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from antidiag.kernels.gui_priority import iterate_yielding

LONG = 10_000
"""Values from which on a list is an array."""
PART = 10_000
"""Values that are made at a time: between these other threads go on."""
END = ord("\n")


def lines_of(texts: Sequence[str]) -> np.ndarray | None:
    """Texts as the lines of one array, uint8; None where one of them holds a line end itself."""
    parts = []
    for at in range(0, len(texts), PART):
        some = texts[at : at + PART]
        joined = "\n".join(some)
        if joined.count("\n") != len(some) - 1:
            return None
        parts.append(np.frombuffer(f"{joined}\n".encode("utf-8", "surrogatepass"), np.uint8))
    return np.concatenate([np.zeros(0, np.uint8), *parts])


def texts_of(lines: np.ndarray) -> tuple[str, ...]:
    """The texts of which `lines_of` made the lines; ValueError where it made none such."""
    if lines.dtype != np.uint8:
        raise ValueError("texts are no numbers")
    return tuple(line.decode("utf-8", "surrogatepass") for line in iterate_yielding(each_line(lines.tobytes())))


def each_line(text: bytes) -> Iterator[bytes]:
    """The lines of a text; ValueError where the last one has no end."""
    there = np.frombuffer(text, np.uint8)
    if there.size and there[-1] != END:
        raise ValueError("a line is cut")
    ends = np.flatnonzero(there == END)
    for at in range(0, ends.size, PART):
        begin, end = int(ends[at - 1]) + 1 if at else 0, int(ends[min(at + PART, ends.size) - 1])
        yield from text[begin:end].split(b"\n")


def numbers_of(array: np.ndarray) -> Iterator[int]:
    """The numbers of an array."""
    for at in range(0, array.size, PART):
        yield from array[at : at + PART].tolist()
