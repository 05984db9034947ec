"""What modules import, read from their sources: so is found who uses CuPy, whatever the files are called."""

from __future__ import annotations

import ast
import importlib.util
from collections.abc import Collection, Iterator
from functools import cache
from pathlib import Path

Tree = ast.AST
LATER = (ast.FunctionDef, ast.AsyncFunctionDef)
"""What is inside is imported when somebody calls it."""
BODIES = ("body", "orelse", "handlers", "finalbody", "cases")
"""Where statements stand in others."""


def files(package: str) -> dict[str, Path]:
    """Every module of a package by its full name."""
    spec = importlib.util.find_spec(package)
    assert spec is not None and spec.submodule_search_locations, f"{package} is no package"
    folder = Path(spec.submodule_search_locations[0])
    return {_name(package, path.relative_to(folder)): path for path in sorted(folder.rglob("*.py"))}


@cache
def imports(path: Path, when_loaded: bool = False) -> frozenset[str]:
    """Full names of what a file imports, modules and their members, wherever in it or as soon as it is loaded."""
    found: set[str] = set()
    for node in _statements(ast.parse(path.read_text(encoding="utf-8")), when_loaded):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: a relative import"
            found |= {str(node.module), *(f"{node.module}.{alias.name}" for alias in node.names)}
    return frozenset(found)


def of_package(names: Collection[str], package: str) -> bool:
    """Whether a package, or something in it, is among the names."""
    return any(name == package or name.startswith(f"{package}.") for name in names)


@cache
def loading(package: str, library: str) -> frozenset[str]:
    """The modules of a package that load a library as soon as they are loaded, by themselves or through another.

    Only a module whose text has the name of one of them is parsed, which takes far longer than to read it.
    """
    paths = files(package)
    texts = {name: path.read_text(encoding="utf-8") for name, path in paths.items()}
    users = [name for name, text in texts.items() if library in text]
    found = {name for name in users if of_package(imports(paths[name], when_loaded=True), library)}
    new = found
    while new:
        words = {name.rpartition(".")[2] for name in new}
        users = [name for name, text in texts.items() if name not in found and any(word in text for word in words)]
        new = {name for name in users if imports(paths[name], when_loaded=True) & new}
        found = found | new
    return frozenset(found)


def _name(package: str, path: Path) -> str:
    parts = path.with_suffix("").parts
    return ".".join((package, *(parts[:-1] if parts[-1] == "__init__" else parts)))


def _statements(node: Tree, when_loaded: bool) -> Iterator[Tree]:
    """The statements in a module or a statement; expressions, which hold most of the nodes, hold none."""
    for field in BODIES:
        for inside in getattr(node, field, ()):
            if when_loaded and isinstance(inside, LATER):
                continue
            if when_loaded and isinstance(inside, ast.If) and "TYPE_CHECKING" in ast.unparse(inside.test):
                continue
            yield inside
            yield from _statements(inside, when_loaded)
