"""Results on disk: each with one schema, written atomically, and checked against a checksum when read."""
