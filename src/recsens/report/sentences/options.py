"""The options of a decision as a condition in a sentence. Numbers become ranges that cover only the options that were tried."""

import math
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import groupby

from recsens.conclusions.design_space import Option, Sweep
from recsens.conclusions.verdicts.components import built, n_folds_of
from recsens.conclusions.verdicts.unrated import share
from recsens.plugins.prose import listed
from recsens.plugins.specs import format_number, parse_chain
from recsens.study import Experiment
from recsens.study.taxonomy import Decision
from recsens.tables.numbers import SPACE
from recsens.vocabulary import RELEVANT, rate_of

_WORDS = {
    ("view", "full"): "full rankings",
    ("view", "condensed"): "condensed rankings",
    ("view", RELEVANT): "unrated items as relevant",
    ("coverage", "full"): "users without a ranking counted",
    ("coverage", "reduced"): "users without a ranking left out",
    ("ties", "random"): "equal scores in random order",
    ("ties", "low_index"): "equal scores in the order of the data",
    ("ties", "high_index"): "equal scores in the reverse order of the data",
    ("relevance", "scale"): "the data set's threshold of relevance",
    ("test", "t"): "the t-test",
    ("test", "wilcoxon"): "Wilcoxon's test",
    ("test", "sign"): "the sign test",
    ("test", "randomisation"): "the randomisation test",
    ("test", "bootstrap"): "the bootstrap test",
    ("correction", "none"): "uncorrected p-values",
    ("correction", "holm"): "p-values corrected by Holm's method",
    ("correction", "bh"): "p-values corrected by the method of Benjamini and Hochberg",
}

_PHRASES = {
    "relevance": "ratings of {title} or more as relevant",
    "targets": "{title} as targets",
    "users": "an average over {title}",
}

_NOUNS = {
    "filter": "filter of the data",
    "repeats": "number of repeats",
    "fits": "number of fits",
    "targets": "choice of target items",
    "nc": "treatment of items without a score",
    "ties": "order of equal scores",
    "relevance": "relevance threshold",
    "metrics": "metric",
    "effort": "number of tuning trials",
    "users": "selection of users",
    "view": "kind of ranking",
    "aggregate": "average over users",
    "coverage": "treatment of users without a ranking",
    "test": "significance test",
    "correction": "correction of p-values",
}


def condition(sweep: Sweep, chosen: Sequence[Option], *, brief: bool = False, last: str = "and") -> str:
    """Write options as a condition, such as ``with at most 40 % of the data in train`` or ``on P@10 and RBP@10``.

    A range covers only the options that were tried: "at most" begins at the lowest option, "at least" ends at the highest option,
    and every option between the ends of a range is chosen too. ``brief`` omits words that the previous condition on the same
    decision already has; ``last`` is the word before the last metric in a list.
    """
    if sweep.varied.key == "metrics":
        # Join neighbouring metrics that differ only in their cut-off, as in ``nDCG@1, 2, 5``.
        names = []
        for name, group in groupby([option.text for option in chosen], key=lambda metric: metric.partition("@")[0]):
            depths = [metric.partition("@")[2] for metric in group]
            names.append(f"{name}@{', '.join(depths)}" if depths[0] else name)
        return f"on {listed(names, last)}"
    if not sweep.is_numeric:
        words = listed([_option_phrase(sweep, option) for option in chosen], "or")
        return f"with {words}"
    ranges = listed(list(_option_ranges(sweep, chosen)), "or")
    if sweep.varied.key == "effort":
        return f"with {ranges}{'' if brief else ' trial of tuning' if ranges == '1' else ' trials of tuning'}"
    if whole := share_of(sweep):
        return f"with {ranges}" if brief else f"with {ranges} of the {whole}"
    return f"with {ranges}" if brief else f"with {_parameter(sweep)} {ranges}"


def options_in_words(varied: Decision, texts: Sequence[str]) -> list[str]:
    """Name options for a list, such as ``the t-test`` or, for relevant ratings, ``4 or more``."""
    titles = titles_of(varied, texts)
    more = " or more" if varied.key == "relevance" else ""
    return [_short_word(varied.key, text) or f"{titles[text]}{more}" for text in texts]


def number_of(sweep: Sweep, option: Option) -> str:
    """Write the number of an option; a share becomes a percentage."""
    number = option.number or 0.0
    return f"{100 * number:g}{SPACE}%" if share_of(sweep) else format_number(number)


def noun(sweep: Sweep) -> str:
    """Name what a decision chooses, such as ``split ratio``, ``kind of ranking`` or ``metric``."""
    return _parameter(sweep) if sweep.is_numeric else noun_of(sweep.varied)


def noun_of(varied: Decision) -> str:
    """Name what a decision chooses, whatever its options, such as ``metric`` or ``selection of users``."""
    return _NOUNS.get(varied.key, varied.key)


def share_of(sweep: Sweep) -> str:
    """Say of what the options are shares, such as ``data in train``; empty if the plug-ins do not state this."""
    kind = sweep.varied.kind
    if kind is None or not sweep.is_numeric:
        return ""
    components = [built(kind, link) for option in sweep.options for link in parse_chain(option.text)]
    said = {dict(component.prose_shares if component else ()).get(sweep.parameter, "") for component in components}
    return said.pop() if len(said) == 1 else ""


def _parameter(sweep: Sweep) -> str:
    key = sweep.varied.key
    return _NOUNS.get(key, key) if sweep.parameter in {"", key} else f"{key} {sweep.parameter}"


def title_of(sweep: Sweep, option: Option) -> str:
    """Name an option in a few words, or as written if these words do not distinguish it from all other options."""
    return titles_of(sweep.varied, [each.text for each in sweep.options])[option.text]


def titles_of(varied: Decision, texts: Sequence[str]) -> dict[str, str]:
    """Name each option of a decision in a few words, or as written if these words do not distinguish it from all other options."""
    titles = {text: _component_title(varied.kind, text) for text in texts}
    counts = Counter(titles.values())
    return {text: title if title and counts[title] == 1 else text for text, title in titles.items()}


def folds_of_options(sweep: Sweep, part: Experiment) -> dict[str, str]:
    """Write the number of folds after each option of the split, as in `` (3 folds)``; empty texts if all numbers are the same."""
    is_split = sweep.varied.key == "split"
    numbers = {each.text: n_folds_of(each.text, str(part.design.repeats)) if is_split else 1 for each in sweep.options}
    differ = len(set(numbers.values())) > 1 and max(numbers.values()) < math.inf
    return {text: f" ({n:g} fold{'s' * (n > 1)})" if differ else "" for text, n in numbers.items()}


def _component_title(kind: str | None, text: str) -> str:
    if kind is None or kind == "metric":
        return ""
    said = [component.prose_title() if component else "" for component in (built(kind, link) for link in parse_chain(text))]
    return ", then ".join(said) if all(said) else ""


def _short_word(key: str, text: str) -> str:
    if key == "view" and 0 < rate_of(text) < 1:
        return f"unrated items relevant at a rate of {share(rate_of(text))}"
    return _WORDS.get((key, text), "")


def _option_phrase(sweep: Sweep, option: Option) -> str:
    key, text, title = sweep.varied.key, option.text, title_of(sweep, option)
    if word := _short_word(key, text):
        return word
    if key == "split" and title != text:
        return f"a {title}" if title.startswith(("random split", "split")) else title
    phrase = _PHRASES.get(key, "{key} {title}") if title != text or key == "relevance" else "{key} {title}"
    return phrase.format(key=key, title=title)


def _option_ranges(sweep: Sweep, chosen: Sequence[Option]) -> Iterator[str]:
    """Write each run of neighbouring options, in numerical order."""
    texts = {option.text for option in chosen}
    last = len(sweep.options) - 1
    for is_chosen, run in groupby(enumerate(sweep.options), key=lambda pair: pair[1].text in texts):
        if is_chosen:
            places, options = zip(*run, strict=True)
            low, high = number_of(sweep, options[0]), number_of(sweep, options[-1])
            if len(options) == 1:
                yield low
            elif places[0] == 0:
                yield f"at most {high}"
            else:
                yield f"at least {low}" if places[-1] == last else f"{low} to {high}"
