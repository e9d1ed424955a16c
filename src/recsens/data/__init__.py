"""Data sets, filters and splits (decisions A1 and A2), and the interactions that they turn into train and test sets."""
