"""Numbers looked up in a register are those of the table."""

from __future__ import annotations

import numpy as np
import pytest
from numba.extending import intrinsic

from antidiag.kernels.cpu import lane_moves, simd, table_lookup
from antidiag.kernels.cpu.jit import cached_njit

pytestmark = pytest.mark.skipif(not table_lookup.HAS_LOOKUP, reason="this processor looks nothing up in a register")


@intrinsic
def looked_up_by_bytes(typing, table, indices):
    """As ``look_up`` on a processor without AVX-512BW."""

    def generate(context, builder, signature, arguments):
        return table_lookup._look_up_bytes(builder, *arguments)

    return simd.ShortLanes(simd.ShortLanes, simd.ShortLanes), generate


@cached_njit
def looked_up(table, indices, found):
    simd.store(found[0], 0, table_lookup.look_up_lanes(simd.load(table, 0), simd.load(indices, 0)))
    simd.store(found[1], 0, looked_up_by_bytes(simd.load(table, 0), simd.load(indices, 0)))


@cached_njit
def last(source):
    return lane_moves.last_lane(simd.load(source, 1))


def test_every_entry_is_found_in_every_lane() -> None:
    random, found = np.random.default_rng(1), np.empty((2, 32), np.int16)
    tables = [random.integers(-128, 128, 32).astype(np.int16) for _ in range(5)]
    for table in (*tables, np.full(32, -128, np.int16), np.full(32, 127, np.int16)):
        for turn in range(32):
            indices = np.roll(np.arange(32, dtype=np.int16), turn)
            looked_up(table, indices, found)
            np.testing.assert_array_equal(found, [table[indices]] * 2)


@pytest.mark.parametrize(("dtype", "lanes"), [(np.int16, 32), (np.int32, 16)])
def test_the_last_lane_is_that_of_the_vector(dtype: type, lanes: int) -> None:
    assert last(np.arange(-20, 20, dtype=dtype)) == lanes - 20
