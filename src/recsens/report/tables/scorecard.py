"""How well designs agree with the truth: a study's scorecard in sentences, as tables, and as a separate page."""

from collections.abc import Mapping, Sequence

from recsens.conclusions.scorecard import ScorecardLine, estimate_text, sort_by_tau
from recsens.tables.cells import share_cell
from recsens.tables.numbers import percentage
from recsens.tables.table import Row, RowGroup, Table, TableCell, slug
from recsens.tables.texts import escape, table_as_markdown

_NAMED = 6
"""Number of analyses that a sentence names; the table has all analyses."""


def scorecard_sentences(judged: Mapping[str, Sequence[ScorecardLine]]) -> list[str]:
    """Say, for each condition, how close the base design is to the truth, and which single changes bring it closer or farther.

    The interval of an analysis's tau is compared with that of the study's first metric under the base design. An analysis is
    certainly nearer to the truth if its whole interval lies above the other interval, and certainly farther if its whole interval
    lies below; otherwise, the two cannot be distinguished. The analyses are those whose design is the base design or differs from
    it in one decision.
    """
    sentences = []
    for condition, analyses in judged.items():
        near = [analysis for analysis in analyses if analysis.is_near]
        base = next((analysis for analysis in near if not analysis.change), None)
        if base is not None:
            sentences.append(_condition_sentence(condition, base, [analysis for analysis in near if analysis is not base]))
    return sentences


def _condition_sentence(condition: str, base: ScorecardLine, others: Sequence[ScorecardLine]) -> str:
    _, low, high = base.tau
    beyond = {
        "closer to": [line for line in others if line.tau[1] > high],
        "farther from": [line for line in others if line.tau[2] < low],
    }
    right, wrong = (percentage(base.share(name)) for name in ("right", "wrong"))
    name = f"{base.metric} under the base design"
    lead = f"On {condition}, {name} has a Kendall's tau of {estimate_text(base.tau)} with the true order of the systems"
    shares = f"Of the pairs that the truth decides, it gets {right} right and {wrong} wrong"
    if len(others) == 1:
        words = next((f"certainly {words} the truth" for words, listed in beyond.items() if listed), "")
        neither = "neither certainly closer to the truth nor certainly farther from it"
        compared = [f"The only other analysis, {others[0].name}, is {words or neither}."]
    else:
        compared = [_certain_clause(words, listed, len(others)) for words, listed in beyond.items() if others]
    return " ".join([f"{lead}. {shares}.", *compared])


def _certain_clause(words: str, listed: Sequence[ScorecardLine], of: int) -> str:
    others = f"Of {of} other analyses"
    if not listed:
        return f"{others}, none is certainly {words} the truth."
    more = f"; and {len(listed) - _NAMED} more" if len(listed) > _NAMED else ""
    named = "; ".join(line.name for line in listed[:_NAMED])
    return f"{others}, {len(listed)} {'is' if len(listed) == 1 else 'are'} certainly {words} the truth: {named}{more}."


_NOTES = (
    "Tau: Kendall's tau-b between the order of the systems and their true order.",
    (
        "Right, wrong, open: of the pairs that the truth decides, the shares with the same winner as in the truth, the opposite "
        "winner, and no winner."
    ),
    "A pair is decided if one system wins by the study's rule, including its margin.",
    "The analyses are those of the base design, and of designs that differ from it in one decision.",
)


def scorecard_tables(judged: Mapping[str, Sequence[ScorecardLine]]) -> list[Table]:
    """Show, for each condition, the analyses whose design differs from the base in at most one decision, sorted by tau."""
    tables, columns = [], ("tau", "right", "wrong", "open")
    for condition, analyses in judged.items():
        rows = tuple(map(_scorecard_row, sort_by_tau([analysis for analysis in analyses if analysis.is_near])))
        caption = f"{condition}: analyses by how close they come to the truth"
        tables.append(Table(f"believed-{slug(condition)}", caption, "Analysis", columns, (RowGroup("", rows),), _NOTES))
    return tables


def scorecard_page(judged: Mapping[str, Sequence[ScorecardLine]]) -> str:
    """Write the sentences and tables of all conditions as Markdown."""
    said = [f"- {escape(sentence)}" for sentence in scorecard_sentences(judged)]
    tables = [table_as_markdown(table) for table in scorecard_tables(judged)]
    return "\n".join(["# Which designs to trust", "", *said, "", *tables])


def _scorecard_row(analysis: ScorecardLine) -> Row:
    tau = TableCell(estimate_text(analysis.tau), numbers=analysis.tau[:1])
    return Row(analysis.name, (tau, *(share_cell(analysis.share(name)) for name in ("right", "wrong", "open"))))
