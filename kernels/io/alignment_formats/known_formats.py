"""The formats of alignment files: how each is recognised by its first bytes, and which function reads it.

`sequences`, methods, the window and `compare` all read alignments through `read_alignment_blocks`. A new format is one
entry of `ALIGNMENT_FORMATS`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import chain
from pathlib import Path
from typing import NamedTuple

from antidiag.kernels.errors import InputError
from antidiag.kernels.io.alignment_formats import (
    a3m,
    aligned_fasta,
    axt,
    balibase,
    chains,
    clustal_msf,
    dialign,
    dot_bracket,
    emboss_pairs,
    letter_table,
    maf,
    mase,
    mega,
    named_rows,
    nexus,
    phylip,
    pir,
    sam_paf,
    stockholm,
    xmfa,
)
from antidiag.kernels.io.alignment_formats.pair_letters import PairLetters
from antidiag.kernels.io.alignment_formats.raw_alignment import RawAlignment, RawRow, refuse_match_signs
from antidiag.kernels.io.line_blocks import refuse_zero_byte, skip_leading_space
from antidiag.kernels.io.stray_characters import plain_spaces

Blocks = Iterator[bytes]
"""A file in blocks of whole lines."""


class AlignmentFormat(NamedTuple):
    """A format of alignments, recognised by the beginning of a file.

    Parameters
    ----------
    label : str
        The name for users.
    matches : function of bytes
        Returns something true for the first bytes of a file in this format, without a byte order mark and white space
        before them.
    read : function of blocks and a source
        Returns one alignment or yields several; the first block begins with the lines before the content, if any.
    is_aligned : function of blocks, optional
        Returns whether the file holds an alignment; None where every file of the format does.
    read_rows : function of blocks and a source, optional
        Yields the rows where they may differ in length; None where all rows of an alignment have one length.
    takes_letters : bool
        The file may name letters that stand in other files: ``read`` takes these as `PairLetters`, too.
    may_match : bool
        A '.' may stand for the letter of the first row although the format does not say so.
    """

    label: str
    matches: Callable[[bytes], object]
    read: Callable[..., Iterator[RawAlignment] | RawAlignment]
    is_aligned: Callable[[Blocks], bool] | None = None
    read_rows: Callable[[Blocks, str], Iterator[RawRow]] | None = None
    takes_letters: bool = False
    may_match: bool = False


ALIGNMENT_FORMATS = (
    AlignmentFormat("PIR", pir.looks_like_pir, pir.read_pir, pir.looks_aligned, pir.read_pir_rows),
    AlignmentFormat("Stockholm", stockholm.HEAD.match, stockholm.read_stockholm),
    AlignmentFormat("Clustal", clustal_msf.CLUSTAL_HEAD.match, clustal_msf.read_clustal, may_match=True),
    AlignmentFormat("NEXUS", nexus.holds_unaligned_rows, nexus.read_nexus, nexus.has_matrix, nexus.read_unaligned_rows),
    AlignmentFormat("NEXUS", nexus.HEAD.match, nexus.read_nexus, nexus.has_matrix, may_match=True),
    AlignmentFormat("MAF", maf.HEAD.match, maf.read_maf),
    AlignmentFormat("SAM", sam_paf.SAM_HEAD.match, sam_paf.read_sam, takes_letters=True),
    AlignmentFormat("PAF", sam_paf.PAF_HEAD.match, sam_paf.read_paf, takes_letters=True),
    AlignmentFormat("AXT", axt.HEAD.match, axt.read_axt, takes_letters=True),
    AlignmentFormat("chain", chains.HEAD.match, chains.read_chains, takes_letters=True),
    AlignmentFormat("EMBOSS pairs", emboss_pairs.HEAD.match, emboss_pairs.read_emboss_pairs),
    AlignmentFormat("PHYLIP", phylip.looks_like_phylip, phylip.read_phylip_alignments),
    AlignmentFormat("MSF", clustal_msf.MSF_HEAD.match, clustal_msf.read_msf),
    AlignmentFormat("BAliBASE's XML", balibase.HEAD.match, balibase.read_balibase),
    AlignmentFormat("XMFA", xmfa.looks_like_xmfa, xmfa.read_xmfa),
    AlignmentFormat("MEGA", mega.looks_like_mega, mega.read_mega),
    AlignmentFormat("MASE", mase.HEAD.match, mase.read_mase, mase.looks_aligned, mase.read_mase_rows),
    AlignmentFormat("DIALIGN", dialign.HEAD.match, dialign.read_dialign),
    AlignmentFormat("dot-bracket", dot_bracket.looks_like_dot_bracket, dot_bracket.read_dot_bracket),
    AlignmentFormat(
        "a table of names and letters",
        letter_table.holds_sequences,
        letter_table.read_table,
        letter_table.looks_aligned,
        letter_table.read_table_rows,
        may_match=True,
    ),
    AlignmentFormat(
        "rows of names and letters",
        named_rows.looks_like_named_rows,
        named_rows.read_named_rows,
        named_rows.is_aligned,
        named_rows.read_rows,
        may_match=True,
    ),
    AlignmentFormat(
        "rows without names",
        named_rows.looks_like_unnamed_rows,
        named_rows.read_unnamed_rows,
        named_rows.are_unnamed_rows_aligned,
        named_rows.read_letters_in_lines,
        may_match=True,
    ),
)
"""All formats but FASTA, A2M and A3M. The first that matches reads the file."""

FASTA_READERS = {".a3m": aligned_fasta.read_a3m, ".a2m": aligned_fasta.read_a2m}
"""Readers of the FASTA formats in which case has a meaning, by suffix."""
A3M_SUFFIXES = (".a3m", a3m.DATABASE_SUFFIX)
"""Suffixes of files that may hold several alignments in A3M."""
ROWS_WITH_SIGNS = 1000
"""Rows that are searched for '.' in place of the letter of the first row."""
ALIGNMENT_SUFFIXES = (*A3M_SUFFIXES, a3m.INDEX_SUFFIX, ".a2m")
"""Suffixes of files that are alignments, whatever their first bytes are."""


def find_alignment_format(start: bytes) -> AlignmentFormat | None:
    """Return the format that begins so; None for FASTA and where no format matches."""
    return next((known for known in ALIGNMENT_FORMATS if known.matches(start)), None)


def with_plain_spaces(blocks: Blocks) -> Blocks:
    """Yield blocks with blanks for other spaces, which separate names and letters; FASTA, whose reader names the
    spaces, and binary files stay as they are."""
    head = next(blocks, b"")
    _, start = skip_leading_space(head)
    is_fasta = aligned_fasta.HEAD.match(start) and find_alignment_format(start) is None
    whole = chain([head], blocks)
    yield from whole if is_fasta or b"\0" in head else map(plain_spaces, whole)


def holds_alignment(blocks: Blocks, suffix: str = "") -> bool:
    """Return whether a text is an alignment: by its format, or because its rows have one length and hold gaps.

    Parameters
    ----------
    blocks : iterator of bytes
        The text in blocks of whole lines.
    suffix : str
        The suffix that names the format, in lower case.
    """
    if suffix in ALIGNMENT_SUFFIXES:
        return True
    blocks = with_plain_spaces(blocks)
    head = next(blocks, b"")
    _, start = skip_leading_space(head)
    known = find_alignment_format(start)
    if known is not None:
        return known.is_aligned is None or known.is_aligned(chain([start], blocks))
    return bool(aligned_fasta.HEAD.match(start)) and aligned_fasta.looks_aligned(chain([start], blocks))


def read_alignment_blocks(
    blocks: Blocks, source: str, suffix: str = "", size: int = 0, letters: PairLetters | None = None
) -> list[RawAlignment]:
    """Read all alignments of a text.

    Parameters
    ----------
    blocks : iterator of bytes
        The text in blocks of whole lines.
    source : str
        What errors call the file; its path where it is one.
    suffix : str
        The suffix that names the format, in lower case; it distinguishes the formats that look like FASTA.
    size : int
        About how many bytes there will be.
    letters : PairLetters, optional
        Sequences of files that were given together with this one.

    Raises
    ------
    InputError
        Where the text is no alignment; the message names the source and the row or line.
    """
    if suffix == a3m.INDEX_SUFFIX:
        raise InputError(
            f"{source}: this is the index of a database; open {Path(source).with_suffix(a3m.DATABASE_SUFFIX).name} "
            "beside it"
        )
    blocks = with_plain_spaces(blocks)
    head = next(blocks, b"")
    if suffix == a3m.DATABASE_SUFFIX or (suffix in A3M_SUFFIXES and a3m.may_hold_several(head)):
        index = Path(source).with_suffix(a3m.INDEX_SUFFIX)
        return list(a3m.read_a3m_entries(chain([head], blocks), source, index))
    blank_lines, start = skip_leading_space(head)
    refuse_zero_byte(head[:4096], source, "give an alignment as text")
    known = find_alignment_format(start)
    if known is None and aligned_fasta.HEAD.match(start):
        raw = FASTA_READERS.get(suffix, aligned_fasta.read_fasta)(chain([start], blocks), source, size)
        if suffix not in FASTA_READERS:
            _refuse_match_signs(raw, source)
        return [raw]
    if known is None:
        labels = ", ".join(dict.fromkeys(["FASTA", *(one.label for one in ALIGNMENT_FORMATS[:-1])]))
        raise InputError(
            f"{source}: this is not an alignment in {labels} or {ALIGNMENT_FORMATS[-1].label}; its first bytes are "
            f"{head[:20]!r}"
        )
    content = chain([blank_lines + start], blocks)
    found = known.read(content, source, letters) if known.takes_letters else known.read(content, source)
    alignments = [found] if isinstance(found, RawAlignment) else list(found)
    if not alignments:
        raise InputError(f"{source}: the alignment is empty; give one with letters")
    for one in alignments if known.may_match else ():
        _refuse_match_signs(one, source)
    return alignments


def _refuse_match_signs(raw: RawAlignment, source: str) -> None:
    """Raise InputError for a row in which '.' stands for the letter of the first row."""
    first = b"" if raw.plain else raw.letters[0].tobytes()
    for name, row in zip(raw.names[:ROWS_WITH_SIGNS], raw.letters[:ROWS_WITH_SIGNS] if first else (), strict=False):
        refuse_match_signs(first, row.tobytes(), name, source)
