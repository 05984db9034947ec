"""Options of a method's problem, as a benchmark's command line has them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from antidiag.kernels.errors import ParameterError
from antidiag.kernels.method import Method


def parsed(method: Method, pairs: Iterable[str]) -> dict[str, Any]:
    """The values of ``NAME=VALUE``, of the kinds that are declared; ParameterError with those that there are."""
    known = {option.name: option for option in method.problem.options}
    texts = dict(pair.split("=", 1) for pair in pairs)
    if unknown := texts.keys() - known.keys():
        raise ParameterError(f"{method.name} has no option {', '.join(sorted(unknown))}; it has {', '.join(known)}")
    return {name: known[name].parse(text) for name, text in texts.items()}
