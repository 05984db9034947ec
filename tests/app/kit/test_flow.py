from PySide6.QtWidgets import QLineEdit, QMenu, QPushButton, QWidget

from antidiag.app.kit.controls.flow_layouts import FlowLayout, ToolRow


def tools(qtbot, number=4):
    box = QWidget()
    qtbot.addWidget(box)
    row = FlowLayout(box)
    buttons = [QPushButton(f"Button {index}") for index in range(number)]
    for button in buttons:
        row.addWidget(button)
    return box, row, buttons


def test_one_line_where_there_is_room(qtbot):
    box, row, buttons = tools(qtbot)
    box.resize(row.sizeHint().width(), 50)
    box.show()
    assert len({button.y() for button in buttons}) == 1
    assert row.heightForWidth(box.width()) == buttons[0].height()


def test_more_lines_in_a_narrow_window_and_nothing_overlaps(qtbot):
    box, row, buttons = tools(qtbot)
    width = row.minimumSize().width() + 1
    box.resize(width, row.heightForWidth(width))
    box.show()
    assert len({button.y() for button in buttons}) == len(buttons)
    assert all(button.width() == button.sizeHint().width() and button.geometry().right() <= width for button in buttons)
    assert buttons[-1].geometry().bottom() < row.heightForWidth(width)


def test_what_is_hidden_takes_no_room(qtbot):
    box, row, buttons = tools(qtbot)
    width = row.sizeHint().width()
    buttons[0].hide()
    box.resize(width, 50)
    box.show()
    assert row.sizeHint().width() < width and buttons[1].x() == 0


def test_tools_without_room_are_in_a_menu_that_does_the_same(qtbot):
    box = QWidget()
    qtbot.addWidget(box)
    row, line, buttons, pressed = ToolRow(box), QLineEdit(), [], []
    row.addWidget(line)
    for number in range(4):
        button = QPushButton(f"Button {number}")
        button.clicked.connect(lambda _=False, number=number: pressed.append(number))
        row.addWidget(button)
        buttons.append(button)
    menu = QMenu()
    menu.addAction("Inner")
    buttons[3].setMenu(menu)
    box.resize(row.sizeHint().width(), 40)
    box.show()
    assert not row.overflowing_tools() and not row.more.isVisible()
    box.resize(row.sizeHint().width() - buttons[3].sizeHint().width(), 40)
    qtbot.waitUntil(row.more.isVisible)
    assert row.overflowing_tools() == buttons[2:] and line.width() == line.sizeHint().width()
    assert row.more.geometry().right() <= box.width()
    row.menu.aboutToShow.emit()
    first, second = row.menu.actions()
    assert (first.text(), second.menu()) == ("Button 2", menu)
    first.trigger()
    assert pressed == [2]
    row.essential = buttons[3], buttons[1]
    row.activate()
    assert row.overflowing_tools() == [buttons[0], buttons[2]] and buttons[3].geometry().right() < row.more.x()
