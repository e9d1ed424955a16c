"""Test ratings that are older than the newest train rating."""

from collections.abc import Iterator

from recsens.leakage._material import Material, share
from recsens.leakage.suspicion import Suspicion

NAME = "test older than train"


def look(material: Material) -> Iterator[Suspicion]:
    """Count the test ratings that are older than the newest train rating, and measure without them."""
    train, test = material.train.time, material.test.time
    if train is None or test is None:
        which = [name for name, time in (("train", train), ("test", test)) if time is None]
        yield Suspicion(NAME, "", "not told", f"{' and '.join(which)} {'has' if len(which) == 1 else 'have'} no time stamps")
        return
    older = test < train.max()
    evidence = f"{share(int(older.sum()), len(older))} test ratings are older than the newest train rating"
    for run in material.runs:
        if not older.any():
            yield Suspicion(NAME, run.name, "none", evidence)
            continue
        rest = material.measured(run.pairs, material.test.kept(~older))
        yield Suspicion(
            *(
                NAME,
                run.name,
                "found",
                f"{evidence}; the others cover {rest.n_users:,} users, with {_written(rest.mean)}",
            ),
            inflation=material.given(run).less(rest),
            innocent="a deliberate random split, with no claim about the future; removing ratings also changes the users averaged",
            remedy="split all users at the same point in time, and report how the values differ",
        )


def _written(mean: float) -> str:
    return "no value" if mean != mean else f"a mean of {mean:.4f}"  # noqa: PLR0124 - NaN
