"""Characters between the letters of sequences that are no letters: invisible ones, digits, and lines of comments.

They are left out of sequences, and a note names them. All other characters that are no letters are errors.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping

from antidiag.kernels.text import format_count

INVISIBLE_NAMES = {
    "\x1a": "Ctrl-Z",
    "\x7f": "delete character",
    "\x85": "next-line character",
    "\xa0": "no-break space",
    "\xad": "soft hyphen",
    "\u061c": "direction mark",
    "\u180e": "vowel separator",
    "\u200b": "zero-width space",
    "\u200c": "zero-width non-joiner",
    "\u200d": "zero-width joiner",
    "\u2028": "line separator",
    "\u2029": "paragraph separator",
    "\u2060": "word joiner",
    "\ufeff": "byte order mark",
    **dict.fromkeys("\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069", "direction mark"),
    **dict.fromkeys("\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a", "wide space"),
    **dict.fromkeys("\u202f\u205f\u3000", "wide space"),
}
"""Characters that nobody sees, and what they are called."""
LATIN_INVISIBLE = b"\x85\xa0\xad"
"""The same in Latin-1, where they are one byte each, between bytes of ASCII."""
COMMENT = "comment line"
DIGIT = "digit"
_LONE = rb"(?<![\x80-\xff])[%b](?![\x80-\xff])" % LATIN_INVISIBLE
_INVISIBLE = b"|".join([*(character.encode() for character in INVISIBLE_NAMES), _LONE])
_SPACES = b"|".join(c.encode() for c, name in INVISIBLE_NAMES.items() if name in ("no-break space", "wide space"))
WIDE_SPACE = re.compile(_SPACES + rb"|\x1a|(?<![\x80-\xff])\xa0(?![\x80-\xff])")
"""Spaces other than those of ASCII, and Ctrl-Z."""
LEADING_SPACE = re.compile(rb"(?:\s|%b)*+" % _INVISIBLE)
"""White space and invisible characters at the beginning of a text."""
BEFORE_TITLE = re.compile(rb"^(?:%b)++(?=>)" % _INVISIBLE, re.MULTILINE)
"""Invisible characters before a title, as where files with byte order marks are joined."""
STRAY = re.compile(rb"(^>[^\n]*)|(^[;#][^\n]*)|(%b)|([0-9])" % _INVISIBLE, re.MULTILINE)
"""A title, which is kept; a comment; an invisible character; or a digit."""
SUSPECT = re.compile(rb"^[;#]|[\x1a\x7f-\xff0-9]", re.MULTILINE)
"""A byte that a stray character has; titles have such bytes too."""


def plain_spaces(text: bytes) -> bytes:
    """Return a text with blanks for no-break and wide spaces, as of web pages, and for Ctrl-Z."""
    return text if text.isascii() and b"\x1a" not in text else WIDE_SPACE.sub(b" ", text)


def remove_stray_characters(text: bytes, keep_digits: bool = False) -> tuple[bytes, Counter[str]]:
    """Return a text in FASTA without stray characters and lines of comments, and how many there were of each kind.

    Titles are not changed.
    """
    removed: Counter[str] = Counter()
    if not SUSPECT.search(text):
        return text, removed

    def replace(match: re.Match[bytes]) -> bytes:
        if match[1] is not None or (keep_digits and match[4] is not None):
            return match[0]
        removed[_kind_of(match)] += 1
        return b""

    return STRAY.sub(replace, text), removed


def describe_removed(removed: Mapping[str, int]) -> str:
    """Return a note such as "1 no-break space removed; 2 comment lines left out"; "" for nothing."""
    return "; ".join(
        f"{format_count(number, kind)} {'left out' if kind == COMMENT else 'removed'}"
        for kind, number in removed.items()
    )


def _kind_of(match: re.Match[bytes]) -> str:
    if match[2] is not None:
        return COMMENT
    if match[4] is not None:
        return DIGIT
    character = match[3].decode() if len(match[3]) > 1 or match[3] < b"\x80" else match[3].decode("latin-1")
    return INVISIBLE_NAMES[character]
