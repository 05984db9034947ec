"""ProfileWavefront: strips of the table, the path through them, batches of alignments, and pictures."""
