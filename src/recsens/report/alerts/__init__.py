"""What a reader of a study must not overlook; each kind of warning has a module."""
