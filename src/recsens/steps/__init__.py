"""The steps: for each rule, one short function that reads files, calls the library, and writes the results."""
