"""Searches: scores beside parasail, statistics beside NCBI's tables, limits, strands, overflow, interruption."""

from dataclasses import replace

import numpy as np
import pytest

from antidiag.kernels import engine, registry
from antidiag.kernels.cpu.full_registers import lanes_of
from antidiag.kernels.errors import Cancelled, InputError, ParameterError
from antidiag.kernels.model import Sequence, SequenceType
from antidiag.kernels.monitor import Monitor
from antidiag.kernels.pairwise.search import cpu, score_statistics, shards, trials
from antidiag.kernels.pairwise.search.answer import expected_counts
from antidiag.kernels.pairwise.search.database import make_memory_database, open_database
from antidiag.kernels.pairwise.search.parameters import SearchParameters
from antidiag.kernels.pairwise.search.problem import build_search
from antidiag.kernels.pairwise.search.score_blocks import encode_letters
from antidiag.kernels.run_splitting import RunPiece
from antidiag.kernels.scoring import Scoring, named_matrix
from antidiag.kernels.trials import RandomChooser

METHOD = registry.find_method("smith-waterman-search")
LETTERS = np.frombuffer(b"ARNDCQEGHILKMFPSTWYV", np.uint8)


ROBINSON = np.array([78, 51, 45, 54, 19, 43, 63, 74, 22, 51, 90, 57, 22, 39, 52, 71, 58, 13, 32, 64]) / 998
"""Shares of the letters that BLAST expects (Robinson and Robinson 1991)."""


def proteins(count, longest, seed=1, shares=None):
    random = np.random.default_rng(seed)
    lengths = random.integers(1, longest, count)
    return tuple(
        Sequence(f"p{number}", random.choice(LETTERS, length, p=shares).tobytes(), SequenceType.PROTEIN)
        for number, length in enumerate(lengths.tolist())
    )


def run(problem, monitor=None, **parameters):
    planned = engine.plan_run(METHOD, problem, {"threads": 2, **parameters}, "cpu", use_tuned=False)
    result = engine.execute(planned, monitor, keep_rate=False, keep_parts=False)
    result.check(problem)
    return result


def search(queries, sequences, **options):
    database = make_memory_database(sequences, "test")
    chosen = {"max_evalue": trials.UNLIMITED, "best": 0, **options}
    return run(build_search([*queries, database], chosen))


def search_in_shards(problem, monitor=None):
    """Return the answer of a search with a shard for each sequence."""
    pieces = shards.list_shards(problem, problem.database.count)
    found = [(one, cpu.search_shard(problem, SearchParameters(threads=1), one.numbers, Monitor())) for one in pieces]
    return shards.join_shards(problem, found, monitor or Monitor()).answer


def test_scores_equal_those_of_parasail_whatever_the_width():
    parasail = pytest.importorskip("parasail")
    sequences = [*proteins(90, 300), *(replace(one, name="twin") for one in proteins(3, 300, 7))]
    long = np.concatenate([one.letter_array for one in sequences])
    long_sequence = Sequence("long", long.tobytes(), SequenceType.PROTEIN)  # itself scores beyond 16 bits
    queries = [sequences[0], *proteins(2, 200, 9), Sequence("most", long[:2500].tobytes(), SequenceType.PROTEIN)]
    found = search([*queries, long_sequence], [*sequences, long_sequence], alignments=False).answer
    scores = {(hit[0], hit[1]): hit[3] for hit in trials.list_hits(found)}
    for number, query in enumerate([*queries, long_sequence]):
        profile = parasail.profile_create_32(query.letters.decode(), parasail.blosum62)
        for at, sequence in enumerate([*sequences, long_sequence]):
            if len(query) > 5000 and at % 40:
                continue
            wanted = parasail.sw_striped_profile_32(profile, sequence.letters.decode(), 12, 1).score
            assert scores.get((number, at), 0) == wanted
    assert max(scores.values()) > 2**16


def test_a_long_sequence_is_cut_without_losing_an_alignment_across_a_cut():
    random = np.random.default_rng(4)
    query = Sequence("q", random.choice(np.frombuffer(b"ACGT", np.uint8), 60).tobytes(), SequenceType.DNA)
    genome = random.choice(np.frombuffer(b"ACGT", np.uint8), 30_000)
    block_of = make_memory_database([replace(query, letters=genome.tobytes())], "genome")
    problem = build_search([query, block_of], {"strand": "forward"})
    block = next(open_database(block_of).blocks(2**26, 10))
    starts, ends, owners = cpu.cut_long_sequences(problem.encoded, block, 2)
    assert owners is not None and starts.size > lanes_of(np.int8) // 2
    border = int(np.sort(starts)[3])
    for at in (border - 30, border - 1, border, int(np.sort(ends)[2]) - 30):
        planted = genome.copy()
        planted[at : at + 60] = query.letter_array
        found = search([query], [replace(query, name="genome", letters=planted.tobytes())], strand="forward")
        assert found.answer.scores.tolist() == [120]


def test_reverse_strand_is_found_and_told_on_forward_positions():
    genome = "ACGTTGCAAGGCTTAACCGGATTACGTAGCTAGGATCCA"
    query = Sequence("q", genome[10:30].encode(), SequenceType.DNA)
    reverse = Sequence("r", genome[10:30][::-1].translate(str.maketrans("ACGT", "TGCA")).encode(), SequenceType.DNA)
    database = [Sequence("genome", genome.encode(), SequenceType.DNA)]
    result = search([query, reverse], database)
    assert result.answer.reverse.tolist() == [False, True]
    assert result.answer.scores.tolist() == [40, 40]
    from antidiag.kernels.pairwise.search.formats import make_hit

    hit = make_hit(result.problem, result.answer, 1, 0)
    assert (hit.strand, hit.alignment.query_range, hit.alignment.subject_range) == ("-", (0, 20), (10, 30))
    assert search([reverse], database, strand="forward").answer.scores.max(initial=0) < 40


@pytest.mark.parametrize(
    ("matrix", "costs"), [("BLOSUM62", (11, 1)), ("BLOSUM50", (12, 2)), ("PAM30", (9, 1)), ("blosum62", (9, 2))]
)
def test_published_parameters_are_found_by_matrix_and_costs(matrix, costs):
    found = score_statistics.find_published(Scoring(named_matrix(matrix), *costs))
    assert found is not None and found.origin.startswith("NCBI")
    if (matrix, costs) == ("BLOSUM62", (11, 1)):
        assert (found.lambda_, found.K, found.H) == (0.267, 0.041, 0.14)
        assert found.bits(np.array([111]))[0] == pytest.approx(47.36, abs=0.01)


def test_finite_size_correction_gives_the_number_of_blast():
    """The number is that of a port of NCBI's `BLAST_SpougeStoE`: 100 and 200 letters, 5,000 in the database."""
    found = score_statistics.find_published(Scoring(named_matrix("BLOSUM62"), 11, 1))
    evalue = found.evalues(np.array([1062 / 32]), 100, np.array([200]), 5000, 25)[0]
    assert evalue == pytest.approx(1.5863473416482987, rel=1e-3)


def test_length_adjustment_is_that_of_blastn():
    found = score_statistics.find_published(Scoring(trials.DNA.matrix, 5, 2))
    assert found is not None and found.even_only
    assert score_statistics.adjust_length(0.41, 0.8 / 0.625, -2, 500, 10**6, 100) == 22
    assert found.evalues(np.array([41]), 500, np.array([100]), 10**6, 100) == found.evalues(
        np.array([40]), 500, np.array([100]), 10**6, 100
    )
    assert score_statistics.adjust_length(0.041, 1.9 / 0.267, -30, 10, 50, 5) == 0


def test_fitted_parameters_are_near_the_published_ones(monkeypatch):
    published = score_statistics.find_published(Scoring(named_matrix("BLOSUM62"), 11, 1))
    monkeypatch.setattr(score_statistics, "find_published", lambda scoring: None)
    result = search(proteins(1, 100), proteins(400, 400, shares=ROBINSON))
    fitted = result.answer.statistics
    assert fitted.is_fitted and "shuffled sequences (seed 1)" in fitted.origin
    assert any("shuffled" in note for note in result.notes)
    assert fitted.lambda_ == pytest.approx(published.lambda_, rel=0.05)
    assert pytest.approx(published.K, rel=0.5) == fitted.K


def test_scores_that_grow_with_length_are_told():
    result = search(proteins(1, 40), proteins(20, 60), match=1, mismatch=0, gap_open=0, gap_extend=0)
    assert any("E-values mean little" in note for note in result.notes)


def test_limits_choose_hits():
    sequences = list(proteins(60, 200))
    query = Sequence("q", sequences[5].letters[:80] + sequences[9].letters[:40], SequenceType.PROTEIN)
    everything = search([query], sequences).answer
    assert len(search([query], sequences, best=4).answer) == 4
    least = int(everything.scores[3])
    assert search([query], sequences, min_score=least).answer.scores.min() >= least
    few = search([query], sequences, max_evalue=1e-6).answer
    assert 0 < len(few) < len(everything) and few.evalues.max() <= 1e-6
    identical = search([query], sequences, min_identity=95, min_coverage=30).answer
    assert 0 < len(identical) < len(everything)
    for hit in range(len(identical)):
        path, pair = identical.alignment(hit), identical.pair(search([query], sequences).problem, hit)
        assert path.find_identical(*pair.sequences).mean() >= 0.95
        assert path.end[0] - path.start[0] >= 0.3 * len(query)


@pytest.mark.parametrize("best", [0, 1, 2])
def test_hits_of_equal_score_are_sorted_by_evalue_also_where_few_are_kept(best):
    query = Sequence("q", b"MKWVTFISLLWLFSSAYSRG", SequenceType.PROTEIN)
    sequences = [replace(query, name=f"s{tail}", letters=query.letters + b"G" * tail) for tail in (90, 0, 200, 0)]
    database = make_memory_database(sequences, "test")
    problem = build_search([query, database], {"best": best})
    order = [1, 3, 0, 2]
    for answer in (run(problem).answer, run(problem, block=1024).answer, search_in_shards(problem)):
        assert np.unique(answer.scores).size == 1 and (np.diff(answer.evalues) >= 0).all()
        assert answer.numbers[answer.subject].tolist() == order[: best or None]


def test_the_fitted_curve_lies_along_the_distribution_of_scores():
    letters = np.random.default_rng(8).choice(LETTERS, 250, p=ROBINSON).tobytes()
    query = Sequence("q", letters, SequenceType.PROTEIN)
    result = search([query], proteins(4000, 500, shares=ROBINSON), best=1, alignments=False)
    found, curve = result.answer.histogram[0], expected_counts(result.problem, result.answer, 0)
    assert found.sum() == 4000 and curve.sum() == pytest.approx(4000, rel=1e-6)
    for score in (35, 40, 45):
        assert found[score:].sum() == pytest.approx(curve[score:].sum(), rel=0.5, abs=10)


def test_blocks_change_nothing():
    problem = trials.draw_search(RandomChooser(3))
    whole, cut = run(problem), run(problem, block=1024)
    assert trials.list_hits(whole.answer) == trials.list_hits(cut.answer)


@pytest.mark.parametrize("strand", ["forward", "both"])
def test_hits_of_many_queries_are_aligned_with_their_own(strand):
    queries = [Sequence(f"q{number}", one.letters, SequenceType.DNA) for number, one in enumerate(genomes(130))]
    found = search(queries, genomes(130), strand=strand, best=1)
    assert found.answer.query.tolist() == list(range(130))
    assert [found.answer.alignment(hit).operations.tolist() for hit in range(130)] == [[0] * 20] * 130
    found.answer.check(found.problem)


def genomes(count):
    random = np.random.default_rng(4)
    return [
        Sequence(f"g{number}", random.choice(np.frombuffer(b"ACGT", np.uint8), 20).tobytes(), SequenceType.DNA)
        for number in range(count)
    ]


def test_an_interrupted_search_goes_on(tmp_path, monkeypatch):
    from antidiag.kernels.recovery import interrupted_runs

    monkeypatch.setattr(interrupted_runs, "runs_folder", lambda: tmp_path / "runs")
    monkeypatch.setenv(interrupted_runs.KEEP_AFTER_VARIABLE, "0")
    database = make_memory_database(proteins(3000, 300), "many")
    problem = build_search([*proteins(1, 200), database], {"best": 20})
    whole = run(problem)

    seen = []

    def cancel_late(done, total, phase):
        seen.append(done)
        if phase == "scores" and done > total / 2 and any((tmp_path / "runs").glob("*/part-*")):
            monitor.cancel()

    monitor = Monitor(cancel_late)
    planned = engine.plan_run(METHOD, problem, {"threads": 1, "block": 2048}, "cpu", use_tuned=False)
    with pytest.raises(Cancelled):
        engine.execute(planned, monitor, keep_rate=False, keep_parts=True)
    left = interrupted_runs.find_run(METHOD, problem, {})
    assert left is not None and 0 < left.fraction < 1
    told = []
    again = engine.execute(
        planned,
        Monitor(lambda done, total, phase: told.append(total) if phase == "scores" else None),
        keep_rate=False,
        interrupted_run=left,
        keep_parts=True,
    )
    assert told[0] < problem.cells, "it began anew"
    assert trials.list_hits(again.answer) == trials.list_hits(whole.answer)
    np.testing.assert_array_equal(again.answer.histogram, whole.answer.histogram)


def test_joining_shards_can_be_cancelled():
    problem = trials.draw_search(RandomChooser(3))
    monitor = Monitor()
    monitor.cancel()
    with pytest.raises(Cancelled):
        search_in_shards(problem, monitor)


def test_joining_shards_can_be_cancelled_after_the_last_one_without_alignments():
    problem = replace(trials.draw_search(RandomChooser(3)), alignments=False)
    whole = RunPiece("sequences", {"first": 0, "last": problem.database.count})
    monitor = Monitor()

    def yield_then_cancel():
        yield whole, cpu.search_shard(problem, SearchParameters(threads=1), whole.numbers, Monitor())
        monitor.cancel()

    with pytest.raises(Cancelled):
        shards.join_shards(problem, yield_then_cancel(), monitor)


def test_hits_that_limits_leave_keep_their_own_e_values():
    sequences = proteins(40, 60)
    problem = build_search(
        [*sequences[:3], make_memory_database(sequences)], {"max_evalue": trials.UNLIMITED, "min_identity": 30}
    )
    answer, database = run(problem).answer, problem.database
    assert 3 < len(answer) < 3 * len(sequences), "the limit leaves out none or all but the queries themselves"
    lengths = np.array([len(subject) for subject in answer.subjects])[answer.subject]
    for number, query in enumerate(problem.queries):
        own = list(answer.hits_of_query(number))
        expected = answer.statistics.evalues(
            answer.scores[own], len(query), lengths[own], database.letter_count, database.count
        )
        np.testing.assert_array_equal(answer.evalues[own], expected)


def test_bad_input_names_what_is_wrong():
    sequences = proteins(3, 20)
    with pytest.raises(InputError, match="the query is empty"):
        build_search([Sequence("none", b"", SequenceType.PROTEIN), make_memory_database(sequences)], {})
    with pytest.raises(InputError, match="nothing to search in"):
        build_search([sequences[0]], {})
    with pytest.raises(ParameterError, match="unknown column"):
        build_search(sequences, {"columns": "qseqid nonsense"})
    strange = [Sequence("odd", b"ACDEF*", SequenceType.PROTEIN)]
    with pytest.raises(InputError, match=r"\* of the database has no score"):
        build_search([sequences[0], make_memory_database(strange, "odd")], {"matrix": "RISLER"})
    assert (
        search([sequences[0]], [Sequence("u", b"ACDUUU", SequenceType.PROTEIN)]).problem.scoring.matrix.derived == "U"
    )


def test_without_a_database_the_first_sequence_is_searched_in_the_others():
    sequences = proteins(5, 30)
    found = build_search(sequences, {})
    assert found.queries == sequences[:1] and found.database.count == 4


def test_empty_sequences_are_left_out_and_told():
    empty = Sequence("none", b"", SequenceType.PROTEIN)
    database = make_memory_database([empty, *proteins(2, 9)], "test")
    assert database.count == 2 and "1 empty sequence left out" in database.note


def test_codes_know_every_letter():
    assert encode_letters(np.frombuffer(b"AZ*az-1", np.uint8)).tolist() == [0, 25, 26, 0, 25, 31, 31]
