"""Walkthroughs of two sequences: which cells a method computes at once, and which worker does; see
`kernels.walkthroughs`.
"""
