"""An experiment's figures on the page: the figures that the study declares, or otherwise the usual figures."""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from markupsafe import Markup

from recsens.conclusions.verdicts.pairs import PairVerdicts
from recsens.conclusions.verdicts.study_tables import Results
from recsens.report.html.svg import inline
from recsens.report.system_remarks import calibrated, which_untuned
from recsens.report.which_drawing import DESIGNS, usual
from recsens.study import Experiment, Study
from recsens.study.figures import Declared
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
        The SVG text of each figure, by its file name. A figure without an SVG text is left out.
    tables
        The tables of each varied decision, by the decision's key; they appear below the decision's figure.
    """
    own = {
        name: key
        for name, (owner, key) in study.all_figures().items()
        if list(owner.datasets) == list(part.datasets) and name in figures
    }
    drawn = [_drawn(name, part, study, figures[name]) for name in own if name in study.drawn]
    changed = _changed(part, results)
    by_change = sorted(((name, key) for name, key in own.items() if name not in study.drawn), key=lambda named: -changed[named[1]])
    return [*(_usual(name, key, part, figures[name], tables.get(key, [])) for name, key in by_change), *drawn]


def _changed(part: Experiment, results: Results) -> Counter[str]:
    """Count the verdicts that each decision changes."""
    names = {decision(key).name: key for key in part.vary}
    rows = PairVerdicts.of(part, results.verdicts).changed()
    return Counter(names[row["decision"]] for row in rows if row["decision"] in names)


def _usual(name: str, key: str, part: Experiment, svg: str, tables: Sequence[Table]) -> dict[str, Any]:
    drawing = usual(key)
    shown = drawn_on_page(name, drawing.heading(part), svg, full_caption(drawing, part))
    return {**shown, "code": decision(key).code if key in part.vary else "", "tables": tables, "is_curve": key == DESIGNS}


def _drawn(name: str, part: Experiment, study: Study, svg: str) -> dict[str, Any]:
    entry = study.drawn[name]
    title = entry.title or entry.drawing.heading(part)
    return drawn_on_page(name, title, svg, full_caption(entry.drawing, part, entry.caption))


def full_caption(drawing: Declared, part: Experiment, words: str = "") -> str:
    """Return the caption of a figure: the study's words, text that explains the figure, and remarks about its systems."""
    return " ".join(filter(None, [words, drawing.caption(part), calibrated(part), which_untuned(part)]))


def drawn_on_page(name: str, title: str, svg: str, words: str) -> dict[str, Any]:
    """Return the title, drawing and caption of a figure that is not about a varied decision."""
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
    # Our own code drew the figure, from labels that cannot contain markup, and its title is escaped.
    return Markup(inline(svg, name=f"figure-{key}", title=f"{title} The tables hold the same numbers."))  # noqa: S704
