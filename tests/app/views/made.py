"""Results of the tropical family from their definitions, for the tests of views."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import numpy as np

from antidiag.kernels.hmm.model.hmm import Hmm, make_hmm
from antidiag.kernels.model import Result, Sequence, SequenceType


def result(method: str, problem: Any, answer: Any) -> Result:
    """A result as a run of the method gives it."""
    return Result(method, problem, {}, "cpu", "a processor", answer, {"phase 1": 1.0}, 0, 0, datetime.now(UTC))


def nucleotides(letters: str, name: str = "molecule") -> Sequence:
    return Sequence(name, letters.encode(), SequenceType.DNA)


def two_states() -> Hmm:
    """State "rich" likes C and G, and is a feature; "poor" likes A and T."""
    return make_hmm(
        "two", ("rich", "poor"), "ACGT", [[0.9, 0.1], [0.1, 0.9]], [[0.05, 0.45, 0.45, 0.05], [0.45, 0.05, 0.05, 0.45]],
        [0.5, 0.5], labels=("island", ""),
    )  # fmt: skip


def mixed(length: int, seed: int = 1) -> str:
    """Letters with a rich stretch in the middle."""
    random = np.random.default_rng(seed)
    third = length // 3
    parts = [random.choice(list(letters), size) for letters, size in (("AT", third), ("CG", third), ("AT", third))]
    return "".join("".join(part) for part in parts)
