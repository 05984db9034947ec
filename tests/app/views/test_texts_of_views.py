"""Scores and titles as the views print them."""

from app.views import texts


def test_names_of_any_length_fit_a_line():
    assert texts.shortened("NC_012920.1") == "NC_012920.1"
    assert texts.shortened("n" * 40) == "n" * 40
    assert texts.shortened("n" * 200) == "n" * 39 + texts.ELLIPSIS
