"""Runs that are shared out in pieces give the answer of a run in one piece, by every executor."""

from __future__ import annotations

import dataclasses
import itertools

import numpy as np
import pytest

from antidiag.kernels import engine, registry
from antidiag.kernels.batch_runs import split_runs
from antidiag.kernels.errors import Cancelled, ParameterError
from antidiag.kernels.executors.executor import Executor
from antidiag.kernels.executors.executor_choice import ExecutorChoice
from antidiag.kernels.executors.tasks import TaskFailed
from antidiag.kernels.io.aligned_sequences import AlignedSequences
from antidiag.kernels.memory import Footprint
from antidiag.kernels.model import Result, Sequence, SequenceType
from antidiag.kernels.monitor import Monitor
from antidiag.kernels.msa.consistency import posterior_blocks
from antidiag.kernels.pairwise.batch import pair_blocks
from antidiag.kernels.pairwise.batch.model import BatchProblem
from antidiag.kernels.parttree.lcs import block_pairs
from antidiag.kernels.trees.distances import pair_strips
from tests.dask_clusters import start_thread_cluster

AMINO = np.frombuffer(b"ACDEFGHIKLMNPQRSTVWY", np.uint8)


def random_sequences(count: int, seed: int = 1) -> list[Sequence]:
    random = np.random.default_rng(seed)
    lengths = random.integers(5, 60, count)
    return [
        Sequence(f"s{number}", random.choice(AMINO[:6], length).tobytes(), SequenceType.PROTEIN)
        for number, length in enumerate(lengths)
    ]


def random_alignment(rows: int, columns: int) -> AlignedSequences:
    random = np.random.default_rng(2)
    root = random.choice(AMINO, columns)
    letters = np.where(random.random((rows, columns)) < 0.35, random.choice(AMINO, (rows, columns)), root)
    letters = np.ascontiguousarray(letters.astype(np.uint8))
    letters.setflags(write=False)
    return AlignedSequences(tuple(f"r{row}" for row in range(rows)), letters, SequenceType.PROTEIN)


def run_whole(method_id: str, data: list, **options: object) -> Result:
    method = registry.find_method(method_id)
    problem = method.problem_type.make_problem(data, options)
    return engine.execute(engine.plan_run(method, problem, {"threads": 1}, "cpu"), keep_rate=False)


def run_split(executor: Executor, method_id: str, data: list, **options: object) -> Result:
    method = registry.find_method(method_id)
    problem = method.problem_type.make_problem(data, options)
    return split_runs.execute_split(method, problem, {}, executor, backend="cpu")


@pytest.fixture(scope="module")
def cluster():
    with start_thread_cluster() as found:
        yield found.scheduler_address


@pytest.fixture(params=["local", "processes", pytest.param("dask", marks=pytest.mark.slow)], scope="module")
def executor(request):
    place = request.param
    scheduler = request.getfixturevalue("cluster") if place == "dask" else None
    with ExecutorChoice(place, scheduler, slots=2).open() as found:
        yield found


@pytest.mark.parametrize("mode", ["local", "global"])
def test_distances_in_strips_are_those_of_one_run(executor, mode):
    data = random_sequences(150)
    whole, split = run_whole("distance-full", data, mode=mode), run_split(executor, "distance-full", data, mode=mode)
    assert np.array_equal(split.answer.distances.values, whole.answer.distances.values)
    assert split.answer.distances.names == whole.answer.distances.names
    split.check(split.problem)
    assert "strips of pairs" in " ".join(split.notes) and split.backend == "cpu"


@pytest.mark.parametrize("method", ["batch-alignment", "batch-score"])
@pytest.mark.parametrize("pairing", ["all", "queries", "records"])
def test_blocks_of_pairs_are_those_of_one_run(executor, method, pairing):
    data, options = random_sequences(12), {"pairing": pairing, "queries": 3, "mode": "global"}
    whole, split = run_whole(method, data, **options), run_split(executor, method, data, **options)
    split.check(split.problem)
    assert np.array_equal(split.answer.scores, whole.answer.scores)
    if method == "batch-alignment":
        for number in range(whole.problem.pair_count):
            one, other = split.answer.paths[number], whole.answer.paths[number]
            assert one.start == other.start and np.array_equal(one.operations, other.operations)


@pytest.mark.parametrize("pairing", ["all", "queries", "records"])
@pytest.mark.parametrize("letters", [30, 10**6])
def test_blocks_hold_every_pair_once_in_order(monkeypatch, pairing, letters):
    monkeypatch.setattr(pair_blocks, "MOST_LETTERS", letters)
    monkeypatch.setattr(pair_blocks, "MOST_PAIRS", 7)
    options = {"pairing": pairing, "queries": 5}
    problem = registry.find_method("batch-score").problem_type.make_problem(random_sequences(14), options)
    blocks = pair_blocks.list_blocks(problem, 2)
    found = [
        (pair.first.name, pair.second.name)
        for block in blocks
        for one in [pair_blocks.block_problem(problem, block.numbers)]
        for pair in map(one.make_pair, range(one.pair_count))
    ]
    names = [one.name for one in problem.sequences]
    assert (
        found
        == {
            "all": list(itertools.combinations(names, 2)),
            "queries": list(itertools.product(names[:5], names[5:])),
            "records": list(zip(names[:7], names[7:], strict=True)),
        }[pairing]
    )
    assert sum(block.cost for block in blocks) == problem.cells
    for block in blocks:
        pairs = pair_blocks.block_problem(problem, block.numbers)
        most = max(sum(len(one) for one in pairs.make_pair(number).sequences) for number in range(pairs.pair_count))
        assert pairs.pair_count <= 7 and sum(map(len, pairs.sequences)) < letters + most


def test_blocks_are_listed_without_a_list_of_their_pairs(monkeypatch):
    monkeypatch.setattr(BatchProblem, "index_pairs", None)
    problem = registry.find_method("batch-score").problem_type.make_problem(random_sequences(5000), {"pairing": "all"})
    blocks = pair_blocks.list_blocks(problem, 12)
    assert len(blocks) == 625 and blocks[-1].numbers["last"] == problem.pair_count == 12_497_500
    assert sum(block.cost for block in blocks) == problem.cells


def family(count: int, length: int = 40) -> list[Sequence]:
    """Related proteins of several lengths, and an empty one."""
    rows = random_alignment(count - 1, length)
    letters = [row[number % 7 :].tobytes() for number, row in enumerate(rows.letters)]
    return [Sequence(f"s{number}", one, SequenceType.PROTEIN) for number, one in enumerate([*letters, b""])]


def assert_same_alignment(split: Result, whole: Result) -> None:
    split.check(split.problem)
    one, other = split.answer, whole.answer
    assert np.array_equal(one.alignment.letters, other.alignment.letters)
    assert np.array_equal(one.confidence, other.confidence)
    assert one.tree.names == other.tree.names and np.array_equal(one.tree.lengths, other.tree.lengths, equal_nan=True)


def test_an_alignment_by_shared_posteriors_is_that_of_one_run(executor):
    data = family(20)
    split = run_split(executor, "msa", data)
    assert_same_alignment(split, run_whole("msa", data))
    assert "pieces (posteriors of blocks of pairs)" in split.notes[-1] and "posteriors" in split.times_ms


@pytest.mark.slow
def test_each_variant_has_blocks_of_its_own():
    data = family(6)
    with ExecutorChoice("local", slots=1).open() as executor:
        split = run_split(executor, "msa", data, effort="thorough")
    assert_same_alignment(split, run_whole("msa", data, effort="thorough"))
    assert "12 pieces" in split.notes[-1], "four variants of three blocks each"


@pytest.mark.parametrize("count", [1, 2])
def test_few_sequences_have_few_blocks(count):
    data = family(count + 1)
    with ExecutorChoice("local", slots=1).open() as executor:
        assert_same_alignment(run_split(executor, "msa", data), run_whole("msa", data))


@pytest.mark.parametrize(("least", "rows"), [(1, 10**6), (6, 10**6), (10**6, 10**6), (1, 300)])
def test_blocks_of_posteriors_hold_every_task_once(monkeypatch, least, rows):
    monkeypatch.setattr(posterior_blocks, "MOST_ROWS", rows)
    problem = registry.find_method("msa").problem_type.make_problem(family(40), {})
    blocks = posterior_blocks.list_blocks(problem, least)
    tasks = [task for block in blocks for task in posterior_blocks.open_block(problem, block.numbers).tasks]
    pairs = {frozenset((task.x, other)) for task in tasks for other in task.others}
    assert len(pairs) == sum(len(task.others) for task in tasks) == 39 * 38 // 2
    assert sum(block.cost for block in blocks) == problem.cells
    assert len(blocks) == {(1, 10**6): 1, (6, 10**6): 6, (10**6, 10**6): len(tasks)}.get((least, rows), len(blocks))
    for block in blocks if rows == 300 else ():
        own = posterior_blocks.open_block(problem, block.numbers).tasks
        assert sum(problem.lengths[problem.filled[task.x]] * len(task.others) for task in own[1:]) <= 300 + 16 * 40


def test_the_plan_tells_the_memory_of_the_largest_block():
    method = registry.find_method("msa")
    planned = engine.plan_run(method, method.problem_type.make_problem(family(40), {}), {}, "cpu")
    count = len(posterior_blocks.list_blocks(planned.problem, 6 * 3))
    needed = lambda *_: Footprint({"posteriors": 5 << 20}, {"pairs": 3 << 30})  # noqa: E731
    told = split_runs.describe_expected_pieces(replace_estimate(planned, needed), 3)
    assert f"falls into {count} pieces (posteriors of blocks of pairs) for 3 tasks at a time" in told
    assert "the largest needs 5.0 MiB of main memory and 3.0 GiB of a GPU" in told
    assert "none needs much memory" in split_runs.describe_expected_pieces(replace_estimate(planned, None), 3)


def replace_estimate(planned, estimate):
    """Return the plan with another estimate of its pieces."""
    splitting = dataclasses.replace(planned.method.splitting, estimate_memory=estimate)
    return dataclasses.replace(planned, method=dataclasses.replace(planned.method, splitting=splitting))


@pytest.mark.parametrize(("length", "workers", "pays"), [(300, 2, False), (300, 16, True), (2700, 2, True)])
def test_posteriors_are_sent_to_a_gpu_where_that_takes_less_time(length, workers, pays):
    letters = [Sequence(f"s{number}", b"M" * length, SequenceType.PROTEIN) for number in range(4)]
    method = registry.find_method("msa")
    on_cpu = engine.plan_run(method, method.problem_type.make_problem(letters, {}), {}, "cpu")
    on_gpu = dataclasses.replace(on_cpu, backend="cuda")
    assert split_runs.runs_whole(on_gpu, workers) == (not pays) and not split_runs.runs_whole(on_cpu, workers)
    assert (split_runs.describe_expected_pieces(on_gpu, workers) == split_runs.ONE_PIECE) == (not pays)


def test_a_run_whose_gpu_is_faster_alone_is_not_shared_out(monkeypatch):
    data = family(6)
    monkeypatch.setattr(split_runs, "runs_whole", lambda plan, slots: True)
    with ExecutorChoice("local", slots=2).open() as executor:
        found = run_split(executor, "msa", data)
        assert executor.counts.done == 0
    assert_same_alignment(found, run_whole("msa", data))
    assert found.notes[-1] == split_runs.ONE_PIECE


def test_a_block_that_does_not_fit_is_refused(monkeypatch):
    large = Footprint({"posteriors": 1 << 60})
    monkeypatch.setattr(posterior_blocks.sizes, "estimate_block_memory", lambda *rest: large)
    with ExecutorChoice("local", slots=1).open() as executor, pytest.raises(TaskFailed, match="fewer on one machine"):
        run_split(executor, "msa", family(6))


@pytest.mark.parametrize("method_id", ["msa", "lcs-single-linkage", "distance-full"])
def test_pieces_report_their_share_of_the_work(method_id):
    heard = list[tuple[int, int]]()
    monitor = Monitor(lambda done, total, phase: heard.append((done, total)) if phase == "pieces" else None)
    method = registry.find_method(method_id)
    problem = method.problem_type.make_problem(random_sequences(80), {})
    with ExecutorChoice("local", slots=1).open() as executor:
        split_runs.execute_split(method, problem, {}, executor, monitor, "cpu")
    assert heard == sorted(heard) and heard[0][0] == 0
    pieces = method.splitting.list_pieces(problem, split_runs.PIECES_PER_SLOT)
    assert heard[-1] == (sum(int(piece.cost) for piece in pieces),) * 2


def test_posteriors_that_are_shared_out_can_be_cancelled():
    monitor = Monitor(lambda done, total, phase: monitor.cancel() if phase == "pieces" and done else None)
    method = registry.find_method("msa")
    problem = method.problem_type.make_problem(family(20), {})
    with ExecutorChoice("local", slots=1).open() as executor, pytest.raises(Cancelled):
        split_runs.execute_split(method, problem, {}, executor, monitor, "cpu")


def test_single_linkage_of_blocks_is_that_of_one_run(executor, monkeypatch):
    monkeypatch.setattr(block_pairs, "LEAST_BLOCK", 9)
    far = [Sequence(f"far{number}", letters, SequenceType.PROTEIN) for number, letters in enumerate([b"YYY", b"WWWW"])]
    data = [*random_sequences(60), *random_sequences(5, seed=1), *far, *family(4)]
    whole, split = run_whole("lcs-single-linkage", data), run_split(executor, "lcs-single-linkage", data)
    split.check(split.problem)
    tree, other = split.answer.tree, whole.answer.tree
    assert tree.names == other.names and np.array_equal(tree.lengths, other.lengths, equal_nan=True)
    assert any("saturated" in note for note in whole.notes) and split.notes[:-1] == whole.notes
    assert "15 pieces (comparisons of two blocks of sequences)" in split.notes[-1] and split.cells == whole.cells


@pytest.mark.parametrize("count", [1, 2, 50, 300])
@pytest.mark.parametrize("least", [1, 12, 1000])
def test_pairs_of_blocks_hold_every_pair_of_sequences(count, least):
    problem = registry.find_method("lcs-single-linkage").problem_type.make_problem(random_sequences(count), {})
    found = np.zeros((count, count), int)
    for piece in block_pairs.list_block_pairs(problem, least):
        first, second = block_pairs.read_block_pair(piece.numbers)
        found[np.ix_(first, second)] += 1
    assert (found == np.triu(np.ones_like(found)) + np.tril(found, -1)).all() and found.max() == 1


def test_bootstrap_in_pieces_is_that_of_one_run(executor):
    data = [random_alignment(14, 60)]
    whole = run_whole("nj-alignment", data, bootstrap=50)
    split = run_split(executor, "nj-alignment", data, bootstrap=50)
    tree, other = split.answer.tree, whole.answer.tree
    assert tree.names == other.names and any(name.isdecimal() for name in tree.names[14:])
    assert np.array_equal(tree.parents, other.parents) and np.array_equal(tree.lengths, other.lengths, equal_nan=True)


def test_a_tree_without_replicates_is_one_piece():
    with ExecutorChoice("local", slots=1).open() as executor:
        split = run_split(executor, "nj-alignment", [random_alignment(6, 30)])
    assert split.answer.tree.names == run_whole("nj-alignment", [random_alignment(6, 30)]).answer.tree.names


@pytest.mark.parametrize("count", [1, 2, 31, 32, 33, 64, 200])
@pytest.mark.parametrize("least", [1, 4, 1000])
def test_strips_cover_all_columns_once_in_whole_steps(count, least):
    problem = registry.find_method("distance-full").problem_type.make_problem(random_sequences(count), {})
    strips = [(piece.numbers["first"], piece.numbers["last"]) for piece in pair_strips.list_strips(problem, least)]
    assert strips[0][0] == 0 and strips[-1][1] == count
    assert [first for first, _ in strips[1:]] == [last for _, last in strips[:-1]]
    assert all(first % pair_strips.STRIP_STEP == 0 and first < last for first, last in strips)


def test_strips_cost_about_the_same():
    problem = registry.find_method("distance-full").problem_type.make_problem(random_sequences(2000), {})
    costs = [piece.cost for piece in pair_strips.list_strips(problem, 8)]
    assert len(costs) == 8 and max(costs) < 1.4 * sum(costs) / 8, "borders are multiples of 32 columns"


def test_a_method_in_one_piece_names_those_that_are_shared_out():
    with ExecutorChoice("local", slots=1).open() as executor, pytest.raises(ParameterError, match="distance-full"):
        run_split(executor, "distance-6mer", random_sequences(4))


def test_a_piece_that_fails_ends_the_run_with_its_error(monkeypatch):
    def fail(*rest: object) -> None:
        raise ValueError("broken on purpose")

    monkeypatch.setattr("antidiag.kernels.trees.distances.cpu.distance_full_strip", fail)
    with ExecutorChoice("local", slots=1).open() as executor, pytest.raises(TaskFailed, match="broken on purpose"):
        run_split(executor, "distance-full", random_sequences(40))


def test_a_cancelled_run_stops():
    monitor = Monitor()
    monitor.cancel()
    method = registry.find_method("distance-full")
    problem = method.problem_type.make_problem(random_sequences(60), {})
    with ExecutorChoice("local", slots=1).open() as executor, pytest.raises(Cancelled):
        split_runs.execute_split(method, problem, {}, executor, monitor, "cpu")


def related_sequences(count: int) -> list[Sequence]:
    """A query and a database of which every third sequence has a part of it."""
    random = np.random.default_rng(5)
    query = random.choice(AMINO, 40)
    found = [Sequence("query", query.tobytes(), SequenceType.PROTEIN)]
    for number in range(count):
        letters = random.choice(AMINO, int(random.integers(20, 120)))
        if number % 3 == 0:
            letters = np.concatenate([letters, query[number % 20 :], letters[:5]])
        found.append(Sequence(f"s{number}", letters.tobytes(), SequenceType.PROTEIN))
    return found


FITTED = {"matrix": "", "match": 3, "mismatch": -2}
"""Scores whose E-values are fitted to shuffled sequences."""


@pytest.mark.parametrize("options", [{}, {"best": 3}, {"min_identity": 90.0}, FITTED])
def test_a_search_in_shards_is_that_of_one_run(options):
    data = related_sequences(60)
    whole = run_whole("smith-waterman-search", data, **options).answer
    with ExecutorChoice("local", slots=2).open() as executor:
        result = run_split(executor, "smith-waterman-search", data, **options)
        assert executor.counts.done > 4
    split = result.answer
    result.check(result.problem)
    assert any(note.startswith("E-values: fitted") for note in result.notes) == (options is FITTED)
    assert len(whole) and len(split) == len(whole)
    for name in ("query", "scores", "reverse", "starts", "ends", "operations", "histogram", "evalues"):
        assert np.array_equal(getattr(split, name), getattr(whole, name)), name
    assert [split.subjects[n].name for n in split.subject] == [whole.subjects[n].name for n in whole.subject]


def test_a_search_in_shards_runs_in_other_processes(cluster):
    data = related_sequences(40)
    whole = run_whole("smith-waterman-search", data).answer
    with ExecutorChoice("dask", cluster).open() as executor:
        split = run_split(executor, "smith-waterman-search", data).answer
    assert np.array_equal(split.scores, whole.scores) and np.array_equal(split.operations, whole.operations)
