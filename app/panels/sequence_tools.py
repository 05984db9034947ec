"""What the panel does to sequences: other strand, translation, parts, doubles, choosing, FASTA to copy, new ones."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import (
    QDialog,
    QDialogButtonBox,
    QFormLayout,
    QInputDialog,
    QLineEdit,
    QMenu,
    QPlainTextEdit,
    QSpinBox,
    QVBoxLayout,
    QWidget,
)

from antidiag.app import texts
from antidiag.app.session.editing import Editor
from antidiag.app.session.session import Session
from antidiag.kernels.errors import AntidiagError, InputError
from antidiag.kernels.io import sequence_tools as tools
from antidiag.kernels.io.sequences import read_sequence_text
from antidiag.kernels.model import Sequence as Data

FRAMES = {f"{'Forward' if frame > 0 else 'Other strand'}, from letter {abs(frame)}": frame for frame in tools.FRAMES}
MOST_COPIED = 2**26
"""Letters that are copied at most: a clipboard holds all of them twice."""
LONGEST = 2**31 - 1


class SequenceTools:
    """The tools of the panel; ``rows()`` are the selected ones, ``said`` is told what could not be done."""

    def __init__(
        self,
        parent: QWidget,
        session: Session,
        editor: Editor,
        rows: Callable[[], Sequence[int]],
        said: Callable[[str], None],
    ) -> None:
        self._parent, self._session, self._editor, self._rows, self._said = parent, session, editor, rows, said

    def fill(self, menu: QMenu) -> None:
        """The tools as lines of a menu."""
        menu.addAction("Reverse complement", self.turn)
        menu.addAction("Translate...", self.ask_translate)
        menu.addAction("Part...", self.ask_part)
        menu.addSeparator()
        menu.addAction("Keep the first of equal sequences", self.remove_doubles)
        menu.addAction("Keep by name or length...", self.ask_keep)

    def turn(self) -> None:
        """Add the other strands of the selected sequences."""
        self._make("Reverse complement", tools.reverse_complement)

    def translate(self, frame: int) -> None:
        """Add the proteins of a reading frame of the selected sequences."""
        self._make("Translate", partial(tools.translate_sequence, frame=frame))

    def cut(self, span: str) -> None:
        """Add a part of the selected sequences, "10-200"."""
        self._make(
            f"Letters {span}", lambda sequence: tools.extract_range(sequence, *tools.parse_range(span, len(sequence)))
        )

    def _make(self, label: str, made: Callable[[Data], Data]) -> None:
        if rows := self._selected(label):
            self._editor.make(label, rows, made)

    def _selected(self, label: str) -> Sequence[int]:
        """The selected rows; where there are none, says so."""
        rows = self._rows()
        if not rows:
            self._said(f"{label}: no sequence is selected; select rows of the table first.")
        return rows

    def remove_doubles(self) -> None:
        """Keep the first of all sequences that are equal."""
        sequences = self._session.state.sequences
        self._editor.keep("Remove equal sequences", lambda check: tools.unique_rows(sequences, check))

    def keep(self, name: str, shortest: int, longest: int) -> None:
        """Keep the sequences with such titles and lengths; says so where these are none."""
        sequences = self._session.state.sequences
        try:
            keeps = tools.sequence_filter(name, shortest, longest)
        except AntidiagError as error:
            self._said(texts.sentence(str(error)))
            return

        def kept(check: Callable[[], None]) -> list[int]:
            found = []
            for row, sequence in enumerate(sequences):
                if row % tools.BATCH == 0:
                    check()
                if keeps(sequence):
                    found.append(row)
            if not found:
                raise InputError("No sequence has such a title and length; all are kept.")
            return found

        self._editor.keep("Keep by name or length", kept)

    def copy(self) -> None:
        """Put the selected sequences on the clipboard as FASTA."""
        sequences = [self._session.state.sequences[row] for row in self._selected("Copy")]
        if sum(map(len, sequences)) > MOST_COPIED:
            self._said(f"More than {MOST_COPIED:,} letters are too many to copy; save them by File > Save sequences.")
        elif sequences:
            QGuiApplication.clipboard().setText(b"".join(tools.fasta_records(sequences)).decode())

    def ask_translate(self) -> None:
        if not self._selected("Translate"):
            return
        chosen, taken = QInputDialog.getItem(self._parent, "Translate", "Reading frame", list(FRAMES), 0, False)
        if taken:
            self.translate(FRAMES[chosen])

    def ask_part(self) -> None:
        if not self._selected("Part"):
            return
        text, taken = QInputDialog.getText(
            self._parent, "Part of a sequence", "Letters, counted from 1: 10-200, 10- or -200"
        )
        if taken:
            self.cut(text)

    def ask_keep(self) -> None:
        dialog = KeepDialog(self._parent)
        dialog.accepted.connect(
            lambda: self.keep(dialog.name.text(), dialog.shortest.value(), dialog.longest.value() or LONGEST)
        )
        dialog.open()

    def ask_new(self) -> None:
        """Ask for letters, and add what was typed."""
        dialog = NewDialog(self._parent)
        dialog.accepted.connect(lambda: self.add_text(dialog.name.text(), dialog.letters.toPlainText()))
        dialog.open()

    def add_text(self, name: str, text: str) -> None:
        """Add sequences that were typed: letters of one with a name, or FASTA."""
        text = text if text.lstrip().startswith(">") else f">{name.strip() or 'new'}\n{text}"
        try:
            found = read_sequence_text(text, "typed")
        except AntidiagError as error:
            self._said(texts.sentence(str(error)))
            return
        self._session.add(found, f"Add {found[0].name}")


class KeepDialog(QDialog):
    """Asks for titles and lengths."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setWindowTitle("Keep by name or length")
        self.name, self.shortest, self.longest = QLineEdit(), QSpinBox(), QSpinBox()
        self.name.setPlaceholderText("any; text or a regular expression")
        for box, text in ((self.shortest, "any"), (self.longest, "any")):
            box.setRange(0, LONGEST)
            box.setGroupSeparatorShown(True)
            box.setSpecialValueText(text)
        form = QFormLayout(self)
        form.addRow("Title holds", self.name)
        form.addRow("At least so many letters", self.shortest)
        form.addRow("At most so many letters", self.longest)
        form.addRow(_buttons(self, "Keep"))


class NewDialog(QDialog):
    """Asks for a name and letters."""

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
        box.addWidget(_buttons(self, "Add"))
        self.resize(480, 280)


def _buttons(dialog: QDialog, accept: str) -> QDialogButtonBox:
    box = QDialogButtonBox(QDialogButtonBox.StandardButton.Cancel)
    box.addButton(accept, QDialogButtonBox.ButtonRole.AcceptRole)
    box.accepted.connect(dialog.accept)
    box.rejected.connect(dialog.reject)
    return box
