"""The laboratory: sweeps, peers, models, tuning and the papers' experiments, for every method alike.

Everything here is made from the declarations (Method, Parameter, ProblemType, DataKind), knows nothing of
Qt, and works on plain frozen data. A front end uses it like this:

1. It makes a `sweep.Sweep`: contenders (identifiers of methods and of peers), an input (`inputs.Loaded`
   with what the user opened, or `inputs.Generated`), axes (`axes.parse("s=32:1024:*2", methods)`, or an
   `axes.Axis` made from widgets), options and parameters that stay the same, backends, repeats.
   ``sweep.tasks()`` is the grid: a tuple of `sweep.Task`, each self-contained, picklable, with
   ``coordinates`` (axis name -> value) for the cell of the grid it belongs to.
2. On a worker thread it calls ``runner.run(sweep, store, control, on_point, on_progress, reuse)``. Points
   arrive one by one through ``on_point`` as `points.Point`, frozen and JSON-able; ``on_progress`` gets a
   `runner.Progress` with the seconds left. ``control`` is a `runner.Control`: ``cancel()``, ``pause()``,
   ``go_on()`` from any thread. A point that is refused, fails, or disagrees is a point too: look at
   ``point.status`` and ``point.reason``. ``store`` is a `results.Store`: one JSON line a point on disk, so
   that nothing finished is ever lost, and ``reuse=True`` takes points that were measured before.
3. To show: ``point.value(QUANTITY)`` for every name in `points.QUANTITIES` ("compute_ms", "gcups", ...),
   ``point.spread("wall_ms")`` for error bars, ``point.phases`` for stacked bars, ``point.parameters`` for
   "use these values"; `speedups.speedups(points, baseline)`; `method.models` and `models.curve(...)` for
   the paper's analysis; `roofline.of(...)` for measured / limit; `tables` for CSV, JSON and Markdown.
4. `tuning.tune(...)` searches good parameters and keeps them in `kernels.machine.tuned`, from where every later
   plan takes them; `papers.tables()` lists the papers' experiments, each a Sweep and its published numbers.
"""
