"""The tables of a study, for the page and for papers."""
