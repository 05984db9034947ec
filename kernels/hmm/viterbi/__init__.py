"""The most probable path through a hidden Markov model, in eight ways."""
