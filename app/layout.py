"""The layout of the window: toolbar, workspaces, jobs, and the columns of Analyse."""

from __future__ import annotations

from PySide6.QtCore import QByteArray, QSize, Qt, QTimer
from PySide6.QtWidgets import (
    QHBoxLayout,
    QLabel,
    QSplitter,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from antidiag.app import theme
from antidiag.app.commands import Commands
from antidiag.app.kit.controls.dock import SideDock, create_dock_area
from antidiag.app.kit.controls.drawers import LEFT, RIGHT, FoldingPanels, SidePanel
from antidiag.app.kit.controls.icons import SIZE as ICON
from antidiag.app.kit.controls.icons import set_icon
from antidiag.app.kit.controls.widgets import VerticalScrollArea
from antidiag.app.workbench import LEFT_SMALL, RIGHT_SMALL, WORKSPACES, Workbench

SIZE, FRAME = QSize(1500, 940), QSize(8, 40)
LEFT_MINIMUM = 206
WORKSPACE_WIDTH, WORKSPACE_HEIGHT = 320, 140
"""Least pixels of a workspace, whatever its parts ask for; the height is that in a low window."""
MINIMUM_SIZE = 530, 250
"""Least pixels of a window: those of a narrow and low one, which leaves out what a larger one asks for."""
NARROW_WIDTH = 820
"""Pixels of a window below which its name and the buttons of menu commands are left out of the tool bar."""
SEARCH_WIDTH = 340


def starting_size(screen: QSize, wanted: QSize = SIZE) -> QSize:
    """Return the wanted size, or less if the window with its frame does not fit on the screen."""
    return wanted.boundedTo(screen - FRAME)


def lay_out_window(window: Workbench, commands: Commands) -> dict[str, QSplitter]:
    """Put the panels into the window; return the splitters between them by name."""
    data = QSplitter(Qt.Orientation.Vertical)
    for panel in (window.sequences, window.data):
        data.addWidget(panel)
    data.setSizes([2, 1])
    data.setMinimumWidth(LEFT_MINIMUM)
    window.docks = {
        "data": SideDock("data", "Data panel", data, window.sequences.header),
        "results": SideDock("results", "Results panel", window.results, window.results.header),
        "method": SideDock("method", "Method panel", _make_method_column(window), window.method.header),
    }
    window.analyse = create_dock_area(_make_middle(window))
    window.folding = FoldingPanels(window.analyse, _side_panels(window), (LEFT, RIGHT))
    window.put_docks_back()
    splitters = {"panels": data, "views": window.viewer.places, "results": window.result_tabs}
    for splitter in splitters.values():
        splitter.setHandleWidth(theme.SPACING)
    central = QWidget()
    box = QVBoxLayout(central)
    box.setContentsMargins(theme.MARGIN, theme.SPACING // 2, theme.MARGIN, theme.MARGIN)
    box.setSpacing(theme.SPACING)
    box.addLayout(_make_toolbar(window, commands))
    for workspace in (window.analyse, window.tune_page, window.learn_page):
        window.workspaces.addWidget(workspace)
    box.addWidget(window.workspaces, 1)
    box.addWidget(window.jobs)
    window.setCentralWidget(central)
    window.setMinimumSize(*MINIMUM_SIZE)
    window.resize(starting_size(window.screen().availableSize()))
    fit_layout(window)
    return splitters


def fit_layout(window: Workbench) -> None:
    """Leave out what a narrow window has in its menus as well, and what a low one has no room for."""
    for part in window.compact_parts:
        part.setVisible(window.width() >= NARROW_WIDTH)
    low = window.height() < theme.LOW_HEIGHT
    # Explicit, so that a panel that is about to be folded does not widen the window before.
    window.workspaces.setMinimumSize(WORKSPACE_WIDTH, WORKSPACE_HEIGHT if low else 0)
    window.jobs.set_low(low)
    margin = theme.SPACING // 2 if low else theme.MARGIN
    window.centralWidget().layout().setContentsMargins(margin, 0 if low else theme.SPACING // 2, margin, margin)


def restore_layout(window: Workbench, splitters: dict[str, QSplitter]) -> None:
    """Restore the saved size, position and splitters, as far as they fit on the screen."""
    geometry = window.settings.blob("geometry")
    if geometry:
        window.restoreGeometry(geometry)
    if not window.isMaximized():
        window.resize(starting_size(window.screen().availableSize(), window.size()))
        fit_layout(window)
    for name, splitter in splitters.items():
        restore_splitter(window, name, splitter)
    if docks := window.settings.blob("docks"):
        QTimer.singleShot(0, window, lambda: _restore_docks(window, docks))
    places = window.settings.mapping("views")
    window.viewer.places.restore({str(name): str(place) for name, place in places.items()})


def restore_splitter(window: Workbench, name: str, splitter: QSplitter) -> None:
    """Restore the saved state of a splitter."""
    state: QByteArray = window.settings.blob(f"splitter_{name}")
    if state:
        splitter.restoreState(state)


def save_layout(window: Workbench, splitters: dict[str, QSplitter]) -> None:
    """Save size, position and splitters for the next start."""
    window.settings.put("geometry", window.saveGeometry())
    for name, splitter in splitters.items():
        window.settings.put(f"splitter_{name}", splitter.saveState())
    window.folding.unfold_all()  # the places of panels are saved as on a wide window
    window.settings.put("docks", window.analyse.saveState())
    window.settings.put("views", window.viewer.places.moved_views())


def _restore_docks(window: Workbench, docks: QByteArray) -> None:
    window.folding.unfold_all()
    window.analyse.restoreState(docks)
    window.folding.update_folding()


def _side_panels(window: Workbench) -> list[SidePanel]:
    """Return the panels of Analyse, which fold into drawers on a narrow window."""
    sides = {"data": (LEFT, LEFT_SMALL), "results": (LEFT, LEFT_SMALL), "method": (RIGHT, RIGHT_SMALL)}
    return [
        SidePanel(name, dock, *sides[name], buttons=(dock.float_button, dock.hide_button))
        for name, dock in window.docks.items()
    ]


def _make_middle(window: Workbench) -> QWidget:
    """Return the column of interrupted runs and views."""
    middle = QWidget()
    box = QVBoxLayout(middle)
    box.setContentsMargins(0, 0, 0, 0)
    box.setSpacing(0)
    box.addWidget(window.left)
    box.addWidget(window.result_tabs, 1)
    return middle


def _make_method_column(window: Workbench) -> QWidget:
    """Return the column of the method: settings and cost details scroll; cost line, warnings and Run stay visible."""
    inner, right = QWidget(), QWidget()
    column, box = QVBoxLayout(inner), QVBoxLayout(right)
    for layout in (column, box):
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(theme.SPACING)
    for panel in (window.method, window.curves, window.cost):
        column.addWidget(panel)
    column.addStretch(1)
    box.addWidget(VerticalScrollArea(inner), 1)
    box.addWidget(window.cost.pinned)
    box.addLayout(window.method.run_row)
    return right


def _make_toolbar(window: Workbench, commands: Commands) -> QHBoxLayout:
    """Return the toolbar: name, workspaces, frequent commands, search and device."""
    box, brand = QHBoxLayout(), QLabel("Antidiag")
    brand.setObjectName("brand")
    window.compact_parts = [brand]
    window.search_button.setObjectName("search")
    window.search_button.setMaximumWidth(SEARCH_WIDTH)
    window.search_button.clicked.connect(commands["search"].trigger)
    box.setSpacing(theme.SPACING)
    box.addWidget(_panel_button(commands, "data_panel", "left"))
    box.addWidget(brand)
    box.addSpacing(theme.MARGIN)
    for name in WORKSPACES:
        button = QToolButton()
        button.setDefaultAction(commands[name])
        button.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextOnly)
        box.addWidget(button)
    box.addSpacing(2 * theme.MARGIN)
    for name in ("open", "save_session", "undo", "redo"):
        button = QToolButton()
        button.setDefaultAction(commands[name])
        button.setObjectName("icon")
        set_icon(commands[name], name.removesuffix("_session"))
        button.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonIconOnly)
        button.setIconSize(QSize(ICON, ICON))
        button.setAccessibleName(commands[name].text())
        window.compact_parts.append(button)
        box.addWidget(button)
    box.addStretch(1)
    box.addWidget(window.search_button, 100)
    box.addWidget(window.device)
    box.addWidget(_panel_button(commands, "method_panel", "right"))
    return box


def _panel_button(commands: Commands, name: str, icon: str) -> QToolButton:
    """Return a button that hides or shows a side panel."""
    button = QToolButton()
    button.setDefaultAction(commands[name])
    button.setObjectName("panel")
    set_icon(commands[name], icon)
    button.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonIconOnly)
    button.setAccessibleName(commands[name].text())
    return button
