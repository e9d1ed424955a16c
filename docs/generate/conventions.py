"""The conventions of other tools: whom each averages, and what else its users should know."""

from docs.generate.markdown import NOTICE, table
from recsens.metrics.variants.conventions import CONVENTIONS, TIES_MEANING, Convention

_INTRO = f"""\
{NOTICE}

# Conventions

What `recsens evaluate --convention TOOL` does besides the metrics ([metrics compared](../metrics-compared.md)). The last two
columns are about users without relevant items and users without a list."""


def conventions_page() -> str:
    """Write the page: a table of rules, and a line for each tool."""
    rules = table(["tool", "relevant", "ties", "without relevant items", "without a list"], map(_row, CONVENTIONS.items()))
    remarks = "\n".join(f"- **{name}**: {known.about}" for name, known in CONVENTIONS.items() if known.metrics)
    return f"{_INTRO}\n\n{rules}\n\n{remarks}\n"


def _row(named: tuple[str, Convention]) -> list[str]:
    name, known = named
    words: dict[object, str] = {"all": "whatever is judged", None: "by the scale"}
    relevant = words.get(known.relevance, f"from {known.relevance} on")
    ties = TIES_MEANING[known.ties] if known.rank_by == "score" else "none: lists in the order of rows"
    return [name, relevant, ties, known.no_relevant, known.no_list]
