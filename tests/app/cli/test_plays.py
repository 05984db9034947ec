"""``play`` and ``lecture`` on the command line."""

import json
import re

import pytest

from antidiag.app.cli.program import main


@pytest.fixture
def said(capsys):
    def run(*arguments):
        code = main([str(one) for one in arguments])
        written = capsys.readouterr()
        return code, written.out, written.err

    return run


def test_plays_are_listed_and_told(said):
    code, out, _ = said("play")
    assert code == 0 and "striped-score: StripedScore; Two sequences" in out and "-p s=4" in out
    code, out, _ = said("play", "striped-score", "-p", "first=GATTACA", "-p", "second=GATTACA", "-p", "s=3")
    assert code == 0 and "score 14" in out and out.count("\nStep ") > 10


def test_a_step_a_cell_and_best_paths_are_told(said):
    code, out, _ = said("play", "striped-score", "--step", 12, "--cell", "H(4, 4)", "--paths", "--near", 0)
    assert code == 0 and "Step 12 of 29" in out and "registers" in out
    assert "* H(3, 3) + c(T, T) = 0 + 2 = 2" in out and "optimal paths: 1" in out and "H(10, 14): 0" in out


def test_json_holds_tables_and_steps(said):
    code, out, _ = said("play", "floyd-warshall", "--json")
    (found,) = json.loads(out)
    assert code == 0 and len(found["steps"]) == 5 and found["tables"][0]["name"] == "d"


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["play", "msa-add"], "cannot be shown step by step. It aligns"),
        (["play", "striped-score", "-p", "x=1"], "unknown parameter 'x'"),
        (["play", "striped-score", "-p", "first"], "must be name=value"),
        (["play", "striped-score", "--step", "99"], "must be from 1 to 29"),
        (["play", "striped-score", "--cell", "nonsense"], "must be a cell"),
        (["play", "striped-score", "--clock", "moon"], "choose steps, time or measured"),
        (["play", "hmm-forward", "--paths"], "summed"),
        (["play", "striped-score", "-p", f"first={'A' * 200}", "-p", f"second={'A' * 200}"], "is too large"),
        (["play", "nussinov", "--worksheet", "x.png"], "must be a .pdf file"),
        (["play", "nussinov", "--worksheet", "x.pdf", "--exercises", "0"], "--exercises from 1 to"),
        (["lecture", "nothing"], "neither a file nor a lecture"),
        (["lecture", "parttree", "--scene", "nothing"], "choose many"),
        (["lecture", "parttree", "--out", "x.png"], "choose it with --scene"),
    ],
)
def test_what_cannot_be_is_refused_in_a_line(said, arguments, told):
    code, _, error = said(*arguments)
    assert code == 2 and told in error and error.count("\n") == 1


def test_methods_are_measured_beside_each_other(said, tmp_path):
    measured = ("play", "antidiagonal", "--beside", "striped-score", "--clock", "measured", "--size", 2)
    code, out, _ = said(*measured, "--backend", "cpu")
    assert code == 0 and "Antidiagonal: " in out and "StripedScore: " in out and "1,024" in out
    found = json.loads(said(*measured, "--json")[1])
    assert "The CPU is used" in found["machine"] or "GPU" in found["machine"]
    for run in found["runs"]:
        assert run["unit"] == "cells" and run["moments"][0]["cells"] == 0
        assert run["moments"][-1]["cells"] == pytest.approx(1024) and run["moments"][-1]["parts"] == run["parts"]
    assert said(*measured, "--out", tmp_path / "runs.html")[:2] == (0, f"saved {tmp_path / 'runs.html'}\n")
    page = (tmp_path / "runs.html").read_text("utf-8")
    data = json.loads(re.search(r'application/json">(.*?)</script>', page, re.S)[1])
    assert [run["name"] for run in data["runs"]] == ["Antidiagonal", "StripedScore"] and "http" not in page
    assert all(run["cells"][-1] == 1024 and run["done"][-1] == run["parts"] for run in data["runs"])
    assert said(*measured, "--out", tmp_path / "runs.svg")[0] == 0
    assert "1,024 cells" in (tmp_path / "runs.svg").read_text("utf-8")
    assert said("play", "antidiagonal", "--clock", "measured", "--size", 0)[0] == 2
    assert said("play", "antidiagonal", "--clock", "measured", "--backend", "moon")[0] == 2


def test_a_worksheet_is_written(said, tmp_path):
    path = tmp_path / "sheet.pdf"
    code, out, _ = said("play", "nussinov", "--worksheet", path, "--seed", 7, "--exercises", 2)
    assert (code, out) == (0, f"saved {path}\n")
    assert path.read_bytes().startswith(b"%PDF")


def test_lectures_are_listed_told_checked_and_written(said, tmp_path):
    assert "long-pairs: Long pairs" in said("lecture")[1]
    code, out, _ = said("lecture", "long-pairs")
    assert code == 0 and "10. " in out and "{" not in out
    assert "\nLi 2012        J. Li, S. Ranka, S. Sahni: Pairwise" in out and "  [Li 2012, section V.A]\n" in out
    code, out, _ = said("lecture", "long-pairs", "--check")
    assert code == 0 and "no errors" in out
    path = tmp_path / "scene.html"
    assert said("lecture", "long-pairs", "--scene", "wide", "--out", path)[:2] == (0, f"saved {path}\n")
    assert "Wide or narrow strips" in path.read_text()
    for suffix, begins in ((".pdf", b"%PDF"), (".html", b"<!DOCTYPE html>")):
        handout = tmp_path / f"handout{suffix}"
        assert said("lecture", "beginners", "--out", handout)[0] == 0
        assert handout.read_bytes().startswith(begins)
    code, _, told = said("lecture", "beginners", "--out", tmp_path / "handout.png")
    assert code == 2 and "is a .pdf or .html file" in told and not (tmp_path / "handout.png").exists()
    code, out, _ = said("lecture", "long-pairs", "--json")
    (tmp_path / "copy.json").write_text(out.replace("{steps}", "{nothing}"))
    code, out, _ = said("lecture", tmp_path / "copy.json", "--check")
    assert code == 2 and "nothing" in out
