"""Methods that keep a direction for every cell of the table (Hanif 2014, chapter 4)."""
