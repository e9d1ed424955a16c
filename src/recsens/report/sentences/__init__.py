"""What the report says in whole sentences, assembled from results."""
