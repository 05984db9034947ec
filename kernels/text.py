"""Counts in words, and strict parsing of numbers and JSON from files."""

from __future__ import annotations

import difflib
import json
import re
from collections.abc import Iterable
from typing import Any

HALF_SURROGATE = re.compile(r"\\ud[89a-f]", re.IGNORECASE)
"""An escaped half of a surrogate pair."""


def suggest_names(wrong: str, known: Iterable[str]) -> str:
    """Return "did you mean s or threads?" for names that are close to a wrong one, in any case; "" if none is."""
    names = {name.lower(): name for name in known}
    close = difflib.get_close_matches(wrong.lower(), list(names), 3)
    return f"did you mean {' or '.join(names[name] for name in close)}?" if close else ""


def format_count(number: int, one: str, plural: str = "") -> str:
    """Return a count with its noun: '1 edge', '2,000 edges'; ``many`` is an irregular plural."""
    return f"{number:,} {one if number == 1 else plural or one + 's'}"


def format_value(value: Any) -> str:
    """Return the value of a parameter or option as text, such as '1,024', '0.5', 'yes' or 'start-point'."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    return f"{value:,}" if isinstance(value, int) else f"{value:g}" if isinstance(value, float) else str(value)


def parse_real(text: str | bytes) -> float:
    """Return the number in a text; raise ValueError for anything else.

    Unlike `float`, it rejects 1_000 and digits other than 0 to 9, which other programs do not write.
    """
    _reject_python_syntax(text)
    return float(text)


def is_real(text: str | bytes) -> bool:
    """Return whether `parse_real` takes a text."""
    try:
        parse_real(text)
    except ValueError:
        return False
    return True


def is_number(text: str) -> bool:
    """Return whether a text is a finite number."""
    try:
        return abs(parse_real(text)) < float("inf")
    except ValueError:
        return False


def is_small_count(text: str) -> bool:
    """Return whether a text is a whole number of at most nine digits, 0 to 9."""
    return text.isascii() and text.isdigit() and len(text) <= 9


def parse_integer(text: str | bytes) -> int:
    """Return the integer in a text; raise ValueError for anything else, including 1_000."""
    _reject_python_syntax(text)
    return int(text)


def parse_json(text: str | bytes) -> Any:
    """Return the value of a JSON text; raise ValueError with the reason for invalid or too deeply nested JSON."""
    try:
        text = text.decode(json.detect_encoding(text)) if isinstance(text, bytes) else text
        found = json.loads(text)
        if HALF_SURROGATE.search(text):
            json.dumps(found, ensure_ascii=False).encode()
    except RecursionError:
        raise ValueError("lists or objects are nested too deep") from None
    except UnicodeError:
        raise ValueError("it contains invalid Unicode") from None
    return found


QUOTED_LETTERS = 40
"""Letters of a text that an error message quotes."""


def quote_text(text: str | bytes) -> str:
    """Return a text quoted for an error message, with escapes; a long text is shortened."""
    text = text.decode("utf-8", "replace") if isinstance(text, bytes) else text
    return repr(text) if len(text) <= QUOTED_LETTERS else f"{text[:QUOTED_LETTERS]!r}..."


def _reject_python_syntax(text: str | bytes) -> None:
    """Raise ValueError for numbers that only Python reads."""
    if not text.isascii() or (b"_" in text if isinstance(text, bytes) else "_" in text):
        raise ValueError(f"{quote_text(text)} is not a number")
