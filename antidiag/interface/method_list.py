"""The methods of the program, as a list that prints as a table."""

from __future__ import annotations

from dataclasses import dataclass

from antidiag.kernels import registry
from antidiag.kernels.method import Method
from antidiag.kernels.parameters import Parameter


@dataclass(frozen=True)
class MethodInfo:
    """A method: what it takes, returns, and may be set."""

    id: str
    name: str
    family: str
    summary: str
    takes: str
    returns: tuple[str, ...]
    backends: tuple[str, ...]
    settings: tuple[Parameter, ...]
    citation: str

    def __str__(self) -> str:
        lines = [
            f"{self.id} ({self.name}): {self.summary}",
            f"takes {self.takes}; returns {', '.join(self.returns)}; runs on {', '.join(self.backends)}",
            *(f"  {one.name:16} {one.help} ({one.describe_values()})" for one in self.settings),
            self.citation,
        ]
        return "\n".join(lines)


class MethodList(list[MethodInfo]):
    """Methods, which print as a table."""

    def __str__(self) -> str:
        width = max((len(one.id) for one in self), default=0)
        return "\n".join(f"{one.id:{width}}  {one.summary}" for one in self)

    __repr__ = __str__


def methods(text: str = "") -> MethodList:
    """Return all methods, or those whose id, family or returns contain a text.

    Examples
    --------
    >>> import antidiag as ad
    >>> [one.id for one in ad.methods("nussinov")]
    ['nussinov']
    """
    wanted = text.lower()
    found = (_describe_method(method) for method in registry.METHODS)
    return MethodList(one for one in found if wanted in f"{one.id} {one.family} {' '.join(one.returns)}".lower())


def _describe_method(method: Method) -> MethodInfo:
    """Return what users want to know of a method."""
    return MethodInfo(
        id=method.id,
        name=method.name,
        family=method.family,
        summary=method.summary,
        takes=method.problem_type.describe_inputs(),
        returns=tuple(sorted(method.returns)),
        backends=tuple(method.backends),
        settings=(*method.problem_type.options, *method.parameters.declared()),
        citation=method.citation.format_text(),
    )
