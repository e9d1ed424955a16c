"""The splits and fits that a test over users treats as fixed."""


def fixed(n_folds: float) -> str:
    """Name what a p-value over users treats as fixed: the splits that were drawn, and the systems that were fitted on them.

    Examples
    --------
    >>> fixed(5), fixed(1)
    ('these splits and fits', 'this split and fit')
    """
    return "this split and fit" if n_folds == 1 else "these splits and fits"
