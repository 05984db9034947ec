"""What tests of files of sequences share."""

from __future__ import annotations

from io import BytesIO, StringIO
from pathlib import Path

import pytest
from Bio import SeqIO
from Bio.Seq import Seq
from Bio.SeqRecord import SeqRecord
from hypothesis import strategies as st

from antidiag.kernels.errors import InputError
from antidiag.kernels.io.sequences import (
    read_sequences,
)
from antidiag.kernels.model import SequenceType

DNA, RNA, PROTEIN = SequenceType.DNA, SequenceType.RNA, SequenceType.PROTEIN


TWO = b">one first record\nACGTAC\nGTNN\n>two\nTTGACA\n"


def write(folder: Path, data: bytes, name: str = "input.fa") -> Path:
    path = folder / name
    path.write_bytes(data)
    return path


def refusal(path: Path, **options) -> str:
    with pytest.raises(InputError) as error:
        read_sequences(path, **options)
    return str(error.value)


CLUSTAL = b"CLUSTAL W (1.8)\n\n\none  ACGT-A\ntwo  ACGTTA\n     **** *\n"


class Piped(BytesIO):
    """Bytes as they come from a pipe."""

    def seekable(self):
        return False


def genbank(letters: str = "ACGTACGTAA", molecule: str = "DNA") -> str:
    record = SeqRecord(Seq(letters), id="AB000001.1", name="AB000001", description="A record")
    record.annotations["molecule_type"] = molecule
    text = StringIO()
    SeqIO.write(record, text, "genbank")
    return text.getvalue()


NAMES = st.text(st.characters(exclude_categories=("C", "Z")), min_size=1, max_size=30)


LETTERS = st.text("ACDEFGHIKLMNPQRSTVWY", min_size=1, max_size=200)
