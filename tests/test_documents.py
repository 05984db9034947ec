"""The page on architecture names what is there, and its picture is that of the contracts."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

from antidiag.kernels import registry
from scripts import floors, method_tables
from tests.documents import ROOT

PAGE = ROOT / "docs" / "architecture.md"
NAME = re.compile(r"`((?:kernels|app)(?:\.\w+)+)`")
NAMES = sorted(set(NAME.findall(PAGE.read_text(encoding="utf-8"))))
PATH = re.compile(r"`([a-z][\w/.]*(?:/|\.py|\.toml))`")


def test_the_page_names_much() -> None:
    assert len(NAMES) > 30


@pytest.mark.parametrize("name", NAMES)
def test_what_the_page_names_is_there(name: str) -> None:
    path, rest = _module(name)
    assert not rest or _declares(path, rest), f"{path.relative_to(ROOT)} declares no {'.'.join(rest)}"


def _module(name: str) -> tuple[Path, list[str]]:
    """The file of the longest part of a name that is a module, and what is left of the name."""
    parts = name.split(".")
    for length in range(len(parts), 0, -1):
        place = ROOT.joinpath(*parts[:length])
        for path in (place.with_suffix(".py"), place / "__init__.py"):
            if path.is_file():
                return path, parts[length:]
    raise AssertionError(f"there is no module {name}")


def _declares(path: Path, names: list[str]) -> bool:
    """Whether a file declares a function, class or variable, or a class of it a method."""
    body: list[ast.stmt] = ast.parse(path.read_text(encoding="utf-8")).body
    for name in names:
        found = next((node for node in body if name in _names(node)), None)
        if found is None:
            return False
        body = found.body if isinstance(found, ast.ClassDef) else []
    return True


def _names(node: ast.stmt) -> set[str]:
    match node:
        case ast.FunctionDef(name=name) | ast.ClassDef(name=name):
            return {name}
        case ast.Assign(targets=targets):
            return {target.id for target in targets if isinstance(target, ast.Name)}
        case ast.AnnAssign(target=ast.Name(id=name)):
            return {name}
    return set()


def test_the_files_that_the_page_names_are_there() -> None:
    named = [path for path in PATH.findall(PAGE.read_text(encoding="utf-8")) if "/" in path]
    assert len(named) > 3
    assert [path for path in named if not (ROOT / path).exists()] == []


def test_the_picture_is_that_of_the_contracts() -> None:
    assert floors.TARGET.read_text(encoding="utf-8") == floors.svg(), "run: python scripts/floors.py"


def test_the_page_on_methods_has_the_declarations() -> None:
    text = method_tables.TARGET.read_text(encoding="utf-8")
    assert text == method_tables.page(), "run: python scripts/method_tables.py"
    assert [one.id for one in registry.METHODS if f"| `{one.id}` |" not in text] == []
    assert [family for family in method_tables.families() if f"<!-- methods: {family} -->" not in text] == []
