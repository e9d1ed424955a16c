"""Results on disk. Each kind of file has a schema. Files are written atomically, and compared with a digest when they are read."""
