"""Alignment of two sequences, and of many pairs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import zip_longest
from typing import Any

from antidiag.interface import pair_batches
from antidiag.interface.answers import PairAlignment
from antidiag.interface.inputs import as_data
from antidiag.interface.run_by_id import choose_method, run_on_data
from antidiag.kernels.batch_runs.pair_streams import cut_batches
from antidiag.kernels.errors import InputError
from antidiag.kernels.model import Sequence as Letters


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
        both = [_take_single_datum(first, "first", wanted), _take_single_datum(second, "second", wanted)]
        data = as_data(both, wanted)
    return run_on_data(choose_method("align", method, data, settings), data, **settings)


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


def _take_single_datum(given: Any, name: str, type: str | None) -> Any:
    """Return the only datum in what was passed."""
    found = as_data(given, type) if not isinstance(given, (str, bytes)) else None
    if found is not None and len(found) != 1:
        raise InputError(f"{name} has {len(found):,} sequences; pass one, or use align_many")
    return given if found is None else found[0]
