"""Scores and titles as the views print them."""

from app.kit import result_text


def test_names_of_any_length_fit_a_line():
    assert result_text.shortened("NC_012920.1") == "NC_012920.1"
    assert result_text.shortened("n" * 40) == "n" * 40
    assert result_text.shortened("n" * 200) == "n" * 39 + result_text.ELLIPSIS
