"""The folder of compiled code: one for each state of the sources, and none that lacks room or rights stops a run."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace

import numba
import numpy as np
import pytest

from antidiag.kernels import ROOT
from antidiag.kernels.cpu import jit
from tests.patience import PATIENCE_S

CHECKOUT = Path(__file__).resolve().parents[3]
REPORT = """
import json, numba
from antidiag.kernels.cpu.jit import inner_njit, cached_njit, inline_njit

@inner_njit
def times(number):
    return number * 2

@inline_njit
def plus(number):
    return number + 1

@inner_njit
def minus(number):
    return number - 3

@cached_njit
def area(number):
    return minus(plus(times(number)))

print(json.dumps([area(5), minus(5), sum(area.stats.cache_hits.values()), numba.config.CACHE_DIR]))
"""

Reported = tuple[int, int, int, str]


@pytest.fixture
def reported(tmp_path: Path) -> Callable[..., Reported]:
    """Runs a compiled function in a process of its own: results, how many functions were loaded, and the folder."""
    script = tmp_path / "script.py"
    script.write_text(REPORT)
    # The package sets it, here after Numba was imported.
    inherited = {name: at for name, at in os.environ.items() if name != "NUMBA_DISABLE_ERROR_MESSAGE_HIGHLIGHTING"}

    def run(**environment: str) -> Reported:
        folders = {"PYTHONPATH": str(CHECKOUT), "XDG_CACHE_HOME": str(tmp_path), "NUMBA_CACHE_DIR": ""}
        found = subprocess.run(
            [sys.executable, str(script)],
            env={**inherited, **folders, **environment},
            capture_output=True,
            text=True,
            check=False,
        )
        assert found.returncode == 0, found.stderr
        return tuple(json.loads(found.stdout))

    return run


def test_another_process_loads_what_one_has_compiled(reported: Callable[..., Reported], tmp_path: Path) -> None:
    folder = tmp_path / "antidiag" / "numba"
    expected = [str(folder / f"{numba.__version__}-O{level}-{jit.digest_sources(ROOT)}") for level in (1, 3)]
    assert reported(NUMBA_OPT="1") == (8, 2, 0, expected[0])
    assert reported(NUMBA_OPT="1") == (8, 2, 1, expected[0])
    assert reported(NUMBA_OPT="3") == (8, 2, 0, expected[1])


def test_the_users_own_folder_is_used(reported: Callable[..., Reported], tmp_path: Path) -> None:
    *_, folder = reported(NUMBA_CACHE_DIR=str(tmp_path / "own"))
    assert Path(folder).parent == tmp_path / "own"
    assert list(Path(folder).rglob("*.nbc"))
    assert not (tmp_path / "antidiag").exists()


@pytest.mark.slow
@pytest.mark.skipif(os.name == "nt", reason="a file has another mode there")
def test_where_no_folder_can_be_made_code_is_not_kept(reported: Callable[..., Reported], tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    for _ in range(2):
        assert reported(NUMBA_CACHE_DIR=str(tmp_path / "file")) == (8, 2, 0, "")
    assert not list(tmp_path.rglob("*.nbc"))


def test_a_disk_that_is_nearly_full_keeps_no_code(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shutil, "disk_usage", lambda path: SimpleNamespace(free=jit.MIN_FREE_BYTES - 1))
    assert jit.make_cache_folder(tmp_path, "new") is None


def test_the_digest_changes_with_every_source_and_with_nothing_else(tmp_path: Path) -> None:
    (tmp_path / "inner").mkdir()
    for name in ("a.py", "inner/b.py", "notes.txt"):
        (tmp_path / name).write_text("HEIGHT = 2\n")
    found = [jit.digest_sources(tmp_path)]
    (tmp_path / "notes.txt").write_text("other")
    (tmp_path / "inner" / "b.pyc").write_text("compiled")
    assert jit.digest_sources(tmp_path) == found[0]
    (tmp_path / "inner" / "b.py").write_text("HEIGHT = 20\n")
    found.append(jit.digest_sources(tmp_path))
    os.utime(tmp_path / "a.py", (0, 0))
    found.append(jit.digest_sources(tmp_path))
    (tmp_path / "a.py").rename(tmp_path / "c.py")
    found.append(jit.digest_sources(tmp_path))
    assert len(set(found)) == 4


@pytest.mark.parametrize("is_default", [True, False])
def test_a_new_folder_replaces_those_that_were_unused_for_longest(
    is_default: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(jit, "default_cache_folder", lambda: tmp_path if is_default else tmp_path / "default")
    for number in range(jit.MAX_FOLDERS + 2):
        (tmp_path / f"old-{number}").mkdir()
        os.utime(tmp_path / f"old-{number}", (number, number))
    assert jit.make_cache_folder(tmp_path, "old-0") == tmp_path / "old-0"
    assert len(list(tmp_path.iterdir())) == jit.MAX_FOLDERS + 2, "a folder that was there already removes none"
    assert jit.make_cache_folder(tmp_path, "new") == tmp_path / "new"
    names = {path.name for path in tmp_path.iterdir()}
    if not is_default:
        assert len(names) == jit.MAX_FOLDERS + 3, "the folder may hold files of other programs"
        return
    assert names == {"new", "old-0", *(f"old-{number}" for number in range(4, jit.MAX_FOLDERS + 2))}


def test_a_compiled_function_lets_python_go_on_and_refuses_a_slice_of_another_shape() -> None:
    @jit.cached_njit
    def begin(target, source):
        target[:3] = source

    numbers = np.zeros(5)
    begin(numbers, np.arange(1.0, 4.0))
    assert numbers.tolist() == [1, 2, 3, 0, 0]
    with pytest.raises(ValueError, match="cannot assign"):
        begin(numbers, np.ones(4))
    assert begin.targetoptions["nogil"]


def test_one_process_at_a_time_saves_code(tmp_path: Path) -> None:
    """From the end of a compilation until the compiler is left; another process has the lock first."""
    fcntl = pytest.importorskip("fcntl")
    path = tmp_path / "saving.lock"
    lock, entered, compiled = (
        jit.SavingLock(path),
        *(SimpleNamespace(kind=kind) for kind in ("numba:compiler_lock", "numba:compile")),
    )
    saving, finished = threading.Event(), threading.Event()

    def compile_and_save() -> None:
        lock.on_start(entered)
        lock.on_start(entered)
        lock.on_end(entered)
        lock.on_end(compiled)
        saving.set()
        finished.wait(PATIENCE_S)
        lock.on_end(entered)

    def is_free() -> bool:
        with open(path, "ab") as file, contextlib.suppress(BlockingIOError):
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return True
        return False

    with open(path, "ab") as other:
        fcntl.flock(other, fcntl.LOCK_EX)
        thread = threading.Thread(target=compile_and_save)
        thread.start()
        assert not saving.wait(0.2)
    assert saving.wait(PATIENCE_S)
    assert not is_free()
    finished.set()
    thread.join(PATIENCE_S)
    assert is_free()


def test_code_is_saved_without_a_lock_where_files_cannot_be_locked(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    lock, entered = jit.SavingLock(tmp_path / "file" / "saving.lock"), SimpleNamespace(kind="numba:compiler_lock")
    lock.on_start(entered)
    lock.on_end(SimpleNamespace(kind="numba:compile"))
    lock.on_end(entered)
