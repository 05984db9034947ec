"""Comments of NEXUS, which may be nested: what is left is the text around them."""

import re

from hypothesis import given
from hypothesis import strategies as st

from antidiag.kernels.io.alignment_formats.nexus_text import COMMENT_MARK, mask_comments

INNERMOST = re.compile(r"\[[^\[\]]*\]")


def one_after_another(text: str) -> str:
    """The plain way, which takes as many passes as comments are deep."""
    while INNERMOST.search(text):
        text = INNERMOST.sub(lambda found: "\n" * found[0].count("\n"), text)
    return text


@given(st.text("ab\n[]", max_size=40))
def test_pairs_of_brackets_are_taken_out(text: str) -> None:
    assert mask_comments(text).replace(COMMENT_MARK, "") == one_after_another(text)


def test_comments_may_be_nested_as_deep_as_a_file_is_long() -> None:
    deep = 100_000
    assert mask_comments("a" + "[\n" * deep + "]" * deep + "b").replace(COMMENT_MARK, "") == "a" + "\n" * deep + "b"
