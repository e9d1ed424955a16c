"""The reports that the site shows: those of a few studies, as their runs wrote them."""

import re
import shutil
from collections.abc import Callable
from html import escape
from pathlib import Path

from docs.site.built import files_of
from recsens.errors import RecsensError
from recsens.workflow.plan import Plan
from recsens.workflow.prepare_run import bring_up_to_date

STUDIES = ("quickstart", "canamares2020-table2")
"""Studies whose reports the site shows."""

_MARK = re.compile(r"^<!-- report: (\S+) -->$", re.MULTILINE)


def run(study: str) -> str | None:
    """Bring a study up to date if its data are on this machine; return what keeps it from running, and None if nothing does."""
    try:
        plan = Plan(study)
        _ = plan.sources
    except RecsensError as error:
        return str(error)
    bring_up_to_date(plan)
    return None


def copy(results: Path, site: Path, say: Callable[[str], None]) -> None:
    """Copy the reports that there are into the site, with the tables and pictures that they lead to, and say which are missing."""
    for study in STUDIES:
        report = results / study / "report.html"
        if not report.is_file():
            say(f"no report of {study}: the site says how to make it")
            continue
        for file in [report, *files_of(report)]:
            to = _report(site, study).parent / file.relative_to(report.parent)
            to.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(file, to)


def with_reports(text: str, site: Path) -> str:
    """Put, in place of each comment ``<!-- report: study -->``, a link to the report, or that the site was built without it."""
    return _MARK.sub(lambda match: _shown(match[1], site), text)


def _shown(study: str, site: Path) -> str:
    if _report(site, study).is_file():
        name = escape(study)
        return f'<p><a class="report" href="../reports/{name}/report.html">Open the report of {name}</a></p>'
    return "This site was built where the study had not been run, so it holds no copy of the report."


def _report(site: Path, study: str) -> Path:
    return site / "reports" / study / "report.html"
