"""Digests of a module and of all that it imports."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from antidiag.kernels.cpu import source_digest
from tests.emulator import modules

ROOT = Path(__file__).resolve().parents[3]


@pytest.fixture(autouse=True)
def _fresh() -> Iterator[None]:
    """What was read of the sources of another test is forgotten."""
    yield
    forget()


def forget() -> None:
    for function in vars(source_digest).values():
        if hasattr(function, "cache_clear"):
            function.cache_clear()


def written(root: Path, sources: dict[str, str]) -> None:
    for name, text in sources.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


def changes(root: Path, name: str, edited: str) -> bool:
    """Whether a comment that is added to a file changes the digest of a module."""
    before = source_digest.digest(name, root)
    with (root / edited).open("a") as file:
        file.write("\n# a comment\n")
    forget()
    return before != source_digest.digest(name, root)


@pytest.mark.parametrize(
    "statement",
    [
        "import house.rooms.kitchen",
        "import os, house.rooms.kitchen as room",
        "import house.rooms.kitchen as room  # a comment",
        "from house.rooms import kitchen",
        "from house.rooms import garden, kitchen as room",
        "from house.rooms.kitchen import STOVE",
        "from house.rooms.kitchen import *",
        "from house.rooms import (\n    garden,  # with a tree :)\n    kitchen,\n)",
        "from house.rooms \\\n    import kitchen",
        "from . import kitchen",
        "from .kitchen import STOVE",
        "from.kitchen import STOVE",
        "from ..rooms import kitchen",
        "from .. import door, rooms; import house.rooms.kitchen",
        "def cook():\n    from house.rooms import kitchen",
        "def cook(): import house.rooms.kitchen",
        "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n\timport house.rooms.kitchen",
        "try:\n    import numpy\nexcept ImportError:\n    import house.rooms.kitchen",
        "from house.rooms import larder",
    ],
)
def test_an_import_is_seen_however_it_is_written(tmp_path: Path, statement: str) -> None:
    sources = {"house/rooms/hall.py": statement, "house/rooms/kitchen.py": "", "house/rooms/garden.py": ""}
    sources |= {"house/__init__.py": "", "house/rooms/__init__.py": "", "house/door.py": ""}
    sources["house/rooms/larder.py"] = "from house.rooms import kitchen"
    written(tmp_path, sources)
    assert changes(tmp_path, "house.rooms.hall", "house/rooms/kitchen.py")
    assert changes(tmp_path, "house.rooms.hall", "house/rooms/__init__.py")
    assert changes(tmp_path, "house.rooms.hall", "house/__init__.py")
    assert changes(tmp_path, "house.rooms.hall", "house/rooms/hall.py")


def test_what_is_not_imported_changes_nothing(tmp_path: Path) -> None:
    written(tmp_path, {"house/hall.py": "import house.door", "house/door.py": "", "house/roof.py": "import house.hall"})
    assert not changes(tmp_path, "house.hall", "house/roof.py")


def test_modules_may_import_each_other(tmp_path: Path) -> None:
    written(
        tmp_path, {"house/a.py": "from . import b", "house/b.py": "import house.c", "house/c.py": "from .a import x"}
    )
    assert set(source_digest.sources("house.a", tmp_path)) == {"house.a", "house.b", "house.c"}
    assert changes(tmp_path, "house.a", "house/c.py")


def test_a_package_is_named_by_its_folder(tmp_path: Path) -> None:
    written(tmp_path, {"house/__init__.py": "from .door import KEY", "house/door.py": "KEY = 1"})
    assert set(source_digest.sources("house", tmp_path)) == {"house", "house.door"}


def test_another_project_is_followed_and_installed_packages_are_not(tmp_path: Path) -> None:
    written(tmp_path, {"cottage.py": "import numpy, os, no_such_module\nfrom antidiag.kernels.cpu import simd\n"})
    found = source_digest.sources("cottage", tmp_path)
    assert {"cottage", "antidiag.kernels", "antidiag.kernels.cpu", "antidiag.kernels.cpu.simd"} <= set(found)
    assert {name.partition(".")[0] for name in found} == {"cottage", "antidiag"}


def test_the_place_of_the_sources_does_not_matter(tmp_path: Path) -> None:
    for copy in ("one", "two"):
        written(tmp_path / copy, {"house/a.py": "import house.b", "house/b.py": ""})
    assert source_digest.digest("house.a", tmp_path / "one") == source_digest.digest("house.a", tmp_path / "two")


def test_modules_know_their_name_and_root(tmp_path: Path) -> None:
    name = source_digest.module_name
    assert name(tmp_path / "a" / "b.py", "a.b") == ("a.b", tmp_path)
    assert name(tmp_path / "a" / "b" / "__init__.py", "a.b") == ("a.b", tmp_path)
    assert name(tmp_path / "a" / "b.py", "__main__") == ("b", tmp_path / "a")


def test_no_import_of_the_project_is_missed() -> None:
    """The parser of Python knows better, and takes longer."""
    for path in (path for folder in ("kernels", "app", "bench", "tests") for path in (ROOT / folder).rglob("*.py")):
        name = ".".join(("antidiag", *path.relative_to(ROOT).with_suffix("").parts))
        assert modules.imports(path) <= source_digest.imports(name, path), path
