"""Conventions of files that the user chooses: CIGAR with = and X or with M, and what lower-case letters mean."""

from __future__ import annotations

import numpy as np
import pytest

import antidiag as ad
from antidiag.kernels import file_conventions, user_limits
from antidiag.kernels.errors import ParameterError
from antidiag.kernels.file_conventions import use_conventions
from antidiag.kernels.io.sequences import read_sequence_text, read_sequences, reading_notes
from antidiag.kernels.monitor import Monitor

MASKED = ">a\nACGTacgt-ACGTT\n>b\nacgtacgta\n>p\nMKvllWQQRST*\n"


def test_lower_case_letters_are_capitals_or_unknown():
    assert next(iter(read_sequence_text(MASKED))).letters == b"ACGTACGTACGTT"
    with use_conventions(masking="unknown"):
        nucleotides, lower, protein = read_sequence_text(MASKED)
    assert nucleotides.letters == b"ACGTNNNNACGTT" and "4 masked letters read as N" in nucleotides.note
    assert lower.letters == b"ACGTACGTA" and "all letters are lower case, which masks none" in lower.note
    assert protein.letters == b"MKXXXWQQRST" and "3 masked letters read as X" in protein.note
    assert reading_notes([nucleotides])[-1] == "4 masked letters read as N"
    assert read_sequence_text(MASKED)[0].letters == b"ACGTACGTACGTT"


@pytest.mark.slow
def test_a_file_of_very_many_records_is_masked_too(tmp_path):
    path = tmp_path / "many.fa"
    path.write_text("".join(f">r{number}\nACGTacGT\n" for number in range(30_000)))
    assert read_sequences(path)[7].letters == b"ACGTACGT"
    with use_conventions(masking="unknown"):
        assert read_sequences(path)[7].letters == b"ACGTNNGT"


def test_quality_files_are_masked_and_flat_files_are_not():
    with use_conventions(masking="unknown"):
        (read,) = read_sequence_text("@r\nACgtAC\n+\nIIIIII\n")
        (plain,) = read_sequence_text("LOCUS       X 8 bp DNA\nORIGIN\n        1 acgtacgt\n//\n")
    assert read.letters == b"ACNNAC" and plain.letters == b"ACGTACGT"


def test_cigars_have_both_styles_wherever_they_are_written(tmp_path):
    hit = ad.align("ACGTACGTAC", "ACGAACGTAC", mode="global")
    assert (hit.cigar, hit.format_cigar("match"), hit.format_cigar("extended")) == ("3=1X6=", "10M", "3=1X6=")
    for suffix, place in ((".sam", "\t10M\t"), (".paf", "cg:Z:10M"), (".json", '"cigar": "10M"')):
        hit.save(tmp_path / f"out{suffix}", cigar="match")
        assert place in (tmp_path / f"out{suffix}").read_text()
        hit.save(tmp_path / f"out{suffix}")
        assert "3=1X6=" in (tmp_path / f"out{suffix}").read_text()
    with pytest.raises(ParameterError, match="cigar must be one of extended, match; got 'M'"):
        hit.format_cigar("M")


def test_gaps_part_matches_in_the_style_match():
    hit = ad.align("ACGTTTACGT", "ACGTACGT", mode="global", gap_open=0, gap_extend=1)
    assert hit.format_cigar("match") in ("3M2I5M", "4M2I4M")


def test_a_stored_choice_holds_until_another_is_made(tmp_path, monkeypatch):
    monkeypatch.setattr(user_limits, "_limit_path", lambda: tmp_path / "limits.json")
    assert file_conventions.cigar_style() == "extended"
    user_limits.set_stored_choice(user_limits.CIGAR, 1)
    user_limits.set_stored_choice(user_limits.MASKING, 1)
    assert file_conventions.cigar_style() == "match" and file_conventions.soft_masking() == "unknown"
    with use_conventions(cigar="extended", masking="ignore"):
        assert file_conventions.cigar_style() == "extended" and file_conventions.soft_masking() == "ignore"
    with pytest.raises(ParameterError, match="soft-masking must be one of ignore, unknown"):
        file_conventions.choose_masking("hard")


def test_python_reads_masked_letters_as_it_is_told(tmp_path):
    path = tmp_path / "masked.fa"
    path.write_text(MASKED)
    assert ad.read(path, soft_masking="unknown")[0].letters == b"ACGTNNNNACGTT"
    assert ad.read(path)[0].letters == b"ACGTACGTACGTT"
    with pytest.raises(ParameterError, match="soft-masking must be one of"):
        ad.read(path, soft_masking="hard")


def test_prepared_databases_are_masked_too(tmp_path):
    from antidiag.kernels.pairwise.search import database, database_maker

    path = tmp_path / "masked.fa"
    path.write_text(">a\nACGTacgtACGTT\n>b\nACGTTTGCA\n")
    letters = {}
    for masking in ("ignore", "unknown"):
        with use_conventions(masking=masking):
            made = database_maker.make_database([path], tmp_path / f"{masking}.adb").database
        opened = database.open_database(made, Monitor())
        letters[masking] = [one.letters for one in opened.take(np.arange(2))]
    assert letters["ignore"] == [b"ACGTACGTACGTT", b"ACGTTTGCA"]
    assert letters["unknown"] == [b"ACGTNNNNACGTT", b"ACGTTTGCA"]
