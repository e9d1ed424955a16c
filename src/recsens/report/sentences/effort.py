"""What the effort of tuning does to verdicts, in words."""

from collections import Counter
from collections.abc import Sequence

from recsens.arrays import grouped
from recsens.conclusions.verdicts.efforts import Efforts, in_words
from recsens.conclusions.verdicts.pairs import PairVerdicts
from recsens.plugins.prose import listed
from recsens.recommenders.tuned import Tuned
from recsens.study import Experiment
from recsens.study.metric_analyses import all_pairs
from recsens.study.searched import searches
from recsens.tables.numbers import count

_MOST = 12
"""Largest number of pairs that are described; effort.csv lists them all."""


def effort_sentences(verdicts: PairVerdicts) -> list[str]:
    """Count the verdicts that change between the smallest and the largest effort, and describe the pairs, those that turn first."""
    sentences = []
    for dataset in verdicts.part.datasets:
        pairs = [of_pair for key, of_pair in verdicts.efforts.items() if key[0] == dataset]
        if not pairs:
            continue
        on = f"On {dataset}, of" if len(verdicts.part.datasets) > 1 else "Of"
        changing = sorted((each for each in pairs if _kind_of_change(each)), key=lambda each: _KINDS.index(_kind_of_change(each)))
        sentences += [f"{on} {_count_sentence(pairs)}", *(f"{_pair_sentence(each)}" for each in changing[:_MOST])]
        if len(changing) > _MOST:
            sentences.append(f"{count(len(changing) - _MOST)} more pairs change; effort.csv lists them.")
    return sentences


_KINDS = ("to the other winner", "to a winner", "to no winner", "in between")


def _kind_of_change(pair: Efforts) -> str:
    first, last = pair.rows[0]["winner"], pair.last["winner"]
    if first != last:
        return _KINDS[0] if first and last else _KINDS[1] if last else _KINDS[2]
    return _KINDS[3] if len({row["winner"] for row in pair.rows}) > 1 else ""


def _count_sentence(pairs: Sequence[Efforts]) -> str:
    low, high = int(pairs[0].rows[0]["effort_a"]), int(pairs[0].last["effort_a"])
    counts = Counter(_kind_of_change(pair) for pair in pairs)
    n_changed = sum(n for kind, n in counts.items() if kind and kind != _KINDS[3])
    kinds = listed([f"{count(counts[kind])} {kind}" for kind in _KINDS[:3] if counts[kind]])
    said = (
        f"{count(n_changed)} verdict{'s change' if n_changed > 1 else ' changes'}: {kinds}" if n_changed else "no verdict changes"
    )
    of = f"{count(len(pairs))} pair{'s' * (len(pairs) > 1)} of systems"
    return f"{of}, between {low} and {high} trials of tuning for each, {said}."


def _pair_sentence(pair: Efforts) -> str:
    a, b = pair.systems
    first, last = pair.rows[0], pair.last
    start = f"with the parameters as written, {_winner_in_words(first['winner'])}" if first["effort_a"] == 0 else ""
    if last["winner"]:
        when = f"With {_trials_or_more(pair)} for each, {last['winner']} wins in at least 95 % of searches"
    else:
        when = f"After {int(last['effort_a'])} trials for each, {in_words(last)}"
    return f"{a} and {b}: {when[0].lower()}{when[1:]}{'; ' if start else ''}{start}."


def _winner_in_words(winner: str) -> str:
    return f"{winner} wins" if winner else "neither wins"


def _trials_or_more(pair: Efforts) -> str:
    settled = pair.settled_from
    return f"{settled} trial{'s' * (settled != 1)} or more" if settled != pair.last["effort_a"] else f"{settled} trials"


def best_after_tuning(verdicts: PairVerdicts) -> list[str]:
    """Say for each data set which systems no other beats after the largest effort, if all pairs were compared."""
    systems, sentences = list(verdicts.part.systems), []
    for dataset in verdicts.part.datasets:
        rows = [of_pair.rows[-1] for key, of_pair in verdicts.efforts.items() if key[0] == dataset]
        n = int(rows[0]["effort_a"]) if rows else 0
        if not n or len(rows) < len(all_pairs(systems)):
            continue
        beaten = {system for row in rows for system in (row["system_a"], row["system_b"]) if row["winner"] not in {"", system}}
        unbeaten = [system for system in systems if system not in beaten]
        lead = f"On {dataset}, after {n} trial{'s' * (n != 1)} of tuning for each system that has a search"
        of = " that can be made of the candidates tried" if any(row["is_of_this_search"] for row in rows) else ""
        often = f"in at least 95 % of searches{of}"
        if len(unbeaten) == 1 and sum(row["winner"] == unbeaten[0] for row in rows) == len(systems) - 1:
            others = "the other" if len(systems) == 2 else f"each of the other {len(systems) - 1}"
            sentences.append(f"{lead}, {unbeaten[0]} beats {others} on {rows[0]['metric']} {often}.")
        elif unbeaten:
            sentences.append(f"{lead}, no other system beats {listed(unbeaten, 'or')} on {rows[0]['metric']} {often}.")
    return sentences


def how_searched(part: Experiment) -> str:
    """Say which systems were searched, with how many trials, and which stay as written."""
    searched = searches(part)
    fixed = [label for label in part.systems if label not in searched]
    stay = f"{listed(fixed)} stay{'s' * (len(fixed) == 1)} as written whatever the effort." if fixed else ""
    ways = grouped((_search_in_words(tuned), label) for label, tuned in searched.items())
    said = [f"{listed(labels)} {'were' if len(labels) > 1 else 'was'} searched with {way}" for way, labels in ways.items()]
    tested = "Every candidate, with the parameters as written among them, was also trained on the whole train set and tested."
    return " ".join(filter(None, [f"{'; '.join(said)}. {tested}" if said else "", stay]))


def _search_in_words(tuned: Tuned) -> str:
    return "its grid" if tuned.search.name == "grid" else f"{tuned.search.get('trials')} random trials"


def effort_in_methods(part: Experiment) -> str:
    """Say for a paper how the effort was varied, and how verdicts over searches were computed."""
    efforts = listed(list(map(str, sorted(part.effort))))
    spaces = [f"{label}: {tuned.search_in_full}" for label, tuned in searches(part).items()]
    return (
        f"We varied how many random trials of tuning a system gets ({efforts}), from one search for each system that has a search "
        "space: with k trials, a system is the best on validation data of its parameters as written and k of these trials, and a "
        f"verdict is that of at least 95 % of all such searches. Searches: {'; '.join(spaces) or 'none'}."
    )
