"""What is in a file is told by what stands in it, and what could be several things says what it was opened as."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from antidiag.kernels.errors import InputError
from antidiag.kernels.registry import data_loading

DISTANCES = np.array([[0, 1, 2.5], [1, 0, 2], [2.5, 2, 0]])
ARRAYS = {
    "distances": (DISTANCES, "distance-matrix", "named .matrix.npy"),
    "not symmetric": (DISTANCES + np.eye(3, k=1), "matrix", "not symmetric"),
    "not 0 on the diagonal": (DISTANCES + np.eye(3), "matrix", "not symmetric"),
    "negative": (-DISTANCES, "matrix", "not symmetric"),
    "whole": (np.arange(12).reshape(3, 4), "matrix", ""),
    "a batch": (np.zeros((2, 3, 3)), "matrix", ""),
}
TABLES = {
    "a.csv": ("1,2,3,4\n5,6,7,inf\n", "matrix", ""),
    "b.csv": ("0.5,1,2\n3,4,5\n", "matrix", ""),
    "c.csv": ("1,2,3\n2,3,4.5\n", "graph", "named .matrix.csv"),
    "d.tsv": ("1\t2\n2\t3\n", "graph", "named .matrix.tsv"),
    "e.csv": ("a,b,3\nb,c,4\n", "graph", ""),
    "f.csv": ("source,target,weight\n1,2,3\n", "graph", ""),
    "g.edges": ("1 2 3\n2 3 4\n", "graph", ""),
    "h.txt": ("# two rows\n1 2 3\n4 5 6\n", "matrix", "a file named .edges opens as edges"),
    "i.matrix.csv": ("1,2,3\n4,5,6\n", "matrix", ""),
    "j.txt": ("3\na 0 1 2\nb 1 0 3\nc 2 3 0\n", "distance-matrix", ""),
    "k.txt": (">1\nACGT\n", "sequence", ""),
    "m.matrix": ("1 2\n3 inf\n", "matrix", ""),
    "l.csv": ("inf,nan\n1,2\n", "matrix", None),
}


@pytest.mark.parametrize("name", ARRAYS)
def test_arrays_are_told_by_their_numbers(name: str, tmp_path: Path) -> None:
    values, kind, remark = ARRAYS[name]
    np.save(tmp_path / "array.npy", values)
    assert data_loading.find_kind_of_file(tmp_path / "array.npy").id == kind
    (found,) = data_loading.read_data(tmp_path / "array.npy")
    assert remark in found.note and bool(found.note) == bool(remark)
    np.testing.assert_array_equal(found.values, values)


def test_names_say_what_an_array_is(tmp_path: Path) -> None:
    np.save(tmp_path / "named.matrix.npy", DISTANCES)
    np.save(tmp_path / "taxa.npy", DISTANCES + np.eye(3, k=1))
    (tmp_path / "taxa.names").write_text("a\nb\nc\n")
    (found,) = data_loading.read_data(tmp_path / "named.matrix.npy")
    assert data_loading.find_kind(found).id == "matrix" and not found.note
    with pytest.raises(InputError, match="taxa.npy"):
        data_loading.read_data(tmp_path / "taxa.npy")


@pytest.mark.parametrize("name", TABLES)
def test_tables_are_told_by_their_columns(name: str, tmp_path: Path) -> None:
    text, kind, remark = TABLES[name]
    (tmp_path / name).write_text(text)
    assert data_loading.find_kind_of_file(tmp_path / name).id == kind
    if remark is not None:
        note = getattr(data_loading.read_data(tmp_path / name)[0], "note", "")
        assert remark in note and ("Opened as" in note) == bool(remark)


@pytest.mark.parametrize("data", [b"\x93NUMPY", b"\x93NUMPY\x01\x00\xff\xff{", b"\x93NUMPY\x09\x00" + b"x" * 90])
def test_an_array_whose_header_is_damaged_is_refused(data: bytes, tmp_path: Path) -> None:
    (tmp_path / "array.npy").write_bytes(data)
    with pytest.raises(InputError, match="not a valid NPY file"):
        data_loading.read_data(tmp_path / "array.npy")
