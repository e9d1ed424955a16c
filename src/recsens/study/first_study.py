"""The study file that `recsens init` writes: a few lines to start from, with comments that explain them."""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Self

from recsens.data.datasets import DataSet, locate
from recsens.recommenders import Extent
from recsens.seeds import Stream
from recsens.study.baselines import AffordableBaselines, minutes_in_words

_TEXT = """\
# A study: systems, compared on data under a base design, and again under each option below 'vary'.{time}
# 'recsens keys' describes every key; 'recsens plugins recommender' (split, metric, ...) lists what can be named.
title: {title}

datasets:{doubts}
  {dataset}

systems:
  # Mine: mylab.models.Mine   # your own class; list its folder under 'plugins:'
  # Baselines to compare it with ('baselines: standard' is short for all of them). What is tuned is the best, on validation data, of
  # its defaults and of random draws from its own search space: 20, or as many as 'trials' says. More draws take more minutes.
  {baselines}

# The base design. Decisions that are left out keep their defaults, and the report prints all of them.
design:
  split: random(ratio=0.8){relevance}
  {repeats}repeats: 3   # draw each random split three times: a system can win on one draw by chance

# Each of these options replaces the base design's, one at a time: which conclusions still hold?
vary:
  split: {splits}
  {further}
  # effort: [0, 1, 5, 10]   # who wins only because it was tuned harder? It takes about as long again

metrics: [nDCG@10, P@10]
"""

_SIMULATED = "Simulated: simulated   # ratings like those of MovieLens 100K; 'recsens inspect FILE' prints the line for your file"


_DRAWS = 3


@dataclass(frozen=True)
class FirstStudy:
    """A study about one data set.

    Attributes
    ----------
    title, dataset
        The title, and the line that declares the data set.
    has_ratings, has_times
        If there are time stamps, the options include a split by time. Without ratings, all judged items are relevant, so a
        condensed list is meaningless; sampled target items are varied instead.
    size
        The numbers of users, items and ratings, which decide which baselines fit; those that do not become comments. If they are
        unknown, all fit.
    relevance
        The least rating that is relevant; None for the scale's own.
    doubts
        What becomes comments.
    """

    title: str
    dataset: str
    has_ratings: bool
    has_times: bool
    size: tuple[int, int, int] | None = None
    relevance: float | None = None
    doubts: Sequence[str] = ()

    @classmethod
    def of_simulated(cls) -> Self:
        """Return the study without a file; its times are not used."""
        return replace(cls.of(DataSet.build("simulated"), _SIMULATED), has_times=False)

    @classmethod
    def of(cls, declared: DataSet, line: str) -> Self:
        """Return the study of a declared data set; its files are read if they are here."""
        files = locate(declared)
        loaded = None if files is None else declared.load(files, Stream.of(0))
        size = None if loaded is None else (len(loaded.user_ids), len(loaded.item_ids), len(loaded.user))
        return cls("A first study", line, declared.rating_scale is not None, bool(declared.has_timestamps), size)

    @property
    def _splits(self) -> list[str]:
        """The splits to try besides the base design's."""
        return ["random(ratio=0.5)", *(["temporal(ratio=0.8)"] if self.has_times else [])]

    @cached_property
    def panel(self) -> AffordableBaselines:
        """The baselines: as many as can be had with each random split drawn once."""
        return self._affordable[_DRAWS if self.is_repeated else 1]

    @cached_property
    def is_repeated(self) -> bool:
        """Whether each random split is drawn several times, because that costs no baseline and no trial."""
        if self.size is None:
            return False
        once, several = (self._affordable[draws].trials for draws in (1, _DRAWS))
        # Without a search, what fits may take longer than five minutes.
        return several == once and any(several.values())

    @cached_property
    def _affordable(self) -> dict[int, AffordableBaselines]:
        """The baselines that fit, by the number of draws of each random split: the base design's and the first of `_splits`."""
        if self.size is None:
            return {1: AffordableBaselines()}
        n_drawn_once, extent = len(self._splits) - 1, Extent(*self.size)
        return {draws: AffordableBaselines.affordable(extent, 2 * draws + n_drawn_once) for draws in (1, _DRAWS)}

    @property
    def text(self) -> str:
        """The text of the file."""
        condensed = "view: [condensed]   # rank only the items that the user rated in the test set"
        sampled = "targets: [ar(n=100)]   # rank the relevant items among a hundred others, not among all"
        counted = (
            ""
            if self.relevance is None
            else f"\n  relevance: {self.relevance:g}   # the ratings seem to be counts, so that the lowest is positive"
        )
        minutes = self.panel.minutes
        return _TEXT.format(
            time="" if minutes is None else f"\n# A run takes about {minutes_in_words(minutes)} on two processors.",
            title=json.dumps(self.title, ensure_ascii=False),
            dataset=self.dataset,
            doubts="".join(f"\n  # {line}" for doubt in self.doubts for line in doubt.splitlines()),
            baselines="\n  ".join(_baseline_lines(self.panel)),
            splits=f"[{', '.join(self._splits)}]",
            further=condensed if self.has_ratings else sampled,
            relevance=counted,
            repeats="" if self.is_repeated else "# ",
        )


def _baseline_lines(panel: AffordableBaselines) -> Iterator[str]:
    for each, trials in panel.trials.items():
        cut = trials == 0 and each.is_tuned
        yield f"{each.label}: {each.spec(trials)}{f'   # with its defaults; to be fair, {each.spec()}' if cut else ''}"
    yield from (f"# {each.label}: {each.spec()}   # left out, because it {why}" for each, why in panel.left_out.items())
