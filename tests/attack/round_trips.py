"""Round trips: what is drawn is written in a format of the program, compressed or not, and read again as it was.

Hypothesis draws data with names that mean something to a format, gaps, missing and lower-case letters and annotation,
and reduces what fails. Results of all methods are drawn by their trials.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import hypothesis
import numpy as np
from hypothesis import HealthCheck, Phase
from hypothesis import strategies as st

from antidiag.kernels import registry
from antidiag.kernels.errors import InputError
from antidiag.kernels.hmm.model import hmm
from antidiag.kernels.hmm.trials import draw_model
from antidiag.kernels.io import alignment_writer, distance_files, line_blocks, tree_files
from antidiag.kernels.io.aligned_sequences import AlignedSequences, unaligned_sequences
from antidiag.kernels.io.alignment_formats.raw_alignment import has_match_signs
from antidiag.kernels.io.distance_matrix import make_distance_matrix
from antidiag.kernels.io.files import write_lines
from antidiag.kernels.io.unique_names import make_names_unique, name_without_spaces
from antidiag.kernels.model import Sequence as LetterSequence
from antidiag.kernels.model import SequenceType
from antidiag.kernels.monitor import Monitor
from antidiag.kernels.profiles import profile_files
from antidiag.kernels.profiles.profile import profile_from_alignment
from antidiag.kernels.registry import data_loading, result_saving
from antidiag.kernels.trials import RandomChooser, load_trials
from tests.kernels.conformance import checks
from tests.kernels.io.test_alignment_round_trips import (
    ALPHABETS,
    HARD_NAMES,
    KEEPS_DOTS,
    NAMES,
    annotated,
    lines_of,
    without_comments,
)
from tests.kernels.io.test_tree_values import trees_with_values

EXAMPLES = 10
"""Round trips of one attempt; one where a method has to run."""
PACKINGS = ("", "", ".gz", ".bz2", ".xz", ".zst", ".zip")
BLANK_NAMES = st.sampled_from(
    ["two words", "two  words", "a b c", "it's a 'name'", "\u00e9t\u00e9 1", "x" * 150 + " y"]
)
TREE_SUFFIXES = (".nwk", ".nex", ".nhx", *tree_files.XML_WRITERS)
SETTINGS = hypothesis.settings(
    max_examples=EXAMPLES, database=None, deadline=None, suppress_health_check=list(HealthCheck),
    phases=(Phase.generate, Phase.shrink),
)  # fmt: skip


def attempt(seed: int, number: int, folder: Path) -> str:
    """Write and read data of one kind: "" where all are as they were, else what is not."""
    kind = list(KINDS)[number % len(KINDS)]

    def one(data: st.DataObject) -> None:
        KINDS[kind](data.draw, folder)

    one.__qualname__ = f"{one.__qualname__}_{kind}"
    settings = hypothesis.settings(SETTINGS, max_examples=1) if kind == "results" else SETTINGS
    try:
        hypothesis.seed(seed << 40 | number)(settings(hypothesis.given(st.data())(one)))()
    except Exception as error:
        errors = error.exceptions if isinstance(error, ExceptionGroup) else (error,)
        said = (f"{type(one).__name__}: {one} {' '.join(getattr(one, '__notes__', ()))}" for one in errors)
        return " ".join(f"{kind} written and read again: {'; '.join(said)}".split())
    return ""


def _target(draw: st.DrawFn, folder: Path, suffixes: Sequence[str]) -> tuple[Path, str]:
    """Draw a file and the suffix of its format."""
    suffix = draw(st.sampled_from(list(suffixes)))
    return folder / f"written{suffix}{draw(st.sampled_from(PACKINGS))}", suffix


def _names_in_files(names: Sequence[str]) -> list[str]:
    """Return names as formats without blanks hold them."""
    return list(make_names_unique(map(name_without_spaces, names)))


def _with_blanks(draw: st.DrawFn, names: Sequence[str]) -> tuple[str, ...]:
    """Give some rows names with blanks."""
    drawn = [draw(BLANK_NAMES) if draw(st.integers(0, 4)) == 0 else name for name in names]
    return make_names_unique(drawn)


def _alignments(draw: st.DrawFn, folder: Path) -> None:
    path, suffix = _target(draw, folder, list(alignment_writer.WRITERS))
    count = draw(st.integers(1, 3)) if alignment_writer.WRITERS[suffix][2] else 1
    made = [draw(annotated()) for _ in range(count)]
    made = [without_comments(one) if suffix == ".sto" else one for one in made]
    made = [replace(one, names=_with_blanks(draw, one.names)) for one in made]
    alignment_writer.write_alignments(path, made)
    found = data_loading.read_data(path)
    if not isinstance(found[0], AlignedSequences):
        _check_rows_as_sequences(made[0], found, suffix)
        return
    assert len(found) == len(made), f"{len(made)} alignments became {len(found)}"
    for one, other in zip(made, found, strict=True):
        _check_alignment(one, other, suffix)


FASTA_SUFFIXES = (".fasta", ".fa", ".afa", ".a2m")


def _check_rows_as_sequences(made: AlignedSequences, found: Sequence[Any], suffix: str) -> None:
    """Check rows of FASTA without a gap, which are sequences."""
    assert suffix in (".fasta", ".fa", ".afa"), f"{suffix} is read as {type(found[0]).__name__}"
    gaps = sum(line.count(sign) for line in lines_of(made) for sign in "-.?")
    assert not gaps, "rows with gaps are read as sequences"
    assert [one.letters for one in found] == [one.letters for one in unaligned_sequences(made)]


def _check_alignment(made: AlignedSequences, found: AlignedSequences, suffix: str) -> None:
    if suffix == ".nex":  # names are quoted, and keep their blanks
        assert found.names == made.names, "other names"
    else:
        assert [name_without_spaces(name) for name in found.names] == _names_in_files(made.names), "other names"
    wanted, lines = lines_of(made), lines_of(found)
    if suffix not in (*KEEPS_DOTS, ".fa", ".afa"):
        wanted = [line.replace(".", "-") for line in wanted]
    if suffix in FASTA_SUFFIXES:  # where dots could be letters of the first row, dashes are written
        first = wanted[0].encode()
        wanted = [line.replace(".", "-") if has_match_signs(first, line.encode()) else line for line in wanted]
    if suffix == ".a3m":  # where the case means insertions
        wanted, lines = ([line.upper().replace(".", "-") for line in both] for both in (wanted, lines))
    assert lines == wanted, "other rows"
    if suffix in (".nex", ".msf"):
        assert found.type == made.type or SequenceType.PROTEIN not in (found.type, made.type), (
            f"{made.type} became {found.type}"
        )
    if suffix == ".sto":
        for kept in ("of_file", "of_rows", "of_columns", "of_letters"):
            assert sorted(getattr(found.annotations, kept)) == sorted(getattr(made.annotations, kept)), kept


def _trees(draw: st.DrawFn, folder: Path) -> None:
    path, suffix = _target(draw, folder, TREE_SUFFIXES)
    made = draw(st.lists(trees_with_values(), min_size=1, max_size=3))
    try:
        tree_files.write_trees(path, made)
    except InputError as error:
        if suffix != ".nhx" or "NHX cannot hold" not in str(error):
            raise
        return
    assert data_loading.read_data(path) == made, "other trees"


def _distances(draw: st.DrawFn, folder: Path) -> None:
    path, suffix = _target(draw, folder, (".phy", ".npy"))
    names = _with_blanks(draw, draw(st.lists(NAMES | HARD_NAMES, min_size=2, max_size=6, unique=True)))
    random = np.random.default_rng(draw(st.integers(0, 2**32)))
    upper = np.triu(random.random((len(names), len(names))) * 10.0 ** draw(st.integers(-6, 6)), 1)
    values = (upper + upper.T).astype(draw(st.sampled_from([np.float32, np.float64])))
    made = make_distance_matrix(names, values)
    distance_files.write_distances(path, made)
    (found,) = data_loading.read_data(path)
    if suffix == ".phy":
        assert list(found.names) == _names_in_files(names)
        np.testing.assert_allclose(found.values, values, rtol=1e-6)
    else:
        assert found.names == make_names_unique(" ".join(name.split()) for name in names)
        np.testing.assert_array_equal(found.values, values)


def _profiles(draw: st.DrawFn, folder: Path) -> None:
    path, suffix = _target(draw, folder, list(profile_files.WRITERS))
    aligned = draw(annotated())
    made = profile_from_alignment(aligned)
    profile_files.write_profile(path, made)
    (found,) = data_loading.read_data(path)
    if suffix == ".json":
        assert found == made and found.names == made.names
    np.testing.assert_allclose(found.frequencies, made.frequencies, rtol=1e-12)  # their sum is made 1
    assert found.alphabet == made.alphabet


def _models(draw: st.DrawFn, folder: Path) -> None:
    path, _ = _target(draw, folder, (".hmm", ".json"))
    made = draw_model(draw(st.integers(1, 6)), draw(st.integers(1, 5)), draw(st.sampled_from([0.0, 0.3])),
                      draw(st.integers(0, 2**31)))  # fmt: skip
    write_lines(path, [hmm.format_json(made)])
    assert list(data_loading.read_data(path)) == [made], "another model"


def _sequences(draw: st.DrawFn, folder: Path) -> None:
    path, _ = _target(draw, folder, result_saving.FASTA_SUFFIXES)
    kind = draw(st.sampled_from(list(ALPHABETS)))
    names = _with_blanks(draw, draw(st.lists(NAMES | HARD_NAMES, min_size=1, max_size=6, unique=True)))
    first = {SequenceType.RNA: "U", SequenceType.PROTEIN: "M"}.get(kind, "T")
    texts = [first + draw(st.text(ALPHABETS[kind], max_size=140)) for _ in names]
    made = [LetterSequence(name, text.encode(), kind) for name, text in zip(names, texts, strict=True)]
    result_saving.write_sequences(path, made)
    found = data_loading.read_data(path)
    assert all(isinstance(one, LetterSequence) for one in found), f"sequences became {type(found[0]).__name__}"
    assert [one.letters for one in found] == [one.letters for one in made], "other letters"
    assert [name_without_spaces(one.name) for one in found] == list(map(name_without_spaces, names)), "other names"


def _results(draw: st.DrawFn, folder: Path) -> None:
    """Save the result of any method in a format that it has: graphs, paths, structures, pairs and all others."""
    choose = RandomChooser(draw(st.integers(0, 2**40)))
    method = choose.choose_one([one for one in registry.METHODS if "cpu" in one.backends])
    tried = load_trials(method.problem_type)
    problem = tried.draw_problem(choose)
    result = checks.run(method, "cpu", problem, tried.draw_parameters(method, "cpu", choose))
    suffix = choose.choose_one(list(result_saving.result_suffixes(method)))
    path = folder / f"written{suffix}{choose.choose_one(PACKINGS)}"
    try:
        result_saving.write_result(path, result)
    except InputError as error:
        if "is empty" not in str(error) and "no path to save" not in str(error):
            raise
        return
    if suffix == result_saving.JSON:
        assert json.loads(b"".join(line_blocks.read_blocks(path, Monitor())))["method"] == method.id
    elif suffix not in tried.unread_suffixes and any(suffix in kind.suffixes for kind in data_loading.data_kinds()):
        (tried.assert_read_back or checks._products_are_read_back)(result, data_loading.read_data(path))


KINDS: dict[str, Callable[[st.DrawFn, Path], None]] = {
    "alignments": _alignments,
    "trees": _trees,
    "distances": _distances,
    "profiles": _profiles,
    "models": _models,
    "sequences": _sequences,
    "results": _results,
}
