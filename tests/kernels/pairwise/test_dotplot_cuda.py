"""Dot plots by the GPU's device code equal the CPU's: emulated, and on a real GPU with sizes of its own."""

from __future__ import annotations

import numpy as np
import pytest
from Bio.Seq import reverse_complement
from hypothesis import given
from hypothesis import strategies as st

from antidiag.kernels.errors import Cancelled
from antidiag.kernels.model import Sequence, SequenceType
from antidiag.kernels.monitor import Monitor
from antidiag.kernels.pairwise.pictures import dotplot
from tests.example_counts import try_examples
from tests.kernels.pairwise.test_dotplot import related
from tests.problems import sequence


def assert_equal(first: Sequence, second: Sequence, k: int, windows: int, seed: int) -> None:
    """Index and windows are the same on both."""
    ours, expected = (dotplot.build_word_index(first, second, k, device=device) for device in (0, None))
    for of_ours, of_expected in zip(ours.index, expected.index, strict=True):
        np.testing.assert_array_equal(of_ours, of_expected)
    random = np.random.default_rng(seed)
    m, n = len(first) + 1, len(second) + 1
    for number in range(windows):
        rows, columns = (tuple(np.sort(random.choice(size, 2, False)).tolist()) for size in (m, n))
        rows, columns = ((0, m), (0, n)) if not number else (rows, columns)
        shape = tuple(int(random.integers(1, min(stop - start, 900) + 1)) for start, stop in (rows, columns))
        shown = [dotplot.count_density(one, rows, columns, shape) for one in (ours, expected)]
        for strand in ("forward", "reverse", "thinned", "most_places"):
            np.testing.assert_array_equal(*(getattr(one, strand) for one in shown))


@pytest.mark.usefixtures("emulated")
@try_examples(25)
@given(pair=related(), k=st.integers(1, 9), seed=st.integers(0, 99))
def test_emulated(pair: tuple[Sequence, Sequence], k: int, seed: int) -> None:
    assert_equal(*pair, k, 3, seed)


@pytest.mark.usefixtures("emulated")
def test_frequent_words_are_thinned_alike(monkeypatch: pytest.MonkeyPatch) -> None:
    """Words with more places than a warp has lanes, of which few are looked at, or all."""
    first, second = sequence("AC" * 90 + "GGT"), sequence("TT" + "AC" * 120)
    assert_equal(first, second, 4, 2, 1)
    monkeypatch.setattr(dotplot, "MOST_LOOKUPS", 12 * 240)
    assert_equal(first, second, 4, 2, 1)


@pytest.mark.usefixtures("emulated")
def test_looking_on_a_gpu_can_be_cancelled() -> None:
    monitor = Monitor()
    monitor.cancel()
    with pytest.raises(Cancelled):
        dotplot.build_word_index(sequence("ACGTAC"), sequence("GTAC"), 2, monitor, device=0)


@pytest.mark.gpu
@pytest.mark.parametrize("kind", [SequenceType.DNA, SequenceType.PROTEIN])
def test_on_a_gpu(kind: SequenceType, monkeypatch: pytest.MonkeyPatch) -> None:
    random = np.random.default_rng(3)
    letters = "ACGT" if kind == SequenceType.DNA else "ACDEFGHIKLMNPQRSTVWY"
    text = "".join(random.choice(list(letters), 60_000)) + letters[0] * 3000 + "N" * 10
    turned = reverse_complement(text) if kind == SequenceType.DNA else text[::-1]
    first = sequence(text[:50_000] + letters[:2] * 900, "first", kind)
    second = sequence(turned[5_000:40_000] + text[11_000:48_000], "second", kind)
    for k in (3, 11):
        assert_equal(first, second, k, 4, k)
    monkeypatch.setattr(dotplot, "MOST_LOOKUPS", 2**20)
    assert_equal(first, second, 3, 2, 1)
