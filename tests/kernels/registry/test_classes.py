"""Every method has its class, and pictures that fit the recurrences."""

from __future__ import annotations

import pytest

from antidiag.kernels import registry
from antidiag.kernels.dynamic_class import CLASSES, Placement
from antidiag.kernels.registry import classes

PLACED = {method.problem.id: place for method in registry.METHODS if (place := method.problem.placement)}


def test_every_method_has_its_place() -> None:
    assert not [method.id for method in registry.METHODS if method.problem.placement is None]


def test_every_class_has_members_on_both_backends() -> None:
    for one in CLASSES:
        backends = {backend for method in classes.members(one.id) for backend in method.backends}
        assert backends == {"cpu", "cuda"}, one.name


def test_the_four_classes_are_all_combinations() -> None:
    assert {(one.serial, one.monadic) for one in CLASSES} == {(a, b) for a in (True, False) for b in (True, False)}


@pytest.mark.parametrize(
    ("method", "expected"),
    [("viterbi-tree", "smdp"), ("striped-score", "nmdp"), ("floyd-blocked", "spdp"), ("bipartite-smem", "spdp"),
     ("nussinov", "npdp"), ("matrix-chain", "npdp"), ("nj-pruned", "spdp"), ("upgma", "spdp"),
     ("distance-full", "nmdp"), ("distance-ktuple", "nmdp"), ("distance-6mer", "smdp"),
     ("distance-alignment", "smdp")],
)  # fmt: skip
def test_places_of_the_thesis(method: str, expected: str) -> None:
    place = registry.method(method).problem.placement
    assert place is not None and place.cls.id == expected
    assert method in [member.id for member in classes.members(expected)]


@pytest.mark.parametrize("place", PLACED.values(), ids=PLACED)
def test_pictures_show_the_class(place: Placement) -> None:
    """One wanted cell; monadic ones add up nothing, polyadic ones do; all arrows lead to the wanted cell."""
    picture = place.picture
    wanted = [number for number, node in enumerate(picture.nodes) if node.role == "wanted"]
    assert len(wanted) == 1 and all(arrow.target == wanted[0] for arrow in picture.arrows)
    assert {arrow.source for arrow in picture.arrows} == {
        number for number, node in enumerate(picture.nodes) if node.role == "needed"
    }
    sizes = [[arrow.term for arrow in picture.arrows].count(term) for term in {arrow.term for arrow in picture.arrows}]
    assert max(sizes) == (1 if place.cls.monadic else 2)
    assert len({(node.x, node.y) for node in picture.nodes}) == len(picture.nodes)


def test_borderline_members_come_last() -> None:
    """The class is shown by a member that nobody doubts."""
    for one in CLASSES:
        doubtful = [
            bool((place := method.problem.placement) and place.borderline) for method in classes.members(one.id)
        ]
        assert doubtful == sorted(doubtful) and not doubtful[0], one.name
