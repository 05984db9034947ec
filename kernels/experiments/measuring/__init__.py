"""Measuring: timed runs of tasks, their warm-up, agreement of answers, and peak memory."""
