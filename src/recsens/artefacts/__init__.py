"""Results on disk. Each kind has a schema; files are written atomically, and compared with a checksum when they are read."""
