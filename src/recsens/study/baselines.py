"""Baselines to put beside a new model, all tuned alike: what ``baselines: standard`` means, and what `recsens init` writes.

What a study means must depend neither on the machine that reads it nor on data that may not be there yet. Therefore ``standard`` is
always the same list. What fits in time and memory is decided once, from the size of a file of ratings, and written into the study.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

from recsens.arrays import grouped
from recsens.errors import RecsensError, SpecError
from recsens.plugins.specs import Spec, parse
from recsens.recommenders import Extent, Recommender

_FORMS = "standard, or with the number of random draws of every search: standard(trials=50)"
_TRIALS = (20, 10, 5, 0)
"""Numbers of random draws of a search, tried in turn until the panel is fast enough; 0 means defaults, without a search."""
_MINUTES = 5.0
"""The longest time of the study that `recsens init` writes, on two processors."""
_RATINGS = 300_000
"""The number of ratings up to which this holds; for more, the time is in proportion."""
_LARGEST_SHARE = 0.2
"""The share of this time that one recommender may take with its defaults."""
_MEMORY = 4 * 2**30
"""Bytes that a recommender of that study may need: half of what a small laptop has."""
_START, _BESIDE = 0.5, 2.0
"""Minutes that any run takes, and the seconds of each system on each split beside its search."""


@dataclass(frozen=True, slots=True)
class Baseline:
    """A recommender of the panel.

    Attributes
    ----------
    label, name
        Its label in a study, and the plug-in's name.
    seconds
        About how long a trial takes, to fit and to rank all items for all users, on one slow processor.
    """

    label: str
    name: str
    seconds: Callable[[Extent], float] = field(compare=False)

    @property
    def is_tuned(self) -> bool:
        """Whether there is anything to tune."""
        return self.name != "popularity"

    def spec(self, trials: int = _TRIALS[0]) -> str:
        """Return the recommender as a study writes it, with its defaults if there are no trials."""
        if not (self.is_tuned and trials):
            return self.name
        return f"tuned(of={self.name}{'' if trials == _TRIALS[0] else f',search=random(trials={trials})'})"

    def label_in(self, systems: Mapping[Any, Any]) -> str | None:
        """Return the label of the first system that is this recommender, tuned in whatever way; None if there is none."""
        for label, text in systems.items():
            # The study's own check refuses what cannot be built.
            with suppress(RecsensError):
                system = Recommender.build(text if isinstance(text, Spec) else str(text))
                of = getattr(system, "of", None) if system.plugin_name() == "tuned" else system.spec
                if isinstance(of, Spec) and of.name == self.name and self.is_tuned == (system.plugin_name() == "tuned"):
                    return str(label)
        return None


def _item_seconds(of: Extent) -> float:
    """Seconds of a trial that compares items: in proportion to their pairs, all of them and those within profiles."""
    return 0.05 + 4.2e-9 * of.items**2 + 5e-9 * of.ratings**2 / of.users


STANDARD = (
    Baseline("Popularity", "popularity", lambda _: 0.05),
    Baseline("Item kNN", "item_knn", _item_seconds),
    Baseline("User kNN", "user_knn", lambda of: 0.05 + 4e-9 * of.users**2 + 8e-9 * of.ratings**2 / of.items),
    Baseline("RP3beta", "rp3beta", _item_seconds),
    Baseline("EASE", "ease", lambda of: 0.1 + 2.1e-11 * of.items**3 + 4e-8 * of.users * of.items),
    Baseline("PureSVD", "pure_svd", lambda of: 0.03 + 2e-7 * of.ratings + 1e-8 * of.users * of.items),
    Baseline("HKV", "hkv", lambda of: 0.15 + 1.3e-4 * (of.users + of.items) + 3e-6 * of.ratings),
)
"""What ``baselines: standard`` means, in the order of tables; times are fitted to runs on three sets of MovieLens and FilmTrust."""


def with_baselines(asked: object, systems: Mapping[Any, Any]) -> dict[Any, Any]:
    """Return the systems of a study, as written, and after them the baselines that it asks for.

    A baseline is left out if one of the study's own systems is the same recommender, tuned in whatever way (or popularity). If
    another system has its label, ``(baseline)`` follows.

    Raises SpecError if ``asked`` is no panel.
    """
    trials = _trials_of(asked)
    added = [each for each in STANDARD if each.label_in(systems) is None]
    labels = {each: f"{each.label} (baseline)" if each.label in systems else each.label for each in added}
    return {**systems, **{label: each.spec(trials) for each, label in labels.items()}}


def told(asked: str, systems: Mapping[str, Spec]) -> Iterator[str]:
    """Yield what a study's ``baselines`` mean, and which of them its own systems replace, given all of its systems."""
    trials = _trials_of(asked)
    labels = {each: each.label_in(systems) or each.label for each in STANDARD}
    added = [each for each, label in labels.items() if systems[label] == Recommender.build(each.spec(trials)).spec]
    yield f"baselines: {asked} means {'; '.join(f'{labels[each]}: {each.spec(trials)}' for each in added)}"
    for each in STANDARD:
        if each not in added:
            yield f"baselines: no {each.label} besides, because the system '{labels[each]}' is {each.name}, tuned in another way"


def _trials_of(asked: object) -> int:
    """Read the number of draws of every search."""
    with suppress(SpecError):
        spec = parse(asked if isinstance(asked, str) else "")
        trials = spec.get("trials") if spec.params else _TRIALS[0]
        is_number = isinstance(trials, int) and not isinstance(trials, bool) and 1 <= trials <= 1000
        if spec.name == "standard" and spec.positional is None and len(spec.params) <= 1 and is_number:
            return trials  # type: ignore[return-value]
    raise SpecError(f"{asked!r} is no panel of baselines", allowed=_FORMS)


def minutes_in_words(minutes: float) -> str:
    """Write a duration as precisely as an estimate can be: 'a minute', '4 minutes', '2.5 hours'."""
    if minutes < 1.5:
        return "a minute"
    return f"{minutes:.0f} minutes" if minutes < 90 else f"{minutes / 60:.1f} hours"


@dataclass(frozen=True)
class AffordableBaselines:
    """The part of the panel that fits a data set; by default, the whole.

    Attributes
    ----------
    trials
        The number of random draws in the search of each recommender that fits, in the order of tables; 0 for its defaults.
    left_out
        Why each of the others does not, in a few words.
    minutes
        About how long the study takes on two processors; None if the size of the data is unknown.
    """

    trials: Mapping[Baseline, int] = field(default_factory=lambda: {each: _TRIALS[0] if each.is_tuned else 0 for each in STANDARD})
    left_out: Mapping[Baseline, str] = field(default_factory=dict)
    minutes: float | None = None

    @classmethod
    def affordable(cls, extent: Extent, n_splits: int) -> AffordableBaselines:
        """Choose what takes at most five minutes for 300,000 ratings on two processors, and 4 GiB.

        The longest search draws less, ten times or five, and at last its recommender keeps its defaults, until the study is fast
        enough. What takes a fifth of the time even so is left out. Nothing but the arguments matters.
        """
        most = _MINUTES * max(extent.ratings / _RATINGS, 1)

        def minutes(each: Baseline, trials: int) -> float:
            # A search fits the default besides its draws, and the best of them once more.
            fits = trials + 2 if each.is_tuned and trials else 1
            return n_splits * (_BESIDE + each.seconds(extent) * fits) / 2 / 60

        left = {}
        for each in STANDARD:
            memory, least = Recommender.build(each.name).bytes_needed(extent), minutes(each, 0)
            if memory > _MEMORY:
                left[each] = f"needs {memory / 2**30:.0f} GiB"
            elif least > _LARGEST_SHARE * most:
                left[each] = f"takes {minutes_in_words(least)} more, even with its defaults"
        trials = {each: _TRIALS[0] if each.is_tuned else 0 for each in STANDARD if each not in left}
        while (total := _START + sum(minutes(*searched) for searched in trials.items())) > most and any(trials.values()):
            longest = max(filter(trials.get, trials), key=lambda each: minutes(each, trials[each]))
            trials[longest] = max(n for n in _TRIALS if n < trials[longest])
        return cls(trials, left, total)

    def told(self) -> Iterator[str]:
        """Yield the baselines with their draws, those that are left out and why, and the time of a run."""
        for n, labels in sorted(grouped((n, each.label) for each, n in self.trials.items()).items(), reverse=True):
            how = f"Tuned, the best of their defaults and {n} random draws" if n else "As they are"
            yield f"{how}: {', '.join(labels)}"
        yield from (f"Left out: {each.label}, which {why}" for each, why in self.left_out.items())
        if self.minutes is not None:
            yield f"Time: about {minutes_in_words(self.minutes)} on two processors"
