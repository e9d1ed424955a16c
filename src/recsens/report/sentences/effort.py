"""What the effort of tuning does to verdicts, in words."""

from collections import Counter
from collections.abc import Sequence

from recsens.conclusions.verdicts.efforts import Efforts, in_words
from recsens.conclusions.verdicts.pairs import PairVerdicts
from recsens.conclusions.verdicts.study_tables import in_order
from recsens.plugins.prose import listed
from recsens.study import Experiment
from recsens.study.searched import searches
from recsens.tables.numbers import count

_MOST = 12
"""Largest number of pairs that are described; effort.csv lists them all."""


def effort_sentences(verdicts: PairVerdicts) -> list[str]:
    """Count the verdicts that change between the smallest and the largest effort, and describe the pairs, those that turn first."""
    sentences = []
    for dataset in verdicts.part.datasets:
        pairs = [of_pair for key, of_pair in verdicts.efforts.items() if key[0] == dataset]
        on = f"On {dataset}, of" if len(verdicts.part.datasets) > 1 else "Of"
        changing = sorted((each for each in pairs if _kind(each)), key=lambda each: _KINDS.index(_kind(each)))
        sentences += [f"{on} {_counted(pairs)}", *(f"{_of_pair(each)}" for each in changing[:_MOST])]
        if len(changing) > _MOST:
            sentences.append(f"{count(len(changing) - _MOST)} more pairs change; effort.csv lists them.")
    return sentences


_KINDS = ("to the other winner", "to a winner", "to no winner", "in between")


def _kind(pair: Efforts) -> str:
    first, last = pair.rows[0]["winner"], pair.last["winner"]
    if first != last:
        return _KINDS[0] if first and last else _KINDS[1] if last else _KINDS[2]
    return _KINDS[3] if len({row["winner"] for row in pair.rows}) > 1 else ""


def _counted(pairs: Sequence[Efforts]) -> str:
    low, high = int(pairs[0].rows[0]["effort_a"]), int(pairs[0].last["effort_a"])
    counts = Counter(_kind(pair) for pair in pairs)
    n_changed = sum(n for kind, n in counts.items() if kind and kind != _KINDS[3])
    kinds = listed([f"{count(counts[kind])} {kind}" for kind in _KINDS[:3] if counts[kind]])
    said = (
        f"{count(n_changed)} verdict{'s change' if n_changed > 1 else ' changes'}: {kinds}" if n_changed else "no verdict changes"
    )
    of = f"{count(len(pairs))} pair{'s' * (len(pairs) > 1)} of systems"
    return f"{of}, between {low} and {high} trials of tuning for each, {said}."


def _of_pair(pair: Efforts) -> str:
    a, b = pair.systems
    first, last = pair.rows[0], pair.last
    start = f"with the parameters as written, {_won(first['winner'])}" if first["effort_a"] == 0 else ""
    if last["winner"]:
        when = f"With {_or_more(pair)} for each, {last['winner']} wins in at least 95 % of searches"
    else:
        when = f"After {int(last['effort_a'])} trials for each, {in_words(last)}"
    return f"{a} and {b}: {when[0].lower()}{when[1:]}{'; ' if start else ''}{start}."


def _won(winner: str) -> str:
    return f"{winner} wins" if winner else "neither wins"


def _or_more(pair: Efforts) -> str:
    settled = pair.settled_from
    return f"{settled} trial{'s' * (settled != 1)} or more" if settled != pair.last["effort_a"] else f"{settled} trials"


def best_after_tuning(verdicts: PairVerdicts) -> list[str]:
    """Say for each data set which systems no other beats after the largest effort, the same for all."""
    sentences = []
    for dataset in verdicts.part.datasets:
        last = [of_pair for key, of_pair in verdicts.efforts.items() if key[0] == dataset]
        if not last:
            continue
        met = in_order(system for pair in last for system in pair.systems)
        beaten = {system for pair in last for system in pair.systems if pair.last["winner"] not in {"", system}}
        wins = Counter(pair.last["winner"] for pair in last)
        unbeaten = [system for system in met if system not in beaten]
        n = int(last[0].last["effort_a"])
        lead = f"On {dataset}, after {n} trial{'s' * (n != 1)} of tuning for each system"
        if len(unbeaten) == 1 and wins[unbeaten[0]] == len(met) - 1:
            others = "the other" if len(met) == 2 else f"each of the other {len(met) - 1}"
            sentences.append(f"{lead}, {unbeaten[0]} beats {others} in at least 95 % of searches.")
        elif unbeaten:
            sentences.append(f"{lead}, no other system beats {listed(unbeaten, 'or')} in 95 % of searches.")
    return sentences


def how_searched(part: Experiment) -> str:
    """Say which systems were searched, with how many trials, and which stay as written."""
    searched = searches(part)
    fixed = [label for label in part.systems if label not in searched]
    n_trials = 2 * max(part.effort)
    stay = f" {listed(fixed)} stay{'s' * (len(fixed) == 1)} as written whatever the effort." if fixed else ""
    return (
        f"{listed(list(searched))} {'were' if len(searched) > 1 else 'was'} searched with {n_trials} random trials besides the "
        f"parameters as written, and every candidate was also trained on the whole train set and tested.{stay}"
    )


def effort_in_methods(part: Experiment) -> str:
    """Say for a paper how the effort was varied, and how verdicts over searches were computed."""
    listed_efforts = listed(list(map(str, sorted(part.effort))))
    spaces = [f"{label}: {tuned.search_in_full}" for label, tuned in searches(part).items()]
    searched = f" Search spaces: {'; '.join(spaces)}." if spaces else ""
    return (
        f"We varied how many random trials of tuning each system gets ({listed_efforts}), from one search of "
        f"{2 * max(part.effort)} trials for each: with k trials, a system is the best on validation data of its parameters as "
        "written and k of these trials, and a verdict is that of at least 95 % of all such searches."
        f"{searched}"
    )
