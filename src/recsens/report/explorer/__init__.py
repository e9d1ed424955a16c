"""The explorer of the page: every analysis of a study, to choose, to filter and to cite; what its script is given."""
