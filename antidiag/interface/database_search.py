"""Search a database, and prepare one."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from antidiag.interface.inputs import as_data, parse_type
from antidiag.interface.run_by_id import choose_method, run_on_data
from antidiag.interface.search_hits import SearchHits
from antidiag.kernels.pairwise.search import database_maker
from antidiag.kernels.pairwise.search.database import SequenceDatabase, make_memory_database


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
    return run_on_data(choose_method("search", method, data, settings), data, **settings)


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
