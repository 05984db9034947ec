"""Imports point one way: main -> app -> kernels; import-linter says most of it, this the rest."""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
KERNELS = ROOT / "kernels"
SHARED_FOLDERS = {"cuda"}
BUILDS_ON = {"progressive": {"pairwise", "profiles", "trees"}, "experiments": None}
"""Families that may import others: the named ones, or (None) any."""

FAMILIES = sorted(
    folder.name
    for folder in KERNELS.iterdir()
    if (folder / "__init__.py").exists() and folder.name not in SHARED_FOLDERS
)
HEAVY = ("PySide6", "pyqtgraph", "cupy", "cupy_backends", "numba")


def imports(path: Path) -> Iterator[str]:
    """Full names of the modules that a file imports, wherever in it."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: a relative import"
            yield str(node.module)
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def python_files(*folders: str) -> list[Path]:
    return sorted(path for folder in folders for path in (ROOT / folder).rglob("*.py"))


def top(name: str) -> str:
    return name.split(".")[0]


def test_there_are_families_to_look_at():
    assert "pairwise" in FAMILIES


@pytest.mark.parametrize("family", FAMILIES)
def test_families_do_not_import_each_other(family):
    allowed = BUILDS_ON.get(family, set())
    others = set(FAMILIES) - {family} - (set(FAMILIES) if allowed is None else allowed)
    for path in (KERNELS / family).rglob("*.py"):
        crossed = {name for name in imports(path) if name.split(".")[:1] == ["kernels"] and name.split(".")[1:2]}
        assert not {name for name in crossed if name.split(".")[1] in others}, path


def test_cupy_is_imported_by_cuda_modules_only():
    for path in python_files("kernels", "app", "bench", "scripts"):
        if path.parent == KERNELS / "cuda" or path.name.startswith("cuda"):
            continue
        assert not {name for name in imports(path) if top(name) in ("cupy", "cupy_backends")}, path


def test_kernels_know_no_window():
    for path in python_files("kernels", "bench"):
        assert not {name for name in imports(path) if top(name) in ("app", "main", "PySide6", "pyqtgraph")}, path


def test_nothing_imports_main():
    for path in python_files("kernels", "app", "bench", "scripts"):
        assert "main" not in {top(name) for name in imports(path)}, path


@pytest.mark.parametrize(
    "modules", ["kernels, kernels.engine, kernels.registry, kernels.cuda.devices", "main, app.cli"]
)
def test_importing_the_engine_loads_nothing_heavy(modules):
    assert loaded_by(f"import {modules}") == []


def test_the_command_line_loads_no_qt_and_no_backend():
    assert loaded_by("import app.cli.program") == []


def loaded_by(statement: str) -> list[str]:
    """Heavy packages in a fresh interpreter after a statement."""
    code = f"import sys; {statement}; print(*sorted(set({HEAVY!r}) & set(sys.modules)))"
    found = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    return found.stdout.split()
