"""What unrated items could do to verdicts, in words."""

from __future__ import annotations

from collections.abc import Sequence

from recsens.conclusions.verdicts.components import ranks_systems
from recsens.conclusions.verdicts.study_tables import Results
from recsens.conclusions.verdicts.unrated import Pushed, pushed_comparisons, share, tipping_in_words
from recsens.plugins.prose import listed
from recsens.study import Experiment
from recsens.tables.numbers import count, interval, score

_MOST = 12
"""Largest number of pairs that are described; unrated.csv lists them all."""


def metric_pushed(part: Experiment) -> str:
    """Name the metric of sentences, tables and figures about unrated items: the first that ranks systems and can be pushed."""
    return next((each.written for each in part.metrics if ranks_systems(str(each)) and each.is_open), "")


def pushed_by_data(part: Experiment, results: Results) -> dict[str, list[Pushed]]:
    """List each data set's comparisons by that metric, those with the weakest wins first."""
    own = {key: each for key, each in pushed_comparisons(part, results).items() if each.row["metric"] == metric_pushed(part)}
    by_data = {dataset: [each for key, each in own.items() if key[0] == dataset] for dataset in part.datasets}
    rate = min(part.tipping, default=0.0)
    return {
        dataset: sorted(pairs, key=lambda each: (not each.row["is_significant"], each.rates[rate]["ratio_lost"]))
        for dataset, pairs in by_data.items()
        if pairs
    }


def tipping_sentences(part: Experiment, results: Results, most: int = _MOST) -> list[str]:
    """Say for each data set how many wins little would end, and for each win what would, the weakest first."""
    sentences = []
    for dataset, pairs in pushed_by_data(part, results).items():
        on = f"On {dataset}, of" if len(part.datasets) > 1 else "Of"
        wins = [each for each in pairs if each.row["is_significant"]]
        sentences += [f"{on} {_count_sentence(wins, min(part.tipping))}"] if wins else []
        sentences += [tipping_in_words(each, min(part.tipping)) for each in wins[:most]]
        if len(wins) > most:
            n = len(wins) - most
            sentences.append(f"{count(n)} more win{'s are' if n > 1 else ' is'} in unrated.csv.")
    return sentences


def _count_sentence(wins: Sequence[Pushed], rate: float) -> str:
    lost = [each.rates[rate]["ratio_lost"] for each in wins]
    hows = {1: "as often as the others", 2: "twice as often", 4: "four times as often"}
    ends = [f"{count(sum(ratio <= factor for ratio in lost))} if they are relevant {how}" for factor, how in hows.items()]
    certain = sum(each.excludes_zero for each in wins)
    bounds = f"{count(certain) if certain else 'none'} keep{'s' * (certain < 2)} the lead whatever the unrated items are"
    n = len(wins)
    return (
        f"{count(n)} win{'s' * (n != 1)} on {wins[0].row['metric']}, {bounds}. Suppose that {share(rate)} of the unrated items "
        f"in the lists are relevant, except those that only the loser lists. Wins lost: {listed(ends)}."
    )


def bounds_sentence(pairs: Sequence[Pushed]) -> str:
    """Say how wide bounds are that assume nothing."""
    widest = max(pairs, key=lambda each: each.row["highest"] - each.row["lowest"])
    row = widest.row
    loose = max(each.row["loose"] for each in pairs)
    exact = "These bounds are exact." if loose == 0 else f"These bounds may be too wide by at most {score(loose)}."
    return (
        f"Whatever the unrated items are, the difference of {row['system_a']} and {row['system_b']} lies between "
        f"{interval(row['lowest'], row['highest']).replace(' to ', ' and ')}. {exact}"
    )


READING = (
    "An unrated item counts as not relevant in every value over full rankings. Here, divisors and ideals stay as measured, and a "
    "relevant unrated item gains as much as the highest rating. A ratio near 1 means that the verdict rests on unrated items being "
    "alike in both lists; it says nothing about whether they are. It belongs to its rate: at a higher rate, less is enough."
)
"""How to read tipping rates and ratios."""


def tipping_in_methods(part: Experiment) -> str:
    """Say for a paper how the reach of verdicts was computed."""
    rates = listed([share(rate) for rate in part.tipping])
    return (
        "For each comparison over full rankings, we computed how many times as often unrated items that only the losing system "
        f"lists must be relevant as all other unrated items, relevant independently at a rate of {rates}, before the expected "
        "difference is 0 or no longer significant by the paired t-test; denominators and ideals were as measured."
    )


def summary_lines(parts: Sequence[Experiment], results: Results) -> list[str]:
    """Say what a first screen needs: the counts of wins, and the weakest win of each data set."""
    return [sentence for part in parts for sentence in tipping_sentences(part, results.of(part), most=1)]
