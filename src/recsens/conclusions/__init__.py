"""What a study concludes: verdicts under every design, claims, all analyses together, and judgements of designs and metrics."""
