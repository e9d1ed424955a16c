"""Data for the page's explorer, where readers can choose, filter and cite any analysis of a study."""
