"""Errors for the user: each message says what is wrong, where, and what to do."""

from __future__ import annotations

import re

LONGEST_MESSAGE = 2000
"""Longest message in letters; a damaged file may contain a word of a million letters."""
LONG_WORD = re.compile(r"[^ ]{300,}")
SHOWN_LETTERS = 100
"""Letters that are shown of the beginning and of the end of a long word."""


class AntidiagError(Exception):
    """Base of all errors whose message is written for the user; long messages are shortened."""

    def __init__(self, *parts: object) -> None:
        super().__init__(*(_shorten_message(part) if isinstance(part, str) else part for part in parts))


class InputError(AntidiagError):
    """A file, a sequence or a letter that cannot be used."""


class ParameterError(AntidiagError):
    """A parameter or option outside its range."""


class MemoryRefused(AntidiagError):
    """The run was refused before allocation, because it would not fit."""


class ResultNotSaved(AntidiagError):
    """A result could not be written as asked; the message says where it is instead, and the cause is the error."""


class DiskFull(AntidiagError):
    """The disk has no space for the files of a run."""


class BackendUnavailable(AntidiagError):
    """The requested backend or device is not available."""


class ScoreOverflow(AntidiagError):
    """Scores of a problem could exceed the range of 32-bit integers."""


class Cancelled(Exception):
    """The user cancelled the run; this is not an error."""


def _shorten_message(text: str) -> str:
    """Return a message with long words and the message itself shortened."""
    text = LONG_WORD.sub(lambda found: f"{found[0][:SHOWN_LETTERS]}...{found[0][-SHOWN_LETTERS:]}", text)
    return (
        text if len(text) <= LONGEST_MESSAGE else f"{text[: LONGEST_MESSAGE // 2]} ... {text[-LONGEST_MESSAGE // 4 :]}"
    )
