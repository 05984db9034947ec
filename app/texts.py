"""Numbers, times and settings as a person reads them."""

from __future__ import annotations

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
from antidiag.kernels.table_cuts import TableCuts

ROOT = RESOURCES.parent
"""The folder of the project."""

SHORT_MS, SURE = 10, 0.03
ELLIPSIS = "\u2026"
MOST_NAME, MOST_PART = 40, 100
"""Letters of a name, and of a part of a line, where there is room for no more."""
UNITS = {SequenceType.DNA: "nt", SequenceType.RNA: "nt", SequenceType.PROTEIN: "aa"}


def duration(milliseconds: float) -> str:
    """'0.3 ms', '31 ms', '2.4 s', '3 min 20 s', '2 h 5 min'."""
    if milliseconds < 1000:
        return f"{milliseconds:.1f} ms" if milliseconds < 10 else f"{milliseconds:.0f} ms"
    seconds = milliseconds / 1000
    if seconds < 60:
        return f"{seconds:.1f} s"
    minutes, rest = divmod(round(seconds), 60)
    if minutes < 60:
        return f"{minutes} min {rest} s"
    return f"{minutes // 60:,} h {minutes % 60} min"


def left_s(fraction: float | None, elapsed_s: float) -> float | None:
    """Seconds until the end at the present rate; None before SURE of the work is done: that would be a guess."""
    return elapsed_s * (1 - fraction) / fraction if fraction and fraction >= SURE else None


def count(number: float) -> str:
    """'974', '16.6 k', '274 M', '2.4 G'."""
    value = float(number)
    for unit in ("", " k", " M", " G", " T"):
        if abs(value) < 999.5:
            return f"{value:.0f}{unit}" if not unit or value >= 100 else f"{value:.3g}{unit}"
        value /= 1000
    return f"{value:.3g} P"


def size(rows: int, columns: int) -> str:
    """'1 row x 1,020 columns'."""
    return f"{rows:,} row{'s' * (rows != 1)} x {columns:,} column{'s' * (columns != 1)}"


def rate(giga: float, unit: str = "cells") -> str:
    """'412 GCUPS', '3.5 GCUPS', '12 MCUPS'; '3.5 G pairs/s' where something else than cells is counted."""
    number, prefix = (1000 * giga, "M") if giga < 0.1 else (giga, "G")
    text = f"{number:.0f}" if number >= 100 else f"{number:.2g}"
    return f"{text} {prefix}CUPS" if unit == "cells" else f"{text} {prefix} {unit}/s"


def expected(milliseconds: float) -> str:
    """'about 2.4 s', 'less than 10 ms': an estimate knows nothing of the overheads of a short run."""
    return f"about {duration(milliseconds)}" if milliseconds >= SHORT_MS else f"less than {SHORT_MS} ms"


def sentence(text: str) -> str:
    """A message with a capital letter and a full stop; a name before a colon stays as it is."""
    named = text.partition(" ")[0].endswith(":")
    return (text if named else text[:1].upper() + text[1:]) + ("" if text.endswith(".") else ".")


def what_fits(fitting: Iterable[str]) -> str:
    """Runs that could start instead of one that was refused, a line each; empty where there are none."""
    lines = [f"- {text}" for text in fitting]
    return "\n".join(["These would fit:", *lines]) if lines else ""


def about(sequence: Sequence) -> str:
    """What the title line says beside the name: species and molecule, mostly; may be empty."""
    title = sequence.description.strip()
    return title.removeprefix(sequence.name).strip() if title.startswith(sequence.name) else title


def place(source: str) -> str:
    """A file as the command line takes it from the project's folder: files in there by their path below it."""
    path = Path(source)
    return path.relative_to(ROOT).as_posix() if path.is_relative_to(ROOT) else source


def length(sequence: Sequence) -> str:
    return f"{len(sequence):,} {UNITS[sequence.type]}"


@lru_cache(maxsize=1000)
def makeup(sequence: Sequence) -> str:
    """'GC 44.4 %' of a nucleotide sequence; 'L 12.3 %' of a protein, whose most frequent letter that is."""
    fraction, letters = gc_fraction(sequence), "GC"
    if fraction is None:
        shares = letter_composition(sequence)
        letters = max(shares, key=shares.__getitem__, default="")
        fraction = shares.get(letters, 0.0)
    share = "100" if fraction == 1 else f"{100 * fraction:.1f}"
    return f"{letters} {share} %" if letters else ""


def method_of(result: Result) -> Method | None:
    """The method of a result; None when this program does not know it (any more)."""
    try:
        return registry.find_method(result.method)
    except ParameterError:
        return None


def cuts_of(result: Result) -> TableCuts:
    """Where the run of a result cut its table; nothing to draw where this program does not know its method."""
    found = method_of(result)
    return found.picture.table_cuts(found.restore_parameters(result)) if found else TableCuts()


def method_name(result: Result) -> str:
    found = method_of(result)
    return found.name if found else result.method


def made_by(datum: Any, result: Result) -> Any:
    """An alignment under a name that says which method made it, as there may be others of the same sequences."""
    named = isinstance(datum, AlignedSequences)
    return replace(datum, name=f"{datum.name} by {method_name(result)}") if named else datum


def answer(result: Result) -> str:
    """The answer in a few characters; empty for a method that this program does not know."""
    found = method_of(result)
    return found.problem_type.format_answer(result) if found else ""


def title(result: Result) -> str:
    return getattr(result.problem, "title", "")


def settings(values: Mapping[str, Any]) -> str:
    """'s = 128, T = 32, threads = 2'."""
    return ", ".join(f"{name} = {value_text(value)}" for name, value in values.items())


def used(result: Result) -> Mapping[str, Any]:
    """The parameters of a result that mean something where it was computed."""
    method = method_of(result)
    return method.parameters.select_used(result.parameters, result.backend) if method else result.parameters


def value_text(value: Any) -> str:
    """'1,024', '0.5', 'yes', 'start-point'."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    return f"{value:,}" if isinstance(value, int) else f"{value:g}" if isinstance(value, float) else str(value)


def shortened(name: str, most: int = MOST_NAME) -> str:
    """A name, which may be of any length, for a place that has room for a line."""
    return name if len(name) <= most else f"{name[: most - 1]}{ELLIPSIS}"


def stamp(result: Result) -> str:
    """Everything that made this result, in one line, in which no name takes the room of the rest."""
    return " \N{MIDDLE DOT} ".join(shortened(part, MOST_PART) for part in stamp_parts(result))


def headline(result: Result) -> tuple[str, list[tuple[str, str]]]:
    """What a result is of and its method; and its labelled numbers, the most important first."""
    method = method_of(result)
    unit = method.problem_type.work_unit if method else "cells"
    parts = [
        (method.problem_type.answer_label if method else "", answer(result)),
        ("time", duration(result.compute_ms)),
        ("rate", rate(result.gcups, unit) if result.gcups else ""),
        ("on", device_name(result)),
    ]
    defined = (
        [(label.lower(), text) for label, text in method.problem_type.setting_rows(result.problem)] if method else []
    )
    chosen = [(name, value_text(value)) for name, value in used(result).items()]
    head = " \N{MIDDLE DOT} ".join(part for part in (title(result), method_name(result)) if part)
    return shortened(head, MOST_PART), [*parts, *defined, *chosen]


def identical(result: Result) -> Callable[[], float] | None:
    """What counts the share of the columns that hold the same letter in all rows; None where there are no columns."""
    path, data = getattr(result.answer, "alignment", None), getattr(result.problem, "data", ())
    if (
        not isinstance(path, Alignment)
        or not all(isinstance(one, Sequence) for one in data)
        or not len(path.operations)
    ):
        return None
    return lambda: float(path.find_identical(*data).mean()) if path.operations.size else 0.0


def percentage(share: float) -> str:
    """'91.1 %'."""
    return f"{100 * share:.1f} %"


def device_name(result: Result) -> str:
    """'NVIDIA H200', 'AMD EPYC 9R14': without what every name of a processor has."""
    return result.device.partition(",")[0].replace("Processor", "").strip()


def stamp_parts(result: Result) -> list[str]:
    """Everything that made this result: what it is of, method, answer, time, rate, device, settings."""
    method = method_of(result)
    unit = method.problem_type.work_unit if method else "cells"
    defined = [text for _, text in method.problem_type.setting_rows(result.problem)] if method else []
    told = f"{method.problem_type.answer_label} {method.problem_type.format_answer(result)}".strip() if method else ""
    parts = (
        title(result), method_name(result), told, duration(result.compute_ms),
        rate(result.gcups, unit) if result.gcups else "", result.device, *defined, settings(used(result)),
    )  # fmt: skip
    return [part for part in parts if part]
