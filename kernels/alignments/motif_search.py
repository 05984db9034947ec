"""Search of motifs and regular expressions in the letters of an alignment, across gaps, on all cores."""

from __future__ import annotations

import re
import threading
from collections.abc import Callable, Iterator, Mapping
from itertools import islice, takewhile
from typing import Any

import numpy as np

from antidiag.kernels.cpu.jit import cached_njit, inner_njit
from antidiag.kernels.cpu.workers import count_processors, make_stop_word, share_work
from antidiag.kernels.errors import InputError
from antidiag.kernels.io.aligned_sequences import GAP, AlignedSequences
from antidiag.kernels.model import SequenceType
from antidiag.kernels.monitor import Monitor

CODES = "A=A C=C G=G T=TU U=TU R=AGR Y=CTUY S=CGS W=ATUW K=GTUK M=ACM B=CGTUYSKB D=AGTURWKD H=ACTUYWMH V=ACGRSMV"
IUPAC = {**dict(code.split("=") for code in CODES.split()), "N": "ABCDGHKMNRSTUVWY"}
AMINO = {"X": "ABCDEFGHIKLMNPQRSTVWXYZUO", "B": "BDN", "Z": "ZEQ", "J": "JIL"}
"""The letters that each code of nucleotides and of amino acids stands for."""
MOTIF = re.compile(r"([A-Za-z]+)(?:\s+[~/]?(\d{1,9}))?")
MAX_HITS = 100_000
MOTIF_PART = 1 << 22
"""Letters that a thread searches between two checks for cancelling."""
WORD_LETTERS = 64
"""Letters of a motif that are bits of a word; further ones are compared where these match."""

EXPRESSION_PART = 1 << 18
"""Letters that a thread searches for a regular expression between two reports of progress."""
EXPRESSION_TOKEN = re.compile(r"\\[pPx]\{\^?\w+\}|\\.|\{,(?=\d+\})|\{(?!\d+(?:,\d*)?\})|\(\?\w*-\w*m")
"""Parts of an expression that RE2 does not write as Python does, and escapes, in which the others mean nothing."""
SAME_IN_RE2 = {r"\A": "^", r"\Z": "$", r"\z": "$", "{,": "{0,"}
PROSITE_ELEMENT = re.compile(r"([A-Za-z]|\[[A-Za-z<>]+\]|\{[A-Za-z]+\})(?:\((\d{1,9})(?:,(\d{1,9}))?\))?")
"""An element of a PROSITE pattern: a letter, [letters], {other letters}, and how often it is repeated."""
PROSITE_HELP = (
    "a PROSITE pattern has elements between -, such as W-[FY]-x(2)-{P}-N: a letter, [one of these], {none of these}, x "
    "for any, (2) or (2,4) for repeats, < and > for the ends"
)
STRANDS = re.compile(r"(rc|both):\s*(?=\S)", re.IGNORECASE)
"""What a motif begins with that is searched on the other strand, or on both."""
EXPRESSION_HELP = (
    "the syntax is that of RE2, without lookaround, backreferences, possessive or approximate repeats and counts above "
    "1000; GXGXXG 1 finds a motif with one mismatch"
)

Search = Callable[[np.ndarray, np.ndarray], np.ndarray]
"""A function that finds hits in letters, uint8 (rows, columns), until the stop word is set: int64 (n, 3), row, first
column, column after the last."""


@cached_njit
def _find_motif_hits(letters, sets, masks, allowed, found):
    """Find a motif in the letters that are no gaps, with at most ``allowed`` mismatches.

    ``sets``, bool (length, 256), has the letters that each position of the motif takes; ``masks``, uint64 (256,), the
    same of its first WORD_LETTERS as bits. ``found``, int64 (n, 3), takes the first n hits. Return their number, n + 1
    for more. Bit b of ``exact``, and of ``states[k]``, says whether the last b + 1 letters match the first of the motif
    with 0 or k mismatches (Baeza-Yates and Gonnet 1992; Wu and Manber 1992).
    """
    length, one = len(sets), np.uint64(1)
    known = min(length, WORD_LETTERS)
    last = one << np.uint64(known - 1)
    states = np.zeros(allowed + 1, np.uint64)
    count = 0
    for row in range(letters.shape[0]):
        exact = np.uint64(0)
        states[:] = 0
        for column in range(letters.shape[1]):
            letter = letters[row, column]
            if letter == GAP:
                continue
            mask, before = masks[letter], exact
            exact = ((exact << one) | one) & mask
            reached = exact
            for wrong in range(1, allowed + 1):
                reached = ((((states[wrong] << one) | one) & mask) | (before << one)) | one
                before, states[wrong] = states[wrong], reached
            if reached & last:
                first, lacking = column, known - 1
                while lacking > 0:
                    first -= 1
                    lacking -= letters[row, first] != GAP
                stop = column + 1 if length == known else _motif_end(letters[row], first, sets, allowed)
                if stop > 0:
                    if count == len(found):
                        return count + 1
                    found[count, 0], found[count, 1], found[count, 2] = row, first, stop
                    count += 1
    return count


@inner_njit
def _motif_end(line, first, sets, allowed):
    """Return the column after a motif that begins at ``first``; 0 where there are too many mismatches."""
    at, wrong = 0, 0
    for column in range(first, line.size):
        if line[column] != GAP:
            wrong += not sets[at, line[column]]
            at += 1
            if wrong > allowed:
                return 0
            if at == len(sets):
                return column + 1
    return 0


def find_motif(
    alignment: AlignedSequences, order: np.ndarray, pattern: str, monitor: Monitor | None = None, threads: int = 0
) -> np.ndarray:
    """Find a motif or a regular expression in the letters without gaps.

    Parameters
    ----------
    alignment : AlignedSequences
    order : array of int64
        The rows to search, in the order of the hits.
    pattern : str
        Letters, with IUPAC codes for several, and then how many may differ ("GXGXXG 1"); a PROSITE pattern
        ("W-[FY]-x(2)-N"; Sigrist et al. 2002); or a regular expression of RE2 between slashes ("/N[^P][ST]/"), which
        takes a time linear in the letters for each hit. Of nucleotides, "rc:GGATAC" finds the reverse complement of a
        motif, and "both:GGATAC" the motif on both strands.
    monitor : Monitor, optional
        Receives the parts that are done; may cancel.
    threads : int
        0 for all cores.

    Returns
    -------
    array of int64, shape (n, 3)
        Row, first column, and the column after the last, of at most MAX_HITS hits.

    Raises
    ------
    InputError
        Where the pattern is none of these, the expression needs what RE2 does not have, such as a backreference, or a
        reverse complement of a protein or of an expression is wanted.
    """
    found = [
        _find_one(alignment, order, one, monitor or Monitor(), threads) for one in _read_strands(alignment, pattern)
    ]
    return found[0] if len(found) == 1 else _merge_strands(found, order)


def _read_strands(alignment: AlignedSequences, pattern: str) -> list[str]:
    """Return the patterns to search in the letters: the given one, its reverse complement, or both."""
    match = STRANDS.match(pattern.strip())
    if match is None:
        return [pattern]
    motif = pattern.strip()[match.end() :]
    turned = reverse_complement_motif(motif, alignment.type)
    return [turned] if match[1].lower() == "rc" or turned.upper() == motif.upper() else [motif, turned]


def reverse_complement_motif(motif: str, kind: SequenceType) -> str:
    """Return the reverse complement of a motif of nucleotides; what may differ stays ("GGATAC 1" gives "GTATCC 1").

    Raises InputError for proteins, PROSITE patterns and regular expressions.
    """
    match = MOTIF.fullmatch(motif.strip())
    if kind == SequenceType.PROTEIN:
        raise InputError(f"{motif!r}: proteins have no reverse complement; search without rc: or both:")
    if match is None:
        raise InputError(f"{motif!r}: only letters have a reverse complement; give a motif such as rc:GGATAC")
    letters = match[1].upper()
    from Bio.Seq import reverse_complement, reverse_complement_rna

    turned = reverse_complement_rna(letters) if "U" in letters else reverse_complement(letters)
    return turned + motif.strip()[match.end(1) :]


def _merge_strands(found: list[np.ndarray], order: np.ndarray) -> np.ndarray:
    """Return the hits of both strands in the order of the rows, then of the columns."""
    hits = np.unique(np.concatenate(found), axis=0)
    place = np.empty(int(order.max(initial=0)) + 1, np.int64)
    place[order] = np.arange(order.size)
    return hits[np.lexsort((hits[:, 1], place[hits[:, 0]]))][:MAX_HITS]


def _find_one(
    alignment: AlignedSequences, order: np.ndarray, pattern: str, monitor: Monitor, threads: int
) -> np.ndarray:
    """Find a motif, a PROSITE pattern or an expression on the strand that is there."""
    if len(pattern) > 2 and pattern[0] == pattern[-1] == "/":
        search, letters = _expression_search(pattern[1:-1]), EXPRESSION_PART
    elif is_prosite(pattern):
        search, letters = _expression_search(write_prosite_as_expression(pattern, alignment.type)), EXPRESSION_PART
    else:
        search, letters = _motif_search(pattern, alignment.type), MOTIF_PART
    step = max(1, letters // alignment.letters.shape[1])
    parts = [order[at : at + step] for at in range(0, order.size, step)]
    workers = max(1, min(threads or count_processors(), len(parts)))
    found = _search_parts(alignment, parts, search, monitor, workers)
    return np.concatenate([np.empty((0, 3), np.int64), *found])[:MAX_HITS]


def _search_parts(
    alignment: AlignedSequences, parts: list[np.ndarray], search: Search, monitor: Monitor, threads: int
) -> list[np.ndarray]:
    """Return the hits in the rows of each part, in order, until there are MAX_HITS."""
    found: list[np.ndarray | None] = [None] * len(parts)
    numbers, stop, lock = iter(range(len(parts))), make_stop_word(), threading.Lock()
    done, hits = 0, 0

    def work(_: int) -> None:
        nonlocal done, hits
        for number in numbers:
            if stop[0] or hits >= MAX_HITS:
                return
            rows = parts[number]
            places = search(np.asarray(alignment.letters[rows]), stop)
            places[:, 0] = rows[places[:, 0]]
            with lock:
                found[number] = places
                while done < len(found) and (part := found[done]) is not None:
                    done, hits = done + 1, hits + len(part)

    share_work(work, threads, stop, lambda: monitor.update(done, len(parts), "searching"))
    return [part for part in found[:done] if part is not None]


def is_prosite(pattern: str) -> bool:
    """Whether a text is meant as a PROSITE pattern: it has hyphens or brackets."""
    text = pattern.strip()
    return bool(text) and text[0] not in "/=" and bool(set(text) & set("-[]{}()<>"))


def write_prosite_as_expression(pattern: str, kind: SequenceType) -> str:
    """Return the regular expression of a PROSITE pattern; x is any letter, and codes such as B stand for their letters.

    Raises InputError that names the element that is none.
    """
    text = "".join(pattern.split()).removesuffix(".")
    starts, ends = text.startswith("<"), text.endswith(">")
    parts = text.removeprefix("<").removesuffix(">").split("-")
    codes = AMINO if kind == SequenceType.PROTEIN else IUPAC
    written = [_write_prosite_element(part, codes, pattern) for part in parts]
    return ("^" if starts else "") + "".join(written) + ("$" if ends else "")


def _write_prosite_element(part: str, codes: Mapping[str, str], pattern: str) -> str:
    match = PROSITE_ELEMENT.fullmatch(part)
    if match is None:
        raise InputError(f"{pattern!r}: {part!r} is no element; {PROSITE_HELP}")
    letters = match[1].strip("[]{}").upper()
    if match[1].startswith("{") and set(letters) & set("<>X"):
        raise InputError(f"{pattern!r}: {part!r} excludes every letter; {PROSITE_HELP}")
    taken = "".join("A-Z" if letter == "X" else codes.get(letter, letter) for letter in letters if letter not in "<>")
    written = f"[^{taken}]" if match[1].startswith("{") else f"[{taken}]"
    for end, sign in (("<", "^"), (">", "$")):
        if end in letters:  # [G>] is a G or the end
            written = f"(?:{written}|{sign})" if taken else sign
    if match[2] is None:
        return written
    if match[3] is not None and int(match[3]) < int(match[2]):
        raise InputError(f"{pattern!r}: {part!r} repeats at most fewer times than at least; {PROSITE_HELP}")
    return f"{written}{{{match[2]}{f',{match[3]}' if match[3] else ''}}}"


def _motif_search(wanted: str, kind: SequenceType) -> Search:
    """Return a search for letters with IUPAC codes."""
    match = MOTIF.fullmatch(wanted.strip())
    if match is None:
        raise InputError(
            f"{wanted!r} is not a motif; give letters such as NXST, GXGXXG 1 (one may differ), a PROSITE pattern "
            "such as W-[FY]-x(2)-N, or /N[^P][ST]/"
        )
    allowed = int(match[2] or 0)
    if allowed >= len(match[1]):
        raise InputError(f"{wanted!r}: all {len(match[1])} letters may differ; allow fewer mismatches than letters")
    codes = AMINO if kind == SequenceType.PROTEIN else IUPAC
    motif = _encode_motif([codes.get(letter, letter) for letter in match[1].upper()])
    return lambda letters, _: _first_hits(letters, motif, allowed)


def _encode_motif(taken: list[str]) -> tuple[np.ndarray, np.ndarray]:
    """Return the letters that each position of a motif takes, as `_find_motif_hits` reads them."""
    sets, masks = np.zeros((len(taken), 256), bool), np.zeros(256, np.uint64)
    for number, letters in enumerate(taken):
        sets[number, list(letters.encode())] = True
        if number < WORD_LETTERS:
            masks[sets[number]] |= np.uint64(1) << np.uint64(number)
    return sets, masks


def _first_hits(letters: np.ndarray, motif: tuple[np.ndarray, np.ndarray], allowed: int) -> np.ndarray:
    """Return the first MAX_HITS hits of a motif."""
    found = np.empty((min(MAX_HITS, letters.size), 3), np.int64)
    count = _find_motif_hits(letters, *motif, allowed, found)
    return found[: min(count, len(found))].copy()


def _expression_search(pattern: str) -> Search:
    """Return a search for a regular expression."""
    import re2  # only searches of expressions need it

    if not pattern.isascii():
        raise InputError(f"/{pattern}/ has letters that no sequence has; use A to Z, * and ?")
    options = re2.Options()
    options.encoding = re2.Options.Encoding.LATIN1
    options.case_sensitive, options.log_errors = False, False
    options.never_capture, options.never_nl = True, True
    try:
        expression = re2.compile(_write_for_re2(pattern).encode("ascii"), options)
        options.longest_match = True
        longest = re2.compile(expression.pattern, options)
    except re2.error as error:
        reason = error.args[0].decode() if isinstance(error.args[0], bytes) else error
        raise InputError(f"/{pattern}/ is not a regular expression: {reason}; {EXPRESSION_HELP}") from error
    return lambda letters, stop: _find_expression_hits(letters, expression, longest, stop)


def _write_for_re2(pattern: str) -> str:
    """Return an expression of Python as RE2 writes it, with ends that are those of a line."""

    def rewrite(token: re.Match[str]) -> str:
        if token[0] == "{" or token[0].startswith("(?"):
            reason = f"{token[0]} at {token.start()}"
            raise InputError(f"/{pattern}/ is not a regular expression: {reason}; {EXPRESSION_HELP}")
        return SAME_IN_RE2.get(token[0], token[0])

    return "(?m)" + EXPRESSION_TOKEN.sub(rewrite, pattern)


def _find_expression_hits(letters: np.ndarray, expression: Any, longest: Any, stop: np.ndarray) -> np.ndarray:
    """Return the first MAX_HITS matches in the letters without gaps, row by row, until the stop word is set.

    Rows are searched together, with a line feed after each, which no part of the expression matches. RE2 releases the
    interpreter lock; the stop word is read after each match.
    """
    width = letters.shape[1] + 1
    columns = np.full((len(letters), width), ord("\n"), np.uint8)
    columns[:, :-1] = letters
    kept = np.flatnonzero(columns.reshape(-1) != GAP)
    text = columns.reshape(-1)[kept].tobytes()
    spans = takewhile(lambda _: not stop[0], _match_spans(expression, longest, text))
    first, last = np.array([*islice(filter(None, spans), MAX_HITS)], np.int64).reshape(-1, 2).T
    return np.column_stack([kept[first] // width, kept[first] % width, kept[last - 1] % width + 1])


def _match_spans(expression: Any, longest: Any, text: bytes) -> Iterator[tuple[int, int] | None]:
    """Yield begin and end of the matches that have letters; None for each that has not.

    Where an expression prefers a match without letters, as ``|A`` and ``A*?`` do, the longest match there counts.
    """
    place = 0
    while place < len(text) and (match := expression.search(text, place)) is not None:
        first, last = match.span()
        if first == last:
            last = longest.match(text, first).end()
        yield (first, last) if last > first else None
        place = max(last, first + 1)
