"""The Learn workspace as a person uses it."""

import itertools

import numpy as np
import pytest
from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QColor, QGuiApplication, QImage, QPainter
from PySide6.QtWidgets import QApplication

from antidiag.app import theme
from antidiag.app.kit.controls.widgets import scroll_area
from antidiag.app.learn import dependency_view, guideline_pictures
from antidiag.app.learn.guideline_page import GuidelinePage
from antidiag.app.learn.guidelines import COALESCING, GUIDELINES, OCCUPANCY
from antidiag.app.learn.workspace import LearnWorkspace
from antidiag.kernels import registry
from antidiag.kernels.cuda import guideline_timings, guidelines
from antidiag.kernels.cuda.guidelines import CARDS
from antidiag.kernels.errors import BackendUnavailable
from antidiag.kernels.registry import find_method


@pytest.fixture
def learn(qtbot):
    learn = LearnWorkspace(registry.METHODS)
    qtbot.addWidget(learn)
    learn.resize(1280, 600)
    learn.show()
    return learn


def test_every_method_stands_in_its_class_and_nowhere_else(learn):
    shown = {identifier: cls for cls, card in learn.classes.cards.items() for identifier in card.buttons}
    placed = {
        one.id: one.problem_type.dp_classification.dp_class.id
        for one in registry.METHODS
        if one.problem_type.dp_classification
    }
    assert shown == placed
    assert sum(len(card.buttons) for card in learn.classes.cards.values()) == len(placed)
    assert all(card.buttons for card in learn.classes.cards.values())


def test_a_click_explains_a_method_and_leads_to_it(qtbot, learn):
    button = learn.classes.cards["npdp"].buttons["matrix-chain"]
    button.click()
    place = find_method("matrix-chain").problem_type.dp_classification
    assert learn.classes.detail.heading.text() == find_method("matrix-chain").name
    assert learn.classes.recurrence.text() == place.recurrence and learn.classes.reason.text() == place.explanation
    assert button.isChecked()
    checked = [key for card in learn.classes.cards.values() for key, one in card.buttons.items() if one.isChecked()]
    assert checked == ["matrix-chain"]
    with qtbot.waitSignal(learn.method_wanted) as wanted:
        learn.classes.use_button.click()
    assert wanted.args == [find_method("matrix-chain")]


def test_a_picture_shows_one_alternative_after_another(learn):
    picture = learn.classes.picture
    terms = sorted({arrow.term for arrow in picture.picture.arrows})
    seen = []
    for _ in range(len(terms) + 1):
        picture.show_next_term()
        seen.append(picture.term)
    assert seen == [*terms, None]


def test_pages_follow_each_other(learn):
    assert not learn.back_button.isEnabled()
    pages = *GUIDELINES, *guideline_timings.GUIDELINES
    for _ in pages * 2:
        learn.next_button.click()
    assert learn.contents.currentRow() == learn.contents.count() - 1 and not learn.next_button.isEnabled()
    learn.back_button.click()
    assert learn.pages.currentWidget().guideline is pages[-2]


def test_occupancy_is_computed_for_the_card_that_is_chosen(learn):
    page = learn.guidelines["occupancy"]
    page.slider_rows["threads"].set_value(192)
    for number, card in enumerate(CARDS):
        learn.card_box.setCurrentIndex(number)
        values = page.values
        found = guidelines.compute_occupancy(card, values["threads"], values["shared"] * 1024, values["registers"])
        assert page.limits is card and values["threads"] == 192
        assert (
            f"{found.warps:,} of {found.most_warps:,} warps, {100 * found.warp_share:.0f} %" in page.result_label.text()
        )
        assert f"Limited by {found.limited_by}" in page.result_label.text()


def test_a_gpu_at_hand_comes_first(qtbot, learn, monkeypatch):
    own = guidelines.CardLimits("a card at hand", 512, 1024, 8, 32_768, 48 << 10, 48 << 10)
    monkeypatch.setattr(guidelines, "read_card_limits", lambda index: own)
    learn.set_devices(1)
    qtbot.waitUntil(lambda: learn.card_box.itemText(0) == "a card at hand (this machine)")
    assert learn.guidelines["occupancy"].limits is own
    assert learn.guidelines["occupancy"].slider_rows["threads"].values[-1] == 512


def test_words_of_coalescing_follow_the_sliders(learn):
    page = learn.guidelines["coalescing"]
    assert "128 of 128 bytes" in page.result_label.text() and "100 %" in page.result_label.text()
    page.slider_rows["stride"].set_value(8)
    assert (
        "128 of 1,024 bytes" in page.result_label.text() and "8 accesses one after another" in page.result_label.text()
    )


def test_one_of_something_is_said_as_one(learn):
    row = learn.guidelines["coalescing"].slider_rows["stride"]
    said = []
    for value in (0, 1, 2):
        row.set_value(value)
        said.append(row.value_label.text())
    assert said == ["0 items", "1 item", "2 items"]
    lanes = learn.guidelines["divergence"].slider_rows["lanes"]
    lanes.set_value(1)
    assert lanes.value_label.text() == "1 of 32"


def test_words_below_a_picture_of_a_class_are_whole(qtbot, learn, monkeypatch):
    written = []
    monkeypatch.setattr(dependency_view, "QPainter", type("Noting", (QPainter,), {
        "drawText": lambda self, *given: written.append(given) or QPainter.drawText(self, *given)}))  # fmt: skip
    for card in learn.classes.cards.values():
        written.clear()
        card.picture.grab()
        room, _, words = next(given for given in written if given[-1] == card.picture.picture.note)
        assert QRectF(card.picture.rect()).contains(room)
        wrapped = Qt.TextFlag.TextWordWrap
        assert card.picture.fontMetrics().boundingRect(room.toRect(), wrapped, words).height() <= room.height() + 1


@pytest.mark.parametrize("size", [300, 800])
def test_words_beside_a_product_are_whole_however_small_it_is(qtbot, size):
    words = {"tile": 128, "depth": 8, "item": 4, "threads": 256}
    found = QImage(900, size, QImage.Format.Format_RGB32)
    found.fill(QColor("white"))
    painter = QPainter(found)
    room = painter.fontMetrics().size(0, guideline_pictures.TILE_WORDS)
    guideline_pictures.draw_tiling(painter, QRectF(0, 0, 900, size), CARDS[0], words)
    painter.end()
    pixels = np.frombuffer(found.constBits(), np.uint32).reshape(size, 900) & 0xFFFFFF
    side = min(900 / 2.4, (size - 20) / 2.3)
    left = 450 - 1.08 * side  # of the square in which they stand
    inked = np.flatnonzero((pixels[: int(10 + side), : int(left + side)] != 0xFFFFFF).any(axis=0))
    assert abs(np.ptp(inked) - room.width()) < 12


class WordsPainter(QPainter):
    """Notes where words are drawn."""

    def __init__(self, image: QImage) -> None:
        super().__init__(image)
        self.boxes: list[QRectF] = []

    def drawText(self, box: QRectF, flags: Qt.AlignmentFlag, words: str) -> None:
        self.boxes.append(QRectF(self.boundingRect(box, int(flags), words)))


@pytest.mark.parametrize("size", [(600, 110), (600, 160), (900, 600)])
def test_words_of_the_occupancy_do_not_lie_on_each_other(qapp, size):
    image = QImage(*size, QImage.Format.Format_RGB32)
    painter = WordsPainter(image)
    values = {"threads": 256, "shared": 16, "registers": 32}
    guideline_pictures.draw_occupancy(painter, QRectF(image.rect()), CARDS[0], values)
    painter.end()
    assert len(painter.boxes) > 10
    for one, other in itertools.combinations(painter.boxes, 2):
        common = one.intersected(other)
        assert min(common.width(), common.height()) <= 2, (one, other)


@pytest.mark.parametrize("guideline", GUIDELINES, ids=lambda guideline: guideline.id)
@pytest.mark.parametrize("colours", ["light", "dark"])
def test_every_end_of_every_slider_is_painted(qtbot, guideline, colours):
    theme.switch(colours)
    try:
        page = GuidelinePage(guideline)
        qtbot.addWidget(page)
        page.resize(500, 450)
        page.show()
        pictures = set()
        for name in page.slider_rows:
            for value in (page.slider_rows[name].values[0], page.slider_rows[name].values[-1]):
                page.slider_rows[name].set_value(value)
                QGuiApplication.processEvents()
                image = page.canvas.grab().toImage()  # owns what constBits shows
                pictures.add(bytes(image.constBits()))
                assert page.result_label.text()
        assert len(pictures) > 2
    finally:
        theme.switch("light")


def test_only_guidelines_of_cards_offer_cards(learn):
    for guideline in (OCCUPANCY, COALESCING):
        learn.contents.setCurrentRow(learn.pages.indexOf(learn.guidelines[guideline.id]))
        assert learn._card_box.isVisible() == guideline.depends_on_card


def test_learn_is_a_workspace_of_the_window(qtbot, window):
    window.commands["learn"].trigger()
    assert window.workspaces.currentIndex() == 2
    window.learn.method_wanted.emit(window.methods[1])
    assert window.method.method is window.methods[1] and window.commands["analyse"].isChecked()


def test_guidelines_that_are_measured_show_another_gpu_first(learn):
    assert any(guideline_timings.read_recorded_times(guideline.id) for guideline in guideline_timings.GUIDELINES)
    for guideline in guideline_timings.GUIDELINES:
        page = learn.measured[guideline.id]
        assert page.measurement == guideline_timings.read_recorded_times(guideline.id)
        assert (
            page.summary_label.text().startswith(f"On {page.measurement.device}: ")
            if page.measurement
            else not page.summary_label.text()
        )
        assert not page.measure_button.isEnabled() and "No GPU found" in page.status_label.text()
        page.canvas.grab()


def test_a_guideline_is_measured_on_the_gpu_at_hand(qtbot, learn, monkeypatch):
    times = (("row by row", 8.0, ""), ("other", 2.0, "a remark"), ("not here", None, "why"))
    rows = tuple(guideline_timings.VariantTime(*row) for row in times)
    monkeypatch.setattr(
        guideline_timings,
        "measure_guideline",
        lambda guideline, device: guideline_timings.GuidelineTimes(guideline, "a card", rows),
    )
    monkeypatch.setattr(guidelines, "read_card_limits", lambda index: CARDS[0])
    learn.set_devices(1)
    page = learn.measured["layout"]
    assert page.measure_button.isEnabled()
    with qtbot.waitSignal(page._work.finished):
        page.measure_button.click()
        assert page.status_label.text() == "Measuring\u2026" and not page.measure_button.isEnabled()
    assert page.summary_label.text() == "On a card: row by row takes 4.0 times as long as other."
    assert page.measure_button.isEnabled() and not page.status_label.text()
    learn.contents.setCurrentRow(learn.pages.indexOf(learn.measured[guideline_timings.GUIDELINES[0].id]))
    page.canvas.grab()


def test_what_cannot_be_measured_says_why(qtbot, learn, monkeypatch):
    def refuse(guideline, device):
        raise BackendUnavailable("the GPU is gone")

    monkeypatch.setattr(guideline_timings, "measure_guideline", refuse)
    page = learn.measured["texture"]
    page.set_device(0)
    with qtbot.waitSignal(page._work.failed):
        page.measure_button.click()
    assert page.status_label.text() == "the GPU is gone" and page.measure_button.isEnabled()


def test_no_page_is_wider_than_a_narrow_window(learn):
    learn.resize(940, 600)
    learn.layout().activate()
    assert learn.minimumSizeHint().width() <= 944


SIZES = ((180, 110), (300, 165), (420, 110), (900, 165))


@pytest.mark.parametrize("size", SIZES)
def test_a_picture_paints_nothing_beyond_its_edges(qapp, size):
    """Arrows that go around cells have room as well."""
    around = 100
    area = QRectF(around, around, *size)
    for identifier in {
        one.problem_type.dp_classification.picture: one.id
        for one in registry.METHODS
        if one.problem_type.dp_classification
    }.values():
        image = QImage(size[0] + 2 * around, size[1] + 2 * around, QImage.Format.Format_ARGB32)
        image.fill(0)
        painter = QPainter(image)
        dependency_view.draw_picture(painter, area, find_method(identifier).problem_type.dp_classification.picture)
        painter.end()
        painted = np.frombuffer(image.constBits(), np.uint32).reshape(image.height(), -1) != 0
        assert painted.any()
        painted[around:-around, around:-around] = False
        assert not painted.any(), identifier


def test_pages_have_room_in_a_narrow_window_and_their_panels_are_drawers(qtbot):
    learn = LearnWorkspace(registry.METHODS)
    area = scroll_area(learn)  # as in the window
    qtbot.addWidget(area)
    area.resize(980, 560)
    area.show()
    learn.contents.setCurrentRow(1)
    QApplication.processEvents()
    assert learn.folding.folded_sides == {"left"} and learn.walkthroughs.animation_views[0].canvas.width() > 550
    assert learn.walkthroughs.form.isVisible()
    area.resize(620, 560)
    for page in (learn.walkthroughs, learn.lectures, learn.exercises):
        learn.pages.setCurrentWidget(page)
        learn.contents.setCurrentRow(learn.pages.indexOf(page))
        QApplication.processEvents()
        assert page.folding.folded_sides == {"right"}
        qtbot.waitUntil(lambda: learn.width() <= 620)
        page.folding.toggle_panel("method")
        assert page.folding.open_side == "right" and page.folding.is_shown("method")
        page.folding.toggle_panel("method")
        assert not page.folding.is_shown("method")
    learn.contents.setCurrentRow(0)
    QApplication.processEvents()
    learn.classes.cards["npdp"].buttons["matrix-chain"].click()
    assert learn.classes.detail.isVisible(), "what was clicked is explained"
