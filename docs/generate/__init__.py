"""Files generated from the code: pages on plug-ins, keys and columns, the schema of studies, the map, the rules."""
