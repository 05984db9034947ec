"""Members of the non-serial polyadic class (003, section 6.1.4): Nussinov's RNA folding and optimal matrix chains."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from antidiag.kernels.analysis import ADD_AND_MAX, least
from antidiag.kernels.citation import Citation
from antidiag.kernels.folding import placement, problem, sizes
from antidiag.kernels.io.sequences import SEQUENCE
from antidiag.kernels.method import Input, Method, ProblemType
from antidiag.kernels.model import SequenceType
from antidiag.kernels.semiring.parameters import THREADS
from antidiag.kernels.text import counted

NUSSINOV = Citation(
    key="nussinov1978algorithms",
    authors="Ruth Nussinov, George Pieczenik, Jerrold R. Griggs, Daniel J. Kleitman",
    title="Algorithms for Loop Matchings",
    venue="SIAM Journal on Applied Mathematics",
    year=1978,
    kind="article",
    volume="35",
    pages="68-82",
)
CHAIN = Citation(
    key="godbole1973efficient",
    authors="Sadashiva S. Godbole",
    title="On Efficient Computation of Matrix Chain Products",
    venue="IEEE Transactions on Computers",
    year=1973,
    kind="article",
    volume="C-22",
    pages="864-866",
)

FOLDING_TYPE = ProblemType(
    id="folding",
    label="RNA folding",
    inputs=(Input(SEQUENCE),),
    options=problem.FOLDING_OPTIONS,
    build=problem.build_folding,
    defaults=problem.no_defaults,
    data=problem.folding_data,
    rows=problem.folding_rows,
    answer=lambda result: counted(result.answer.pairs, "pair"),
    formats=problem.FOLDING_FORMATS,
    option_values=lambda made: {"min_loop": made.min_loop, "wobble": made.wobble},
    placement=placement.PAIRS,
    trials="antidiag.kernels.folding.trials:FOLDING",
)

CHAIN_TYPE = ProblemType(
    id="matrix-chain",
    label="Optimal matrix chain",
    inputs=(),
    options=problem.CHAIN_OPTIONS,
    build=problem.build_chain,
    defaults=problem.no_defaults,
    data=problem.chain_data,
    rows=problem.chain_rows,
    answer=lambda result: f"{result.answer.cost:,}",
    answer_label="multiplications",
    option_values=lambda made: {"dimensions": ",".join(map(str, made.dimensions))},
    placement=placement.CHAIN,
    trials="antidiag.kernels.folding.trials:CHAIN",
)


def _work(made: Any, parameters: Mapping[str, Any]) -> int:
    return made.cells


def _is_one_rna(data: Sequence[Any]) -> bool:
    return len(data) == 1 and getattr(data[0], "type", None) is SequenceType.RNA


def _method(id: str, name: str, summary: str, citation: Citation, kind: ProblemType, returns: set[str],
            number: type, rates: Mapping[str, float]) -> Method:  # fmt: skip
    return Method(
        id=id,
        name=name,
        family="tropical",
        summary=summary,
        citation=citation,
        problem=kind,
        parameters=(THREADS,),
        backends={backend: f"antidiag.kernels.folding.{backend}:{id.replace('-', '_')}" for backend in ("cpu", "cuda")},
        returns=frozenset(returns),
        footprint=partial(sizes.footprint, number),
        automatic=sizes.automatic,
        work=_work,
        logged=sizes.logged,
        models=least(_work, "003, section 6.2", "sums of two parts, compared", ADD_AND_MAX),
        staging=f"antidiag.kernels.folding.plays:{'NUSSINOV' if kind is FOLDING_TYPE else 'CHAIN'}",
        page=Path(__file__).with_name("page.md"),
        nominal_gcups=rates,
        suits=_is_one_rna if kind is FOLDING_TYPE else None,
    )


METHODS = (
    _method("nussinov", "Nussinov", "The RNA structure of the most base pairs: every part is split everywhere.",
            NUSSINOV, FOLDING_TYPE, {"structure"}, np.int32, {"cpu": 3.0, "cuda": 1000.0}),
    _method("matrix-chain", "Optimal matrix chain", "The order of a product of matrices that takes the fewest "
            "multiplications.", CHAIN, CHAIN_TYPE, {"order"}, np.int64,
            {"cpu": 0.5, "cuda": 100.0}),
)  # fmt: skip
