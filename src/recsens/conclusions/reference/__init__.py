"""Designs judged against a reference design, whose outcome counts as the truth."""
