"""Executors: where independent tasks run. In this process, one worker process a GPU, or the workers of a Dask cluster.

Nothing else in the program knows which of them runs (`kernels.executors.executor.Executor`). A task
(`kernels.executors.tasks.Task`) names a function of this program and carries all that it needs.
"""
