"""What views show of any result: texts, paths, times, timelines."""
