"""How well designs agree with the truth: a study's scorecard as tables, and as a separate page."""

from collections.abc import Mapping, Sequence

from recsens.conclusions.verdicts.scorecard_lines import ScorecardLine, by_tau, estimated
from recsens.report.sentences.scorecard import said_of_designs
from recsens.tables.cells import share_cell
from recsens.tables.markdown import escape, table_as_markdown
from recsens.tables.table import Row, RowGroup, Table, TableCell, slug

_NOTES = (
    "Tau: Kendall's tau-b between the order of the systems and their true order.",
    (
        "Right, wrong, open: of the pairs that the truth decides, the shares with the same winner as in the truth, the opposite "
        "winner, and no winner."
    ),
    "A pair is decided if one system wins by the study's rule, including its margin.",
    "The analyses are those of the base design, and of designs that differ from it in one decision.",
)


def believed_tables(judged: Mapping[str, Sequence[ScorecardLine]]) -> list[Table]:
    """Show, for each condition, the analyses whose design differs from the base in at most one decision, sorted by tau."""
    return [
        Table(
            f"believed-{slug(condition)}",
            f"{condition}: analyses by how close they come to the truth",
            "Analysis",
            ("tau", "right", "wrong", "open"),
            (RowGroup("", tuple(_row(each) for each in by_tau([one for one in analyses if one.is_near]))),),
            _NOTES,
        )
        for condition, analyses in judged.items()
    ]


def believed(judged: Mapping[str, Sequence[ScorecardLine]]) -> str:
    """Write the sentences and tables of all conditions as Markdown."""
    said = [f"- {escape(sentence)}" for sentence in said_of_designs(judged)]
    tables = [table_as_markdown(table) for table in believed_tables(judged)]
    return "\n".join(["# Which designs to trust", "", *said, "", *tables])


def _row(analysis: ScorecardLine) -> Row:
    tau = TableCell(estimated(analysis.tau), numbers=analysis.tau[:1])
    return Row(analysis.name, (tau, *(share_cell(analysis.share(name)) for name in ("right", "wrong", "open"))))
