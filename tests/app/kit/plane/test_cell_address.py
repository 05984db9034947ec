import pytest

from antidiag.app.kit.plane.cell_address import parse_address
from antidiag.kernels.errors import ParameterError
from tests.app.views import examples

LENGTHS = (90, 91)


@pytest.fixture(scope="module")
def answer():
    return examples.result(examples.problem(*examples.related(90))).answer


@pytest.mark.parametrize(
    ("text", "rows", "columns"),
    [
        ("3, 7", (3, 4), (7, 8)),
        ("3 7", (3, 4), (7, 8)),
        ("(3,7)", (3, 4), (7, 8)),
        ("0,0", (0, 1), (0, 1)),
        ("90, 91", (90, 91), (91, 92)),
        ("10:20, 5:6", (10, 21), (5, 7)),
        ("10:20, 5", (10, 21), (5, 6)),
    ],
)
def test_places(answer, text, rows, columns):
    place = parse_address(text, LENGTHS, answer)
    assert (place.rows, place.columns) == (rows, columns)


def test_start_and_end(answer):
    assert parse_address(" Start ", LENGTHS, answer).single_cell == answer.alignment.start
    assert parse_address("end", LENGTHS, answer).single_cell == answer.end


def test_start_of_a_score_is_not_known():
    answer = examples.result(examples.problem("ACGT", "ACGT"), score_only=True).answer
    assert parse_address("end", (4, 4), answer).single_cell == (4, 4)
    with pytest.raises(ParameterError, match="only the score"):
        parse_address("start", (4, 4), answer)


@pytest.mark.parametrize("text", ["", "x", "1", "1,2,3", "5:3, 1", "91, 1", "1, 92", "-1, 2", "1:2:3, 4", "a, b"])
def test_what_is_no_place(answer, text):
    with pytest.raises(ParameterError):
        parse_address(text, LENGTHS, answer)


def test_the_error_names_the_axis_and_its_range(answer):
    with pytest.raises(ParameterError, match=r"j must be between 0 and 91; got 92"):
        parse_address("1, 92", LENGTHS, answer)
