"""What the trials of trees may ask for."""

import numpy as np

from kernels.trees.problem import TreeProblem
from kernels.trees.trials import matrix, permuted


def test_taxa_with_equal_distances_are_not_permuted() -> None:
    """Their order decides ties, also where the zeros of the diagonal are one more number."""
    values = np.array([[0, 2, 2], [2, 0, 3], [2, 3, 0]], float)
    assert permuted(TreeProblem(matrix(values), "double", "keep", "none")) is None
    values[0, 2] = values[2, 0] = 4
    assert permuted(TreeProblem(matrix(values), "double", "keep", "none")) is not None
