"""Scores and titles as the views print them."""

from antidiag.app.kit.results import result_text


def test_names_of_any_length_fit_a_line():
    assert result_text.shorten_name("NC_012920.1") == "NC_012920.1"
    assert result_text.shorten_name("n" * 40) == "n" * 40
    assert result_text.shorten_name("n" * 200) == "n" * 39 + result_text.ELLIPSIS


def test_numbers_end_in_a_digit_and_small_ones_stay():
    assert result_text.format_number(1234.5) == "1,234.5"
    assert result_text.format_number(-0.0004) == f"{result_text.MINUS}0.0004"
    assert result_text.format_number(0.00001) == f"1e{result_text.MINUS}05"
    assert result_text.format_number(-0.0) == result_text.format_number(0) == "0"
    assert result_text.format_number(2.9996) == "3"
