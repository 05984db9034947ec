"""The Learn workspace: the four classes of dynamic programming, and guidelines for GPUs to be tried out."""
