"""Products that are made while factors arrive and rows leave are the definition's, however they are cut."""

from __future__ import annotations

import threading
from itertools import pairwise

import numpy as np
import pytest

from antidiag.kernels import semiring as algebra
from antidiag.kernels.errors import Cancelled
from antidiag.kernels.monitor import Monitor
from antidiag.kernels.semiring import reference as products
from antidiag.kernels.steps import Steps
from tests.kernels.semiring.test_algebra import matrix, same

MADE = (
    (algebra.MIN_PLUS, np.float32),
    (algebra.MIN_PLUS, np.int32),
    (algebra.MAX_PLUS, np.float64),
    (algebra.MAX_PLUS, np.int32),
)


def factors(shape: tuple[int, int, int], semiring: algebra.Semiring, type: type) -> tuple[np.ndarray, np.ndarray]:
    (m, d, n), zero = shape, semiring.zero(type)
    return matrix((m, d), zero, type, 1), matrix((d, n), zero, type, 2)


def made(left, right, semiring=algebra.MIN_PLUS, monitor: Monitor | None = None):
    from antidiag.kernels.cuda.run import Run
    from antidiag.kernels.semiring import cuda_overlapped

    run = Run(monitor or Monitor(), Steps(), rows=len(left))
    return cuda_overlapped.product(left, right, semiring, run), run


@pytest.fixture
def small(emulated, monkeypatch):
    """Panels of one tile, then two, and a tile of rows at a time; threads take some rows."""
    from antidiag.kernels.semiring import cuda, cuda_overlapped

    monkeypatch.setattr(cuda_overlapped, "FIRST", 1)
    monkeypatch.setattr(cuda_overlapped, "MOST", 256)
    monkeypatch.setattr(cuda_overlapped, "BLOCKS", 0)
    monkeypatch.setattr(cuda_overlapped, "PART", 4096)
    monkeypatch.setattr(cuda_overlapped, "COPY", 16384)
    monkeypatch.setattr(cuda, "LAUNCH_CELLS", 1 << 16)
    return cuda_overlapped


@pytest.mark.parametrize(("semiring", "type"), MADE, ids=lambda value: getattr(value, "id", str(value)))
@pytest.mark.parametrize("shape", [(1, 1, 1), (130, 300, 70), (200, 129, 140)])
def test_it_is_the_definition(small, semiring, type, shape) -> None:
    left, right = factors(shape, semiring, type)
    for one in (left, right):
        one.setflags(write=False)
    found, run = made(left, right, semiring)
    same(found, products.product(left, right, semiring))
    assert set(run.times_ms) == {"compilation", "transfer", "product"} and min(run.times_ms.values()) >= 0


def test_as_one_panel_and_piece(emulated) -> None:
    left, right = factors((100, 90, 60), algebra.MIN_PLUS, np.float32)
    same(made(left, right)[0], products.product(left, right))


def test_factors_may_lie_otherwise(small) -> None:
    left, right = factors((90, 140, 30), algebra.MIN_PLUS, np.float64)
    turned = np.asfortranarray(left), right.astype(right.dtype.newbyteorder())
    same(made(*turned)[0], products.product(left, right))


def test_panels_grow_and_hold_all_columns(small, monkeypatch) -> None:
    monkeypatch.setattr(small, "FIRST", 256)
    monkeypatch.setattr(small, "MOST", 1024)
    assert small.cuts(4096, 128) == [0, 256, 512, 1024, 2048, 3072, 4096]
    for depth in (128, 384, 1024, 5120):
        cuts = small.cuts(depth, 128)
        widths = [after - first for first, after in pairwise(cuts)]
        assert cuts[0] == 0 and cuts[-1] == depth and widths == sorted(widths) and min(widths) > 0


def test_progress_rises_to_its_end_and_the_log_holds_all_of_it(small) -> None:
    told: list[tuple[int, int]] = []
    monitor = Monitor(lambda done, total, phase: told.append((done, total)))
    left, right = factors((300, 300, 40), algebra.MIN_PLUS, np.float32)
    _, run = made(left, right, monitor=monitor)
    assert told[-1] == (300, 300) and told == sorted(told)
    steps = run.steps.array()
    assert steps["column_start"][0] == 0 and steps["column_end"][-1] == 300
    assert (steps["column_end"][:-1] == steps["column_start"][1:]).all()


@pytest.mark.parametrize("looks", [1, 2, 4])
def test_cancelling_ends_the_threads(small, looks: int) -> None:
    """Whenever it is heard, and the next run is right."""

    class Asked(Monitor):
        def __init__(self) -> None:
            super().__init__()
            self.left = looks

        def check(self) -> None:
            self.left -= 1
            if self.left < 0:
                raise Cancelled

    left, right = factors((130, 300, 70), algebra.MIN_PLUS, np.float32)
    before = threading.active_count()
    with pytest.raises(Cancelled):
        made(left, right, monitor=Asked())
    assert threading.active_count() <= before
    same(made(left, right)[0], products.product(left, right))


def test_which_products_are_made_so(emulated, monkeypatch) -> None:
    from antidiag.kernels.semiring import cuda_overlapped

    left, right = (np.zeros(shape, np.float32) for shape in ((1024, 2048), (2048, 1024)))
    assert cuda_overlapped.suits(left, right)
    assert not cuda_overlapped.suits(left[:512], right[:, :1024])  # a product of 2 MiB
    assert not cuda_overlapped.suits(left[None], right[None])
    monkeypatch.setattr(cuda_overlapped, "host_bytes_free", lambda: 64 << 20)
    assert not cuda_overlapped.suits(left, right)
