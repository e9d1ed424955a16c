"""Data for the page's explorer, in which readers can choose, filter and cite any analysis of a study, as JSON."""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
import yaml
from jinja2.utils import htmlsafe_json_dumps
from markupsafe import Markup

from recsens import plugins
from recsens.conclusions.design_space import Sweep, ranking_folder
from recsens.conclusions.verdicts.components import difference_scale, direction, n_folds_of, n_splits_of
from recsens.conclusions.verdicts.efforts import in_words
from recsens.conclusions.verdicts.over_datasets import OverDatasets
from recsens.conclusions.verdicts.pairs import EQUIVALENT, PairVerdicts, pair_of, winning_sides
from recsens.conclusions.verdicts.stability import sort_by_gravity
from recsens.conclusions.verdicts.study_tables import Results, records
from recsens.conclusions.verdicts.unrated import pushed_comparisons, tipping_in_words
from recsens.outcomes.winner import ahead
from recsens.report.sentences.evidence import beside_values, interval_name, p_and_fixed
from recsens.report.sentences.options import titles_of
from recsens.report.sentences.over_datasets import verdict_over_datasets
from recsens.report.system_remarks import untuned_systems
from recsens.study import Decisions, Experiment, Study
from recsens.study.design import Design
from recsens.study.searched import metric_of_effort
from recsens.study.taxonomy import COLUMNS, DESIGN, Decision, decisions_of_stage
from recsens.tables.numbers import count, estimate, p_below, p_claim, users

MOST_ANALYSES = 60_000
"""Largest number of verdicts on a page, with about 80 bytes each; the verdicts of larger studies are only in verdicts.csv."""

_ANY_SYSTEM = "‹system›"
"""Placeholder for the part of a folder's path that depends on the system."""


def explorer(
    study: Study, verdicts: Sequence[PairVerdicts], designs: Mapping[str, Design], results: Results | None = None
) -> Markup:
    """Return the data of a page's explorer, as JSON for a script element; empty if there are no analyses, or too many.

    Parameters
    ----------
    study
        The study.
    verdicts
        The verdicts of the study's experiments.
    designs
        The base design on each of the study's data sets, by the data set's label.
    results
        The study's tables, if it combines data sets or asks about unrated items.
    """
    n = sum(len(of_part.rows) for of_part in verdicts)
    if not 0 < n <= MOST_ANALYSES:
        return Markup()
    judged = [
        {**_experiment_entry(of_part, study, designs), **_over_datasets_entry(of_part, results), **_unrated_entry(of_part, results)}
        for of_part in verdicts
        if len(of_part.rows)
    ]
    return safe_json({"any_system": _ANY_SYSTEM, "below": p_below(study.alpha), "experiments": judged})


def safe_json(content: Mapping[str, Any]) -> Markup:
    """Write content as JSON that is safe in a script element, because no text in the JSON can end the element."""
    return htmlsafe_json_dumps(content, separators=(",", ":"), ensure_ascii=False, allow_nan=False)


def why_no_explorer(verdicts: Sequence[PairVerdicts]) -> str:
    """Say that a page has no explorer because there are too many comparisons; empty otherwise."""
    n = sum(len(of_part.rows) for of_part in verdicts)
    if n <= MOST_ANALYSES:
        return ""
    return (
        f"The study makes {count(n)} comparisons. The page has no explorer, because at most {count(MOST_ANALYSES)} comparisons fit "
        "in it; verdicts.csv lists them all."
    )


def _experiment_entry(verdicts: PairVerdicts, study: Study, base_designs: Mapping[str, Design]) -> dict[str, Any]:
    part, rows = verdicts.part, verdicts.rows
    sweeps = [verdicts.space.sweep(varied) for varied in verdicts.space.varied]
    designs = _designs(rows)
    bases = {label: _with_decisions(base_designs[study.dataset_of(label)], part.design) for label in part.datasets}
    base = next(iter(bases.values()))
    return {
        "title": part.title,
        "is_grid": part.combine == "grid",
        # The pair asked about comes first, or else the one whose verdict depends most on the design.
        "start": dict(zip(("dataset", "first", "second"), pair_of(sort_by_gravity([verdicts])[0][0].base), strict=True)),
        "untuned": sorted(untuned_systems(part)),
        "interval": interval_name(part),
        "margin": "" if part.margin.is_zero else str(part.margin),
        "decisions": [_decision_entry(swept) for swept in sweeps],
        "designs": [_option_codes(swept, designs) for swept in sweeps],
        "folders": {label: encode_column(_folders(designs, own)) for label, own in bases.items()},
        # The folder's name depends on the split if scores are read from files.
        "steps": {
            label: plugins.address("recommender", spec).slug if base.bound(spec) == spec else _ANY_SYSTEM
            for label, spec in part.systems.items()
        },
        "names": {str(metric): metric.written for metric in part.metrics},
        "file": _study_file(verdicts, study, sweeps),
        **({"efforts": _effort_entry(verdicts)} if verdicts.efforts else {}),
        "verdicts": _verdict_columns(verdicts),
    }


def _designs(rows: pd.DataFrame) -> list[dict[str, Any]]:
    """List the distinct designs, in the order in which the explorer numbers them."""
    return records(rows[list(COLUMNS)].drop_duplicates())


def _effort_entry(verdicts: PairVerdicts) -> dict[str, Any]:
    """Return the listed efforts and, for each pair, what searches of each two efforts end in."""
    listed = sorted(verdicts.part.effort)
    pairs = [
        {
            **dict(zip(("dataset", "first", "second"), key, strict=True)),
            "says": [[in_words(of_pair.at(a) if a == b else of_pair.unequal[a, b]) for b in listed] for a in listed],
        }
        for key, of_pair in verdicts.efforts.items()
    ]
    return {"trials": list(map(str, listed)), "metric": metric_of_effort(verdicts.part).written, "pairs": pairs}


def _over_datasets_entry(verdicts: PairVerdicts, results: Results | None) -> dict[str, Any]:
    """Return what each pair comes to over data sets, by each metric under each design; empty if data sets are not combined."""
    rows = OverDatasets(verdicts.part, results).rows if results else []
    place = {tuple(design.values()): number for number, design in enumerate(_designs(verdicts.rows))}
    says = [
        {
            "first": row["system_a"],
            "second": row["system_b"],
            "metric": row["metric_full"],
            "design": place[tuple(row[column] for column in COLUMNS)],
            "says": verdict_over_datasets(row),
        }
        for row in rows
        if not math.isnan(row["alike"])
    ]
    return {"over": says} if says else {}


def _unrated_entry(verdicts: PairVerdicts, results: Results | None) -> dict[str, Any]:
    """Return what would push each pair's win under the base design, by each metric; empty if the study does not ask."""
    part = verdicts.part
    found = pushed_comparisons(part, results).items() if results else ()
    says = [
        {**dict(zip(("dataset", "first", "second", "metric"), key, strict=True)), "says": tipping_in_words(pair, min(part.tipping))}
        for key, pair in found
        if pair.row["is_significant"]
    ]
    return {"unrated": says} if says else {}


def _decision_entry(swept: Sweep) -> dict[str, Any]:
    decision, options = swept.varied, [option.text for option in swept.options]
    words = titles_of(decision, options)
    return {
        "code": decision.code,
        "key": decision.key,
        "name": decision.name,
        "options": options,
        "words": [words[text] for text in options],
        "base": next(number for number, option in enumerate(swept.options) if option.is_base),
    }


def _option_codes(swept: Sweep, designs: Sequence[Mapping[str, str]]) -> list[int]:
    """Return, for each design, the index of its option for a decision."""
    code_of = {option.text: code for code, option in enumerate(swept.options)}
    return [code_of[design[swept.varied.column]] for design in designs]


def _folders(designs: Sequence[Mapping[str, str]], base: Design) -> list[str]:
    """Return the folder of each design's ranking on its first fold, on the data set of ``base``; ‹system› is a placeholder."""
    read = [decision.column for decision in decisions_of_stage("split", "rank")]
    addresses: dict[tuple[str, ...], str] = {}
    for design in designs:
        key = tuple(design[column] for column in read)
        if key not in addresses:
            decisions = Decisions.model_validate({each.key: _option_as_written(each, design[each.column]) for each in DESIGN})
            addresses[key] = ranking_folder(_with_decisions(base, decisions))
    return [addresses[tuple(design[column] for column in read)] for design in designs]


def _with_decisions(design: Design, decisions: Decisions) -> Design:
    return replace(design, **{key: getattr(decisions, key) for key in Decisions.model_fields})


def _study_file(verdicts: PairVerdicts, study: Study, sweeps: Sequence[Sweep]) -> dict[str, Any]:
    """Return the parts of a study file from which each analysis can be reproduced, as YAML.

    Every decision is written out, so a change of a default cannot change the meaning of the file. All systems and pairs are
    included, because corrections of p-values depend on their number.

    Returns
    -------
    dict
        ``heads``: for each data set, the text before the decisions. ``design``: for each decision, its key and its line or, if it
        varies, one line per option. ``metrics``: the line of each metric. ``tail``: the text after the metrics.
    """
    part, base = verdicts.part, verdicts.space.base
    varied = {swept.varied: [option.text for option in swept.options] for swept in sweeps}
    margin = "" if part.margin.is_zero else _dump_yaml({"margin": str(part.margin) if part.margin.is_share else part.margin.size})
    compare = "" if part.compare is None else _dump_yaml({"compare": [list(pair) for pair in part.compare]})
    return {
        "heads": [_study_head(part, study, label) for label in part.datasets],
        "design": [
            {"key": each.key, "lines": [f"  {_dump_yaml({each.key: _option_as_written(each, text)})}" for text in options]}
            for each in DESIGN
            for options in [varied.get(each, [base[each.column]])]
            if options != [each.unwritten]
        ],
        "metrics": {str(metric): _dump_yaml({"metrics": [metric.written]}) for metric in part.metrics},
        "tail": f"{compare}{_dump_yaml({'alpha': part.alpha})}{margin}",
    }


def _study_head(part: Experiment, study: Study, label: str) -> str:
    head: dict[str, Any] = {"title": f"One analysis of: {study.title}", "seed": part.seed}
    if study.plugins:
        head["plugins"] = list(study.plugins)
    head["datasets"] = {study.dataset_of(label): part.datasets[label].written}
    head["systems"] = {system: spec.written for system, spec in part.systems.items()}
    return _dump_yaml(head)


def _option_as_written(decision: Decision, text: str) -> Any:
    """Return an option as a study file contains it: a number, None for the scale's default, or text."""
    if decision.kind is not None or decision.words:
        return text
    return None if text == "scale" else yaml.safe_load(text)


def _dump_yaml(content: dict[str, Any]) -> str:
    # Write each value on one line, even if the line is long.
    return yaml.safe_dump(content, sort_keys=False, allow_unicode=True, default_flow_style=False, width=2**31)


def _verdict_columns(verdicts: PairVerdicts) -> dict[str, Any]:
    """Return columns with one row per analysis and pair of systems.

    Returns
    -------
    dict
        ``dataset``, ``first``, ``second``, ``metric``: columns of texts. ``design``: index of the row's design. ``winner``,
        ``ahead``: `recsens.outcomes.winner.Side`. ``equivalent``: whether the difference is certainly within the margin. ``size``,
        ``low``, ``high``, ``p``, ``users``: printed numbers. ``size``, ``low`` and ``high`` are positive in favour of the system
        that is ahead, and empty if missing. ``p`` includes a remark on what it treats as fixed, and ``users`` includes the
        difference between the values if that prints as a different number. ``family``: p adjusted for all analyses of the pair;
        empty for an analysis outside the joint test. ``effect``, ``effect_low``, ``effect_high``: standardised effect size,
        positive if the first system is better. ``original``: index of the row that represents all rows with the same numbers.
    """
    rows = verdicts.rows
    signs = rows["metric_full"].map(direction).to_numpy(dtype=np.float64)
    ends = np.sort(np.stack([signs * rows["effect_low"].to_numpy(), signs * rows["effect_high"].to_numpy()]), axis=0)
    gaps = rows[["difference", "value_difference", "low", "high"]].itertuples(index=False, name=None)
    leads = [_as_leader(*gap) for gap in gaps]
    sizes = [_lead_in_words(*lead, aggregate) for lead, aggregate in zip(leads, rows["aggregate"], strict=True)]
    tested = rows[["p_adjusted", "resampled_p", "correction", "split", "repeats", "fits"]].itertuples(index=False, name=None)
    numbers_of_users = zip(rows["users"], rows["effective_users"], leads, strict=True)
    return {
        "dataset": encode_column(rows["dataset"]),
        "first": encode_column(rows["system_a"]),
        "second": encode_column(rows["system_b"]),
        "metric": encode_column(rows["metric_full"]),
        "design": rows.groupby(list(COLUMNS), sort=False).ngroup().tolist(),
        "winner": winning_sides(rows).tolist(),
        "equivalent": (rows["verdict"] == EQUIVALENT).tolist(),
        "ahead": ahead(rows["difference"], signs).tolist(),
        "size": encode_column(size for size, _, _ in sizes),
        "low": encode_column(low for _, low, _ in sizes),
        "high": encode_column(high for _, _, high in sizes),
        "p": encode_column(
            p_and_fixed(p, q, verdicts.part.alpha, n_folds_of(*design), correction, n_splits_of(*design[:2]))
            for p, q, correction, *design in tested
        ),
        "family": encode_column("" if math.isnan(p) else p_claim(p) for p in rows["p_family"]),
        "users": encode_column(f"{users(n, effective)}{beside_values(*lead)}" for n, effective, lead in numbers_of_users),
        "effect": rounded_numbers(signs * rows["effect"].to_numpy()),
        "effect_low": rounded_numbers(ends[0]),
        "effect_high": rounded_numbers(ends[1]),
        "original": rows["original"].tolist(),
    }


def _as_leader(difference: float, of_values: float, low: float, high: float) -> tuple[float, float, float, float]:
    """Turn a difference, the difference of the values, and the interval's ends to the system that is ahead."""
    return (-difference, -of_values, -high, -low) if difference < 0 else (difference, of_values, low, high)


def _lead_in_words(difference: float, _: float, low: float, high: float, aggregate: str) -> tuple[str, str, str]:
    """Print the lead of the leading system, with the ends of the interval."""
    if math.isnan(difference):
        return "", "", ""
    size, *ends = estimate(difference, low, high)
    bottom, top = ends if not math.isnan(low) else ("", "")
    return f"{size}{difference_scale(aggregate)}", bottom, top


def encode_column(texts: Iterable[str]) -> dict[str, list[Any]]:
    """Store each distinct text once, with the number of each row's text, because a column has only a few distinct texts."""
    numbers: dict[str, int] = {}
    codes = [numbers.setdefault(text, len(numbers)) for text in texts]
    return {"values": list(numbers), "codes": codes}


def rounded_numbers(values: Iterable[float], digits: int = 4) -> list[float | None]:
    """Round numbers to more significant digits than a reader sees; numbers that are not finite become None."""
    return [float(f"{value:.{digits}g}") if math.isfinite(value) else None for value in values]
