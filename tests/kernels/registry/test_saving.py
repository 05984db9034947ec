"""Files that other programs read: every format read back, and refusals that leave the old file."""

from __future__ import annotations

import io
import itertools
import json
import os
import re
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import numpy as np
import pytest
from Bio import Align, AlignIO
from Bio.Seq import Seq
from hypothesis import given
from hypothesis import strategies as st

from antidiag.kernels.errors import InputError
from antidiag.kernels.io.files import write_lines
from antidiag.kernels.io.sequences import read_sequences
from antidiag.kernels.model import Result, Sequence, SequenceType
from antidiag.kernels.pairwise.formats import FORMATS, text_view_lines
from antidiag.kernels.pairwise.model import DIAGONAL, LEFT, UP, Alignment, PairAnswer, PairProblem
from antidiag.kernels.registry import find_method
from antidiag.kernels.registry.result_saving import result_json, result_suffixes, write_result, write_sequences
from antidiag.kernels.scoring import Mode

EXTENSIONS = result_suffixes(find_method("striped-alignment"))

LONG_NAME = "sp|Q00001|" + "N" * 190
GAPPED = {
    ".fasta": "fasta",
    ".fa": "fasta",
    ".afa": "fasta",
    ".aln": "clustal",
    ".sto": "stockholm",
    ".phy": "phylip-relaxed",
    ".nex": "nexus",
}


def result(operations=(DIAGONAL, DIAGONAL, UP, DIAGONAL, LEFT, LEFT, DIAGONAL), first="first", second="second", **more):
    from antidiag.kernels.scoring import Scoring, named_matrix

    path = np.array(operations, np.uint8)
    taken = int((path != LEFT).sum()), int((path != UP).sum())
    top = Sequence(first, (b"TT" + b"ACGTACGT" * 100)[: taken[0] + 2] + b"GG", SequenceType.DNA, f"{first} the first")
    bottom = Sequence(second, (b"C" + b"ACGGTACT" * 100)[: taken[1] + 1], SequenceType.DNA)
    start, end = (2, 1), (2 + taken[0], 1 + taken[1])
    made = Result(
        method="striped-alignment",
        problem=PairProblem(top, bottom, Scoring(named_matrix("NUC.4.4"), 5, 2), Mode.LOCAL),
        parameters={"s": 64, "T": 32},
        backend="cpu",
        device="a processor",
        answer=PairAnswer(12, end, Alignment(start, end, path)),
        times_ms={"phase 1": 1.0, "phase 2": 0.5},
        host_bytes=1000,
        device_bytes=0,
        started=datetime.now(UTC),
        versions={"python": "3"},
        notes=("a note",),
    )
    return replace(made, **more)


def score_only():
    full = result()
    return replace(full, method="striped-score", answer=PairAnswer(12, full.answer.end, None))


def rows(one):
    return one.answer.alignment.gapped_rows(*one.problem.sequences)


@pytest.mark.parametrize("suffix", GAPPED)
@pytest.mark.parametrize("names", [("first", "second"), (LONG_NAME, "b"), ("same", "same"), ("two words", "b")])
def test_biopython_reads_what_is_written(tmp_path, suffix, names):
    one = result(
        operations=[DIAGONAL] * 70 + [UP] * 9 + [DIAGONAL] * 70 + [LEFT] * 5 + [DIAGONAL],
        first=names[0],
        second=names[1],
    )
    path = tmp_path / f"out{suffix}"
    write_result(path, one)
    found = AlignIO.read(path, GAPPED[suffix])
    assert tuple(str(record.seq) for record in found) == rows(one)
    first, second = (record.id for record in found)
    assert first == names[0].replace(" ", "_")
    assert second == (names[1] if GAPPED[suffix] == "fasta" or names[0] != names[1] else "same_2")


@pytest.mark.parametrize("suffix", GAPPED)
def test_our_reader_reads_them_back(tmp_path, suffix):
    one = result()
    write_result(tmp_path / f"out{suffix}", one)
    found = read_sequences(tmp_path / f"out{suffix}")
    assert [sequence.name for sequence in found] == ["first", "second"]
    assert [sequence.letters.decode() for sequence in found] == [row.replace("-", "") for row in rows(one)]


OPERATIONS = st.lists(st.sampled_from([DIAGONAL, DIAGONAL, UP, LEFT]), min_size=1, max_size=200)


@given(OPERATIONS, st.sampled_from(sorted(GAPPED)))
def test_any_path_survives_writing_and_reading(tmp_path_factory, operations, suffix):
    one = result(operations)
    path = tmp_path_factory.mktemp("round") / f"out{suffix}"
    write_result(path, one)
    found = AlignIO.read(path, GAPPED[suffix])
    assert tuple(str(record.seq) for record in found) == rows(one)


def test_sam(tmp_path):
    one = result()
    write_result(tmp_path / "out.sam", one)
    lines = (tmp_path / "out.sam").read_text().splitlines()
    assert f"@SQ\tSN:second\tLN:{len(one.problem.second)}" in lines
    fields = lines[-1].split("\t")
    assert fields[:5] == ["first", "0", "second", "2", "255"]
    inside = one.answer.alignment.format_cigar(*one.problem.sequences)
    assert fields[5] == f"2S{inside}2S"
    assert fields[9] == one.problem.first.letters.decode() and fields[11] == "AS:i:12"
    used = sum(int(count) for count, kind in re.findall(r"(\d+)([=XIDS])", fields[5]) if kind in "=XIS")
    assert used == len(one.problem.first)


def test_paf(tmp_path):
    one = result()
    write_result(tmp_path / "out.paf", one)
    fields = (tmp_path / "out.paf").read_text().rstrip("\n").split("\t")
    top, bottom = rows(one)
    same = sum(x == y for x, y in zip(top, bottom, strict=True))
    path = one.answer.alignment
    sizes = [len(one.problem.first), path.start[0], path.end[0], len(one.problem.second), path.start[1], path.end[1]]
    assert [fields[0], *fields[4:6]] == ["first", "+", "second"]
    assert [int(field) for field in fields[1:4] + fields[6:9]] == sizes
    assert [int(field) for field in fields[9:12]] == [same, len(top), 255]
    assert fields[12:] == [
        "tp:A:P",
        "AS:i:12",
        "cg:Z:" + path.format_cigar(*one.problem.sequences),
        "cs:Z:=AC+g*gt-gt=A",
    ]


@given(OPERATIONS)
def test_biopython_reads_the_same_path_from_sam(operations):
    """Clipped letters, gaps at the ends, and = and X where letters are the same and where they differ."""
    one = result(operations)
    (record,) = Align.parse(io.StringIO("".join(_lines(one, ".sam"))), "sam")
    start, end = record.coordinates[0, [0, -1]].tolist()
    aligned = one.problem.second.letters[start:end]
    assert not aligned or bytes(record.target.seq[start:end]) == aligned, "MD says other letters"
    record.target.seq = Seq(one.problem.second.letters.decode())
    assert (record[1], record[0]) == rows(one)
    fields = "".join(_lines(one, ".sam")).splitlines()[-1].split("\t")
    assert _written(fields[5]) == ["S", "S", *_compared(one), "S", "S"]


@given(OPERATIONS)
def test_paf_leads_through_both_sequences(operations):
    one = result(operations)
    (line,) = _lines(one, ".paf")
    fields = line.rstrip("\n").split("\t")
    (tag,) = [field for field in fields[12:] if field.startswith("cg:Z:")]
    kinds = _written(tag.removeprefix("cg:Z:"))
    assert kinds == _compared(one)
    query, target = (int(fields[k + 1]) - int(fields[k]) for k in (2, 7))
    assert (query, target) == (len(kinds) - kinds.count("D"), len(kinds) - kinds.count("I"))
    assert [int(fields[9]), int(fields[10])] == [kinds.count("="), len(kinds)]


def _lines(one, suffix):
    return list(next(found for found in FORMATS if found.suffix == suffix).iterate_lines(one))


def _written(cigar):
    """A CIGAR, one letter a column."""
    assert re.fullmatch(r"(\d+[=XIDS])+", cigar)
    runs = re.findall(r"(\d+)([=XIDS])", cigar)
    assert all(int(count) > 0 for count, _ in runs)
    assert all(before != after for (_, before), (_, after) in itertools.pairwise(runs))
    return [kind for count, kind in runs for _ in range(int(count))]


def _compared(one):
    """The same from the rows: I is a letter of the first sequence only, D of the second."""
    pairs = zip(*rows(one), strict=True)
    return ["I" if y == "-" else "D" if x == "-" else "=" if x == y else "X" for x, y in pairs]


def text_of(made, **options):
    return "".join(text_view_lines(made, **options))


def test_text_view_counts_positions_from_one():
    text = text_of(result(), width=4)
    assert text.splitlines() == [
        "First : first (9 letters), aligned 3-7",
        "Second: second (7 letters), aligned 2-7",
        "Scoring: NUC.4.4; a gap of length k costs 5 + 2 k; local",
        "Score: 12; 7 columns, 3 identical (42.9 %), 3 gap letters",
        "Identity: 42.9 % of 7 columns, 75.0 % of 4 columns without gaps, 42.9 % of 7 letters of the shorter sequence",
        "",
        "first  3 ACGT 6",
        "         ||",
        "second 2 AC-G 4",
        "",
        "first  7 --A 7",
        "           |",
        "second 5 GTA 7",
    ]


def test_text_view_marks_positive_scores():
    from antidiag.kernels.scoring import Scoring, named_matrix

    first, second = (Sequence(name, letters, SequenceType.PROTEIN) for name, letters in (("a", b"ILW"), ("b", b"VLA")))
    path = Alignment((0, 0), (3, 3), np.zeros(3, np.uint8))
    one = result(
        problem=PairProblem(first, second, Scoring(named_matrix("BLOSUM62"), 10, 1)), answer=PairAnswer(4, (3, 3), path)
    )
    assert "\n    :|\n" in text_of(one)


def test_json_has_exactly_the_promised_keys(tmp_path):
    one = result()
    data = result_json(one)
    assert list(data) == [
        "method", "backend", "device", "parameters", "score", "start", "end", "aligned", "cigar", "identity",
        "strand", "first", "second", "scoring", "mode", "free_ends", "cells", "gcups", "times_ms", "host_bytes",
        "device_bytes", "notes", "versions",
    ]  # fmt: skip
    assert data["start"] == [2, 1] and data["aligned"] == list(rows(one))
    assert data["first"] == {"name": "first", "length": len(one.problem.first), "range": [2, 7]}
    assert data["identity"] == {"identical": 3, "columns": 7, "paired": 4, "shorter": 7}
    write_result(tmp_path / "out.json", one)
    assert json.loads((tmp_path / "out.json").read_text()) == data


@pytest.mark.parametrize(("mode", "start"), [(Mode.LOCAL, None), (Mode.GLOBAL, [0, 0])])
def test_json_of_a_score_has_an_end_and_no_path(tmp_path, mode, start):
    one = score_only()
    one = replace(one, problem=replace(one.problem, mode=mode))
    data = result_json(one)
    assert not {"aligned", "cigar"} & set(data)
    assert (data["start"], data["end"]) == (start, list(one.answer.end))
    write_result(tmp_path / "score.json", one)


def test_fractional_scores_are_in_the_units_of_the_matrix(tmp_path):
    from antidiag.kernels.scoring import Scoring, match_mismatch

    one = result()
    one = replace(one, problem=replace(one.problem, scoring=Scoring(match_mismatch(0.5, -1), 1, 1)))
    assert result_json(one)["score"] == 1.2
    write_result(tmp_path / "out.paf", one)
    assert "as:f:1.2" in (tmp_path / "out.paf").read_text()


def test_large_scores_are_written_in_full():
    assert "Score: 123456789;" in text_of(result(answer=replace(result().answer, score=123456789)))


@pytest.mark.parametrize("suffix", sorted(set(EXTENSIONS) - {".json"}))
def test_a_score_has_no_alignment_to_write(tmp_path, suffix):
    with pytest.raises(InputError, match="no alignment.*json"):
        write_result(tmp_path / f"out{suffix}", score_only())
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("suffix", sorted(EXTENSIONS))
def test_an_empty_alignment_is_written_or_refused_clearly(tmp_path, suffix):
    empty = replace(result(), answer=PairAnswer(0, (0, 0), Alignment((0, 0), (0, 0), np.empty(0, np.uint8))))
    path = tmp_path / f"out{suffix}"
    try:
        write_result(path, empty)
    except InputError as error:
        refused = str(error)
    else:
        refused = ""
    assert path.exists() != ("empty" in refused)
    assert path.exists() == (suffix in (".json", ".paf", ".sam", ".txt"))
    assert len(list(tmp_path.iterdir())) == path.exists()


def test_paf_of_an_empty_alignment_is_a_query_without_a_hit(tmp_path):
    empty = replace(result(), answer=PairAnswer(0, (0, 0), Alignment((0, 0), (0, 0), np.empty(0, np.uint8))))
    write_result(tmp_path / "out.paf", empty)
    name, length, *others = (tmp_path / "out.paf").read_text().rstrip("\n").split("\t")
    assert (name, int(length)) == (empty.problem.first.name, len(empty.problem.first))
    assert others == ["0", "0", "*", "*", *"000000"]


def test_unknown_suffixes_list_the_known_ones(tmp_path):
    for name in ("out.docx", "out"):
        with pytest.raises(InputError, match=r"\.aln, \.sto"):
            write_result(tmp_path / name, result())
    write_result(tmp_path / "out.docx", result(), suffix="aln")
    write_result(tmp_path / "OUT.ALN", result())
    assert (tmp_path / "out.docx").read_text() == (tmp_path / "OUT.ALN").read_text()


def test_missing_folder_and_folder_as_file(tmp_path):
    with pytest.raises(InputError, match="no folder"):
        write_result(tmp_path / "none" / "out.fa", result())
    (tmp_path / "folder.fa").mkdir()
    with pytest.raises(InputError, match="this is a folder"):
        write_result(tmp_path / "folder.fa", result())


def test_a_failure_in_the_middle_leaves_the_old_file(tmp_path):
    path = tmp_path / "out.fa"
    path.write_text("old")

    def lines():
        yield "new"
        raise OSError(28, "No space left on device")

    with pytest.raises(InputError, match="No space left"):
        write_lines(path, lines())
    assert path.read_text() == "old" and [entry.name for entry in tmp_path.iterdir()] == ["out.fa"]


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no /dev/full")
def test_a_full_device():
    with pytest.raises(InputError, match="No space left"):
        write_lines("/dev/full", ["x"])


@pytest.mark.skipif(os.name != "posix", reason="symbolic links and modes")
def test_links_are_followed_and_modes_are_the_usual(tmp_path):
    (tmp_path / "real.fa").write_text("old")
    (tmp_path / "link.fa").symlink_to(tmp_path / "real.fa")
    write_sequences(tmp_path / "link.fa", [Sequence("a", b"AC", SequenceType.DNA)])
    assert (tmp_path / "link.fa").is_symlink() and (tmp_path / "real.fa").read_text() == ">a\nAC\n"
    (tmp_path / "plain").write_text("")
    assert (tmp_path / "real.fa").stat().st_mode == (tmp_path / "plain").stat().st_mode


def test_sequences_keep_the_name_that_the_user_gave(tmp_path):
    renamed = Sequence("new name", b"A" * 130, SequenceType.DNA, "old a description")
    write_sequences(tmp_path / "x.fa", [renamed, Sequence("b", b"AC", SequenceType.DNA, "b  two\nlines")])
    assert (tmp_path / "x.fa").read_text() == (
        f">new_name old a description\n{'A' * 60}\n{'A' * 60}\n{'A' * 10}\n>b two lines\nAC\n"
    )
    with pytest.raises(InputError, match=r"\.fasta"):
        write_sequences(tmp_path / "x.gb", [renamed])


def test_every_suffix_has_a_label():
    assert set(GAPPED) | {".sam", ".paf", ".txt", ".json"} == set(EXTENSIONS)
    assert all(EXTENSIONS.values())


def test_a_folder_without_permission_is_explained(tmp_path, monkeypatch):
    def refuse(*arguments, **named):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr("builtins.open", refuse)
    monkeypatch.setattr("pathlib.Path.unlink", refuse)
    with pytest.raises(InputError, match="cannot be written: Permission denied; choose another place"):
        write_lines(tmp_path / "a.txt", ["a"])


@pytest.mark.parametrize("suffix", GAPPED)
@pytest.mark.parametrize(
    ("kinds", "datatype"),
    [
        ((SequenceType.RNA, SequenceType.DNA), "NUCLEOTIDE"),
        ((SequenceType.DNA, SequenceType.PROTEIN), "PROTEIN"),
        ((SequenceType.RNA, SequenceType.RNA), "RNA"),
    ],
)
def test_sequences_of_different_types_are_written(tmp_path, suffix, kinds, datatype):
    texts = {SequenceType.RNA: b"ACGUUCGUA", SequenceType.DNA: b"CACGGTA", SequenceType.PROTEIN: b"MKVLTWY"}
    first, second = (Sequence(f"s{at}", texts[kind][:7], kind) for at, kind in enumerate(kinds))
    one = result()
    path = Alignment((0, 0), (7, 7), np.zeros(7, np.uint8))
    one = replace(one, problem=replace(one.problem, first=first, second=second), answer=PairAnswer(1, (7, 7), path))
    write_result(tmp_path / f"out{suffix}", one)
    found = read_sequences(tmp_path / f"out{suffix}")
    assert [sequence.letters for sequence in found] == [first.letters, second.letters]
    if suffix == ".nex":
        assert f"DATATYPE={datatype} " in (tmp_path / "out.nex").read_text()
