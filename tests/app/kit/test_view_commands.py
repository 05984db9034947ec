"""Commands of a view are read from its buttons, lists and menus, and do what these do."""

from PySide6.QtWidgets import QComboBox, QMenu, QVBoxLayout, QWidget

from antidiag.app.kit.controls.widgets import add_section, menu_button, tool_button
from antidiag.app.kit.view_commands import list_view_commands


def test_commands_are_named_and_run(qtbot):
    view, done, menu, inner = QWidget(), [], QMenu(), QMenu("More")
    box = QVBoxLayout(view)
    qtbot.addWidget(view)

    def fill() -> None:
        menu.clear()
        add_section(menu, "Sort by")
        menu.addAction("Name\tCtrl+1", lambda: done.append("name"))
        menu.addAction("Length", lambda: done.append("length")).setEnabled(False)
        menu.addMenu(inner)

    inner.addAction("Inside", lambda: done.append("inside"))
    menu.aboutToShow.connect(fill)
    choice = QComboBox()
    choice.setAccessibleName("Colours")
    choice.addItems(["Progress", "Worker"])
    choice.activated.connect(lambda index: done.append(index))
    hidden = tool_button("Hidden tool", "", lambda: done.append("hidden"))
    for widget in (
        tool_button("Fit", "Show the whole matrix", lambda: done.append("fit")),
        tool_button("Save\N{HORIZONTAL ELLIPSIS}", "Save the figure", lambda: done.append("save")),
        menu_button("Rows", "Sort rows", menu),
        choice,
        hidden,
    ):
        box.addWidget(widget)
    hidden.hide()
    found = {command.text: command for command in list_view_commands(view)}
    assert list(found) == [
        "Fit: Show the whole matrix", "Save the figure", "Sort by: Name", "Inside", "Colours: Progress",
        "Colours: Worker",
    ]  # fmt: skip
    assert (found["Sort by: Name"].place, found["Sort by: Name"].keys) == ("Rows", "Ctrl+1")
    assert found["Inside"].place == "Rows > More"
    for command in found.values():
        command.run()
    assert done == ["fit", "save", "name", "inside", 0, 1]
