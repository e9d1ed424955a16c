"""Designs judged against a reference design. The outcome of the reference design counts as the truth."""
