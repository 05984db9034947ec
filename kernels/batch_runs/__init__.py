"""Batches: one method on many files, such as thousands of gene families, by any executor.

`batch_items` says which files and settings there are, `item_runs` computes one on a worker, and `batch` runs all of
them, writes their results and the summary, and continues a batch that was interrupted.
"""
