"""The twelve leak detectors, one module each."""
