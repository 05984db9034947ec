"""Distance matrices: what is written is read again, in every layout; what is no distance is refused with its place."""

from __future__ import annotations

import gzip
from io import BytesIO
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from antidiag.kernels.errors import InputError
from antidiag.kernels.io import distance_files
from antidiag.kernels.io.distance_files import DISTANCE_MATRIX
from antidiag.kernels.io.distance_matrix import DistanceMatrix, make_distance_matrix, numbered_names


def random_matrix(taxa: int, seed: int, names: tuple[str, ...] | None = None) -> DistanceMatrix:
    upper = np.triu(np.round(np.random.default_rng(seed).random((taxa, taxa)) * 9, 5), 1)
    return make_distance_matrix(names or numbered_names(taxa), upper + upper.T)


def record(name: str, numbers: list[float], strict: bool) -> str:
    return (
        f"{name:10.10}" + " ".join(f"{number:.6g}" for number in numbers)
        if strict
        else " ".join([name, *[f"{number:.6g}" for number in numbers]])
    )


LAYOUTS = {
    "square": lambda row, i: row,
    "lower": lambda row, i: row[:i],
    "lower with diagonal": lambda row, i: row[: i + 1],
    "upper": lambda row, i: row[i + 1 :],
    "upper with diagonal": lambda row, i: row[i:],
}


@given(
    taxa=st.integers(2, 9),
    seed=st.integers(0, 99),
    layout=st.sampled_from(sorted(LAYOUTS)),
    strict=st.booleans(),
    wrapped=st.booleans(),
)
def test_every_layout_is_read(tmp_path_factory, taxa, seed, layout, strict, wrapped) -> None:
    names = tuple(f"Sp. no {i}" if strict else f"species_{i}" for i in range(taxa))
    matrix = random_matrix(taxa, seed, names)
    lines = [record(name, LAYOUTS[layout](matrix.values[i].tolist(), i), strict) for i, name in enumerate(names)]
    if wrapped and not strict:
        lines = [line.replace(" ", "\n  ", 1) for line in lines]
    path = tmp_path_factory.mktemp("phylip") / "m.phy"
    path.write_text(f"  {taxa}\r\n" + "\r\n".join(lines))
    (found,) = distance_files.read_distances(path)
    assert found.names == names
    np.testing.assert_array_equal(found.values, matrix.values)


@pytest.mark.parametrize("name", ["m.phy", "m.phy.gz", "m.npy"])
def test_written_matrices_are_read_again(tmp_path: Path, name: str) -> None:
    matrix = random_matrix(7, 1, (">", "a b", "d", "e" * 200, "f", "g", "ä"))
    distance_files.write_distances(tmp_path / name, matrix)
    (found,) = distance_files.read_distances(tmp_path / name)
    np.testing.assert_array_equal(found.values, matrix.values)
    assert found.names == tuple(each.replace(" ", "_") if "npy" not in name else each for each in matrix.names)
    head = (tmp_path / name).read_bytes()
    assert DISTANCE_MATRIX.claims_file(tmp_path / name, gzip.decompress(head) if name.endswith("gz") else head)


def test_lower_triangles_are_written() -> None:
    matrix = make_distance_matrix(("a", "b", "c"), np.array([[0, 1.0, 2], [1, 0, 3], [2, 3, 0]]))
    assert "".join(distance_files.phylip_lines(matrix, "lower")).split() == ["3", "a", "b", "1", "c", "2", "3"]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("3\na 0 1 nan\nb 1 0 2\nc 2 2 0\n", "the distance of a and c is nan; give a number"),
        ("3\na 0 1 inf\nb 1 0 2\nc 2 2 0\n", "the distance of a and c is inf"),
        ("3\nA\nB 1\nC 2 -3\n", "the distance of B and C is -3; give a number that is not negative"),
        ("3\na 0 1 3\nb 1 0 2\nc 2 2 0\n", "not symmetric: the distance of a and c is 3 in one row and 2 in the other"),
        ("2\na 0.5 1\nb 1 0\n", "the distance of a from itself is 0.5, not 0"),
        ("3\na 0 1 x\nb 1 0 2\nc 2 2 0\n", "line 2, taxon a: 'x' is not a number"),
        ("3\na 0 1 2\nb 1 0 2\n", "line 3: 2 taxa, and line 1 announces 3"),
        ("3\nHomo sapie0 1 2\nPan troglo1 0 2\nGorilla   2 2 y\n", "line 4, taxon Gorilla: 'y' is not a number"),
        ("2\na 0 1_000\nb 1_000 0\n", "line 2, taxon a: '1_000' is not a number"),
        ("0\n\n", "0 taxa"),
        ("100000\n" + "a 0 1\n" * 20_000, "100,000 taxa do not fit a file of 120,007 bytes"),
        ("two\n\n", "the number of taxa is missing"),
        ("", "begins with its number of taxa"),
    ],
)
def test_what_is_wrong_is_named_with_its_place(tmp_path: Path, text: str, words: str) -> None:
    path = tmp_path / "m.phy"
    path.write_text(text)
    with pytest.raises(InputError) as raised:
        distance_files.read_distances(path)
    assert words in str(raised.value)
    assert str(path) in str(raised.value)


def test_arrays_that_are_no_matrix_are_refused(tmp_path: Path) -> None:
    np.save(tmp_path / "a.npy", np.zeros((2, 3)))
    (tmp_path / "b.npy").write_bytes(b"\x93NUMPY\x01")
    for name, words in (("a.npy", "is square"), ("b.npy", "not a valid NPY file")):
        with pytest.raises(InputError, match=words):
            distance_files.read_distances(tmp_path / name)
    with pytest.raises(InputError, match="2 names for 3 rows"):
        make_distance_matrix(("a", "b"), np.zeros((3, 3)))
    with pytest.raises(InputError, match="no taxa"):
        make_distance_matrix((), np.zeros((0, 0)))


def test_arrays_that_announce_what_they_do_not_hold_are_refused(tmp_path: Path) -> None:
    np.save(tmp_path / "a.npy", np.zeros((10, 10)))
    whole, header = (tmp_path / "a.npy").read_bytes(), np.lib.format.header_data_from_array_1_0(np.zeros((10, 10)))
    huge = BytesIO()
    np.lib.format.write_array_header_1_0(huge, {**header, "shape": (10**7, 10**7)})
    texts = [whole[:size] for size in (7, 20, 100, 128, 300)]
    texts += [huge.getvalue(), whole.replace(b"(10, 10)", b"(10, -1)"), whole.replace(b"(10, 10)", b"((((((((")]
    texts += [whole.replace(b"'<f8'", b"'|O' "), whole.replace(b"'<f8'", b"'klin")]
    for text in texts:
        (tmp_path / "a.npy").write_bytes(text)
        with pytest.raises(InputError, match=r"a\.npy: (not a valid NPY file|an array of)") as raised:
            distance_files.read_distances(tmp_path / "a.npy")
        assert "\n" not in str(raised.value)


def test_names_beside_an_array_are_utf_8(tmp_path: Path) -> None:
    np.save(tmp_path / "a.npy", np.array([[0, 1.0], [1, 0]]))
    (tmp_path / "a.names").write_bytes(b"\xef\xbb\xbfone\r\ncaf\xc3\xa9\r\n")
    assert distance_files.read_distances(tmp_path / "a.npy")[0].names == ("one", "caf\xe9")
    (tmp_path / "a.names").write_bytes(b"one\ncaf\xe9\n")
    with pytest.raises(InputError, match=r"a\.names, line 2: this line is not UTF-8"):
        distance_files.read_distances(tmp_path / "a.npy")


def test_numbers_that_differ_by_rounding_become_their_mean() -> None:
    found = make_distance_matrix(("a", "b"), np.array([[0, 1.0], [1 + 2e-7, 0]]))
    assert found.values[0, 1] == found.values[1, 0] == pytest.approx(1 + 1e-7)


@pytest.mark.parametrize("type", [np.float32, np.float64])
@pytest.mark.parametrize("taxa", [255, 256, 257, 600])
def test_what_is_wrong_is_found_in_every_tile(taxa: int, type) -> None:
    """Wherever it is: in a tile of the diagonal, to the right of it, or below it."""
    right = np.abs(np.subtract.outer(*2 * [np.arange(taxa, dtype=type)]))
    for i, j in ((3, 5), (taxa - 1, 2), (1, taxa - 1), (taxa - 2, taxa - 1)):
        for value, words in ((np.nan, "is nan"), (np.inf, "is inf"), (-1, " -1"), (taxa + 1, "not symmetric")):
            wrong = right.copy()
            wrong[i, j] = value
            with pytest.raises(InputError, match=words) as error:
                make_distance_matrix(numbered_names(taxa), wrong)
            assert {str(i + 1), str(j + 1)} <= set(str(error.value).replace(":", "").split())
        wrong = right.copy()
        wrong[i, i] = 1
        with pytest.raises(InputError, match=f"distance of {i + 1} from itself"):
            make_distance_matrix(numbered_names(taxa), wrong)
        rounded = right.copy()
        rounded[i, j] *= 1 + 3e-7
        found = make_distance_matrix(numbered_names(taxa), rounded)
        np.testing.assert_array_equal(found.values, found.values.T)
        assert found.max_distance == found.values.max()


def test_claims_are_made_of_matrices_alone() -> None:
    path = Path("x")
    for head in (b" 5\nHuman 0 1", b"2\n>Human 0 1\nb 1 0\n", b"3\n\n> 0 1 2\n", b"300\n>a 0 1 2.5 3"):
        assert distance_files.is_distance_file(path, head)
    others = (b"5\n>a\nACGT", b"2\n>a 1 2 3\nACGT\n", b"1\n>a b\nACGT\n", b"2\n>a b")
    for head in (b">a\nACGT", b"((a,b),c);", b"5 60\nHuman ACGT", b"", *others):
        assert not distance_files.is_distance_file(path, head)


def test_numbers_are_read_to_the_last_bit(tmp_path: Path) -> None:
    words = ["0.1", "1e-3", "123456789.123456789", "3.", ".5", "7E2", "1.7976931348623157e308", "4.9e-324", "00.25"]
    for word in words:
        (tmp_path / "m.phy").write_text(f"2\na 0 {word}\nb {word} 0\n")
        assert distance_files.read_distances(tmp_path / "m.phy")[0].values[0, 1] == float(word)


def test_random_matrices_for_sweeps_are_matrices() -> None:
    assert DISTANCE_MATRIX.generate is not None
    for taxa in (1, 2, 9):
        assert len(DISTANCE_MATRIX.generate(taxa, np.random.default_rng(0))) == taxa


@pytest.mark.parametrize("data", [b"", b" \n\n"])
def test_an_empty_file_is_told_to_be_empty(tmp_path: Path, data: bytes) -> None:
    path = tmp_path / "empty.phy"
    path.write_bytes(data)
    with pytest.raises(InputError, match=r"empty\.phy: the file is empty; give a PHYLIP matrix"):
        distance_files.read_distances(path)


@pytest.mark.parametrize(
    ("space", "read"), [(b"\x0b", True), (b"\x0c", True), (b"\x0b" * 5000, False), (b"\x0c ", False)]
)
def test_other_spaces_than_blanks_are_no_numbers_or_part_of_one(tmp_path: Path, space: bytes, read: bool) -> None:
    path = tmp_path / "a.phy"
    path.write_bytes(b"2\na 0 12.5\nb " + space + b"12.5 0\n")
    if read:
        (found,) = distance_files.read_distances(path)
        assert found.values.tolist() == [[0, 12.5], [12.5, 0]]
    else:
        with pytest.raises(InputError, match=r"a\.phy, line 3"):
            distance_files.read_distances(path)
    path.write_bytes(b"2\na 0 12.5\nb " + space + b" \n")
    with pytest.raises(InputError, match=r"a\.phy, line"):
        distance_files.read_distances(path)


def test_a_number_of_very_many_letters_is_refused_whole(tmp_path: Path) -> None:
    path = tmp_path / "a.phy"
    path.write_bytes(b"2\na 0 1." + b"0" * 5000 + b"\nb 1 0\n")
    with pytest.raises(InputError, match="has 5,002 letters"):
        distance_files.read_distances(path)
