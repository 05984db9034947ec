"""Axes: what a person writes, and what becomes of it."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from antidiag.kernels import registry
from antidiag.kernels.errors import ParameterError
from antidiag.kernels.experiments.sweeps import sweep_axes
from antidiag.kernels.experiments.sweeps.sweep import Sweep

METHODS = [registry.find_method("chunked-alignment-1")]
WIDTHS = "a multiple of 32 between 32 and 2048, or any whole number with mapping=published"


@pytest.mark.parametrize(
    ("text", "role", "values", "logarithmic"),
    [
        ("s=32:1024:*2", "parameter", (32, 64, 128, 256, 512, 1024), True),
        ("s=32:256:32", "parameter", (32, 64, 96, 128, 160, 192, 224, 256), False),
        ("s=32:128", "parameter", (32, 64, 96, 128), False),
        ("h=64,128,256", "parameter", (64, 128, 256), False),
        ("h=16,64,256", "parameter", (16, 64, 256), True),
        ("s=auto,64", "parameter", (None, 64), False),
        ("s=64:300:*2", "parameter", (64, 128, 256), True),
        ("s=32:100:*1.5", "parameter", (32, 64), True),
        ("gap_open=0:10:2.5", "option", (0.0, 2.5, 5.0, 7.5, 10.0), False),
        ("mode=local,global", "option", ("local", "global"), False),
        ("length=1000:100000:*10", "input", (1000, 10_000, 100_000), True),
        ("length=5103x7168,10206x14336", "input", ((5103, 7168), (10206, 14336)), False),
        ("divergence=0,0.25,0.5", "input", (0.0, 0.25, 0.5), False),
        ("count=2:8:*2", "input", (2, 4, 8), True),
        ("backend=cpu,cuda", "backend", ("cpu", "cuda"), False),
        ("device=0,1", "device", (0, 1), False),
        ("method=striped-score, parasail-score-32", "method", ("striped-score", "parasail-score-32"), False),
        (" T = 8:32:8 ", "parameter", (8, 16, 24, 32), False),
    ],
)
def test_what_is_written_is_what_varies(text, role, values, logarithmic):
    axis = sweep_axes.parse_axis(text, METHODS)
    assert (axis.role, axis.values, axis.logarithmic) == (role, values, logarithmic)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("s", "axis must be NAME=VALUES"),
        ("=1", "axis must be NAME=VALUES"),
        ("s=", "axis must be NAME=VALUES"),
        ("q=1", "unknown axis 'q'; known axes: s, h"),
        (
            "s=31",
            f"s must be auto or {WIDTHS} (columns)",
        ),
        (
            "s=32:4096:*2",
            f"s must be {WIDTHS}; got 4096",
        ),
        (
            "s=7:9",
            f"means s = 7 (by 32, the step of s), but s must be {WIDTHS}; got 7",
        ),
        (
            "s=40:300:*2",
            "axis 's=40:300:*2' means s = 40, 80, 160, but s must be a multiple of 32",
        ),
        (
            "s=512:5000:512",
            "means s = 512, 1024, 1536, 2048, 2560, ..., 4608, but s must be a multiple",
        ),
        (
            "divergence=0:2:0.5",
            "means divergence = 0, 0.5, 1, 1.5, 2, but divergence must be a number between 0",
        ),
        ("s=64,64", "has a value twice"),
        ("s=128:64:32", "starts at 128 and ends before it, at 64"),
        ("s=32:64:0", "the step must be above 0"),
        ("s=32:64:*1", "a factor above 1"),
        ("length=0:64:*2", "a start above 0"),
        ("s=32:x:32", "'x' is not a number"),
        ("s=32:nan:32", "'nan' is not a number"),
        ("s=1:2:3:4", "a range must be START:STOP:*FACTOR"),
        ("mode=local:global", "give mode a list of values, one of local, global, overlap, query-in-target, custom, no"),
        ("length=1:1000000", "at most 10,000"),
        ("backend=abacus", "one of auto, cpu, cuda"),
        ("length=0", "length must be a whole number of at least 1; got 0"),
        ("length=auto", "length must be a whole number of at least 1; got 'auto'"),
        ("length=1000,auto", "length must be a whole number of at least 1; got 'auto'"),
        ("divergence=nan", "divergence must be a number between 0 and 1; got nan"),
        ("divergence=2", "between 0 and 1"),
    ],
)
def test_what_is_wrong_is_said(text, said):
    with pytest.raises(ParameterError, match=r".*") as error:
        sweep_axes.parse_axis(text, METHODS)
    assert said in str(error.value)


def test_every_declared_name_is_an_axis():
    method = METHODS[0]
    names = sweep_axes.axis_names(METHODS)
    declared = [parameter.name for parameter in (*method.parameters.declared(), *method.problem_type.options)]
    assert set(declared) | {"length", "divergence", "backend", "device", "method"} == set(names)
    assert all(sweep_axes.find_axis(name, METHODS)[1].name == name for name in names if name != "method")


@pytest.mark.parametrize(("method", "names"), [
    ("striped-score", ["length", "divergence"]),
    ("sloped", ["length", "divergence"]),
    ("distance-6mer", ["length", "count", "divergence"]),
    ("distance-alignment", []),
    ("nj-pruned", ["length"]),
    ("floyd-blocked", ["length"]),
    ("viterbi-tree", ["length"]),
    ("hmm-baum-welch", ["length", "count", "divergence"]),
    ("nussinov", ["length"]),
    ("matrix-chain", []),
])  # fmt: skip
def test_only_what_changes_the_input_can_vary(method, names):
    assert [
        name
        for name in sweep_axes.axis_names([registry.find_method(method)])
        if name in ("length", "count", "divergence")
    ] == names
    for wrong in {"length", "count", "divergence"}.difference(names):
        axis = sweep_axes.parse_axis(f"{wrong}=1", [registry.find_method(method)])
        with pytest.raises(ParameterError, match=f"{wrong} cannot vary"):
            Sweep((method,), axes=(axis,)).make_tasks()


@given(st.integers(1, 50), st.integers(1, 5000), st.sampled_from((1.3, 2, 3, 10)))
def test_a_range_by_a_factor_stays_inside_and_grows(start, span, factor):
    axis = sweep_axes.parse_axis(f"length={start}:{start + span}:*{factor}", METHODS)
    assert axis.values[0] == start
    assert axis.values[-1] <= start + span < axis.values[-1] * factor * (1 + 1 / start)
    assert list(axis.values) == sorted(set(axis.values))
