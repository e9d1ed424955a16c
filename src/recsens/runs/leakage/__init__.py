"""Leaks: search the train set, test set and runs of any program for twelve ways to fool yourself in an offline evaluation."""
