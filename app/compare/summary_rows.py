"""The comparison table: a row per quantity, a column per result. No Qt here."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from antidiag.app import texts
from antidiag.kernels.model import Result
from antidiag.kernels.text import format_value

FormatValue = Callable[[Result], str]
"""Formats a quantity of a result."""


@dataclass(frozen=True)
class ComparisonRow:
    """A quantity of each result; a heading has no values."""

    label: str
    values: tuple[str, ...] = ()

    @property
    def is_heading(self) -> bool:
        """Whether the row is the heading of a group."""
        return not self.values

    @property
    def differs(self) -> bool:
        """Whether not all results have the same value."""
        return len(set(self.values)) > 1


def build_rows(results: Sequence[Result]) -> list[ComparisonRow]:
    """Return all rows for these results."""
    fastest = min((result.compute_ms for result in results if result.compute_ms > 0), default=0.0)
    found = [
        _value_row("Input", results, texts.problem_title),
        _value_row("Method", results, texts.method_name),
        _value_row("Answer", results, _answer_text),
        ComparisonRow("Time"),
        _value_row("All phases", results, lambda result: texts.format_duration(result.compute_ms)),
        _value_row("Relative to fastest", results, lambda result: _relative_time(result, fastest)),
        *_named_rows(
            results, lambda result: {name: texts.format_duration(time) for name, time in result.times_ms.items()}
        ),
        _value_row("Rate", results, _rate_text),
        ComparisonRow("Run"),
        _value_row("Device", results, lambda result: result.device),
        _value_row("Started", results, lambda result: result.started.astimezone().strftime("%d %B %Y, %H:%M")),
        ComparisonRow("Problem"),
        *_named_rows(results, _problem_settings),
        ComparisonRow("Parameters"),
        *_named_rows(
            results, lambda result: {name: format_value(it) for name, it in texts.used_parameters(result).items()}
        ),
        ComparisonRow("Program"),
        *_named_rows(results, lambda result: dict(result.versions)),
    ]
    pairs = zip(found, [*found[1:], ComparisonRow("")], strict=True)
    return [row for row, after in pairs if not row.is_heading or not after.is_heading]


def format_table(names: Sequence[str], found: Iterable[ComparisonRow]) -> str:
    """Return the table as text with tabs, for a spreadsheet."""
    lines = [("", *names), *((row.label, *row.values) for row in found)]
    return "\n".join("\t".join(line) for line in lines)


def _value_row(label: str, results: Sequence[Result], format_value: FormatValue) -> ComparisonRow:
    return ComparisonRow(label, tuple(map(format_value, results)))


def _named_rows(results: Sequence[Result], values_of: Callable[[Result], dict[str, str]]) -> list[ComparisonRow]:
    each = list(map(values_of, results))
    names = dict.fromkeys(name for values in each for name in values)
    return [ComparisonRow(name, tuple(values.get(name, "") for values in each)) for name in names]


def _problem_settings(result: Result) -> dict[str, str]:
    method = texts.result_method(result)
    return dict(method.problem_type.setting_rows(result.problem)) if method else {}


def _answer_text(result: Result) -> str:
    method = texts.result_method(result)
    return f"{method.problem_type.answer_label} {method.problem_type.format_answer(result)}".strip() if method else ""


def _rate_text(result: Result) -> str:
    method = texts.result_method(result)
    return texts.format_rate(result.gcups, method.problem_type.work_unit if method else "cells") if result.gcups else ""


def _relative_time(result: Result, fastest: float) -> str:
    if not fastest or not result.compute_ms:
        return ""
    factor = result.compute_ms / fastest
    return "fastest" if factor == 1 else f"{factor:.3g} times as long"
