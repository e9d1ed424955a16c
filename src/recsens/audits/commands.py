"""The command ``recsens audit``: what it reads, and what it prints."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from recsens.audits._audit import Audit, AuditInput, Options, audit
from recsens.audits._decisions import read_options
from recsens.audits._folder import recognised
from recsens.conclusions.verdicts.stability import Stability
from recsens.errors import ConfigError, nearest
from recsens.evaluation import aligned, decimals, names_of_runs, runs_by_name
from recsens.files.scale import Scale
from recsens.report.sentences.answers import answers

_MOST_LINES = 12
"""Recognised files, rows of values and answers that the terminal shows of each; the page has all."""

_REQUIRED = re.compile(r"(?P<winner>.+?) beats (?P<loser>.+?)(?: in (?P<percent>\d+(?:\.\d+)?) ?%)?")


@dataclass(frozen=True)
class Requirement:
    """What a pipeline requires: that one run wins against another in a share of all analyses.

    Attributes
    ----------
    text
        As written, such as ``A beats B in 90 %``.
    winner, loser
        The runs.
    least
        The least share of the distinct analyses; 1 if none is written.
    """

    text: str
    winner: str
    loser: str
    least: float

    @classmethod
    def parse(cls, text: str) -> Requirement:
        """Read a requirement.

        Raises ConfigError if it is not of the form.
        """
        match = _REQUIRED.fullmatch(text.strip())
        percent = float(match["percent"]) if match and match["percent"] else 100.0
        if match is None or not 0 < percent <= 100:
            raise ConfigError(f"--require '{text}'", allowed="'A beats B', or 'A beats B in 90 %', with the names of two runs")
        return cls(text, match["winner"], match["loser"], percent / 100)

    def share(self, pairs: Sequence[Stability]) -> float:
        """Return the share of the pair's distinct analyses in which the winner wins.

        Raises ConfigError if the audit compares no such runs.
        """
        for pair in pairs:
            if {pair.base["system_a"], pair.base["system_b"]} == {self.winner, self.loser}:
                rows = [pair.base, *pair.others]
                return float(np.mean([row["winner"] == self.winner for row in rows]))
        known = list(dict.fromkeys(name for pair in pairs for name in (pair.base["system_a"], pair.base["system_b"])))
        strange = next((name for name in (self.winner, self.loser) if name not in known), self.loser)
        problem = f"--require '{self.text}': there is no such pair of runs{nearest(strange, known)}"
        raise ConfigError(problem, allowed=", ".join(known) or "two runs")


def audit_of(
    folder: str | None,
    *,
    train: str | None,
    validation: str | None,
    test: str | None,
    runs: Sequence[str],
    to: str,
    metrics: Sequence[str],
    base: Sequence[str],
    vary: Sequence[str],
    scale: tuple[float, float] | None,
    as_json: bool,
    require: Sequence[str],
    **options: Any,
) -> tuple[str, bool]:
    """Audit a folder, or named files; return what is printed, and whether every requirement is met.

    Raises
    ------
    RecsensError
        If the files cannot be told apart or read, or a decision cannot be varied after ranking.
    """
    required = [Requirement.parse(text) for text in require]
    fixed = {decision: given[-1] for decision, given in read_options(base).items()}
    decided = Options(
        metrics=metrics, base=fixed, vary=read_options(vary), scale=Scale(*scale, step=0) if scale else None, **options
    )
    done = audit(_given(folder, train, validation, test, runs), Path(to), decided)
    shares = [(each, each.share(done.pairs)) for each in required]
    is_met = all(share >= each.least for each, share in shares)
    return _as_json(done, shares) if as_json else _as_text(done, shares), is_met


def _given(folder: str | None, train: str | None, validation: str | None, test: str | None, runs: Sequence[str]) -> AuditInput:
    named = {"--train": train, "--validation": validation, "--test": test, "--run": runs}
    if folder is not None:
        extra = next((option for option, value in named.items() if value), None)
        if extra is not None:
            raise ConfigError(f"a folder and {extra} are given", allowed="a folder, or the files: --train, --test, --run A=...")
        found = recognised(folder)
        paths = found.of("run")
        return AuditInput(
            train=found.of("train")[0],
            test=found.of("test")[0],
            validation=next(iter(found.of("validation")), None),
            runs=dict(zip(names_of_runs(list(map(str, paths))), paths, strict=True)),
            name=Path(folder).resolve().name or "these files",
            tree=found.tree(),
        )
    if train is None or test is None or not runs:
        missing = ", ".join(option for option, value in named.items() if not value and option != "--validation")
        raise ConfigError(
            f"nothing is given as {missing}", allowed="a folder, or the files: --train, --test, --run A=... --run B=..."
        )
    return AuditInput(
        Path(train),
        Path(test),
        {name: Path(path) for name, path in runs_by_name(runs).items()},
        None if validation is None else Path(validation),
    )


def _as_text(done: Audit, shares: Sequence[tuple[Requirement, float]]) -> str:
    said, findings = done.told(), [answer.finding for answer in answers([done.verdicts])]
    lines = [said[0], "", *_cut(done.recognised), "", aligned(_values(done)), "", *said[1:], *_cut(findings)]
    lines += [f"required: {each.text}: {'yes' if share >= each.least else 'no'}, in {_percent(share)}" for each, share in shares]
    page = f"Report: {done.page} (tables in {done.folder})" if done.page.exists() else f"Tables: {done.folder}"
    last = (
        "Not varied: filter, split, tuning and training, which no audit of files can vary; the end of the report says what would."
    )
    return "\n".join([*lines, last, page])


def _values(done: Audit) -> list[list[str]]:
    """Return the runs' values under the base design: what 'recsens evaluate' prints first."""
    summary = done.table("summary")
    base = summary[summary["is_base"]]
    runs, metrics = list(dict.fromkeys(base["system"])), list(dict.fromkeys(base["metric"]))
    value_of = base.set_index(["metric", "system"])["value"].to_dict()
    rows = [[metric, *(decimals(value_of[metric, run]) for run in runs)] for metric in metrics]
    return [["metric (base design)", *runs], *rows[:_MOST_LINES]]


def _as_json(done: Audit, shares: Sequence[tuple[Requirement, float]]) -> str:
    summary = done.table("summary")
    values: dict[str, dict[str, float | None]] = {}
    for row in summary[summary["is_base"]].itertuples():
        values.setdefault(str(row.metric), {})[str(row.system)] = _finite(row.value)
    content = {
        "folder": str(done.folder),
        "recognised": list(done.recognised),
        "lists_end_at": None if done.lists is None else done.lists.depth,
        "below_the_lists": [] if done.lists is None else [asdict(each) for each in done.lists.verdicts],
        "says": done.told(),
        "values": values,
        "pairs": [_pair(pair) for pair in done.pairs],
        "required": [
            {"text": each.text, "least": each.least, "share": share, "holds": share >= each.least} for each, share in shares
        ],
    }
    return json.dumps(content, indent=2, ensure_ascii=False)


def _pair(pair: Stability) -> dict[str, Any]:
    rows: list[Mapping[str, Any]] = [pair.base, *pair.others]
    a, b = pair.base["system_a"], pair.base["system_b"]
    return {
        "a": a,
        "b": b,
        "metric": pair.base["metric"],
        "verdict": pair.base["verdict"],
        **{name: _finite(pair.base[name]) for name in ("difference", "low", "high", "p_value")},
        "holds": pair.is_stable,
        "analyses": pair.n_distinct + pair.n_copies,
        "distinct": pair.n_distinct,
        "wins": {name: sum(row["winner"] == name for row in rows) for name in (a, b)},
    }


def _finite(value: Any) -> float | None:
    return None if value is None or math.isnan(value) else float(value)


def _percent(share: float) -> str:
    return f"{100 * share:.1f} % of the distinct analyses"


def _cut(lines: Sequence[str]) -> list[str]:
    more = [f"... and {len(lines) - _MOST_LINES} more in the report"] if len(lines) > _MOST_LINES else []
    return [*lines[:_MOST_LINES], *more]
