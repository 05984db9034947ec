"""Lectures in the window: every scene from the first to the last question, by the keys of a presenter's clicker."""

from dataclasses import replace

import pytest
from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QImage
from PySide6.QtWidgets import QFileDialog

from antidiag.app.learn.lecture.editor import SceneDialog
from antidiag.app.learn.lecture.page import LecturePage
from antidiag.app.learn.lecture.player import LecturePlayer
from antidiag.app.learn.workspace import LearnWorkspace
from antidiag.kernels import registry
from antidiag.kernels.registry import lectures


def _ink(widget):
    """How many different colours a widget shows, of a part of its pixels."""
    image = widget.grab().toImage().convertToFormat(QImage.Format.Format_RGB32)
    return len({image.pixel(x, y) for x in range(0, image.width(), 7) for y in range(0, image.height(), 7)})


@pytest.mark.parametrize("path", lectures.shipped(), ids=lambda path: path.stem)
def test_a_lecture_is_played_from_the_first_to_the_last_scene(qtbot, path):
    lecture = lectures.read(path)
    player = LecturePlayer(lecture)
    qtbot.addWidget(player)
    player.resize(1280, 720)
    player.show()
    for number, scene in enumerate(lecture.scenes):
        assert player.number == number and player.title.text() == scene.filled(scene.title)
        assert "{" not in player.points.text() + player.notes.text()
        if scene.measured:
            _play_measured(qtbot, player)
            continue
        while player.transport.tick < player.last_tick:
            player.forward()  # begins to play
            player.forward()  # and goes to where the scene stops
        assert player.transport.tick == player.last_tick
        for stage, staged in zip(player.stages, scene.plays, strict=False):
            assert stage.play is staged.play and stage.isVisible()
            picture = stage.picture(QRectF(stage.canvas.rect()))
            assert picture.sheets, f"{scene.name} shows no table"
            bottom = max(one.y + one.size * stage.play.tables[one.table].shape[0] for one in picture.sheets)
            assert bottom <= picture.room.height() + 1, f"{scene.name} does not fit 1280 x 720"
        player.forward()
    for question in lecture.questions:
        assert lecture.asked(question)[0] in player.title.text() and not player.points.text()
        player.forward()
        assert player.points.text() == lecture.asked(question)[1]
        player.forward()
    assert player.number == player.pages - 1


def _play_measured(qtbot, player):
    """Run the methods of a scene by clicks, where no GPU is, and go to the next scene."""
    measured, number = player.measured, player.number
    assert measured.isVisible() and not player.stages[0].isVisible() and not player.transport.isVisible()
    measured.amount.setValue(1)
    qtbot.keyClick(player, Qt.Key.Key_PageDown)
    assert measured.busy
    qtbot.keyClick(player, Qt.Key.Key_PageDown)  # a click more does no harm
    qtbot.waitUntil(lambda: measured.replays.player.playing)
    assert "The CPU is used" in measured.told.text() and player.number == number
    assert [result.method for result in measured.results] == [one.method for one in player.scene.plays]
    qtbot.keyClick(player, Qt.Key.Key_PageDown)
    assert measured.replays.player.share == 1 and not measured.replays.player.playing
    qtbot.keyClick(player, Qt.Key.Key_Home)
    qtbot.keyClick(player, Qt.Key.Key_Space)
    assert measured.replays.player.playing
    qtbot.keyClick(player, Qt.Key.Key_End)
    qtbot.keyClick(player, Qt.Key.Key_Space)
    measured.replays.player.finish()
    qtbot.keyClick(player, Qt.Key.Key_PageDown)
    assert player.number == number + 1 and not measured.isVisible() and not measured.results


def test_a_measured_scene_is_cancelled_and_says_so(qtbot):
    lecture = lectures.read(lectures.find("three-sequences"))
    player = LecturePlayer(lecture)
    qtbot.addWidget(player)
    player.show()
    number = next(at for at, scene in enumerate(lecture.scenes) if scene.measured)
    player.show_scene(number)
    player.forward()
    assert player.measured.busy
    player.measured.press()
    assert not player.measured.busy and "Cancelled" in player.measured.told.text()
    player.forward()
    assert player.number == number + 1


def test_keys_of_a_clicker_and_of_a_lecturer(qtbot):
    player = LecturePlayer(lectures.read(lectures.find("long-pairs")))
    qtbot.addWidget(player)
    player.show()
    qtbot.keyClick(player, Qt.Key.Key_PageDown)
    assert player.number == 0 and player.transport.playing
    qtbot.keyClick(player, Qt.Key.Key_PageDown)
    assert not player.transport.playing and player.transport.tick == player.last_tick
    qtbot.keyClick(player, Qt.Key.Key_PageDown)
    assert player.number == 1 and not player.transport.playing
    player.transport.go(player.last_tick)
    qtbot.keyClick(player, Qt.Key.Key_Left)
    assert player.transport.tick == player.last_tick - 1
    qtbot.keyClick(player, Qt.Key.Key_PageUp)
    assert player.number == 0
    qtbot.keyClick(player, Qt.Key.Key_B)
    assert player.dark.isVisible()
    qtbot.keyClick(player, Qt.Key.Key_PageDown)
    assert not player.dark.isVisible() and player.number == 0
    qtbot.keyClick(player, Qt.Key.Key_S)
    assert player.notes.isVisible()
    with qtbot.waitSignal(player.left):
        qtbot.keyClick(player, Qt.Key.Key_Escape)


@pytest.mark.parametrize(
    ("width", "height", "factor"), [(1280, 720, 1.0), (1920, 1080, 1.5), (3840, 2160, 3.0), (700, 500, 0.8)]
)
def test_letters_scale_with_the_room_so_that_the_picture_keeps_its_share(qtbot, width, height, factor):
    player = LecturePlayer(lectures.read(lectures.find("long-pairs")))
    qtbot.addWidget(player)
    player.resize(width, height)
    player.show()
    player.show_scene(6)
    player.transport.go(player.last_tick)
    assert player.factor == pytest.approx(factor) and player.transport.isVisible()
    assert player.title.font().pixelSize() == round(13 * 2.1 * factor)
    for stage in player.stages:
        assert stage.canvas.height() > 0.3 * height, "the picture has room"
        assert stage.picture(QRectF(stage.canvas.rect())).sheets[0].size > 7


def test_the_marked_cell_is_explained_in_large_type_and_answers_have_their_picture(qtbot):
    lecture = lectures.read(lectures.find("long-pairs"))
    player = LecturePlayer(lecture)
    qtbot.addWidget(player)
    player.resize(1280, 720)
    player.show()
    player.show_scene(1)
    player.transport.go(player.last_tick)
    assert "H(3, 3) + c(T, T) = 0 + 2 = 2" in player.formula.text() and player.formula.isVisible()
    assert "45 of 140 cells" in player.stages[0].counters.text()
    player.transport.go(0)
    assert not player.formula.isVisible(), "nothing is told before it is computed"
    player.show_scene(len(lecture.scenes))
    assert not player.stages[0].isVisible()
    player.forward()
    scene = lecture.scene(lecture.questions[0].scenes[0])
    assert player.stages[0].isVisible() and player.stages[0].play is scene.plays[0].play
    player.forward()
    assert player.question is lecture.questions[1] and not player.points.text()


def test_a_clicker_starts_the_presentation_of_the_page(qtbot, monkeypatch):
    page = LecturePage()
    qtbot.addWidget(page)
    page.show()
    shown = []
    monkeypatch.setattr(LecturePlayer, "showFullScreen", lambda player: shown.append(player))
    qtbot.keyClick(page.player, Qt.Key.Key_F5)
    assert shown == [page.presented] and not page.window().isFullScreen()


def test_the_page_opens_lectures_and_says_what_is_wrong(qtbot, tmp_path):
    page = LecturePage()
    qtbot.addWidget(page)
    page.resize(970, 650)
    page.show()
    assert page.lecture is not None and page.scenes.count() == len(page.lecture.scenes) + 10
    page.scenes.setCurrentRow(3)
    assert page.player.number == 3
    page.player.forward()
    page.player.forward()
    page.player.forward()
    assert page.scenes.currentRow() == page.player.number == 4
    bad = tmp_path / "bad.json"
    bad.write_text("{}")
    page.open(bad)
    assert "not a lecture" in page.error.text() and page.error.isVisible()
    page.open(lectures.find("parttree"))
    assert "PartTree" in page.lecture.title and not page.error.isVisible()
    assert _ink(page.player) > 6


def test_a_lecture_is_written_from_what_step_by_step_shows(qtbot, tmp_path, monkeypatch):
    learn = LearnWorkspace(registry.METHODS)
    qtbot.addWidget(learn)
    learn.resize(1280, 720)
    learn.show()
    learn.contents.setCurrentRow(learn.pages.indexOf(learn.lectures))
    page = learn.lectures
    page.new()
    assert page.scenes.count() == 0
    texts = {"points": ("It takes {steps} steps.",), "text": ("And {cells} cells.",)}
    monkeypatch.setattr(page, "write_scene", lambda scene: replace(scene, **texts))
    learn.contents.setCurrentRow(learn.pages.indexOf(learn.plays))
    learn.plays.choose(registry.method("antidiagonal"), registry.method("striped-score"), {"first": "GATTA", "s": 3})
    learn.plays.transport.go(4)
    learn.plays.scene_wanted.emit(learn.plays.scene())
    assert learn.pages.currentWidget() is page and page.scenes.count() == 1
    page.add(replace(learn.plays.scene(), title="Second"))
    page.shift(-1)
    assert [scene.title for scene in page.lecture.scenes] == ["Second", "Antidiagonal and StripedScore"]
    page.remove()
    assert page.scenes.count() == 1
    page.undo()
    assert page.scenes.count() == 2
    path = tmp_path / "own.json"
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *a: (str(path), ""))
    page.save()
    found = lectures.read(path)
    assert found.scenes == page.lecture.scenes
    assert [told for told in lectures.problems(found) if "questions" not in told] == []
    made = found.scenes[1]
    assert made.last == 4 and made.plays[0].values == {"first": "GATTA"} and made.plays[1].values["s"] == 3


def test_a_scene_is_checked_as_it_is_typed(qtbot):
    lecture = lectures.read(lectures.find("long-pairs"))
    dialog = SceneDialog(lecture, lecture.scenes[2])
    qtbot.addWidget(dialog)
    assert dialog.ok.isEnabled() and not dialog.error.text() and dialog.scene == lecture.scenes[2]
    dialog.points.setPlainText("It takes 7 steps and {nonsense}.")
    assert "the number 7 is typed" in dialog.error.text() and "nonsense" in dialog.error.text()
    dialog.name.setText(lecture.scenes[0].name)
    assert not dialog.ok.isEnabled() and "name of its own" in dialog.error.text()
