"""Reference alignments in BAliBASE's XML: core blocks are read, and what is damaged is refused by name."""

from __future__ import annotations

from pathlib import Path

import pytest

from antidiag.kernels.errors import InputError
from antidiag.kernels.io import aligned_sequences

SCORES = "1 0 -1 12"
TEXT = """<?xml version="1.0"?><!DOCTYPE macsim SYSTEM "a.dtd">
<macsim><alignment><aln-name>sets/BB1</aln-name>
<sequence><seq-name> one </seq-name><seq-data>AC\nd-</seq-data></sequence>
<sequence><seq-name>two</seq-name><seq-data>A--G</seq-data></sequence>
<column-score><colsco-name>core</colsco-name><colsco-data>{}</colsco-data></column-score>
</alignment></macsim>"""


def put(folder: Path, text: str | bytes) -> Path:
    path = folder / "a.xml"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


def test_rows_and_core_blocks(tmp_path: Path) -> None:
    (found,) = aligned_sequences.read_alignments(put(tmp_path, TEXT.format(SCORES)))
    assert (found.names, found.letters.tobytes()) == (("one", "two"), b"ACD-A--G")
    assert found.annotations.of_columns == (("core", "1001"),)
    assert found.name.endswith("BB1")


@pytest.mark.parametrize(
    "scores", ["1 0 1", "1 0 1 1 0", "1 0 x 1", "1 0 1.5 1", "1 0 1_0 1", "", f"1 0 {'9' * 5000} 1"]
)
def test_scores_that_are_none_of_the_columns(tmp_path: Path, scores: str) -> None:
    with pytest.raises(InputError, match=r"a\.xml: column scores must be one whole number for each of the 4"):
        aligned_sequences.read_alignments(put(tmp_path, TEXT.format(scores)))


@pytest.mark.parametrize(
    "text",
    [
        pytest.param(TEXT.format(SCORES)[:-20], id="cut short"),
        pytest.param(TEXT.format(SCORES).replace('"1.0"', '"1.0" encoding="nobodys"', 1), id="unknown encoding"),
        pytest.param(TEXT.format(SCORES).replace('"1.0"', '"1.0" encoding="utf-7"', 1), id="an encoding of bytes"),
    ],
)
def test_damaged_xml(tmp_path: Path, text: str) -> None:
    with pytest.raises(InputError, match=r"a\.xml: the XML is damaged"):
        aligned_sequences.read_alignments(put(tmp_path, text))
