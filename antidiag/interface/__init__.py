"""The functions and answers of ``import antidiag``."""
