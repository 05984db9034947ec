import json
import tracemalloc
import warnings
import zipfile
from contextlib import suppress
from dataclasses import replace
from datetime import UTC, datetime
from io import BytesIO
from pathlib import Path

import numpy as np
import pytest

from antidiag.app.session import archive, parts
from antidiag.app.session.session import Entry
from antidiag.app.session.state import State, removed
from antidiag.kernels.errors import Cancelled, InputError
from antidiag.kernels.io.distance_matrix import DistanceMatrix
from antidiag.kernels.io.tree import Tree
from antidiag.kernels.model import Result, Sequence, SequenceType
from antidiag.kernels.monitor import Monitor
from antidiag.kernels.pairwise.model import Alignment, PairAnswer, PairProblem
from antidiag.kernels.parttree.problem import PartTreeProblem
from antidiag.kernels.scoring import Mode, Scoring, match_mismatch
from antidiag.kernels.sequences.sequence_set import MANY_SEQUENCES, SequenceSet, SharedSequences
from antidiag.kernels.steps import StepLog

SESSIONS = Path(__file__).parents[2] / "fixtures" / "saved-0" / "sessions"
FIRST = Sequence("a name", b"ACGT" * 40, SequenceType.DNA, "a name and more", "/x/y.fa", "a note")
SECOND = Sequence("b", b"ACGU", SequenceType.RNA)
MANY = SequenceSet.from_sequences(
    Sequence(f"r{number}", b"ACGT"[number % 3 :], SequenceType.DNA) for number in range(MANY_SEQUENCES)
)


def entry() -> Entry:
    steps = StepLog()
    steps.add(1, 0, (0, 4), (0, 4), 2, 5, 9)
    gone = Sequence("gone", b"ACG", SequenceType.DNA)
    problem = PairProblem(gone, gone, Scoring(match_mismatch(2, -3), 5, 2), Mode.GLOBAL)
    answer = PairAnswer(6, (3, 3), Alignment((0, 0), (3, 3), np.zeros(3, np.uint8)))
    return Entry(
        Result("striped-score", problem, {"s": 64, "way": "x"}, "cpu", "a CPU", answer, {"phase 1": 1.5}, 10, 20,
               datetime(2024, 5, 6, tzinfo=UTC), {"numpy": "2"}, ("a note",), steps),
        {"mode": "global"}, {"s": 64},
    )  # fmt: skip


@pytest.fixture
def saved(tmp_path):
    path = tmp_path / "new folder" / "x.antidiag"
    archive.save(path, State((FIRST, SECOND, FIRST), (2, 1)), [entry()], {"method": "m", "values": {"m": {"s": 1}}})
    return path


def test_what_is_saved_comes_back(saved):
    state, entries, settings, _ = archive.load(saved)
    assert state == State((FIRST, SECOND, FIRST), (2, 1))
    assert state.sequences[0].note == "a note"
    assert settings == {"method": "m", "values": {"m": {"s": 1}}}
    before, after = entry().result, entries[0].result
    for name in ("method", "problem", "backend", "device", "times_ms", "started", "versions", "notes", "host_bytes"):
        assert getattr(after, name) == getattr(before, name), name
    assert dict(after.parameters) == before.parameters
    assert after.score == before.score
    assert after.answer.end == (3, 3)
    assert np.array_equal(after.answer.alignment.operations, before.answer.alignment.operations)
    assert np.array_equal(after.steps.ordered_events(), before.steps.ordered_events())
    assert after.problem.scoring.scale == 1
    assert entries[0].options == {"mode": "global"}
    after.check(after.problem)


def changed(path, **values):
    """The session with other values in its index."""
    with zipfile.ZipFile(path) as source:
        members = {name: source.read(name) for name in source.namelist()}
    index = {**json.loads(members[archive.INDEX]), **values}
    with zipfile.ZipFile(path, "w") as target:
        for name, data in {**members, archive.INDEX: json.dumps(index)}.items():
            target.writestr(name, data)
    return path


@pytest.mark.parametrize(
    "values",
    [
        {"chosen": [7]}, {"chosen": ["a"]}, {"chosen": [True]}, {"subset": [-1]}, {"picked": [0]},
        {"data_edits": {"3": {"mapping": {}}}}, {"settings": []}, {"settings": None}, {"results": [{}]},
        {"results": [{"result": 1, "options": {}, "parameters": {}}]}, {"data": [{"class": "nothing", "fields": {}}]},
        {"data": [{"class": "graph", "fields": {"names": 1, "weights": 2}}]},
        {"data": [{"class": "substitution-matrix", "fields": {"name": "x", "letters": "AC", "values": [1]}}]},
        {"format": 99}, {"open": [1000]}, {"open": None},
    ],
)  # fmt: skip
def test_a_session_that_was_meddled_with_is_refused(saved, values):
    with pytest.raises(InputError, match=r"x\.antidiag: ") as raised:
        archive.load(changed(saved, **values))
    assert "\n" not in str(raised.value)


def test_a_result_of_no_problem_is_refused(saved):
    with zipfile.ZipFile(saved) as source:
        (result,) = json.loads(source.read(archive.INDEX))["results"]
    for part, value in (("problem", 7), ("problem", None), ("times_ms", 1), ("steps", None), ("work", "x")):
        fields = {**result["result"]["fields"], part: value}
        with pytest.raises(InputError, match="damaged"):
            archive.load(changed(saved, results=[{**result, "result": {"class": "result", "fields": fields}}]))


def test_a_session_nested_too_deep_is_refused(saved):
    with zipfile.ZipFile(saved) as source:
        members = {name: source.read(name) for name in source.namelist()}
    with zipfile.ZipFile(saved, "w") as target:
        for name, data in {**members, archive.INDEX: "[" * 100_000}.items():
            target.writestr(name, data)
    with pytest.raises(InputError, match="nested too deep"):
        archive.load(saved)


def test_a_session_larger_than_the_memory_is_refused_before_it_is_unpacked(saved, monkeypatch):
    monkeypatch.setattr(archive.memory, "host_bytes_free", lambda: 1000)
    with pytest.raises(InputError, match="unpacked .* KiB, and 1000 B of memory is free"):
        archive.load(saved)


def test_the_sequences_are_a_fasta_file_for_other_programs(saved):
    with zipfile.ZipFile(saved) as source:
        text = source.read(archive.FASTA).decode()
    assert text.startswith(">a name and more\n" + "ACGT" * 15 + "\n")
    assert text.count(">") == 3


def test_an_empty_session(tmp_path):
    archive.save(tmp_path / "x.antidiag", State(), [], {})
    assert archive.load(tmp_path / "x.antidiag") == (State(), (), {}, {})


@pytest.mark.parametrize("text", [b"", b"not a zip", b"PK\x03\x04"])
def test_a_file_that_is_no_session(tmp_path, text):
    path = tmp_path / "x.antidiag"
    path.write_bytes(text)
    with pytest.raises(InputError, match=r"x\.antidiag: not a session"):
        archive.load(path)


def test_a_missing_file_and_a_place_that_cannot_be_written(tmp_path):
    with pytest.raises(InputError, match="cannot be read"):
        archive.load(tmp_path / "x.antidiag")
    (tmp_path / "file").write_text("")
    with pytest.raises(InputError, match="cannot be saved"):
        archive.save(tmp_path / "file" / "x.antidiag", State(), [], {})


@pytest.mark.parametrize(
    "name", ["os:system", "subprocess:Popen", "antidiag.kernels.engine:execute", "antidiag.kernels.steps:StepLog"]
)
def test_a_session_makes_nothing_but_data_of_the_engine(saved, tmp_path, name):
    with zipfile.ZipFile(saved) as source:
        index = json.loads(source.read(archive.INDEX))
        others = {name: source.read(name) for name in (archive.FASTA, archive.RECORDS)}
    index["results"][0]["result"] = {"class": name, "fields": {}}
    path = tmp_path / "evil.antidiag"
    with zipfile.ZipFile(path, "w") as target:
        target.writestr(archive.INDEX, json.dumps(index))
        for member, content in others.items():
            target.writestr(member, content)
    with pytest.raises(InputError, match="the file names"):
        archive.load(path)


def test_a_large_array_is_saved_and_read_without_a_second_one(tmp_path):
    """A matrix of 64 MiB is written in pieces; read, it is there once, and read-only."""
    matrix = DistanceMatrix(("a",), np.zeros((2896, 2896)))
    tracemalloc.start()
    try:
        archive.save(tmp_path / "x.antidiag", State((), (), (matrix,)), [], {})
        saving = tracemalloc.get_traced_memory()[1]
        tracemalloc.reset_peak()
        state, *_ = archive.load(tmp_path / "x.antidiag")
        reading = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert saving < 0.75 * matrix.values.nbytes
    assert reading < 1.5 * matrix.values.nbytes
    assert np.array_equal(state.data[0].values, matrix.values)
    assert not state.data[0].values.flags.writeable


@pytest.mark.parametrize("packs", [True, False])
def test_floating_point_numbers_are_not_packed(tmp_path, packs):
    values = np.zeros((40, 40))
    state = State(MANY) if packs else State((), (), (DistanceMatrix(tuple(map(str, range(40))), values),))
    archive.save(tmp_path / "x.antidiag", state, [], {})
    with zipfile.ZipFile(tmp_path / "x.antidiag") as source:
        members = [one for one in source.infolist() if one.filename.startswith("arrays/")]
        assert {one.compress_type == zipfile.ZIP_DEFLATED for one in members} == {packs}
    assert archive.load(tmp_path / "x.antidiag")[0] == state


def test_very_many_sequences_are_columns_that_a_result_shares(tmp_path):
    path, names = tmp_path / "x.antidiag", tuple(f"a\n{number}" for number in range(archive.MANY_TEXTS))
    tree = Tree.from_joins(
        names, np.stack([np.r_[0, len(names) + np.arange(len(names) - 2)], np.arange(1, len(names))], 1)
    )
    problem = PartTreeProblem(MANY, references=50)
    kept = Entry(replace(entry().result, method="parttree", problem=problem, answer=None))
    archive.save(path, State(MANY, (3,), (tree,)), [], {})
    state, *_ = archive.load(path)
    assert state == State(MANY, (3,), (tree,)) and isinstance(state.sequences, SequenceSet)
    writer = archive._Writer(None)
    assert writer.encode(MANY) == writer.encode(kept.result.problem)["fields"]["sequences"] == {"set": 0}
    with zipfile.ZipFile(path) as source:
        index = json.loads(source.read(archive.INDEX))
        assert index["format"] == archive.COLUMNS_FORMAT and index["open"] == {"set": 0}
        assert len(source.read(archive.RECORDS)) == 0


def test_an_edit_of_very_many_sequences_is_saved_without_what_it_removed(tmp_path):
    state = State(MANY + [FIRST, SECOND])
    state = removed(state, [0, MANY_SEQUENCES])
    assert isinstance(state.sequences, SharedSequences)
    archive.save(tmp_path / "x.antidiag", state, [], {})
    assert archive.load(tmp_path / "x.antidiag")[0] == state
    with zipfile.ZipFile(tmp_path / "x.antidiag") as source:
        assert len(json.loads(source.read(archive.INDEX))["sets"]) == 1
        assert b"a note" not in b"".join(map(source.read, source.namelist()))


def test_an_edit_of_very_many_sequences_leaves_their_files_as_they_are(tmp_path, monkeypatch):
    monkeypatch.setattr(parts, "LEAST", 10_000)
    place, beside = tmp_path / "x.antidiag", parts.Parts(tmp_path / "x.parts")
    archive.save(place, State(MANY), [], {}, parts=beside)
    before = {path: path.stat().st_mtime_ns for path in (tmp_path / "x.parts").iterdir()}
    state = removed(State(MANY + [FIRST]), [0])
    archive.save(place, state, [], {}, parts=beside)
    after = {path: path.stat().st_mtime_ns for path in (tmp_path / "x.parts").iterdir()}
    assert len(after.keys() - before.keys()) == 1 and before.items() <= after.items(), "the rows alone are new"
    assert archive.load(place, parts.Parts(tmp_path / "x.parts"))[0] == state


def test_few_sequences_are_saved_as_earlier_versions_read_them(saved):
    with zipfile.ZipFile(saved) as source:
        index = json.loads(source.read(archive.INDEX))
    assert index["format"] == archive.FORMAT and index["open"] == [0, 1, 0]


def test_a_result_that_cannot_be_read_is_left_out_and_named(saved):
    with zipfile.ZipFile(saved) as source:
        (result,) = json.loads(source.read(archive.INDEX))["results"]
    bad = {**result["result"], "fields": {**result["result"]["fields"], "problem": {"class": "nothing", "fields": {}}}}
    told: list[str] = []
    path = changed(saved, results=[{**result, "result": bad}, result, {}])
    state, entries, *_ = archive.load(path, report=told.append)
    assert len(state.sequences) == 3 and len(entries) == 1
    assert told[0].startswith("Result striped-score could not be read and is missing: the file names nothing")
    assert told[1].startswith("A result could not be read")


KEYS_OF_LISTS = ("format", "open", "chosen", "data", "results", "data_edits", "sets", "picked", "subset")


@pytest.mark.parametrize("key", KEYS_OF_LISTS)
def test_an_index_with_a_number_in_place_of_a_list_is_damage(saved, key: str) -> None:
    with pytest.raises(InputError):
        archive.load(changed(saved, **{key: 5.5}))


def test_a_mistake_of_the_program_is_not_called_a_damaged_session(saved, monkeypatch):
    monkeypatch.setattr(archive, "_refuse_too_large", lambda size: size.missing)
    with pytest.raises(AttributeError):
        archive.load(saved)


def test_saving_a_large_array_can_be_cancelled(tmp_path):
    monitor = Monitor(lambda done, total, phase: monitor.cancel())
    matrix = DistanceMatrix(("a",), np.zeros((3000, 1000)))
    with pytest.raises(Cancelled):
        archive.save(tmp_path / "x.antidiag", State((), (), (matrix,)), [], {}, monitor=monitor)
    assert not list(tmp_path.iterdir())


def test_an_answer_that_does_not_fit_its_problem_is_refused(saved):
    """Its letters, its sums and its places are looked at: a view takes them as they are."""
    with zipfile.ZipFile(saved) as source:
        (result,) = json.loads(source.read(archive.INDEX))["results"]
    answer = result["result"]["fields"]["answer"]
    path = answer["fields"]["alignment"]
    for changed_answer in (
        {**answer, "fields": {**answer["fields"], "score": 7}},
        {**answer, "fields": {**answer["fields"], "end": {"tuple": [3, 99]}}},
        {**answer, "fields": {**answer["fields"], "alignment": {
            **path, "fields": {**path["fields"], "end": {"tuple": [300, 3]}}}}},
    ):  # fmt: skip
        fields = {**result["result"]["fields"], "answer": changed_answer}
        with pytest.raises(InputError, match="the answer of striped-score does not fit its problem"):
            archive.load(changed(saved, results=[{**result, "result": {"class": "result", "fields": fields}}]))


@pytest.mark.parametrize("step", [1, 7])
@pytest.mark.parametrize(
    "name", ["bipartite-paths", "paths", "hmm-posterior", "hmm-learning", "tree", "full-distances"]
)
def test_damaged_numbers_are_refused_without_a_warning(name: str, step: int, tmp_path: Path) -> None:
    """Each array in turn holds infinities, and signalling NaN, of which processors tell when they calculate."""
    damaged = tmp_path / "damaged.antidiag"
    with zipfile.ZipFile(SESSIONS / f"{name}.antidiag") as source:
        members = {member: source.read(member) for member in source.namelist()}
    arrays = {member: np.load(BytesIO(content)) for member, content in members.items() if member.endswith(".npy")}
    for member, array in arrays.items():
        if array.dtype.kind != "f":
            continue
        signalling = np.array([np.inf], array.dtype).view(f"i{array.itemsize}") + 1
        for number in (signalling.view(array.dtype), [np.inf], [-np.inf]):
            worse = array.copy()
            worse.reshape(-1)[step // 2 :: step] = number
            np.save(content := BytesIO(), worse)
            with zipfile.ZipFile(damaged, "w") as target:
                for other, kept in {**members, member: content.getvalue()}.items():
                    target.writestr(other, kept)
            with warnings.catch_warnings(), suppress(InputError):
                warnings.simplefilter("error")
                archive.load(damaged)
