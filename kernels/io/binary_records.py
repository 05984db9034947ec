"""Sequences in binary files of sequencers (ABI) and of editors (SnapGene), read by Biopython."""

from __future__ import annotations

import io
import re
import struct
import warnings
from collections.abc import Iterator
from pathlib import Path

from antidiag.kernels.errors import InputError
from antidiag.kernels.io.record_letters import SequenceRecord, make_record
from antidiag.kernels.model import SequenceType
from antidiag.kernels.text import format_count

ABI_HEAD = re.compile(rb"ABIF")
ABI_HEADER, ABI_ENTRY_BYTES = struct.Struct(">16xHIII"), 28
"""The head of an ABI file: the size of an entry of its directory, their number, their bytes, and where they begin."""
SNAPGENE_HEAD = re.compile(rb"\t\0\0\0\x0eSnapGene")


def read_abi(stream: Iterator[bytes], source: str) -> Iterator[tuple[str, SequenceRecord]]:
    """Yield the bases that a sequencer called, with their place; the trace and the qualities are left out."""
    return _read_with_biopython(stream, source, "abi", "ABI")


def read_snapgene(stream: Iterator[bytes], source: str) -> Iterator[tuple[str, SequenceRecord]]:
    """Yield the sequence of a SnapGene file, with its place."""
    return _read_with_biopython(stream, source, "snapgene", "SnapGene")


def _read_with_biopython(
    stream: Iterator[bytes], source: str, format: str, label: str
) -> Iterator[tuple[str, SequenceRecord]]:
    from Bio import SeqIO

    data = b"".join(stream)
    damaged = f"{source}: this {label} file is damaged or cut short; fetch it again, or export it as FASTA"
    if format == "abi" and not _has_whole_directory(data):
        raise InputError(damaged)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            found = SeqIO.read(io.BytesIO(data), format)
            letters = bytes(found.seq)
        except Exception as error:  # a damaged file raises errors of many kinds in the library
            raise InputError(damaged) from error
    names = (text for text in (found.id, found.name) if text and "<unknown" not in text)
    name = "_".join(next(names, Path(source).stem).split())
    described = "" if "<unknown" in found.description or found.description == name else found.description
    record = make_record(name, described, letters, source)
    notes = [record.note, "trace and qualities left out" if format == "abi" else ""]
    if found.features:
        notes.append(f"{format_count(len(found.features), 'feature')} left out")
    yield (
        f"{source}, record {name}",
        record._replace(note="; ".join(filter(None, notes)), type=SequenceType.DNA if format == "abi" else None),
    )


def _has_whole_directory(data: bytes) -> bool:
    """Return whether the directory of an ABI file lies in it; the library would read a longer one without an end."""
    if len(data) < ABI_HEADER.size:
        return False
    size, count, _, place = ABI_HEADER.unpack_from(data)
    return size == ABI_ENTRY_BYTES and place + count * size <= len(data)
