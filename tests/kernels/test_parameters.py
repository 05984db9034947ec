"""Parameters: parsing, ranges, and the choice between given, automatic and default values."""

from __future__ import annotations

from dataclasses import dataclass

import pytest

from antidiag.kernels.errors import ParameterError
from antidiag.kernels.parameters import Parameter, resolve_values, to_dataclass

WIDTH = Parameter("s", "int", "Width", "", minimum=32, maximum=1024, step=32)
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


@dataclass(frozen=True)
class Strips:
    s: int
    batch: int = 8


def test_typed_values_are_fields_with_defaults():
    assert to_dataclass(Strips, {"s": 64, "threads": 2}) == Strips(64, 8)
    assert to_dataclass(Strips, {"s": 64, "batch": 16}) == Strips(64, 16)


def test_a_record_that_lacks_a_value_says_which():
    with pytest.raises(KeyError, match="Strips needs s, and these parameters have batch"):
        to_dataclass(Strips, {"batch": 16})
