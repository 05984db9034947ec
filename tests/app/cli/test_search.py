"""The commands search and database, as a person types them."""

import json
import os

import pytest

from antidiag.app.cli.program import main

PROTEINS = (
    ">P1 first of all\nMKVLATHISWKRRMLAQGHEEDKLMNP\n>P2 second\nMKVLATHISWKRRMLAQGH\n"
    ">P3 stranger\nGGSGGSPPNQGGSGG\n>P1 again\nMKVIATHLSWKRRMLAQGHEEDKL\n"
)
QUERY = ">Q the query\nMKVLATHISWKRRMLAQGHEED\n"


@pytest.fixture(autouse=True)
def files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "proteins.fa").write_text(PROTEINS)
    (tmp_path / "query.fa").write_text(QUERY)


def call(capsys, *words):
    code = main(list(words))
    printed = capsys.readouterr()
    return code, printed.out, printed.err


def test_hits_follow_the_report_as_a_table(capsys):
    code, out, _ = call(capsys, "search", "query.fa", "proteins.fa")
    assert code == 0
    assert "E-value" in out and "NCBI's table of BLOSUM62, 11 + 1 k" in out
    rows = [line.split() for line in out.splitlines() if line.startswith("  P")]
    assert rows[0][:3] == ["P1", "first", "of"] or rows[0][0] == "P1"
    assert len(rows) == 3


def test_the_type_of_letters_is_also_that_of_the_database(capsys, tmp_path):
    (tmp_path / "glycine.fa").write_text(">g mostly glycine\nGGGGAGGGGGGGGAGGGGG\n")
    code, out, err = call(capsys, "search", "query.fa", "glycine.fa", "--seq-type", "protein")
    assert code == 0, err
    assert "glycine.fa: 1 sequence, 19 letters, protein" in out


def test_a_prepared_database_gives_the_same_hits_as_its_fasta(capsys):
    code, out, _ = call(capsys, "database", "make", "proteins.fa", "proteins.adb")
    assert code == 0 and "sequences" in out and "digest" in out
    tables = [
        call(capsys, "search", "query.fa", name, "--out", "-", "--to", "tsv", "--columns", "std btop")[1]
        for name in ("proteins.fa", "proteins.adb")
    ]
    assert tables[0] == tables[1] and len(tables[0].splitlines()) == 3
    first = tables[0].splitlines()[0].split("\t")
    assert first[:3] == ["Q", "P1 first of all", "100.000"] and first[-1] == "22"


@pytest.mark.parametrize("suffix", ["tsv", "blast", "csv", "jsonl", "paf", "sam", "txt", "json"])
def test_every_format_is_written(capsys, suffix, tmp_path):
    code, _, err = call(capsys, "search", "query.fa", "proteins.fa", "--out", f"hits.{suffix}")
    assert code == 0, err
    text = (tmp_path / f"hits.{suffix}").read_text()
    assert "P1" in text
    if suffix == "json":
        assert json.loads(text)["hits"][0]["cigar"] == "22="


def test_hits_of_several_queries_are_counted(capsys, tmp_path):
    (tmp_path / "two.fa").write_text(QUERY + QUERY.replace(">Q", ">R"))
    code, out, _ = call(capsys, "search", "two.fa", "proteins.fa")
    assert code == 0 and ", for 2 of 2 queries\n" in out


def test_one_file_holds_query_and_database(capsys, tmp_path):
    (tmp_path / "both.fa").write_text(QUERY + PROTEINS)
    code, out, _ = call(capsys, "search", "both.fa", "--best", "1")
    assert code == 0 and "the other sequences" in out


def test_what_is_wrong_is_said_in_one_line(capsys, tmp_path):
    for words, said in (
        (("search", "query.fa"), "nothing to search in"),
        (("search", "query.fa", "proteins.fa", "--columns", "nothing"), "unknown column 'nothing'"),
        (("search", "query.fa", "proteins.fa", "--database", "proteins.fa"), "two databases"),
        (("search", "query.fa", "absent.adb"), "absent.adb"),
        (("database", "mend", "a"), "unknown action 'mend'"),
        (("database", "make", "proteins.fa"), "the file to write"),
        (("database", "info", "proteins.fa"), "no prepared database"),
        (("database", "make", "proteins.fa", "nowhere/out.adb"), "nowhere"),
    ):
        code, _, err = call(capsys, *words)
        assert code == 2 and said in err and len(err.splitlines()) == 1, (words, err)
    (tmp_path / "empty.fa").write_text(">nothing\n")
    code, _, err = call(capsys, "search", "empty.fa", "proteins.fa")
    assert (code == 2 and "empty" in err) or "letters" in err


def test_bad_records_are_named_and_left_out(capsys, tmp_path):
    (tmp_path / "bad.fa").write_text(PROTEINS + ">odd\nAC#DE\n")
    code, _, err = call(capsys, "database", "make", "bad.fa", "bad.adb")
    assert code == 2 and "line 10" in err and "--skip-bad" in err and not (tmp_path / "bad.adb").exists()
    code, out, err = call(capsys, "database", "make", "bad.fa", "bad.adb", "--skip-bad")
    assert code == 0 and "line 10" in err and "1 bad record left out" in out


def test_equal_names_are_told(capsys, tmp_path):
    (tmp_path / "twins.fa").write_text(QUERY + QUERY)
    code, out, _ = call(capsys, "search", "twins.fa", "proteins.fa")
    assert code == 0 and "Queries 1 and 2 are both called Q" in " ".join(out.split())


def test_check_finds_a_change(capsys, tmp_path):
    call(capsys, "database", "make", "proteins.fa", "proteins.adb")
    code, out, _ = call(capsys, "database", "check", "proteins.adb")
    assert code == 0 and "unchanged" in out
    content = bytearray((tmp_path / "proteins.adb").read_bytes())
    content[4100] ^= 1
    (tmp_path / "proteins.adb").write_bytes(content)
    os.utime(tmp_path / "proteins.adb", (5, 5))
    for words in (("database", "check", "proteins.adb"), ("search", "query.fa", "proteins.adb")):
        code, _, err = call(capsys, *words)
        assert code == 2 and "changed since it was prepared" in err


def test_a_full_disk_keeps_the_hits(capsys, tmp_path, monkeypatch):
    """As where /dev/full is written: the result is saved elsewhere, and the message says where."""
    if not os.path.exists("/dev/full"):
        pytest.skip("this system has no /dev/full")
    os.symlink("/dev/full", tmp_path / "hits.tsv")
    code, _, err = call(capsys, "search", "query.fa", "proteins.fa", "--out", "hits.tsv")
    assert code != 0 and ("rescued" in err or "space" in err), err


def test_python_returns_hits_that_print_and_convert(tmp_path):
    import antidiag as ad

    path = ad.make_database("proteins.fa", tmp_path / "p.adb")
    hits = ad.search("query.fa", path)
    assert [hit.subject.name for hit in hits] == ["P1 first of all", "P1 again", "P2"]
    assert str(hits).startswith("Query Q, 22 letters") and "<SearchHits by" in repr(hits)
    assert hits[0].alignment.cigar == "22=" and len(hits[:2]) == 2
    assert hits.of_query("Q") == list(hits) and "NCBI" in hits.evalue_origin
    assert hits == ad.search("query.fa", PROTEINS)
    assert len(ad.align_family(hits)) == 3
    hits.save(tmp_path / "hits.paf")
    pandas = pytest.importorskip("pandas")
    frame = hits.to_pandas()
    assert isinstance(frame, pandas.DataFrame) and list(frame["sseqid"]) == [hit.subject.name for hit in hits]
