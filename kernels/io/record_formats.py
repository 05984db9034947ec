"""The formats of sequence files that are no alignments: how each is recognised, and which function reads it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import NamedTuple

from antidiag.kernels.io import binary_records, fastq_records, flat_file_records, gcg_records, gff_records
from antidiag.kernels.io.fasta_records import parse_fasta_text
from antidiag.kernels.io.record_letters import SequenceRecord

PlacedRecords = Iterator[tuple[str, SequenceRecord]]
"""Records, each with the place where it begins, for errors."""


class RecordFormat(NamedTuple):
    """A format of sequences: its name for users, its beginning, and its reader, which takes blocks and a source."""

    label: str
    matches: Callable[[bytes], object]
    read: Callable[[Iterator[bytes], str], PlacedRecords]
    is_binary: bool = False


def _flat(known: flat_file_records.FlatFormat) -> Callable[[Iterator[bytes], str], PlacedRecords]:
    return partial(flat_file_records.read_flat_file, known=known)


RECORD_FORMATS = (
    RecordFormat("ABI", binary_records.ABI_HEAD.match, binary_records.read_abi, True),
    RecordFormat("SnapGene", binary_records.SNAPGENE_HEAD.match, binary_records.read_snapgene, True),
    RecordFormat("GCG", gcg_records.looks_like_gcg, gcg_records.read_gcg),  # its text may be that of GenBank
    RecordFormat("GenBank", flat_file_records.GENBANK_HEAD.match, _flat(flat_file_records.GENBANK)),
    RecordFormat("Swiss-Prot", flat_file_records.SWISS_HEAD.match, _flat(flat_file_records.SWISS_PROT)),
    RecordFormat("EMBL", flat_file_records.EMBL_HEAD.match, _flat(flat_file_records.EMBL)),
    RecordFormat("FASTQ", fastq_records.HEAD.match, fastq_records.read_fastq),
    RecordFormat("GFF3", gff_records.HEAD.match, partial(gff_records.read_gff, read_fasta=parse_fasta_text)),
)
"""All formats but FASTA and plain letters. The first that matches reads the file."""


def find_record_format(start: bytes) -> RecordFormat | None:
    """Return the format of a file that begins so; None where no format matches."""
    return next((known for known in RECORD_FORMATS if known.matches(start)), None)
