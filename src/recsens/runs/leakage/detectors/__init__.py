"""The twelve leak detectors."""
