"""What is compared of results, as a table: a row a quantity, a column a result. No Qt here."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from antidiag.app import texts
from antidiag.kernels.model import Result

Told = Callable[[Result], str]


@dataclass(frozen=True)
class Row:
    """A quantity of each result, in their order; ``heading`` begins a group and has no values."""

    label: str
    values: tuple[str, ...] = ()

    @property
    def heading(self) -> bool:
        return not self.values

    @property
    def differs(self) -> bool:
        """Whether not all results have the same."""
        return len(set(self.values)) > 1


def rows(results: Sequence[Result]) -> list[Row]:
    """Everything that is known of these results."""
    fastest = min((result.compute_ms for result in results if result.compute_ms > 0), default=0.0)
    found = [
        _row("Of", results, texts.title),
        _row("Method", results, texts.method_name),
        _row("Answer", results, _answer),
        Row("Time"),
        _row("All phases", results, lambda result: texts.duration(result.compute_ms)),
        _row("Beside the fastest", results, lambda result: _times(result, fastest)),
        *_times_of_phases(results),
        _row("Rate", results, _rate),
        Row("Where"),
        _row("Device", results, lambda result: result.device),
        _row("Started", results, lambda result: result.started.astimezone().strftime("%d %B %Y, %H:%M")),
        Row("What defines the answer"),
        *_by_name(results, _settings),
        Row("Parameters"),
        *_by_name(results, lambda result: {name: texts.value_text(it) for name, it in texts.used(result).items()}),
        Row("Program"),
        *_by_name(results, lambda result: dict(result.versions)),
    ]
    return [
        row for row, after in zip(found, [*found[1:], Row("")], strict=True) if not row.heading or not after.heading
    ]


def text_of(names: Sequence[str], found: Iterable[Row]) -> str:
    """The table with tabs, for a spreadsheet."""
    lines = [("", *names), *((row.label, *row.values) for row in found)]
    return "\n".join("\t".join(line) for line in lines)


def _row(label: str, results: Sequence[Result], told: Told) -> Row:
    return Row(label, tuple(told(result) for result in results))


def _by_name(results: Sequence[Result], told: Callable[[Result], dict[str, str]]) -> list[Row]:
    """A row for every name that one of the results has."""
    each = [told(result) for result in results]
    names = dict.fromkeys(name for values in each for name in values)
    return [Row(name, tuple(values.get(name, "") for values in each)) for name in names]


def _times_of_phases(results: Sequence[Result]) -> list[Row]:
    return _by_name(results, lambda result: {name: texts.duration(time) for name, time in result.times_ms.items()})


def _settings(result: Result) -> dict[str, str]:
    method = texts.method_of(result)
    return dict(method.problem.settings(result.problem)) if method else {}


def _answer(result: Result) -> str:
    method = texts.method_of(result)
    return f"{method.problem.answer_label} {method.problem.answer(result)}".strip() if method else ""


def _rate(result: Result) -> str:
    method = texts.method_of(result)
    return texts.rate(result.gcups, method.problem.unit if method else "cells") if result.gcups else ""


def _times(result: Result, fastest: float) -> str:
    if not fastest or not result.compute_ms:
        return ""
    factor = result.compute_ms / fastest
    return "the fastest" if factor == 1 else f"{factor:.3g} times as long"
