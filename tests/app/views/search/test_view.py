"""The hits of a search on the screen: table, query, distribution, alignment; what becomes of a million of them."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import numpy as np
import pytest
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QGuiApplication

from antidiag.app import theme
from antidiag.app.kit.selection import Selection
from antidiag.app.views.search import query_map, score_plot
from antidiag.app.views.search.hit_list import COLUMN_IDS, HitList, arrange_hits, format_evalue, parse_filter
from antidiag.app.views.search.query_map import QueryMap
from antidiag.app.views.search.view import SearchView
from antidiag.kernels.errors import ParameterError
from antidiag.kernels.model import Result, Sequence, SequenceType
from antidiag.kernels.monitor import Monitor
from antidiag.kernels.pairwise import reference
from antidiag.kernels.pairwise.model import PairProblem
from antidiag.kernels.pairwise.search.answer import SCORE_BINS, SearchAnswer, join_alignments
from antidiag.kernels.pairwise.search.database import make_memory_database
from antidiag.kernels.pairwise.search.hit_measures import measure_hits
from antidiag.kernels.pairwise.search.problem import SearchProblem, build_search
from antidiag.kernels.pairwise.search.score_statistics import find_published
from tests.app.svg_rendering import assert_svg_is_the_image
from tests.app.views.test_theme_change import assert_same_after_change

LETTERS = np.frombuffer(b"ACDEFGHIKLMNPQRSTVWY", np.uint8)


def draw_letters(random: np.random.Generator, length: int, letters: np.ndarray = LETTERS) -> bytes:
    return letters[random.integers(0, letters.size, length)].tobytes()


def make_result(problem: SearchProblem, answer: SearchAnswer) -> Result:
    return Result(
        method="smith-waterman-search",
        problem=problem,
        parameters={"threads": 2, "block": 2**26},
        backend="cpu",
        device="Test processor",
        answer=answer,
        times_ms={"scores": 12.0, "alignments": 3.0},
        host_bytes=1000,
        device_bytes=0,
        started=datetime(2026, 3, 4, 12, 4, tzinfo=UTC),
    )


def search_by_textbook(problem: SearchProblem) -> Result:
    """What a search gives, by the textbook's alignments of every query with every sequence."""
    sequences, statistics = problem.database.sequences, find_published(problem.scoring)
    rows, histogram = [], np.zeros((len(problem.queries), SCORE_BINS), np.int64)
    for number, query in enumerate(problem.queries):
        hits = []
        for place, subject in enumerate(sequences):
            found = []
            for strand, reverse in enumerate(problem.strands):
                searched = problem.searched[number * len(problem.strands) + strand]
                found.append((reference.align_pair(PairProblem(searched, subject, problem.scoring)), reverse))
            answer, reverse = max(found, key=lambda one: one[0].score)
            histogram[number, min(answer.score, SCORE_BINS - 1)] += 1
            hits.append((answer, place, reverse))
        for answer, place, reverse in sorted(hits, key=lambda one: -one[0].score):
            evalue = statistics.evalues(
                np.array([answer.score]), len(query), np.array([len(sequences[place])]),
                problem.database.letter_count, problem.database.count,
            )[0]  # fmt: skip
            if evalue <= problem.max_evalue:
                rows.append((number, place, reverse, answer, evalue))
    scores = np.array([row[3].score for row in rows], np.int32)
    return make_result(
        problem,
        SearchAnswer(
            np.array([row[0] for row in rows], np.int32),
            np.array([row[1] for row in rows], np.int32),
            np.array([row[2] for row in rows], bool),
            scores,
            statistics.bits(scores),
            np.array([row[4] for row in rows]),
            tuple(sequences),
            np.arange(len(sequences)),
            histogram,
            statistics,
            **join_alignments([row[3].alignment for row in rows]),
        ),
    )


def protein_search(count: int = 30) -> Result:
    """Two queries in some proteins, every third of which is related to the first query."""
    random = np.random.default_rng(4)
    query = draw_letters(random, 60)
    subjects = []
    for number in range(count):
        letters = bytearray(draw_letters(random, 50 + number))
        if number % 3 == 0:
            letters[5:45] = query[10:50]
            for place in random.integers(5, 45, number).tolist():
                letters[place] = draw_letters(random, 1)[0]
        title = f"seq{number} {'kinase' if number % 2 else 'globin'} number {number}"
        subjects.append(Sequence(f"seq{number}", bytes(letters), SequenceType.PROTEIN, title))
    queries = [
        Sequence("query1", query, SequenceType.PROTEIN),
        Sequence("query2", draw_letters(random, 40), SequenceType.PROTEIN),
    ]
    return search_by_textbook(build_search([*queries, make_memory_database(subjects, "proteins")], {}))


def nucleotide_search() -> Result:
    """A query of which one sequence has the reverse complement."""
    random = np.random.default_rng(5)
    bases = np.frombuffer(b"ACGT", np.uint8)
    query = Sequence("read", draw_letters(random, 80, bases), SequenceType.DNA)
    turned = query.letters.translate(bytes.maketrans(b"ACGT", b"TGCA"))[::-1]
    subjects = [
        Sequence("forward", b"TT" + query.letters[10:70] + b"AC", SequenceType.DNA),
        Sequence("reverse", b"GG" + turned[5:65] + b"CA", SequenceType.DNA),
        Sequence("other", draw_letters(random, 70, bases), SequenceType.DNA),
    ]
    return search_by_textbook(build_search([query, make_memory_database(subjects, "contigs")], {}))


def many_hits(count: int = 10**6) -> Result:
    """A million hits without the time of a search; their alignments are the first ten letters."""
    random = np.random.default_rng(6)
    query = Sequence("query", draw_letters(random, 300), SequenceType.PROTEIN)
    subjects = tuple(
        Sequence(
            f"protein_{number}",
            query.letters[: 20 + number % 40],
            SequenceType.PROTEIN,
            f"protein_{number} {number % 97}",
        )
        for number in range(1000)
    )
    problem = build_search([query, make_memory_database(subjects, "proteins")], {"best": 0})
    scores = np.sort(random.integers(30, 400, count).astype(np.int32))[::-1].copy()
    statistics = find_published(problem.scoring)
    starts = random.integers(0, 10, (count, 2)).astype(np.int32)
    starts[:, 1] = starts[:, 0]
    answer = SearchAnswer(
        np.zeros(count, np.int32),
        random.integers(0, 1000, count).astype(np.int32),
        np.zeros(count, bool),
        scores,
        statistics.bits(scores),
        10.0 ** -(scores / 10),
        subjects,
        np.arange(1000),
        np.bincount(np.minimum(scores, SCORE_BINS - 1), minlength=SCORE_BINS)[None, :],
        statistics,
        starts,
        starts + 10,
        np.zeros(10 * count, np.uint8),
        np.arange(count + 1, dtype=np.int64) * 10,
    )
    return make_result(problem, answer)


@pytest.fixture(scope="module")
def proteins() -> Result:
    return protein_search()


@pytest.fixture
def view(qtbot: Any, proteins: Result) -> SearchView:
    return shown_view(qtbot, proteins)


def shown_view(qtbot: Any, result: Result) -> SearchView:
    made = SearchView(Selection())
    qtbot.addWidget(made)
    made.resize(1000, 760)
    made.show()
    made.show_result(result)
    wait(qtbot, made)
    return made


def wait(qtbot: Any, view: SearchView) -> None:
    qtbot.waitUntil(lambda: view.sharp and view.has_content, timeout=20_000)


def column_texts(view: SearchView, name: str) -> list[str]:
    model, column = view.table.hit_model, COLUMN_IDS.index(name)
    return [model.data(model.index(row, column)) for row in range(model.rowCount())]


def test_the_table_has_the_hits_of_the_first_query_the_best_first(view, proteins):
    hits = proteins.answer.hits_of_query(0)
    assert view.table.hit_model.rowCount() == len(hits) > 5
    assert column_texts(view, "score") == [
        str(score) for score in proteins.answer.scores[hits.start : hits.stop].tolist()
    ]
    assert view.status.text().startswith(f"{len(hits)} hits")
    assert view.panel.row == 0 and "seq0" in view.panel.text.toPlainText()
    assert "40 of 40 columns identical: 100.0 % of columns" in view.panel.text.toPlainText()


def test_identities_and_coverages_are_those_of_the_paths(view, proteins):
    for row in range(view.shown.hits.count):
        hit = view.shown.hits.span.start + row
        path = proteins.answer.alignment(hit)
        pair = proteins.answer.pair(proteins.problem, hit)
        same = int(path.find_identical(*pair.sequences).sum())
        assert view.shown.hits.identities[row] == pytest.approx(100 * same / path.operations.size)
        assert view.shown.hits.measures.gap_letters[hit] == int((path.operations != 0).sum())
        assert view.shown.hits.coverages[row] == pytest.approx(100 * (path.end[0] - path.start[0]) / 60)


def test_a_click_on_a_heading_sorts_and_a_second_one_turns_the_order(view, qtbot):
    view.sort_by("name")
    wait(qtbot, view)
    assert column_texts(view, "name") == sorted(column_texts(view, "name"))
    view.sort_by("identity")
    wait(qtbot, view)
    shares = [float(text.removesuffix(" %")) for text in column_texts(view, "identity")]
    assert shares == sorted(shares, reverse=True)
    view.sort_by("identity")
    wait(qtbot, view)
    assert [float(text.removesuffix(" %")) for text in column_texts(view, "identity")] == sorted(shares)


def test_a_filter_takes_words_and_limits(view, qtbot):
    view.filter_line.setText("globin score>=60")
    view.filter_hits(view.filter_line.text())
    wait(qtbot, view)
    assert all(int(text) >= 60 for text in column_texts(view, "score")) and column_texts(view, "score")
    assert all("globin" in text for text in column_texts(view, "title"))
    assert "hits shown" in view.status.text()
    view.filter_hits("score>=many")
    assert view.filter_line.property("wrong") and "needs a number" in view.status.text()
    view.filter_hits("size>3")
    assert "is no column with numbers" in view.status.text()
    view.filter_hits("")
    wait(qtbot, view)
    assert view.table.hit_model.rowCount() == view.hits.count


def test_filters_are_parsed():
    assert parse_filter("Kinase e<1e-3 id>=40%").limits == (("evalue", "<", 1e-3), ("identity", ">=", 40.0))
    assert parse_filter("Kinase").words == ("kinase",) and parse_filter("").is_empty
    with pytest.raises(ParameterError, match="'width' is no column"):
        parse_filter("width>3")


def test_evalues_are_written_as_blast_does():
    assert [format_evalue(value) for value in (0.0, 3e-25, 0.002, 0.05, 1.44, 20.0)] == [
        "0.0", "3e-25", "0.002", "0.050", "1.4", "20.0",
    ]  # fmt: skip


def test_another_query_has_its_own_hits(view, qtbot, proteins):
    assert view.queries.isVisible() and view.queries.count() == 2
    view.choose_query(1)
    wait(qtbot, view)
    assert view.table.hit_model.rowCount() == len(proteins.answer.hits_of_query(1))


def test_hits_lie_along_the_query_and_a_click_chooses_one(view, qtbot):
    area = QRectF(view.pictures.map_canvas.rect())
    picture = QueryMap(view.shown)
    point = QPointF(area.center().x(), query_map._top_of_hits() + 2 * (query_map.ROW + query_map.GAP) + 1)
    assert picture.place_at(point, area) == 2
    qtbot.mouseClick(view.pictures.map_canvas, Qt.MouseButton.LeftButton, pos=point.toPoint())
    assert view.table.chosen == 2 and view.panel.row == int(view.shown.order[2])
    qtbot.mouseMove(view.pictures.map_canvas, point.toPoint())
    qtbot.waitUntil(lambda: "of the query" in view.status.text())
    depth = query_map.count_depth(view.shown)
    spans = view.shown.hits.query_ranges
    assert depth.tolist() == [int(((spans[:, 0] <= at) & (at < spans[:, 1])).sum()) for at in range(60)]


def test_the_expected_curve_sums_to_the_database(view, proteins):
    found = score_plot.distribute_scores(view.hits)
    assert found.counts.sum() == proteins.problem.database.count
    assert found.expected.sum() == pytest.approx(proteins.problem.database.count, rel=0.02)
    assert (found.expected >= 0).all() and found.limit > 10


def test_a_hit_on_the_reverse_strand_is_told(qtbot):
    result = nucleotide_search()
    view = shown_view(qtbot, result)
    names = column_texts(view, "name")
    row = names.index("reverse")
    view.table.go_to(row)
    words = view.panel.text.toPlainText()
    low, high = view.hits.query_ranges[int(view.shown.order[row])].tolist()
    assert high - low >= 60 and "Reverse strand of the query" in words and f"read    {high} " in words
    assert column_texts(view, "strand")[row] == "-"
    assert column_texts(view, "query")[row] == f"{low + 1}\u2013{high}"
    with qtbot.waitSignal(view.result_made) as made:
        view.open_hit()
    opened = made.args[0]
    assert opened.problem.is_reversed and opened.score == view.hits.scores[row]
    assert opened.problem.data[0].name == "read"


def test_selected_hits_become_data_of_a_task(view, qtbot):
    view.table.selectRow(0)
    view.table.selectionModel().select(
        view.table.hit_model.index(2, 0),
        view.table.selectionModel().SelectionFlag.Select | view.table.selectionModel().SelectionFlag.Rows,
    )
    with qtbot.waitSignal(view.task_wanted) as wanted:
        view.take_hits("msa", with_query=True)
    request = wanted.args[0]
    expected = [view.hits.subject(int(view.shown.order[place])).name for place in (0, 2)]
    assert request.task == "msa" and [one.name for one in request.data] == ["query1", *expected]


def test_rows_are_copied_in_the_shown_columns(view):
    view.table.choose_columns(["name", "evalue"])
    view.copy_table()
    lines = QGuiApplication.clipboard().text().splitlines()
    assert lines[0] == "Sequence\tE-value" and len(lines) == 1 + view.table.hit_model.rowCount()
    assert lines[1].startswith("seq0\t")


def test_the_state_of_the_view_comes_back(view, qtbot, proteins):
    view.table.choose_columns(["name", "bits", "strand"])
    view.sort_by("name", True)
    wait(qtbot, view)
    view.table.go_to(3)
    kept = view.view_state.collect()
    other = shown_view(qtbot, proteins)
    other.view_state.restore(kept)
    wait(qtbot, other)
    assert other.table.list_columns() == ["name", "bits", "strand"]
    assert column_texts(other, "name") == sorted(column_texts(other, "name"), reverse=True)
    assert other.panel.row == view.panel.row


def test_a_search_without_hits_says_what_to_do(qtbot):
    problem = build_search(
        [
            Sequence("q", b"WWWWHHHH", SequenceType.PROTEIN),
            make_memory_database([Sequence("s", b"KKKKDDDD", SequenceType.PROTEIN)], "d"),
        ],
        {"max_evalue": 1e-9},
    )
    view = shown_view(qtbot, search_by_textbook(problem))
    assert "raise the E-value limit" in view.status.text() and view.table.hit_model.rowCount() == 0
    assert "Choose a hit" in view.panel.text.toPlainText()
    view.take_hits()
    assert view.status.text() == "There are no hits to take."


def test_hits_without_alignments_have_scores_and_say_so(qtbot, proteins):
    answer = proteins.answer
    bare = replace(answer, **{name: getattr(answer, name)[:0] for name in ("starts", "ends", "operations")})
    view = shown_view(qtbot, make_result(replace(proteins.problem, alignments=False), bare))
    assert column_texts(view, "score") and set(column_texts(view, "identity")) == {""}
    assert "did not align its hits" in view.panel.text.toPlainText()
    view.filter_hits("coverage>=10")
    wait(qtbot, view)
    assert view.table.hit_model.rowCount() == 0
    view.grab()


def test_a_right_click_offers_what_can_be_done_with_hits(view):
    words = [action.text() for action in view.row_menu.actions() if action.text()]
    assert words == [
        "Open alignment and matrix", "Add to data", "Add to data with the query", "Align", "Make a tree", "Copy",
    ]  # fmt: skip


def test_the_figure_is_the_same_as_svg(view):
    assert_svg_is_the_image(view.figure_size(), view.draw_figure, share=0.02)


def test_a_change_of_the_theme_leaves_no_old_colours(qtbot, proteins):
    before = theme.active().name
    try:
        assert_same_after_change(qtbot, lambda: shown_view(qtbot, proteins), "hits")
    finally:
        theme.switch(before)


@pytest.mark.slow
def test_a_million_hits_are_measured_sorted_and_scrolled(qtbot):
    result = many_hits()
    measures = measure_hits(result.problem, result.answer, Monitor())
    assert (measures.columns == 10).all() and measures.gap_letters.sum() == 0
    assert (measures.identical == 10).all()
    hits = HitList(result.problem, result.answer, 0, measures)
    shown = arrange_hits(hits, parse_filter("evalue<1e-20"), "length", False)
    assert (np.diff(hits.lengths[shown.order]) >= 0).all() and 0 < shown.order.size < 10**6
    view = shown_view(qtbot, result)
    bar = view.table.verticalScrollBar()
    for share in np.linspace(0, 1, 5):
        bar.setValue(int(share * bar.maximum()))
        view.table.viewport().repaint()
    assert view.table.first_visible > 999_000
