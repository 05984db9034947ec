"""Run any method by its id, and the choice of the recommended method for a task.

Keyword arguments that a function of this package does not name are options and parameters of the method, with the names
of the command line: ``mode="global"``, ``matrix="BLOSUM62"``, ``gap_open=11``, ``s=64``. ``methods(id)`` lists them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from antidiag.interface.answer_of_result import make_answer
from antidiag.interface.inputs import as_data, make_distances
from antidiag.interface.runs import run_method
from antidiag.kernels import registry
from antidiag.kernels.executors.executor_choice import ExecutorChoice
from antidiag.kernels.graphs.graph import from_weights
from antidiag.kernels.products.matrix import check_matrix
from antidiag.kernels.registry.task_methods import TASKS


def run(
    method: str,
    *data: Any,
    backend: str = "auto",
    device: int | Sequence[int] = 0,
    progress: bool = False,
    type: str | None = None,
    on: str | None = None,
    scheduler: str | None = None,
    **settings: Any,
) -> Any:
    """Run any method by its id.

    Parameters
    ----------
    method : str
        An id of `methods`, such as "sloped-bt3".
    *data
        Sequences, alignments, trees, distances, models or graphs: letters (str or bytes), paths of files, objects of
        Biopython, answers of this package, or lists of these.
    backend : {"auto", "cpu", "cuda"}
        Where to run; "auto" takes the GPU if there is one, the method has a GPU version, and the run fits.
    device : int or sequence of int
        The number of the GPU; of several where they shall share a run of "striped-score" or "checkpointed-alignment".
    progress : bool
        Whether to draw a progress bar, in a terminal or a notebook.
    type : {"DNA", "RNA", "protein"}, optional
        The type of all sequences; guessed from their letters by default.
    on : {"local", "processes", "gpus", "dask"}, optional
        Share the run out, if its method falls into pieces (distance-full, lcs-single-linkage, msa, nj-alignment with
        ``bootstrap``): to threads, to processes on the CPU, to all GPUs, or to the Dask cluster of ``scheduler``, an
        address.
    **settings
        Options and parameters of the method.

    Returns
    -------
    Answer
        Of the class that suits the method: `PairAlignment`, `Alignment`, `Tree`, `Distances`, ...

    Raises
    ------
    InputError, ParameterError
        The data or a setting does not suit the method; the message says what to do.
    MemoryRefused
        The run would not fit into memory; nothing was computed.
    KeyboardInterrupt
        After Ctrl-C, when the run has stopped.

    Examples
    --------
    >>> import antidiag as ad
    >>> family = ad.run("sloped-bt3", ["GATTACA", "GCATGCA", "GATGCA"], s=64)
    >>> len(family), family.score
    (3, 6)
    """
    place: dict[str, Any] = {"backend": backend, "device": device, "progress": progress}
    place |= {"on": on, "scheduler": scheduler}
    return run_on_data(method, as_data(data, type, _find_array_maker(method)), **place, **settings)


def run_on_data(
    method: str,
    data: Sequence[Any],
    backend: str = "auto",
    device: int | Sequence[int] = 0,
    progress: bool = False,
    on: str | None = None,
    scheduler: str | None = None,
    **settings: Any,
) -> Any:
    """Run a method on the program's data and return the answer."""
    choice = ExecutorChoice(on or "auto", scheduler) if on or scheduler else None
    return make_answer(run_method(registry.find_method(method), data, backend, device, progress, settings, choice))


def choose_method(task: str, method: str | None, data: Sequence[Any], settings: Mapping[str, Any]) -> str:
    """Return the method for a task that the user named, else the recommended one; ParameterError for one of another."""
    if method is not None:
        return TASKS[task].find(method).id
    return TASKS[task].recommend(data, settings.get("backend", "auto"))[0].id


def _find_array_maker(method: str) -> Callable[[np.ndarray], Any]:
    """Return the function that makes data of an array for a method: a matrix, a graph, else distances."""
    kinds = {taken.kind.id for taken in registry.find_method(method).problem_type.inputs}
    if "matrix" in kinds:
        return lambda values: check_matrix(np.array(values))  # a copy, because matrices become read-only
    return (lambda values: from_weights(np.array(values, np.float64))) if "graph" in kinds else make_distances
