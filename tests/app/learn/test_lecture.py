"""Lectures in the window: every scene from the first to the last question, by the keys of a presenter's clicker."""

import html
import re
from dataclasses import replace

import pytest
from PySide6.QtCore import QRectF, QSizeF, Qt
from PySide6.QtGui import QImage

from antidiag.app import theme
from antidiag.app.kit.play import handout
from antidiag.app.learn.lecture.lecture_page import LecturePage
from antidiag.app.learn.lecture.lecture_player import LecturePlayer
from antidiag.app.learn.lecture.presenter_view import PresenterView
from antidiag.app.learn.lecture.scene_dialog import SceneDialog
from antidiag.app.learn.workspace import LearnWorkspace
from antidiag.kernels import registry
from antidiag.kernels.errors import InputError
from antidiag.kernels.registry import lectures
from tests.app.answers import Answers


def _ink(widget):
    """How many different colours a widget shows, of a part of its pixels."""
    image = widget.grab().toImage().convertToFormat(QImage.Format.Format_RGB32)
    return len({image.pixel(x, y) for x in range(0, image.width(), 7) for y in range(0, image.height(), 7)})


@pytest.mark.parametrize("path", lectures.shipped_lectures(), ids=lambda path: path.stem)
def test_a_lecture_is_played_from_the_first_to_the_last_scene(qtbot, path):
    lecture = lectures.read_lecture(path)
    player = LecturePlayer(lecture)
    qtbot.addWidget(player)
    player.resize(1280, 720)
    player.show()
    for number, scene in enumerate(lecture.scenes):
        assert player.page_number == number and player.title_label.text() == scene.fill_numbers(scene.title)
        assert "{" not in player.points_label.text() + player.notes_label.text()
        if scene.is_measured:
            _play_measured(qtbot, player)
            continue
        while player.controls.step < player.last_tick:
            player.go_forward()  # begins to play
            player.go_forward()  # and goes to where the scene stops
        assert player.controls.step == player.last_tick
        for stage, staged in zip(player.animation_views, scene.plays, strict=False):
            assert stage.animation is staged.animation and stage.isVisible()
            picture = stage.make_picture(QRectF(stage.canvas.rect()))
            assert picture.sheets, f"{scene.name} shows no table"
            bottom = max(one.y + one.size * stage.animation.tables[one.table].table_shape[0] for one in picture.sheets)
            assert bottom <= picture.room.height() + 1, f"{scene.name} does not fit 1280 x 720"
        player.go_forward()
    for question in lecture.questions:
        assert lecture.fill_question(question)[0] in player.title_label.text() and not player.points_label.text()
        player.go_forward()
        assert player.points_label.text() == lecture.fill_question(question)[1]
        player.go_forward()
    assert player.page_number == player.page_count - 1


def _play_measured(qtbot, player):
    """Run the methods of a scene by clicks, where no GPU is, and go to the next scene."""
    measured, number = player.measured_runs, player.page_number
    assert measured.isVisible() and not player.animation_views[0].isVisible() and not player.controls.isVisible()
    measured.size_box.setValue(1)
    qtbot.keyClick(player, Qt.Key.Key_PageDown)
    assert measured.is_busy
    qtbot.keyClick(player, Qt.Key.Key_PageDown)  # a click more does no harm
    qtbot.waitUntil(lambda: measured.replays.player.is_playing)
    assert "The CPU is used" in measured.status_label.text() and player.page_number == number
    assert [result.method for result in measured.results] == [one.method for one in player.current_scene.plays]
    qtbot.keyClick(player, Qt.Key.Key_PageDown)
    assert measured.replays.player.share == 1 and not measured.replays.player.is_playing
    qtbot.keyClick(player, Qt.Key.Key_Home)
    qtbot.keyClick(player, Qt.Key.Key_Space)
    assert measured.replays.player.is_playing
    qtbot.keyClick(player, Qt.Key.Key_End)
    qtbot.keyClick(player, Qt.Key.Key_Space)
    measured.replays.player.go_to_end()
    qtbot.keyClick(player, Qt.Key.Key_PageDown)
    assert player.page_number == number + 1 and not measured.isVisible() and not measured.results


def test_a_measured_scene_is_cancelled_and_says_so(qtbot):
    lecture = lectures.read_lecture(lectures.find_lecture("three-sequences"))
    player = LecturePlayer(lecture)
    qtbot.addWidget(player)
    player.show()
    number = next(at for at, scene in enumerate(lecture.scenes) if scene.is_measured)
    player.show_scene(number)
    player.go_forward()
    assert player.measured_runs.is_busy
    player.measured_runs.run_or_cancel()
    assert not player.measured_runs.is_busy and "Cancelled" in player.measured_runs.status_label.text()
    player.go_forward()
    assert player.page_number == number + 1


def test_keys_of_a_clicker_and_of_a_lecturer(qtbot):
    player = LecturePlayer(lectures.read_lecture(lectures.find_lecture("long-pairs")))
    qtbot.addWidget(player)
    player.show()
    qtbot.keyClick(player, Qt.Key.Key_PageDown)
    assert player.page_number == 0 and player.controls.is_playing
    qtbot.keyClick(player, Qt.Key.Key_PageDown)
    assert not player.controls.is_playing and player.controls.step == player.last_tick
    qtbot.keyClick(player, Qt.Key.Key_PageDown)
    assert player.page_number == 1 and not player.controls.is_playing
    player.controls.go_to(player.last_tick)
    qtbot.keyClick(player, Qt.Key.Key_Left)
    assert player.controls.step == player.last_tick - 1
    qtbot.keyClick(player, Qt.Key.Key_PageUp)
    assert player.page_number == 0
    qtbot.keyClick(player, Qt.Key.Key_B)
    assert player.black_screen.isVisible()
    qtbot.keyClick(player, Qt.Key.Key_PageDown)
    assert not player.black_screen.isVisible() and player.page_number == 0
    qtbot.keyClick(player, Qt.Key.Key_S)
    assert player.notes_label.isVisible()
    with qtbot.waitSignal(player.leave_wanted):
        qtbot.keyClick(player, Qt.Key.Key_Escape)


@pytest.mark.parametrize(
    ("width", "height", "factor"), [(1280, 720, 1.0), (1920, 1080, 1.5), (3840, 2160, 3.0), (700, 500, 0.8)]
)
def test_letters_scale_with_the_room_so_that_the_picture_keeps_its_share(qtbot, width, height, factor):
    player = LecturePlayer(lectures.read_lecture(lectures.find_lecture("long-pairs")))
    qtbot.addWidget(player)
    player.resize(width, height)
    player.show()
    player.show_scene(6)
    player.controls.go_to(player.last_tick)
    assert player.scale_factor == pytest.approx(factor) and player.controls.isVisible()
    assert player.title_label.font().pixelSize() == round(13 * 2.1 * factor)
    for stage in player.animation_views:
        assert stage.canvas.height() > 0.3 * height, "the picture has room"
        assert stage.make_picture(QRectF(stage.canvas.rect())).sheets[0].size > 7


def test_the_marked_cell_is_explained_in_large_type_and_answers_have_their_picture(qtbot):
    lecture = lectures.read_lecture(lectures.find_lecture("long-pairs"))
    player = LecturePlayer(lecture)
    qtbot.addWidget(player)
    player.resize(1280, 720)
    player.show()
    player.show_scene(1)
    player.controls.go_to(player.last_tick)
    assert "H(3, 3) + c(T, T) = 0 + 2 = 2" in player.formula_label.text() and player.formula_label.isVisible()
    assert "45 of 140 cells" in player.animation_views[0].counters_label.text()
    player.controls.go_to(0)
    assert not player.formula_label.isVisible(), "nothing is told before it is computed"
    player.show_scene(len(lecture.scenes))
    assert not player.animation_views[0].isVisible()
    player.go_forward()
    scene = lecture.find_scene(lecture.questions[0].scenes[0])
    assert player.animation_views[0].isVisible() and player.animation_views[0].animation is scene.plays[0].animation
    player.go_forward()
    assert player.current_question is lecture.questions[1] and not player.points_label.text()


def test_a_clicker_starts_the_presentation_of_the_page(qtbot, monkeypatch):
    page = LecturePage()
    qtbot.addWidget(page)
    page.show()
    shown = []
    monkeypatch.setattr(LecturePlayer, "showFullScreen", lambda player: shown.append(player))
    qtbot.keyClick(page.player, Qt.Key.Key_F5)
    assert shown == [page.presenting_player] and not page.window().isFullScreen()


def test_the_page_opens_lectures_and_says_what_is_wrong(qtbot, tmp_path):
    page = LecturePage()
    qtbot.addWidget(page)
    page.resize(970, 650)
    page.show()
    assert page.lecture is not None and page.scene_list.count() == len(page.lecture.scenes) + 10
    page.scene_list.setCurrentRow(3)
    assert page.player.page_number == 3
    page.player.go_forward()
    page.player.go_forward()
    page.player.go_forward()
    assert page.scene_list.currentRow() == page.player.page_number == 4
    bad = tmp_path / "bad.json"
    bad.write_text("{}")
    page.open_lecture(bad)
    assert "not a lecture" in page.error.text() and page.error.isVisible()
    page.open_lecture(lectures.find_lecture("parttree"))
    assert "PartTree" in page.lecture.title and not page.error.isVisible()
    assert _ink(page.player) > 6


def test_a_lecture_is_written_from_what_step_by_step_shows(qtbot, tmp_path, monkeypatch, answers: Answers):
    learn = LearnWorkspace(registry.METHODS)
    qtbot.addWidget(learn)
    learn.resize(1280, 720)
    learn.show()
    learn.contents.setCurrentRow(learn.pages.indexOf(learn.lectures))
    page = learn.lectures
    page.new_lecture()
    assert page.scene_list.count() == 0
    texts = {"points": ("It takes {steps} steps.",), "text": ("And {cells} cells.",)}
    monkeypatch.setattr(page, "ask_for_texts", lambda scene: replace(scene, **texts))
    learn.contents.setCurrentRow(learn.pages.indexOf(learn.walkthroughs))
    learn.walkthroughs.choose_methods(
        registry.find_method("antidiagonal"), registry.find_method("striped-score"), {"first": "GATTA", "s": 3}
    )
    learn.walkthroughs.controls.go_to(4)
    learn.walkthroughs.scene_wanted.emit(learn.walkthroughs.make_scene())
    assert learn.pages.currentWidget() is page and page.scene_list.count() == 1
    page.add_scene(replace(learn.walkthroughs.make_scene(), title="Second"))
    page.shift_scene(-1)
    assert [scene.title for scene in page.lecture.scenes] == ["Second", "Antidiagonal and StripedScore"]
    page.remove_scene()
    assert page.scene_list.count() == 1
    page.undo_change()
    assert page.scene_list.count() == 2
    path = tmp_path / "own.json"
    answers.path = path
    page.save_lecture()
    found = lectures.read_lecture(path)
    assert found.scenes == page.lecture.scenes
    assert [told for told in lectures.find_problems(found) if "questions" not in told] == []
    made = found.scenes[1]
    assert made.last == 4 and made.plays[0].values == {"first": "GATTA"} and made.plays[1].values["s"] == 3


def test_a_scene_is_checked_as_it_is_typed(qtbot):
    lecture = lectures.read_lecture(lectures.find_lecture("long-pairs"))
    dialog = SceneDialog(lecture, lecture.scenes[2])
    qtbot.addWidget(dialog)
    assert dialog.ok_button.isEnabled() and not dialog.error_label.text() and dialog.edited_scene == lecture.scenes[2]
    dialog.points_edit.setPlainText("It takes 7 steps and {nonsense}.")
    assert "the number 7 is typed" in dialog.error_label.text() and "nonsense" in dialog.error_label.text()
    dialog.name_line.setText(lecture.scenes[0].name)
    assert not dialog.ok_button.isEnabled() and "unique name" in dialog.error_label.text()


@pytest.fixture
def page(qtbot):
    made = LecturePage()
    qtbot.addWidget(made)
    made.resize(1200, 700)
    made.show()
    made.open_lecture(lectures.find_lecture("long-pairs"))
    yield made
    made._end_presenting()


def test_esc_leaves_the_presentation_at_the_scene_where_one_was(qtbot, page, monkeypatch):
    monkeypatch.setattr(LecturePlayer, "showFullScreen", LecturePlayer.show)
    page.scene_list.setCurrentRow(2)
    page.present()
    player = page.presenting_player
    assert player.page_number == 2 and page.presenter_view is None, "there is one screen"
    for _ in range(3):
        player.show_scene(player.page_number + 1)
    player.controls.go_to(4)
    qtbot.keyClick(player, Qt.Key.Key_Escape)
    assert page.presenting_player is None
    assert page.scene_list.currentRow() == page.player.page_number == 5 and page.player.controls.step == 4
    page.present()
    page.presenting_player.show_scene(7)
    page.presenting_player.close()  # the window was closed by other means
    assert page.scene_list.currentRow() == 7


def test_the_presenter_view_has_the_text_and_the_next_scene(qtbot, page):
    page.scene_list.setCurrentRow(1)
    page.present_with_notes()
    view, player = page.presenter_view, page.presenting_player
    scenes = page.lecture.scenes
    assert view.isVisible() and player.isVisible() and not player.isFullScreen()
    assert view.title_label.text() == player.title_label.text()
    assert scenes[1].fill_numbers(scenes[1].text[0]) in view.notes_label.text()
    assert view.next_player.page_number == 2 and view.next_player.isVisible()
    assert view.next_player.controls.step == view.next_player.last_tick
    for _ in range(3):  # play, go to the end, next scene
        qtbot.keyClick(view, Qt.Key.Key_PageDown)
    assert player.page_number == 2 and view.next_player.page_number == 3
    assert view.title_label.text() == player.title_label.text() and view.place_label.text().startswith("3 of ")
    view.back_button.click()
    assert player.page_number == 1
    player.show_scene(len(scenes))
    answer = page.lecture.fill_question(page.lecture.questions[0])[1]
    assert answer in view.notes_label.text() and answer not in player.points_label.text()
    player.show_scene(player.page_count - 1)
    assert not view.next_player.isVisible() and view.end_label.isVisible()
    before = view.notes_label.font().pixelSize()
    view.larger_button.click()
    assert view.notes_label.font().pixelSize() == before + 2
    qtbot.keyClick(view, Qt.Key.Key_Escape)
    assert page.presenting_player is None and page.presenter_view is None
    assert page.scene_list.currentRow() == page.player.page_count - 1


def test_with_a_second_screen_the_audience_sees_the_other_one(page, monkeypatch):
    shown = []
    monkeypatch.setattr(LecturePlayer, "showFullScreen", lambda player: shown.append(player.geometry()))
    other = page.screen()
    monkeypatch.setattr(type(page), "screen", lambda page: None)
    monkeypatch.setattr(PresenterView, "move", lambda view, place: None)
    monkeypatch.setattr(LecturePage, "_show_presenter_view", lambda page, player: shown.append("notes"))
    page.present()
    assert shown == [other.geometry(), "notes"]


@pytest.mark.parametrize("suffix", [".pdf", ".html"])
def test_a_lecture_is_saved_as_a_handout(page, tmp_path, answers: Answers, suffix):
    answers.path = tmp_path / f"handout{suffix}"
    theme.switch("dark")
    page.save_handout()
    theme.switch("light")
    assert answers.proposed[-1].name.endswith("-handout.pdf") and not answers.warnings
    data = (tmp_path / f"handout{suffix}").read_bytes()
    pictured = sum(bool(scene.plays) and not scene.is_measured for scene in page.lecture.scenes)
    if suffix == ".pdf":
        pages = len(re.findall(rb"/Type /Page\b", data))
        assert data.startswith(b"%PDF") and len(page.lecture.scenes) / 3 < pages < len(page.lecture.scenes) + 6
        return
    text = data.decode()
    assert text.count("<img ") == pictured and text.count("<section>") == len(page.lecture.scenes) + 2
    for scene in page.lecture.scenes:
        assert html.escape(scene.fill_numbers(scene.title)) in text
        assert all(html.escape(scene.fill_numbers(words)) in text for words in (*scene.points, *scene.text))
    for question in page.lecture.questions:
        assert all(html.escape(words) in text for words in page.lecture.fill_question(question))
    assert "{" not in text.split("</style>")[1]


PAGE = QSizeF(700, 1000)


@pytest.mark.parametrize("long_paragraphs", [0, 12])
def test_no_page_of_a_handout_but_the_last_is_less_than_two_thirds_full(page, long_paragraphs):
    added = ["A sentence of a long scene. " * 40] * long_paragraphs
    scenes = tuple(replace(scene, text=(*scene.text, *added)) for scene in page.lecture.scenes)
    groups = handout._lecture_blocks(replace(page.lecture, scenes=scenes))
    pages = handout._divide_pages(groups, PAGE)
    blocks = [block for group in groups for block in group]
    assert [block for page in pages for block in page if block in blocks] == blocks
    filled = [sum(handout._fit_heights(page, PAGE)) for page in pages]
    assert max(filled) <= PAGE.height() + 0.01 and min(filled[:-1]) >= PAGE.height() * 2 / 3
    assert len(pages) > 2 and not any(page[-1].is_title for page in pages), "a title stays with what follows"


def test_a_paragraph_longer_than_a_page_goes_on_on_the_next_one(page):
    """Its lines are on pages that none of them runs over, and no word is lost."""
    words = [f"word{number}" for number in range(4000)]
    first, *others = page.lecture.scenes
    scene = replace(first, text=("\n".join((" ".join(words[:2000]), " ".join(words[2000:]))),))
    pages = handout._divide_pages(handout._lecture_blocks(replace(page.lecture, scenes=(scene, *others))), PAGE)
    assert all(sum(handout._fit_heights(page, PAGE)) <= PAGE.height() + 0.01 for page in pages)
    font = handout.resized_font(handout.QFont(), handout.TEXT_PIXELS)
    lines = handout._break_lines(scene.text[0], font, PAGE.width())
    assert " ".join(lines).split() == words and max(map(len, lines)) < 200


def test_pictures_of_a_handout_shrink_to_keep_a_scene_together(page):
    pages = handout._divide_pages(handout._lecture_blocks(page.lecture), PAGE)
    pictures = [i for i, block in enumerate(pages[0]) if block.least_share < 1]
    heights = handout._fit_heights(pages[0], PAGE)
    assert len(pictures) == 2 and all(200 <= heights[i] < 300 for i in pictures)


def test_a_wrong_scene_is_named(page, tmp_path):
    scenes = [replace(page.lecture.scenes[0], points=("It has {nonsense}.",)), *page.lecture.scenes[1:]]
    with pytest.raises(InputError, match=f"scene {scenes[0].name}: .*nonsense"):
        handout.save_handout(tmp_path / "a.html", replace(page.lecture, scenes=tuple(scenes)))
    with pytest.raises(InputError, match="choose .pdf or .html"):
        handout.save_handout(tmp_path / "a.docx", page.lecture)
    assert not list(tmp_path.iterdir())
