"""The figures of an experiment on the page: those that the study declares, else the usual ones."""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from markupsafe import Markup

from recsens.conclusions.verdicts.pairs import PairVerdicts
from recsens.conclusions.verdicts.results import Results
from recsens.report.drawing.draw import DESIGNS, caption
from recsens.report.drawing.svg import inline
from recsens.report.remarks import calibrated
from recsens.study import Experiment, Study
from recsens.study.taxonomy import decision
from recsens.tables.table import Table


def figures_shown(
    part: Experiment, study: Study, results: Results, figures: Mapping[str, str], tables: Mapping[str, Sequence[Table]]
) -> list[dict[str, Any]]:
    """List the figures of an experiment with title, caption and drawing.

    Parameters
    ----------
    part, study
        The experiment, and its study.
    results
        The tables of the experiment.
    figures
        Name of a figure's file: its SVG text. A figure without one is left out.
    tables
        The numbers of each varied decision, by its key: they stand below its figure.
    """
    own = {
        name: key
        for name, (owner, key) in study.all_figures().items()
        if list(owner.datasets) == list(part.datasets) and name in figures
    }
    drawn = [_drawn(name, part, study, figures[name]) for name in own if name in study.drawn]
    reversals = _reversals(part, results)
    by_change = sorted(
        ((name, key) for name, key in own.items() if name not in study.drawn), key=lambda named: -reversals[named[1]]
    )
    return [*(_usual(name, key, part, results, figures[name], tables.get(key, [])) for name, key in by_change), *drawn]


def _reversals(part: Experiment, results: Results) -> Counter[str]:
    """Count the verdicts that a change of each decision reverses."""
    names = {decision(key).name: key for key in part.vary}
    flips = PairVerdicts.of(part, results.verdicts).flips()
    return Counter(names[flip["decision"]] for flip in flips if flip["decision"] in names)


def _usual(name: str, key: str, part: Experiment, results: Results, svg: str, tables: Sequence[Table]) -> dict[str, Any]:
    words = caption(key, part, results.summary)
    return {
        "name": name,
        "title": f"By {decision(key).name.lower()}" if key in part.vary else "Systems side by side",
        "code": decision(key).code if key in part.vary else "",
        "svg": _figure(svg, name, words),
        "caption": words,
        "tables": tables,
        "is_curve": key == DESIGNS,
    }


def _drawn(name: str, part: Experiment, study: Study, svg: str) -> dict[str, Any]:
    entry = study.drawn[name]
    words = " ".join(filter(None, [entry.caption, entry.drawing.caption(part), calibrated(part)]))
    title = entry.title or entry.drawing.heading(part)
    return drawn_on_page(name, title, svg, words)


def drawn_on_page(name: str, title: str, svg: str, words: str) -> dict[str, Any]:
    """Return what the page shows of a figure that stands for no varied decision: its title, drawing and caption."""
    return {
        "name": name,
        "title": title,
        "code": "",
        "svg": _figure(svg, name, words),
        "caption": words,
        "tables": [],
        "is_curve": False,
    }


def _figure(svg: str, key: str, title: str) -> Markup:
    # The figure was drawn by us, from labels that cannot hold markup; its title is escaped.
    return Markup(inline(svg, name=f"figure-{key}", title=f"{title} The same numbers stand in the tables."))  # noqa: S704
