"""The cache of compiled code: a disk that takes nothing is no reason to stop."""

from __future__ import annotations

import errno
from pathlib import Path

import pytest

from kernels import jit


def test_a_folder_that_cannot_be_made_is_replaced_by_one_that_can(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    found = jit._writable(tmp_path / "file" / "cache")
    assert tmp_path not in found.parents
    assert found.is_dir()
    assert jit._writable(tmp_path / "a" / "b") == tmp_path / "a" / "b"


def test_a_disk_that_is_full_stops_no_function(monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*arguments: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    @jit.compiled
    def doubled(number):
        return 2 * number

    monkeypatch.setattr(doubled._cache, "_load_overload", full)
    monkeypatch.setattr(doubled._cache, "_save_overload", full)
    assert doubled(21) == 42
