"""Texts and what they say: counts in words for people, numbers and JSON from files."""

from __future__ import annotations

import json
import re
from typing import Any

HALF = re.compile(r"\\ud[89a-f]", re.IGNORECASE)
"""A letter written as two numbers; one of them alone is none."""


def counted(number: int, one: str, many: str = "") -> str:
    """'1 edge', '2,000 edges'; ``many`` is the plural where it is not ``one`` with an s."""
    return f"{number:,} {one if number == 1 else many or one + 's'}"


def real(text: str | bytes) -> float:
    """The number that a text is, as files of all programs write it; ValueError for any other text.

    Python alone also takes 1_000 for a thousand, and the digits of every script.
    """
    _refuse_python(text)
    return float(text)


def whole(text: str | bytes) -> int:
    """The whole number that a text is; ValueError for any other text, 1_000 among them."""
    _refuse_python(text)
    return int(text)


def from_json(text: str | bytes) -> Any:
    """The value of a JSON text; ValueError, which says why, for what is none and for what nests too deep to be read."""
    try:
        text = text.decode(json.detect_encoding(text)) if isinstance(text, bytes) else text
        found = json.loads(text)
        if HALF.search(text):
            json.dumps(found, ensure_ascii=False).encode()
    except RecursionError:
        raise ValueError("lists or objects are nested too deep") from None
    except UnicodeError:
        raise ValueError("letters in it are no Unicode") from None
    return found


def shown(text: str | bytes, most: int = 40) -> str:
    """A text as an error quotes it: what cannot be printed is written out, and of a long one the beginning stands."""
    text = text.decode("utf-8", "replace") if isinstance(text, bytes) else text
    return repr(text) if len(text) <= most else f"{text[:most]!r}..."


def _refuse_python(text: str | bytes) -> None:
    if not text.isascii() or (b"_" in text if isinstance(text, bytes) else "_" in text):
        raise ValueError(f"{shown(text)} is not a number")
