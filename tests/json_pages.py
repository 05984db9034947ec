"""The pages on JSON as data: the fields of every section and their types."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from tests.documents import ROOT

RESULTS = ROOT / "docs" / "json.md"
COMMANDS = ROOT / "docs" / "json-commands.md"
COMMON = "All methods"
KINDS: Mapping[str, type | tuple[type, ...]] = {
    "text": str,
    "number": (int, float),
    "object": dict,
    "true or false": bool,
    "null": type(None),
}
LIST = re.compile(r"lists?(?: of)?(?: \d+)? ?")


def read_sections(page: Path) -> dict[str, dict[str, str]]:
    """Return the types of the fields of a page by what the first sentence of a section names."""
    found: dict[str, dict[str, str]] = {}
    for section in page.read_text(encoding="utf-8").split("\n## ")[1:]:
        heading, _, text = section.partition("\n")
        rows = [line.split(" | ") for line in text.splitlines() if line.startswith("| `")]
        fields = {name: kind for names, kind, *_ in rows for name in re.findall(r"`([^`]+)`", names)}
        sentence = text.partition("\n| ")[0]
        owners = re.findall(r"`([^`]+)`", sentence.partition(".")[0]) if heading != COMMON else [COMMON]
        for owner in owners:
            found.setdefault(owner, {}).update(fields)
    return found


def flatten(data: Any, known: Mapping[str, str], within: str = "") -> Iterator[tuple[str, Any]]:
    """Yield the fields of an object, or of a list of objects, by their paths; ``known`` has those of the page.

    What the page calls an object is one field. An empty list of objects, and one in a list, has no fields.
    """
    for name, value in data.items() if isinstance(data, dict) else ():
        path = within + name
        if isinstance(value, dict) and known.get(path) != "object":
            yield from flatten(value, known, path + ".")
        elif isinstance(value, list) and value and isinstance(value[0], dict):
            yield from flatten(value, known, path + "[].")
        elif value != [] or not any(one.startswith(path + "[].") for one in known):
            yield path, value
    for item in data if isinstance(data, list) else ():
        yield from flatten(item, known, within)


def is_of_type(value: Any, kind: str) -> bool:
    """Return whether a value is of a type in the words of a page, such as 'list of 2 numbers, or null'."""
    return any(_is_of_kind(value, one) for one in kind.split(", or "))


def _is_of_kind(value: Any, kind: str) -> bool:
    if kind in ("any value", ""):
        return not isinstance(value, dict)
    if kind.startswith("list"):
        items = LIST.sub("", kind, count=1)
        items = items if items.startswith("list") else items.removesuffix("s")
        return isinstance(value, list) and all(_is_of_kind(item, items) for item in value)
    return isinstance(value, KINDS[kind]) and isinstance(value, bool) == (kind == "true or false")
