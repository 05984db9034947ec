"""Files of profiles that are damaged, or hold what no profile has, are refused by file and line."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from antidiag.kernels.errors import InputError
from antidiag.kernels.profiles import profile_files

TABLE = "column,A,C,G,T,-\n1,0.5,0.5,0,0,0\n2,{},0.75,0,0,0\n"


def put(folder: Path, name: str, text: str) -> Path:
    path = folder / name
    path.write_text(text)
    return path


def test_a_table_is_read(tmp_path: Path) -> None:
    (found,) = profile_files.read_profile(put(tmp_path, "a.csv", TABLE.format("0.25")))
    assert found.alphabet == "ACGT-" and found.frequencies[:, 1].tolist() == [0.25, 0.75, 0, 0, 0]


@pytest.mark.parametrize("number", ["1_0", "x", "", "\u0661"])
def test_what_is_no_number_is_none(tmp_path: Path, number: str) -> None:
    with pytest.raises(InputError, match=r"a\.csv, line 3: a frequency is not a number"):
        profile_files.read_profile(put(tmp_path, "a.csv", TABLE.format(number)))


def test_a_field_that_never_ends(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"a\.csv, line 3: field larger than .*; close open quotes"):
        profile_files.read_profile(put(tmp_path, "a.csv", TABLE.format('"' + "1" * 200_000)))


def fields(tmp_path: Path) -> dict[str, Any]:
    (found,) = profile_files.read_profile(put(tmp_path, "a.csv", TABLE.format("0.25")))
    return profile_files.json_fields(found)


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("rows", 5),
        ("rows", [5]),
        ("rows", ["AC", "A"]),
        ("names", 5),
        ("type", []),
        ("frequencies", [[10**400] * 5]),
        ("frequencies", {}),
        ("pseudocounts", {}),
    ],
)
def test_values_that_no_profile_has(tmp_path: Path, key: str, value: Any) -> None:
    made = fields(tmp_path)
    if key in ("names", "pseudocounts"):
        made |= {"rows": ["AC"], "weights": [1.0], "names": ["one"]}
    with pytest.raises(InputError, match=r"a\.json: "):
        profile_files.read_profile(put(tmp_path, "a.json", json.dumps(made | {key: value})))


def test_json_that_is_nested_very_deep(tmp_path: Path) -> None:
    text = json.dumps(fields(tmp_path))[:-1] + f', "more": {"[" * 100_000}{"]" * 100_000}}}'
    with pytest.raises(InputError, match=r"a\.json: "):
        profile_files.read_profile(put(tmp_path, "a.json", text))
