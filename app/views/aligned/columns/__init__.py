"""Column counts and the tracks above the rows."""
