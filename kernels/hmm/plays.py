"""Hidden Markov models step by step: Viterbi letter by letter and as products of matrices, forward and backward."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from antidiag.kernels.hmm import hmm, reference
from antidiag.kernels.hmm import problem as problems
from antidiag.kernels.hmm.problem import HmmProblem
from antidiag.kernels.parameters import Parameter
from antidiag.kernels.plays.inputs import letters_of, sequence_input, table_of, table_text
from antidiag.kernels.plays.model import (
    GIVEN,
    Case,
    Cell,
    Crossing,
    Formula,
    Held,
    Play,
    Step,
    Table,
    added,
    blank,
    names,
    number,
)  # fmt: skip
from antidiag.kernels.plays.staging import Staging
from antidiag.kernels.text import counted
from antidiag.kernels.trials import Choose

STATES = ("F", "L")
INPUTS = (
    sequence_input("letters", "Observed letters", "ABBABBBA"),
    Parameter("alphabet", "text", "Alphabet", "The letters that states emit.", default="AB"),
    Parameter("transitions", "text", "Transitions", "A row for each state, parted by ;. Each sums to one.",
              default="0.75 0.25; 0.5 0.5"),
    Parameter("emissions", "text", "Emissions", "A row for each state, a number for each letter.",
              default="0.5 0.5; 0.125 0.875"),
    Parameter("initial", "text", "Initial", "A probability for each state.", default="0.5 0.5"),
)  # fmt: skip
THREADS = Parameter("threads", "int", "Threads", "Those that compute at the same time.", default=2, minimum=1,
                    maximum=64, unit="threads")  # fmt: skip


def problem(values: Mapping[str, Any]) -> HmmProblem:
    """The model and the letters that were typed."""
    tables = {name: table_of(values[name], name) for name in ("transitions", "emissions", "initial")}
    count = len(tables["transitions"])
    made = hmm.checked("typed", _names(count), values["alphabet"].strip(), tables["transitions"], tables["emissions"],
                       tables["initial"][0])  # fmt: skip
    return problems.build([made, letters_of(values["letters"], "letters")], {})


def _names(count: int) -> tuple[str, ...]:
    return STATES if count == 2 else tuple(f"s{number_of}" for number_of in range(1, count + 1))


class Rows:
    """Costs of the best path to every state, a row a letter: before its emission, as the thesis has them."""

    def __init__(self, made: HmmProblem) -> None:
        self.made, self.costs = made, made.costs
        self.l, self.seen = made.states, made.observations
        self.letters = made.sequence.letters.decode("ascii")
        self.scale = made.costs.scale

    def initial(self, state: int) -> float:
        return float(self.costs.initial[state]) / self.scale

    def emission(self, letter: int, state: int) -> float:
        """What it costs to emit a letter in a state."""
        return float(self.costs.emissions[self.seen[letter], state]) / self.scale

    def transition(self, source: int, target: int) -> float:
        """What it costs to go from one state to another."""
        return float(self.costs.transitions[source, target]) / self.scale

    def move(self, letter: int, source: int, target: int) -> float:
        """What it costs to emit a letter in one state and go on to another."""
        return float(self.costs.emissions[self.seen[letter], source] + self.costs.transitions[source, target]) / (
            self.scale
        )

    def last(self, state: int) -> float:
        return float(self.costs.emissions[self.seen[-1], state]) / self.scale


def viterbi(made: HmmProblem, values: Mapping[str, Any], title: str) -> Play:
    """A row of costs for each letter; the states of a row do not need each other."""
    rows, n, states = Rows(made), made.n, made.hmm.states
    threads = values["threads"]
    numbers, at, who = blank((n + 1, rows.l, 1))
    cases: dict[Cell, tuple[Case, ...]] = {}
    steps: list[Step] = []
    for k in range(n + 1):
        for j in range(rows.l):
            cell = (0, k, j, 0)
            if k == 0:
                found = [Case(f"\u2212ln p({states[j]} at the start)", "", rows.initial(j))]
            elif k < n:
                found = [
                    Case(f"d({k}, {states[i]}) + cost of {rows.letters[k - 1]} in {states[i]}, then {states[j]}",
                         added(numbers[k - 1, i, 0], rows.move(k - 1, i, j)),
                         numbers[k - 1, i, 0] + rows.move(k - 1, i, j), ((0, k - 1, i, 0),), f"from {states[i]}")
                    for i in range(rows.l)
                ]  # fmt: skip
            else:
                found = [Case(f"d({k}, {states[j]}) + cost of {rows.letters[-1]} in {states[j]}",
                              added(numbers[k - 1, j, 0], rows.last(j)), numbers[k - 1, j, 0] + rows.last(j),
                              ((0, k - 1, j, 0),))]  # fmt: skip
            cases[cell] = tuple(found)
            numbers[k, j, 0] = min(case.value for case in found)
            at[k, j, 0], who[k, j, 0] = k, j % threads
        what = "the start" if k == 0 else "the last emission" if k == n else f"letter {k}, {rows.letters[k - 1]}"
        crossed = 4 * rows.l + (0 if k in (0, n) else 4 * rows.l**2)
        steps.append(Step(
            f"Row {k + 1}, {what}: {counted(rows.l, 'state')} at once"
            + (f", each the least of {counted(rows.l, 'sum')}." if 0 < k < n else "."),
            held=(Held("shared memory", "two rows of costs", 8 * rows.l,
                       tuple((0, row, j, 0) for row in range(max(k - 1, 0), k + 1) for j in range(rows.l))),
                  Held("global memory", "directions, for the way back", 2 * rows.l * k)),
            crossings=(Crossing("transitions and emissions of the letter", "global memory", crossed),), barrier=True,
        ))  # fmt: skip
    table = Table("d", numbers, at, who, ("start", *rows.letters[:-1], "end") if n > 1 else ("start", "end"), states,
                  formula="d(k, j) = min over i of d(k-1, i) + cost of letter k-1 in i, then j")  # fmt: skip
    path = reference.viterbi(made)
    cells = () if path is None else (*((0, k, int(j), 0) for k, j in enumerate(path)), (0, n, int(path[-1]), 0))
    best = float(numbers[n, :, 0].min())
    ends = tuple((0, n, j, 0) for j in range(rows.l) if numbers[n, j, 0] == best and np.isfinite(best))

    def explain(cell: Cell) -> Formula:
        name = f"d({cell[1] + 1}, {states[cell[2]]})" if cell[1] < n else f"total({states[cell[2]]})"
        return Formula(name, "min", cases[cell], float(numbers[cell[1:]]))

    return Play(title, (table,), tuple(steps), names(threads, "thread"), explain, path, told_path(made, path, best),
                ends, cells,
                exits=tuple((0, n, j, 0) for j in range(rows.l) if np.isfinite(numbers[n, j, 0])))  # fmt: skip


def told_path(made: HmmProblem, path: np.ndarray | None, best: float | None = None) -> str:
    """The path for people, with its cost, ``best``, where that is known."""
    letters = made.sequence.letters.decode("ascii")
    if path is None:
        return f"no path can emit {letters}"
    states = "".join(made.hmm.states[state][-1] for state in path)
    return (
        f"cost {number(cost(made, path) if best is None else best)} (\u2212ln of the probability)\n{letters}\n{states}"
    )


def cost(made: HmmProblem, path: np.ndarray) -> float:
    """What a path costs: minus the logarithm of its probability."""
    initial, transitions, emissions = made.logs
    steps = transitions[path[:-1], path[1:]].sum() + emissions[made.observations, path].sum()
    return -float(initial[path[0]] + steps)


def products(made: HmmProblem, values: Mapping[str, Any], title: str, tree: bool, textures: bool = False) -> Play:
    """The product over (min, +) of the matrices of all letters: from the left, or in a tree.

    The last letter's emission is part of its matrix: entry (i, j) of the matrix of letter k is what it costs to emit it
    in i and to go on to j; that of the last one stays in i.
    """
    rows, size, threads = Rows(made), made.states, values["threads"]
    states = made.hmm.states
    count = made.n
    tables: list[tuple[str, np.ndarray]] = []
    for k in range(count):
        matrix = np.full((size, size), np.inf)
        for i in range(size):
            for j in range(size):
                if k < count - 1:
                    matrix[i, j] = rows.move(k, i, j)
                elif i == j:
                    matrix[i, i] = rows.last(i)
        tables.append((f"{rows.letters[k]}{k + 1}", matrix))
    found: list[Table] = []
    steps: list[Step] = []
    cases: dict[Cell, tuple[Case, ...]] = {}
    for name, matrix in tables:
        at, who = np.full((size, size, 1), GIVEN, np.int32), np.full((size, size, 1), -1, np.int32)
        found.append(Table(name, matrix[:, :, None], at, who, states, states))
    here = list(range(count))
    while len(here) > 1:
        pairs = [(here[x], here[x + 1]) for x in range(0, len(here) - 1, 2)] if tree else [(here[0], here[1])]
        made_now = []
        for worker, (left, right) in enumerate(pairs):
            place = len(found)
            own, at, who = blank((size, size, 1))
            for i in range(size):
                for j in range(size):
                    ways = tuple(
                        Case(f"{found[left].name}({states[i]}, {states[k]}) + "
                             f"{found[right].name}({states[k]}, {states[j]})",
                             added(found[left].values[i, k, 0], found[right].values[k, j, 0]),
                             float(found[left].values[i, k, 0] + found[right].values[k, j, 0]),
                             ((left, i, k, 0), (right, k, j, 0)), f"through {states[k]}")
                        for k in range(size)
                    )  # fmt: skip
                    cases[place, i, j, 0] = ways
                    own[i, j, 0] = min(way.value for way in ways)
                    at[i, j, 0] = len(steps)
                    who[i, j, 0] = (worker if tree else i * size + j) % threads
            first, last = _ends(found[left].name), _ends(found[right].name)
            name = f"{first[0]}\u2026{last[1]}"
            found.append(Table(name, own, at, who, states, states,
                               formula="P(i, j) = min over k of left(i, k) + right(k, j)"))  # fmt: skip
            made_now.append(place)
        steps.append(Step(
            f"{counted(len(pairs), 'product')} of two matrices at once, each {size} x {size} cells of {size} sums.",
            held=(Held("shared memory", "the factors", 8 * size * size * len(pairs)),),
            crossings=(Crossing("factors, read" + ", the letter's from a texture" * textures, "global memory",
                                8 * size * size * len(pairs)),
                       Crossing("products, written", "global memory", 4 * size * size * len(pairs))), barrier=True,
        ))  # fmt: skip
        here = [*made_now, *here[2 * len(pairs) :]]
    final = here[0]
    place = len(found)
    own, at, who = blank((1, size, 1))
    for j in range(size):
        ways = tuple(
            Case(f"initial({states[i]}) + {found[final].name}({states[i]}, {states[j]})",
                 added(rows.initial(i), found[final].values[i, j, 0]),
                 rows.initial(i) + float(found[final].values[i, j, 0]), ((final, i, j, 0),))
            for i in range(size)
        )  # fmt: skip
        cases[place, 0, j, 0] = ways
        own[0, j, 0], at[0, j, 0], who[0, j, 0] = min(way.value for way in ways), len(steps), j % threads
    found.append(Table("total", own, at, who, ("",), states))
    steps.append(Step("The costs of the start times the product: the cost of the best path to each last state.",
                      crossings=(Crossing("the product, read", "global memory", 4 * size * size),)))  # fmt: skip
    best = float(own.min())
    path = reference.viterbi(made)

    def explain(cell: Cell) -> Formula:
        left = f"{found[cell[0]].name}({states[cell[1]] if cell[0] < place else 'start'}, {states[cell[2]]})"
        return Formula(left, "min", cases[cell], float(found[cell[0]].values[cell[1:]]))

    return Play(title, tuple(found), tuple(steps), names(threads, "block" if tree else "thread"), explain, path,
                told_path(made, path, best),
                tuple((place, 0, j, 0) for j in range(size) if own[0, j, 0] == best and np.isfinite(best)),
                exits=tuple((place, 0, j, 0) for j in range(size) if np.isfinite(own[0, j, 0])))  # fmt: skip


def _ends(name: str) -> tuple[str, str]:
    """The first and the last letter of a product."""
    parts = name.split("\u2026")
    return parts[0], parts[-1]


def both_ways(made: HmmProblem, values: Mapping[str, Any], title: str, backward: bool) -> Play:
    """Probabilities of the letters up to each one, by state; then those of the letters after it, from the end."""
    model, n, size = made.hmm, made.n, made.states
    seen = [made.hmm.alphabet.index(letter) for letter in made.sequence.letters.decode("ascii")]
    letters, states, threads = made.sequence.letters.decode("ascii"), model.states, values["threads"]
    forward = np.zeros((n, size))
    forward[0] = model.initial * model.emissions[:, seen[0]]
    for k in range(1, n):
        forward[k] = forward[k - 1] @ model.transitions * model.emissions[:, seen[k]]
    back = np.ones((n, size))
    for k in range(n - 2, -1, -1):
        back[k] = model.transitions @ (model.emissions[:, seen[k + 1]] * back[k + 1])
    total = float(forward[-1].sum())
    order = np.arange(n, dtype=np.int32)[:, None, None]
    who = np.broadcast_to((np.arange(size, dtype=np.int32) % threads)[None, :, None], (n, size, 1)).copy()

    def table(name: str, numbers: np.ndarray, at: np.ndarray, formula: str) -> Table:
        steps_of = np.broadcast_to(at, (n, size, 1)).astype(np.int32)
        return Table(name, numbers[:, :, None], steps_of, who, tuple(letters), states, formula=formula)

    tables = [table("f", forward, order, "f(k, j) = sum over i of f(k-1, i) x p(i, then j) x p(letter k in j)")]
    steps = [
        Step(f"Forward, letter {k + 1}, {letters[k]}: the sums of {counted(size, 'state')} at once.", "forward",
             (Held("shared memory", "two rows", 16 * size),),
             (Crossing("transitions and emissions", "global memory", 8 * (size * size + size)),), barrier=True)
        for k in range(n)
    ]  # fmt: skip
    if backward:
        tables += [
            table("b", back, 2 * n - 1 - order, "b(k, i) = sum over j of p(i, then j) x p(letter k+1 in j) b(k+1, j)"),
            table("posterior", forward * back / total if total else forward, 2 * n + 0 * order,
                  "p(k, j) = f(k, j) x b(k, j) / p(all letters)"),
        ]  # fmt: skip
        steps += [
            Step(f"Backward, letter {k + 1}, {letters[k]}: what the letters after it are worth from each state.",
                 "backward", (Held("shared memory", "two rows", 16 * size),),
                 (Crossing("transitions and emissions", "global memory", 8 * (size * size + size)),), barrier=True)
            for k in range(n - 1, -1, -1)
        ]  # fmt: skip
        steps.append(Step("Both together: how probable each state is at each letter, all at once.", "posterior",
                          crossings=(Crossing("both tables, read", "global memory", 16 * n * size),)))  # fmt: skip

    def explain(cell: Cell) -> Formula:
        which, k, j, _ = cell
        if which == 0:
            emitted = float(model.emissions[j, seen[k]])
            cases: tuple[Case, ...]
            if k == 0:
                cases = (
                    Case(
                        f"p({states[j]} at the start) x p({letters[0]} in {states[j]})",
                        f"{number(model.initial[j])} x {number(emitted)}",
                        float(model.initial[j]) * emitted,
                    ),
                )
            else:
                cases = tuple(
                    Case(f"f({k}, {states[i]}) x p({states[i]}, then {states[j]}) x p({letters[k]} in {states[j]})",
                         f"{number(forward[k - 1, i])} x {number(model.transitions[i, j])} x {number(emitted)}",
                         float(forward[k - 1, i] * model.transitions[i, j] * emitted), ((0, k - 1, i, 0),))
                    for i in range(size)
                )  # fmt: skip
            return Formula(f"f({k + 1}, {states[j]})", "sum", cases, float(forward[k, j]))
        if which == 1:
            if k == n - 1:
                return Formula(f"b({n}, {states[j]})", "value", (Case("1, for no letter follows", "", 1.0),), 1.0)
            cases = tuple(
                Case(f"p({states[j]}, then {states[i]}) x p({letters[k + 1]} in {states[i]}) x b({k + 2}, {states[i]})",
                     f"{number(model.transitions[j, i])} x {number(model.emissions[i, seen[k + 1]])} x "
                     f"{number(back[k + 1, i])}",
                     float(model.transitions[j, i] * model.emissions[i, seen[k + 1]] * back[k + 1, i]),
                     ((1, k + 1, i, 0),))
                for i in range(size)
            )  # fmt: skip
            return Formula(f"b({k + 1}, {states[j]})", "sum", cases, float(back[k, j]))
        value = float(tables[2].values[k, j, 0])
        case = Case(f"f({k + 1}, {states[j]}) x b({k + 1}, {states[j]}) / p",
                    f"{number(forward[k, j])} x {number(back[k, j])} / {number(total)}", value,
                    ((0, k, j, 0), (1, k, j, 0)))  # fmt: skip
        return Formula(f"p({k + 1}, {states[j]})", "value", (case,), value)

    return Play(title, tuple(tables), tuple(steps), names(threads, "thread"), explain, (total, forward * back),
                f"probability of {letters}: {total:.6g}", tuple((0, n - 1, j, 0) for j in range(size)))  # fmt: skip


def draw(choose: Choose) -> dict[str, Any]:
    """Two or three states with probabilities of eighths, some of them zero."""
    size = choose.integer(2, 3)

    def shares(parts: int) -> list[float]:
        cuts = sorted(choose.integer(0, 8) for _ in range(parts - 1))
        return [(b - a) / 8 for a, b in zip([0, *cuts], [*cuts, 8], strict=True)]

    return {
        "letters": "".join(choose.of("AB") for _ in range(choose.integer(1, 7))),
        "transitions": table_text(np.array([shares(size) for _ in range(size)])),
        "emissions": table_text(np.array([shares(2) for _ in range(size)])),
        "initial": table_text(np.array([shares(size)])),
    }


def agrees_path(play: Play, answer: Any) -> None:
    """The states, and where there are none that no path is possible."""
    if answer.states is None:
        assert play.answer is None and not play.ends
        return
    assert play.answer.tolist() == answer.states.tolist()
    best = play.value(play.ends[0])
    assert abs(best + answer.log_probability) < 1e-4 * max(best, 1), f"a cost of {best}, not {-answer.log_probability}"


def agrees_sums(play: Play, answer: Any) -> None:
    """The probability of all letters, and of the states where the method tells them."""
    total, both = play.answer
    found = answer if isinstance(answer, float) else answer.log_probability
    assert np.isclose(np.log(total) if total else -np.inf, found, rtol=1e-9, atol=1e-9), (total, found)
    posterior = getattr(answer, "posterior", None)
    if posterior is not None and total:
        assert np.allclose(both / total, posterior, atol=1e-6)


def serial(made: HmmProblem, values: Mapping[str, Any]) -> Play:
    """A row after another on one thread, state by state."""
    found = viterbi(made, {**values, "threads": 1}, "TropViterbi")
    steps = [
        replace(step, text=step.text.replace(" at once", ", one after another"), crossings=(), barrier=False,
                held=tuple(replace(held, place="host memory") for held in step.held))
        for step in found.steps
    ]  # fmt: skip
    return replace(found, steps=tuple(steps))


def _staging(
    play: Callable[..., Play],
    agrees: Callable[[Play, Any], None] = agrees_path,
    parameters: tuple[Parameter, ...] = (THREADS,),
) -> Staging:
    return Staging(INPUTS, parameters, problem, play, draw, agrees, lambda made: made.n * made.states**2)


SERIAL = _staging(serial, parameters=())
ROWS = _staging(partial(viterbi, title="TropMatVecProd"))
PRODUCTS = _staging(partial(products, title="SMemViterbi", tree=False))
TEXTURES = _staging(partial(products, title="TMemViterbi", tree=False, textures=True))
TREE = _staging(partial(products, title="TropMatProd in a tree", tree=True))
FORWARD = _staging(partial(both_ways, title="Forward", backward=False), agrees_sums)
POSTERIOR = _staging(partial(both_ways, title="Forward and backward", backward=True), agrees_sums)
