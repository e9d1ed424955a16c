"""The whole sentences of the report, which are assembled from results."""
