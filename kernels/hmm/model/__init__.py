"""Hidden Markov models, their problems and answers, and their files."""
