"""Edit distance bit by bit (Myers 1999, Hyyrö 2003): a word holds the differences of 32 or 64 neighbouring cells."""
