"""Arrays in memory up to a limit, and beyond it on disk."""

from __future__ import annotations

import errno
import mmap
from pathlib import Path

import numpy as np
import pytest

from antidiag.kernels import memory
from antidiag.kernels.errors import DiskFull
from antidiag.kernels.memory import Footprint
from antidiag.kernels.pairwise.checkpointed import spilled_arrays


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A cache folder of its own, which does not exist yet."""
    monkeypatch.setattr("platformdirs.user_cache_path", lambda name: tmp_path / "cache")
    return tmp_path / "cache"


def on_disk(array: np.ndarray) -> bool:
    """Whether an array is a view of a mapped file."""
    while isinstance(array, np.ndarray):
        array = array.base
    return isinstance(array, mmap.mmap)


def test_arrays_stay_in_memory_while_they_fit(folder: Path) -> None:
    shapes = [(10, 4), (100,), (3, 2), (2, 2)]
    arrays = spilled_arrays.allocate_arrays(shapes, limit=4 * 47)
    assert [array.shape for array in arrays] == shapes
    assert [on_disk(array) for array in arrays] == [False, True, False, True]
    assert spilled_arrays.fits_in_memory(shapes, 4 * 47) == [True, False, True, False]


def test_arrays_on_disk_keep_what_is_written_and_do_not_overlap(folder: Path) -> None:
    arrays = spilled_arrays.allocate_arrays([(7,), (0, 5), (3, 1000), (4, 2)], limit=0)
    for value, array in enumerate(arrays):
        array[...] = value
    assert [set(array.ravel().tolist()) for array in arrays] == [{0}, set(), {2}, {3}]
    assert all(type(array) is np.ndarray and array.dtype == np.int32 for array in arrays)


def test_nothing_is_left_behind(folder: Path) -> None:
    arrays = spilled_arrays.allocate_arrays([(1000,)], limit=0)
    assert on_disk(arrays[0])
    del arrays
    assert list(folder.iterdir()) == []


def test_without_need_no_file_is_made(folder: Path) -> None:
    spilled_arrays.allocate_arrays([(1000,)], limit=4000)
    assert not folder.exists()


def test_a_full_disk_says_what_to_do(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*arguments: int) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr("os.posix_fallocate", full, raising=False)
    with pytest.raises(DiskFull, match=r"cache: cannot store 3\.9 KiB .*No space left.*checkpoint_memory.*tile"):
        spilled_arrays.allocate_arrays([(1000,)], limit=0)
    assert list(folder.iterdir()) == []


def test_a_folder_that_cannot_be_written_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setattr("platformdirs.user_cache_path", lambda name: tmp_path / "file" / "cache")
    with pytest.raises(DiskFull, match="checkpoint_memory"):
        spilled_arrays.allocate_arrays([(1000,)], limit=0)


def test_a_run_that_cannot_fit_the_disk_is_refused_before(folder: Path) -> None:
    wanted = Footprint(disk={"special rows and columns": 2**70})
    assert "disk space" in (memory.explain_refusal(wanted, 2**40, None) or "")
    assert memory.explain_refusal(Footprint(disk={"special rows and columns": 1}), 2**40, None) is None
