"""Conclusions of a study: verdicts under every design, claims, joint results, and judgements of designs and metrics."""
