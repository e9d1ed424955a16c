"""Sentences about how much a study's verdicts depend on the design."""

from collections.abc import Sequence

from recsens.arrays import in_order
from recsens.conclusions.design_space import change_in_words
from recsens.conclusions.verdicts.pairs import PairVerdicts, count_analyses
from recsens.conclusions.verdicts.stability import Stability, stabilities
from recsens.conclusions.verdicts.study_tables import records
from recsens.plugins.prose import listed, several
from recsens.study.taxonomy import FULL_COLUMNS
from recsens.tables.numbers import p_below


def headline(verdicts: Sequence[PairVerdicts]) -> str:
    """Say in a few sentences how much a study's verdicts depend on the design: opposite winners first, then significance."""
    pairs = [pair for of_part in verdicts for pair in stabilities(of_part)]
    if not pairs:
        return "No two systems were compared on a metric that ranks them."
    below = p_below(verdicts[0].part.alpha)
    n = len(pairs)
    n_decided = sum(bool(pair.base["winner"]) for pair in pairs)
    winners = f"{_of(n_decided, n)} {_have(n_decided)} a winner ({below})" if n_decided else "no system wins"
    won = f"Under the base design, {winners}."
    n_empty = sum(pair.base["users"] == 0 for pair in pairs)
    nobody = ""
    if n_empty:
        nobody = f" Under the base design, {_of(n_empty, n)} {_have(n_empty)} no users to average: see B1 in the settings."
    if not any(pair.others or pair.efforts for pair in pairs):
        is_copied = any(pair.n_copies for pair in pairs)
        rest = "Every other analysis has the same numbers as the base design." if is_copied else robustness_unknown(verdicts)
        return " ".join(filter(None, [f"{won}{nobody} {rest}", _on_copies(pairs), *uninformative_in_words(verdicts)]))
    n_contradicted = sum(pair.is_contradicted for pair in pairs)
    n_shaken = sum(not pair.is_contradicted and not pair.is_stable for pair in pairs)
    if n_contradicted:
        rivals = f"one system wins in some, and the other system wins in others ({below})"
        parts = [f"For {_of(n_contradicted, n)}, analyses contradict each other: {rivals}."]
    else:
        parts = [f"No analyses contradict each other: no pair has different winners in two analyses ({below})."]
    if n_shaken:
        parts.append(_in(n_shaken, n, "only significance changes", rest=bool(n_contradicted)))
    if n > n_contradicted + n_shaken:
        parts.append(_in(n - n_contradicted - n_shaken, n, "every analysis agrees with the base design"))
    if any(of_part.efforts for of_part in verdicts):
        parts.append("Here, each effort of tuning counts as an analysis.")
    elif not any(of_part.part.vary for of_part in verdicts):
        parts.append(f"These analyses differ only in the metric. {robustness_unknown(verdicts)}")
    return " ".join(filter(None, [*parts, f"{won}{nobody}", _on_copies(pairs), *uninformative_in_words(verdicts)]))


def uninformative_in_words(verdicts: Sequence[PairVerdicts]) -> list[str]:
    """Count and name, in a sentence for each reason, the analyses that say nothing about a pair and are not counted for it."""
    sentences = []
    for of_part in verdicts:
        for reason, rows in of_part.uninformative.groupby("uninformative", sort=False):
            analyses = records(rows.drop_duplicates(["dataset", "metric_full", *FULL_COLUMNS]))
            changes = [of_part.space.change(row) for row in analyses]
            shared = tuple(each for each in changes[0] if all(each in change for change in changes))
            metrics = listed(in_order(row["metric"] for row in analyses))
            under = f" under {change_in_words(shared)}" if shared else ""
            n = several(len(analyses), "analysis", "analyses")
            sentences.append(f"Not counted: {n} on {metrics}{under}, because {reason} in {'it' if len(analyses) == 1 else 'them'}.")
    return sentences


def robustness_unknown(verdicts: Sequence[PairVerdicts]) -> str:
    """Say that robustness is unknown if no decision was varied; empty if a decision was varied, or if no systems were compared."""
    varies = any(of_part.part.vary or of_part.efforts for of_part in verdicts)
    if varies or not any(of_part.base for of_part in verdicts):
        return ""
    return "Only one design was run, so nothing is known yet about robustness: add 'vary:' to try other decisions."


def _on_copies(pairs: Sequence[Stability]) -> str:
    """Say how many analyses there are, and how many are distinct; empty if all analyses are distinct."""
    numbers = [(pair.n_distinct + pair.n_copies, pair.n_distinct) for pair in pairs]
    if not any(pair.n_copies for pair in pairs):
        return ""
    alike = len(set(numbers)) == 1
    analyses, distinct = numbers[0] if alike else (sum(n for n, _ in numbers), sum(n for _, n in numbers))
    whose = f"{'The' if len(pairs) == 1 else 'Each'} pair was" if alike else "Together, the pairs were"
    return f"{whose} compared in {count_analyses(analyses, distinct)}; analyses with the same numbers count once."


def _of(part: int, whole: int) -> str:
    if part == whole:
        return "the only pair" if whole == 1 else f"all {whole} pairs"
    return f"{part} of {whole} pairs of systems"


def _in(part: int, whole: int, what: str, *, rest: bool = False) -> str:
    if part == whole:
        return f"{what[0].upper()}{what[1:]}{'' if whole == 1 else f' in all {whole} pairs'}."
    return f"In {part} more pair{'s' * (part > 1)}, {what}." if rest else f"In {part} of {whole} pairs, {what}."


def _have(n: int) -> str:
    return "has" if n == 1 else "have"
