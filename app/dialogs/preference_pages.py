"""The pages of the preferences; each change is stored and applied at once, unless its row says otherwise."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from PySide6.QtCore import QLocale, QSignalBlocker, Qt, Signal
from PySide6.QtGui import QFontDatabase
from PySide6.QtWidgets import (
    QApplication,
    QCheckBox,
    QComboBox,
    QFileDialog,
    QFormLayout,
    QLineEdit,
    QListWidget,
    QListWidgetItem,
    QPushButton,
    QSizePolicy,
    QSpinBox,
    QWidget,
)

from antidiag.app import settings as stored
from antidiag.app import theme
from antidiag.app.kit.boxes import column_of, row_of
from antidiag.app.kit.controls.spin_boxes import SpinBox
from antidiag.app.kit.controls.widgets import ElidedComboBox, create_label
from antidiag.app.settings import Settings, configuration_folder, data_folder
from antidiag.kernels import memory, user_limits
from antidiag.kernels.memory import format_bytes
from antidiag.kernels.recovery import interrupted_runs

SCALES = (100, 125, 150, 175, 200)
GIB, MAX_GIB, MAX_THREADS = 2**30, 100_000, 4096
LEAST_NOTE_WIDTH = 260
"""Pixels of a note at least, so that it fits beside the labels of a narrow dialog."""
LEAST_LETTERS = 12
"""Letters that a list of choices shows at least; long names are cut."""
FONT_SIZES = (6, 32)
LETTER_SIZES = (4, 60)
AUTOSAVE_RANGE = (1, 600)
ALIGNED = "aligned"
"""The id of the view of alignments."""
VIEW_MAPS = {"matrix": "_map", "distances": "map_name", "joins": "map_name", "profile": "_map"}
"""The names under which views keep their colour map, by their ids."""
CELL_RATIO = 17 / 11
"""Height of a cell of an alignment over its width."""
PROGRAM_FONT = "Font of the desktop"
BUNDLED_FONT = "JetBrains Mono (bundled)"


@dataclass(frozen=True)
class PreferenceChoices:
    """What can be chosen for pictures: names and labels of colour schemes, tracks and colour maps."""

    protein_schemes: Mapping[str, str] = field(default_factory=dict)
    nucleotide_schemes: Mapping[str, str] = field(default_factory=dict)
    tracks: Mapping[str, str] = field(default_factory=dict)
    colour_maps: Mapping[str, str] = field(default_factory=dict)


class PreferencePage(QWidget):
    """A form of settings. ``rows`` maps labels to their widgets; ``changed(name)`` names a setting that was changed."""

    changed = Signal(str)
    title = ""
    labels: tuple[str, ...] = ()
    """The labels of the rows, by which the command search finds them."""

    def __init__(self, settings: Settings) -> None:
        super().__init__()
        self.settings = settings
        self.rows: dict[str, QWidget] = {}
        self.form = QFormLayout()
        column_of(self.form, parent=self).addStretch(1)  # the rows stay as far apart as they ask for
        self.form.setContentsMargins(theme.MARGIN, 0, theme.MARGIN, theme.MARGIN)
        self.form.setVerticalSpacing(theme.MARGIN)
        self.form.setRowWrapPolicy(QFormLayout.RowWrapPolicy.WrapLongRows)
        self.form.setFieldGrowthPolicy(QFormLayout.FieldGrowthPolicy.AllNonFixedFieldsGrow)

    def add_row(self, label: str, widget: QWidget, note: str = "") -> None:
        """Add a labelled widget, and a note below it."""
        self.rows[label] = widget
        widget.setAccessibleName(label)
        self.form.addRow(label, widget)
        if note:
            self.form.addRow("", create_note(note))

    def store(self, name: str, value: str | int | bool) -> None:
        """Store a setting and tell that it changed."""
        self.settings.put(name, value)
        self.changed.emit(name)

    def make_choice(self, name: str, choices: Mapping[str, str], default: str = "") -> QComboBox:
        """Return a list of named choices for a setting."""
        box = create_short_list()
        for value, label in choices.items():
            box.addItem(label, value)
        box.setCurrentIndex(max(box.findData(self.settings.text(name, default)), 0))
        box.activated.connect(lambda: self.store(name, box.currentData()))
        return box


def create_short_list() -> ElidedComboBox:
    """Return a list of choices that is as wide as the page, however long its texts are."""
    box = ElidedComboBox()
    box.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
    box.setMinimumContentsLength(LEAST_LETTERS)
    box.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
    return box


def create_note(text: str) -> QWidget:
    """Return a wrapped line of explanation below a row."""
    label = create_label(text, "muted", wrap=True)
    label.setMinimumWidth(LEAST_NOTE_WIDTH)
    return label


class AppearancePage(PreferencePage):
    """Theme, scale and fonts."""

    title = "Appearance"
    labels = ("Theme", "Scale", "Font", "Font size", "Font of sequences")

    def __init__(self, settings: Settings) -> None:
        super().__init__(settings)
        self.theme = self.make_choice(stored.THEME, {"system": "System", "light": "Light", "dark": "Dark"}, "system")
        self.theme.activated.connect(lambda: theme.switch(self.theme.currentData()))
        self.scale = create_short_list()
        for percent in SCALES:
            self.scale.addItem(f"{percent} %", percent)
        self.scale.setCurrentIndex(max(self.scale.findData(settings.number(stored.SCALE, 100)), 0))
        self.scale.activated.connect(lambda: self.store(stored.SCALE, self.scale.currentData()))
        families = QFontDatabase.families()
        fixed = [name for name in families if QFontDatabase.isFixedPitch(name)]
        self.font_box = self._font_choice(stored.FONT, PROGRAM_FONT, families)
        self.letters = self._font_choice(stored.LETTER_FONT, BUNDLED_FONT, fixed)
        self.size_box = SpinBox(minimum=FONT_SIZES[0] - 1, maximum=FONT_SIZES[1], suffix=" pt")
        self.size_box.setSpecialValueText("size of the desktop")
        self.size_box.setValue(settings.number(stored.FONT_SIZE) or self.size_box.minimum())
        self.size_box.setKeyboardTracking(False)
        self.size_box.valueChanged.connect(self._store_size)
        self.add_row("Theme", self.theme)
        self.add_row("Scale", self.scale, "From the next start, in addition to the scale of the desktop.")
        self.add_row("Font", self.font_box)
        self.add_row("Font size", self.size_box)
        self.add_row("Font of sequences", self.letters, "For letters of sequences, numbers of cells and commands.")

    def _font_choice(self, name: str, default: str, families: list[str]) -> QComboBox:
        box = self.make_choice(name, {"": default, **{family: family for family in families}})
        box.activated.connect(self._apply_fonts)
        return box

    def _store_size(self, points: int) -> None:
        self.store(stored.FONT_SIZE, points if points >= FONT_SIZES[0] else 0)
        self._apply_fonts()

    def _apply_fonts(self) -> None:
        application, settings = QApplication.instance(), self.settings
        if isinstance(application, QApplication):
            size = float(settings.number(stored.FONT_SIZE))
            theme.choose_fonts(application, settings.text(stored.FONT), size, settings.text(stored.LETTER_FONT))


class PicturePage(PreferencePage):
    """What views of alignments and matrices begin with; they also keep what is chosen in them last."""

    title = "Pictures"
    labels = ("Colours of proteins", "Colours of nucleotides", "Letter width", "Tracks", "Colour map")

    def __init__(self, settings: Settings, choices: PreferenceChoices) -> None:
        super().__init__(settings)
        self.proteins = self._scheme_choice("protein", choices.protein_schemes)
        self.nucleotides = self._scheme_choice("nucleotides", choices.nucleotide_schemes)
        self.letter_size = SpinBox(minimum=LETTER_SIZES[0] - 1, maximum=LETTER_SIZES[1], suffix=" px")
        self.letter_size.setSpecialValueText("as the program")
        line, _ = (settings.view_setting(ALIGNED, "letter_sizes") or {}).get("line", (0, 0))
        self.letter_size.setValue(round(line) or self.letter_size.minimum())
        self.letter_size.valueChanged.connect(self._store_letter_size)
        self.tracks = QListWidget()
        self._list_tracks(choices.tracks)
        self.tracks.itemChanged.connect(lambda _: self._store_tracks())
        self.colour_map = self._list_box(choices.colour_maps, settings.view_setting("matrix", VIEW_MAPS["matrix"]))
        self.colour_map.activated.connect(self._store_map)
        self.add_row("Colours of proteins", self.proteins)
        self.add_row("Colours of nucleotides", self.nucleotides)
        self.add_row("Letter width", self.letter_size, "Pixels of a column of an alignment when it is opened.")
        self.add_row("Tracks", self.tracks, "Above alignments of many rows; none checked: as the program chooses.")
        self.add_row("Colour map", self.colour_map, "Of matrices, distances, joins and profiles.")

    def _list_box(self, choices: Mapping[str, str], chosen: Any) -> QComboBox:
        box = create_short_list()
        for value, label in choices.items():
            box.addItem(label, value)
        box.setCurrentIndex(max(box.findData(chosen), 0))
        return box

    def _scheme_choice(self, alphabet: str, schemes: Mapping[str, str]) -> QComboBox:
        """Return a list of the colour schemes for an alphabet."""
        chosen = (self.settings.view_setting(ALIGNED, "colours") or {}).get(alphabet)
        box = self._list_box(schemes, chosen)

        def store() -> None:
            colours = self.settings.view_setting(ALIGNED, "colours") or {}
            self._store_view(ALIGNED, "colours", {**colours, alphabet: box.currentData()})

        box.activated.connect(store)
        return box

    def _store_view(self, view: str, name: str, value: Any) -> None:
        self.settings.put_view_setting(view, name, value)
        self.changed.emit(stored.VIEW_SETTINGS)

    def _store_letter_size(self, pixels: int) -> None:
        line = [float(pixels), float(round(pixels * CELL_RATIO))]
        self._store_view(ALIGNED, "letter_sizes", {"line": line} if pixels >= LETTER_SIZES[0] else None)

    def _store_map(self) -> None:
        for view, name in VIEW_MAPS.items():
            self._store_view(view, name, self.colour_map.currentData())

    def _list_tracks(self, tracks: Mapping[str, str]) -> None:
        chosen, _ = (self.settings.view_setting(ALIGNED, "forms") or {}).get("many", ((), False))
        for name, label in tracks.items():
            item = QListWidgetItem(label, self.tracks)
            item.setData(Qt.ItemDataRole.UserRole, name)
            item.setFlags(Qt.ItemFlag.ItemIsUserCheckable | Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsSelectable)
            item.setCheckState(Qt.CheckState.Checked if name in chosen else Qt.CheckState.Unchecked)
        self.tracks.setFixedHeight(7 * max(self.tracks.sizeHintForRow(0), 16))

    def _store_tracks(self) -> None:
        """Store the checked tracks for alignments of many rows; whether these are wrapped stays."""
        items = [self.tracks.item(row) for row in range(self.tracks.count())]
        checked = [item.data(Qt.ItemDataRole.UserRole) for item in items if item.checkState() is Qt.CheckState.Checked]
        forms = dict(self.settings.view_setting(ALIGNED, "forms") or {})
        wrapped = forms.pop("many", ((), False))[1]
        self._store_view(ALIGNED, "forms", {**forms, **({"many": [checked, wrapped]} if checked else {})} or None)


class SessionPage(PreferencePage):
    """What is reopened, how often the session is saved, and where files are."""

    title = "Session and folders"
    labels = ("At the start", "Save automatically", "Folder of dialogs", "Folder of settings", "Folder of long runs")

    def __init__(self, settings: Settings, autosave_default: int) -> None:
        super().__init__(settings)
        self.restore = QCheckBox("Reopen the last session")
        self.restore.setChecked(settings.flag(stored.RESTORE, True))
        self.restore.clicked.connect(lambda: self.store(stored.RESTORE, self.restore.isChecked()))
        self.autosave = SpinBox(minimum=AUTOSAVE_RANGE[0], maximum=AUTOSAVE_RANGE[1], suffix=" s after a change")
        self.autosave.setValue(settings.number(stored.AUTOSAVE_SECONDS, autosave_default))
        self.autosave.valueChanged.connect(lambda seconds: self.store(stored.AUTOSAVE_SECONDS, seconds))
        self.folder = QLineEdit(settings.text(stored.START_FOLDER))
        self.folder.setPlaceholderText("the folder used last")
        self.folder.setClearButtonEnabled(True)
        self.folder.textChanged.connect(self._store_folder)
        self.browse_button = QPushButton("Browse\N{HORIZONTAL ELLIPSIS}")
        self.browse_button.clicked.connect(self._browse)
        self.folder_error = create_label("", "error", wrap=True)
        self.folder_error.hide()
        holder = QWidget()
        row_of((self.folder, 1), self.browse_button, parent=holder)
        self.add_row("At the start", self.restore)
        self.add_row("Save automatically", self.autosave)
        self.add_row("Folder of dialogs", holder)
        self.form.addRow("", self.folder_error)
        self.add_row("Folder of settings", _path_label(configuration_folder(), data_folder()))
        self.add_row("Folder of long runs", _path_label(memory.disk_folder()))

    def _browse(self) -> None:
        found = QFileDialog.getExistingDirectory(self, "Folder of dialogs", self.folder.text() or str(Path.home()))
        if found:
            self.folder.setText(found)

    def _store_folder(self, text: str) -> None:
        missing = bool(text) and not Path(text).is_dir()
        self.folder_error.setText(f"There is no folder {text}; dialogs begin in the one used last." if missing else "")
        self.folder_error.setVisible(missing)
        self.store(stored.START_FOLDER, "" if missing else text)


class ComputingPage(PreferencePage):
    """The device of runs, and limits of memory, threads and disk; the limits hold for the command line, too."""

    title = "Computing"
    labels = (
        "Device",
        "CPU threads",
        "Main memory",
        "Disk for long runs",
        "Compressed files",
        "Units of bytes",
        "CIGAR",
        "Lower-case letters",
    )
    limits_changed = Signal()

    def __init__(self, settings: Settings, device_box: QComboBox | None) -> None:
        super().__init__(settings)
        self.device = create_short_list()
        if device_box is not None:
            self._mirror_device(device_box)
        self.threads = create_limit_box(0, user_limits.thread_limit(), "", MAX_THREADS, self._limit_threads)
        self.threads.setSpecialValueText("all processors")
        self.memory = create_limit_box(
            0, user_limits.memory_limit() // GIB, " GiB at most", MAX_GIB, self._limit_memory
        )
        self.memory.setSpecialValueText("all that is free")
        self.disk = create_limit_box(0, memory.disk_limit() // GIB, " GiB at most", MAX_GIB, self._limit_disk)
        self.disk.setSpecialValueText("nothing")
        unpacked = -(-memory.unpacked_limit() // GIB)
        self.unpacked = create_limit_box(1, unpacked, " GiB unpacked at most", MAX_GIB, self._limit_unpacked)
        self.space_label = create_label(kind="muted", wrap=True)
        self.space_label.setMinimumWidth(LEAST_NOTE_WIDTH)
        self.units = create_short_list()
        for label, value in (("KiB, MiB, GiB (1,024)", False), ("kB, MB, GB (1,000)", True)):
            self.units.addItem(label, value)
        self.units.setCurrentIndex(int(user_limits.uses_decimal_bytes()))
        self.units.activated.connect(lambda: self._set_units(self.units.currentData()))
        self.cigar = self._convention_box(user_limits.CIGAR, ("= and X (extended)", "M for both (match)"))
        self.masking = self._convention_box(user_limits.MASKING, ("the same as capitals", "N, in proteins X (masked)"))
        self._show_free_space()
        self.add_row("Device", self.device)
        self.add_row("CPU threads", self.threads)
        self.add_row("Main memory", self.memory, "Runs that need more are refused, on the command line, too.")
        self.add_row("Disk for long runs", self.disk)
        self.form.addRow("", self.space_label)
        self.add_row("Compressed files", self.unpacked, "Files with more are not opened; they could fill the memory.")
        self.add_row("Units of bytes", self.units)
        self.add_row("CIGAR", self.cigar, "How equal and different letters are written in SAM, PAF and JSON.")
        self.add_row("Lower-case letters", self.masking, "Of FASTA and FASTQ files that are opened from now on.")

    def _convention_box(self, name: str, labels: tuple[str, str]) -> QComboBox:
        """Return a box of the two conventions of a kind, which stores what is chosen."""
        box = QComboBox()
        box.addItems(labels)
        box.setCurrentIndex(user_limits.stored_choice(name))
        box.activated.connect(lambda number: self._set_limit(lambda: user_limits.set_stored_choice(name, number)))
        return box

    def _mirror_device(self, box: QComboBox) -> None:
        """Offer the devices of the tool bar, of which one is chosen there as well."""
        self.device.setModel(box.model())
        self.device.setCurrentIndex(box.currentIndex())
        box.currentIndexChanged.connect(self.device.setCurrentIndex)

        def choose(index: int) -> None:
            box.setCurrentIndex(index)
            box.activated.emit(index)

        self.device.activated.connect(choose)

    def _limit_disk(self, gib: int) -> None:
        if self._set_limit(lambda: memory.set_disk_limit(gib * GIB)):
            self._show_free_space()

    def _limit_unpacked(self, gib: int) -> None:
        self._set_limit(lambda: memory.set_unpacked_limit(gib * GIB))

    def _limit_threads(self, count: int) -> None:
        self._set_limit(lambda: user_limits.set_thread_limit(count))

    def _limit_memory(self, gib: int) -> None:
        self._set_limit(lambda: user_limits.set_memory_limit(gib * GIB))

    def _set_units(self, decimal: bool) -> None:
        if self._set_limit(lambda: user_limits.set_decimal_bytes(decimal)):
            self._show_free_space()

    def _set_limit(self, set_value: Callable[[], object]) -> bool:
        """Store a limit; if that fails, show why and return False."""
        try:
            set_value()
        except OSError as error:
            self.space_label.setText(f"The limit could not be saved: {error.strerror or error}")
            return False
        self.limits_changed.emit()
        return True

    def reset_limits(self) -> None:
        """Set all limits to those of the program."""
        self._set_limit(user_limits.reset_limits)
        values = {self.threads: 0, self.memory: 0, self.disk: memory.disk_limit() // GIB,
                  self.unpacked: -(-memory.unpacked_limit() // GIB)}  # fmt: skip
        for box, value in values.items():
            with QSignalBlocker(box):
                box.setValue(value)
        self.units.setCurrentIndex(0)
        self._show_free_space()

    def _show_free_space(self) -> None:
        free, taken = memory.disk_bytes_free(), sum(run.nbytes for run in interrupted_runs.list_runs())
        self.space_label.setText(
            f"{format_bytes(free)} are free in {memory.disk_folder()}. Data that does not fit into memory goes there, "
            "and the finished parts of runs of more than a minute, so that they survive a crash. Interrupted runs use "
            f"{format_bytes(taken)}; the oldest are deleted for new ones."
        )


def create_limit_box(least: int, value: int, suffix: str, most: int, on_change: Callable[[int], None]) -> QSpinBox:
    """Return a field for a limit; ``on_change`` gets a value when it is complete."""
    box = SpinBox(minimum=least, maximum=most, suffix=suffix)
    box.setLocale(QLocale(QLocale.Language.English))
    box.setGroupSeparatorShown(True)
    box.setKeyboardTracking(False)
    box.setValue(min(value, most))
    box.valueChanged.connect(on_change)
    return box


def _path_label(*paths: Path) -> QWidget:
    label = create_label("\n".join(dict.fromkeys(map(str, paths))), "muted", wrap=True)
    label.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
    label.setMinimumWidth(LEAST_NOTE_WIDTH)
    return label
