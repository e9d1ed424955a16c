"""Data for the page's explorer, in which a reader can choose, filter and cite any of a study's analyses."""
