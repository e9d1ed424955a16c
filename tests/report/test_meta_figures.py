"""Figures of metric analyses: which numbers they show, and what they refuse."""

from functools import partial
from itertools import product

import numpy as np
import pandas as pd
import pytest
import yaml

from approved import refusal
from invented import EXPERIMENT
from recsens.conclusions.design_space import base_designs
from recsens.conclusions.verdicts.study_tables import Results
from recsens.errors import ConfigError, SpecError
from recsens.report.figure_style import house_style
from recsens.report.figures import Drawing, FigureData
from recsens.report.page_content import render
from recsens.study import load_study
from recsens.study.columns import TABLES

NO_VERDICTS = pd.DataFrame(columns=TABLES["verdicts"].names)
PLAIN = {"published": [], "published_comparisons": []}
META = {
    "thinned": "lab_plugins.Thinned",
    "tested": "lab_plugins.Tested",
    "ordered": "lab_plugins.Ordered",
    "cuts": "lab_plugins.Ordered(of=cutoffs)",
    "dialled": {"analysis": "lab_plugins.Dialled", "metrics": ["P@10"]},
}
NEGATIVES = (1, 10, 100)


def of_metrics(dataset, metrics):
    """Invent findings about metrics: every number follows from the metric's place and the size."""
    for nth, metric in enumerate(metrics, 1):
        of = {"dataset": dataset, "metric": metric.written, "metric_full": str(metric)}
        for size in (5, 50, 100):
            tau = 1 - nth * (100 - size) / 1000
            yield {**of, "analysis": "thinned", "quantity": "tau", "at": size, "value": tau, "low": tau - 0.01, "high": tau + 0.01}
        for fold, p_values in {"1": (0.02, 0.5, 0.1), "2": (0.3, 0.06, 0.2)}.items():
            for p in p_values:
                yield {**of, "analysis": "tested", "quantity": "p", "fold": fold, "value": p / nth}


def of_pairs(dataset, metrics):
    """Invent agreements of metrics: .9 at the same cut-off, and less the farther their cut-offs are apart."""
    for metric, other in product(metrics, repeat=2):
        of = {"dataset": dataset, "metric": metric.written, "metric_full": str(metric), "quantity": "agreement"}
        against = {"against": other.written, "against_full": str(other)}
        if metric.cutoff == other.cutoff:
            yield {**of, **against, "analysis": "ordered", "value": 1.0 if metric == other else 0.9}
        if metric.metric == other.metric:
            yield {**of, **against, "analysis": "cuts", "value": 1 - abs(metric.cutoff - other.cutoff) / 100}


def of_systems(dataset, metric, systems):
    """Invent values that fall with the number of negatives, and a change of place after the last number."""
    of = {"dataset": dataset, "analysis": "dialled", "metric": metric.written, "metric_full": str(metric)}
    for nth, system in enumerate(systems):
        for n in NEGATIVES:
            yield {**of, "quantity": "expected", "at": n, "value": 0.9 - 0.1 * nth - 0.1 * np.log10(n), "system_a": system}
        yield {**of, "quantity": "full", "value": 0.2 + 0.1 * nth, "system_a": system}
    # Between 100 negatives and all 10 000, halfway on a logarithmic axis.
    of |= {"quantity": "crossing", "fold": "1", "system_a": systems[0], "system_b": systems[1]}
    yield {**of, "at": 10_000, "value": 1000, "low": 100, "high": 10_000}


def invent(study):
    metrics, systems = study.own.metrics, list(study.systems)
    [dialled] = study.meta["dialled"].metrics or metrics[:1]
    rows = [
        row
        for dataset in study.datasets
        for row in (*of_metrics(dataset, metrics), *of_pairs(dataset, metrics), *of_systems(dataset, dialled, systems))
    ]
    table = pd.DataFrame(rows).reindex(columns=TABLES["findings"].names)
    texts = dict.fromkeys(["metric", "metric_full", "against", "against_full", "system_a", "system_b"], "")
    return table.fillna({**texts, "fold": "all", "n": 1})


@pytest.fixture(scope="module")
def judged(make_study):
    study = make_study(metrics=["P@5,10", "nDCG@5,10"], meta=META, **PLAIN)
    return study, invent(study)


def draw(spec, study, findings):
    drawing = Drawing.build(spec)
    drawing.check(study.own)
    with house_style():
        return drawing.draw(FigureData(study.own, Results({"findings": findings})))


def test_robustness_falls_from_the_whole_test_set_at_the_left(judged):
    figure = draw("robustness(metrics=[P@10,nDCG@5],band=interval)", *judged)
    axes = figure.axes[0]
    assert axes.xaxis_inverted()
    assert [list(line.get_xdata()) for line in axes.lines[::2]] == [[100, 50, 5]] * 2
    assert list(axes.lines[0].get_ydata()) == pytest.approx([1, 0.9, 0.81])
    assert list(axes.lines[2].get_ydata()) == pytest.approx([1, 0.85, 0.715])
    band = axes.collections[0].get_paths()[0].vertices[:, 1]
    assert (band.min(), band.max()) == pytest.approx((0.80, 1.01))
    assert len(figure.axes) == 2


def test_a_name_without_its_cut_off_stands_for_every_one(judged):
    assert len(draw("robustness(metrics=nDCG)", *judged).axes[0].lines) == 2 * 2


def test_by_default_the_deepest_cut_offs_of_many(make_study):
    study = make_study(
        metrics=["P@1,2,3,4,5,6,7", "nDCG@5,10,20,30,40,50"], meta=META | {"dialled": "lab_plugins.Dialled"}, **PLAIN
    )
    drawing = Drawing.build("robustness")
    assert "Each metric is shown only at its deepest cut-off (2 of 13 lines)" in drawing.caption(study.own)
    labels = {text.get_text() for text in draw("robustness", study, invent(study)).axes[-1].texts}
    assert labels <= {"P@7", "nDCG@50"}


def test_p_values_of_folds_are_averaged_place_by_place(judged):
    axes = draw("curve(analysis=tested,metrics=[P@5,P@10],scale=linear)", *judged).axes[0]
    assert list(axes.lines[0].get_ydata()) == pytest.approx([(0.5 + 0.3) / 2, (0.1 + 0.2) / 2, (0.02 + 0.06) / 2])
    assert list(axes.lines[1].get_ydata()) == pytest.approx([0.2, 0.075, 0.02])
    assert axes.get_yscale() == "linear"


def test_metrics_agree_at_a_cut_off_and_cut_offs_within_a_metric(judged):
    by_metric = draw("agreement(analysis=ordered)", *judged)
    assert [axes.get_title("left") for axes in by_metric.axes][:2] == ["Alpha-1M, cut-off 5", "Alpha-1M, cut-off 10"]
    assert [text.get_text() for text in by_metric.axes[0].texts] == ["1", ".90", ".90", "1"]
    by_cutoff = draw("agreement(analysis=cuts,metrics=nDCG)", *judged).axes
    assert [axes.get_title("left") for axes in by_cutoff] == ["Alpha-1M", "Beta_2"]
    assert np.asarray(by_cutoff[0].images[0].get_array()).tolist() == [[1, 0.95], [0.95, 1]]


def test_too_many_panels_leave_the_deepest_cut_off(make_study):
    study = make_study(metrics=["P@1,2,3,4", "nDCG@1,2,3,4"], meta=META | {"dialled": "lab_plugins.Dialled"}, **PLAIN)
    assert len(draw("agreement(analysis=ordered)", study, invent(study)).axes) == 2
    assert "Only cut-off 4 is shown, one of 4 cut-offs." in Drawing.build("agreement(analysis=ordered)").caption(study.own)


def test_the_dial_ends_with_all_negatives_and_marks_changes_of_place(judged):
    axes = draw("dial(systems=[kNN,MF])", *judged).axes[0]
    first, ring = axes.lines[0], axes.lines[-1]
    *numbers, end = first.get_xdata()
    assert numbers == list(NEGATIVES)
    assert list(first.get_ydata()) == pytest.approx([0.9, 0.8, 0.7, 0.2])
    assert axes.get_xticklabels()[-1].get_text() == "all"
    # Lines of .7 to .2 and of .6 to .3 cross in the middle.
    assert ring.get_xdata()[0] == pytest.approx(np.sqrt(100 * end))
    assert ring.get_ydata()[0] == pytest.approx(0.45)


def test_changes_of_place_of_systems_that_are_not_shown_are_not_marked(judged):
    marked, unmarked = (draw(f"dial(systems=[kNN,{other}])", *judged) for other in ("MF", "Pop_1"))
    assert marked.legends[0].get_texts()[-1].get_text() == "change of places"
    assert len(marked.axes[0].lines) == len(unmarked.axes[0].lines) + 1


@pytest.mark.parametrize("columns", [1, pytest.param(2, marks=pytest.mark.slow)])
@pytest.mark.parametrize(
    "spec",
    [
        "robustness(",
        "curve(analysis=tested,",
        "agreement(analysis=cuts,",
        "agreement(analysis=ordered,",
        "dial(",
        "dial(systems=MF,",
    ],
)
def test_texts_stay_apart_and_on_the_canvas(judged, check_texts, spec, columns):
    check_texts(draw(f"{spec}columns={columns})", *judged))


REFUSED = (
    "robustness(analysis=thined)",
    "robustness(analysis=tested)",
    "robustness(quantity=tua)",
    "robustness(quantity=area)",
    "robustness(metrics=nDGC@10)",
    "curve(analysis=thinned)",
    "agreement",
    "agreement(analysis=dialled)",
    "dial(metric=nDCG@10)",
    "dial(systems=[kN])",
)


def test_what_the_study_lacks_is_refused_with_its_key(tmp_path, study_content, make_study, judged, approved):
    path = tmp_path / "study.yaml"

    def load(**changes):
        path.write_text(yaml.safe_dump({**study_content, "metrics": ["P@5,10", "nDCG@5,10"], "meta": META, **PLAIN, **changes}))
        return load_study(path)

    told = {spec: refusal(partial(load, figures={"mine": spec}), ConfigError) for spec in REFUSED}
    without_place = partial(draw, "robustness(analysis=dialled,quantity=full)", *judged)
    approved(
        {
            **told,
            "no analysis": refusal(lambda: Drawing.build("robustness").check(make_study().own), SpecError),
            "no place on the axis": refusal(without_place, SpecError),
            "one file name": refusal(
                partial(load, meta={"coverage": "lab_plugins.Thinned"}, experiments={"Meta": EXPERIMENT}, metrics=["P@10"])
            ),
        }
    )


def test_a_study_that_declares_no_figures_has_one_for_each_analysis(make_study, make_results, experiment):
    further = {"analysis": "lab_plugins.Thinned", "experiment": "Little"}
    study = make_study(
        experiments={"Little": experiment},
        meta={"thinned": "lab_plugins.Thinned", "few": further},
        metrics=["P@10", "nDCG@10"],
        **PLAIN,
    )
    assert {name: str(entry.draw) for name, entry in study.drawn.items()} == {
        "meta-thinned": "robustness(analysis=thinned)",
        "meta-few": "robustness(analysis=few)",
    }
    assert {name: part.title for name, (part, _) in study.all_figures().items() if "meta" in name} == {
        "meta-thinned": study.title,
        "meta-few": "Little",
    }
    text = render(
        study,
        make_results(study),
        name="x",
        designs=base_designs(study.own),
        figures=dict.fromkeys(study.all_figures(), "<svg></svg>"),
    )
    assert text.count("by test ratings kept, in % of all</h3>") == 2
    assert text.index("By train/test split") < text.index("by test ratings kept, in % of all</h3>")


def test_declared_figures_take_the_place_of_those_of_analyses(make_study):
    assert list(make_study(meta=META, figures=["curve"], metrics=["P@5,10", "nDCG@10"], **PLAIN).all_figures()) == ["figure-1"]


def test_parameters_of_the_usual_figure_are_kept(make_study):
    study = make_study(meta={"mine": "lab_plugins.Tested"}, metrics=["P@10"], **PLAIN)
    assert str(study.drawn["meta-mine"].draw) == "curve(analysis=mine,scale=linear)"
