"""The Tune workspace: sweeps over parameters, what they measured as live plots, and a search for good parameters.

It is built on `kernels.experiments`, which knows every method from its declaration; nothing here names one. The
points of a sweep live in a `points.PointSet`, which every plot shows and in which one point is chosen.
"""
