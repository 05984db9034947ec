"""Every format that is written is read again: rows, names, and all annotation for which the format has a place."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from antidiag.kernels.errors import InputError
from antidiag.kernels.io import aligned_sequences, alignment_writer, result_alignments
from antidiag.kernels.io.aligned_sequences import AlignedSequences, written_letters
from antidiag.kernels.io.alignment_formats.raw_alignment import Annotations, has_match_signs
from antidiag.kernels.model import Sequence, SequenceType
from tests.example_counts import try_examples

ALPHABETS = {SequenceType.DNA: "ACGTN", SequenceType.RNA: "ACGUN", SequenceType.PROTEIN: "ACDEFGHIKLMNPQRSTVWYX"}
COLUMNS = st.sampled_from([1, 7, 8, 9, 49, 50, 51, 59, 60, 61, 130])
NAMES = st.text("abcXYZ0123_|/.:+=*%&@~#;,!-", min_size=1, max_size=30)
HARD_NAMES = st.sampled_from(
    ["1", "12", "//", "#=GC", "#", ">", "matrix", "end;", "it's", "[x]", "'q'", '"q"', "ACGT", "ACGTACGTAC", "x-1", "*",
     "Name:", "=", "(a,b)", "ss_pred_", "unnamed-1", "a", "\N{GREEK SMALL LETTER ALPHA}", "x" * 120]
)  # fmt: skip
WORDS = st.text("abc XYZ.,;-", max_size=20).map(lambda text: " ".join(text.split()))
MARKS = "abcXYZ0123.*:-<>()"
KEEPS_DOTS = (".fasta", ".sto", ".a2m", ".maf")
DESCRIBED = (".fasta", ".a2m", ".a3m")


@st.composite
def alignments(draw: st.DrawFn) -> AlignedSequences:
    """Alignments of each type, with lower case, dots, missing letters and names that mean something to a format."""
    kind = draw(st.sampled_from(list(SequenceType)))
    names = tuple(draw(st.lists(NAMES | HARD_NAMES, min_size=2, max_size=5, unique=True)))
    columns = draw(COLUMNS)
    letters = ALPHABETS[kind] + "-" + draw(st.sampled_from(["", "?", ".", "?."]))
    lines = [draw(st.text(letters, min_size=columns, max_size=columns)) for _ in names]
    first = {SequenceType.PROTEIN: "M", SequenceType.RNA: "U"}.get(kind, "T")
    written = np.array([list(line.encode()) for line in [first + lines[0][1:], *lines[1:]]], np.uint8)
    if draw(st.booleans()):
        lower = (written >= ord("A")) & (np.arange(columns) % 3 == 1)
        written[lower] += 32
    template = AlignedSequences(names, np.full(written.shape, ord("-"), np.uint8), kind)
    return aligned_sequences.with_letters(template, written)


def write_and_read(alignment: AlignedSequences, suffix: str, folder: Path) -> AlignedSequences:
    path = folder / f"some{suffix}"
    alignment_writer.write_alignments(path, [alignment])
    (found,) = aligned_sequences.read_alignments(path)
    return found


def without_comments(alignment: AlignedSequences) -> AlignedSequences:
    """The alignment without names that are comments in Stockholm, which are refused."""
    return replace(alignment, names=tuple(name.replace("#", "_") + f"_{n}" for n, name in enumerate(alignment.names)))


def lines_of(alignment: AlignedSequences) -> list[str]:
    return [row.tobytes().decode() for row in written_letters(alignment)]


SUFFIXES = list(dict.fromkeys(suffix for suffix in alignment_writer.WRITERS if suffix not in (".fa", ".afa")))


@pytest.mark.parametrize("suffix", SUFFIXES)
@given(alignment=alignments())
@try_examples(60)
def test_rows_and_names_are_read_as_they_were_written(suffix, alignment, tmp_path_factory):
    if suffix == ".sto":
        alignment = without_comments(alignment)
    found = write_and_read(alignment, suffix, tmp_path_factory.mktemp("written"))
    assert found.names == alignment.names
    wanted = lines_of(alignment)
    if suffix in (".fasta", ".a2m"):  # where dots could be letters of the first row, dashes are written
        first = wanted[0].encode()
        wanted = [line.replace(".", "-") if has_match_signs(first, line.encode()) else line for line in wanted]
    if suffix not in KEEPS_DOTS:
        wanted = [line.replace(".", "-") for line in wanted]
    if suffix == ".a3m":  # where the case means insertions
        assert [line.upper().replace(".", "-") for line in lines_of(found)] == [line.upper() for line in wanted]
    else:
        assert lines_of(found) == wanted
    if suffix in (".nex", ".msf"):
        assert (found.type == SequenceType.PROTEIN) == (alignment.type == SequenceType.PROTEIN)


def marks(draw: st.DrawFn, columns: int) -> str:
    return draw(st.text(MARKS, min_size=columns, max_size=columns))


@st.composite
def annotated(draw: st.DrawFn) -> AlignedSequences:
    """Alignments with every kind of annotation that Stockholm holds."""
    alignment = draw(alignments())
    rows, columns = alignment.letters.shape
    row = st.integers(0, rows - 1)
    notes = Annotations(
        tuple(draw(st.lists(st.tuples(st.sampled_from(["ID", "DE", "CC"]), WORDS.filter(bool)), max_size=3))),
        tuple(draw(st.lists(st.tuples(row, st.sampled_from(["AC", "DE", "WT"]), WORDS.filter(bool)), max_size=3))),
        tuple((tag, marks(draw, columns)) for tag in draw(st.sets(st.sampled_from(["SS_cons", "RF", "charset_a"])))),
        tuple((draw(row), tag, marks(draw, columns)) for tag in draw(st.sets(st.sampled_from(["SS", "SA", "PP"])))),
    )
    return replace(alignment, annotations=notes)


@given(alignment=annotated())
@try_examples(60)
def test_stockholm_keeps_every_annotation(alignment, tmp_path_factory):
    found = write_and_read(without_comments(alignment), ".sto", tmp_path_factory.mktemp("written")).annotations
    assert found.of_file == alignment.annotations.of_file
    assert sorted(found.of_rows) == sorted(alignment.annotations.of_rows)
    assert sorted(found.of_columns) == sorted(alignment.annotations.of_columns)
    assert sorted(found.of_letters) == sorted(alignment.annotations.of_letters)


@pytest.mark.parametrize("suffix", DESCRIBED)
@given(alignment=alignments(), said=WORDS.filter(bool))
@try_examples(20)
def test_titles_keep_descriptions(suffix, alignment, said, tmp_path_factory):
    notes = Annotations(of_rows=((1, "DE", said),))
    found = write_and_read(replace(alignment, annotations=notes), suffix, tmp_path_factory.mktemp("written"))
    assert found.annotations == notes and found.names == alignment.names


@given(alignment=alignments(), data=st.data())
@try_examples(40)
def test_a3m_keeps_the_structure_of_its_columns(alignment, data, tmp_path_factory):
    columns = alignment.letters.shape[1]
    plain = replace(alignment, lower=None, dots=None)
    notes = Annotations(of_columns=(("ss_pred", marks(data.draw, columns)), ("ss_conf", "5" * columns)))
    notes = replace(notes, of_columns=tuple((tag, text.replace(".", "C").upper()) for tag, text in notes.of_columns))
    found = write_and_read(replace(plain, annotations=notes), ".a3m", tmp_path_factory.mktemp("written"))
    assert found.annotations.of_columns == notes.of_columns and found == plain


@given(alignment=alignments(), data=st.data())
@try_examples(60)
def test_nexus_keeps_sets_of_columns_and_comments_of_rows(alignment, data, tmp_path_factory):
    columns = alignment.letters.shape[1]
    chosen = data.draw(st.lists(st.lists(st.booleans(), min_size=columns, max_size=columns).filter(any), max_size=3))
    sets = tuple((f"charset_s{n}", "".join(".x"[inside] for inside in one)) for n, one in enumerate(chosen))
    every_third = "".join(".x"[column % 3 == 0] for column in range(columns))
    notes = Annotations(of_rows=((0, "comment", "&!color=#f00"),), of_columns=(*sets, ("charset_third 1", every_third)))
    found = write_and_read(replace(alignment, annotations=notes), ".nex", tmp_path_factory.mktemp("written"))
    assert found.annotations == replace(notes, of_columns=(*sets, ("charset_third_1", every_third)))


@given(alignment=alignments())
@try_examples(20)
def test_msf_keeps_weights_and_maf_keeps_places_and_qualities(alignment, tmp_path_factory):
    notes = Annotations(of_rows=((0, "WT", "2.50"), (1, "WT", "1.00")))
    weighted = write_and_read(replace(alignment, annotations=notes), ".msf", tmp_path_factory.mktemp("written"))
    assert weighted.annotations.of_rows[:2] == notes.of_rows
    of_rows = tuple((row, "MAF", f"{row} 3 - 90") for row in range(len(alignment.names)))
    quality = ((1, "MAF_q", "9" * alignment.letters.shape[1]),)
    notes = Annotations((("MAF", "score=3"),), of_rows, (), quality)
    placed = write_and_read(replace(alignment, annotations=notes), ".maf", tmp_path_factory.mktemp("written"))
    assert placed.annotations == notes


@pytest.mark.parametrize("suffix", result_alignments.WRITERS)
@given(alignment=alignments())
@try_examples(40)
def test_results_are_read_as_they_were_written(suffix, alignment, tmp_path_factory):
    """The names are those that the format can hold, different for different rows."""
    plain = replace(without_comments(alignment) if suffix == ".sto" else alignment, lower=None, dots=None)
    rows = [
        (Sequence(name, b"A", plain.type, name), line) for name, line in zip(plain.names, lines_of(plain), strict=True)
    ]
    marks_line = " " * plain.letters.shape[1]
    path = tmp_path_factory.mktemp("written") / f"some{suffix}"
    path.write_text("".join(result_alignments.WRITERS[suffix][1](rows, marks_line)), encoding="utf-8")
    (found,) = aligned_sequences.read_alignments(path)
    assert lines_of(found) == lines_of(plain)
    assert found.names == tuple(result_alignments.unique_names([sequence for sequence, _ in rows]))


def test_a_name_that_is_a_comment_is_refused(tmp_path):
    alignment = AlignedSequences(("#a", "b"), np.array([[65, 45], [65, 67]], np.uint8), SequenceType.DNA)
    with pytest.raises(InputError, match="row #a: Stockholm takes lines that begin with '#' for comments; rename it"):
        alignment_writer.write_alignments(tmp_path / "some.sto", [alignment])
