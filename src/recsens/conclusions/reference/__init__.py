"""Designs judged by a reference design, whose outcome counts as the truth."""
