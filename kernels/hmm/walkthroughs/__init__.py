"""Step-by-step animations of hidden Markov model methods."""
