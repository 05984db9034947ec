"""Motifs and expressions in alignments: what is found is what a search of the letters without gaps finds."""

import re
import threading
import time
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st

from antidiag.kernels.alignments import motif_search
from antidiag.kernels.errors import Cancelled, InputError
from antidiag.kernels.io.aligned_sequences import GAP, AlignedSequences
from antidiag.kernels.model import SequenceType
from antidiag.kernels.monitor import Monitor
from tests.example_counts import try_examples

ROWS = st.integers(1, 30).flatmap(
    lambda columns: st.lists(st.text("ACG-", min_size=columns, max_size=columns), min_size=1, max_size=4)
)
TIMES = st.sampled_from(
    ["", "", "", "{2}", "{0,2}", "{1,3}", "{2,}", "{,2}", "?", "*", "+", "??", "*?", "+?", "{1,2}?"]
)
LETTERS = st.sampled_from(["A", "c", "G", "[AC]", "[^G]", "[a-c]", "."])


def repeated(parts: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    return st.lists(st.tuples(parts, TIMES).map("".join), max_size=3).map("".join)


EXPRESSIONS = st.recursive(
    repeated(LETTERS),
    lambda inner: repeated(
        LETTERS
        | st.lists(inner, min_size=1, max_size=3).map(lambda ways: f"(?:{'|'.join(ways)})")
        | inner.map(lambda part: f"({part})")
    ),
    max_leaves=6,
)


def alignment(rows: list[str]) -> AlignedSequences:
    letters = np.array([list(row.encode()) for row in rows], np.uint8)
    return AlignedSequences(tuple(map(str, range(len(rows)))), letters, SequenceType.DNA)


def columns_of(row: str, first: int, last: int) -> tuple[int, int]:
    there = [column for column, letter in enumerate(row) if letter != "-"]
    return there[first], there[last - 1] + 1


@given(ROWS, st.text("ACGN", min_size=1, max_size=6), st.integers(0, 3))
def test_a_motif_is_found_wherever_as_many_letters_are_right(rows, motif, allowed):
    allowed = min(allowed, len(motif) - 1)
    wanted = []
    for number, row in enumerate(rows):
        plain = row.replace("-", "")
        for at in range(len(plain) - len(motif) + 1):
            wrong = sum(want not in ("N", has) for want, has in zip(motif, plain[at:], strict=False))
            if wrong <= allowed:
                wanted.append((number, *columns_of(row, at, at + len(motif))))
    found = motif_search.find_motif(alignment(rows), np.arange(len(rows)), f"{motif} {allowed}")
    assert [tuple(hit) for hit in found.tolist()] == wanted


@try_examples(200)
@given(ROWS, EXPRESSIONS.filter(len) | st.tuples(EXPRESSIONS, EXPRESSIONS).map("|".join))
@example(["AACA"], "(A|AA)C?")
@example(["ACGACG", "CA-GGC"], "(?:A|AC|ACG)(?:G|CG)*?")
@example(["ACCA"], "A.{0,40}C.{0,40}A")
def test_an_expression_is_found_where_python_finds_it(rows, pattern):
    plain = [row.replace("-", "") for row in rows]
    hits = [(at, *hit.span()) for at, row in enumerate(plain) for hit in re.finditer(pattern, row, re.IGNORECASE)]
    assume(not any(one[:2] == other[:2] for one, other in pairwise(hits)))  # it prefers a match without letters
    wanted = [(row, *columns_of(rows[row], first, last)) for row, first, last in hits if last > first]
    found = motif_search.find_motif(alignment(rows), np.arange(len(rows)), f"/{pattern}/")
    assert [tuple(hit) for hit in found.tolist()] == wanted


def test_where_an_expression_prefers_no_letters_the_longest_match_counts():
    rows = alignment(["CAAC", "A---"])
    for pattern in ("A*?", "|A+", "(?:A??)*"):
        found = motif_search.find_motif(rows, np.arange(2), f"/{pattern}/")
        assert found.tolist() == [[0, 1, 3], [1, 0, 1]], pattern


@pytest.mark.parametrize(
    "pattern",
    [
        *("^A", "A$", r"\bA", r"A\B", "A*", "(A?)+", r"A\d", "(?i:A)", "[^A-Z*]", r"\W?A\Z", r"\A.A", r"[^C]*$"),
        *("A{,1}C", r"\S{3}", "(?s).{4}", r"(?P<two>[AC]{2,})G?", r"\AA|C\Z", "a{2}"),
    ],
)
def test_expressions_are_found_row_by_row(pattern):
    rows = ["AACA--C", "GAC-AAA", "CCGGAA-"]
    wanted = [
        (number, *columns_of(row, *hit.span()))
        for number, row in enumerate(rows)
        for hit in re.finditer(pattern, row.replace("-", ""), re.IGNORECASE)
        if hit.end() > hit.start()
    ]
    found = motif_search.find_motif(alignment(rows), np.arange(len(rows)), f"/{pattern}/")
    assert [tuple(hit) for hit in found.tolist()] == wanted


def test_matches_far_apart_and_overlapping_ones_are_those_of_python():
    pattern = "A.{12}C"
    row = "AGGC--AGGGGGGGGGGGGC-AGGGGGAGGGGGGCAAGG--GGGGC"
    found = motif_search.find_motif(alignment([row]), np.arange(1), f"/{pattern}/")
    wanted = [(0, *columns_of(row, *hit.span())) for hit in re.finditer(pattern, row.replace("-", ""))]
    assert [tuple(hit) for hit in found.tolist()] == wanted and len(wanted) > 1


def test_a_match_never_reaches_from_one_row_into_the_next():
    rows = ["GGNA", "S-AA", "NASG", "----"]
    found = motif_search.find_motif(alignment(rows), np.arange(4), "/N[^P][^P]/")
    assert found.tolist() == [[2, 0, 3]]


@pytest.mark.parametrize(
    ("pattern", "reason"),
    [
        ("(?=A)C", "lookaround"),
        ("(?<!A)C", "lookaround"),
        (r"(A)\1", "backreferences"),
        ("A++", "possessive"),
        ("(?:GCGCCG){e<=1}", "approximate.*GXGXXG 1"),
        ("A{2000}", "above 1000"),
        ("(?-m)^A", "RE2"),
        ("A(", "missing"),
        ("\u00c4", "letters that no sequence has"),
    ],
)
def test_an_expression_that_cannot_be_searched_says_why(pattern, reason):
    with pytest.raises(InputError, match=reason):
        motif_search.find_motif(alignment(["ACGT"]), np.arange(1), f"/{pattern}/")


@pytest.mark.parametrize("pattern", ["M.*?MKKW", r"(A|AA|A.)+\d", "M.*W.*W.*K.*KMMMM", "[^W]*WWWWWW"])
def test_the_time_of_a_search_is_linear_in_the_letters(pattern):
    """A search that steps back takes minutes or for ever; RE2 takes milliseconds."""
    random = np.random.default_rng(7)
    letters = random.choice(np.frombuffer(b"ACDEFGHIKLMNPQRSTVWY--", np.uint8), (4, 100_000))
    letters[2, 40_000:40_008] = list(b"MAMK-KWM")
    rows = AlignedSequences(("a", "b", "c", "d"), letters, SequenceType.PROTEIN)
    found = motif_search.find_motif(rows, np.arange(4), f"/{pattern}/")
    ends = found[(found[:, 0] == 2) & (found[:, 2] == 40_007)]
    assert len(ends) == (pattern == "M.*?MKKW")


def test_a_search_of_one_thread_hears_cancel_between_the_hits_of_a_row():
    began = threading.Event()

    class Cancelling(Monitor):
        def update(self, done: int, total: int, phase: str = "") -> None:
            began.set()
            self.check()

    row, monitor = "A" * 200_000, Cancelling()  # each of its hits reads to the end of the row: 10 s in all
    canceller = threading.Thread(target=lambda: (began.wait(), monitor.cancel()))
    canceller.start()
    with pytest.raises(Cancelled):
        motif_search.find_motif(alignment([row]), np.arange(1), "/A.*C|A/", monitor, threads=1)
    canceller.join()


@pytest.mark.parametrize("allowed", [0, 2])
@pytest.mark.parametrize("length", [64, 65, 150])
def test_a_motif_may_be_longer_than_a_word_has_bits(length, allowed):
    random = np.random.default_rng(length)
    line = random.choice(np.frombuffer(b"ACGT", np.uint8), 400)
    motif = line[100 : 100 + length].copy()
    for place in (3, length - 2)[:allowed]:
        motif[place] = ord("A") if motif[place] != ord("A") else ord("C")
    row = np.insert(line, [50, 120, 120, 200], GAP).tobytes().decode()
    found = motif_search.find_motif(alignment([row]), np.arange(1), f"{motif.tobytes().decode()} {allowed}")
    assert [tuple(hit) for hit in found.tolist()] == [(0, *columns_of(row, 100, 100 + length))]
    motif[length - 1] = ord("A") if motif[length - 1] != ord("A") else ord("C")
    assert not len(motif_search.find_motif(alignment([row]), np.arange(1), f"{motif.tobytes().decode()} {allowed}"))


@try_examples(20)
@given(st.integers(1, 4), st.integers(1, 30), st.permutations(range(12)))
def test_threads_find_the_first_places_in_the_order_of_the_rows(threads, most, order):
    rows = alignment(["A-CA", "AAAA", "--CA"] * 4)
    whole = motif_search.find_motif(rows, np.array(order), "A")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(motif_search, "MOTIF_PART", 1)
        patch.setattr(motif_search, "MAX_HITS", most)
        found = motif_search.find_motif(rows, np.array(order), "A", threads=threads)
    assert np.array_equal(found, whole[:most])


def test_a_search_tells_how_far_it_is_and_stops_when_cancelled(monkeypatch):
    monkeypatch.setattr(motif_search, "MOTIF_PART", 1)
    searched, told = [], []
    search = motif_search._first_hits

    def slowly(*given, **more):
        searched.append(None)
        time.sleep(0.05)
        return search(*given, **more)

    def listen(done: int, total: int, phase: str) -> None:
        told.append((done, total))
        if len(told) == 2:
            monitor.cancel()

    monkeypatch.setattr(motif_search, "_first_hits", slowly)
    monitor = Monitor(listen)
    with pytest.raises(Cancelled):
        motif_search.find_motif(alignment(["ACGT"] * 500), np.arange(500), "G", monitor, threads=2)
    assert told[0][1] == 500 and len(searched) < 500


def protein(*rows: str) -> AlignedSequences:
    found = alignment(list(rows))
    return AlignedSequences(found.names, found.letters, SequenceType.PROTEIN)


@pytest.mark.parametrize(
    ("pattern", "hits"),
    [
        ("W-[FY]-x(2)-N", [[0, 2, 8]]),
        ("w-[fy]-x(2)-n.", [[0, 2, 8]]),
        ("W-[FY]-x(1,3)-N", [[0, 2, 8], [1, 0, 4]]),
        ("N-{P}-[ST]-{P}", [[1, 3, 7]]),
        ("<W-Y", [[1, 0, 2]]),
        ("[ST]-A>", [[1, 5, 7]]),
        ("B-x", [[1, 3, 5]]),
        ("N-[GA>]", [[0, 7, 8], [1, 3, 5]]),
    ],
)
def test_patterns_of_prosite_are_found(pattern, hits):
    found = motif_search.find_motif(protein("ACWFK-LN", "WYANGSA-"), np.arange(2), pattern)
    assert found.tolist() == hits


@pytest.mark.parametrize("wrong", ["W-(2)", "W-[F", "W-{x}", "x(3,2)-A", "W--Y", "W-Y!", "W-[]-A"])
def test_an_element_that_is_none_is_named(wrong):
    with pytest.raises(InputError, match="element|excludes|repeats"):
        motif_search.find_motif(protein("ACWF"), np.arange(1), wrong)


def test_reverse_complements_are_found_on_request():
    rows = alignment(["TTGG-ATACTT", "GTATC-CGGTT"])
    assert motif_search.find_motif(rows, np.arange(2), "GGATAC").tolist() == [[0, 2, 9]]
    assert motif_search.find_motif(rows, np.arange(2), "rc:GGATAC").tolist() == [[1, 0, 7]]
    assert motif_search.find_motif(rows, np.array([1, 0]), "both: GGATAC").tolist() == [[1, 0, 7], [0, 2, 9]]
    assert motif_search.find_motif(rows, np.arange(2), "rc:GGATGC 1").tolist() == [[1, 0, 7]]
    assert motif_search.find_motif(rows, np.arange(2), "both:GTAC 1").tolist() == [[0, 5, 9], [1, 0, 4]]
    assert motif_search.reverse_complement_motif("GGAUR", SequenceType.RNA) == "YAUCC"
    with pytest.raises(InputError, match="proteins have no reverse complement"):
        motif_search.find_motif(protein("ACDE"), np.arange(1), "rc:ACD")
    with pytest.raises(InputError, match="only letters have a reverse complement"):
        motif_search.find_motif(rows, np.arange(2), "rc:/A+/")
