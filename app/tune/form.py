"""What a sweep varies: contenders, input, axes, backends and repeats."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QSize, Qt, Signal
from PySide6.QtGui import QMouseEvent
from PySide6.QtWidgets import (
    QCheckBox,
    QListWidget,
    QListWidgetItem,
    QPushButton,
    QSpinBox,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QVBoxLayout,
    QWidget,
)

from antidiag.app import texts, theme
from antidiag.app.kit.background import Latest
from antidiag.app.kit.widgets import Card, label, row
from antidiag.app.tune.axis_editors import AxisEditor, AxisEditors
from antidiag.app.tune.device_boxes import DeviceBoxes
from antidiag.app.tune.inputs import InputEditor
from antidiag.kernels.engine import BackendChoice
from antidiag.kernels.errors import AntidiagError
from antidiag.kernels.experiments import peers
from antidiag.kernels.experiments.axes import Axis
from antidiag.kernels.experiments.peers.peer import Peer
from antidiag.kernels.experiments.sweep import Sweep
from antidiag.kernels.method import Method

LISTED = 100
"""How much of the room that is left goes to the list of methods, as long as it has more; the rest stays empty."""


class Narrow(QStyledItemDelegate):
    """Draws items as wide as their list, which then has no bar below for a letter: longer names end in dots."""

    def sizeHint(self, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex) -> QSize:
        return QSize(0, super().sizeHint(option, index).height())


class CheckList(QListWidget):
    """Items with boxes, which a click anywhere on an item checks or takes the check from."""

    def __init__(self) -> None:
        super().__init__()
        self.setItemDelegate(Narrow(self))

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        item = self.itemAt(event.position().toPoint())
        before = item.checkState() if item else None
        super().mouseReleaseEvent(event)
        if item and item.checkState() is before and item.flags() & Qt.ItemFlag.ItemIsEnabled:
            on = before is Qt.CheckState.Unchecked
            item.setCheckState(Qt.CheckState.Checked if on else Qt.CheckState.Unchecked)


class SweepForm(Card):
    """The form; ``changed`` whenever another sweep would start now."""

    changed = Signal()
    start_wanted = Signal()
    pause_wanted = Signal()
    cancel_wanted = Signal()
    tune_wanted = Signal()

    def __init__(self, methods: Sequence[Method]) -> None:
        super().__init__("Sweep")
        self._methods = tuple(methods)
        self.method: Method | None = None
        self.options: Mapping[str, Any] = {}
        self.contenders = CheckList()
        self.contenders.setAccessibleName("Methods and peers")
        self._versions: dict[str, str | None] = {}
        self._asking = Latest(self)
        self._asking.finished.connect(self._tell_versions)
        self.input = InputEditor()
        self.axis_editors = AxisEditors()
        self.devices = DeviceBoxes()
        self.repeats, self.warm_up = QSpinBox(), QSpinBox()
        self.repeats.setRange(1, 1000)
        self.repeats.setValue(3)
        self.warm_up.setRange(0, 100)
        self.warm_up.setValue(1)
        self.reuse = QCheckBox("Take points measured before")
        self.reuse.setToolTip(
            "Points of the same method, problem, parameters, device and version are not measured again"
        )
        self.reuse.setChecked(True)
        self.count, self.problem = label(kind="muted", wrap=True), label(kind="error", wrap=True)
        self.start_button, self.pause_button = QPushButton("Start sweep   Ctrl+R"), QPushButton("Pause")
        self.start_button.setObjectName("primary")
        self.cancel_button, self.tune_button = QPushButton("Cancel"), QPushButton("Tune")
        self.tune_button.setToolTip(
            "Search good parameters of the chosen method on this input, and keep them as defaults"
        )
        self.waiting = label(kind="muted")
        self.budget = QSpinBox()
        self.budget.setRange(5, 3600)
        self.budget.setValue(60)
        self.budget.setSuffix(" s")
        self.budget.setToolTip("Time for the search")
        self._lay_out()
        self._connect()
        self.set_running(False)

    def set_method(self, method: Method, options: Mapping[str, Any]) -> None:
        """The method that is chosen in Analyse, and the options of its problem."""
        self.options = dict(options)
        if method is not self.method:
            before, checked = self.method, self._checked()
            same = before is not None and before.problem is method.problem
            others = checked if same and before and checked != [before.id] else []
            self.method = method
            self._fill({*others, method.id})
        self._changed()

    def sweep(self) -> Sweep:
        """The sweep that the form describes; raises AntidiagError where it is none."""
        found = self.axis_values()
        ids = self._checked()
        return Sweep(
            contenders=tuple(ids), inputs=self.input.inputs(), axes=tuple(found), options=self.options,
            backends=self.backends(), repeats=self.repeats.value(), warm_up=self.warm_up.value(),
        )  # fmt: skip

    @property
    def axes(self) -> tuple[AxisEditor, ...]:
        """The editors of the axes, of which there are two or more."""
        return tuple(self.axis_editors.editors)

    def axis_values(self) -> list[Axis]:
        """The axes in the order of the form; raises ParameterError where one is mistyped."""
        return [axis for editor in self.axes if (axis := editor.axis()) is not None]

    def backends(self) -> tuple[BackendChoice, ...]:
        return self.devices.backends()

    def set_running(self, running: bool, paused: bool = False, waiting: int = 0) -> None:
        """Which buttons make sense, and how many sweeps wait for their turn."""
        self.pause_button.setEnabled(running)
        self.cancel_button.setEnabled(running)
        self.pause_button.setText("Go on" if paused else "Pause")
        self.waiting.setText(f"{waiting:,} waiting" if waiting else "")
        self.waiting.setVisible(bool(waiting))

    def values(self) -> dict[str, Any]:
        """Everything that was set, for the next start."""
        return {
            "contenders": self._checked(), "input": self.input.values(), "repeats": self.repeats.value(),
            "axes": self.axis_editors.values(),
            "warm_up": self.warm_up.value(), "devices": self.devices.values(),
            "reuse": self.reuse.isChecked(), "budget": self.budget.value(),
        }  # fmt: skip

    def set_values(self, saved: Mapping[str, Any]) -> None:
        """What `values` returned, as far as it still fits."""
        self._fill({*map(str, saved.get("contenders", ())), *([self.method.id] if self.method else [])})
        self.input.set_values(saved.get("input", {}))
        self.axis_editors.set_values(saved.get("axes", ()))
        for spin, name in ((self.repeats, "repeats"), (self.warm_up, "warm_up"), (self.budget, "budget")):
            spin.setValue(int(saved.get(name, spin.value())))
        self.devices.set_values(saved.get("devices", {}))
        self.reuse.setChecked(bool(saved.get("reuse", self.reuse.isChecked())))

    def _lay_out(self) -> None:
        column = QVBoxLayout()
        column.setSpacing(theme.SPACING)
        column.addWidget(label("Methods and peers", "muted"))
        column.addWidget(self.contenders, LISTED)
        column.addWidget(label("Input", "muted"))
        column.addWidget(self.input)
        column.addWidget(self.axis_editors)
        column.addLayout(row(label("Run on", "muted"), self.devices, stretch=1))
        counts = label("Repeats", "muted"), self.repeats, label("Warm-up", "muted"), self.warm_up, QWidget()
        column.addLayout(row(*counts, stretch=4))
        column.addWidget(self.reuse)
        column.addStretch(1)
        self.box.addLayout(column, 1)
        self.buttons = QVBoxLayout()  # below what scrolls: what is wrong is seen in a low window, too
        self.buttons.addWidget(self.problem)
        self.buttons.addLayout(row(self.count, self.waiting, stretch=0))
        self.buttons.addLayout(row(self.start_button, self.pause_button, self.cancel_button, stretch=0))
        self.buttons.addLayout(row(self.tune_button, self.budget, stretch=0))

    def _connect(self) -> None:
        self.contenders.itemChanged.connect(self._changed)
        self.input.changed.connect(self._changed)
        self.axis_editors.changed.connect(self._changed)
        self.devices.changed.connect(self._changed)
        self.repeats.valueChanged.connect(self._changed)
        self.start_button.clicked.connect(self.start_wanted)
        self.pause_button.clicked.connect(self.pause_wanted)
        self.cancel_button.clicked.connect(self.cancel_wanted)
        self.tune_button.clicked.connect(self.tune_wanted)

    def _fill(self, checked: set[str]) -> None:
        """List the methods of the problem, and the peers that solve it too."""
        if self.method is None:
            return
        problem = self.method.problem
        self.contenders.blockSignals(True)
        self.contenders.clear()
        for method in self._methods:
            if method.problem is problem:
                self._add(method.id, method.name, method.summary, method.id in checked)
        beside = peers.of(self.method)
        for peer in beside:
            self._add(peer.id, *self._told(peer), peer.id in checked, self._here(peer))
        self.contenders.blockSignals(False)
        rows = self.contenders.count() * self.contenders.sizeHintForRow(0)
        self.contenders.setMaximumHeight(rows + 2 * self.contenders.frameWidth())
        if unknown := [peer for peer in beside if peer.id not in self._versions]:
            self._asking.request(lambda monitor: [(peer, peer.version()) for peer in unknown])

    def _told(self, peer: Peer) -> tuple[str, str]:
        """Name and tip of a peer, as far as it is known whether it is here."""
        version = self._versions.get(peer.id, "")
        if not self._here(peer):
            return f"{peer.name}: not installed", peer.install
        return f"{peer.name} {version}".rstrip(), peer.counts

    def _here(self, peer: Peer) -> bool:
        return self._versions.get(peer.id, "") is not None

    def _tell_versions(self, found: list[tuple[Peer, str | None]]) -> None:
        """What was asked of the peers on a thread, since programs are started for it."""
        self._versions.update({peer.id: version for peer, version in found})
        by_id = {peer.id: peer for peer, _ in found}
        self.contenders.blockSignals(True)
        for number in range(self.contenders.count()):
            item = self.contenders.item(number)
            if peer := by_id.get(item.data(Qt.ItemDataRole.UserRole)):
                on = item.checkState() is Qt.CheckState.Checked
                self._dress(item, *self._told(peer), on, self._here(peer))
        self.contenders.blockSignals(False)
        self._changed()

    def _add(self, identifier: str, name: str, tip: str, checked: bool, enabled: bool = True) -> None:
        item = QListWidgetItem()
        item.setData(Qt.ItemDataRole.UserRole, identifier)
        self._dress(item, name, tip, checked, enabled)
        self.contenders.addItem(item)

    def _dress(self, item: QListWidgetItem, name: str, tip: str, checked: bool, enabled: bool) -> None:
        item.setText(name)
        item.setToolTip(f"{name}\n{tip}")
        flags = Qt.ItemFlag.ItemIsUserCheckable | Qt.ItemFlag.ItemIsSelectable
        item.setFlags(flags | Qt.ItemFlag.ItemIsEnabled if enabled else flags)
        item.setCheckState(Qt.CheckState.Checked if checked and enabled else Qt.CheckState.Unchecked)

    def _checked(self) -> list[str]:
        items = [self.contenders.item(number) for number in range(self.contenders.count())]
        return [item.data(Qt.ItemDataRole.UserRole) for item in items if item.checkState() is Qt.CheckState.Checked]

    def _changed(self, *_: Any) -> None:
        chosen = set(self._checked())
        self.axis_editors.set_methods([method for method in self._methods if method.id in chosen])
        self._check()
        self.changed.emit()

    def _check(self) -> None:
        """Say how many points it will be, or what is wrong."""
        try:
            points = len(self.sweep().tasks())
            self.count.setText(f"{points:,} point" + ("" if points == 1 else "s"))
            error = ""
        except AntidiagError as wrong:
            self.count.setText("")
            error = texts.sentence(str(wrong))
        self.problem.setText(error)
        self.problem.setVisible(bool(error))
        self.start_button.setEnabled(not error)
        self.tune_button.setEnabled(self.method is not None)
