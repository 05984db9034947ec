"""What the shell proposes where a word of the command line is completed."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import typer

from antidiag.kernels import registry, scoring
from antidiag.kernels.method import Method
from antidiag.kernels.parameters import Parameter

TYPED_METHODS = "antidiag.methods"
"""Where the context of a command keeps the methods that were typed, or are recommended."""


def complete_method(incomplete: str) -> list[tuple[str, str]]:
    """Return the ids of methods that begin with a text, and what each does."""
    return [(one.id, one.summary) for one in registry.METHODS if one.id.startswith(incomplete)]


def complete_words(words: Iterable[str]) -> Callable[[str], list[str]]:
    """Return a function that completes some words."""
    known = tuple(words)
    return lambda incomplete: [word for word in known if word.startswith(incomplete)]


def option_of_words(flag: str, words: Iterable[str], help: str) -> Any:
    """Return the declaration of an option of some words, which its help lists and the shell completes."""
    known = tuple(words)
    return typer.Option(flag, metavar="|".join(known), help=help, autocompletion=complete_words(known))


def complete_parameter(ctx: typer.Context, incomplete: str) -> list[tuple[str, str]]:
    """Return the parameters of the method among the words typed so far, as the beginnings of NAME=VALUE, or values."""
    methods: list[Method] = ctx.meta.get(TYPED_METHODS, [])
    declared = {one.name: one for method in methods[:1] for one in method.parameters.declared()}
    name, equals, _ = incomplete.partition("=")
    if equals and name in declared:
        return [(f"{name}={word}", "") for word in choices_of(declared[name])]
    return [(f"{one.name}=", one.help) for one in declared.values() if one.name.startswith(incomplete)]


def choices_of(parameter: Parameter) -> tuple[str, ...]:
    """Return the words that a declared option or parameter takes: choices, yes and no, or the names of matrices."""
    if parameter.name == "matrix":
        return scoring.matrix_names()
    return ("yes", "no") if parameter.kind == "bool" else tuple(map(str, parameter.choices))


def complete_method_of(ids: Callable[[], list[str]]) -> Callable[[str], list[tuple[str, str]]]:
    """Return a function that completes the ids of some methods."""
    return lambda incomplete: [found for found in complete_method(incomplete) if found[0] in ids()]
