"""A study's first answer: for each pair, which system wins under which condition, and advice on what to report."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Self

from recsens.arrays import grouped
from recsens.conclusions.verdicts.efforts import DIVIDED, EFFORT
from recsens.conclusions.verdicts.over_datasets import OverDatasets
from recsens.conclusions.verdicts.pairs import EQUIVALENT, UNDECIDED, UNINFORMATIVE, PairVerdicts
from recsens.conclusions.verdicts.stability import (
    INSIGNIFICANT,
    METRICS,
    OPEN,
    UNTESTED,
    Changing,
    Stability,
    sort_by_gravity,
    stabilities,
)
from recsens.conclusions.verdicts.study_tables import Results
from recsens.plugins.prose import listed
from recsens.report.sentences.best import best_systems, chance_sentences, pair_sentence
from recsens.report.sentences.contradictions import change_of_analysis, least_changed
from recsens.report.sentences.effort import best_after_tuning
from recsens.report.sentences.evidence import doubted_wins, doubted_wins_clause
from recsens.report.sentences.headline import robustness_unknown
from recsens.report.sentences.options import condition, noun
from recsens.report.sentences.over_datasets import first_sentences
from recsens.report.sentences.unscored import unscored_sentences
from recsens.study import Study
from recsens.tables.numbers import count

_EXAMPLES = 3
"""Number of doubtful wins that a sentence names."""

_MANY = 8
"""A sentence with more clauses than this counts pairs instead of naming them."""


_WHY = {
    INSIGNIFICANT: "the difference is not significant",
    UNTESTED: "the two were not tested",
    EQUIVALENT: "the two are equivalent",
    UNDECIDED: "neither wins, although p is small",
    OPEN: "neither wins",
    DIVIDED: "who wins depends on the search",
}
"""Why an analysis has no winner."""


@dataclass(frozen=True, slots=True)
class Answer:
    """A study's answer about a pair of systems that is asked about, or whose verdict changes.

    Attributes
    ----------
    finding
        Which system wins under which condition.
    advice
        A sentence with the decisions for which to report several options, and the choices to state; empty if the verdict never
        changes.
    is_asked
        Whether the study asks about this pair; then the finding begins with the base verdict and its evidence.
    """

    finding: str
    advice: str
    is_asked: bool


def answers(verdicts: Sequence[PairVerdicts], *, where: bool | None = None, counts: bool = True) -> list[Answer]:
    """Return the answers for the pairs asked about, then for each pair whose verdict changes, the most contradictory pair first.

    Conditions are single changes of the base design. If a verdict changes only when several decisions change together, the answer
    says so. If ``where``, sentences name their data set; by default, they do so if there are several data sets. Without ``counts``,
    they do not count analyses by who wins.
    """
    where = _names_data(verdicts) if where is None else where
    told = [(pair, along) for pair, along in sort_by_gravity(verdicts) if pair.is_asked or not pair.is_stable]
    return [_answer(pair, along, where=where and not pair.is_asked, counts=counts) for pair, along in told]


def unmoved_pairs(verdicts: Sequence[PairVerdicts], *, where: bool | None = None) -> list[str]:
    """Say, in a sentence per data set, which other pairs have one verdict in every analysis; empty if there is only one analysis.

    ``where`` is as for `answers`.
    """
    where, sentences = _names_data(verdicts) if where is None else where, []
    for of_part in verdicts:
        told = [pair for pair in stabilities(of_part) if (pair.others or pair.efforts) and not pair.is_asked]
        stable = [pair for pair in told if pair.is_stable and pair.base["verdict"] != UNINFORMATIVE]
        by_dataset = grouped((pair.base["dataset"], pair) for pair in stable)
        alike = grouped((_stable_sentence(of_part, by_dataset[each]), each) for each in of_part.part.datasets if each in by_dataset)
        sentences += [_capitalised(f"{_on_dataset(listed(datasets)) if where else ''}{text}") for text, datasets in alike.items()]
    return sentences


def _names_data(verdicts: Sequence[PairVerdicts]) -> bool:
    """Whether there are several data sets, so that sentences must name theirs."""
    return len({dataset for of_part in verdicts for dataset in of_part.part.datasets}) > 1


def _answer(pair: Stability, along: Sequence[Changing], *, where: bool, counts: bool) -> Answer:
    base = [pair_sentence(pair.verdicts.part, pair.base)] if pair.is_asked else []
    if pair.is_stable:
        return Answer(" ".join([*base, *_agreement_sentences(pair)]), "", pair.is_asked)
    return Answer(" ".join([*base, _finding_sentence(pair, along, where, counts)]), _advice_sentence(pair, along), pair.is_asked)


def _agreement_sentences(pair: Stability) -> Iterator[str]:
    """Say that every analysis of a pair agrees, if there is more than one, and which of its wins are in doubt."""
    if pair.n_distinct > 1:
        winner = pair.base["winner"]
        n = count(pair.n_distinct)
        yield f"{winner} wins in all {n} analyses." if winner else f"None of the {n} analyses has a winner."
        yield from _doubt_sentences(pair)


def _finding_sentence(pair: Stability, along: Sequence[Changing], where: bool, counts: bool) -> str:
    sentences = [_main_sentence(pair.base, along[0])] if along else [_single_change_sentence(pair, where)]
    sentences += [_further_sentence(path) for path in along[1:]]
    sentences += [f"With {change}, {winner or 'neither'} wins." for winner, change in combined_changes(pair, along)]
    sentences += [*(_count_sentences(pair) if counts else ()), *_doubt_sentences(pair)]
    return f"{_on_dataset(pair.base['dataset']) if where else ''}{' '.join(sentences)}"


def _main_sentence(base: Mapping[str, Any], path: Changing) -> str:
    """Say who wins under which options of the most important decision."""
    if not path.winners:
        further = _further_sentence(path)
        return f"{base['system_a']} and {base['system_b']} on {base['metric']}: {further[0].lower()}{further[1:]}"
    first, *others = path.winners
    loser = base["system_b"] if first == base["system_a"] else base["system_a"]
    on = "" if path.sweep.varied is METRICS else f" on {base['metric']}"
    clauses = [f"{first} beats {loser}{on} {condition(path.sweep, path.wins[first])}"]
    clauses += [f"{other} wins {condition(path.sweep, path.wins[other], brief=True)}" for other in others]
    if path.sweep.varied is EFFORT and path.base not in path.wins:
        clauses.append(f"as the study writes them, {f'{path.base} wins' if path.base else 'neither wins'}")
    won = f"{'; '.join(clauses)}."
    open_ = [f"{_capitalised(condition(path.sweep, options, brief=True))}, {_WHY[why]}." for why, options in path.undecided.items()]
    return " ".join([won, *open_])


def _further_sentence(path: Changing) -> str:
    """Say how another decision changes the base verdict."""
    lead = f"If only the {noun(path.sweep)} changes"
    changes = [f"{winner} wins {condition(path.sweep, path.wins[winner])}" for winner in path.winners if winner != path.base]
    if path.base:
        changes += [f"{_WHY[why]} {condition(path.sweep, options, last='or')}" for why, options in path.undecided.items()]
    return f"{lead}, {'; '.join(changes)}."


def _single_change_sentence(pair: Stability, where: bool) -> str:
    """Return the verdict if it is the same under the base design and after every single change."""
    base = pair.base
    on = f"on {base['metric']} under the base design"
    if not base["winner"]:
        neither = "neither" if where else "Neither"
        return f"{neither} {base['system_a']} nor {base['system_b']} wins {on}, nor when any single decision changes."
    loser = base["system_b"] if base["winner"] == base["system_a"] else base["system_a"]
    return f"{base['winner']} beats {loser} {on}, and also when any single decision changes."


def combined_changes(pair: Stability, along: Sequence[Changing]) -> Iterator[tuple[str, str]]:
    """Yield outcomes that appear only when several decisions change at once: the winner, or no name, and the fewest changes."""
    winners = {pair.base["winner"]}.union(*(path.wins for path in along), [""] if along else [])
    for winner in (pair.base["system_a"], pair.base["system_b"], ""):
        rows = [row for row in pair.others if row["winner"] == winner]
        if rows and winner not in winners:
            yield winner, change_of_analysis(pair.verdicts, pair.base, least_changed(rows)[0])


def _count_sentences(pair: Stability) -> Iterator[str]:
    """Count all analyses by who wins, if some of them change several decisions."""
    if all(row["n_changed"] + (not row["is_base_metric"]) == 1 for row in pair.others):
        return
    winners = Counter(row["winner"] for row in pair.analyses)
    parts = [f"{each} wins {count(winners[each])}" for each in (pair.base["system_a"], pair.base["system_b"]) if winners[each]]
    if n := winners[""]:
        parts.append(f"{count(n)} {'has' if n == 1 else 'have'} no winner")
    yield f"Of {count(pair.n_distinct)} analyses (each metric under each design), {listed(parts)}."


def _doubt_sentences(pair: Stability) -> Iterator[str]:
    """Name the wins that are not significant over other splits."""
    rows, alpha = pair.analyses, pair.verdicts.part.alpha
    open_ = doubted_wins(rows, alpha)
    if len(open_) == 1 and open_[0] is pair.base:
        doubt = doubted_wins_clause(rows, alpha, only="the base design's win")
        yield f"{doubt}."
    elif open_:
        changes = [change_of_analysis(pair.verdicts, pair.base, row) for row in least_changed(open_)[:_EXAMPLES]]
        named = [f"with {change}" if change else "under the base design" for change in changes]
        more = [f"and {count(len(open_) - _EXAMPLES)} more"] if len(open_) > _EXAMPLES else []
        yield f"{doubted_wins_clause(rows, alpha)}: {'; '.join([*named, *more])}."


def _advice_sentence(pair: Stability, along: Sequence[Changing]) -> str:
    """Name the decisions on which the winner depends, to be varied, and those on which only significance depends, to be stated."""
    opposed = [path for path in along if path.is_contradicted]
    varied = opposed or (list(along) if pair.is_contradicted else [])
    stated = [path for path in along if path not in varied]
    if not along:
        return "Report results for more than one design."
    vary = f"report results for more than one {listed([noun(path.sweep) for path in varied])}" if varied else ""
    state = f"say which {listed([noun(path.sweep) for path in stated])} you used" if stated else ""
    if not vary:
        return f"When you report this, {state}."
    return _capitalised(f"{', and '.join(filter(None, [vary, state]))}.")


def _stable_sentence(verdicts: PairVerdicts, stable: Sequence[Stability]) -> str:
    """Say who wins in the pairs whose verdict never changes, and how many of these wins are not significant over other splits."""
    bases = [pair.base for pair in stable]
    lead = "in every analysis" if verdicts.part.vary else "with every metric"
    if verdicts.efforts:
        lead = f"{lead if len(verdicts.rows) > len(verdicts.base) else 'as written'} and at every effort that the study lists"
    won = [row for row in bases if row["winner"]]
    clauses = wins_in_words([(row["winner"], row["system_b" if row["winner"] == row["system_a"] else "system_a"]) for row in won])
    undecided = [f"{base['system_a']} nor {base['system_b']}" for base in bases if not base["winner"]]
    clauses += [f"neither {pair} wins" for pair in undecided]
    if len(clauses) > _MANY:
        numbers = {"the same system wins": len(bases) - len(undecided), "neither system wins": len(undecided)}
        clauses = [f"{what} in {count(n)} pair{'s' * (n > 1)}" for what, n in numbers.items() if n]
    doubt = doubted_wins_clause([row for pair in stable for row in pair.analyses], verdicts.part.alpha)
    return f"{lead}, {'; '.join(clauses)}.{f' {doubt}.' if doubt else ''}"


def _capitalised(text: str) -> str:
    return f"{text[0].upper()}{text[1:]}"


def _on_dataset(dataset: str) -> str:
    return f"On {dataset}, "


@dataclass(frozen=True, slots=True)
class FirstScreen:
    """The answer to a study's question. Every sentence follows from the study's stored verdicts.

    Attributes
    ----------
    asked
        The answer for the pair that the study asks about, on each data set; see `Experiment.asked`.
    best
        What holds over data sets, if they are combined; which systems are no better than a random order, or leave many items
        without a score; then the best system on each data set, or the systems that share first place, and who leaves a few items
        without a score.
    named
        The verdict on each further pair that ``compare`` names, if there is no other analysis that could change the verdict.
    changing
        The answer for each further pair whose verdict changes. Pairs that ``compare`` names come first.
    unmoved
        The pairs whose verdict is the same in every analysis.
    unknown
        If only one design was run, a sentence that says that robustness is unknown; otherwise empty.
    """

    asked: list[Answer]
    best: list[str]
    named: list[str]
    changing: list[Answer]
    unmoved: list[str]
    unknown: str

    @classmethod
    def of(cls, study: Study, verdicts: Sequence[PairVerdicts], results: Results, *, counts: bool = True) -> Self:
        """Compose the answer from the verdicts of all experiments of a study, and its tables.

        A study that only compares metrics is about which metrics to trust, not about which system is best, so its answer is empty.
        Without ``counts``, sentences do not count analyses, because an audit counts those under other tools' conventions too.
        """
        if study.meta and not any(of_part.part.pairs() for of_part in verdicts):
            return cls([], [], [], [], [], "")
        named = [of_part for of_part in verdicts if of_part.part.compare is not None]
        others = [of_part for of_part in verdicts if of_part.part.compare is None]
        pairs = [pair for of_part in named for pair in stabilities(of_part)]
        alone = [
            pair_sentence(pair.verdicts.part, pair.base)
            for pair in pairs
            if not pair.others and not pair.efforts and not pair.is_asked
        ]
        where = _names_data(verdicts)
        told = [*answers(named, where=where, counts=counts), *answers(others, where=where, counts=counts)]
        asked, changing = [answer for answer in told if answer.is_asked], [answer for answer in told if not answer.is_asked]
        stable = [*unmoved_pairs(named, where=where), *unmoved_pairs(others, where=where)]
        tuned = [sentence for of_part in verdicts for sentence in best_after_tuning(of_part)]
        together = first_sentences(OverDatasets(study.own, results))
        chance = [sentence for of_part in verdicts for sentence in chance_sentences(of_part.part, results)]
        # An audit says it itself, unless lists are cut.
        partly = grouped(unscored_sentences([of_part.part for of_part in verdicts if counts], results.summary))
        best = best_systems(verdicts, results.summary, results.counted)
        best = [*together, *chance, *partly.get(False, []), *best, *partly.get(True, []), *tuned]
        return cls(asked, best, alone, changing, stable, robustness_unknown(verdicts))


def wins_in_words(wins: Sequence[tuple[str, str]]) -> list[str]:
    """Collect wins, each a winner and a loser, into clauses such as ``A beats B and C`` and ``A and B beat C``."""
    alike = grouped((tuple(beaten), winner) for winner, beaten in grouped(wins).items())
    return [f"{listed(winners)} beat{'s' * (len(winners) == 1)} {listed(beaten)}" for beaten, winners in alike.items()]
