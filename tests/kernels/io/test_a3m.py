"""A3M files of several alignments, and databases of them."""

import pytest

from antidiag.kernels.alignments.alignment_kind import ALIGNMENT
from antidiag.kernels.errors import InputError
from antidiag.kernels.io import aligned_sequences
from antidiag.kernels.registry import data_loading


def rows(alignment):
    return [row.tobytes().decode() for row in alignment.letters]


def test_several_alignments_in_a_file_of_a3m(tmp_path):
    path = tmp_path / "some.a3m"
    path.write_text("#first family\n>q\nMKV-L\n>r\nMaaKV-Ll\n#\n#second\n>s\nACD\n>t\nA-D\n")
    first, second = aligned_sequences.read_alignments(path)
    assert first.name == "some: first family" and first.letters.shape == (2, 8)
    assert second.name == "some: second" and rows(second) == ["ACD", "A-D"]


def database(folder, *entries):
    """A database of HH-suite, whose index is sorted by name, and its entries backwards."""
    path, first, index = folder / "db_a3m.ffdata", 0, []
    for number, entry in enumerate(entries):
        index.append(f"z{9 - number}\t{first}\t{len(entry) + 1}\n")
        first += len(entry) + 1
    path.write_bytes(b"".join(entry + b"\0" for entry in entries))
    path.with_suffix(".ffindex").write_text("".join(sorted(index)))
    return path


def test_a_database_of_a3m_is_read_with_the_names_of_its_index(tmp_path):
    path = database(tmp_path, b"#some family\n>q\nMKV\n>r\nMaK-\n", b">s\nAC\n>t\nA-\n")
    assert data_loading.find_kind_of_file(path) is ALIGNMENT
    first, second = data_loading.read_data(path)
    assert first.name == "db_a3m: some family" and second.name == "db_a3m: z8"
    assert (rows(first), rows(second)) == (["M-KV", "MAK-"], ["AC", "A-"])
    path.with_suffix(".ffindex").unlink()
    assert [found.name for found in aligned_sequences.read_alignments(path)] == ["db_a3m: some family", "db_a3m: s"]


def test_what_of_a_database_cannot_be_read_says_what_to_do(tmp_path):
    path = database(tmp_path, b">q\nMKV\n>r\nM-V\n", b"HHsearch 1.5\n")
    with pytest.raises(InputError, match=r"db_a3m.ffdata, alignment 2: .*that ends with _a3m.ffdata"):
        aligned_sequences.read_alignments(path)
    with pytest.raises(InputError, match=r"open db_a3m.ffdata beside it"):
        aligned_sequences.read_alignments(path.with_suffix(".ffindex"))
    path = database(tmp_path, *[b">q\nMKV\n"] * 1001)
    with pytest.raises(InputError, match="more than 1,000 alignments; take .* ffindex_get"):
        aligned_sequences.read_alignments(path)
    path = tmp_path / "without.a3m"
    path.write_text(">q\nMKV\n>r\nM-V\n>s\nMKVLL\n")
    with pytest.raises(InputError, match=r"row s: 5 columns .* a line #NAME before each"):
        aligned_sequences.read_alignments(path)
    path.write_bytes(b">q\n" + b"A" * (3 << 20) + b"\n\0>s\nMK\n")
    with pytest.raises(InputError):
        aligned_sequences.read_alignments(path)
