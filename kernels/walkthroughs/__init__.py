"""Step-by-step animations of methods on small problems, for learning and teaching."""
