"""The steps: for each rule, one short function that reads, calls the library, and writes."""
