"""Secondary structures of RNA."""

from __future__ import annotations

from typing import Any

from antidiag.interface.answers import Structure
from antidiag.interface.run_by_id import run


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
