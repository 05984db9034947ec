"""Methods of each class of dynamic programming."""

from __future__ import annotations

from antidiag.kernels import registry
from antidiag.kernels.dp_taxonomy import DP_CLASSES
from antidiag.kernels.errors import ParameterError
from antidiag.kernels.method import Method


def find_class_members(class_id: str) -> tuple[Method, ...]:
    """Return the methods of a class, grouped by problem in the order of the registry, borderline ones last."""
    if class_id not in {one.id for one in DP_CLASSES}:
        known = ", ".join(one.id for one in DP_CLASSES)
        raise ParameterError(f"unknown class {class_id!r} of dynamic programming; known classes: {known}")
    found = [
        method
        for method in registry.METHODS
        if (place := method.problem_type.dp_classification) and place.dp_class.id == class_id
    ]
    problems = list(dict.fromkeys(method.problem_type.id for method in found))

    def order_of(method: Method) -> tuple[bool, int]:
        place = method.problem_type.dp_classification
        return bool(place and place.is_borderline), problems.index(method.problem_type.id)

    return tuple(sorted(found, key=order_of))
