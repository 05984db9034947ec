"""Files of pairs in the window: letters from files opened together with them, and positions on the reverse strand."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from antidiag.app.views.aligned import status_text
from antidiag.app.views.aligned.drawing.picture import AlignmentPicture
from antidiag.app.views.aligned.editing.cell_selection import CellSelection
from antidiag.kernels.io import aligned_sequences
from antidiag.kernels.model import Sequence

CASES = Path(__file__).parents[1] / "cases/fmt"


@pytest.mark.parametrize("name", ["f02b_short.paf", "f02c_cgonly.paf"])
@pytest.mark.parametrize("first", [True, False])
def test_pairs_get_their_letters_from_files_opened_with_them(qtbot: Any, window: Any, name: str, first: bool) -> None:
    files = [CASES / name, CASES / "f02.fa"]
    window.loader.open_paths(files if first else files[::-1])
    qtbot.waitUntil(lambda: len(window.session.state.data) == 1 and len(window.session.state.sequences) == 2)
    (found,) = window.session.state.data
    assert [row.tobytes() for row in found.letters] == [b"ACGATACGTA", b"ACGTTACGTA"]
    assert {one.name for one in window.session.state.sequences if isinstance(one, Sequence)} == {"q", "t"}


def test_pairs_without_letters_say_what_to_open_with_them(qtbot: Any, window: Any) -> None:
    window.loader.open_paths([CASES / "f02c_cgonly.paf"])
    qtbot.waitUntil(lambda: "give the FASTA files of both sequences together with it" in window.jobs.text.toPlainText())


@pytest.mark.parametrize("name", ["f02.paf", "f25_same_as_f02.sam"])
def test_letters_on_the_reverse_strand_are_numbered_downwards(name: str) -> None:
    (found,) = aligned_sequences.read_alignments(CASES / name)
    colouring: Any = None
    picture = AlignmentPicture(found, np.arange(2), colouring, CellSelection.select_nothing(found.letters.shape))
    said = [status_text.describe_cell(picture, (row, column)) for row, column in ((0, 0), (0, 9), (1, 0), (1, 9))]
    assert [text.split("letter ")[1].split(" ")[1] for text in said] == ["6", "15", "12", "3"]
