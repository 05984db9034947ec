"""What the shell proposes where a word of the command line is completed."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from antidiag.kernels import registry


def complete_method(incomplete: str) -> list[tuple[str, str]]:
    """Return the ids of methods that begin with a text, and what each does."""
    return [(one.id, one.summary) for one in registry.METHODS if one.id.startswith(incomplete)]


def complete_words(words: Iterable[str]) -> Callable[[str], list[str]]:
    """Return a function that completes some words."""
    known = tuple(words)
    return lambda incomplete: [word for word in known if word.startswith(incomplete)]


def complete_method_of(ids: Callable[[], list[str]]) -> Callable[[str], list[tuple[str, str]]]:
    """Return a function that completes the ids of some methods."""
    return lambda incomplete: [found for found in complete_method(incomplete) if found[0] in ids()]
