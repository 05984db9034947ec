"""Write the tables of docs/methods.md from the declarations of the methods.

A table stands between ``<!-- methods: FAMILY -->`` and ``<!-- end -->``; the last one, of publications, between
``<!-- publications -->`` and ``<!-- end -->``. Text around them is written by hand.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from antidiag.kernels import registry  # noqa: E402
from antidiag.kernels.citation import Citation  # noqa: E402
from antidiag.kernels.method import Method  # noqa: E402

TARGET = ROOT / "docs" / "methods.md"
TABLE = re.compile(r"(<!-- (methods: \w+|publications) -->\n).*?(?=<!-- end -->)", re.DOTALL)
NAMED_AUTHORS = 3
DEVICES = {"cpu": "CPU", "cuda": "GPU"}


def page() -> str:
    """Return the page with the tables of today."""
    return TABLE.sub(lambda found: found[1] + _table(found[2]), TARGET.read_text(encoding="utf-8"))


def families() -> tuple[str, ...]:
    """Return the families of all methods, in their order."""
    return tuple(dict.fromkeys(method.family for method in registry.METHODS))


def _table(name: str) -> str:
    if name == "publications":
        return _publications()
    family = name.removeprefix("methods: ")
    rows = [_row(method) for method in registry.METHODS if method.family == family]
    return _format_rows(("id", "method", "what it does", "returns", "runs on", "source"), rows)


def _row(method: Method) -> tuple[str, ...]:
    return (
        f"`{method.id}`",
        method.name,
        method.summary.rstrip("."),
        ", ".join(sorted(method.returns)),
        ", ".join(DEVICES[backend] for backend in method.backends),
        _short_source(method.citation),
    )


def _short_source(citation: Citation) -> str:
    """Return the source as authors, year and section: 'Li, Ranka, Sahni 2012, section IV'."""
    names = [name.split()[-1] for name in citation.author_names()]
    shown = ", ".join(names) if len(names) <= NAMED_AUTHORS and names[-1] != "others" else f"{names[0]} and others"
    return f"{shown} {citation.year}" + (f", {citation.section}" if citation.section else "")


def _publications() -> str:
    """Return the table of all publications, by year."""
    found = {method.citation.key: method.citation.with_section("") for method in registry.METHODS}
    ordered = sorted(found.values(), key=lambda one: (one.year, one.key))
    return _format_rows(("source", "publication"), [(_short_source(one), one.format_text()) for one in ordered])


def _format_rows(head: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> str:
    """Return a table in Markdown."""
    lines = [head, ("---",) * len(head), *rows]
    return "".join("| " + " | ".join(cell.replace("|", "\\|") for cell in line) + " |\n" for line in lines)


if __name__ == "__main__":
    TARGET.write_text(page(), encoding="utf-8")
