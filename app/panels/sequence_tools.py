"""Tools of the sequence panel: reverse complement, translate, extract, remove duplicates, filter, copy, add."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import (
    QDialog,
    QDialogButtonBox,
    QFormLayout,
    QLineEdit,
    QMenu,
    QPlainTextEdit,
    QVBoxLayout,
    QWidget,
)

from antidiag.app import texts
from antidiag.app.kit import ask
from antidiag.app.kit.controls.spin_boxes import SpinBox
from antidiag.app.session.sequence_editor import SequenceEditor
from antidiag.app.session.session import Session
from antidiag.kernels.errors import AntidiagError, InputError
from antidiag.kernels.io import sequence_tools as tools
from antidiag.kernels.io.aligned_sequences import AlignedSequences
from antidiag.kernels.io.sequences import read_sequence_text
from antidiag.kernels.model import Sequence as Data
from antidiag.kernels.monitor import Monitor

FRAMES = {f"{'Forward' if frame > 0 else 'Other strand'}, from letter {abs(frame)}": frame for frame in tools.FRAMES}
MAX_COPIED_LETTERS = 2**26
"""Most letters that are copied: a clipboard holds all of them twice."""
MAX_LENGTH = 2**31 - 1


class SequenceTools:
    """Applies tools to the selected sequences; ``rows()`` returns the selection, ``said(text)`` shows a message."""

    def __init__(
        self,
        parent: QWidget,
        session: Session,
        editor: SequenceEditor,
        rows: Callable[[], Sequence[int]],
        said: Callable[[str], None],
    ) -> None:
        self._parent, self._session, self._editor, self._rows, self._said = parent, session, editor, rows, said

    def fill(self, menu: QMenu) -> None:
        """Add the tools to a menu."""
        menu.addAction("Reverse complement", self.turn)
        menu.addAction("Translate...", self.ask_translate)
        menu.addAction("Extract part...", self.ask_part)
        menu.addAction("Align codons", self.align_codons)
        menu.addSeparator()
        menu.addAction("Remove duplicates", self.remove_duplicates)
        menu.addAction("Keep by name or length...", self.ask_keep)

    def turn(self) -> None:
        """Add the reverse complements of the selected sequences."""
        self._make_sequences("Reverse complement", tools.reverse_complement)

    def translate(self, frame: int) -> None:
        """Add the translations of the selected sequences in a reading frame."""
        self._make_sequences("Translate", partial(tools.translate_sequence, frame=frame))

    def cut(self, span: str) -> None:
        """Add a part of each selected sequence, such as "10-200"."""
        self._make_sequences(
            f"Letters {span}", lambda sequence: tools.extract_range(sequence, *tools.parse_range(span, len(sequence)))
        )

    def align_codons(self) -> None:
        """Align the selected coding sequences codon by codon, as their proteins are aligned, and add the alignment."""
        if not (rows := self._selected_rows("Align codons")):
            return
        chosen = [self._session.state.sequences[row] for row in rows]

        def compute(monitor: Monitor) -> AlignedSequences:
            from antidiag.kernels.registry.codon_alignment import (
                align_codons,  # compiled code, which others do not need
            )

            return align_codons(chosen, monitor)

        self._editor.add_computed("Align codons", compute)

    def _make_sequences(self, label: str, made: Callable[[Data], Data]) -> None:
        if rows := self._selected_rows(label):
            self._editor.make(label, rows, made)

    def _selected_rows(self, label: str) -> Sequence[int]:
        """Return the selected rows; show a message if there are none."""
        rows = self._rows()
        if not rows:
            self._said(f"{label}: no sequence is selected; select rows of the table first.")
        return rows

    def remove_duplicates(self) -> None:
        """Remove sequences that equal an earlier one."""
        sequences = self._session.state.sequences
        self._editor.keep("Remove duplicates", lambda check: tools.unique_rows(sequences, check))

    def keep(self, name: str, shortest: int, longest: int) -> None:
        """Keep only sequences with a matching title and length; show a message if there are none."""
        sequences = self._session.state.sequences
        try:
            keeps = tools.sequence_filter(name, shortest, longest)
        except AntidiagError as error:
            self._said(texts.as_sentence(str(error)))
            return

        def kept(check: Callable[[], None]) -> list[int]:
            found = []
            for row, sequence in enumerate(sequences):
                if row % tools.BATCH == 0:
                    check()
                if keeps(sequence):
                    found.append(row)
            if not found:
                raise InputError("No sequence matches; all are kept.")
            return found

        self._editor.keep("Keep by name or length", kept)

    def copy(self) -> None:
        """Put the selected sequences on the clipboard as FASTA."""
        sequences = [self._session.state.sequences[row] for row in self._selected_rows("Copy")]
        if sum(map(len, sequences)) > MAX_COPIED_LETTERS:
            self._said(f"More than {MAX_COPIED_LETTERS:,} letters cannot be copied; use File > Save sequences.")
        elif sequences:
            QGuiApplication.clipboard().setText(b"".join(tools.fasta_records(sequences)).decode())

    def ask_translate(self) -> None:
        """Ask for a reading frame and translate the selected sequences."""
        if not self._selected_rows("Translate"):
            return
        chosen = ask.dialogs.ask_choice(self._parent, "Translate", "Reading frame", list(FRAMES))
        if chosen is not None:
            self.translate(FRAMES[chosen])

    def ask_part(self) -> None:
        """Ask for a range and extract it from the selected sequences."""
        if not self._selected_rows("Extract part"):
            return
        question = "Range of letters, counted from 1: 10-200, 10- or -200"
        text = ask.dialogs.ask_text(self._parent, "Extract part", question)
        if text is not None:
            self.cut(text)

    def ask_keep(self) -> None:
        """Ask which titles and lengths to keep."""
        dialog = KeepSequencesDialog(self._parent)
        dialog.accepted.connect(
            lambda: self.keep(dialog.name.text(), dialog.shortest.value(), dialog.longest.value() or MAX_LENGTH)
        )
        dialog.open()

    def ask_new(self) -> None:
        """Ask for the letters of a new sequence and add it."""
        dialog = NewSequenceDialog(self._parent)
        dialog.accepted.connect(lambda: self.add_text(dialog.name.text(), dialog.letters.toPlainText()))
        dialog.open()

    def add_text(self, name: str, text: str) -> None:
        """Add typed sequences: the letters of one, or FASTA."""
        text = text if text.lstrip().startswith(">") else f">{name.strip() or 'new'}\n{text}"
        try:
            found = read_sequence_text(text, "typed")
        except AntidiagError as error:
            self._said(texts.as_sentence(str(error)))
            return
        self._session.add(found, f"Add {found[0].name}")


class KeepSequencesDialog(QDialog):
    """Asks which titles and lengths to keep."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setWindowTitle("Keep by name or length")
        self.name, self.shortest, self.longest = QLineEdit(), SpinBox(), SpinBox()
        self.name.setPlaceholderText("any; text or regular expression")
        for box, text in ((self.shortest, "any"), (self.longest, "any")):
            box.setRange(0, MAX_LENGTH)
            box.setGroupSeparatorShown(True)
            box.setSpecialValueText(text)
        form = QFormLayout(self)
        form.addRow("Title matches", self.name)
        form.addRow("Minimum length", self.shortest)
        form.addRow("Maximum length", self.longest)
        form.addRow(_make_buttons(self, "Keep"))


class NewSequenceDialog(QDialog):
    """Asks for the name and the letters of a new sequence."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setWindowTitle("New sequence")
        self.name, self.letters = QLineEdit(), QPlainTextEdit()
        self.name.setPlaceholderText("new")
        self.letters.setPlaceholderText("Letters, or several sequences as FASTA")
        box, form = QVBoxLayout(self), QFormLayout()
        form.addRow("Name", self.name)
        box.addLayout(form)
        box.addWidget(self.letters)
        box.addWidget(_make_buttons(self, "Add"))
        self.resize(480, 280)


def _make_buttons(dialog: QDialog, accept: str) -> QDialogButtonBox:
    box = QDialogButtonBox(QDialogButtonBox.StandardButton.Cancel)
    box.addButton(accept, QDialogButtonBox.ButtonRole.AcceptRole)
    box.accepted.connect(dialog.accept)
    box.rejected.connect(dialog.reject)
    return box
