"""Numbers, names and places as a person reads them."""

import pytest

from antidiag.app import texts
from antidiag.kernels.model import Sequence, SequenceType
from antidiag.kernels.registry.samples import bundled_samples


def dna(letters=b"ACGT", description=""):
    return Sequence("NC_1.1", letters, SequenceType.DNA, description)


@pytest.mark.parametrize(("time_ms", "text"), [(0.01, "less than 10 ms"), (10, "about 10 ms"), (2400, "about 2.4 s")])
def test_an_estimate_of_a_short_run_claims_nothing(time_ms, text):
    assert texts.format_estimate(time_ms) == text


def test_one_row_is_no_rows():
    assert texts.format_size(1, 1020) == "1 row x 1,020 columns"
    assert texts.format_size(2, 1) == "2 rows x 1 column"


def test_a_sentence_leaves_names_as_they_are():
    assert texts.as_sentence("this run needs 3 GiB") == "This run needs 3 GiB."
    assert texts.as_sentence("s must be a multiple of 32") == "s must be a multiple of 32."
    assert texts.as_sentence("a database is given") == "A database is given."
    assert texts.as_sentence("b: letter 'J' has no score.") == "b: letter 'J' has no score."


def test_time_left_is_silent_until_it_is_no_guess():
    assert texts.remaining_s(None, 5.0) is None
    assert texts.remaining_s(0.0, 5.0) is None
    assert texts.remaining_s(0.001, 5.0) is None
    assert texts.remaining_s(0.25, 5.0) == pytest.approx(15.0)


@pytest.mark.parametrize(
    ("title", "text"),
    [("NC_1.1 Homo sapiens mitochondrion", "Homo sapiens mitochondrion"), ("NC_1.1", ""), ("", ""),
     ("Homo sapiens", "Homo sapiens")],
)  # fmt: skip
def test_what_a_sequence_is_without_its_name(title, text):
    assert dna(description=title).details == text


def test_files_of_the_project_go_by_their_path_below_it():
    path = bundled_samples()[0].paths[0]
    assert path.is_absolute()
    assert texts.relative_path(str(path)) == f"resources/samples/{path.name}"
    assert texts.relative_path("/elsewhere/a.fasta") == "/elsewhere/a.fasta"
    assert texts.relative_path("a.fasta") == "a.fasta"


def test_the_content_of_a_sequence_is_short():
    assert texts.describe_content(dna(b"GCGC")) == "GC 100 %"
    assert texts.describe_content(dna(b"ACGT")) == "GC 50.0 %"


def test_what_would_fit_is_a_list_or_nothing():
    assert texts.what_fits(()) == ""
    assert texts.what_fits(["a", "b"]) == "These would fit:\n- a\n- b"


def test_an_estimate_says_what_compiling_takes():
    assert texts.format_plan_time(500, 0) == "about 500 ms"
    assert texts.format_plan_time(500, 12_000) == "about 12.5 s (12.0 s of it for compiling, once)"


@pytest.mark.parametrize(
    ("message", "shown"),
    [
        ("there is no GPU. Choose --backend cpu", "there is no GPU. Choose the CPU"),
        ("choose one, such as --device 0", "choose one, such as device 0"),
        ("takes 2 sequences; got 3; choose 2 with --record NAME", "takes 2 sequences; got 3; choose 2"),
        ("give both --gap-open2 and --gap-extend2 - or neither", "give both gap open2 and gap extend2 - or neither"),
    ],
)
def test_messages_in_the_window_name_no_option_of_the_command_line(message: str, shown: str) -> None:
    assert texts.write_for_window(message) == shown
