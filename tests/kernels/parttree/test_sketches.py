"""Sketches of sequences: words and distances as sets have them, and guide trees of families that are known."""

from __future__ import annotations

import numpy as np
import pytest

from antidiag.kernels.cpu.cpu_run import CpuRun
from antidiag.kernels.errors import Cancelled
from antidiag.kernels.monitor import Monitor
from antidiag.kernels.parttree.kmers import cpu_sketches, sketches

WORD = 10
STOP = np.zeros(1, np.int64)


def pack(texts: list[np.ndarray]) -> tuple[np.ndarray, np.ndarray]:
    return np.concatenate(texts), np.concatenate([[0], np.cumsum([text.size for text in texts])])


def sketch(texts: list[np.ndarray]) -> np.ndarray:
    found = np.empty((len(texts), cpu_sketches.BINS), np.uint16)
    cpu_sketches.draw_sketches(*pack(texts), 4, WORD, found, 0, len(texts), STOP)
    return found


def link(texts: list[np.ndarray], threads: int = 1, monitor: Monitor | None = None) -> tuple[np.ndarray, np.ndarray]:
    with CpuRun(monitor or Monitor(), threads=threads).phase("tree") as phase:
        return sketches.link_sketches(*pack(texts), False, phase, lambda done, total: phase.run.monitor.check())


def evolve(text: np.ndarray, share: float, random: np.random.Generator) -> np.ndarray:
    return np.where(random.random(text.size) < share, random.integers(0, 4, text.size), text).astype(np.uint8)


def words(text: np.ndarray) -> set[bytes]:
    """Return the words of a text; none spans a letter that stands for several."""
    found = (text[at : at + WORD] for at in range(text.size - WORD + 1))
    return {word.tobytes() for word in found if (word < 4).all()}


def test_a_sketch_has_bins_for_words_alone_and_an_unknown_letter_breaks_them() -> None:
    random = np.random.default_rng(1)
    short, text = random.integers(0, 4, WORD - 1).astype(np.uint8), random.integers(0, 4, 60).astype(np.uint8)
    broken = text.copy()
    broken[30] = 23
    found = sketch([short, text, broken])
    filled = (found != cpu_sketches.EMPTY).sum(axis=1)
    assert filled[0] == 0
    assert filled[1] <= len(words(text)) and filled[1] > 0.9 * len(words(text))
    assert filled[2] <= len(words(broken)) == len(words(text)) - WORD


@pytest.mark.parametrize("changed", [0.0, 0.02, 0.1, 0.2])
def test_distances_are_those_of_the_sets_of_words(changed: float) -> None:
    """Within three standard deviations of a sample of as many words as there are bins."""
    random = np.random.default_rng(2)
    one = random.integers(0, 4, 3000).astype(np.uint8)
    other = evolve(one, changed, random)[: 2000 if changed else 3000]
    texts = [one, other]
    distances, counts = np.zeros((2, 2)), np.array([text.size - WORD + 1 for text in texts])
    cpu_sketches.measure_sketches(sketch(texts), counts, WORD, distances, 0, 2, STOP)
    contained = len(words(one) & words(other)) / len(words(other))
    assert distances[0, 1] == distances[1, 0]
    assert np.exp(-WORD * distances[0, 1]) == pytest.approx(contained, abs=3 * np.sqrt(contained / 500) + 1e-12)


def test_sequences_without_a_common_word_are_farthest_apart() -> None:
    texts = [np.zeros(50, np.uint8), np.ones(50, np.uint8), np.zeros(3, np.uint8), np.empty(0, np.uint8)]
    distances, counts = np.zeros((4, 4)), np.array([41, 41, 0, 0])
    cpu_sketches.measure_sketches(sketch(texts), counts, WORD, distances, 0, 4, STOP)
    assert np.unique(distances[np.triu_indices(4, 1)]).size == 1
    assert distances[0, 1] == pytest.approx(np.log(2 * cpu_sketches.BINS) / WORD)


def test_subfamilies_are_branches_on_any_number_of_threads() -> None:
    random = np.random.default_rng(4)
    root = random.integers(0, 4, 1500).astype(np.uint8)
    parents = [evolve(root, 0.2, random) for _ in range(5)]
    texts = [evolve(parents[number % 5], 0.05, random) for number in range(60)]
    joins, heights = link(texts)
    for threads in (2, 3):
        np.testing.assert_array_equal(link(texts, threads)[0], joins)
    assert (heights[:-4] < heights[-4:].min()).all()
    below = [{number} for number in range(60)]
    for first, second in joins.tolist():
        below.append(below[first] | below[second])
    assert all(set(range(number, 60, 5)) in below for number in range(5))


def test_cancel_ends_it() -> None:
    class Impatient(Monitor):
        def check(self) -> None:
            raise Cancelled("enough")

    random = np.random.default_rng(5)
    with pytest.raises(Cancelled):
        link([random.integers(0, 4, 200).astype(np.uint8) for _ in range(200)], monitor=Impatient())
