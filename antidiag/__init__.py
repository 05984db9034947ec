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
    from antidiag.interface.functions import (
        align,
        align_codons,
        align_family,
        align_many,
        align_profiles,
        distances,
        fold,
        hmm,
        make_database,
        methods,
        read,
        run,
        search,
        shortest_paths,
        tree,
    )
    from antidiag.interface.models import Model
    from antidiag.interface.search_hits import SearchHits
    from antidiag.kernels import __version__
    from antidiag.kernels.errors import AntidiagError, BackendUnavailable, InputError, MemoryRefused, ParameterError

_ANSWERS = "Answer PairAlignment Product ShortestPaths StatePath Structure"
_DATA_ANSWERS = "Alignment Distances Tree"
_FUNCTIONS = (
    "align align_codons align_family align_many align_profiles distances fold hmm make_database methods read run "
    "search shortest_paths tree"
)
_ERRORS = "AntidiagError BackendUnavailable InputError MemoryRefused ParameterError"
_MODULES = {
    **dict.fromkeys(_ANSWERS.split(), "antidiag.interface.answers"),
    **dict.fromkeys(_DATA_ANSWERS.split(), "antidiag.interface.data_answers"),
    **dict.fromkeys(("BatchAnswer", "BatchEntry", "batch"), "antidiag.interface.batches"),
    **dict.fromkeys(_FUNCTIONS.split(), "antidiag.interface.functions"),
    **dict.fromkeys(_ERRORS.split(), "antidiag.kernels.errors"),
    "Model": "antidiag.interface.models",
    "SearchHits": "antidiag.interface.search_hits",
    "__version__": "antidiag.kernels",
}
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
