"""Families of hundreds of nucleotide sequences: every method that takes any number of sequences is run on them twice.

Parameters change nothing, a method finds the same on a GPU as on the CPU, and where the sequences are near, most pairs
of letters of the true alignment are found. Families have equal sequences, fragments, RNA beside DNA, ambiguous letters.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from antidiag.kernels import registry
from antidiag.kernels.io.aligned_sequences import GAP, AlignedSequences
from antidiag.kernels.io.sequences import SEQUENCE
from antidiag.kernels.method import Method
from antidiag.kernels.model import Sequence, SequenceType
from antidiag.kernels.trials import TrialChooser, load_trials
from tests.kernels.conformance import checks

FAMILIES = ("msa", "parttree", "trees")
FEWEST, MOST, SHORTEST, LONGEST = 150, 500, 60, 300
FEWEST_OF_SLOW = 20
MOST_S = 0.5
"""Seconds that a run may take by the nominal rate of its method; a family is made smaller until it takes no more."""
NEAR, LEAST_FOUND = 0.005, 0.6
"""Mean changes per letter of a branch up to which a family is near, and the share of its true pairs that is found."""
JUDGED_PAIRS = 30


@dataclass(frozen=True)
class SimulatedFamily:
    """Sequences and, for each, the columns of its letters in the true alignment."""

    sequences: tuple[Sequence, ...]
    columns: list[np.ndarray]

    def take_first(self, count: int) -> SimulatedFamily:
        """Return the family of the first sequences."""
        return SimulatedFamily(self.sequences[:count], self.columns[:count])


def takes_families(method: Method) -> bool:
    """Return whether a method takes any number of sequences and nothing else."""
    taken = method.problem_type.inputs
    return (
        method.family in FAMILIES
        and taken[0].kind is SEQUENCE
        and taken[0].maximum is None
        and all(not one.minimum for one in taken[1:])
    )


TAKES_FAMILIES = [method for method in registry.METHODS if takes_families(method)]


def try_nucleotide_family(method: Method, backend: str, choose: TrialChooser) -> None:
    """Run a method twice on a family, with other parameters, and the first time on the backend."""
    branch = choose.choose_one((0.001, NEAR, 0.02, 0.06))
    count, length = choose.draw_integer(FEWEST, MOST), choose.draw_integer(SHORTEST, LONGEST)
    family = simulate_family(choose, count, length, branch)
    tried = load_trials(method.problem_type)
    options = {"guide": choose.choose_one((None, "sketch"))} if "guide" in _option_names(method) else {}
    problem = method.problem_type.make_problem(family.sequences, options)
    while _expect_seconds(method, problem, backend) > MOST_S and len(family.sequences) > FEWEST_OF_SLOW:
        family = family.take_first(len(family.sequences) * 2 // 3)
        problem = method.problem_type.make_problem(family.sequences, options)
    answers = [
        checks.run(method, place, problem, tried.draw_parameters(method, place, choose)).answer
        for place in (backend, method.backends[0] if "cpu" not in method.backends else "cpu")
    ]
    tried.assert_same_answer(problem, *answers, method)
    alignment = getattr(answers[0], "alignment", None)
    if isinstance(alignment, AlignedSequences) and branch <= NEAR:
        found = share_of_true_pairs(alignment.letters, family.columns, choose.make_generator())
        assert found >= LEAST_FOUND, f"{found:.3f} of the true pairs of {len(family.sequences)} near sequences"


def _option_names(method: Method) -> set[str]:
    return {option.name for option in method.problem_type.options}


def _expect_seconds(method: Method, problem: object, backend: str) -> float:
    parameters = method.parameters.resolve({}, method.choose_parameters(problem, backend, 132))
    return method.cost.count_work(problem, parameters) / method.cost.nominal_gcups[backend] / 1e9


def simulate_family(choose: TrialChooser, count: int, length: int, branch: float) -> SimulatedFamily:
    """Simulate sequences, each a copy of one before with ``branch`` changes per letter in mean (exponential)."""
    random, fresh = choose.make_generator(), length
    texts, columns = [random.integers(0, 4, length).astype(np.uint8)], [np.arange(length)]
    for _ in range(count - 1):
        parent, rate = int(random.integers(len(texts))), random.exponential(branch)
        text, own = texts[parent].copy(), columns[parent]
        changed = random.random(text.size) < rate
        text[changed] = random.integers(0, 4, int(changed.sum()))
        for _ in range(random.poisson(0.1 * rate * text.size)):
            at, long = int(random.integers(text.size)), int(random.geometric(0.4))
            if random.random() < 0.5 and text.size > 2 * long:
                text, own = np.delete(text, np.s_[at : at + long]), np.delete(own, np.s_[at : at + long])
            else:
                text = np.insert(text, at, random.integers(0, 4, long).astype(np.uint8))
                own, fresh = np.insert(own, at, np.arange(fresh, fresh + long)), fresh + long
        texts.append(text)
        columns.append(own)
    special, parts = choose.choose_one(("none", "fragments", "RNA", "ambiguous")), [slice(None)] * count
    if special == "fragments":
        parts = [_draw_half(text.size, random) if random.random() < 0.3 else slice(None) for text in texts]
    sequences = (
        _write_sequence(f"t{number}", text[part], special if random.random() < 0.3 else "none", random)
        for number, (text, part) in enumerate(zip(texts, parts, strict=True))
    )
    return SimulatedFamily(tuple(sequences), [own[part] for own, part in zip(columns, parts, strict=True)])


def _draw_half(size: int, random: np.random.Generator) -> slice:
    first = int(random.integers(size // 2 + 1))
    return slice(first, first + size // 2)


def _write_sequence(name: str, text: np.ndarray, special: str, random: np.random.Generator) -> Sequence:
    """Return a sequence of codes, perhaps as RNA or with three ambiguous letters."""
    is_rna = special == "RNA"
    letters = np.frombuffer(b"ACGU" if is_rna else b"ACGT", np.uint8)[text]
    if special == "ambiguous":
        letters[random.integers(0, letters.size, 3)] = ord("N")
    return Sequence(name, letters.tobytes(), SequenceType.RNA if is_rna else SequenceType.DNA)


def share_of_true_pairs(letters: np.ndarray, columns: list[np.ndarray], random: np.random.Generator) -> float:
    """Return the share of the pairs of letters of the true alignment that an alignment has, over some pairs of rows."""
    true = found = 0
    for _ in range(JUDGED_PAIRS):
        first, second = random.choice(len(columns), 2, replace=False)
        at = [np.flatnonzero(letters[row] != GAP) for row in (first, second)]
        _, one, other = np.intersect1d(columns[first], columns[second], return_indices=True)
        true += one.size
        found += int((at[0][one] == at[1][other]).sum())
    return found / max(true, 1)
