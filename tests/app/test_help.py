"""The help as a person uses it: contents, search, links and pages of methods, all from files of the program."""

import pytest
from PySide6.QtCore import QUrl
from PySide6.QtGui import QDesktopServices

from antidiag.app.dialogs import help_pages
from antidiag.app.dialogs.help_window import HelpWindow
from antidiag.kernels import registry
from antidiag.kernels.registry import find_method
from tests.documents import ROOT


@pytest.fixture
def help_window(qtbot):
    found = HelpWindow(None, help_pages.all_pages(registry.METHODS))
    qtbot.addWidget(found)
    found.show()
    return found


def top_items(help_window):
    return [help_window.contents.topLevelItem(row) for row in range(help_window.contents.topLevelItemCount())]


def test_it_begins_with_the_first_steps_and_has_all_documents(help_window):
    assert help_window.current_page.title == "First steps" and "Find your way" in help_window.page.toPlainText()
    names = {page.name for page in help_window.pages}
    documents = {path.relative_to(ROOT / "docs").as_posix() for path in (ROOT / "docs").glob("*.md")}
    assert documents - {"README.md"} <= names
    assert {f"method {method.id}" for method in registry.METHODS} <= names
    groups = [item.text(0) for item in top_items(help_window)]
    assert groups[0] == "Tutorials" and groups[-1] == "Methods"
    assert top_items(help_window)[0].child(0).text(0) == "First steps"


def test_search_lists_sections_and_shows_the_place(qtbot, help_window):
    qtbot.keyClicks(help_window.search_line, "gap length k costs open")
    assert top_items(help_window) and "sections" in help_window.found_label.text()
    help_window.search_line.clear()
    assert top_items(help_window)[0].text(0) == "Tutorials" and help_window.found_label.isHidden()
    qtbot.keyClicks(help_window.search_line, "ambiguous letters")
    assert "Ambiguous letters" in top_items(help_window)[0].text(0)
    help_window.search_line.returnPressed.emit()
    assert help_window.page.textCursor().block().text() == "Ambiguous letters"
    help_window.search_line.setText("xqzzyplugh")
    assert not top_items(help_window) and "No page has" in help_window.found_label.text()


def test_links_lead_to_pages_and_sections_and_back(help_window, monkeypatch):
    help_window.open_page(help_window.find_page("window.md"))
    help_window.follow_link(QUrl("methods.md"))
    assert help_window.current_page.name == "methods.md"
    help_window.follow_link(QUrl("window.md#tune"))
    assert help_window.current_page.name == "window.md" and help_window.page.textCursor().block().text() == "Tune"
    help_window.back_button.click()
    assert help_window.current_page.name == "methods.md"
    help_window.forward_button.click()
    assert help_window.current_page.name == "window.md"
    help_window.open_page(help_window.find_page("methods.md"))
    help_window.follow_link(QUrl("../kernels/hmm/page.md"))
    assert help_window.current_page.name.startswith("method ")
    opened = []
    monkeypatch.setattr(QDesktopServices, "openUrl", lambda url: opened.append(url.toString()))
    help_window.follow_link(QUrl("https://example.org"))
    assert opened == ["https://example.org"]


def test_the_page_of_a_method_has_its_parameters_and_pictures(help_window):
    page = help_pages.method_page(find_method("striped-alignment"))
    help_window.open_page(page)
    text = help_window.page.toPlainText()
    assert text.startswith("StripedAlignment") and "Strip width s" in text and "Ambiguous letters" in text
    assert "StripedAlignment" in help_window.windowTitle()


def test_the_window_opens_the_help_of_the_method_and_the_contents(qtbot, ready):
    ready.commands["help"].trigger()
    found = ready.findChild(HelpWindow)
    assert found.isVisible() and found.current_page.title == "Fake"
    ready.commands["first_steps"].trigger()
    assert ready.findChildren(HelpWindow) == [found] and found.current_page.title == "First steps"


def test_pictures_that_were_not_installed_leave_no_gap(tmp_path):
    (tmp_path / "there.png").write_bytes(b"")
    page = help_pages.HelpPage("a.md", "More", tmp_path, "# A\n\n![There](there.png)\n![Gone](screenshots/gone.png)\n")
    assert "there.png" in page.shown_markdown and "gone" not in page.shown_markdown
