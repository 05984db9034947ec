"""The cache of compiled code: a disk that takes nothing is no reason to stop."""

from __future__ import annotations

import errno
import os
import time
from pathlib import Path

import pytest

from kernels import jit


def test_a_folder_that_cannot_be_made_is_replaced_by_one_that_can(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    found = jit._writable(tmp_path / "file" / "cache")
    assert tmp_path not in found.parents
    assert found.is_dir()
    assert jit._writable(tmp_path / "a" / "b") == tmp_path / "a" / "b"


def test_a_new_folder_replaces_those_that_nobody_uses_any_more(tmp_path: Path) -> None:
    old = time.time() - jit.KEPT_S - 100
    for name in ("numba-old", "numba-running", "numba-ended", "numba-recent", "runs"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "code.nbc").write_text("")
    (tmp_path / "numba-running" / f"pid-{os.getpid()}").touch()
    (tmp_path / "numba-ended" / f"pid-{2**22 + 1}").touch()
    for name in ("numba-old", "numba-running", "numba-ended", "runs"):
        os.utime(tmp_path / name, (old, old))
    assert jit._prepared(tmp_path / "numba-new") == tmp_path / "numba-new"
    assert {path.name for path in tmp_path.iterdir()} == {"numba-new", "numba-recent", "numba-running", "runs"}
    assert (tmp_path / "numba-new" / f"pid-{os.getpid()}").exists()


def test_a_folder_that_is_used_again_is_recent_and_removes_nothing(tmp_path: Path) -> None:
    for name in ("numba-mine", "numba-old"):
        (tmp_path / name).mkdir()
        os.utime(tmp_path / name, (0, 0))
    jit._prepared(tmp_path / "numba-mine")
    assert time.time() - (tmp_path / "numba-mine").stat().st_mtime < jit.KEPT_S
    assert (tmp_path / "numba-old").exists()


def test_a_disk_that_is_full_stops_no_function(monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*arguments: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    @jit.compiled
    def doubled(number):
        return 2 * number

    monkeypatch.setattr(doubled._cache, "_load_overload", full)
    monkeypatch.setattr(doubled._cache, "_save_overload", full)
    assert doubled(21) == 42
