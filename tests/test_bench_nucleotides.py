"""Nucleotides that evolve along a tree, and the benchmark that aligns them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from antidiag.kernels.io.aligned_sequences import GAP
from bench import nucleotides, programs
from bench.evolution import Evolution, draw_tree, evolve_family

SMALL = Evolution(taxa=6, length=80, depth=0.3)


@pytest.mark.parametrize("model", [SMALL, replace(SMALL, zipf=0, indels=0.4), replace(SMALL, depth=2.0, indels=0.0)])
def test_rows_without_gaps_are_the_sequences_and_no_column_is_of_gaps_alone(model: Evolution) -> None:
    sequences, right = evolve_family(model, 3)
    assert len(sequences) == 6 and right.names == tuple(one.name for one in sequences)
    for row, one in zip(right.letters, sequences, strict=True):
        assert row[row != GAP].tobytes() == one.letters
    assert (right.letters != GAP).any(axis=0).all()
    if not model.indels:
        assert right.letters.shape == (6, 80)


def test_a_seed_makes_one_family() -> None:
    (one, _), (other, _), (third, _) = evolve_family(SMALL, 1), evolve_family(SMALL, 1), evolve_family(SMALL, 2)
    assert one == other != third


def test_rates_are_those_of_one_substitution_a_unit_of_time() -> None:
    Q, shares = SMALL.substitution_rates, np.array(SMALL.frequencies)
    np.testing.assert_allclose(Q.sum(axis=1), 0, atol=1e-12)
    np.testing.assert_allclose(shares @ Q, 0, atol=1e-12)
    assert -(shares @ np.diag(Q)) == pytest.approx(1)
    assert Q[0, 2] / shares[2] == pytest.approx(SMALL.kappa * Q[0, 1] / shares[1])


def test_letters_differ_as_often_as_the_model_says() -> None:
    """Two leaves of one branching without gaps: for equal rates of sites a share that the rates give."""
    model = Evolution(taxa=2, length=20_000, depth=0.3, alpha=1e6, indels=0.0)
    way = sum(branch.length for branch in draw_tree(model, _after_the_root(model, 5)))
    _, right = evolve_family(model, 5)
    values, vectors = np.linalg.eig(model.substitution_rates)
    chances = (vectors * np.exp(values * way)) @ np.linalg.inv(vectors)
    expected = 1 - float(np.array(model.frequencies) @ np.diag(chances.real))
    assert (right.letters[0] != right.letters[1]).mean() == pytest.approx(expected, abs=0.015)


def _after_the_root(model: Evolution, seed: int) -> np.random.Generator:
    """The random numbers that are left for the tree of a family."""
    random = np.random.default_rng(seed)
    random.gamma(model.alpha, 1 / model.alpha, model.length)
    random.choice(4, model.length, p=model.frequencies)
    return random


def test_lengths_follow_zipf() -> None:
    drawn = SMALL.draw_indel_lengths(np.random.default_rng(1), 50_000)
    assert drawn.min() == 1 and drawn.max() <= SMALL.longest
    ones, twos = (int((drawn == length).sum()) for length in (1, 2))
    assert ones / twos == pytest.approx(2**SMALL.zipf, rel=0.05)


def test_the_benchmark_tells_scores_beside_programs_that_are_there(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(nucleotides, "GROUPS", {"some": SMALL})
    monkeypatch.setattr(nucleotides, "PROGRAMS", (
        programs.Program("copy", ("cp", "INPUT", "OUTPUT")), programs.Program("none", ("not-a-program",))
    ))  # fmt: skip
    monkeypatch.setattr(programs.Program, "time_alignment", lambda *_: (evolve_family(SMALL, 1)[1], 1.0))
    told: list[str] = []
    assert nucleotides.main(["--families", "1", "--threads", "1"], told.append) == 0
    text = "\n".join(told)
    assert "not-a-program is not installed" in text and "| copy | 1.000 / 1.000 | 1.000 / 1.000 |" in text
    assert "| this run | 0." in text and "msa: " in text
