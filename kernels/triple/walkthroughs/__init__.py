"""Step-by-step animations of methods for three sequences."""
