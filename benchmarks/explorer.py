"""The explorer of a report with 24,000 analyses of one pair by one metric: the size of the page, and the time for an answer.

    python benchmarks/explorer.py

The verdicts are invented. Goals: at most 4 MB, and in Chromium at most 100 ms of processor time from an input to the next picture.
Without Chromium, only the size is measured.
"""

import statistics
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from playwright.sync_api import CDPSession, Page, sync_playwright

from command_line import parser
from recsens.conclusions.design_space import base_designs
from recsens.conclusions.verdicts.pairs import experiment_verdicts
from recsens.conclusions.verdicts.verdict_table import verdict_table
from recsens.report.explorer import explorer
from recsens.report.html.templates import templates
from recsens.study import Study

CHROMIUM = Path("/usr/bin/chromium")
BOUND_MB, BOUND_MS = 4, 100
VARY: dict[str, list[Any]] = {
    "split": [f"random(ratio={ratio / 25})" for ratio in range(1, 20)],
    "relevance": [2, 3, 4, 5],
    "view": ["condensed"],
    "aggregate": ["median", "geometric", "geometric(epsilon=0.1)", "geometric(epsilon=1)"],
    "coverage": ["reduced"],
    "test": ["sign", "wilcoxon", "bootstrap"],
    "correction": ["holm", "bh"],
}
"""Options beside the base's: 20 x 5 x 2 x 2 x 5 x 4 x 3 designs."""

INPUTS = {
    "take out an option, or put it back": """
        const boxes = document.querySelectorAll('.explorer input');
        boxes[turn % boxes.length].click();
    """,
    "choose another option": """
        const select = document.querySelectorAll('.explorer select')[3];
        select.selectedIndex = turn % select.options.length;
        select.dispatchEvent(new Event('change'));
    """,
    "select a stretch by a key": """
        const key = turn % 2 ? 'Home' : 'End';
        document.querySelector('svg[role=slider]').dispatchEvent(new KeyboardEvent('keydown', {key, shiftKey: true}));
    """,
    "open a decision": """
        const buttons = document.querySelectorAll('.explorer .decision button');
        buttons[turn % buttons.length].click();
    """,
}
"""What a reader does, as a script; ``turn`` counts the repetitions."""

REPEATS = 9


def main(command: Sequence[str] | None = None) -> None:
    is_tiny = parser(__doc__).parse_args(command).tiny
    text, n = page_of(dict(list(VARY.items())[-2:]) if is_tiny else VARY)
    print(f"{n} analyses: {len(text.encode()) / 1e6:.2f} MB (bound {BOUND_MB} MB)")
    if not CHROMIUM.exists():
        print(f"skipped the times of answers: no {CHROMIUM}")
        return
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "page.html"
        path.write_text(text, encoding="utf-8")
        for name, times in answers(path):
            print(f"{name}: median {statistics.median(times):.0f} ms, longest {max(times):.0f} ms (bound {BOUND_MS} ms)")


def page_of(vary: dict[str, list[Any]]) -> tuple[str, int]:
    """Write a page that contains only the explorer of invented verdicts, and count its analyses."""
    asked = {"title": "Many analyses", "datasets": {"Invented": "simulated"}, "systems": {"A": "popularity", "B": "random"}}
    study = Study.model_validate({**asked, "vary": vary, "combine": "grid", "metrics": ["P@10"]})
    summary, comparisons = invented(study)
    given = explorer(study, experiment_verdicts(study, verdict_table(study, summary, comparisons)), base_designs(study.own))
    style = templates().from_string('{% include "report.css" %}{% include "explorer/explorer.css" %}').render()
    body = templates().get_template("explorer/explorer.html.jinja").render(explorer=given)
    return f'<!DOCTYPE html><meta charset="utf-8"><style>{style}</style>{body}', len(comparisons)


def invented(study: Study) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Draw a value for each system and a test for the pair under each design, so that no two are the same."""
    rng = np.random.default_rng(0)
    base = base_designs(study.own)["Invented"]
    part = study.own
    options = [{key: getattr(design, key) for key in type(design).model_fields} for design in part.designs()]
    designs = pd.DataFrame([base.replaced(**taken).columns() for taken in options]).astype(str)
    effect = rng.normal(0.05, 0.1, len(designs))
    rows = designs.assign(
        dataset="Invented", metric=part.metrics[0].written, metric_full=str(part.metrics[0]), is_base=np.arange(len(designs)) == 0
    )
    summary = pd.concat([rows.assign(system="A", value=0.4 + effect / 4), rows.assign(system="B", value=0.4)], ignore_index=True)
    p_values = np.exp(-(np.abs(effect) * 30))
    error = np.full_like(effect, 0.008)
    tests = {
        "difference": effect / 4,
        "low": effect / 4 - 0.016,
        "high": effect / 4 + 0.016,
        "effect": effect,
        "standard_error": error,
        "value_difference": effect / 4,
        "resampled_p": np.full_like(effect, np.nan),
    }
    digests = [f"{number:08x}" for number in range(len(rows))]
    users = dict.fromkeys(("users", "effective_users"), 943.0)
    names = {"system_a": "A", "system_b": "B", "fold": "all", "hypothesis": "the mean is 0", "digest": digests, "uninformative": ""}
    return summary, rows.assign(**tests, p_value=p_values, p_adjusted=p_values, **users, **names)


def answers(path: Path) -> Iterator[tuple[str, list[float]]]:
    """Measure each input of a reader in Chromium."""
    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=CHROMIUM)
        page = browser.new_page(viewport={"width": 1400, "height": 900})
        page.goto(path.as_uri())
        session = page.context.new_cdp_session(page)
        # Measure only the page's own thread, because others may use the machine.
        session.send("Performance.enable", {"timeDomain": "threadTicks"})
        for name, script in INPUTS.items():
            yield name, [answer(page, session, script, turn) for turn in range(REPEATS)]
        browser.close()


def answer(page: Page, session: CDPSession, script: str, turn: int) -> float:
    """Measure the processor time of an input and of the layout that it causes, in milliseconds."""
    before = spent(session)
    page.evaluate(f"turn => {{ {script}; document.body.offsetHeight; }}", turn)
    return spent(session) - before


def spent(session: CDPSession) -> float:
    """Return the processor time that the page has used so far, in milliseconds."""
    metrics = {each["name"]: each["value"] for each in session.send("Performance.getMetrics")["metrics"]}
    return 1000 * float(metrics["TaskDuration"])


if __name__ == "__main__":
    main()
