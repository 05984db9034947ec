"""The lectures that come with the program, and what a file of a lecture can have wrong."""

from __future__ import annotations

import json

import pytest

from antidiag.kernels.errors import InputError
from antidiag.kernels.registry import lectures
from antidiag.kernels.walkthroughs import placeholders

SHIPPED = lectures.shipped_lectures()


@pytest.mark.parametrize("path", SHIPPED, ids=lambda path: path.stem)
def test_a_lecture_holds_what_it_promises(path):
    lecture = lectures.read_lecture(path)
    assert lectures.find_problems(lecture) == []
    assert 15 <= len(lecture.scenes) <= 25 and len(lecture.questions) == 10
    for scene in lecture.scenes:
        assert scene.plays, f"{scene.name} has no picture"
        words = sum(len(text.split()) for text in scene.text)
        assert words >= 25, f"{scene.name} has {words} words for the speaker"


def test_there_is_a_lecture_for_every_paper_and_one_for_beginners():
    sources = {key for path in SHIPPED for key in lectures.read_lecture(path).sources}
    assert {"Li 2012", "Li 2014", "Razzolini 2020", "Hanif 2014", "Liu 2009"} <= sources and len(SHIPPED) == 6


@pytest.mark.parametrize("path", SHIPPED, ids=lambda path: path.stem)
def test_written_and_read_it_is_the_same(path, tmp_path):
    lecture = lectures.read_lecture(path)
    target = tmp_path / "copy.json"
    lectures.write_lecture(target, lecture)
    assert lectures.lecture_to_json(lectures.read_lecture(target)) == lectures.lecture_to_json(lecture)


def test_numbers_come_from_the_plays():
    lecture = lectures.read_lecture(lectures.find_lecture("long-pairs"))
    scene = lecture.find_scene("antidiagonal")
    assert scene.fill_numbers("{steps} {cells} {barriers} {H(10, 14)} {gap_open}") == "23 140 23 15 2"
    beside = lecture.find_scene("blocks-beside")
    assert beside.fill_numbers("{steps} {1.steps} {ratio barriers}") == "23 44 3.8"
    for wrong in ("{nonsense}", "{1.steps}", "{H(99, 1)}", "{X(1, 1)}", "{ratio steps}"):
        with pytest.raises(InputError):
            scene.fill_numbers(wrong)


def test_typed_numbers_are_found_and_names_are_not():
    assert placeholders.find_typed_numbers("It takes 12 steps, and 3.5 times {cells}.") == ["12", "3.5"]
    assert placeholders.find_typed_numbers("BT1, ChunkedAlignment1, H(i-1, j-1), {H(1, 2)}, i-1") == []


def _lecture(**changed):
    scene = {"name": "a", "title": "A", "points": ["p"], "text": ["t"], "plays": [{"method": "striped-score"}]}
    found = {"antidiag_lecture": 1, "title": "T", "sources": {}, "scenes": [scene], "questions": []}
    return found | changed


@pytest.mark.parametrize(
    ("changed", "told"),
    [
        ({"antidiag_lecture": 2}, "version 2"),
        ({"title": 3}, "title is not a text"),
        ({"scenes": [1]}, "scene 1: not an object"),
        ({"scenes": [{"name": "a", "title": "A", "clock": "moon"}]}, "clock is 'moon'"),
        ({"scenes": [{"name": "a", "title": "A", "to": -3}]}, "to is -3"),
        ({"scenes": [{"name": "a", "title": "A", "plays": [{}]}]}, "method is not a text"),
        ({"sources": []}, "sources is not an object"),
        (
            {"scenes": [{"name": "a", "title": "A", "clock": "measured time", "size": 0}]},
            "a whole number from 1 to 4,096",
        ),
    ],
)
def test_a_damaged_file_is_refused_by_name(changed, told, tmp_path):
    path = tmp_path / "x.json"
    path.write_text(json.dumps(_lecture(**changed)))
    with pytest.raises(InputError, match=told) as error:
        lectures.read_lecture(path)
    assert str(path) in str(error.value)


@pytest.mark.parametrize("text", ["", "[]", "{}", "nonsense", '{"antidiag_lecture": 1}'])
def test_what_is_no_lecture_is_refused(text, tmp_path):
    path = tmp_path / "x.json"
    path.write_text(text)
    with pytest.raises(InputError):
        lectures.read_lecture(path)
    with pytest.raises(InputError, match="neither a file nor a lecture"):
        lectures.find_lecture("no such lecture")


def test_problems_name_the_scene(tmp_path):
    scene = {"name": "a", "title": "7 strips", "points": ["{nothing}"], "text": ["t"], "source": "009, section 1",
             "plays": [{"method": "striped-score"}], "to": 3, "view": {"cell": ["H", 9, 9]}}  # fmt: skip
    path = tmp_path / "x.json"
    path.write_text(json.dumps(_lecture(scenes=[scene, scene])))
    told = "\n".join(lectures.find_problems(lectures.read_lecture(path)))
    for part in ("two scenes are called a", "scene a: the number 7 is typed", "nothing", "009 is not among", "10"):
        assert part in told, told
