"""Antidiag: dynamic-programming sequence alignment on GPUs, as a Python package.

>>> import antidiag as ad
>>> ad.align("GATTACA", "GCATGCA", mode="global").score
-1

Importing this package loads neither Qt nor CuPy nor Numba nor NumPy; what a call needs is imported by the first call.
"""

from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

_FOLDER = Path(__file__).resolve().parent
if not (_FOLDER / "kernels").is_dir():
    # In a checkout the parts of the package are folders beside this one; installed, they lie inside it.
    __path__.append(str(_FOLDER.parent))

if TYPE_CHECKING:
    from antidiag.interface.answers import Answer, PairAlignment, Product, ShortestPaths, StatePath, Structure
    from antidiag.interface.batches import BatchAnswer, BatchEntry, batch
    from antidiag.interface.data_answers import Alignment, Distances, Tree
    from antidiag.interface.database_search import make_database, search
    from antidiag.interface.distance_trees import distances, tree
    from antidiag.interface.families import align_codons, align_family, align_profiles
    from antidiag.interface.folding import fold
    from antidiag.interface.graphs import shortest_paths
    from antidiag.interface.method_list import methods
    from antidiag.interface.models import Model, hmm
    from antidiag.interface.pairs import align, align_many
    from antidiag.interface.reading import read
    from antidiag.interface.run_by_id import run
    from antidiag.interface.search_hits import SearchHits
    from antidiag.kernels import __version__
    from antidiag.kernels.errors import AntidiagError, BackendUnavailable, InputError, MemoryRefused, ParameterError

_NAMES = {
    "interface.answers": "Answer PairAlignment Product ShortestPaths StatePath Structure",
    "interface.batches": "BatchAnswer BatchEntry batch",
    "interface.data_answers": "Alignment Distances Tree",
    "interface.database_search": "make_database search",
    "interface.distance_trees": "distances tree",
    "interface.families": "align_codons align_family align_profiles",
    "interface.folding": "fold",
    "interface.graphs": "shortest_paths",
    "interface.method_list": "methods",
    "interface.models": "Model hmm",
    "interface.pairs": "align align_many",
    "interface.reading": "read",
    "interface.run_by_id": "run",
    "interface.search_hits": "SearchHits",
    "kernels": "__version__",
    "kernels.errors": "AntidiagError BackendUnavailable InputError MemoryRefused ParameterError",
}
_MODULES = {name: f"antidiag.{module}" for module, names in _NAMES.items() for name in names.split()}
"""The public names and the module of each."""

__all__ = [
    "Alignment",
    "Answer",
    "AntidiagError",
    "BackendUnavailable",
    "BatchAnswer",
    "BatchEntry",
    "Distances",
    "InputError",
    "MemoryRefused",
    "Model",
    "PairAlignment",
    "ParameterError",
    "Product",
    "SearchHits",
    "ShortestPaths",
    "StatePath",
    "Structure",
    "Tree",
    "__version__",
    "align",
    "align_codons",
    "align_family",
    "align_many",
    "align_profiles",
    "batch",
    "distances",
    "fold",
    "hmm",
    "make_database",
    "methods",
    "read",
    "run",
    "search",
    "shortest_paths",
    "tree",
]


def __getattr__(name: str) -> Any:
    """Import a public name when it is first used."""
    if name not in _MODULES:
        raise AttributeError(f"module 'antidiag' has no attribute {name!r}")
    found = globals()[name] = getattr(import_module(_MODULES[name]), name)
    return found


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
