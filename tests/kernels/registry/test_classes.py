"""Every method has its class, and pictures that fit the recurrences."""

from __future__ import annotations

import pytest

from antidiag.kernels import registry
from antidiag.kernels.dp_taxonomy import DP_CLASSES, DpClassification
from antidiag.kernels.registry import dp_class_members

PLACED = {
    method.problem_type.id: place for method in registry.METHODS if (place := method.problem_type.dp_classification)
}


def test_every_method_has_its_place() -> None:
    assert not [method.id for method in registry.METHODS if method.problem_type.dp_classification is None]


def test_every_class_has_members_on_both_backends() -> None:
    for one in DP_CLASSES:
        backends = {backend for method in dp_class_members.find_class_members(one.id) for backend in method.backends}
        assert backends == {"cpu", "cuda"}, one.name


def test_the_four_classes_are_all_combinations() -> None:
    assert {(one.serial, one.monadic) for one in DP_CLASSES} == {(a, b) for a in (True, False) for b in (True, False)}


@pytest.mark.parametrize(
    ("method", "expected"),
    [("viterbi-tree", "smdp"), ("striped-score", "nmdp"), ("floyd-blocked", "spdp"), ("bipartite-smem", "spdp"),
     ("nussinov", "npdp"), ("matrix-chain", "npdp"), ("nj-pruned", "spdp"), ("upgma", "spdp"),
     ("distance-full", "nmdp"), ("distance-ktuple", "nmdp"), ("distance-6mer", "smdp"),
     ("distance-alignment", "smdp")],
)  # fmt: skip
def test_places_of_the_thesis(method: str, expected: str) -> None:
    place = registry.find_method(method).problem_type.dp_classification
    assert place is not None and place.dp_class.id == expected
    assert method in [member.id for member in dp_class_members.find_class_members(expected)]


@pytest.mark.parametrize("place", PLACED.values(), ids=PLACED)
def test_pictures_show_the_class(place: DpClassification) -> None:
    """One wanted cell; monadic ones add up nothing, polyadic ones do; all arrows lead to the wanted cell."""
    picture = place.picture
    wanted = [number for number, node in enumerate(picture.nodes) if node.role == "wanted"]
    assert len(wanted) == 1 and all(arrow.target == wanted[0] for arrow in picture.arrows)
    assert {arrow.source for arrow in picture.arrows} == {
        number for number, node in enumerate(picture.nodes) if node.role == "needed"
    }
    sizes = [[arrow.term for arrow in picture.arrows].count(term) for term in {arrow.term for arrow in picture.arrows}]
    assert max(sizes) == (1 if place.dp_class.monadic else 2)
    assert len({(node.x, node.y) for node in picture.nodes}) == len(picture.nodes)


def test_borderline_members_come_last() -> None:
    """The class is shown by a member that nobody doubts."""
    for one in DP_CLASSES:
        doubtful = [
            bool((place := method.problem_type.dp_classification) and place.is_borderline)
            for method in dp_class_members.find_class_members(one.id)
        ]
        assert doubtful == sorted(doubtful) and not doubtful[0], one.name
