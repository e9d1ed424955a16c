"""Data for the page's explorer, in which readers can choose, filter and cite any analysis of a study."""
