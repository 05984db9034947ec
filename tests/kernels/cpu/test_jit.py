"""The cache of compiled code: only equal sources find it again, and a disk that takes nothing is no reason to stop."""

from __future__ import annotations

import contextlib
import errno
import importlib.util
import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from antidiag.kernels.cpu import code_cache, file_lock, jit
from tests.kernels.cpu.starter import Starter, starter

ROOT = Path(__file__).resolve().parents[3]
needs_locks = pytest.mark.skipif(not importlib.util.find_spec("fcntl"), reason="this system has no such locks")
REPORT = """
import json
from house.walls import ARGUMENTS, FUNCTIONS
found = [function(*given) for function, given in zip(FUNCTIONS, ARGUMENTS)]
print(json.dumps([found, [sum(function.stats.cache_hits.values()) for function in FUNCTIONS]]))
"""
WALLS = """
from antidiag.kernels.cpu.jit import compiled
from house.sizes import HEIGHT

@compiled
def area(width):
    return width * HEIGHT

FUNCTIONS, ARGUMENTS = [area], [(3,)]
"""
SIZES = "HEIGHT = 2\n"
HANDED = {
    "factory": """
from antidiag.kernels.cpu.jit import compiled

def made(cell, offset):
    @compiled
    def run(number):
        return cell(number) + offset
    return run
""",
    "cells": """
from antidiag.kernels.cpu.jit import called, inlined
from house.sizes import HEIGHT

@called
def times(number):
    return number * HEIGHT

@inlined
def squared(number):
    return number * number * HEIGHT

def scaled(by):
    @called
    def scale(number):
        return number * by * HEIGHT
    return scale
""",
    "pair": """
from typing import NamedTuple

class Pair(NamedTuple):
    a: int
    b: int
""",
    "inner": """
from antidiag.kernels.cpu.jit import compiled

@compiled
def first(pair):
    return pair.a

@compiled
def applied(function, number):
    return function(number)
""",
    "walls": """
from house import cells, inner
from house.factory import made
from house.pair import Pair

FUNCTIONS = [made(cells.times, 1), made(cells.times, 2), made(cells.squared, 1), made(cells.scaled(5), 1),
             made(cells.scaled(6), 1), inner.first, inner.applied]
ARGUMENTS = [(3,)] * 5 + [(Pair(a=3, b=10),), (cells.times, 3)]
""",
    "sizes": SIZES,
}
"""Code that reaches a compiled function by no import of its module: in a closure, as an argument, and by its type."""


def written(root: Path, **sources: str) -> Path:
    folder = root / "house"
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in sources.items():
        (folder / f"{name}.py").write_text(text)
    return root


House = Callable[..., tuple[list[int], list[int]]]


@pytest.fixture(scope="module")
def starting() -> Iterator[Starter]:
    with starter() as found:
        yield found


@pytest.fixture
def house(starting: Starter, tmp_path_factory: pytest.TempPathFactory) -> House:
    """What the functions of house.walls give for 3, in a process of their own, and how many were loaded."""

    def run(root: Path, cache: Path, **environment: str) -> tuple[list[int], list[int]]:
        found = {
            **os.environ,
            "PYTHONPATH": f"{root}{os.pathsep}{ROOT}",
            "XDG_CACHE_HOME": str(cache),
            "NUMBA_CACHE_DIR": "",
            **environment,
        }
        code, said = starting.run(REPORT, root, found, tmp_path_factory.mktemp("said") / "said.txt")
        assert code == 0, said
        return tuple(json.loads(said))

    return run


def folders(cache: Path) -> set[str]:
    return {path.name for path in (cache / "antidiag" / "numba").iterdir()}


def test_code_is_loaded_by_other_processes_and_checkouts_until_a_source_changes(house: House, tmp_path: Path) -> None:
    one = written(tmp_path / "one", walls=WALLS, sizes=SIZES)
    two = written(tmp_path / "two", walls=WALLS, sizes=SIZES)
    assert house(one, tmp_path) == ([6], [0])
    before = folders(tmp_path)
    assert house(one, tmp_path) == ([6], [1])
    assert house(two, tmp_path) == ([6], [1])
    assert folders(tmp_path) == before
    assert sum(name.startswith("house.walls-") for name in before) == 1
    assert house(written(one, sizes="HEIGHT = 5"), tmp_path) == ([15], [0])


def test_the_users_own_folder_is_used(house: House, tmp_path: Path) -> None:
    root = written(tmp_path / "one", walls=WALLS, sizes=SIZES)
    assert house(root, tmp_path / "unused", NUMBA_CACHE_DIR=str(tmp_path / "own")) == ([6], [0])
    assert not (tmp_path / "unused").exists()
    assert any((tmp_path / "own").glob("house.walls-*/*.nbc"))


def test_what_is_handed_to_compiled_functions_is_part_of_their_code(house: House, tmp_path: Path) -> None:
    root = written(tmp_path / "one", **HANDED)
    assert house(root, tmp_path) == ([7, 8, 19, 31, 37, 3, 6], [0] * 7)
    assert house(root, tmp_path) == ([7, 8, 19, 31, 37, 3, 6], [1] * 7)
    swapped = HANDED["pair"].replace("    a: int\n    b: int\n", "    b: int\n    a: int\n")
    written(root, sizes="HEIGHT = 1", pair=swapped)
    assert house(root, tmp_path) == ([4, 5, 10, 16, 19, 3, 3], [0] * 7)


def test_sources_that_changed_since_the_program_began_leave_nothing_behind(house: House, tmp_path: Path) -> None:
    """What is in memory may be the old module, and so the constants of code that is compiled now."""
    changing = """
import time
from pathlib import Path
from house import sizes
from antidiag.kernels.cpu import jit

time.sleep(0.05)
Path(sizes.__file__).write_text("HEIGHT = 9  ")
"""
    root = written(tmp_path / "one", walls=changing + WALLS, sizes=SIZES)
    assert house(root, tmp_path) == ([6], [0])
    assert not list((tmp_path / "antidiag").rglob("house.*"))


def test_a_folder_that_cannot_be_made_is_replaced_by_one_that_can(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    found = code_cache._writable(tmp_path / "file" / "cache")
    assert tmp_path not in found.parents
    assert found.is_dir()
    assert code_cache._writable(tmp_path / "a" / "b") == tmp_path / "a" / "b"


def test_a_new_folder_replaces_those_that_nobody_uses_any_more(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("platformdirs.user_cache_path", lambda name: tmp_path)
    old = time.time() - code_cache.KEPT_S - 100
    gone = ("numba-0123456789ab", "numba/a.b-0123456789abcdef", "numba/a.b-1123456789abcdef")
    kept = ("numba-recent", "numba/a.b-2123456789abcdef", "numba/somebody's", "runs")
    for name in (*gone, *kept):
        (tmp_path / name).mkdir(parents=True)
        (tmp_path / name / "code.nbc").write_text("")
    for name in (*gone, "numba/somebody's", "runs"):
        os.utime(tmp_path / name, (old, old))
    used = tmp_path / "numba" / "a.b-fedcba9876543210"
    assert code_cache._prepared(used) == used
    assert not any((tmp_path / name).exists() for name in gone)
    assert all((tmp_path / name).exists() for name in kept)


def test_a_folder_that_is_used_again_is_recent_and_removes_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("platformdirs.user_cache_path", lambda name: tmp_path)
    mine, other = (tmp_path / "numba" / f"a.{name}-0123456789abcdef" for name in "bc")
    for folder in (mine, other):
        folder.mkdir(parents=True)
        os.utime(folder, (0, 0))
    code_cache._prepared(mine)
    assert time.time() - mine.stat().st_mtime < code_cache.KEPT_S
    assert other.exists()


def test_a_disk_that_is_full_stops_no_function(monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*arguments: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    @jit.compiled
    def doubled(number):
        return 2 * number

    monkeypatch.setattr(doubled._cache, "_load_overload", full)
    monkeypatch.setattr(doubled._cache, "_save_overload", full)
    assert doubled(21) == 42


def test_a_folder_that_is_gone_is_made_again(house: House, tmp_path: Path) -> None:
    emptied = "\nimport shutil\nshutil.rmtree(area._cache.cache_path)\n"
    assert house(written(tmp_path, walls=WALLS + emptied, sizes=SIZES), tmp_path) == ([6], [0])
    assert any((tmp_path / "antidiag" / "numba").glob("house.walls-*/*.nbc"))


COMPILING = """
import json, sys
import numba.core.event
from antidiag.kernels.cpu import file_lock
from house.walls import area

class Told(numba.core.event.Listener):
    def on_start(self, event):
        print("compiles", flush=True)
        sys.stdin.readline()

    def on_end(self, event):
        pass

def waits(seconds, sleep=file_lock.time.sleep):
    print("waits", flush=True)
    sleep(seconds)

file_lock.time.sleep = waits
with numba.core.event.install_listener("numba:compile", Told()):
    print("found", area(3), flush=True)
"""
"""Says what it does, and goes on compiling when it is told to."""


@pytest.fixture
def two_that_compile_the_same(tmp_path: Path) -> Iterator[tuple[subprocess.Popen, subprocess.Popen]]:
    """Two processes that need one function: the first is compiling it, and the second waits for that."""
    written(tmp_path, walls=WALLS, sizes=SIZES)
    environment = {"PYTHONPATH": f"{tmp_path}{os.pathsep}{ROOT}", "XDG_CACHE_HOME": str(tmp_path)}
    with contextlib.ExitStack() as stack:
        processes = []
        for says in ("compiles\n", "waits\n"):
            process = subprocess.Popen(
                [sys.executable, "-c", COMPILING],
                cwd=tmp_path,
                env={**os.environ, "NUMBA_CACHE_DIR": "", **environment},
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                text=True,
            )
            stack.enter_context(process)
            stack.callback(process.kill)
            processes.append(process)
            assert process.stdout.readline() == says
        yield tuple(processes)


@needs_locks
def test_what_another_process_compiles_is_waited_for_and_loaded(two_that_compile_the_same, tmp_path: Path) -> None:
    first, second = two_that_compile_the_same
    assert first.communicate("\n")[0] == "found 6\n"
    said = second.communicate("\n")[0].splitlines()
    assert set(said[:-1]) <= {"waits"}
    assert said[-1] == "found 6"
    assert len(list(tmp_path.rglob("house.*/*"))) == 1, "the code, and no lock"


@needs_locks
def test_a_killed_process_is_not_waited_for(two_that_compile_the_same) -> None:
    first, second = two_that_compile_the_same
    first.kill()
    assert second.communicate("\n")[0].splitlines()[-2:] == ["compiles", "found 6"]


def test_who_holds_a_lock_for_too_long_is_not_waited_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(file_lock, "WAIT_S", 0)
    with file_lock.held(tmp_path / "lock"), file_lock.held(tmp_path / "lock"):
        pass
    assert not list(tmp_path.iterdir())


def test_where_no_lock_can_be_made_all_compile(tmp_path: Path) -> None:
    with file_lock.held(tmp_path / "no folder" / "lock"):
        pass
