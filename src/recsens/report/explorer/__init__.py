"""The data of the explorer on the page, where a reader can choose, filter and cite any analysis of a study."""
