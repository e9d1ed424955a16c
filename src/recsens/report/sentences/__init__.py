"""Everything that the report says in whole sentences, assembled from results."""
