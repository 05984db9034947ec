"""What is shown of an alignment, and its painting on the screen and in figures."""
