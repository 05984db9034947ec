"""Parameters: parsing, ranges, and the choice between given, automatic and default values."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import pytest

from antidiag.kernels.errors import ParameterError
from antidiag.kernels.parameters import MethodParameters, Parameter, parameter, resolve_values
from antidiag.kernels.semiring.thread_parameters import ThreadParameters

WIDTH = Parameter("s", "int", "Width", "", minimum=32, maximum=1024, step=32)
UNEVEN = Parameter("s", "int", "Width", "", minimum=32, maximum=2048, step=32, between_steps="with mapping=published")
COST = Parameter("gap_open", "float", "Open", "", default=5.0, minimum=0)
MODE = Parameter("mode", "choice", "Mode", "", default="local", choices=("local", "global"))
FLAG = Parameter("fast", "bool", "Fast", "", default=False)
TEXT = Parameter("matrix", "text", "Matrix", "", default="")


@pytest.mark.parametrize(
    ("parameter", "text", "value"),
    [
        (WIDTH, "64", 64),
        (WIDTH, "auto", None),
        (WIDTH, " Automatic ", None),
        (COST, "2.5", 2.5),
        (COST, "0", 0),
        (MODE, "global", "global"),
        (FLAG, "Yes", True),
        (FLAG, "off", False),
        (TEXT, "BLOSUM62", "BLOSUM62"),
        (TEXT, "auto", "auto"),
    ],
)
def test_parse(parameter, text, value):
    assert parameter.parse(text) == value


@pytest.mark.parametrize(
    ("parameter", "text"),
    [
        (WIDTH, "33"),
        (WIDTH, "0"),
        (WIDTH, "2048"),
        (WIDTH, "64.0"),
        (WIDTH, "wide"),
        (WIDTH, ""),
        (COST, "-1"),
        (COST, "nan"),
        (COST, "inf"),
        (COST, "auto"),
        (MODE, "Local"),
        (FLAG, "perhaps"),
    ],
)
def test_parse_refuses_and_says_what_is_expected(parameter, text):
    with pytest.raises(ParameterError) as error:
        parameter.parse(text)
    assert parameter.name in str(error.value) and parameter.describe_values() in str(error.value)


@pytest.mark.parametrize("value", [float("inf"), float("nan"), True, "64", 64.5])
def test_validate_refuses_what_is_no_whole_number(value):
    with pytest.raises(ParameterError, match="s must be auto or a multiple of 32"):
        WIDTH.validate(value)


def test_expected_names_range_and_step():
    assert WIDTH.describe_values() == "auto or a multiple of 32 between 32 and 1024"
    assert COST.describe_values() == "a number of at least 0"
    assert MODE.describe_values() == "one of local, global"


def test_given_goes_before_automatic_before_default():
    parameters = (WIDTH, COST)
    assert dict(resolve_values(parameters, {})) == {"s": None, "gap_open": 5.0}
    assert dict(resolve_values(parameters, {}, {"s": 128})) == {"s": 128, "gap_open": 5.0}
    assert dict(resolve_values(parameters, {"s": 64, "gap_open": 0}, {"s": 128})) == {"s": 64, "gap_open": 0}
    with pytest.raises(TypeError):
        resolve_values(parameters, {})["s"] = 1
    with pytest.raises(ParameterError, match="unknown parameter 'h'.*s, gap_open"):
        resolve_values(parameters, {"h": 1})


@dataclass(frozen=True, kw_only=True)
class Width(MethodParameters):
    """A parameter whose value is chosen for a run."""

    s: int = parameter("Width", "Columns.", minimum=32, maximum=1024, step=32, unit="columns")


@dataclass(frozen=True, kw_only=True)
class Strips(Width):
    """A choice and a number with defaults, of which the GPU uses one."""

    way: Literal["fast", "small"] = parameter("Way", "How.", default="fast", backends=("cpu",))
    scale: float = parameter("Scale", "Of all.", default=0.5, minimum=0)


@dataclass(frozen=True, kw_only=True)
class Narrow(Strips):
    """A range of its own."""

    s: int = parameter("Width", "Few columns.", minimum=8, maximum=64, step=8)


def test_declarations_follow_from_the_fields():
    assert Strips.declared() == (
        Parameter("s", "int", "Width", "Columns.", minimum=32, maximum=1024, step=32, unit="columns"),
        Parameter("way", "choice", "Way", "How.", default="fast", choices=("fast", "small"), backends=("cpu",)),
        Parameter("scale", "float", "Scale", "Of all.", default=0.5, minimum=0),
    )
    assert MethodParameters.declared() == ()
    assert [(one.name, one.maximum) for one in Narrow.declared()] == [("s", 64), ("way", None), ("scale", None)]
    assert Strips.names() == {"s", "way", "scale"}


def test_a_run_has_chosen_automatic_and_default_values():
    assert Strips.resolve({"scale": 1}, {"s": 64, "threads": 2}) == Strips(s=64, way="fast", scale=1)
    assert Strips.resolve({"s": None}, {"s": 64}).s == 64
    with pytest.raises(ParameterError, match="way must be one of fast, small"):
        Strips.resolve({"way": "none"}, {"s": 64})
    with pytest.raises(ParameterError, match="unknown parameter 'h'.*s, way, scale"):
        Strips.resolve({"h": 1}, {"s": 64})


def test_stored_values_are_completed_with_defaults():
    assert Strips.restore({"s": 64, "threads": 2}) == Strips(s=64)
    assert Strips.restore({"way": "small"}).as_mapping() == {"s": None, "way": "small", "scale": 0.5}


def test_values_by_name_and_for_a_backend():
    values = Strips(s=64).as_mapping()
    assert dict(values) == {"s": 64, "way": "fast", "scale": 0.5}
    assert Strips.select_used(values, "cuda") == {"s": 64, "scale": 0.5}
    with pytest.raises(TypeError):
        values["s"] = 1


def test_a_method_without_threads_has_one():
    assert Strips(s=64).worker_threads == 1
    assert ThreadParameters(threads=3).worker_threads == 3


def test_threads_of_the_host_do_not_share_the_work_of_a_gpu() -> None:
    assert [ThreadParameters(threads=3).timed_threads(backend) for backend in ("cpu", "cuda")] == [3, 1]


def test_numbers_between_the_steps_are_valid_where_they_are_declared_so() -> None:
    """What they go together with is for the method to say."""
    assert UNEVEN.parse("410") == 410 and UNEVEN.finest_step == 1 and WIDTH.finest_step == 32
    wanted = "auto or a multiple of 32 between 32 and 2048, or any whole number with mapping=published"
    assert UNEVEN.describe_values() == wanted
    for text in ("31", "2049", "410.5"):
        with pytest.raises(ParameterError, match=f"s must be {wanted}; got"):
            UNEVEN.parse(text)


def test_a_choice_of_numbers_takes_numbers() -> None:
    bits = Parameter("precision", "choice", "Bits", "", default="32", choices=("32", "16"))
    assert bits.validate(16) == bits.parse("16") == "16"
    with pytest.raises(ParameterError, match="must be one of 32, 16; got 8"):
        bits.validate(8)
