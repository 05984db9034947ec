"""Options of a problem on the command line of a benchmark."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from antidiag.kernels.errors import ParameterError
from antidiag.kernels.method import Method


def parse_options(method: Method, pairs: Iterable[str]) -> dict[str, Any]:
    """Parse ``NAME=VALUE`` texts as option values; raise ParameterError for unknown options."""
    known = {option.name: option for option in method.problem_type.options}
    texts = dict(pair.split("=", 1) for pair in pairs)
    if unknown := texts.keys() - known.keys():
        raise ParameterError(f"{method.name} has no option {', '.join(sorted(unknown))}; it has {', '.join(known)}")
    return {name: known[name].parse(text) for name, text in texts.items()}
