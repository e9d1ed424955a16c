"""No text in a figure overlaps another or leaves the canvas, whatever the length of labels and the number of systems and panels."""

import numpy as np
import pytest
from matplotlib.figure import Figure

from recsens.data.interactions import Interactions
from recsens.files.scale import Scale
from recsens.report.figure_style import house_style
from recsens.report.figures import Drawing, FigureData
from recsens.report.figures._fitting import in_lines

PLAIN = {"published": [], "published_comparisons": []}

TWELVE = {f"Neighbours with a long name and k of {k}": f"lab_plugins.Neighbours(k={k})" for k in range(1, 13)}

EIGHT = {f"A data set with a long name {n}": f"lab_plugins.Ratings(name=d{n})" for n in range(8)}

SPECS = (
    "lines(x=split.ratio,y=nDCG@10)",
    "lines(x=split.ratio,y=[P@10,nDCG@10],by=metric,system=kNN)",
    "lines(x=split.ratio,y=P@10,reference=0.4,second=user_coverage)",
    "lines(x=split.ratio,y=P@10,reference=expected_random)",
    "lines(x=view,y=P@10)",
    "bars(x=system,y=P@10)",
    "bars(x=view,by=system,y=P@10,second=coverage_at_cutoff)",
    "bars(x=view,by=system,y=P@10,reference=expected_random)",
    "heatmap(across=split.ratio)",
    "heatmap(rows=view,across=split,system=kNN)",
    "curve",
    "distribution",
    "distribution(form=cumulative,panel=side)",
    "condensed_depth(depth=3)",
    "roc",
    "relevant_share",
    "influence",
    "influence(show=share)",
)

PLAIN_SIZES = {
    "design": {"targets": "one_r(n=5)"},
    "vary": {"targets": ["one_r(n=10)", "one_r(n=20)"]},
    "datasets": {"A": "simulated"},
}


def data_of(study, tables) -> FigureData:
    """Invent what figures need beside the tables: three users who rated each item, and rankings of all."""
    part = study.own
    user, item = (grid.ravel().astype(np.int32) for grid in np.meshgrid(np.arange(3), np.arange(5), indexing="ij"))
    rated = Interactions(user, item, np.full(15, 4.0), None, np.arange(3), np.arange(5), Scale())
    ranked = [(user, (item + 1).astype(np.int32), np.where(item % 2, 4.0, 3.0))]
    return FigureData(
        part,
        tables,
        interactions=dict.fromkeys(part.datasets, rated),
        positions={(label, system): ranked for label in part.datasets for system in part.systems},
        roles={(label, design.split.written): np.ones(15, np.uint8) for label in part.datasets for design in part.designs()},
    )


def drawn(spec: str, study, tables) -> Figure:
    drawing = Drawing.build(spec)
    drawing.check(study.own)
    with house_style():
        return drawing.draw(data_of(study, tables))


@pytest.fixture(scope="module")
def usual(make_study, make_results):
    study = make_study(combine="grid", metrics=["P@10", "nDCG@10"])
    return study, make_results(study)


@pytest.fixture(scope="module")
def sizes(make_study, make_results):
    metrics = ["P@10", "Bound1R(side=lower)@10", "Bound1R(side=upper)@10"]
    study = make_study(metrics=metrics, **PLAIN_SIZES, **PLAIN)
    return study, make_results(study)


@pytest.fixture(scope="module")
def hard(make_study, make_results):
    study = make_study(systems=TWELVE, datasets=EIGHT, metrics=["P@10"], vary={"split": ["random(ratio=0.2)"]}, **PLAIN)
    return study, make_results(study)


@pytest.mark.parametrize("spec", SPECS)
def test_texts_stay_apart_and_on_the_canvas(usual, spec, check_texts):
    # One column has the least room.
    check_texts(drawn(f"{spec.removesuffix(')')}{',' if '(' in spec else '('}columns=1)", *usual))


@pytest.mark.parametrize("columns", [1, 2])
@pytest.mark.parametrize("spec", ["bounds(systems=[kNN,MF])", "bounds(systems=MF)", "split_profile(m=3)"])
def test_texts_of_bounds_and_profiles(sizes, spec, columns, check_texts):
    check_texts(drawn(spec.replace(")", f",columns={columns})") if columns == 2 or "[" not in spec else spec, *sizes))


@pytest.mark.slow
@pytest.mark.parametrize(
    "spec",
    [
        *("lines(y=P@10,columns=1)", "lines(y=P@10)", "bars(y=P@10)", "bars(x=split,by=system,columns=1)"),
        *("heatmap(columns=1)", "curve(columns=1)", "condensed_depth(depth=3)"),
    ],
)
def test_twelve_systems_with_long_names_on_eight_data_sets(hard, spec, check_texts):
    check_texts(drawn(spec, *hard))


@pytest.mark.parametrize("key", ["split", "view", "designs"])
def test_texts_of_the_usual_figures(study, results, key, check_texts, draw):
    check_texts(draw(key, study.own, results.summary, results.verdicts))


def test_a_spec_within_a_spec_breaks_before_its_bracket():
    assert in_lines("thinned (of=random(ratio=0.8), share=0.9)", 19) == "thinned (of=random\n(ratio=0.8),\nshare=0.9)"
