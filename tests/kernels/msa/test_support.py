"""Posteriors of two rows of an alignment, and which third rows support them."""

from __future__ import annotations

import numpy as np
import pytest

from antidiag.kernels.errors import InputError
from antidiag.kernels.io.aligned_sequences import AlignedSequences
from antidiag.kernels.model import SequenceType
from antidiag.kernels.monitor import Monitor
from antidiag.kernels.msa.consistency import pair_support, pair_support_table, reference
from antidiag.kernels.msa.consistency.pair_support import PairSupport
from antidiag.kernels.msa.consistency.posteriors import cpu_stages, pair_models

ROWS = (
    "MKTAYIAKQRQISFVKSHF--SRQ",
    "MKTA--AKQRQISFVKSWFAASRQ",
    "MKTAYIAKQRQLSFVRSHF--SR-",
    "------------------------",
    "PPPPPPGGGGGG------------",
)


def alignment(*rows: str) -> AlignedSequences:
    letters = np.frombuffer("".join(rows).encode(), np.uint8).reshape(len(rows), -1)
    return AlignedSequences(tuple(f"s{k}" for k in range(len(rows))), letters, SequenceType.PROTEIN)


@pytest.fixture(scope="module")
def found() -> PairSupport:
    return pair_support.compute_pair_support(alignment(*ROWS), 0, 1, Monitor(), threads=1)


def kept(first: str, second: str) -> np.ndarray:
    """Posteriors by the textbook, without those that are dropped."""
    x, y = (pair_models.encode_letters(row.replace("-", "").encode(), True) for row in (first, second))
    whole = np.rint(65536 * reference.compute_posteriors(x, y, pair_models.make_protein_models())) / 65536
    return np.where(whole >= cpu_stages.CUT / 65536, whole, 0)


def test_posteriors_of_the_two_rows_are_those_of_the_textbook(found: PairSupport) -> None:
    np.testing.assert_allclose(found.before, kept(ROWS[0], ROWS[1]), rtol=0, atol=2 / 65536)
    assert found.thirds.tolist() == [2, 4], "a row without letters supports nothing"


def test_a_third_row_supports_what_it_leads_to(found: PairSupport) -> None:
    products = [kept(ROWS[0], ROWS[z]) @ kept(ROWS[z], ROWS[1]) for z in (2, 4)]
    np.testing.assert_allclose(found.after, (6 * found.before + sum(products)) / 8, rtol=0, atol=1e-4)
    first, second = found.pairs
    assert [found.columns[0][i] for i in first] == [found.columns[1][j] for j in second]
    np.testing.assert_allclose(found.score_thirds(first, second), [one[first, second] for one in products], atol=1e-4)
    assert found.mean_support[0] > 0.8 > 0.2 > found.mean_support[1]


def test_the_table_has_all_that_is_kept(found: PairSupport) -> None:
    told = list(pair_support_table.list_entries(alignment(*ROWS), found))
    assert len(told) == int((np.maximum(found.before, found.after) >= cpu_stages.CUT / 65536).sum())
    first = next(one for one in told if one[:2] == (1, 1))
    assert first[2:4] == (1, 1) and first[6] and first[7] == "s2"
    assert pair_support_table.list_supporters(alignment(*ROWS), found)[0][0] == "s2"


def test_two_rows_alone_have_no_third() -> None:
    found = pair_support.compute_pair_support(alignment(*ROWS[:2]), 1, 0, Monitor(), threads=1)
    assert found.thirds.size == 0 and found.mean_support.size == 0
    np.testing.assert_array_equal(found.after, found.before)


@pytest.mark.parametrize(("first", "second", "said"), [(0, 0, "two different rows"), (0, 3, "no letters")])
def test_what_has_no_posteriors_is_refused(first: int, second: int, said: str) -> None:
    with pytest.raises(InputError, match=said):
        pair_support.compute_pair_support(alignment(*ROWS), first, second, Monitor())


def test_too_many_pairs_of_letters_are_refused() -> None:
    with pytest.raises(InputError, match="6,000 x 6,000"):
        pair_support.compute_pair_support(alignment(6000 * "M", 6000 * "M"), 0, 1, Monitor())
