"""Sequences after ##FASTA in files of features: GFF3, as annotation programs write it."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator

from antidiag.kernels.errors import InputError
from antidiag.kernels.io.line_blocks import decode_text
from antidiag.kernels.io.record_letters import SequenceRecord
from antidiag.kernels.text import format_count

HEAD = re.compile(rb"##gff-version|(#[^\n]*\n)*+([^\t\n]+\t){3}\d+\t\d+\t[^\t\n]+\t[-+.?]\t[.012]\t")
"""The line of the version, or a feature: nine columns with start, end, score, strand and phase."""
FASTA_LINE = re.compile(rb"^##FASTA[^\n]*\n\s*(?=>)|^(?=>)", re.MULTILINE)
"""The line before the sequences, which is sometimes forgotten."""

FastaReader = Callable[[bytes, str, int], Iterator[tuple[str, SequenceRecord]]]


def read_gff(stream: Iterator[bytes], source: str, read_fasta: FastaReader) -> Iterator[tuple[str, SequenceRecord]]:
    """Yield the sequences after ##FASTA, each with its place; the notes count features, which are left out.

    Parameters
    ----------
    stream : iterator of bytes
        The file in blocks.
    source : str
        What errors call the file.
    read_fasta : function of a text in FASTA, a source, and the number of its first line
        Yields the records, each with its place.

    Raises
    ------
    InputError
        Where there are no sequences.
    """
    text = b"".join(stream)
    begin = FASTA_LINE.search(text)
    if begin is None:
        raise InputError(
            f"{source}: these are features (GFF) without the sequences that may follow a line ##FASTA; give the FASTA "
            "file of the sequences"
        )
    head = text[: begin.start()]
    features = Counter(
        decode_text(line.split(b"\t", 1)[0])
        for line in head.split(b"\n")
        if not line.startswith(b"#") and line.count(b"\t") >= 7
    )
    records = list(read_fasta(text[begin.end() :], source, text.count(b"\n", 0, begin.end()) + 1))
    others = sum(features.values()) - sum(features[name] for name in {record.name for _, record in records})
    for place, record in records:
        left_out = [f"{format_count(count, 'feature')} left out"] if (count := features.pop(record.name, 0)) else []
        left_out += [f"{format_count(others, 'feature')} of sequences that are not in the file"] * bool(others)
        others = 0
        yield place, record._replace(note="; ".join(filter(None, (record.note, *left_out))))
