"""The store of a run: parts in order, written behind its back, and never a reason to stop."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest

from antidiag.kernels.errors import Cancelled
from antidiag.kernels.recovery.checkpoint_store import CheckpointWriter

Make = Callable[..., CheckpointWriter]


@pytest.fixture
def make(tmp_path: Path) -> Iterator[Make]:
    """Opens stores on one folder, one after the other, as runs of one problem do."""
    made: list[CheckpointWriter] = []

    def store(begin: Callable[[], None] = lambda: None, patience_s: float = 0.0) -> CheckpointWriter:
        made.append(CheckpointWriter(tmp_path, begin, patience_s))
        return made[-1]

    yield store
    for one in made:
        one.close()


def save(store: CheckpointWriter, *numbers: int) -> None:
    for number in numbers:
        store.save({"number": number}, {"values": np.full(3, number)}, number / 10).result()


def taken_over(store: CheckpointWriter) -> list[int]:
    return [part.facts["number"] for part in store.parts()]


def test_parts_come_back_in_order_and_more_follow(make: Make) -> None:
    first = make()
    assert taken_over(first) == []
    save(first, 1, 2, 3)
    assert first.fraction == 0.3
    second = make()
    assert taken_over(second) == [1, 2, 3]
    assert second.fraction == 0.3
    save(second, 4)
    np.testing.assert_array_equal(second.saved(3).arrays["values"], np.full(3, 4))
    assert taken_over(make()) == [1, 2, 3, 4]


@pytest.mark.parametrize("harm", ["missing", "torn"])
def test_what_lies_behind_damage_is_left(make: Make, tmp_path: Path, harm: str) -> None:
    save(make(), 1, 2, 3)
    damaged = tmp_path / "part-000001"
    if harm == "missing":
        damaged.unlink()
    else:
        damaged.write_bytes(damaged.read_bytes()[:-1])
    store = make()
    assert taken_over(store) == [1]
    assert store.fraction == 0.1
    assert os.listdir(tmp_path) == ["part-000000"]
    save(store, 7)
    assert taken_over(make()) == [1, 7]


def test_a_short_run_leaves_the_disk_alone(make: Make) -> None:
    assert not make(patience_s=3600).is_save_due
    assert make().is_save_due


def test_nothing_is_due_while_a_part_is_written(make: Make) -> None:
    store, release = make(), threading.Event()
    future = store.save({}, {}, 0.5, release.wait)
    assert not store.is_save_due
    release.set()
    future.result()
    assert store.is_save_due


def test_a_disk_that_fails_is_said_and_stops_nothing(make: Make, tmp_path: Path) -> None:
    def refuse() -> None:
        raise OSError(28, "No space left on device")

    store = make(refuse)
    save(store, 1)
    assert "No space left" in store.failure
    assert str(tmp_path) in store.failure
    assert not store.is_save_due
    assert store.fraction == 0
    assert os.listdir(tmp_path) == []


def test_the_folder_is_begun_once_and_only_with_a_part(make: Make) -> None:
    begun: list[None] = []
    store = make(lambda: begun.append(None))
    assert not begun
    save(store, 1, 2)
    assert len(begun) == 1


def test_waiting_can_be_cancelled(make: Make) -> None:
    store, release = make(), threading.Event()

    def cancelled() -> None:
        raise Cancelled

    future = store.save({}, {}, 0.5, release.wait)
    with pytest.raises(Cancelled):
        store.wait(cancelled, future)
    release.set()
    store.wait(lambda: None, future)


def test_close_gives_up_what_waits_to_be_written(make: Make, tmp_path: Path) -> None:
    store, release = make(), threading.Event()
    futures = [store.save({"number": number}, {}, 0.5, release.wait) for number in range(2)]
    closing = threading.Thread(target=store.close)
    closing.start()
    while not store._closing:
        pass
    release.set()
    closing.join()
    assert all(future.done() for future in futures)
    assert os.listdir(tmp_path) == []
