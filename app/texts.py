"""Texts for numbers, times, sequences, results and settings."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from typing import Any

from antidiag.kernels import RESOURCES, registry
from antidiag.kernels.errors import ParameterError
from antidiag.kernels.io.aligned_sequences import AlignedSequences
from antidiag.kernels.io.sequences import gc_fraction, letter_composition
from antidiag.kernels.method import Method
from antidiag.kernels.model import Result, Sequence, SequenceType
from antidiag.kernels.pairwise.model import Alignment
from antidiag.kernels.run_plan import RunPlan
from antidiag.kernels.table_cuts import TableCuts
from antidiag.kernels.text import format_value

ROOT = RESOURCES.parent
"""The folder of the project."""

MIN_ESTIMATE_MS = 10
"""Least milliseconds of an estimate; shorter runs are dominated by overheads."""
MIN_FRACTION = 0.03
"""Least finished fraction from which the remaining time is estimated."""
ELLIPSIS = "\u2026"
MAX_NAME, MAX_PART = 40, 100
"""Most letters of a shortened name and of a part of a line."""
UNITS = {SequenceType.DNA: "nt", SequenceType.RNA: "nt", SequenceType.PROTEIN: "aa"}


FAMILY_NAMES = {
    "pairwise": "Two sequences",
    "batch": "Many pairs",
    "search": "Search in a database",
    "triple": "Three sequences",
    "profiles": "Profiles",
    "trees": "Guide trees",
    "msa": "Multiple alignment",
    "parttree": "Very many sequences",
    "hmm": "Hidden Markov models",
    "graphs": "Shortest paths",
    "folding": "Folding",
    "products": "Matrix products",
}
"""What users read of the families of methods."""


OPTION = re.compile(r"--([a-z][a-z0-9-]*)")
WINDOW_WORDS = {"--backend cpu": "the CPU", " with --record NAME": "", "without --on gpus": "on the CPU"}


def family_name(family: str) -> str:
    """Return the name of a family of methods for users."""
    return FAMILY_NAMES.get(family, family)


def format_duration(milliseconds: float) -> str:
    """Return a time such as '0.3 ms', '31 ms', '2.4 s', '3 min 20 s' or '2 h 5 min'."""
    if milliseconds < 1000:
        return f"{milliseconds:.1f} ms" if milliseconds < 10 else f"{milliseconds:.0f} ms"
    seconds = milliseconds / 1000
    if seconds < 60:
        return f"{seconds:.1f} s"
    minutes, rest = divmod(round(seconds), 60)
    if minutes < 60:
        return f"{minutes} min {rest} s"
    return f"{minutes // 60:,} h {minutes % 60} min"


def remaining_s(fraction: float | None, elapsed_s: float) -> float | None:
    """Return the seconds until the end at the present rate; None before MIN_FRACTION of the work is done."""
    return elapsed_s * (1 - fraction) / fraction if fraction and fraction >= MIN_FRACTION else None


def format_number(number: float) -> str:
    """Return a number such as '974', '16.6 k', '274 M' or '2.4 G'."""
    value = float(number)
    for unit in ("", " k", " M", " G", " T"):
        if abs(value) < 999.5:
            return f"{value:.0f}{unit}" if not unit or value >= 100 else f"{value:.3g}{unit}"
        value /= 1000
    return f"{value:.3g} P"


def format_size(rows: int, columns: int) -> str:
    """Return a size such as '1 row x 1,020 columns'."""
    return f"{rows:,} row{'s' * (rows != 1)} x {columns:,} column{'s' * (columns != 1)}"


def format_rate(giga: float, unit: str = "cells") -> str:
    """Return a rate such as '412 GCUPS' or '12 MCUPS', or '3.5 G pairs/s' for another unit than cells."""
    number, prefix = (1000 * giga, "M") if giga < 0.1 else (giga, "G")
    text = f"{number:.0f}" if number >= 100 else f"{number:.2g}"
    return f"{text} {prefix}CUPS" if unit == "cells" else f"{text} {prefix} {unit}/s"


def format_estimate(milliseconds: float) -> str:
    """Return an estimate such as 'about 2.4 s' or 'less than 10 ms'."""
    return (
        f"about {format_duration(milliseconds)}"
        if milliseconds >= MIN_ESTIMATE_MS
        else f"less than {MIN_ESTIMATE_MS} ms"
    )


def format_planned_cells(plan: RunPlan) -> str:
    """Return the cells that a planned run will compute: '100 M', or '15.3 M to 100 M' where the answer decides."""
    least, most = (
        count(plan.problem, plan.parameters)
        for count in (plan.method.cost.least_cells, plan.method.cost.predicted_cells)
    )
    return format_number(most) if least >= most else f"{format_number(least)} to {format_number(most)}"


def format_plan_time(time_ms: float, compilation_ms: float) -> str:
    """Return the estimate of a run, with what compiling takes once: 'about 12 s (11 s of it for compiling, once)'."""
    if not compilation_ms:
        return format_estimate(time_ms)
    return f"{format_estimate(time_ms + compilation_ms)} ({format_duration(compilation_ms)} of it for compiling, once)"


def as_sentence(text: str) -> str:
    """Return a message with a capital letter and a full stop; a name before a colon, or of one letter, stays."""
    first = text.partition(" ")[0]
    named = first.endswith(":") or (len(first) == 1 and first != "a")
    return (text if named else text[:1].upper() + text[1:]) + ("" if text.endswith(".") else ".")


def write_for_window(message: str) -> str:
    """Return a message of a calculation without options of the command line, for which the window has fields."""
    for option, words in WINDOW_WORDS.items():
        message = message.replace(option, words)
    return OPTION.sub(lambda found: found[1].replace("-", " "), message)


def what_fits(fitting: Iterable[str]) -> str:
    """Return a list of runs that would fit instead of a refused one; empty if there are none."""
    lines = [f"- {text}" for text in fitting]
    return "\n".join(["These would fit:", *lines]) if lines else ""


def relative_path(source: str) -> str:
    """Return a path relative to the folder of the project if it is in there."""
    path = Path(source)
    return path.relative_to(ROOT).as_posix() if path.is_relative_to(ROOT) else source


def format_length(sequence: Sequence) -> str:
    """Return the length of a sequence, such as '16,569 nt' or '147 aa'."""
    return f"{len(sequence):,} {UNITS[sequence.type]}"


@lru_cache(maxsize=1000)
def describe_content(sequence: Sequence) -> str:
    """Return the GC content of nucleotides ('GC 44.4 %') or the most frequent letter of a protein ('L 12.3 %')."""
    fraction, letters = gc_fraction(sequence), "GC"
    if fraction is None:
        shares = letter_composition(sequence)
        letters = max(shares, key=shares.__getitem__, default="")
        fraction = shares.get(letters, 0.0)
    share = "100" if fraction == 1 else f"{100 * fraction:.1f}"
    return f"{letters} {share} %" if letters else ""


def result_method(result: Result) -> Method | None:
    """Return the method of a result; None if this version does not have it."""
    try:
        return registry.find_method(result.method)
    except ParameterError:
        return None


def result_cuts(result: Result) -> TableCuts:
    """Return how the run of a result divided its matrix; nothing if this version does not have the method."""
    found = result_method(result)
    return found.picture.table_cuts(found.restore_parameters(result)) if found else TableCuts()


def method_name(result: Result) -> str:
    """Return the name of the method of a result."""
    found = result_method(result)
    return found.name if found else result.method


def extract_named_data(result: Result) -> list[Any]:
    """Return the data that a result holds, alignments with the method in their names."""
    method = result_method(result)
    data = method.problem_type.extract_data(result) if method and method.problem_type.extract_data else ()
    return [
        replace(datum, name=f"{datum.name} by {method_name(result)}") if isinstance(datum, AlignedSequences) else datum
        for datum in data
    ]


def answer_text(result: Result) -> str:
    """Return the answer of a result in a few letters; empty if this version does not have the method."""
    found = result_method(result)
    return found.problem_type.format_answer(result) if found else ""


def problem_title(result: Result) -> str:
    """Return the title of the problem of a result."""
    return getattr(result.problem, "title", "")


def format_settings(values: Mapping[str, Any]) -> str:
    """Return settings as text, such as 's = 128, T = 32, threads = 2'."""
    return ", ".join(f"{name} = {format_value(value)}" for name, value in values.items())


def used_parameters(result: Result) -> Mapping[str, Any]:
    """Return the parameters of a result that its backend used."""
    method = result_method(result)
    return method.parameters.select_used(result.parameters, result.backend) if method else result.parameters


def shorten_name(name: str, most: int = MAX_NAME) -> str:
    """Return a name cut to at most so many letters."""
    return name if len(name) <= most else f"{name[: most - 1]}{ELLIPSIS}"


def origin_line(result: Result) -> str:
    """Return the origin of a result in one line with shortened names."""
    return " \N{MIDDLE DOT} ".join(shorten_name(part, MAX_PART) for part in origin_parts(result))


def result_heading(result: Result) -> tuple[str, list[tuple[str, str]]]:
    """Return the heading of a result (input and method) and its labelled values, the most important first."""
    method = result_method(result)
    unit = method.problem_type.work_unit if method else "cells"
    parts = [
        (method.problem_type.answer_label if method else "", answer_text(result)),
        ("time", format_duration(result.compute_ms)),
        ("rate", format_rate(result.gcups, unit) if result.gcups else ""),
        ("on", device_name(result)),
    ]
    settings = method.problem_type.setting_rows(result.problem) if method else []
    usual = _default_seeds(method) if method else {}
    defined = [(label.lower(), text) for label, text in settings if usual.get(label) != text]
    chosen = [(name, format_value(value)) for name, value in used_parameters(result).items()]
    head = " \N{MIDDLE DOT} ".join(part for part in (problem_title(result), method_name(result)) if part)
    return shorten_name(head, MAX_PART), [*parts, *defined, *chosen]


def _default_seeds(method: Method) -> dict[str, str]:
    """Return the texts of default seeds by label: they tell nothing of a result."""
    return {
        option.label: format_value(option.default)
        for option in method.problem_type.options
        if option.name.endswith("seed")
    }


def identity_counter(result: Result) -> Callable[[], float] | None:
    """Return a function that computes the identity of the alignment of a result; None without an alignment."""
    path, data = getattr(result.answer, "alignment", None), getattr(result.problem, "data", ())
    if (
        not isinstance(path, Alignment)
        or not all(isinstance(one, Sequence) for one in data)
        or not len(path.operations)
    ):
        return None
    return lambda: float(path.find_identical(*data).mean()) if path.operations.size else 0.0


def format_percent(share: float) -> str:
    """Return a share as a percentage, such as '91.1 %'."""
    return f"{100 * share:.1f} %"


def device_name(result: Result) -> str:
    """Return the device of a result, such as 'NVIDIA H200' or 'AMD EPYC 9R14'."""
    return result.device.partition(",")[0].replace("Processor", "").strip()


def origin_parts(result: Result) -> list[str]:
    """Return the origin of a result: input, method, answer, time, rate, device and settings."""
    method = result_method(result)
    unit = method.problem_type.work_unit if method else "cells"
    defined = [text for _, text in method.problem_type.setting_rows(result.problem)] if method else []
    answer_text = (
        f"{method.problem_type.answer_label} {method.problem_type.format_answer(result)}".strip() if method else ""
    )
    rate = format_rate(result.gcups, unit) if result.gcups else ""
    run = (format_duration(result.compute_ms), rate, result.device)
    settings = (*defined, format_settings(used_parameters(result)))
    parts = (problem_title(result), method_name(result), answer_text, *run, *settings)
    return [part for part in parts if part]
