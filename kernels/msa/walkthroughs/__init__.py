"""Step-by-step animations of multiple alignment methods."""
