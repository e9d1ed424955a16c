"""Twelve ways to fool oneself with an offline evaluation, a module for each."""
