"""Results on disk. Each kind has one schema; files are written atomically and checked against a checksum when read."""
