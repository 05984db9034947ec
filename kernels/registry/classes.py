"""The members of the four classes of dynamic programming (003, section 6.1), as their problems say it."""

from __future__ import annotations

from antidiag.kernels import registry
from antidiag.kernels.dynamic_class import CLASSES
from antidiag.kernels.errors import ParameterError
from antidiag.kernels.method import Method


def members(class_id: str) -> tuple[Method, ...]:
    """The methods of a class, those of one problem together, in the order of the registry; borderline ones last."""
    if class_id not in {one.id for one in CLASSES}:
        known = ", ".join(one.id for one in CLASSES)
        raise ParameterError(f"unknown class {class_id!r} of dynamic programming; known classes: {known}")
    found = [method for method in registry.METHODS if (place := method.problem.placement) and place.cls.id == class_id]
    problems = list(dict.fromkeys(method.problem.id for method in found))

    def order(method: Method) -> tuple[bool, int]:
        place = method.problem.placement
        return bool(place and place.borderline), problems.index(method.problem.id)

    return tuple(sorted(found, key=order))
