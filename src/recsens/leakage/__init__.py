"""Leaks: twelve ways to fool yourself with an offline evaluation, searched for in any program's train set, test set and runs."""
