"""Experiments: sweeps over parameters and inputs, comparison with peers, tuning, and the papers' tables.

Everything works for every method through its declarations and knows nothing of Qt.

1. Make a `Sweep` of contenders (identifiers of methods and peers), inputs (`Loaded` or `Generated`), axes, options,
   parameters, backends and repeats. Its tasks are self-contained and picklable.
2. Run it on a worker thread. Points arrive one by one, frozen and JSON-able; a point that is refused, fails or has a
   wrong answer has a status and a reason. A `SweepControl` cancels and pauses; a `PointStore` keeps every finished
   point and allows to reuse it.
3. Show medians, spreads, phases, speedups over a baseline, cost models and roofline limits, or write tables as CSV,
JSON and Markdown.
4. Search fast parameters, which later plans use; or measure the published tables of the papers.
"""
