"""Many pairs aligned together, for ``align_many``: batches of pairs, each one run, and an answer for every pair."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any

from antidiag.interface.answers import PairAlignment
from antidiag.interface.runs import run_method
from antidiag.kernels import registry
from antidiag.kernels.batch_runs.pair_streams import LetterPair
from antidiag.kernels.model import Result
from antidiag.kernels.pairwise.batch.model import RECORDS
from antidiag.kernels.pairwise.model import PairAnswer, PairProblem

ALIGNMENT, SCORE = "batch-alignment", "batch-score"
RUN_SETTINGS = {"backend", "device", "progress"}


def accepts_settings(method: str | None, settings: Mapping[str, Any]) -> bool:
    """Return whether a method computes batches with these settings."""
    if method not in (None, ALIGNMENT, SCORE):
        return False
    of_batches = registry.find_method(method or ALIGNMENT)
    options = {option.name for option in of_batches.problem_type.options} - {"pairing", "queries"}
    return settings.keys() <= options | of_batches.parameters.names() | RUN_SETTINGS


def align_batch(
    pairs: Sequence[LetterPair], method: str | None, settings: Mapping[str, Any]
) -> Iterator[PairAlignment]:
    """Yield the answer of each pair; all are computed in one run."""
    chosen = method or ALIGNMENT
    own = dict(settings)
    place = {name: own.pop(name) for name in RUN_SETTINGS & own.keys()}
    data = [dataclasses.replace(sequence, source="") for side in zip(*pairs, strict=True) for sequence in side]
    result = run_method(
        registry.find_method(chosen),
        data,
        place.get("backend", "auto"),
        place.get("device", 0),
        place.get("progress", False),
        {**own, "pairing": RECORDS},
    )
    for number in range(len(pairs)):
        yield BatchedPair(result, number, pairs[number])


class BatchedPair(PairAlignment):
    """The best alignment of a pair that was computed in a batch.

    Attributes
    ----------
    batch : Result
        The run of all pairs of the batch.
    """

    def __init__(self, batch: Result, number: int, pair: LetterPair) -> None:
        self.batch, self._number, self._pair = batch, number, pair

    @cached_property
    def problem(self) -> PairProblem:
        """Both sequences, the scoring and the mode, on the better strand."""
        found = self.batch.answer.settled_pair(self.batch.problem, self._number)
        return dataclasses.replace(found, first=self._pair[0], second=self._pair[1])

    @cached_property
    def answer(self) -> PairAnswer:
        """Score, end and alignment in the units of the method."""
        return self.batch.answer.pair_answer(self._number)

    @cached_property
    def result(self) -> Result:  # type: ignore[override] # made when it is asked for
        """The run of the batch with the problem and the answer of this pair alone; its times are those of all pairs."""
        problem, answer = self.batch.problem, self.batch.answer
        alone = dataclasses.replace(problem, sequences=self._pair)
        others = problem.pair_count - 1
        note = f"computed together with {others:,} other pairs; the times are those of all"
        return dataclasses.replace(
            self.batch, problem=alone, answer=answer.select_pair(self._number), notes=(*self.batch.notes, note)
        )
