"""Sequences of alignment files are the rows that the window shows, without their gaps, in every format."""

from __future__ import annotations

from pathlib import Path

import pytest

from antidiag.kernels.errors import InputError
from antidiag.kernels.io.aligned_sequences import read_alignments, unaligned_sequences
from antidiag.kernels.io.sequences import read_sequences
from antidiag.kernels.model import SequenceType
from antidiag.kernels.registry import data_loading
from tests.kernels.io.sequence_files import write

TEXTS = {
    "clustal.aln": "CLUSTAL W (1.8)\n\n\none  ACGT-A\ntwo  ACGTTA\n     **** *\n\none  GGG\ntwo  G-G\n",
    "stockholm.sto": "# STOCKHOLM 1.0\none ACGT-A\ntwo ACGTTA\n#=GC x 123456\n//\n",
    "relaxed.phy": " 2 6\none_long_name  ACGT-A\ntwo  ACGTTA\n",
    "interleaved.phy": " 2 6\none  ACG\ntwo  ACG\n\nT-A\nTTA\n",
    "a.nex": "#NEXUS\nbegin data;\ndimensions ntax=2 nchar=6;\nformat datatype=dna gap=-;\nmatrix\n"
    "one ACGT-A\ntwo ACGTTA\n;\nend;\n",
    "a.msf": "PileUp\n\n MSF: 6 Type: N Check: 1 ..\n\n Name: one Len: 6 Check: 1 Weight: 1\n "
    "Name: two Len: 6 Check: 1 Weight: 1\n\n//\n\none ACGT.A\ntwo ACGTTA\n",
    "a.maf": "##maf version=1\na score=1\ns hg.chr1 0 4 + 100 ACGT\ns mm.chr2 0 3 + 100 AC-T\n\n",
    "a.pir": ">P1;one\nfirst\nACGT-A*\n>P1;two\nsecond\nACGTTA*\n",
    "a.a3m": ">one x\nACgtGT\n>two\nAC-T\n",
    "several.a3m": "#first\n>one x\nACgtGT\n>two\nAC-T\n#second\n>three\nACG\n",
    "a.sam": "q\t0\tt\t1\t60\t4M\t*\t0\t0\tACGT\t*\tMD:Z:4\n",
    "a.fa": ">one x\nAC-GT\n>two\nACGGT\n",
    "a.tab": "one\tAC-GT\ntwo\tACGGT\n",
}


@pytest.mark.parametrize("name", TEXTS)
def test_rows_are_the_same_for_sequences_and_for_alignments(tmp_path, name):
    path = write(tmp_path, TEXTS[name].encode(), name)
    rows = [row for alignment in read_alignments(path) for row in unaligned_sequences(alignment)]
    shown = [row for alignment in data_loading.read_data(path) for row in unaligned_sequences(alignment)]
    found = read_sequences(path)
    for others in (rows, shown):
        assert [(one.name, one.letters, one.description, one.note) for one in found] == [
            (one.name, one.letters, one.description, one.note) for one in others
        ]


@pytest.mark.parametrize("name", ["clustal.aln", "stockholm.sto", "relaxed.phy", "a.nex", "a.msf", "a.maf", "a.tab"])
def test_damaged_alignments_have_one_reason(tmp_path, name):
    path = write(
        tmp_path, TEXTS[name].replace("ACGTTA", "ACGT").replace("AC-T", "AC-").replace("\tAC", "\t!").encode(), name
    )
    reasons = []
    for read in (read_sequences, read_alignments):
        try:
            read(path)
        except InputError as error:
            reasons.append(str(error))
    assert len(reasons) == 2 and (reasons[0] == reasons[1] or name == "a.tab")


def test_rows_read_as_sequences_keep_type_and_note_of_their_file(tmp_path: Path) -> None:
    path = tmp_path / "a.pir"
    path.write_text("C; a comment\n>P1;one\nsome text\nACGT/ACGT*\n>P1;two\n\nACGTACGT*\n")
    first, second = read_sequences(path)
    assert first.type == second.type == SequenceType.PROTEIN, "P1 says so, and the letters do not"
    assert first.note and not second.note
