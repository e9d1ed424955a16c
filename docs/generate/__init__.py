"""What is generated from the code: the pages on plug-ins, keys and columns, the schema of studies, the map of the library."""
