"""Large arrays of a session in files beside it, each of which is written once: an edit of an alignment of a gigabyte
saves what it changed, and not the gigabyte."""

from __future__ import annotations

import contextlib
import re
import threading
import uuid
import weakref
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import IO

import numpy as np

from antidiag.kernels.atomic_write import open_atomic
from antidiag.kernels.errors import InputError

LEAST = 1 << 20
"""Bytes of an array from which on it has a file of its own."""
BESIDE = "beside/"
"""How the index of a session names such an array; the rest is the name of its file."""
_FILE = re.compile(r"[0-9a-f]{32}\.npy")


class Parts:
    """The files in one folder, and the arrays in memory that they hold: only arrays that cannot be written to.

    Who reads them holds the ``lock``, so that none is removed meanwhile. Another program may use the same folder, and
    remove files that its own session does not name; what is missing is written again.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self.lock = threading.RLock()
        self._known: dict[int, tuple[weakref.ref[np.ndarray], str]] = {}

    def place(self, array: np.ndarray) -> str | None:
        """What the index names an array; None for one that goes into the session itself."""
        if array.nbytes < LEAST or array.flags.writeable or not array.flags.c_contiguous or not _holds(array):
            return None
        ref, name = self._known.get(id(array), (None, ""))
        if ref is None or ref() is not array:
            self._know(array, name := f"{uuid.uuid4().hex}.npy")
        return BESIDE + name

    def lacking(self, places: Iterable[str]) -> list[str]:
        """Those of the arrays whose files are still to be written."""
        return [place for place in places if not self._path(place).exists()]

    @contextlib.contextmanager
    def writing(self, place: str) -> Iterator[IO[bytes]]:
        """Write the file of an array, which is there when all of it is; OSError where that fails."""
        self._folder.mkdir(parents=True, exist_ok=True)
        with open_atomic(self._path(place)) as handle:
            yield handle

    def bytes_of(self, places: Iterable[str]) -> int:
        """Bytes of the files of arrays; OSError where one is missing."""
        return sum(self._path(place).stat().st_size for place in places)

    def read(self, place: str) -> np.ndarray:
        """The array of a file, which need not be written again; OSError and ValueError where there is none."""
        array = np.load(self._path(place), allow_pickle=False)
        self._know(array, place.removeprefix(BESIDE))
        return array

    def keep(self, places: Iterable[str]) -> None:
        """Remove all files but those of these arrays, as far as that can be done."""
        kept = {self._path(place) for place in places}
        with self.lock, contextlib.suppress(OSError):
            for path in self._folder.iterdir():
                if path not in kept:
                    with contextlib.suppress(OSError):
                        path.unlink()
        names = {path.name for path in kept}
        self._known = {number: known for number, known in self._known.items() if known[1] in names}

    def _know(self, array: np.ndarray, name: str) -> None:
        self._known[id(array)] = weakref.ref(array), name

    def _path(self, place: str) -> Path:
        name = place.removeprefix(BESIDE)
        if not _FILE.fullmatch(name):
            raise InputError(f"{place!r} is no file beside a session")
        return self._folder / name


def _holds(array: np.ndarray) -> bool:
    """Whether an array is the same object each time, and not one that is made to be written."""
    return array.base is None or isinstance(array.base, np.ndarray)
