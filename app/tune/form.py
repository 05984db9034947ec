"""The form of a sweep: contenders, input, axes, devices and repeats."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QSignalBlocker, QSize, Qt, Signal
from PySide6.QtGui import QMouseEvent
from PySide6.QtWidgets import (
    QCheckBox,
    QListWidget,
    QListWidgetItem,
    QPushButton,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QWidget,
)

from antidiag.app import texts
from antidiag.app.kit.boxes import column_of
from antidiag.app.kit.controls.spin_boxes import SpinBox
from antidiag.app.kit.controls.widgets import Card, create_label, create_row
from antidiag.app.kit.tasks.latest_task import LatestTask
from antidiag.app.tune.axis_editors import AxisEditors
from antidiag.app.tune.device_boxes import DeviceBoxes
from antidiag.app.tune.input_editor import InputEditor
from antidiag.kernels.errors import AntidiagError
from antidiag.kernels.experiments import peers
from antidiag.kernels.experiments.peers.peer import Peer
from antidiag.kernels.experiments.sweeps.sweep import Sweep
from antidiag.kernels.experiments.sweeps.sweep_axes import SweepAxis
from antidiag.kernels.method import Method
from antidiag.kernels.text import format_count

LIST_STRETCH = 100
"""Stretch of the list of methods against 1 of the empty space below the form."""


class ElidedItemDelegate(QStyledItemDelegate):
    """Draws items as wide as their list; longer names end in an ellipsis and need no scroll bar."""

    def sizeHint(self, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex) -> QSize:
        return QSize(0, super().sizeHint(option, index).height())


class CheckList(QListWidget):
    """A list of check boxes; a click anywhere on an item toggles it."""

    def __init__(self) -> None:
        super().__init__()
        self.setItemDelegate(ElidedItemDelegate(self))

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        item = self.itemAt(event.position().toPoint())
        before = item.checkState() if item else None
        super().mouseReleaseEvent(event)
        if item and item.checkState() is before and item.flags() & Qt.ItemFlag.ItemIsEnabled:
            on = before is Qt.CheckState.Unchecked
            item.setCheckState(Qt.CheckState.Checked if on else Qt.CheckState.Unchecked)


class SweepForm(Card):
    """The form of a sweep. ``changed``: it describes another sweep."""

    changed = Signal()

    def __init__(self, methods: Sequence[Method]) -> None:
        super().__init__("Sweep")
        self._methods = tuple(methods)
        self.method: Method | None = None
        self.options: Mapping[str, Any] = {}
        self.contenders = CheckList()
        self.contenders.setAccessibleName("Methods and peers")
        self.contender_label = create_label("Methods and peers", "muted")
        self._versions: dict[str, str | None] = {}
        self._version_lookup = LatestTask(self, self._show_versions)
        self.input_editor = InputEditor()
        self.axis_editors = AxisEditors()
        self.devices = DeviceBoxes()
        self.repeats, self.warm_up = SpinBox(), SpinBox()
        self.repeats.setAccessibleName("Timed runs")
        self.warm_up.setAccessibleName("Runs to warm up")
        self.repeats.setRange(1, 1000)
        self.repeats.setValue(3)
        self.warm_up.setRange(0, 100)
        self.warm_up.setValue(1)
        self.reuse = QCheckBox("Reuse earlier points")
        self.reuse.setToolTip("Skip points with the same method, problem, parameters, device and version")
        self.reuse.setChecked(True)
        self.point_count, self.error_label = (
            create_label(kind="muted", wrap=True),
            create_label(kind="error", wrap=True),
        )
        self.start_button, self.pause_button = QPushButton("Start sweep   Ctrl+R"), QPushButton("Pause")
        self.start_button.setObjectName("primary")
        self.cancel_button, self.tune_button = QPushButton("Cancel"), QPushButton("Tune")
        self.tune_button.setToolTip("Search for good parameters of the chosen method, and keep them as defaults")
        self.waiting_label = create_label(kind="muted")
        self.budget = SpinBox()
        self.budget.setAccessibleName("Time limit of the search")
        self.budget.setRange(5, 3600)
        self.budget.setValue(60)
        self.budget.setSuffix(" s")
        self.budget.setToolTip("Time limit of the search")
        self._spin_boxes = {"repeats": self.repeats, "warm_up": self.warm_up, "budget": self.budget}
        self._lay_out()
        self._connect_signals()
        self.set_running(False)

    def set_method(self, method: Method, options: Mapping[str, Any]) -> None:
        """Take the method that is chosen in Analyse, and the options of its problem."""
        self.options = dict(options)
        if method is not self.method:
            before, checked = self.method, self._checked_ids()
            same = before is not None and before.problem_type is method.problem_type
            others = checked if same and before and checked != [before.id] else []
            self.method = method
            self._list_contenders({*others, method.id})
        self._update_form()

    def read_sweep(self) -> Sweep:
        """Return the sweep that the form describes; raise AntidiagError where it is invalid."""
        return Sweep(
            contenders=tuple(self._checked_ids()),
            inputs=self.input_editor.read_inputs(),
            axes=tuple(self.read_axes()),
            options=self.options,
            backends=self.devices.chosen_backends(),
            repeats=self.repeats.value(),
            warm_up=self.warm_up.value(),
        )

    def read_axes(self) -> list[SweepAxis]:
        """Return the axes in the order of the form; raise ParameterError where one is invalid."""
        return [axis for editor in self.axis_editors.editors if (axis := editor.read_axis()) is not None]

    def set_running(self, running: bool, paused: bool = False, waiting: int = 0) -> None:
        """Enable the buttons that apply, and show how many sweeps wait."""
        self.pause_button.setEnabled(running)
        self.cancel_button.setEnabled(running)
        self.pause_button.setText("Resume" if paused else "Pause")
        self.waiting_label.setText(f"{waiting:,} waiting" if waiting else "")
        self.waiting_label.setVisible(bool(waiting))

    def saved_values(self) -> dict[str, Any]:
        """Return everything that was set, for the next start."""
        return {
            "contenders": self._checked_ids(),
            "input": self.input_editor.saved_values(),
            "axes": self.axis_editors.saved_values(),
            "devices": self.devices.saved_values(),
            "reuse": self.reuse.isChecked(),
            **{name: box.value() for name, box in self._spin_boxes.items()},
        }

    def set_values(self, saved: Mapping[str, Any]) -> None:
        """Restore what `saved_values` returned, as far as it still applies."""
        self._list_contenders({*map(str, saved.get("contenders", ())), *([self.method.id] if self.method else [])})
        self.input_editor.set_values(saved.get("input", {}))
        self.axis_editors.set_values(saved.get("axes", ()))
        for name, box in self._spin_boxes.items():
            box.setValue(int(saved.get(name, box.value())))
        self.devices.set_values(saved.get("devices", {}))
        self.reuse.setChecked(bool(saved.get("reuse", self.reuse.isChecked())))

    def _lay_out(self) -> None:
        counts = (
            create_label("Repeats", "muted"),
            self.repeats,
            create_label("Warm-up", "muted"),
            self.warm_up,
            QWidget(),
        )
        column = column_of(
            self.contender_label,
            (self.contenders, LIST_STRETCH),
            create_label("Input", "muted"),
            self.input_editor,
            self.axis_editors,
            create_row(create_label("Run on", "muted"), self.devices, stretch=1),
            create_row(*counts, stretch=4),
            self.reuse,
        )
        column.addStretch(1)
        self.box.addLayout(column, 1)
        points = create_row(self.point_count, self.waiting_label, stretch=0)
        starts = create_row(self.start_button, self.pause_button, self.cancel_button, stretch=0)
        # The buttons are below the scroll area, so that a low window shows errors, too.
        self.buttons = column_of(self.error_label, points, starts, create_row(self.tune_button, self.budget, stretch=0))

    def _connect_signals(self) -> None:
        edits = self.input_editor.changed, self.axis_editors.changed, self.devices.changed
        for edited in (self.contenders.itemChanged, self.repeats.valueChanged, *edits):
            edited.connect(self._update_form)

    def _list_contenders(self, checked: set[str]) -> None:
        if self.method is None:
            return
        problem = self.method.problem_type
        beside = peers.peers_of_method(self.method)
        self.contender_label.setToolTip(f"{problem.label}: choose a method of another problem in Analyse")
        with QSignalBlocker(self.contenders):
            self.contenders.clear()
            for method in self._methods:
                if method.problem_type is problem:
                    self._add_contender(method.id, method.name, method.summary, method.id in checked)
            for peer in beside:
                self._add_contender(peer.id, *self._peer_text(peer), peer.id in checked, self._is_installed(peer))
        rows = self.contenders.count() * self.contenders.sizeHintForRow(0)
        self.contenders.setMaximumHeight(rows + 2 * self.contenders.frameWidth())
        if unknown := [peer for peer in beside if peer.id not in self._versions]:
            self._version_lookup.request(lambda monitor: [(peer, peer.version()) for peer in unknown])

    def _peer_text(self, peer: Peer) -> tuple[str, str]:
        """Return the name of a peer with its version, and its tooltip."""
        version = self._versions.get(peer.id, "")
        if not self._is_installed(peer):
            return f"{peer.name}: not installed", peer.install
        return f"{peer.name} {version}".rstrip(), peer.counts

    def _is_installed(self, peer: Peer) -> bool:
        return self._versions.get(peer.id, "") is not None

    def _show_versions(self, found: list[tuple[Peer, str | None]]) -> None:
        """Show the versions of peers, which a thread asks for because it starts programs."""
        self._versions.update({peer.id: version for peer, version in found})
        by_id = {peer.id: peer for peer, _ in found}
        with QSignalBlocker(self.contenders):
            for number in range(self.contenders.count()):
                item = self.contenders.item(number)
                if peer := by_id.get(item.data(Qt.ItemDataRole.UserRole)):
                    on = item.checkState() is Qt.CheckState.Checked
                    self._update_item(item, *self._peer_text(peer), on, self._is_installed(peer))
        self._update_form()

    def _add_contender(self, identifier: str, name: str, tip: str, checked: bool, enabled: bool = True) -> None:
        item = QListWidgetItem()
        item.setData(Qt.ItemDataRole.UserRole, identifier)
        self._update_item(item, name, tip, checked, enabled)
        self.contenders.addItem(item)

    def _update_item(self, item: QListWidgetItem, name: str, tip: str, checked: bool, enabled: bool) -> None:
        item.setText(name)
        item.setToolTip(f"{name}\n{tip}")
        flags = Qt.ItemFlag.ItemIsUserCheckable | Qt.ItemFlag.ItemIsSelectable
        item.setFlags(flags | Qt.ItemFlag.ItemIsEnabled if enabled else flags)
        item.setCheckState(Qt.CheckState.Checked if checked and enabled else Qt.CheckState.Unchecked)

    def _checked_ids(self) -> list[str]:
        items = [self.contenders.item(number) for number in range(self.contenders.count())]
        return [item.data(Qt.ItemDataRole.UserRole) for item in items if item.checkState() is Qt.CheckState.Checked]

    def _update_form(self, *_: Any) -> None:
        chosen = set(self._checked_ids())
        self.axis_editors.set_methods([method for method in self._methods if method.id in chosen])
        self._check_sweep()
        self.changed.emit()

    def _check_sweep(self) -> None:
        """Show how many points the sweep has, or what is wrong with it."""
        count = error = ""
        try:
            count = format_count(len(self.read_sweep().make_tasks()), "point")
        except AntidiagError as wrong:
            error = texts.as_sentence(str(wrong))
        self.point_count.setText(count)
        self.error_label.setText(error)
        self.error_label.setVisible(bool(error))
        self.start_button.setEnabled(not error)
        self.tune_button.setEnabled(self.method is not None)
