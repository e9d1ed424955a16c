"""Data sets, filters and splits (decisions A1 and A2), which turn interactions into train and test sets."""
