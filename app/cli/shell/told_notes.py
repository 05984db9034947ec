"""The note that there is no GPU: it is printed once on a machine, not after every run."""

from __future__ import annotations

import contextlib
from collections.abc import Iterable

import platformdirs

from antidiag.kernels.cuda import devices
from antidiag.kernels.errors import InputError
from antidiag.kernels.io.files import write_lines


def select_new_notes(notes: Iterable[str]) -> list[str]:
    """Return the notes of a run without the one about a missing GPU, if an earlier command has printed it.

    'info' says at any time why no GPU is used.
    """
    found, reason = devices.discover_devices()
    known = "" if found else f"The CPU is used: {reason}."
    return [note for note in notes if note != known or _is_new(note)]


def _is_new(note: str) -> bool:
    """Return whether a note was not printed before, and remember that it is printed now."""
    path = platformdirs.user_state_path("antidiag") / "told-notes.txt"
    with contextlib.suppress(OSError, UnicodeDecodeError):
        if path.read_text(encoding="utf-8").strip() == note:
            return False
    with contextlib.suppress(OSError, InputError):  # a note that is printed twice is not worth an error
        path.parent.mkdir(parents=True, exist_ok=True)
        write_lines(path, [f"{note}\n"])
    return True
