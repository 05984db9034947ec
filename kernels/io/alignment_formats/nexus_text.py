"""The text of NEXUS: blocks of commands, which end with ';', and comments in brackets."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

COMMENT_MARK = "\x01"
"""Stands for each character of a comment, so that places in the text stay; line ends stay too."""
BRACKET = re.compile(r"^[ \t]*'(?:[^'\n]|'')*'|[\[\]]", re.MULTILINE)
"""A bracket, or a quoted name at the beginning of a line, in which brackets are no comments."""
COMMAND_END = re.compile(r"(?<![^\s,=(\x01])'(?:[^'\n]|'')*'|;")
"""A quoted word, in which ';' ends nothing, or the end of a command."""
MATRIX_LINE = re.compile(r"^[ \t\x01]*matrix\b", re.IGNORECASE | re.MULTILINE)
"""A matrix after a command whose ';' is missing."""
WORD = re.compile(r"[^\s\x01;=]+")
SETTING = re.compile(r"(\w+)(?:\s*=\s*(\"[^\"]*\"|'[^']*'|\([^)]*\)|\S+))?")
NUMBER = re.compile("[0-9]{1,18}")


class NexusCommand(NamedTuple):
    """A command: its block and first word, in lower case, and where the rest of it begins and ends in the text."""

    block: str
    word: str
    start: int
    end: int


def mask_comments(text: str) -> str:
    """Return the text with COMMENT_MARK in place of comments, which may be nested."""
    opened: list[int] = []
    comments: list[tuple[int, int]] = []
    for bracket in BRACKET.finditer(text):
        if bracket[0] == "[":
            opened.append(bracket.start())
        elif bracket[0] == "]" and opened:
            first = opened.pop()
            while comments and comments[-1][0] > first:
                comments.pop()
            comments.append((first, bracket.end()))
    parts: list[str] = []
    at = 0
    for first, last in comments:
        parts += text[at:first], "\n".join(COMMENT_MARK * len(line) for line in text[first:last].split("\n"))
        at = last
    return "".join((*parts, text[at:]))


def split_commands(text: str) -> Iterator[NexusCommand]:
    """Yield the commands of a text without comments; one without an end is none."""
    block, start = "", text.lower().find("#nexus") + len("#nexus")
    for end in COMMAND_END.finditer(text):
        if end[0] != ";":
            continue
        if (first := WORD.search(text, start, end.start())) is not None:
            word = first[0].lower()
            if word == "begin":
                name = WORD.search(text, first.end(), end.start())
                block = name[0].lower() if name else ""
            elif word in ("end", "endblock"):
                block = ""
            unended = MATRIX_LINE.search(text, first.end(), end.start()) if word in ("format", "dimensions") else None
            if unended is not None:
                yield NexusCommand(block, "matrix", unended.end(), end.start())
            else:
                yield NexusCommand(block, word, first.end(), end.start())
        start = end.end()


def command_settings(text: str) -> dict[str, str]:
    """Return the settings of a command, names in lower case; a word without a value is "yes"."""
    found = SETTING.findall(text.replace(COMMENT_MARK, " "))
    return {name.lower(): value.strip("\"'") or "yes" for name, value in found}


def number_setting(settings: dict[str, str], name: str) -> int | None:
    """Return a setting that is a whole number; None where there is none."""
    return int(settings[name]) if NUMBER.fullmatch(settings.get(name, "")) else None


def split_words(text: str) -> list[str]:
    """Return the words of a command, those in quotes without them."""
    found = re.findall(r"'(?:[^']|'')*'|\"[^\"]*\"|[^\s\x01]+", text)
    return [unquote_word(word) for word in found]


def unquote_word(word: str) -> str:
    """Return a word without its quotes."""
    if word[:1] == "'" and word[-1:] == "'" and len(word) > 1:
        return word[1:-1].replace("''", "'")
    return word.strip('"')
