"""Results side by side: what they were made with, their times, and where their answers differ."""
