"""Fuzzy matching of typed words: beginnings, parts, letters in order, and words with a typing error."""

from __future__ import annotations

import difflib
import itertools
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TypeVar

WORDS = re.compile(r"[^\W_]+")
AT_START, AT_WORD, INSIDE, IN_ORDER, MISTYPED = 100.0, 80.0, 60.0, 40.0, 20.0
"""Scores of a typed word that begins the text, begins a word, is inside a word, has its letters in order, or resembles
a word."""
LEAST_IN_ORDER, LEAST_MISTYPED = 3, 4
"""Least letters of a typed word that is matched by letters in order, or in spite of a typing error."""
SIMILARITY = 0.72
"""Least similarity of a mistyped word and its meaning, by the ratio of difflib."""
BESIDES = 0.5
"""What a match beside the text, such as in its hint, counts against one in the text."""

Item = TypeVar("Item")


def score_text(typed: str, text: str) -> float:
    """Return how well a typed word matches a text, both in lower case; 0 if it does not.

    The letters of the word may stand in one word of the text with others between them ("vitrbi" matches "viterbi").
    """
    place = text.find(typed)
    if place == 0:
        return AT_START + len(typed) / max(len(text), 1)
    if place > 0:
        return (AT_WORD if not text[place - 1].isalnum() else INSIDE) + len(typed) / len(text)
    if len(typed) < LEAST_IN_ORDER:
        return 0.0
    return max((_score_in_order(typed, word) for word in WORDS.findall(text)), default=0.0)


def _score_in_order(typed: str, word: str) -> float:
    """Return the score of letters that stand in a word in this order; the first must begin it."""
    if word[0] != typed[0] or len(word) > 2 * len(typed):
        return 0.0
    letters = iter(word)
    return IN_ORDER + 10 * len(typed) / len(word) if all(letter in letters for letter in typed) else 0.0


def rank_items(
    query: str, items: Iterable[Item], texts: Callable[[Item], tuple[str, str]], bonus: Callable[[Item], float]
) -> list[Item]:
    """Return the items that match every word of a query, the best first.

    Parameters
    ----------
    query : str
        Words; an empty query matches all.
    items : iterable
    texts : callable
        Returns the text of an item, and what else may be typed for it.
    bonus : callable
        What an item counts more, such as for having been chosen lately.
    """
    words = query.lower().split()
    lowered = [(item, text.lower(), more.lower()) for item in items for text, more in [texts(item)]]
    attempts = itertools.chain([words], _correct_words(words, lowered))
    return next(filter(None, (_rank_exactly(attempt, lowered, bonus) for attempt in attempts)), [])


def _rank_exactly(
    words: Sequence[str], lowered: Sequence[tuple[Item, str, str]], bonus: Callable[[Item], float]
) -> list[Item]:
    scored: list[tuple[float, int, Item]] = []
    for item, text, more in lowered:
        scores = [max(score_text(word, text), BESIDES * score_text(word, more)) for word in words]
        if all(scores):
            scored.append((-(sum(scores) / max(len(scores), 1) + bonus(item)), len(scored), item))
    return [item for _, _, item in sorted(scored, key=lambda entry: entry[:2])]


def _correct_words(words: Sequence[str], lowered: Sequence[tuple[Item, str, str]]) -> Iterator[list[str]]:
    """Yield the words with typing errors replaced by the most similar word of all texts, then with one word replaced
    that is known, such as another spelling ("neighbour" by "neighbor")."""
    known = list(dict.fromkeys(word for _, *texts in lowered for text in texts for word in WORDS.findall(text)))
    is_known = [any(word in one for one in known) for word in words]
    similar = [_similar_words(word, known) for word in words]
    yield [
        word if there or not others else others[0] for word, there, others in zip(words, is_known, similar, strict=True)
    ]
    for place, others in enumerate(similar):
        if others and is_known[place]:
            yield [*words[:place], others[0], *words[place + 1 :]]


def _similar_words(word: str, known: Sequence[str]) -> list[str]:
    """Return the known word that is most similar to one and does not contain it; [] if there is none."""
    others = [one for one in known if word not in one]
    return difflib.get_close_matches(word, others, 1, SIMILARITY) if len(word) >= LEAST_MISTYPED else []
