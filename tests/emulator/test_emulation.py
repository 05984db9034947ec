"""The emulated device comes and goes without a trace."""

from __future__ import annotations

import sys

import pytest

from kernels.cuda import devices
from tests.emulator import build
from tests.emulator.emulated import emulation

pytestmark = pytest.mark.skipif(bool(build.why_not()), reason=build.why_not())


def test_afterwards_everything_is_as_it_was():
    names = ("cupy", "kernels.pairwise.cuda_job", "kernels.pairwise.cuda")
    before = {name: sys.modules.get(name) for name in names}
    with emulation():
        import kernels.pairwise.cuda as inside

        assert inside.cuda_job.cupy is sys.modules["cupy"] is not before["cupy"]
    assert {name: sys.modules.get(name) for name in names} == before


def test_the_devices_are_those_that_were_there():
    before = devices.discover()
    with emulation():
        assert devices.discover() != before
    assert devices.discover() == before
