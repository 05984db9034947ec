"""Distances between sequences, and trees of them."""

from __future__ import annotations

from typing import Any

from antidiag.interface.data_answers import Distances, Tree
from antidiag.interface.inputs import as_alignment, as_data
from antidiag.interface.run_by_id import choose_method, run_on_data
from antidiag.kernels import registry
from antidiag.kernels.io.tree import Tree as TreeData
from antidiag.kernels.registry.task_methods import TASKS, lacks_distances
from antidiag.kernels.registry.tree_sources import ALIGNMENT, DISTANCES, take_data_as


def distances(data: Any, *, method: str | None = None, **settings: Any) -> Distances:
    """Return distances between aligned rows, or between sequences.

    Parameters
    ----------
    data : Alignment, sequences, or the path of a file of either
    method : str, optional
        "distance-alignment" for an alignment; for sequences "distance-full" up to 200 of them, else "distance-6mer".

    Examples
    --------
    >>> import antidiag as ad
    >>> found = ad.distances({"a": "GATTACA", "b": "GATTACC", "c": "GATTACA"}, method="distance-6mer")
    >>> found["a", "c"]
    0.0
    """
    found = as_data(data, settings.pop("type", None))
    return run_on_data(choose_method("distances", method, found, settings), found, **settings)


def tree(data: Any, *, method: str | None = None, source: str | None = None, **settings: Any) -> Tree:
    """Return a tree of distances, of an alignment, or of sequences.

    Parameters
    ----------
    data : Distances, Alignment, sequences, or the path of a file of one of these
        Distances of sequences are those of `distances`.
    method : str, optional
        Neighbor joining by default: "nj-alignment" for an alignment, else "nj-pruned"; "parttree" for 20,000 sequences
        or more; "upgma" and others.
    source : {"alignment", "distances", "sequences"}, optional
        What the tree is built from, if the data can be taken in several ways: the rows of an alignment in one run
        (sequences of one length count as rows), a matrix of distances, computed first where the data are none, or
        letters without gaps. By default as the data are.
    **settings
        Options of the method and those of `run`; for an alignment ``distance_model="tn93"``, ``bootstrap=1000``.

    Examples
    --------
    >>> import antidiag as ad
    >>> ad.tree({"a": "GATTACA", "b": "GATTACC", "c": "GGTTACC"}).leaves
    ('a', 'b', 'c')
    """
    given = as_alignment(data, "data") if source == ALIGNMENT else data
    found = as_data(given, settings.pop("type", None))
    if found and isinstance(found[0], TreeData):
        return Tree(found[0])
    found = take_data_as(source, found)
    usual = TASKS["tree"].usual if source == DISTANCES else None
    chosen = registry.find_method(choose_method("tree", method or usual, found, settings))
    if lacks_distances(found, chosen):
        places = ("backend", "device", "progress", "on", "scheduler")
        kept = {name: settings[name] for name in places if name in settings}
        found = [distances(found, **kept).data]
        settings = {name: value for name, value in settings.items() if name not in ("on", "scheduler")}
    return run_on_data(chosen.id, found, **settings)
