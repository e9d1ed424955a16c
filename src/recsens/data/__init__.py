"""A1 and A2: data sets, filters and splits, and the interactions that they turn into train and test."""
