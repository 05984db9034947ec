"""The alignment for files, the clipboard and figures."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QFileDialog, QWidget

from antidiag.app import texts
from antidiag.app.kit import export, result_text
from antidiag.app.kit.background import Latest
from antidiag.app.views.aligned.picture import Picture
from antidiag.kernels.errors import InputError
from antidiag.kernels.io import aligned, aligned_edits, aligned_writing
from antidiag.kernels.io.aligned import AlignedSequences
from antidiag.kernels.io.alignment_files.pairs import PLACE
from antidiag.kernels.io.alignment_files.rows import Annotations
from antidiag.kernels.io.alignments import fasta, title
from antidiag.kernels.io.names import distinct
from antidiag.kernels.model import Result, SequenceType
from antidiag.kernels.monitor import Monitor
from antidiag.kernels.msa.problem import MsaAnswer
from antidiag.kernels.pairwise.model import LEFT, UP
from antidiag.kernels.profiles.options import merged
from antidiag.kernels.profiles.problem import ProfileAnswer
from antidiag.kernels.text import counted
from antidiag.kernels.triple.model import LETTER, TripleAnswer

MOST_COPIED = 1 << 26
"""Letters that are put on the clipboard at most."""
MOST_COLUMNS = 1 << 28
"""Columns of a result's alignment that are made rows of, at most."""


def holds_alignment(result: Result) -> bool:
    """Whether a result has a multiple alignment, or one of two or three sequences, or of profiles, of MOST_COLUMNS at
    most."""
    if isinstance(result.answer, ProfileAnswer):
        return 0 < result.answer.operations.size <= MOST_COLUMNS
    if result_text.is_pair(result):
        path = result.answer.alignment
        return path is not None and 0 < path.operations.size <= MOST_COLUMNS
    if isinstance(result.answer, MsaAnswer):
        return True
    if isinstance(result.answer, TripleAnswer):
        return result.answer.alignment is not None and 0 < result.answer.alignment.moves.size <= MOST_COLUMNS
    return False


def has_path(result: Result) -> bool:
    """Whether the alignment of a result is a path, which begins and ends somewhere: not one of many sequences."""
    return not isinstance(result.answer, MsaAnswer)


def columns_of(result: Result) -> int:
    """Columns of the alignment of a result, for which `holds_alignment` holds."""
    if isinstance(result.answer, MsaAnswer):
        return int(result.answer.alignment.letters.shape[1])
    path = result.answer.alignment
    return int((path.moves if isinstance(result.answer, TripleAnswer) else path.operations).size)


def alignment_of(result: Result) -> AlignedSequences:
    """The alignment of a result, for which `holds_alignment` holds, as rows."""
    if isinstance(result.answer, ProfileAnswer):
        return merged(result)
    if isinstance(result.answer, MsaAnswer):
        return result.answer.alignment
    sequences, path = result.problem.sequences, result.answer.alignment
    if result_text.is_pair(result):
        taken = path.operations != LEFT, path.operations != UP
    else:
        taken = tuple((path.moves & LETTER[side]) > 0 for side in range(3))
    letters = np.full((len(sequences), taken[0].size), aligned.GAP, np.uint8)
    for row, (sequence, there) in enumerate(zip(sequences, taken, strict=True)):
        letters[row, there] = sequence.array[path.start[row] : path.end[row]]
    letters.setflags(write=False)
    kinds = {sequence.type for sequence in sequences}
    kind = SequenceType.PROTEIN if SequenceType.PROTEIN in kinds else sequences[0].type
    names = distinct(sequence.name for sequence in sequences)
    # Where a row begins in its sequence, as files of pairs say it.
    places = tuple((row, PLACE, f"{start + 1:,} +") for row, start in enumerate(path.start) if start)
    return AlignedSequences(names, letters, kind, " x ".join(names), annotations=Annotations(of_rows=places))


def shown_part(picture: Picture, chosen: bool = True) -> AlignedSequences:
    """The rows that are shown, in their order, collapsed ones too; of these the chosen cells where some are, and
    ``chosen`` is True: of several blocks all columns of any, with gaps where a row has no chosen cell."""
    found, order, choice = picture.alignment, picture.members(picture.order), picture.choice
    some = chosen and not choice.empty
    if some:
        order = order[choice.rows[order]]
    if not np.array_equal(order, np.arange(len(found.names))):
        found = aligned_edits.take_rows(found, order)
    # Rows before columns: these are taken of those rows alone, and not of all.
    if some and not choice.whole_rows:
        columns = np.flatnonzero(choice.columns)
        found = aligned_edits.take_columns(found, columns)
        if not choice.single:
            found = aligned_edits.with_gaps(found, ~choice.cells(order, columns))
    return found


def text_of(picture: Picture, form: str) -> str:
    """The chosen cells, or all, as text; InputError where they are too many for the clipboard."""
    cells = picture.members(picture.order).size if picture.choice.empty else int(picture.choice.rows.sum())
    cells *= picture.shape[1] if picture.choice.empty else int(picture.choice.columns.sum())
    if cells > MOST_COPIED:
        raise InputError(f"{cells:,} letters are too many for the clipboard; choose fewer, or save them")
    part = shown_part(picture)
    if form == "names":
        return "\n".join(part.names)
    if form == "plain":
        return "\n".join(row.tobytes().decode("ascii") for row in aligned.as_written(part))
    if form == "unaligned":
        return "".join(fasta((title(one), one.letters.decode("ascii")) for one in aligned.unaligned(part)))
    _, write, _ = aligned_writing.WRITERS[form]
    return b"".join(write(part)).decode()


def copy(picture: Picture, form: str) -> str:
    """Put the chosen cells, or all, on the clipboard; what is said of it."""
    QGuiApplication.clipboard().setText(text_of(picture, form))
    shown = picture.members(picture.order)
    rows = shown.size if picture.choice.empty else int(picture.choice.rows[shown].sum())
    columns = picture.shape[1] if picture.choice.empty else int(picture.choice.columns.sum())
    what = counted(rows, "name") if form == "names" else texts.size(rows, columns)
    return f"Copied {what}."


def ask_and_save(parent: QWidget, picture: Picture, chosen: bool, saving: Latest, tell: Callable[[str], None]) -> None:
    """Ask for a file and let ``saving`` write the rows that are shown, or the ``chosen`` cells of them."""
    filters = ";;".join(f"{label} (*{suffix})" for suffix, (label, _, _) in aligned_writing.WRITERS.items())
    name, kind = QFileDialog.getSaveFileName(parent, "Save alignment", "alignment.fasta", f"All formats (*);;{filters}")
    if name:
        known = [*aligned_writing.WRITERS, ".gz"]
        path = export.with_suffix(name, kind, known)
        part = shown_part(picture, chosen)

        def write(monitor: Monitor) -> Path:
            aligned_writing.write(path, [part], monitor)
            return path

        tell(f"Saving {path} ...")
        saving.request(write)
