"""Models of HMMER: numbers read right, as a profile and as a hidden Markov model, and damage named with its line."""

from __future__ import annotations

import gzip
import itertools
from pathlib import Path

import numpy as np
import pytest

from antidiag.kernels.errors import InputError
from antidiag.kernels.hmm.model.hmm import Hmm, read_hmm
from antidiag.kernels.io.hmmer_models import HmmerModel, parse_hmmer
from antidiag.kernels.model import SequenceType
from antidiag.kernels.profiles.profile_files import read_profile
from antidiag.kernels.registry import data_loading

CASES = Path("tests/cases/hmm")
TOY, HAIRPIN = CASES / "toy.hmm", CASES / "hairpin.hmm"


def load(path: Path) -> HmmerModel:
    (model,) = parse_hmmer(path.read_text(), str(path))
    return model


def older_versions(text: str) -> dict[str, str]:
    """Return a text of HMMER3/f as earlier forms of the format have it."""
    lines = text.split("\n")
    without_tags = [line for line in lines if not line.startswith(("MM ", "CONS "))]
    shorter = [line.rsplit(None, 2)[0] if line.endswith("- - -") else line for line in without_tags]
    plain = [line for line in shorter if not line.lstrip().startswith("COMPO")]
    return {
        letter: "\n".join(part).replace("HMMER3/f [3.4 | Aug 2023]", f"HMMER3/{letter} [3.0 | March 2010]")
        for letter, part in (("e", without_tags), ("b", shorter), ("a", plain))
    }


@pytest.mark.parametrize("letter", ["a", "b", "e"])
def test_older_forms_of_hmmer3(letter: str) -> None:
    model, (older,) = load(TOY), parse_hmmer(older_versions(TOY.read_text())[letter], "x")
    for part in ("match", "insert", "transitions", "null"):
        assert np.array_equal(getattr(model, part), getattr(older, part))
    assert older.version == f"HMMER3/{letter}"


def test_numbers_of_hmmer3_are_negative_natural_logarithms() -> None:
    model = load(TOY)
    assert (model.name, model.type, len(model), model.version) == ("toy", "amino", 12, "HMMER3/f")
    assert model.match[0, "ACDEFGHIKLMNPQRSTVWY".index("M")] == pytest.approx(np.exp(-0.11024), rel=1e-4)
    assert model.transitions[0] == pytest.approx(
        np.exp([-0.00710, -5.34663, -6.06897, -0.61958, -0.77255, 0, -np.inf]), rel=1e-4
    )
    assert model.transitions[-1].tolist()[2] == 0
    assert model.null[0] == pytest.approx(0.0787945)
    for part in (model.match, model.insert):
        assert part.sum(axis=1) == pytest.approx(1, abs=1e-12)


def test_hmmer_agrees() -> None:
    plan7 = pytest.importorskip("pyhmmer.plan7")
    for path in (TOY, HAIRPIN):
        model = load(path)
        with plan7.HMMFile(path) as file:
            judge = file.read()
        assert model.match == pytest.approx(np.array([list(row) for row in judge.match_emissions])[1:], abs=1e-5)
        assert model.insert == pytest.approx(np.array([list(row) for row in judge.insert_emissions]), abs=1e-5)
        assert model.transitions == pytest.approx(
            np.array([list(row) for row in judge.transition_probabilities]), abs=1e-5
        )
        assert model.occupancy[:-1] == pytest.approx(np.array(judge.match_occupancy())[1:], abs=1e-4)


def test_a_model_is_a_profile() -> None:
    model, (profile,) = load(TOY), read_profile(TOY)
    assert (profile.name, profile.type, profile.alphabet) == ("toy", SequenceType.PROTEIN, "ACDEFGHIKLMNPQRSTVWY-")
    assert profile.consensus == "MKVALITGASSG"
    assert profile.frequencies[-1] == pytest.approx(1 - model.occupancy)
    assert profile.frequencies[:-1] / model.occupancy == pytest.approx(model.match.T)
    assert "HMMER3/f" in profile.note and profile.source == str(TOY)
    (rna,) = read_profile(HAIRPIN)
    assert (rna.type, rna.alphabet, rna.consensus) == (SequenceType.RNA, "ACGT-", "GGCAATCC")


def core_probability(model: HmmerModel, letters: list[int]) -> float:
    """Return the probability that a model, without insertions at its ends, emits letters: the textbook recurrence."""
    length, nodes = len(letters), len(model)
    m, i, d = (np.zeros((length + 1, nodes + 2)) for _ in range(3))
    begin = model.transitions[0, [0, 2]] / model.transitions[0, [0, 2]].sum()
    t = model.transitions
    for row, k in itertools.product(range(length + 1), range(1, nodes + 1)):
        if row:
            letter = letters[row - 1]
            before = (
                begin[0] * (row == 1)
                if k == 1
                else (
                    m[row - 1, k - 1] * t[k - 1, 0] + i[row - 1, k - 1] * t[k - 1, 3] + d[row - 1, k - 1] * t[k - 1, 5]
                )
            )
            m[row, k] = model.match[k - 1, letter] * before
            if k < nodes:
                i[row, k] = model.insert[k, letter] * (m[row - 1, k] * t[k, 1] + i[row - 1, k] * t[k, 4])
        d[row, k] = begin[1] * (row == 0) if k == 1 else m[row, k - 1] * t[k - 1, 2] + d[row, k - 1] * t[k - 1, 6]
    return float(m[length, nodes] + d[length, nodes])


def hmm_probability(hmm: Hmm, letters: list[int], loop: float) -> float:
    """Return the probability that a sequence is emitted between the states N and C."""
    row = hmm.transitions[0] / (1 - loop)
    row[0] = 0
    if not letters:
        return float(row[-1])
    for letter in letters:
        row = row * hmm.emissions[:, letter]
        row[[0, -1]] = 0
        row = row @ hmm.transitions
    return float(row[-1])


@pytest.mark.parametrize("path", [TOY, HAIRPIN])
def test_a_model_is_a_hidden_markov_model(path: Path) -> None:
    model, (hmm,) = load(path), read_hmm(path)
    assert len(hmm) == 2 * len(model) + 1
    assert hmm.labels[0] == hmm.labels[-1] == "" and set(hmm.labels[1:-1]) == {model.name}
    assert hmm.emissions[0] == pytest.approx(model.null)
    random = np.random.default_rng(1)
    for length in (0, 1, 3, 8, 12, 15):
        letters = random.integers(0, len(model.symbols), length).tolist()
        expected = core_probability(model, letters)
        assert hmm_probability(hmm, letters, model.null_loop) == pytest.approx(expected, rel=1e-6)
        assert expected > 0


def hmmer2_text(model: HmmerModel) -> str:
    """Return a model as HMMER2 writes it, with the ends of the model inside of it left out."""

    def score(value: float, null: float = 1.0) -> str:
        return "*" if value == 0 else str(round(1000 * np.log2(value / null)))

    def scores(values: np.ndarray, nulls: np.ndarray) -> str:
        return " ".join(score(value, null) for value, null in zip(values, nulls, strict=True))

    size = len(model.symbols)
    lines = [
        "HMMER2.0  [2.3.2]",
        "NAME  toy",
        "ACC   PF00000",
        "DESC  a family of toys",
        f"LENG  {len(model)}",
        "ALPH  Amino",
        "RF    no",
        "CS    no",
        "MAP   yes",
        "XT -8455 -4 -1000 -1000 -8455 -4 -8455 -4",
        f"NULT  {score(350 / 351)} {score(1 / 351)}",
        f"NULE  {scores(model.null, np.full(size, 1 / size))}",
        f"HMM   {' '.join(model.symbols)}",
        "      m->m m->i m->d i->m i->i d->m d->d b->m m->e",
        f"      {score(model.transitions[0, 0])} * {score(model.transitions[0, 2])}",
    ]
    for node in range(1, len(model) + 1):
        last = node == len(model)
        lines.append(f"{node} {scores(model.match[node - 1], model.null)} {node}")
        lines.append("- " + (" ".join("*" * size) if last else scores(model.insert[node], model.null)))
        ways = " ".join("*" * 7) if last else " ".join(map(score, model.transitions[node]))
        lines.append(f"- {ways} {score(0.5)} {score(1.0 if last else 0.0)}")
    return "\n".join([*lines, "//", ""])


def test_hmmer2_is_read_against_its_null_model() -> None:
    model = load(TOY)
    (older,) = parse_hmmer(hmmer2_text(model), "x")
    assert older.origin == "HMMER2.0 PF00000 a family of toys"
    assert older.null == pytest.approx(model.null, rel=2e-3)
    assert older.null_loop == pytest.approx(350 / 351, abs=1e-3)
    assert older.match == pytest.approx(model.match, rel=4e-3)
    assert older.insert[1:-1] == pytest.approx(model.insert[1:-1], rel=4e-3)
    assert older.transitions[1:-1] == pytest.approx(model.transitions[1:-1], rel=4e-3, abs=1e-6)
    assert older.occupancy[1:] == pytest.approx(model.occupancy[1:], abs=0.01)


@pytest.mark.parametrize("packed", [False, True])
def test_files_open_as_profile_and_as_model(tmp_path: Path, packed: bool) -> None:
    path = tmp_path / ("toy.hmm.gz" if packed else "toy.hmm")
    text = (TOY.read_text() + TOY.read_text().replace("NAME  toy", "NAME  second")).replace("\n", "\r\n").encode()
    path.write_bytes(gzip.compress(text) if packed else text)
    found = data_loading.read_data(path)
    assert [(type(datum).__name__, datum.name) for datum in found] == [
        ("Profile", "toy"),
        ("Profile", "second"),
        ("Hmm", "toy"),
        ("Hmm", "second"),
    ]


@pytest.mark.parametrize(
    ("old", "new", "reason"),
    [
        ("LENG  12", "LENG  11", "line 56: '//' is expected after 11 nodes"),
        ("LENG  12", "LENG  13", "line 59: node 13 is expected"),
        ("LENG  12", "LENG  x", "line 1: LENG is x"),
        ("0.11024", "0.9", "line 23: the emissions sum to 0.5"),
        ("0.11024", "abc", "line 23: 'abc' is not a number; emissions are 20 numbers"),
        ("0.00710", "2.00710", "the transitions m-> sum to 0.1"),
        ("ALPH  amino", "ALPH  DNA", "line 18: the symbols are A C D"),
        ("//", "", "the file ends inside of a model"),
        ("HMMER3/f", "HMMER3/f\nHMM A\n//", "line 1: LENG is "),
        ("HMM     ", "HXX     ", "line 59: the model has no line HMM"),
    ],
)
def test_damaged_models_name_the_line(tmp_path: Path, old: str, new: str, reason: str) -> None:
    path = tmp_path / "x.hmm"
    path.write_text(TOY.read_text().replace(old, new, 1))
    for read in (read_profile, read_hmm):
        with pytest.raises(InputError, match=f"x.hmm.*{reason}"):
            read(path)


def test_alphabets_that_are_no_letters_of_sequences_are_no_profile(tmp_path: Path) -> None:
    text = HAIRPIN.read_text().replace("ALPH  RNA", "ALPH  custom").replace("A        C        G        U", "W X Y Z")
    (tmp_path / "x.hmm").write_text(text)
    with pytest.raises(InputError, match="a profile is of amino, DNA or RNA"):
        read_profile(tmp_path / "x.hmm")
    assert read_hmm(tmp_path / "x.hmm")[0].alphabet == "WXYZ"
