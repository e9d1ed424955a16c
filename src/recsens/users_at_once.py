"""How many users are scored at a time."""

USERS_AT_ONCE = 512
"""The number is fixed because matrix products may depend on how many users are scored together."""
