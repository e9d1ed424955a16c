"""The study file that `recsens init` writes: a few lines to start from, with comments that explain them."""

import json
from collections.abc import Iterable

_TEXT = """\
# A study: systems, compared on data under a base design, and again under each option below 'vary'.
# 'recsens keys' describes every key; 'recsens plugins recommender' (split, metric, ...) lists what can be named.
title: {title}

datasets:{doubts}
  {dataset}

systems:
  Popularity: popularity
  kNN: user_knn(k=100)
  MF: wrmf(factors=20)
  # Mine: mylab.models.Mine   # your own class; list its folder under 'plugins:'

# The base design. Decisions that are left out keep their defaults, and the report prints all of them.
design:
  split: random(ratio=0.8){relevance}

# Each of these options replaces the base design's, one at a time: which conclusions still hold?
vary:
  split: {splits}
  {further}

metrics: [nDCG@10, P@10]
"""

SIMULATED = "Simulated: simulated   # ratings like those of MovieLens 100K; 'recsens inspect FILE' prints the line for your file"
"""The data set of a study without a file."""


def first_study(
    title: str, dataset: str, *, has_ratings: bool, has_times: bool, relevance: float | None = None, doubts: Iterable[str] = ()
) -> str:
    """Return the text of a study about one data set; ``dataset`` is the line that declares it, and ``doubts`` become comments.

    If there are time stamps, the options include a split by time. Without ratings, all judged items are relevant, so a condensed
    list is meaningless; sampled target items are varied instead.
    """
    splits = "[random(ratio=0.5), temporal(ratio=0.8)]" if has_times else "[random(ratio=0.5)]"
    condensed = "view: [condensed]   # rank only the items that the user rated in the test set"
    sampled = "targets: [ar(n=100)]   # rank the relevant items among a hundred others, not among all"
    counted = (
        ""
        if relevance is None
        else f"\n  relevance: {relevance:g}   # the ratings seem to be counts, so that the lowest is positive"
    )
    return _TEXT.format(
        title=json.dumps(title, ensure_ascii=False),
        dataset=dataset,
        doubts="".join(f"\n  # {line}" for doubt in doubts for line in doubt.splitlines()),
        splits=splits,
        further=condensed if has_ratings else sampled,
        relevance=counted,
    )
