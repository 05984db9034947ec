"""The executor of all GPUs of this machine: one worker process a card, which sees this card alone."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import replace

from antidiag.kernels.cuda import devices
from antidiag.kernels.errors import BackendUnavailable
from antidiag.kernels.executors.processes import VISIBLE, ProcessExecutor
from antidiag.kernels.executors.tasks import WorkerInfo


class GpusExecutor(ProcessExecutor):
    """Runs tasks in one process a GPU, one task at a time in each.

    Parameters
    ----------
    cards : sequence of int, optional
        Numbers of the GPUs; all by default. Raises BackendUnavailable if there is none.
    """

    kind = "gpus"

    def __init__(self, cards: Sequence[int] | None = None) -> None:
        if cards is None:
            found, reason = devices.discover_devices()
            if not found:
                raise BackendUnavailable(f"no GPU can be used: {reason}. Run without --on gpus")
            cards = [gpu.index for gpu in found]
        self._cards = tuple(cards)
        named = [one for one in os.environ.get(VISIBLE, "").split(",") if one]
        visible = [named[card] if card < len(named) else str(card) for card in self._cards]
        super().__init__(visible, [f"GPU {card}" for card in self._cards])

    def resources(self) -> tuple[WorkerInfo, ...]:
        """Return the process of each card, with the name of the card."""
        names = {gpu.index: gpu.name for gpu in devices.discover_devices()[0]}
        workers = zip(super().resources(), self._cards, strict=True)
        return tuple(replace(worker, gpus=(names[card],) if card in names else ()) for worker, card in workers)
