"""Loops over very many records give way to the window, whatever the user chooses for them."""

from __future__ import annotations

import random
import sys
from types import ModuleType

import pytest

from antidiag.kernels import gui_priority
from antidiag.kernels.model import Sequence, SequenceType

TURNS = 10
MOST = 3 * gui_priority.TURN_SIZE
"""Records that are touched before a loop gives way: as many as one turn has, and three times as many where each is
touched three times."""


class Records:
    """Records that count how often they are touched between two times at which somebody gives way."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.touched = self.most = 0
        own, kept = self, gui_priority.yield_gil

        class Touched(Sequence):
            def __getattribute__(self, name: str):
                if name in Sequence.__dataclass_fields__:
                    own.touched += 1
                    own.most = max(own.most, own.touched)
                return super().__getattribute__(name)

        for module in list(sys.modules.values()):
            if isinstance(module, ModuleType) and module.__dict__.get("yield_gil") is kept:
                monkeypatch.setattr(module, "yield_gil", self.yield_gil)
        draw = random.Random(1)
        kinds = [bytes(draw.choices(b"ACDEFGHIKLMNPQRSTVWY", k=20)) for _ in range(50)]
        count = TURNS * gui_priority.TURN_SIZE
        self.all = tuple(
            Touched(f"record {number}", draw.choice(kinds), SequenceType.PROTEIN) for number in range(count)
        )
        self.touched = self.most = 0

    def yield_gil(self) -> None:
        self.touched = 0


def test_a_loop_that_does_not_give_way_is_found(monkeypatch) -> None:
    records = Records(monkeypatch)
    assert sum(len(record) for record in gui_priority.iterate_yielding(records.all)) and records.most <= MOST
    assert sum(len(record) for record in records.all) and records.most > MOST
