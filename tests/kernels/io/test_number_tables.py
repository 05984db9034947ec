"""Damaged arrays are refused in plain words, and errors that are no fault of the file come through."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from antidiag.kernels.errors import InputError
from antidiag.kernels.io import number_tables


def with_header(path: Path, header: bytes) -> Path:
    path.write_bytes(b"\x93NUMPY\x01\x00" + len(header).to_bytes(2, "little") + header)
    return path


@pytest.mark.parametrize(
    "header", [b"-" * 9000 + b"1", b"(" * 9000, b"{'descr': 1}", b"{", b"\xff", b"{'descr':'<f8','shape':(9,9,9)"]
)
def test_a_damaged_header_is_refused_with_the_error_that_it_caused(tmp_path: Path, header: bytes) -> None:
    path = with_header(tmp_path / "a.npy", header)
    with pytest.raises(InputError, match=r"a\.npy: not a valid NPY file: .*numpy\.save") as raised:
        number_tables.map_array(path)
    assert raised.value.__cause__ is not None
    assert not number_tables.holds_matrix(path, path.read_bytes())


@pytest.mark.parametrize("error", [MemoryError, KeyboardInterrupt, AssertionError])
def test_what_is_no_fault_of_the_file_comes_through(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, error: type[BaseException]
) -> None:
    path = tmp_path / "a.npy"
    np.save(path, np.eye(3))
    head = path.read_bytes()

    def fail(*_: object, **__: object) -> None:
        raise error

    monkeypatch.setattr(np, "load", fail)
    for call in (lambda: number_tables.map_array(path), lambda: number_tables.holds_matrix(path, head)):
        with pytest.raises(error):
            call()


def test_arrays_without_numbers_or_with_one_axis_are_left_to_their_reader(tmp_path: Path) -> None:
    for name, array in (("words", np.array([["a"]])), ("line", np.arange(3)), ("single", np.array(1.0))):
        path = tmp_path / f"{name}.npy"
        np.save(path, array)
        assert not number_tables.holds_matrix(path, path.read_bytes())
