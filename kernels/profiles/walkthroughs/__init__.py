"""Step-by-step animations of profile methods."""
