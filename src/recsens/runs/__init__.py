"""Other programs' results: evaluated, audited, searched for leaks, and held against printed numbers."""
