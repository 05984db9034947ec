"""Numbers and JSON of files: what is taken, and what is refused without a fault."""

from __future__ import annotations

import json

import pytest

from antidiag.kernels.text import parse_integer, parse_json, parse_real, quote_text


@pytest.mark.parametrize(
    "text", ["1", "-2.5", "+3e2", ".5", "1.", "1e-400", " 7\n", b"1.5", "inf", "1." + "0" * 60 + "e+05"]
)
def test_numbers_as_all_programs_write_them(text) -> None:
    assert parse_real(text) == float(text)


@pytest.mark.parametrize("text", ["1_000", b"1_000", "\u0663", "0x10", "1,5", "", "one", "1" + "_0" * 3000])
def test_what_python_alone_takes_is_no_number(text) -> None:
    for read in (parse_real, parse_integer):
        with pytest.raises(ValueError, match="not a number|could not|invalid literal"):
            read(text)


def test_json_is_read_from_text_and_bytes() -> None:
    for text in ('{"a": [1, 2.5, "\\ud83e\\uddec"]}', b'\xef\xbb\xbf{"a": [1, 2.5, "\xf0\x9f\xa7\xac"]}'):
        assert parse_json(text) == {"a": [1, 2.5, "\U0001f9ec"]}


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("[" * 100_000, "nested too deep"),
        (json.dumps("\ud800"), "invalid Unicode"),
        (b'"\xed\xa0\x80"', "invalid Unicode"),
        (b'"\xff"', "invalid Unicode"),
        ("9" * 5000, "digits"),
        ("{", "Expecting"),
    ],
)
def test_what_is_no_json_says_why(text, reason) -> None:
    with pytest.raises(ValueError, match=reason):
        parse_json(text)


def test_a_quoted_word_is_short() -> None:
    assert quote_text("a\0b") == "'a\\x00b'"
    assert quote_text(b"\xff") == "'\ufffd'"
    assert len(quote_text("x" * 10**6)) < 50
