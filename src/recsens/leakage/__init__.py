"""Leaks: twelve ways to fool oneself with an offline evaluation, looked for in train, test and runs of any program."""
