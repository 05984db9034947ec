"""Imports point one way: main -> app -> kernels; import-linter says most of it, this the rest."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from antidiag.kernels import registry
from tests.emulator.modules import files, imports, loading, of_package

ROOT = Path(__file__).resolve().parents[1]
LOADED_WHERE_A_GPU_IS = {
    "antidiag.kernels.experiments.rooflines.cuda_roofline",
    "antidiag.kernels.pairwise.pictures.cuda_dotplot",
    "antidiag.kernels.pairwise.pictures.cuda_matrix_view",
    "antidiag.kernels.profiles.wavefront.cuda_many_alignments",
    "antidiag.kernels.profiles.wavefront.cuda_picture",
    "antidiag.kernels.triple.pictures.cuda_slices",
}
"""Modules that are no backend of a method, and that their users import when a GPU is to be used."""
HEAVY = ("PySide6", "pyqtgraph", "cupy", "cupy_backends", "numba")


def python_files(*folders: str) -> list[Path]:
    return sorted(path for folder in folders for path in (ROOT / folder).rglob("*.py"))


def top(name: str) -> str:
    return name.split(".")[0]


def cuda_backends() -> set[str]:
    """The modules that methods declare as their backend for GPUs."""
    return {method.backends["cuda"].partition(":")[0] for method in registry.METHODS if "cuda" in method.backends}


def on_gpus_only(imported: dict[str, frozenset[str]]) -> set[str]:
    """Declared backends, kernels.cuda, and what is imported, wherever in a file, by nobody else."""
    found = (
        cuda_backends()
        | {name for name in imported if name.startswith("antidiag.kernels.cuda.")}
        | LOADED_WHERE_A_GPU_IS
    )
    users = {name: {user for user, names in imported.items() if name in names} for name in imported}
    while more := {name for name in imported if name not in found and users[name] and users[name] <= found}:
        found |= more
    return found


def test_cupy_is_imported_by_backends_and_what_they_alone_import():
    imported = {name: imports(path) for name, path in files("antidiag.kernels").items()}
    users = {name for name, names in imported.items() if of_package(names, "cupy") | of_package(names, "cupy_backends")}
    assert len(users) > 10
    assert users <= on_gpus_only(imported)
    for path in python_files("app", "bench", "scripts"):
        assert not of_package(imports(path), "cupy"), path


def test_what_is_loaded_without_a_gpu_loads_no_cupy():
    """A module that loads CuPy when it is loaded is imported by others inside of functions alone."""
    loaders = loading("antidiag.kernels", "cupy")
    assert cuda_backends() <= loaders | {"antidiag.kernels.cuda"}
    for path in python_files("app", "bench", "scripts"):
        assert not imports(path, when_loaded=True) & loaders, path


def test_kernels_know_no_window():
    for path in python_files("kernels", "bench"):
        found = imports(path)
        assert not {name for name in found if top(name) in ("main", "PySide6", "pyqtgraph")}, path
        assert not of_package(found, "antidiag.app"), path
    for path in python_files("tests/kernels"):  # run on GPU machines without Qt, which the command line does not need
        found = {name for name in imports(path) if not of_package({name}, "antidiag.app.cli")}
        assert not of_package(frozenset(found), "antidiag.app"), path


def test_nothing_imports_main():
    for path in python_files("kernels", "app", "bench", "scripts"):
        assert "main" not in {top(name) for name in imports(path)}, path


@pytest.mark.parametrize(
    "modules",
    [
        "antidiag, antidiag.kernels.engine, antidiag.kernels.registry, antidiag.kernels.cuda.devices",
        "main, antidiag.app.cli",
    ],
)
def test_importing_the_engine_loads_nothing_heavy(modules):
    assert loaded_by(f"import {modules}") == []


def test_the_command_line_loads_no_qt_and_no_backend():
    assert loaded_by("import antidiag.app.cli.program") == []


def loaded_by(statement: str) -> list[str]:
    """Heavy packages in a fresh interpreter after a statement."""
    code = f"import sys; {statement}; print(*sorted(set({HEAVY!r}) & set(sys.modules)))"
    found = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    return found.stdout.split()
