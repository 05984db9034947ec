"""Random problems of every family: against the textbook, siblings, other parameters, and changed problems; guide trees
of every method; and families of hundreds of nucleotide sequences."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from antidiag.kernels import registry, trials
from antidiag.kernels.method import Method
from antidiag.kernels.trials import RandomChooser, TrialChooser
from tests.attack import coding_options, guide_trees, pair_options
from tests.attack.nucleotide_families import TAKES_FAMILIES, try_nucleotide_family
from tests.kernels.conformance import checks

PAIR_METHODS = {*pair_options.METHODS}
Check = Callable[[Method, str, TrialChooser], None]
GUIDE_TREES = 5
"""One attempt in so many is one of guide trees: few methods take one, and many write one."""
PAIR_OPTIONS = 8
"""One attempt in so many is of pairs with the options of users."""
CODING_SEQUENCES = 16
"""One attempt in so many is of coding sequences, as codons and against a protein."""
NUCLEOTIDE_FAMILIES = 40
"""One attempt in so many is a family of hundreds of nucleotide sequences, which takes as long as many others."""


def attempt(
    seed: int, number: int, folder: Path, backend: str = "cpu", methods: Sequence[Method] = registry.METHODS
) -> str:
    """Try one method on one problem: "" where it holds, else what does not."""
    choose = RandomChooser(seed << 40 | number)
    takers = [method for method in guide_trees.TAKES_A_TREE if method in methods and backend in method.backends]
    aligners = [method for method in TAKES_FAMILIES if method in methods and backend in method.backends]
    if aligners and number % NUCLEOTIDE_FAMILIES == 0:
        method, check = choose.choose_one(aligners), try_nucleotide_family
    elif takers and number % GUIDE_TREES == GUIDE_TREES - 1:
        method, check = choose.choose_one(takers), guide_trees.try_guide_trees
    elif PAIR_METHODS & {method.id for method in methods} and number % PAIR_OPTIONS == 1:
        return _describe_failure("pairs with options", pair_options.try_pair_options, choose, folder, backend)
    elif coding_options.METHOD in {method.id for method in methods} and number % CODING_SEQUENCES == 3:
        return _describe_failure("coding sequences", coding_options.try_coding_sequences, choose, folder, backend)
    else:
        method = drawn(choose, backend, methods)
        check = choose.choose_one(_checks(method, backend))
    try:
        check(method, backend, choose)
    except Exception as error:
        return f"{method.id} on {backend}, {check.__name__}: {type(error).__name__}: {error}"
    return ""


def _describe_failure(
    tried: str,
    attempt_files: Callable[[TrialChooser, Path, str], None],
    choose: TrialChooser,
    folder: Path,
    backend: str,
) -> str:
    """Try files with the options of users: "" where all holds, else what does not."""
    try:
        attempt_files(choose, folder, backend)
    except Exception as error:
        return f"{tried} on {backend}: {type(error).__name__}: {error}"
    return ""


def drawn(choose: TrialChooser, backend: str, methods: Sequence[Method] = registry.METHODS) -> Method:
    """One of the methods that have this backend, each as often as any other."""
    return choose.choose_one([method for method in methods if backend in method.backends])


def _checks(method: Method, backend: str) -> list[Check]:
    """The textbook as often as all others together: it is the judge that knows most."""
    others: list[Check] = []
    if method.parameters.names():
        others.append(checks.try_parameters)
    if checks.siblings(method, backend):
        others.append(checks.try_siblings)
    if trials.load_trials(method.problem_type).symmetries:
        others.append(checks.try_symmetry)
    return [*[checks.try_textbook] * max(1, len(others)), *others]
