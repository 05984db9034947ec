"""Reference alignments of BAliBASE in XML, with their core blocks as annotation of columns."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from collections.abc import Iterator

from antidiag.kernels.errors import InputError
from antidiag.kernels.io.alignment_formats.raw_alignment import Annotations, RawAlignment, RowBuilder

HEAD = re.compile(rb"\s*<\?xml.{0,400}<macsim>", re.DOTALL)
SCORE = re.compile("-?[0-9]{1,18}")
CORE_TAG = "core"
"""The tag of the core blocks: a column of one is 1, another 0."""


def read_balibase(stream: Iterator[bytes], source: str) -> RawAlignment:
    """Read the alignment; InputError where the XML is damaged or has none."""
    try:
        alignment = ET.fromstring(b"".join(stream)).find("alignment")
    except (ET.ParseError, ValueError, LookupError, RecursionError) as error:
        raise InputError(f"{source}: the XML is damaged: {error}; fetch the file again") from error
    if alignment is None:
        raise InputError(f"{source}: this XML has no alignment; give a reference alignment of BAliBASE")
    rows = RowBuilder(source)
    for sequence in alignment.findall("sequence"):
        name = (sequence.findtext("seq-name") or "").strip()
        letters = "".join((sequence.findtext("seq-data") or "").split()).upper()
        rows.extend_row(rows.add_row(name.encode()), letters.encode(errors="replace"))
    scores = alignment.findtext("column-score/colsco-data")
    raw = rows.build_alignment(name=(alignment.findtext("aln-name") or "").strip().rpartition("/")[2])
    if scores is None:
        return raw
    said = scores.split()
    if len(said) != raw.letters.shape[1] or not all(map(SCORE.fullmatch, said)):
        raise InputError(
            f"{source}: column scores must be one whole number for each of the {raw.letters.shape[1]:,} "
            "columns; correct them"
        )
    marks = "".join("1" if int(score) > 0 else "0" for score in said)
    return raw._replace(annotations=Annotations(of_columns=((CORE_TAG, marks),)))
