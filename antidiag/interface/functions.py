"""The functions of ``import antidiag``: each runs a method of the program on what the user passes.

Keyword arguments that a function does not name are options and parameters of the method, with the names of the command
line: ``mode="global"``, ``matrix="BLOSUM62"``, ``gap_open=11``, ``s=64``. ``methods(id)`` lists them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from pathlib import Path
from typing import Any

import numpy as np

from antidiag.interface import pair_batches
from antidiag.interface.answer_of_result import make_answer
from antidiag.interface.answers import Answer, PairAlignment, ShortestPaths, Structure
from antidiag.interface.data_answers import Alignment, Distances, Tree
from antidiag.interface.inputs import as_alignment, as_data, make_distances, parse_type
from antidiag.interface.models import Model, find_model
from antidiag.interface.runs import run_method
from antidiag.interface.search_hits import SearchHits
from antidiag.kernels import registry
from antidiag.kernels.batch_runs.pair_streams import cut_batches
from antidiag.kernels.errors import InputError
from antidiag.kernels.executors.executor_choice import ExecutorChoice
from antidiag.kernels.file_conventions import use_conventions
from antidiag.kernels.graphs.graph import Graph, from_edges, from_weights
from antidiag.kernels.io.aligned_sequences import AlignedSequences
from antidiag.kernels.io.distance_matrix import DistanceMatrix
from antidiag.kernels.io.tree import Tree as TreeData
from antidiag.kernels.method import Method
from antidiag.kernels.model import Sequence as Letters
from antidiag.kernels.pairwise.search import database_maker
from antidiag.kernels.pairwise.search.database import SequenceDatabase, make_memory_database
from antidiag.kernels.parameters import Parameter
from antidiag.kernels.products.matrix import check_matrix
from antidiag.kernels.registry import data_loading
from antidiag.kernels.registry.task_methods import TASKS, lacks_distances
from antidiag.kernels.registry.tree_sources import ALIGNMENT, DISTANCES, take_data_as


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
        Share the run out, if its method falls into pieces (distance-full, nj-alignment with ``bootstrap``): to threads,
        to processes on the CPU, to all GPUs, or to the Dask cluster of ``scheduler``, an address.
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
    return _run_on(method, as_data(data, type, _array_maker(method)), **place, **settings)


def _run_on(
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


def align(first: Any, second: Any = None, *, method: str | None = None, **settings: Any) -> PairAlignment:
    """Return the best alignment of two sequences.

    Parameters
    ----------
    first, second : str, bytes, Path, SeqRecord or Sequence
        Letters, or a file with one sequence. Without ``second``, the first holds both: a file, a list or a mapping.
    method : str, optional
        A method for two sequences; by default one that suits their lengths.
    **settings
        Options such as ``mode="global"``, ``matrix="BLOSUM62"``, ``gap_open=11``, ``gap_extend=1``, ``strand="both"``,
        parameters of the method, and those of `run`.

    Examples
    --------
    >>> import antidiag as ad
    >>> hit = ad.align("GATTACA", "GCATGCA", mode="global", match=1, mismatch=-1, gap_open=0, gap_extend=1)
    >>> print(hit)
    sequence 1 1 G-ATTACA 7
                 | | |.||
    sequence 2 1 GCA-TGCA 7
    >>> hit.score, hit.cigar
    (2, '1=1D1=1I1=1X2=')
    """
    wanted = settings.pop("type", None)
    if second is None:
        data = as_data(first, wanted)
    else:
        data = as_data([_single(first, "first", wanted), _single(second, "second", wanted)], wanted)
    return _run_on(_choose("align", method, data, settings), data, **settings)


def align_many(first: Any, second: Any, *, method: str | None = None, **settings: Any) -> Iterator[PairAlignment]:
    """Yield the best alignment of each sequence of ``first`` with the one in the same place of ``second``.

    Many pairs are aligned together, by the method batch-alignment. With ``method="batch-score"`` only scores are
    computed; any other method takes pair after pair, and so do options that batches lack, such as ``strand``. Raises
    InputError where one has more sequences than the other; the alignments before are yielded first.

    Examples
    --------
    >>> import antidiag as ad
    >>> [hit.score for hit in ad.align_many(["GATTACA", "CCC"], ["GATACA", "CCG"], match=1, mismatch=-1)]
    [4, 2]
    """
    wanted = settings.pop("type", None)
    pairs = _check_pairs(zip_longest(as_data(first, wanted), as_data(second, wanted)))
    if pair_batches.accepts_settings(method, settings):
        for batch in cut_batches(pairs):
            if len(batch) > 1:
                yield from pair_batches.align_batch(batch, method, settings)
            else:
                yield align(*batch[0], **settings)
        return
    for one, other in pairs:
        yield align(one, other, method=method, **settings)


def _check_pairs(pairs: Iterable[tuple[Any, Any]]) -> Iterator[tuple[Letters, Letters]]:
    """Yield pairs; raise InputError at the first one of which a sequence is missing."""
    for number, (one, other) in enumerate(pairs, 1):
        if one is None or other is None:
            fewer = "first" if one is None else "second"
            raise InputError(f"{fewer} has {number - 1:,} sequences and the other more; pass as many of both")
        yield one, other


def search(query: Any, database: Any, *, method: str | None = None, **settings: Any) -> SearchHits:
    """Return the hits of queries in a database: every query is compared with every sequence, with E-values.

    Parameters
    ----------
    query : str, bytes, Path, SeqRecord, Sequence, or several of them
        One or more sequences.
    database : path, or sequences in any form
        A database that `make_database` prepared, a file of sequences, or sequences themselves.
    method : str, optional
        "smith-waterman-search", the only method so far.
    **settings
        Options such as ``max_evalue=1e-3``, ``best=10``, ``min_identity=40``, ``matrix="BLOSUM62"``, parameters of the
        method, and those of `run`.

    Examples
    --------
    >>> import antidiag as ad
    >>> proteins = {"near": "MKVLATHISWKRRMLAQ", "far": "GGSGGSPPNQG"}
    >>> hits = ad.search("MKVLATHISWKRR", proteins, type="protein")
    >>> [(hit.subject.name, hit.score, hit.alignment.cigar) for hit in hits]
    [('near', 69, '13=')]
    """
    wanted = settings.pop("type", None)
    queries, found = as_data(query, wanted), as_data(database, wanted)
    if len(found) != 1 or not isinstance(found[0], SequenceDatabase):
        found = [make_memory_database(found, "database")]
    data = [*queries, *found]
    return _run_on(_choose("search", method, data, settings), data, **settings)


def make_database(sources: Any, target: str | Path, *, type: str | None = None, skip_bad: bool = False) -> Path:
    """Prepare a database for `search` and return its path: sorted by length, packed, checked by a digest.

    Parameters
    ----------
    sources : path, or list of paths
        FASTA of any size, plain or compressed, or other files of sequences.
    target : str or Path
        The file to write, such as "proteins.adb".
    type : {"DNA", "RNA", "protein"}, optional
        The type of all sequences; decided by all letters by default.
    skip_bad : bool
        Leave out records that cannot be read.
    """
    files = [sources] if isinstance(sources, (str, Path)) else list(sources)
    database_maker.make_database(files, target, None, parse_type(type), skip_bad)
    return Path(target)


def align_family(sequences: Any, *, method: str | None = None, **settings: Any) -> Alignment:
    """Return a multiple alignment.

    Parameters
    ----------
    sequences : path, list, or mapping of names to letters
    method : str, optional
        "msa", "msa-clustalw", "msa-thesis" or "msa-parttree"; by default "msa", or "msa-parttree" for many sequences.

    Examples
    --------
    >>> import antidiag as ad
    >>> print(ad.align_family({"a": "GATTACAGATTACA", "b": "GATTACATTACA", "c": "GATTACAGATACA"}))
    a GATTACAGATTACA
    b GATTACA--TTACA
    c GATTACAGA-TACA
    """
    data = as_data(sequences, settings.pop("type", None))
    return _run_on(_choose("msa", method, data, settings), data, **settings)


def align_codons(
    sequences: Any,
    proteins: Any = None,
    *,
    method: str | None = None,
    code: int = 1,
    finds_shifts: bool = True,
    **settings: Any,
) -> Alignment:
    """Return an alignment of coding sequences, codon by codon, as their proteins are aligned.

    Parameters
    ----------
    sequences : path, list, or mapping of names to letters
        DNA or RNA, from the first letter of a codon on. A stop codon at the end is left out.
    proteins : Alignment, path, or mapping of names to rows, optional
        An alignment of the proteins, whose codons follow it; by default one is made.
    method : str, optional
        A method of `align_family` for the proteins.
    code : int
        NCBI number of the genetic code.
    finds_shifts : bool
        Whether shifts of the reading frame are looked for; the incomplete codon there is filled with gaps.

    Raises
    ------
    InputError
        For proteins among the sequences, and where a protein is not the translation of its sequence.

    Examples
    --------
    >>> import antidiag as ad
    >>> print(ad.align_codons({"a": "ATGAAAGGTTGGTAA", "b": "ATGGGTTGG"}, {"a": "MKGW", "b": "M-GW"}))
    a ATGAAAGGTTGG
    b ATG---GGTTGG
    """
    from antidiag.kernels.alignments.coding_sequences import read_coding_sequence, thread_codons

    data = as_data(sequences, settings.pop("type", None))
    coding = [read_coding_sequence(one, code, finds_shifts) for one in data]
    if proteins is None:
        aligned = align_family([one.protein_sequence for one in coding], method=method, **settings).data
    else:
        found = [datum for datum in as_data(as_alignment(proteins, "proteins")) if isinstance(datum, AlignedSequences)]
        if len(found) != 1:
            raise InputError(f"proteins must be one alignment; got {len(found)}")
        aligned = found[0]
    return Alignment(thread_codons(coding, aligned))


def align_profiles(first: Any, second: Any, *, method: str = "profile-wavefront", **settings: Any) -> Alignment:
    """Return the best alignment of two alignments, each taken as a profile.

    Parameters
    ----------
    first, second : Alignment, path of a file with an alignment or a profile, profile, or rows with '-' for gaps
        Rows are a mapping of names to rows, a list of rows, or an alignment of Biopython.
    method : str
        A method for two profiles; they give the same alignment at different costs.
    **settings
        Options such as ``span="global"``, ``gaps="position"``, parameters of the method, and those of `run`.

    Examples
    --------
    >>> import antidiag as ad
    >>> print(ad.align_profiles({"a": "GATTACA", "b": "GAT-ACA"}, {"c": "GATACA", "d": "GATACA"}))
    a GATTACA
    b GAT-ACA
    c GAT-ACA
    d GAT-ACA
    """
    return run(method, as_alignment(first, "first"), as_alignment(second, "second"), **settings)


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
    return _run_on(_choose("distances", method, found, settings), found, **settings)


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
    chosen = registry.find_method(_choose("tree", method or usual, found, settings))
    if lacks_distances(found, chosen):
        places = ("backend", "device", "progress", "on", "scheduler")
        kept = {name: settings[name] for name in places if name in settings}
        found = [distances(found, **kept).data]
        settings = {name: value for name, value in settings.items() if name not in ("on", "scheduler")}
    return _run_on(chosen.id, found, **settings)


def hmm(model: Any) -> Model:
    """Return a hidden Markov model by the name of a bundled model, or from a file.

    Parameters
    ----------
    model : str, Path or Model
        A name such as "cpg-islands", or a file of this program (JSON) or of HMMER.

    Examples
    --------
    >>> import antidiag as ad
    >>> path = ad.hmm("cpg-islands").viterbi("CGCGCGCGATATATAT")
    >>> len(path.states)
    16
    """
    return find_model(model)


def fold(sequence: Any, **settings: Any) -> Structure:
    """Return a secondary structure of an RNA with the most base pairs (Nussinov).

    Parameters
    ----------
    sequence : str, bytes, Path, SeqRecord or Sequence
        One RNA or DNA.
    **settings
        Options such as ``min_loop=4``, ``wobble=False``, and those of `run`.

    Examples
    --------
    >>> import antidiag as ad
    >>> print(ad.fold("GGGAAACCC"))
    GGGAAACCC
    (((...)))
    """
    return run("nussinov", sequence, **settings)


def shortest_paths(graph: Any, *, method: str = "floyd-blocked", **settings: Any) -> ShortestPaths:
    """Return the shortest paths between all vertices of a graph.

    Parameters
    ----------
    graph : path, array_like, networkx graph, or iterable of (start, end, weight)
        A square array holds the weight of each edge, infinite where there is none. Edges of a networkx graph without
        a weight have 1.

    Examples
    --------
    >>> import antidiag as ad
    >>> paths = ad.shortest_paths([("a", "b", 2), ("b", "c", 3), ("a", "c", 9)])
    >>> paths.path("a", "c"), float(paths.distances[0, 2])
    (['a', 'b', 'c'], 5.0)
    """
    return run(method, _as_graph(graph), **settings)


def read(path: str | Path, *, soft_masking: str | None = None) -> Any:
    """Return the data of a file: sequences (a list), an alignment, trees, distances or a model.

    A file with one datum gives the datum, any other a list. ``soft_masking`` says what lower-case letters of FASTA and
    FASTQ mean: "ignore", the same as capitals (the default), or "unknown", N of nucleotides and X of proteins.
    """
    with use_conventions(masking=soft_masking):
        found = [_wrap(datum) for datum in data_loading.read_data(path)]
    return found[0] if len(found) == 1 and not isinstance(found[0], Letters) else found


@dataclass(frozen=True)
class MethodInfo:
    """A method: what it takes, returns, and may be set."""

    id: str
    name: str
    family: str
    summary: str
    takes: str
    returns: tuple[str, ...]
    backends: tuple[str, ...]
    settings: tuple[Parameter, ...]
    citation: str

    def __str__(self) -> str:
        lines = [
            f"{self.id} ({self.name}): {self.summary}",
            f"takes {self.takes}; returns {', '.join(self.returns)}; runs on {', '.join(self.backends)}",
            *(f"  {one.name:16} {one.help} ({one.describe_values()})" for one in self.settings),
            self.citation,
        ]
        return "\n".join(lines)


class MethodList(list[MethodInfo]):
    """Methods, which print as a table."""

    def __str__(self) -> str:
        width = max((len(one.id) for one in self), default=0)
        return "\n".join(f"{one.id:{width}}  {one.summary}" for one in self)

    __repr__ = __str__


def methods(text: str = "") -> MethodList:
    """Return all methods, or those whose id, family or returns contain a text.

    Examples
    --------
    >>> import antidiag as ad
    >>> [one.id for one in ad.methods("nussinov")]
    ['nussinov']
    """
    wanted = text.lower()
    found = (_describe(method) for method in registry.METHODS)
    return MethodList(one for one in found if wanted in f"{one.id} {one.family} {' '.join(one.returns)}".lower())


def _describe(method: Method) -> MethodInfo:
    """Return what users want to know of a method."""
    return MethodInfo(
        id=method.id,
        name=method.name,
        family=method.family,
        summary=method.summary,
        takes=method.problem_type.describe_inputs(),
        returns=tuple(sorted(method.returns)),
        backends=tuple(method.backends),
        settings=(*method.problem_type.options, *method.parameters.declared()),
        citation=method.citation.format_text(),
    )


def _choose(task: str, method: str | None, data: Sequence[Any], settings: Mapping[str, Any]) -> str:
    """Return the method for a task that the user named, else the recommended one; ParameterError for one of another."""
    if method is not None:
        return TASKS[task].find(method).id
    return TASKS[task].recommend(data, settings.get("backend", "auto"))[0].id


def _array_maker(method: str) -> Callable[[np.ndarray], Any]:
    """Return the function that makes data of an array for a method: a matrix, a graph, else distances."""
    kinds = {taken.kind.id for taken in registry.find_method(method).problem_type.inputs}
    if "matrix" in kinds:
        return lambda values: check_matrix(np.array(values))  # a copy, because matrices become read-only
    return (lambda values: from_weights(np.array(values, np.float64))) if "graph" in kinds else make_distances


def _single(given: Any, name: str, type: str | None) -> Any:
    """Return the only datum in what was passed."""
    found = as_data(given, type) if not isinstance(given, (str, bytes)) else None
    if found is not None and len(found) != 1:
        raise InputError(f"{name} has {len(found):,} sequences; pass one, or use align_many")
    return given if found is None else found[0]


def _as_graph(given: Any) -> Any:
    """Return a graph of edges, of an array of weights or of networkx; a path unchanged."""
    if isinstance(given, (str, Path, Graph, Answer)):
        return given
    if hasattr(given, "adjacency"):  # a networkx graph
        edges = list(given.edges(data="weight", default=1))
        if not given.is_directed():
            edges += [(v, u, weight) for u, v, weight in edges]
        return _graph_of_edges(edges, given.nodes)
    if hasattr(given, "shape"):
        return from_weights(np.array(given, np.float64))  # a copy, because a graph's weights become read-only
    return _graph_of_edges(list(given), ())


def _graph_of_edges(edges: Sequence[tuple[Any, Any, Any]], vertices: Iterable[Any]) -> Graph:
    """Return a graph of (start, end, weight), its vertices in the order in which they are named."""
    numbers: dict[Any, int] = {vertex: number for number, vertex in enumerate(vertices)}
    for start, end, _ in edges:
        numbers.setdefault(start, len(numbers))
        numbers.setdefault(end, len(numbers))
    ends = np.array([(numbers[start], numbers[end]) for start, end, _ in edges], np.int64).reshape(-1, 2)
    weights = np.array([weight for _, _, weight in edges], np.float64)
    return from_edges(len(numbers), ends[:, 0], ends[:, 1], weights, map(str, numbers))


def _wrap(datum: Any) -> Any:
    """Return a datum as what functions return."""
    of_type: Iterable[tuple[Any, Any]] = (
        (AlignedSequences, Alignment),
        (TreeData, Tree),
        (DistanceMatrix, Distances),
    )
    return next((wrap(datum) for kind, wrap in of_type if isinstance(datum, kind)), datum)
