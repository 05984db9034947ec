"""Executors: where independent tasks run, in this process, in worker processes of this machine, or on a Dask cluster.

Nothing else in the program knows which of them runs (`kernels.executors.executor.Executor`). A task
(`kernels.executors.tasks.Task`) names a function of this program and carries all that it needs.
"""
