"""Alignments that other programs wrote, `tests/data/alignments`: their letters are those of the sequences they took."""

from pathlib import Path

import numpy as np
import pytest

from antidiag.kernels.errors import InputError
from antidiag.kernels.io import aligned_sequences, sequences
from antidiag.kernels.io.alignment_formats.raw_alignment import DESCRIPTION
from antidiag.kernels.model import SequenceType
from antidiag.kernels.registry import data_loading

ROOT = Path(__file__).resolve().parents[3]
FOLDER = ROOT / "tests" / "data" / "alignments"
COMPLEMENT = bytes.maketrans(b"ACGT", b"TGCA")
GLOBINS = {one.name: one.letters for one in sequences.read_sequences(FOLDER / "globins.fasta")}
OF_GLOBINS = {
    "clustalw.aln": 156, "clustalw.msf": 156, "clustalw.nxs": 156, "clustalw.phy": 156, "clustalw.pir": 156,
    "emboss.msf": 156, "emboss.nex": 156, "emboss-sequential.nex": 156, "emboss.phy": 156, "emboss-sequential.phy": 156,
    "clustalo.msf": 160, "clustalo.sto": 160, "mafft.aln": 160, "kalign.aln": 156, "kalign.msf": 156,
    "probcons.aln": 159, "hhsuite.a2m": 160, "hhsuite.a3m": 160, "hmmalign.a2m": 160, "hmmalign.sto": 160,
    "hhalign.a3m": 160,
}  # fmt: skip
"""Columns of each file; as their programs align them anew, as many do."""
OF_READS = ("minimap2.paf", "minimap2-cs.sam", "minimap2-md.sam", "samtools-calmd.sam", "last.maf", "lastz.maf")


def test_every_file_is_read():
    told = {path.name for path in FOLDER.iterdir()}
    assert told == {*OF_GLOBINS, *OF_READS, "samtools-calmd-e.sam", "globins.fasta", "reads.fasta"}


@pytest.mark.parametrize("name", OF_GLOBINS)
def test_an_alignment_has_the_letters_of_its_sequences(name):
    (found,) = data_loading.read_data(FOLDER / name)
    assert found.letters.shape == (6, OF_GLOBINS[name]) and found.type == SequenceType.PROTEIN
    letters = {one.name: one.letters for one in aligned_sequences.unaligned_sequences(found)}
    if name.endswith(".phy"):  # which has ten letters of each name
        letters = dict(zip(GLOBINS, letters.values(), strict=True))
    if name.startswith("hhalign"):  # which is local, and leaves out the first letter of one
        letters["beta_human"] = b"V" + letters["beta_human"]
    assert letters == GLOBINS


@pytest.mark.parametrize("program", ["clustalw", "emboss", "kalign"])
def test_a_program_says_the_same_in_each_of_its_formats(program):
    paths = [FOLDER / name for name in OF_GLOBINS if name.startswith((f"{program}.", f"{program}-"))]
    first, *others = (aligned_sequences.read_alignments(path)[0].letters for path in paths)
    assert others and all(np.array_equal(first, other) for other in others)


def test_titles_with_blanks_are_names_and_descriptions():
    for name in ("kalign.aln", "kalign.msf"):
        (found,) = aligned_sequences.read_alignments(FOLDER / name)
        described = [said for row, tag, said in found.annotations.of_rows if tag == DESCRIPTION and row == 0]
        assert found.names[0] == "alpha_human" and described == ["PDB 2HHB chain A, human haemoglobin alpha"]


@pytest.mark.parametrize("name", OF_READS)
def test_a_pair_has_the_letters_of_its_sequences(name):
    (genome,) = sequences.read_sequences(ROOT / "resources" / "samples" / "mitochondrion-chimpanzee.fasta")
    reads = {one.name: one.letters for one in sequences.read_sequences(FOLDER / "reads.fasta")}
    found = data_loading.read_data(FOLDER / name)
    assert {pair.names[1] for pair in found} >= {"read0", "read3"}
    for number, pair in enumerate(found, 1):
        above, below = (row.letters for row in aligned_sequences.unaligned_sequences(pair))
        read = reads[pair.names[1]]
        assert pair.names[0] == genome.name and above in genome.letters
        assert below in read or below in read.translate(COMPLEMENT)[::-1]
        if name.endswith(".maf"):
            assert pair.name.endswith(f"block {number}")
        else:
            start = int(pair.annotations.of_rows[0][2].split()[0].replace(",", "")) - 1
            assert genome.letters[start : start + len(above)] == above


def test_letters_that_are_not_said_are_asked_for():
    with pytest.raises(InputError, match="4 records, all without MD, cs or letters"):
        aligned_sequences.read_alignments(FOLDER / "samtools-calmd-e.sam")


def test_what_cs_says_is_compared_with_the_letters(tmp_path):
    text = (FOLDER / "minimap2-cs.sam").read_text()
    bad = tmp_path / "bad.sam"
    for was, now, why in (
        ("cs:Z::", "cs:Z::1", "cs and the letters of the query contradict each other"),
        ("\t11187\t", "\tx\t", "flag and position, .* must be numbers"),
    ):
        bad.write_text(text.replace(was, now, 1))
        with pytest.raises(InputError, match=why):
            aligned_sequences.read_alignments(bad)
