"""Distances that others write: tables with heads, lines of pairs, the DISTANCES block of NEXUS, and MEGA."""

from __future__ import annotations

import itertools
import re
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from antidiag.kernels.errors import InputError
from antidiag.kernels.graphs.files import graph_reader
from antidiag.kernels.io.distance_files import read_distances
from antidiag.kernels.io.distance_matrix import DistanceMatrix
from antidiag.kernels.registry import data_loading

CASES = Path("tests/cases/dist")
VALUES = np.array([[0, 1, 2.5], [1, 0, 3], [2.5, 3, 0]])
NAMES = ("A", "B x", "C")


def read(folder: Path, text: str, name: str) -> DistanceMatrix:
    """Return the distances that opening a file gives, which are those that a method reads."""
    path = folder / name
    path.write_bytes(text.encode())
    assert data_loading.find_kind_of_file(path).id == "distance-matrix"
    (opened,) = data_loading.read_data(path)
    (found,) = read_distances(path)
    assert opened == found
    (graph,) = graph_reader.read_graph(path)
    assert np.array_equal(graph.weights, found.values)
    return found


@pytest.mark.parametrize("name", ["d11_snpdists.tsv", "d24_nexus_dist.nex", "d26_mothur_col.dist"])
def test_cases_are_read(tmp_path: Path, name: str) -> None:
    found = read(tmp_path, (CASES / name).read_text(), name)
    scale = 10 if "mothur" in name else 1
    assert found.names == ("A", "B", "C")
    np.testing.assert_allclose(found.values * scale, [[0, 1, 2], [1, 0, 3], [2, 3, 0]])


SHAPES = {
    "square": lambda row: range(3),
    "lower": range,
    "lower with diagonal": lambda row: range(row + 1),
    "upper": lambda row: range(row + 1, 3),
    "upper with diagonal": lambda row: range(row, 3),
}


@pytest.mark.parametrize("line_end", ["\n", "\r\n", "\n\n"])
@pytest.mark.parametrize(("separator", "suffix"), [("\t", ".tsv"), (",", ".csv"), (";", ".csv"), (" ", ".txt")])
@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("corner", ["", "snp-dists 0.8", None])
def test_tables_with_heads(
    tmp_path: Path, line_end: str, separator: str, suffix: str, shape: str, corner: str | None
) -> None:
    names = [f'"{name}"' for name in NAMES] if separator == " " else NAMES
    head = [*names] if corner is None or separator == " " else [corner, *names]
    rows = [[name, *(f"{VALUES[row, column]:g}" for column in SHAPES[shape](row))] for row, name in enumerate(names)]
    found = read(tmp_path, line_end.join(separator.join(line) for line in (head, *rows)), f"d{suffix}")
    assert found.names == NAMES
    assert np.array_equal(found.values, VALUES)


def test_tables_with_empty_cells_other_orders_and_comments(tmp_path: Path) -> None:
    found = read(tmp_path, "# made by hand\n,A,B,C\nC,2.5,3,-\nA,-,,\nB,1,0,\n", "d.csv")
    assert found.names == ("C", "A", "B")
    assert found.values.tolist() == [[0, 2.5, 3], [2.5, 0, 1], [3, 1, 0]]
    assert read(tmp_path, "#query\tA\tB\nA\t0\t0.1\nB\t0.1\t0\n", "mash.tab").values[0, 1] == 0.1
    assert read(tmp_path, "\t1\t2\n1\t0\t7\n2\t7\t0\n", "d.tsv").names == ("1", "2")


def test_decimal_commas_between_semicolons(tmp_path: Path) -> None:
    found = read(tmp_path, "\ufeff;A;B\r\nA;0;0,5\r\nB;0,5;0\r\n", "d.csv")
    assert found.names == ("A", "B") and found.values[0, 1] == 0.5


def test_a_damaged_table_is_still_one(tmp_path: Path) -> None:
    (tmp_path / "d.tsv").write_text("x\tA\tB\nA\t0\tone\nB\t1\t0\n")
    with pytest.raises(InputError, match="line 2: the distance 'one' of A is not a number"):
        data_loading.read_data(tmp_path / "d.tsv")


def test_a_head_longer_than_what_is_looked_at(tmp_path: Path) -> None:
    names = [f"sequence_with_a_long_name_{number}" for number in range(400)]
    rows = ["\t".join([name, *("0" if name == other else "1" for other in names)]) for name in names]
    found = read(tmp_path, "\n".join(["\t".join(["snp-dists", *names]), *rows]), "d.tsv")
    assert len(found) == 400


def test_pairs_of_mothur_mash_and_snp_dists(tmp_path: Path) -> None:
    pairs = list(itertools.combinations(range(3), 2))
    lines = [f"{NAMES[one].split()[0]}\t{NAMES[other].split()[0]}\t{VALUES[one, other]:g}" for one, other in pairs]
    for text, name in (
        ("\n".join(lines), "d.dist"),
        ("seq1\tseq2\tdist\n" + "\r\n".join(lines), "d.dist"),
        ("\n".join(f"{line}\t0.01\t5/1000" for line in lines), "mash.tsv"),
        (
            "\n".join(f"{one}\t{one}\t0\t0\t1000/1000" for one in "ABC")
            + "\n"
            + "\n".join(f"{line}\t0\t5/1000" for line in lines),
            "mash.txt",
        ),
    ):
        found = read(tmp_path, text, name)
        assert found.names == ("A", "B", "C")
        assert np.array_equal(found.values, VALUES)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("x\tA\tB\nA\t0\t1\nB\t1\tzero\n", "line 3: the distance 'zero' of B is not a number"),
        ("x\tA\tB\nA\t0\tnan\nB\t1\t0\n", "line 2: the distance 'nan' of A is not a number"),
        ("x\tA\tB\nA\t0\t1\nB\t2\t0\n", "not symmetric: the distance of A and B"),
        ("x\tA\tB\nA\t0\t1\nC\t1\t0\n", "line 3: C is a row and no column"),
        ("x\tA\tB\tC\nA\t0\t1\t2\nB\t1\t0\t3\n", "line 1: the head names 3 columns, and 2 rows follow"),
        ("x\tA\tB\tC\nA\t0\t1\nB\t1\t0\t3\nC\t2\t3\t0\n", "line 2: 2 numbers in the row of A; give 3"),
        ("# nothing\n#\n", "the file has no distances"),
        ("A,B,C\n0,1,2\n1,0,3\n2,3,0\n", "line 2: this row has no name"),
        ("#query\ta\tb\nr1\t0.1\t0.2\nr2\t0\t0.3\n", "line 2: r1 is a row and no column"),
        ('x,A,B\nA,0,1\n"\n', "line 3: unexpected end of data; check the quotes"),
        ("x\tA\tA\nA\t0\t1\nA\t1\t0\n", "lines 2 and 3: taxon A occurs twice"),
        ("x,A,B\nA,0,\nB,,0\n", "the distance of A and B is missing"),
        ("A B 1\nA C 2\n", "the distance of B and C is missing, and 1 in all"),
        ("A B 1\nB A 2\n", "lines 1 and 2: the distance of B and A is 1 and 2"),
        ("A B 1\nA A 2\n", "the distance of A from itself is 2, not 0"),
        ("A B 1\nA C x\nB C 1\n", "line 2: the distance 'x' of A is not a number"),
        ("A B\nB C\n", "line 1: this is no table of distances, and the number of taxa is missing; begin"),
        ("A\t0\t1\nB\t1\t0\n", "line 1: this is no table of distances, and the number of taxa is missing"),
    ],
)
def test_damaged_tables_name_the_line(tmp_path: Path, text: str, reason: str) -> None:
    (tmp_path / "d.dist").write_text(text)
    with pytest.raises(InputError, match=f"d.dist.*{reason}"):
        read_distances(tmp_path / "d.dist")


def nexus_text(values: np.ndarray, names: list[str], triangle: str, diagonal: bool, labels: bool, said: str) -> str:
    """Return a NEXUS file with these distances."""
    columns = {
        "lower": lambda row: range(row + 1),
        "upper": lambda row: range(row, len(names)),
        "both": lambda row: range(len(names)),
    }[triangle]
    lines = [
        " ".join(
            [
                *[f"'{name}'"] * labels,
                *(f"{values[row, column]:g}" for column in columns(row) if diagonal or column != row),
            ]
        )
        for row, name in enumerate(names)
    ]
    quoted = " ".join(f"'{name}'" for name in names)
    return (
        f"#NEXUS\n[a [nested] comment]\nBEGIN TAXA;\n DIMENSIONS NTAX={len(names)};\n TAXLABELS {quoted};\nEND;\n"
        f"BEGIN Distances;\n FORMAT {said};\n MATRIX\n" + "\n".join(lines) + "\n;\nEND;\n"
    )


@given(
    taxa=st.integers(2, 6),
    triangle=st.sampled_from(("lower", "upper", "both")),
    diagonal=st.booleans(),
    labels=st.booleans(),
    split=st.booleans(),
    other=st.booleans(),
)
def test_every_format_of_nexus(
    tmp_path_factory, taxa: int, triangle: str, diagonal: bool, labels: bool, split: bool, other: bool
) -> None:
    upper = np.triu(np.arange(taxa * taxa).reshape(taxa, taxa) + 0.5, 1)
    names = [f"taxon {number}" for number in range(taxa)]
    words = ["" if diagonal else "no", "" if labels else "no"]
    said = (
        f"Triangle = {triangle} {words[0]}diagonal {words[1]}labels missing=?"
        if other
        else (f"triangle={triangle.upper()} {words[0]} DIAGONAL labels={'left' if labels else 'no'}")
    )
    text = nexus_text(upper + upper.T, names, triangle, diagonal, labels, said)
    if split and triangle == "both":  # a row may go on in the next line
        text = text.replace(".5 ", ".5\n  ", 1)
    found = read(tmp_path_factory.mktemp("nexus"), text, "d.nex")
    assert found.names == tuple(names)
    assert np.array_equal(found.values, upper + upper.T)


def test_interleaved_distances_and_defaults_of_nexus(tmp_path: Path) -> None:
    head = "#nexus\r\nbegin taxa; dimensions ntax=3; taxlabels A B C; end;\r\nbegin distances;\r\n"
    for body in (
        "format triangle=both interleave;\r\nmatrix\r\nA 0 1\r\nB 1 0\r\nC 2.5 3\r\n\r\nA 2.5\r\nB 3\r\nC 0\r\n;",
        "format triangle=both nolabels interleave;\r\nmatrix\r\n0 1\r\n1 0\r\n2.5 3\r\n\r\n2.5\r\n3\r\n0\r\n;",
        "matrix A 0 B 1 0 C 2.5 3 0;",
        "dimensions ntax=3 nchar=7; matrix [first] 1 0 2 1 0 3 2.5 3 0;",
    ):
        path = tmp_path / "d.nex"
        path.write_bytes(f"{head}{body}\r\nend;\r\nbegin trees; tree t = (A,B,C); end;\r\n".encode())
        found, tree = data_loading.read_data(path)
        assert tree.taxa == ("A", "B", "C"), "the trees of the file open beside"
        assert found.names == ("A", "B", "C") and np.array_equal(found.values, VALUES)


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        ("matrix A 0 B 1 0 C 2 x 0; end;", "line 3, column 39: 'x' is not a number; it is read as a distance of C"),
        ("matrix A 0 B 1 0 C 2 3; end;", r"the matrix ends in row 3 of 3 \(read as triangle=lower diagonal labels\)"),
        ("matrix A 0 B 1 0 C 2 3 0 D; end;", "'D' follows the last of 3 taxa"),
        ("matrix A 0 B 1 0 D 2 3 0; end;", "the taxon 'D' is not among the TAXLABELS"),
        ("format triangle=middle; matrix A 0; end;", "FORMAT says 'triangle=middle'"),
        (
            "format nolabels; dimensions ntax=4; matrix 0 1 0 2 3 0 4 5 6 0; end;",
            "needs its 4 taxa in TAXLABELS; 3 ",
        ),
        ("matrix A 0 B ? 0 C 2 3 0; end;", "the distance of A and B is missing"),
        ("matrix A 0;", "this block has no END"),
        ("format labels; end;", "this block has no MATRIX"),
        ("dimensions ntax=9; matrix A 0 B 1 0; end;", "5 words in the matrix, too few for 9 taxa"),
        ("format interleave triangle=both; matrix\nA 0 1\nB 1 0\n; end;", "2 rows in the matrix, and NTAX is 3"),
    ],
)
def test_damaged_nexus_names_the_place(tmp_path: Path, body: str, reason: str) -> None:
    (tmp_path / "d.nex").write_text(
        f"#NEXUS\nbegin taxa; dimensions ntax=3; taxlabels A B C; end;\nbegin distances; {body}"
    )
    with pytest.raises(InputError, match=f"d.nex.*{reason}"):
        read_distances(tmp_path / "d.nex")


def test_an_alignment_with_distances_is_an_alignment(tmp_path: Path) -> None:
    path = tmp_path / "x.nex"
    path.write_text(
        "#NEXUS\nbegin data; dimensions ntax=2 nchar=4; format datatype=dna gap=-; matrix\nA AC-T\nB ACGT\n;\nend;\n"
        "begin distances; matrix A 0 B 1 0; end;\n"
    )
    assert data_loading.find_kind_of_file(path).id == "alignment"
    assert read_distances(path)[0].values[0, 1] == 1


def test_nexus_without_labels_and_with_a_diagonal(tmp_path: Path) -> None:
    rows = "0 1 2.5\n1 0 3\n2.5 3 0"
    text = (
        "#nexus\nBEGIN taxa;\nDIMENSIONS ntax=3;\nTAXLABELS A 'B x' C;\nEND;\nBEGIN distances;\nDIMENSIONS ntax=3;\n"
        f"FORMAT labels=no diagonal triangle=both;\nMATRIX\n{rows}\n;\nEND;\n"
    )
    found = read(tmp_path, text, "splits.nex")
    assert found.names == NAMES
    assert np.array_equal(found.values, VALUES)


@pytest.mark.parametrize("mark", ["\t", ","])
def test_a_separator_may_end_each_line(tmp_path: Path, mark: str) -> None:
    lines = ["\tA\tB x\tC\t", "A\t0\t1\t2.5\t", "B x\t1\t0\t3\t", "C\t2.5\t3\t0\t"]
    found = read(tmp_path, "\n".join(lines).replace("\t", mark) + "\n", "t.tsv")
    assert found.names == NAMES
    assert np.array_equal(found.values, VALUES)


def test_percentages_and_identities_of_fastani_are_refused(tmp_path: Path) -> None:
    table = tmp_path / "p.csv"
    table.write_text(",A,B,C\nA,0%,10%,20%\nB,10%,0%,30%\nC,20%,30%,0%\n")
    with pytest.raises(InputError, match="line 2: 0% in the row of A is a percentage"):
        data_loading.read_data(table)
    pairs = tmp_path / "ani.dist"
    pairs.write_text("a.fa\tb.fa\t98.5\t9\t10\na.fa\tc.fa\t97.5\t9\t10\nb.fa\tc.fa\t96.5\t9\t10\n")
    with pytest.raises(InputError):
        read_distances(pairs)


@pytest.mark.parametrize("count", [3, 4, 6])
def test_a_triangle_as_r_prints_it(tmp_path: Path, count: int) -> None:
    names = [f"taxon{number}" for number in range(count)]
    rows = [f"{names[row]} {' '.join(str(10 * row + column) for column in range(row))}" for row in range(1, count)]
    found = read(tmp_path, "\n".join(["       " + " ".join(names[:-1]), *rows]) + "\n", "d.txt")
    assert found.names == tuple(names)
    assert all(found.values[row, column] == 10 * row + column for row in range(count) for column in range(row))


MEGA = "#mega\r\n!Title: Apes; \n!Format DataType=Distance DataFormat={layout} NTaxa=3;\n!Description\n  d : #1\n;\n\n"
MEGA_TAXA = "[1] #Homo_sapiens\n[2] #Pan {apes}\n[3] #Gorilla\n\n[     1    2   3 ]\n"
LOWER_LEFT = "[1]        [0.1] [0.2]\n[2]  0.015       [0.3]\n[3]  0.05  0.052\n"


@pytest.mark.parametrize(
    ("layout", "rows"),
    [("LowerLeft", LOWER_LEFT), ("upperright", "[1]   0.015  0.05\n[2]          0.052\n[3]\n")],
)
def test_distances_of_mega(tmp_path: Path, layout: str, rows: str) -> None:
    found = read(tmp_path, MEGA.format(layout=layout) + MEGA_TAXA + rows, "d.meg")
    assert found.names == ("Homo_sapiens", "Pan {apes}", "Gorilla")
    np.testing.assert_array_equal(found.values, [[0, 0.015, 0.05], [0.015, 0, 0.052], [0.05, 0.052, 0]])


@pytest.mark.parametrize(
    ("layout", "body", "reason"),
    [
        ("UpperRight", MEGA_TAXA + LOWER_LEFT, "line 14: 1 distance of 'Homo_sapiens', not 2 as DataFormat=UpperRight"),
        ("Full", MEGA_TAXA + LOWER_LEFT, "DataFormat='Full' is not known"),
        ("LowerLeft", MEGA_TAXA.replace("[3] #Gorilla", "") + LOWER_LEFT, "NTaxa='3' in !Format, and 2 lines"),
        (
            "LowerLeft",
            MEGA_TAXA + LOWER_LEFT.replace("0.05 ", "n/c "),
            "line 15: 'n/c' is no distance of 'Gorilla' and",
        ),
        ("LowerLeft", MEGA_TAXA + LOWER_LEFT + "1 2 3\n", "3 rows of distances and 3 lines"),
        ("LowerLeft", MEGA_TAXA + "!Gene x\n" + LOWER_LEFT, "line 13: this statement has no ';'"),
        ("LowerLeft", "#\n" + LOWER_LEFT, "line 8: '#' without a name"),
    ],
)
def test_damaged_mega_distances_name_the_place(tmp_path: Path, layout: str, body: str, reason: str) -> None:
    with pytest.raises(InputError, match=re.escape(reason)):
        read(tmp_path, MEGA.format(layout=layout) + body, "d.meg")


@pytest.mark.parametrize("part", ["x", "! \n", "!x = ", "\n \n"], ids=["word", "marks", "settings", "blanks"])
def test_a_long_file_of_mega_is_refused_at_once(tmp_path: Path, part: str) -> None:
    with pytest.raises(InputError, match="rows of distances|no ';'"):
        read(tmp_path, f"#mega\n!Format DataType=Distance;\n!{part * 200_000}", "d.meg")
