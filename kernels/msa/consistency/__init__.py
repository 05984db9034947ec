"""Consistency-based multiple alignment (Do, Mahabhashyam, Brudno and Batzoglou 2005) on the CPU and on GPUs."""
