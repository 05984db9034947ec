"""Loops over very many records give way to the window, whatever the user chooses for them."""

from __future__ import annotations

import random
import sys
from types import ModuleType

import pytest

from antidiag.app.jobs.planning import Request, answer
from antidiag.kernels import courtesy, registry
from antidiag.kernels.method import Method
from antidiag.kernels.model import Sequence, SequenceType

TURNS = 10
MOST = 3 * courtesy.TURN
"""Records that are touched before a loop gives way: as many as one turn has, and three times as many where each is
touched three times."""
METHODS = [method for method in registry.METHODS if any(taken.maximum is None for taken in method.problem.inputs)]


class Records:
    """Records that count how often they are touched between two times at which somebody gives way."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.touched = self.most = 0
        own, kept = self, courtesy.give_way

        class Touched(Sequence):
            def __getattribute__(self, name: str):
                if name in Sequence.__dataclass_fields__:
                    own.touched += 1
                    own.most = max(own.most, own.touched)
                return super().__getattribute__(name)

        for module in list(sys.modules.values()):
            if isinstance(module, ModuleType) and module.__dict__.get("give_way") is kept:
                monkeypatch.setattr(module, "give_way", self.give_way)
        draw = random.Random(1)
        kinds = [bytes(draw.choices(b"ACDEFGHIKLMNPQRSTVWY", k=20)) for _ in range(50)]
        count = TURNS * courtesy.TURN
        self.all = tuple(
            Touched(f"record {number}", draw.choice(kinds), SequenceType.PROTEIN) for number in range(count)
        )
        self.touched = self.most = 0

    def give_way(self) -> None:
        self.touched = 0


def test_a_loop_that_does_not_give_way_is_found(monkeypatch) -> None:
    records = Records(monkeypatch)
    assert sum(len(record) for record in courtesy.in_turns(records.all)) and records.most <= MOST
    assert sum(len(record) for record in records.all) and records.most > MOST


@pytest.mark.parametrize("method", METHODS, ids=lambda method: method.id)
def test_what_a_method_costs_is_found_in_turns(monkeypatch, method: Method) -> None:
    records = Records(monkeypatch)
    found = answer(Request(method, records.all, {}, {}))
    assert found.plan is not None or found.error
    assert records.most <= MOST
