"""Two sequences step by step: what the methods compute at once, and who computes it; see `kernels.plays`."""
