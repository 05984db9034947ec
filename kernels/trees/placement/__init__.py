"""Trees of very many sequences in memory that grows with their number: a backbone is joined, the others are placed."""
