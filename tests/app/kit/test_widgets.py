from PySide6.QtWidgets import QMenu

from antidiag.app.kit.controls import widgets
from antidiag.app.kit.controls.widgets import ElidedLabel, FittingButton, create_label


def test_a_cut_line_keeps_its_margins_and_tells_the_rest_in_its_tool_tip(qtbot):
    line = ElidedLabel("first words")
    qtbot.addWidget(line)
    assert line.toolTip() == "first words"
    line.setContentsMargins(30, 20, 30, 0)
    line.setText("W" * 200)
    line.resize(200, 60)
    line.show()
    picture = line.grab().toImage()
    background = picture.pixelColor(0, 0)
    inked = [
        (x, y)
        for x in range(picture.width())
        for y in range(picture.height())
        if picture.pixelColor(x, y) != background
    ]
    room = line.contentsRect()
    assert inked
    assert all(room.contains(x, y) for x, y in inked)
    assert line.toolTip() == "W" * 200


def test_a_long_word_does_not_widen_a_label_of_several_lines(qtbot):
    label = create_label("short", wrap=True)
    qtbot.addWidget(label)
    narrow, name = label.minimumSizeHint().width(), "contigASSEMBLED" * 10
    for text in (f"The types differ: {name} is DNA.", f"/a/{'folder/' * 30}file.fa: damaged"):
        label.setText(text)
        assert label.text() == text
        assert label.minimumSizeHint().width() < narrow + 400
        assert (label.toolTip() == text) == (name in text)
    label.setText("short")
    assert (label.toolTip(), label.minimumSizeHint().width()) == ("", narrow)


def test_a_button_shows_the_longest_of_its_texts_that_fits(qtbot):
    button = FittingButton("Search commands and methods", "Search")
    qtbot.addWidget(button)
    button.show()
    whole = button.sizeHint().width()
    for width, text in ((whole, "Search commands and methods"), (whole - 1, "Search"), (2 * whole, button._texts[0])):
        button.resize(width, 30)
        assert button.text() == text


def test_a_section_of_a_menu_has_a_heading_that_cannot_be_chosen(qtbot):
    menu = QMenu()
    qtbot.addWidget(menu)
    widgets.add_section(menu, "Sort by")
    menu.addAction("Name")
    heading = widgets.add_section(menu, "Show")
    assert [action.text() for action in menu.actions()] == ["Sort by", "Name", "", "Show"]
    assert not heading.isEnabled() and heading.font().bold()
