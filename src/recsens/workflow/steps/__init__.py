"""The steps: each rule has one short function that reads files, calls the library, and writes the results."""
