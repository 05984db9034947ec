"""Products as a method: what is read, what is refused, batches on both backends, and what is told."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from antidiag.kernels import engine, registry, trials
from antidiag.kernels.errors import InputError, ParameterError
from antidiag.kernels.io import distance_files
from antidiag.kernels.products import matrix, problem
from antidiag.kernels.products.matrix import MATRIX, check_matrix
from antidiag.kernels.products.trials import solve_by_definition
from antidiag.kernels.registry import data_loading, result_saving
from antidiag.kernels.trials import RandomChooser

METHOD = registry.find_method("minplus-product")


def product(*data, **options):
    made = METHOD.problem_type.make_problem([check_matrix(np.array(values)) for values in data], options)
    return engine.execute(engine.plan_run(METHOD, made, {"threads": 2}, "cpu"), keep_rate=False)


@pytest.mark.parametrize("seed", range(12))
def test_the_device_code_is_right(emulated, seed: int) -> None:
    made = trials.load_trials(METHOD.problem_type).draw_problem(RandomChooser(seed))
    np.testing.assert_array_equal(emulated(METHOD, made, seed=seed).answer.values, solve_by_definition(made).values)


def test_a_batch_is_the_products_of_its_members() -> None:
    random = np.random.default_rng(1)
    first, second = random.integers(0, 100, (7, 5, 70)), random.integers(0, 100, (7, 70, 66))
    found = product(first, second).answer.values
    for one, other, expected in zip(first, second, found, strict=True):
        np.testing.assert_array_equal(product(one, other).answer.values, expected)


@pytest.mark.parametrize(
    ("text", "values"),
    [("1,2\n3,inf\n", [[1, 2], [3, np.inf]]), ("# a\n1 2 3\n\n4 5 6", [[1, 2, 3], [4, 5, 6]]),
     ("1;-inf", [[1, -np.inf]]),
     ("\ufeff1.5\t2e3\r\n0\t0\r\n", [[1.5, 2000], [0, 0]])],
)  # fmt: skip
def test_text_is_read(tmp_path: Path, text: str, values) -> None:
    path = tmp_path / "a.matrix"
    path.write_text(text, encoding="utf-8")
    (found,) = data_loading.read_data(path)
    np.testing.assert_array_equal(found.values, values)
    assert (found.name, found.source) == ("a", str(path))


@pytest.mark.parametrize(
    ("text", "words"),
    [("1 2\n3 x", "line 2: 'x' is not a number"), ("1 2\n3", "line 2: 1 number, but 2 in"), ("# no\n", "no numbers"),
     ("1,nan", "at 1, 2 is not a number"), ("\xff", "line 1: this is not UTF-8")],
)  # fmt: skip
def test_what_is_wrong_in_text_is_named(tmp_path: Path, text: str, words: str) -> None:
    path = tmp_path / "a.matrix"
    path.write_text(text, encoding="latin-1")
    with pytest.raises(InputError, match=words):
        matrix.read_matrix(path)


def test_arrays_are_read_by_their_names(tmp_path: Path) -> None:
    """Whatever else an array could be; the command line asks the method's own kind."""
    values = np.arange(6, dtype=np.float32).reshape(1, 2, 3)
    for name in ("a.matrix.npy", "a.npy"):
        np.save(tmp_path / name, values)
        (found,) = MATRIX.read(tmp_path / name, None)
        assert found.values.dtype == np.float32 and found.values.shape == (1, 2, 3) and found.name == "a"
    assert data_loading.find_kind_of_file(tmp_path / "a.matrix.npy") is MATRIX
    assert data_loading.find_kind_of_file(tmp_path / "a.npy") is MATRIX  # distances have no three axes
    with pytest.raises(InputError, match=r"a matrix to multiply is named \.matrix\.npy"):
        distance_files.read_distances(tmp_path / "a.npy")
    (tmp_path / "b.npy").write_bytes(matrix.NPY + b"\x01")
    with pytest.raises(InputError, match="not a valid NPY file"):
        MATRIX.read(tmp_path / "b.npy", None)


def test_numbers_follow_the_matrices() -> None:
    whole, large, single = np.array([[1, 2]]), np.array([[2**28]]), np.array([[0.5]], np.float32)
    for values, expected in ((whole, "int32"), (large, "float64"), (single, "float32"), (single + 0.0, "float32")):
        made = check_matrix(values), check_matrix(values.T)
        assert problem.default_options(made)["numbers"] == expected
    with pytest.raises(ParameterError, match="sums of 2"):
        product(large, large, numbers="int32")
    with pytest.raises(ParameterError, match="numbers must be float64"):
        product([[1e38]], [[3e38]], numbers="float32")


def test_what_does_not_fit_is_refused() -> None:
    with pytest.raises(InputError, match="has 3 columns, but matrix has 2 rows"):
        product(np.ones((2, 3)), np.ones((2, 3)))
    with pytest.raises(InputError, match="both need as many matrices"):
        product(np.ones((2, 3, 3)), np.ones((3, 3)))
    with pytest.raises(InputError, match="min-plus does not allow -inf"):
        product([[-np.inf]], [[1.0]])
    with pytest.raises(InputError, match="max-plus does not allow inf"):
        product([[np.inf]], [[1.0]], algebra="max-plus")
    for values in (np.ones(3), np.ones((0, 2)), np.array([["a"]])):
        with pytest.raises(InputError, match="a matrix needs rows and columns"):
            check_matrix(values)


@pytest.mark.parametrize("values", [[[2**53 + 1]], [[-(2**63)]], np.array([[2**64 - 1]], np.uint64)])
def test_whole_numbers_that_would_not_be_exact_are_refused(values) -> None:
    with pytest.raises(InputError, match="would not be exact"):
        check_matrix(np.asarray(values))
    assert check_matrix(np.array([[2**53, -(2**53)]])).values.tolist() == [[2.0**53, -(2.0**53)]]


@pytest.mark.parametrize("algebra", ["min-plus", "max-plus"])
@pytest.mark.parametrize("numbers", ["int32", "float64"])
def test_what_leads_nowhere_is_told_as_such(tmp_path: Path, algebra: str, numbers: str) -> None:
    nowhere = np.inf if algebra == "min-plus" else -np.inf
    result = product([[-5, nowhere], [nowhere, nowhere]], [[7.0, nowhere], [1, 2]], algebra=algebra, numbers=numbers)
    expected = [[2, nowhere], [nowhere, nowhere]]
    np.testing.assert_array_equal(result.answer.as_floats(result.problem), expected)
    result_saving.write_result(tmp_path / "p.json", result)
    told = json.loads((tmp_path / "p.json").read_text())
    assert told["product"] == [[2, None], [None, None]] and told["with_a_way"] == 1
    result_saving.write_result(tmp_path / "p.csv", result)
    np.testing.assert_array_equal(matrix.read_matrix(tmp_path / "p.csv")[0].values, expected)
    result_saving.write_result(tmp_path / "p.npy", result)
    np.testing.assert_array_equal(np.load(tmp_path / "p.npy"), expected)
    (again,) = METHOD.problem_type.extract_data(result)
    np.testing.assert_array_equal(again.values, expected)


def test_a_wrong_product_is_noticed() -> None:
    result = product(np.arange(12).reshape(3, 4), np.arange(8).reshape(4, 2))
    result.check(result.problem)
    wrong = result.answer.values.copy()
    wrong += 1
    with pytest.raises(AssertionError, match="differs"):
        type(result.answer)(wrong).check(result.problem)
