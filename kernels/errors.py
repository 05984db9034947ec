"""Errors that a user can act on: each message says what is wrong, where, and what to do."""

from __future__ import annotations

import re

LONGEST = 2000
"""Letters of an error; what a damaged file has in the place of a word could be a million."""
LONG_WORD = re.compile(r"[^ ]{300,}")
KEPT = 100
"""Letters of a long word that are shown, of its beginning and of its end."""


class AntidiagError(Exception):
    """Base of all errors whose text is written for the user of the program; what is too long to be read is cut."""

    def __init__(self, *parts: object) -> None:
        super().__init__(*(_readable(part) if isinstance(part, str) else part for part in parts))


class InputError(AntidiagError):
    """A file, a sequence or a letter that cannot be used."""


class ParameterError(AntidiagError):
    """A parameter or option outside its range."""


class MemoryRefused(AntidiagError):
    """The run was refused before allocation, because it would not fit."""


class DiskFull(AntidiagError):
    """The disk cannot take what a run has to put there."""


class BackendUnavailable(AntidiagError):
    """The backend or device that was asked for is not there."""


class ScoreOverflow(AntidiagError):
    """Scores of this problem could leave the range of 32-bit integers."""


class Cancelled(Exception):
    """The user cancelled the run: their wish, not an error."""


def _readable(text: str) -> str:
    text = LONG_WORD.sub(lambda found: f"{found[0][:KEPT]}...{found[0][-KEPT:]}", text)
    return text if len(text) <= LONGEST else f"{text[: LONGEST // 2]} ... {text[-LONGEST // 4 :]}"
