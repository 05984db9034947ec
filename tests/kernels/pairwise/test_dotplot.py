"""The matches of a dot plot are those that one finds by comparing every word with every other."""

from __future__ import annotations

import numpy as np
import pytest
from Bio.Seq import reverse_complement
from hypothesis import given
from hypothesis import strategies as st

from antidiag.kernels.errors import Cancelled, ParameterError
from antidiag.kernels.io import sequences
from antidiag.kernels.model import Sequence, SequenceType
from antidiag.kernels.monitor import Monitor
from antidiag.kernels.pairwise.pictures import dotplot, dotplot_sizes
from tests.problems import sequence

DNA, PROTEIN = SequenceType.DNA, SequenceType.PROTEIN
LETTERS = {DNA: "ACGTN", PROTEIN: "ACDEFGHIKLX"}
Match = tuple[int, int, bool]


def words_match(one: str, other: str) -> bool:
    return one == other and not set(one) & set("NX")


def matches(first: str, second: str, k: int, nucleotides: bool) -> list[Match]:
    """First letters (from 0) of every match, and whether it is one of reverse complements."""
    found = []
    for i in range(len(first) - k + 1):
        for j in range(len(second) - k + 1):
            one, other = first[i : i + k], second[j : j + k]
            if words_match(one, other):
                found.append((i, j, False))
            if nucleotides and words_match(one, reverse_complement(other)):
                found.append((i, j, True))
    return found


def counted(found: list[Match], k: int, lengths: tuple[int, int], strand: bool) -> np.ndarray:
    """Matches by the cell of their middle letters."""
    cells = np.zeros((lengths[0] + 1, lengths[1] + 1), int)
    for i, j, reverse in found:
        if reverse == strand:
            cells[i + (k + 1) // 2, j + (k + 1) // 2] += 1
    return cells


def pooled(cells: np.ndarray, shape: tuple[int, int]) -> np.ndarray:
    edges = [np.arange(pixels) * size // pixels for size, pixels in zip(cells.shape, shape, strict=True)]
    return np.add.reduceat(np.add.reduceat(cells, edges[0], 0), edges[1], 1)


@st.composite
def related(draw: st.DrawFn) -> tuple[Sequence, Sequence]:
    """Two sequences that share pieces, some of them as reverse complements; either may be the longer one."""
    kind = draw(st.sampled_from([DNA, DNA, PROTEIN]))
    letters = st.text(LETTERS[kind], min_size=1, max_size=30)
    shared = draw(letters)
    turned = reverse_complement(shared) if kind == DNA else shared[::-1]
    first, second = (draw(letters) + draw(st.sampled_from([shared, turned, ""])) + draw(letters) for _ in range(2))
    return sequence(first, "first", kind), sequence(second, "second", kind)


@st.composite
def spans(draw: st.DrawFn, size: int) -> tuple[int, int]:
    start = draw(st.integers(0, size - 1))
    return start, draw(st.integers(start + 1, size))


@given(pair=related(), k=st.integers(1, 9), data=st.data())
def test_every_match_is_counted_in_its_pixel(pair: tuple[Sequence, Sequence], k: int, data: st.DataObject) -> None:
    first, second = pair
    found = matches(first.letters.decode(), second.letters.decode(), k, first.type == DNA)
    index = dotplot.build_word_index(first, second, k)
    rows, columns = data.draw(spans(len(first) + 1)), data.draw(spans(len(second) + 1))
    shape = data.draw(st.integers(1, rows[1] - rows[0])), data.draw(st.integers(1, columns[1] - columns[0]))
    shown = dotplot.count_density(index, rows, columns, shape)
    for image, strand in ((shown.forward, False), (shown.reverse, True)):
        cells = counted(found, k, (len(first), len(second)), strand)[slice(*rows), slice(*columns)]
        np.testing.assert_array_equal(image, pooled(cells, shape))
    assert shown.thinned == 0
    assert index.nbytes <= dotplot_sizes.index_bytes(first, second)


@given(pair=related(), k=st.integers(1, 9), data=st.data())
def test_runs_are_the_matches_of_a_window(pair: tuple[Sequence, Sequence], k: int, data: st.DataObject) -> None:
    first, second = pair
    rows, columns = data.draw(spans(len(first) + 1)), data.draw(spans(len(second) + 1))
    runs = dotplot.find_match_runs(dotplot.build_word_index(first, second, k), rows, columns, 10_000)
    assert runs is not None
    found = set()
    for i, j, length, reverse in zip(runs.first, runs.second, runs.lengths, runs.reverse, strict=True):
        assert length >= k
        for step in range(length - k + 1):
            match = int(i) + step, int(j) + (int(length) - k - step if reverse else step), bool(reverse)
            assert match not in found
            found.add(match)
    every = matches(first.letters.decode(), second.letters.decode(), k, first.type == DNA)
    touching = {
        (i, j, reverse)
        for i, j, reverse in every
        if i + 1 < rows[1] and i + k >= rows[0] and j + 1 < columns[1] and j + k >= columns[0]
    }
    assert touching <= found <= set(every)


def test_runs_end_where_letters_differ() -> None:
    first, second = sequence("AACCGGTACGAT"), sequence("TTACCGGTACGCC")
    runs = dotplot.find_match_runs(dotplot.build_word_index(first, second, 6), (0, 13), (0, 14), 100)
    assert runs is not None
    forward = ~runs.reverse
    assert runs.first[forward].tolist() == [1]
    assert runs.second[forward].tolist() == [2]
    assert runs.lengths[forward].tolist() == [9]


def test_a_window_with_too_many_runs_has_none() -> None:
    index = dotplot.build_word_index(sequence("ACGT" * 30), sequence("ACGT" * 30), 4)
    assert dotplot.find_match_runs(index, (0, 121), (0, 121), 10) is None


def test_rna_matches_dna_and_unknown_letters_match_nothing() -> None:
    index = dotplot.build_word_index(sequence("ACGUACGU", kind=SequenceType.RNA), sequence("ACGTACGT"), 8)
    assert dotplot.count_density(index, (0, 9), (0, 9), (1, 1)).forward.sum() == 1
    index = dotplot.build_word_index(sequence("N" * 20), sequence("N" * 20), 3)
    assert not dotplot.count_density(index, (0, 21), (0, 21), (1, 1)).forward.any()


def test_sequences_shorter_than_a_word_match_nothing() -> None:
    index = dotplot.build_word_index(sequence("ACG"), sequence("ACGACGACG"), 5)
    shown = dotplot.count_density(index, (0, 4), (0, 10), (4, 10))
    assert not shown.forward.any() and not shown.reverse.any()
    runs = dotplot.find_match_runs(index, (0, 4), (0, 10), 10)
    assert runs is not None and runs.first.size == 0


@pytest.mark.parametrize("swapped", [False, True])
def test_words_that_are_everywhere_are_thinned_and_that_is_said(monkeypatch: pytest.MonkeyPatch, swapped: bool) -> None:
    monkeypatch.setattr(dotplot, "MOST_LOOKUPS", 10_000)
    random = np.random.default_rng(2)
    rare = "".join(random.choice(list("ACGT"), 300))
    first, second = sequence(rare + "A" * 500), sequence("A" * 600 + rare)
    if swapped:
        first, second = second, first
    rows, columns = (0, len(first) + 1), (0, len(second) + 1)
    index = dotplot.build_word_index(first, second, 12)
    shown = dotplot.count_density(index, rows, columns, (400, 400))
    assert 580 <= shown.thinned <= 600
    assert shown.most_places == 10_000 // 889
    cells = dotplot.count_density(index, rows, columns, (rows[1], columns[1])).forward
    assert cells.sum() <= (shown.most_places + 1) * 900
    kept = np.count_nonzero(np.diagonal(cells, 600 if not swapped else -600))
    assert kept >= 285  # of 289; the others share a bucket with the words that are everywhere
    inside = dotplot.count_density(index, (310, 330), (10, 30), (20, 20)) if not swapped else None
    if inside is not None:
        assert inside.thinned == 0
        assert inside.forward.all()


def test_of_a_very_long_sequence_not_every_word_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    letters = "".join(np.random.default_rng(3).choice(list("ACGT"), 1000))
    one = sequence(letters)
    whole = dotplot_sizes.index_bytes(one, one)
    monkeypatch.setattr(dotplot_sizes, "MOST_INDEXED", 300)
    index = dotplot.build_word_index(one, one, 14)
    assert index.step == 4
    assert index.nbytes <= dotplot_sizes.index_bytes(one, one) < whole
    shown = dotplot.count_density(index, (0, 1001), (0, 1001), (10, 10))
    assert shown.forward.sum() == np.trace(shown.forward) == 247
    runs = dotplot.find_match_runs(index, (0, 1001), (0, 1001), 10)
    assert runs is not None and runs.lengths.tolist() == [1000]


@pytest.mark.parametrize("k", [0, 65])
def test_impossible_words_are_refused(k: int) -> None:
    with pytest.raises(ParameterError, match="from 1 to 64"):
        dotplot.build_word_index(sequence("ACGT"), sequence("ACGT"), k)


def test_the_automatic_k_grows_with_the_pair() -> None:
    def of(letters: int, kind: SequenceType = DNA) -> int:
        one = sequence("A" * letters, kind=kind)
        return dotplot_sizes.choose_word_length(one, one)

    found = [of(letters) for letters in (1, 10, 100, 10_000, 1_000_000)]
    assert found == sorted(found)
    assert found[0] == dotplot_sizes.LEAST_K
    assert found[-1] == 16
    assert of(10_000, PROTEIN) < of(10_000)


def test_progress_is_told_and_a_wish_to_cancel_heard() -> None:
    told: list[tuple[int, int]] = []
    first, second = sequence("ACGTTGCA" * 40), sequence("ACGTTGCA" * 50)
    index = dotplot.build_word_index(first, second, 4, Monitor(lambda done, total, phase: told.append((done, total))))
    dotplot.count_density(
        index, (0, 321), (0, 401), (50, 50), Monitor(lambda done, total, _: told.append((done, total)))
    )
    assert told[-1][0] == told[-1][1] > 0
    cancelled = Monitor()
    cancelled.cancel()
    with pytest.raises(Cancelled):
        dotplot.build_word_index(first, second, 4, cancelled)
    with pytest.raises(Cancelled):
        dotplot.count_density(index, (0, 321), (0, 401), (50, 50), cancelled)


def test_two_strains_of_helicobacter(real_data) -> None:
    first, second = (
        sequences.read_sequences(real_data / "dna" / f"H_pylori{name}_Eslice.fasta.gz")[0] for name in ("26695", "J99")
    )
    k = dotplot_sizes.choose_word_length(first, second)
    index = dotplot.build_word_index(first, second, k)
    assert index.nbytes < 4_000_000
    rows, columns = (0, len(first) + 1), (0, len(second) + 1)
    shown = dotplot.count_density(index, rows, columns, (100, 100))
    assert shown.thinned == 0
    near = np.abs(np.subtract.outer(np.arange(100), np.arange(100))) <= 12
    assert shown.forward[near].sum() > 0.95 * shown.forward.sum()
    i, j = 100_000, int(shown.forward[36].argmax() * columns[1] / 100)
    text, other = first.letters.decode(), second.letters.decode()
    window = (i, i + 1000), (max(j - 3000, 0), j + 3000)
    runs = dotplot.find_match_runs(index, *window, 10_000)
    assert runs is not None and runs.first.size > 0
    for a, b, length, reverse in zip(runs.first, runs.second, runs.lengths, runs.reverse, strict=True):
        piece = other[b : b + length]
        assert text[a : a + length] == (reverse_complement(piece) if reverse else piece)


def test_two_genomes_of_chlamydia(real_data) -> None:
    folder = real_data / "dna"
    first, second = (sequences.read_sequences(path)[0] for path in sorted(folder.glob("chlamydia_*.fna.gz")))
    index = dotplot.build_word_index(first, second, dotplot_sizes.choose_word_length(first, second))
    shown = dotplot.count_density(index, (0, len(first) + 1), (0, len(second) + 1), (200, 200))
    assert np.trace(shown.forward) > 0.9 * len(first)
    assert index.nbytes < 11_000_000
