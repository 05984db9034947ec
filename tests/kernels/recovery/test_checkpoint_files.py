"""Arrays and facts in a file: all or nothing, and damage is noticed."""

from __future__ import annotations

import errno
import os
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from antidiag.kernels.recovery import checkpoint_files

ARRAYS = {
    "values": np.arange(12, dtype=np.int32).reshape(3, 4),
    "nothing": np.empty((0, 5), np.float64),
    "bytes": np.arange(7, dtype=np.uint8),
    "every other": np.arange(20, dtype=np.int64)[::2],
}
FACTS = {"fraction": 0.5, "strips": [0, 3], "name": "ä"}


def written(folder: Path) -> Path:
    path = folder / "part"
    assert checkpoint_files.write_checkpoint(path, FACTS, ARRAYS)
    return path


def test_what_was_written_is_read(tmp_path: Path) -> None:
    path = written(tmp_path)
    for found in (checkpoint_files.read_checkpoint(path), checkpoint_files.read_checkpoint(path, verify=False)):
        assert found.facts == FACTS
        assert list(found.arrays) == list(ARRAYS)
        for name, array in ARRAYS.items():
            np.testing.assert_array_equal(found.arrays[name], array, strict=True)
            assert not found.arrays[name].size or not found.arrays[name].flags.writeable
    assert checkpoint_files.read_facts(path) == FACTS
    assert os.listdir(tmp_path) == ["part"]


def test_a_part_without_arrays(tmp_path: Path) -> None:
    checkpoint_files.write_checkpoint(tmp_path / "part", {"a": 1}, {})
    assert checkpoint_files.read_checkpoint(tmp_path / "part") == checkpoint_files.Checkpoint({"a": 1}, {})


@given(data=st.data())
def test_damage_anywhere_is_noticed(data: st.DataObject, tmp_path_factory: pytest.TempPathFactory) -> None:
    path = written(tmp_path_factory.mktemp("part"))
    content = bytearray(path.read_bytes())
    place = data.draw(st.integers(0, len(content) - 1))
    match data.draw(st.sampled_from(("flip", "cut", "more"))):
        case "flip":
            content[place] ^= data.draw(st.integers(1, 255))
        case "cut":
            del content[place:]
        case "more":
            content += b"x" * (place + 1)
    path.write_bytes(content)
    with pytest.raises(checkpoint_files.DamagedCheckpoint):
        checkpoint_files.read_checkpoint(path)


def test_files_that_are_no_parts(tmp_path: Path) -> None:
    (tmp_path / "text").write_text("anything")
    (tmp_path / "header").write_bytes(
        checkpoint_files.MAGIC + (2).to_bytes(checkpoint_files.LENGTH_BYTES, "little") + b"{}"
    )
    for name in ("text", "header", "missing"):
        for read in (checkpoint_files.read_checkpoint, checkpoint_files.read_facts):
            with pytest.raises(checkpoint_files.DamagedCheckpoint, match=name):
                read(tmp_path / name)


def test_a_part_that_is_given_up_leaves_the_one_before(tmp_path: Path) -> None:
    path = written(tmp_path)
    asked = iter([True, True, False])
    assert not checkpoint_files.write_checkpoint(
        path, {}, {"large": np.zeros(3 * checkpoint_files.PIECE_BYTES, np.uint8)}, lambda: next(asked)
    )
    assert checkpoint_files.read_checkpoint(path).facts == FACTS
    assert os.listdir(tmp_path) == ["part"]


def test_a_full_disk_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(handle: int) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr("os.fsync", full)
    with pytest.raises(OSError, match="No space"):
        checkpoint_files.write_checkpoint(tmp_path / "part", FACTS, ARRAYS)
    assert os.listdir(tmp_path) == []


def test_a_large_part_asks_often_while_it_is_read(tmp_path: Path) -> None:
    checkpoint_files.write_checkpoint(
        tmp_path / "part", {}, {"large": np.zeros(3 * checkpoint_files.PIECE_BYTES, np.uint8)}
    )
    asked: list[None] = []
    checkpoint_files.read_checkpoint(tmp_path / "part", lambda: asked.append(None))
    assert len(asked) >= 3
