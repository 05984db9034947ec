"""The alignment of a result, and the shown alignment as text, for files and the clipboard."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QWidget

from antidiag.app import texts
from antidiag.app.kit import ask
from antidiag.app.kit.results import result_text
from antidiag.app.kit.tasks.latest_task import LatestTask
from antidiag.app.views.aligned.drawing.picture import AlignmentPicture
from antidiag.kernels.alignments import alignment_edits
from antidiag.kernels.errors import InputError
from antidiag.kernels.io import aligned_sequences, alignment_writer, packed_files
from antidiag.kernels.io.aligned_sequences import AlignedSequences
from antidiag.kernels.io.alignment_formats.pair_letters import POSITION_TAG
from antidiag.kernels.io.alignment_formats.raw_alignment import Annotations
from antidiag.kernels.io.result_alignments import fasta_lines, fasta_title
from antidiag.kernels.io.unique_names import make_names_unique
from antidiag.kernels.model import Result, SequenceType
from antidiag.kernels.monitor import Monitor
from antidiag.kernels.msa.problem import MsaAnswer
from antidiag.kernels.pairwise.frames import codon_text
from antidiag.kernels.pairwise.frames.model import FrameAnswer
from antidiag.kernels.pairwise.model import LEFT, UP
from antidiag.kernels.profiles.options import merge_rows
from antidiag.kernels.profiles.problem import ProfileAnswer
from antidiag.kernels.text import format_count
from antidiag.kernels.triple.model import LETTER_BITS, TripleAnswer

MAX_COPIED_LETTERS = 1 << 26
"""Most letters on the clipboard."""
MAX_COLUMNS = 1 << 28
"""Most columns of a result's alignment that is shown."""


def holds_alignment(result: Result) -> bool:
    """Whether a result has an alignment with at most MOST_COLUMNS columns."""
    if isinstance(result.answer, ProfileAnswer):
        return 0 < result.answer.operations.size <= MAX_COLUMNS
    if result_text.is_pair(result):
        path = result.answer.alignment
        return path is not None and 0 < path.operations.size <= MAX_COLUMNS
    if isinstance(result.answer, MsaAnswer):
        return True
    if isinstance(result.answer, FrameAnswer):
        return 0 < result.answer.path.operations.size <= MAX_COLUMNS
    if isinstance(result.answer, TripleAnswer):
        return result.answer.alignment is not None and 0 < result.answer.alignment.moves.size <= MAX_COLUMNS
    return False


def has_path(result: Result) -> bool:
    """Whether the alignment of a result is a path with a start and an end, not a multiple alignment."""
    return not isinstance(result.answer, MsaAnswer | FrameAnswer)


def count_columns(result: Result) -> int:
    """Count the columns of a result's alignment; `holds_alignment` must hold."""
    if isinstance(result.answer, MsaAnswer):
        return int(result.answer.alignment.letters.shape[1])
    if isinstance(result.answer, FrameAnswer):
        return int(result.answer.path.operations.size)
    path = result.answer.alignment
    return int((path.moves if isinstance(result.answer, TripleAnswer) else path.operations).size)


def read_result_alignment(result: Result) -> AlignedSequences:
    """Return the alignment of a result as rows; `holds_alignment` must hold."""
    if isinstance(result.answer, ProfileAnswer):
        return merge_rows(result)
    if isinstance(result.answer, MsaAnswer):
        return result.answer.alignment
    if isinstance(result.answer, FrameAnswer):
        return codon_text.make_alignment(result)
    sequences, path = result.problem.sequences, result.answer.alignment
    if result_text.is_pair(result):
        taken = path.operations != LEFT, path.operations != UP
    else:
        taken = tuple((path.moves & LETTER_BITS[side]) > 0 for side in range(3))
    letters = np.full((len(sequences), taken[0].size), aligned_sequences.GAP, np.uint8)
    for row, (sequence, there) in enumerate(zip(sequences, taken, strict=True)):
        letters[row, there] = sequence.letter_array[path.start[row] : path.end[row]]
    letters.setflags(write=False)
    kinds = {sequence.type for sequence in sequences}
    kind = SequenceType.PROTEIN if SequenceType.PROTEIN in kinds else sequences[0].type
    names = make_names_unique(sequence.name for sequence in sequences)
    # The start of each row in its sequence, as in files of pairwise alignments.
    places = tuple((row, POSITION_TAG, f"{start + 1:,} +") for row, start in enumerate(path.start) if start)
    return AlignedSequences(names, letters, kind, " x ".join(names), annotations=Annotations(of_rows=places))


def extract_shown(picture: AlignmentPicture, selected_only: bool = True) -> AlignedSequences:
    """Return the shown rows in their order, or their selected cells if there are any and ``selected_only`` is True.
    Several blocks give all their columns, with gaps where a row has no selected cell."""
    found, order, choice = picture.alignment, picture.list_rows(picture.order), picture.cell_selection
    some = selected_only and not choice.is_empty
    if some:
        order = order[choice.rows[order]]
    if not np.array_equal(order, np.arange(len(found.names))):
        found = alignment_edits.take_rows(found, order)
    # Rows first, so that columns are taken of few rows only.
    if some and not choice.has_whole_rows:
        columns = np.flatnonzero(choice.columns)
        found = alignment_edits.take_columns(found, columns)
        if not choice.is_single_block:
            found = alignment_edits.replace_with_gaps(found, ~choice.mask_cells(order, columns))
    return found


def format_cells(picture: AlignmentPicture, form: str) -> str:
    """Return the selected cells, or all, as text; InputError if they are too many for the clipboard."""
    cells = (
        picture.list_rows(picture.order).size
        if picture.cell_selection.is_empty
        else int(picture.cell_selection.rows.sum())
    )
    cells *= picture.shape[1] if picture.cell_selection.is_empty else int(picture.cell_selection.columns.sum())
    if cells > MAX_COPIED_LETTERS:
        raise InputError(f"The clipboard cannot hold {cells:,} letters; select fewer, or save them")
    part = extract_shown(picture)
    if form == "names":
        return "\n".join(part.names)
    if form == "plain":
        return "\n".join(row.tobytes().decode("ascii") for row in aligned_sequences.written_letters(part))
    if form == "unaligned":
        return "".join(
            fasta_lines(
                (fasta_title(one), one.letters.decode("ascii")) for one in aligned_sequences.unaligned_sequences(part)
            )
        )
    _, write, _ = alignment_writer.WRITERS[form]
    return b"".join(write(part)).decode()


def copy_cells(picture: AlignmentPicture, form: str) -> str:
    """Copy the selected cells, or all, to the clipboard and return a message."""
    QGuiApplication.clipboard().setText(format_cells(picture, form))
    shown = picture.list_rows(picture.order)
    rows = shown.size if picture.cell_selection.is_empty else int(picture.cell_selection.rows[shown].sum())
    columns = picture.shape[1] if picture.cell_selection.is_empty else int(picture.cell_selection.columns.sum())
    what = format_count(rows, "name") if form == "names" else texts.format_size(rows, columns)
    return f"Copied {what}."


def ask_and_save(
    parent: QWidget,
    name: str,
    picture: AlignmentPicture,
    selected_only: bool,
    saving: LatestTask,
    report: Callable[[str], None],
) -> None:
    """Ask for a file and let ``saving`` write the shown rows, or their selected cells."""
    filters = ";;".join(f"{label} (*{suffix})" for suffix, (label, _, _) in alignment_writer.WRITERS.items())
    known = [*alignment_writer.WRITERS, *packed_files.LABELS]
    path = ask.save_path(parent, "Save alignment", f"{name}.fasta", f"All formats (*);;{filters}", known)
    if path is not None:
        part = extract_shown(picture, selected_only)

        def write(monitor: Monitor) -> Path:
            alignment_writer.write_alignments(path, [part], monitor)
            return path

        report(f"Saving {path} ...")
        saving.request(write)
