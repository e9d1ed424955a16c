"""Results on disk. Each kind has a schema; files are written atomically, and checked against a digest when they are read."""
