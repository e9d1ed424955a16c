"""A study's own figures: what they show, and what is refused when the study is read."""

import numpy as np
import pytest
import yaml

from recsens.conclusions.design_space import base_designs
from recsens.data.interactions import Interactions
from recsens.errors import ConfigError
from recsens.files.scale import Scale
from recsens.report.figure_style import house_style
from recsens.report.figures import Drawing, FigureData
from recsens.report.page_content import render
from recsens.study import load_study
from recsens.workflow.steps.figure import figure

PLAIN = {"published": [], "published_comparisons": []}
NEIGHBOURS = {**{f"kNN {k}": f"lab_plugins.Neighbours(k={k})" for k in (30, 3, 10)}, "MF": "lab_plugins.Factors"}


def draw(spec, study, tables, **further):
    with house_style():
        return Drawing.build(spec).draw(FigureData(study.own, tables, **further))


def refusal(tmp_path, content, **changes):
    path = tmp_path / "study.yaml"
    path.write_text(yaml.safe_dump({**content, **changes}))
    with pytest.raises(ConfigError) as refused:
        load_study(path)
    return str(refused.value)


def test_lines_lie_over_the_number_of_a_decision_sorted_whatever_the_order_of_the_file(study, results):
    axes = draw("lines(x=split.ratio,y=nDCG@10)", study, results).axes[0]
    first = axes.lines[0]
    assert list(first.get_xdata()) == [0.2, 0.35, 0.5, 0.8]
    assert list(first.get_ydata()) == pytest.approx([0.468, 0.459, 0.45, 0.432])


def test_a_parameter_of_systems_makes_one_line_of_them_and_others_are_lines_of_reference(make_study, make_results):
    study = make_study(systems=NEIGHBOURS, **PLAIN)
    figure = draw("lines(x=lab_plugins.Neighbours.k,y=P@10,reference=MF)", study, make_results(study))
    assert list(figure.axes[0].lines[0].get_xdata()) == [3, 10, 30]
    assert [text.get_text() for text in figure.legends[0].get_texts()] == ["lab_plugins.Neighbours", "MF"]


def test_the_expected_value_of_a_random_order_follows_what_is_drawn(study, results):
    # Constant along the ratio; in rows, a mark for each view.
    level = draw("lines(x=split.ratio,y=P@10,reference=expected_random)", study, results)
    assert list(level.axes[0].lines[-1].get_ydata()) == [0.01, 0.01]
    assert level.legends[0].get_texts()[-2].get_text() == "random, by formula"
    marks = draw("bars(x=view,by=system,y=P@10,reference=expected_random)", study, results).axes[0].collections
    assert [list(path.vertices[:, 0]) for path in marks[-1].get_paths()] == [[0.01, 0.01], [0.4, 0.4]]


def test_cut_offs_lie_on_an_axis(make_study, make_results):
    study = make_study(metrics=["P@1,10,5,100", "nDCG@10"], **PLAIN)
    axes = draw("lines(x=cutoff,y=P)", study, make_results(study)).axes[0]
    assert list(axes.lines[0].get_xdata()) == [1, 5, 10, 100]
    assert axes.get_xscale() == "log"


def test_options_without_an_order_are_marks_that_nothing_joins(study, results):
    axes = draw("lines(x=view,y=P@10)", study, results).axes[0]
    assert {line.get_linestyle() for line in axes.lines} == {"None"}
    assert [label.get_text() for label in axes.get_yticklabels()] == ["full", "condensed"]


def test_printed_values_are_open_marks_beside_ours(study, results):
    axes = draw("lines(x=split.ratio,y=P@10)", study, results).axes[0]
    printed = [line for line in axes.lines if line.get_markerfacecolor() == "none"]
    shown = [value for line in printed for value in line.get_ydata() if not np.isnan(value)]
    assert shown == [0.416, 0.409]


def test_condensed_depth_rests_on_users_with_enough_items_under_every_system(study, results):
    # User 1 has one ranked item under MF, so only user 0 counts: positions 2 and 7 for kNN, 1 and 4 for MF.
    knn = (np.array([0, 0, 0, 1, 1], np.int32), np.array([7, 2, 9, 1, 2], np.int32), np.full(5, 4.0))
    mf = (np.array([0, 0, 1], np.int32), np.array([4, 1, 3], np.int32), np.full(3, 4.0))
    systems = {"kNN": [knn], "MF": [mf], "Pop_1": [knn]}
    positions = {(label, system): ranked for label in study.datasets for system, ranked in systems.items()}
    axes = draw("condensed_depth(depth=2)", study, results, positions=positions).axes[0]
    assert [list(line.get_ydata()) for line in axes.lines if not np.isnan(line.get_ydata()).any()] == [[2, 7], [1, 4], [2, 7]]
    assert axes.get_title(loc="left") == "Alpha-1M (n = 1)"


def test_roc_curves_are_means_over_users_and_folds(study, results):
    # Ann: relevant, other; Bob: other, relevant, other; Cid likes everything and has no curve. In fold 2, Ann's is reversed.
    user, position = np.array([0, 0, 1, 1, 1, 2], np.int32), np.array([1, 5, 2, 3, 4, 1], np.int32)
    first = (user, position, np.array([5, 1, 1, 5, 1, 5.0]))
    second = (user[:2], position[:2], np.array([1, 5.0]))
    scale = Interactions(user, user, None, None, np.arange(3), np.arange(3), Scale())
    positions = {(label, system): [first, second] for label in study.datasets for system in study.systems}
    axes = draw("roc", study, results, positions=positions, interactions=dict.fromkeys(study.datasets, scale)).axes[0]
    chance, line = axes.lines[0], axes.lines[1]
    assert list(chance.get_ydata()) == [0, 1]
    assert axes.xaxis.get_major_formatter()(0.2) == ".2"
    at = dict(zip(np.round(line.get_xdata(), 3), line.get_ydata(), strict=True))
    # Up to 1/2 only Ann's first curve is at 1, from there on Bob's too, and at 1 the last one.
    assert [at[x] for x in (0, 0.495, 0.5, 0.995, 1)] == pytest.approx([1 / 3, 1 / 3, 2 / 3, 2 / 3, 1])


def test_p_values_fall_from_left_to_right(study, results):
    axes = draw("curve", study, results).axes[0]
    values = list(axes.lines[0].get_ydata())
    assert values == sorted(values, reverse=True)
    assert len(values) == 3


REFUSED = (
    "lines(x=split.ration)",
    "lines(x=split.ratio,y=nDGC@10)",
    "lines(x=repeats)",
    "lines(x=split.ratio,by=view,panel=dataset,system=kNN)",
    "lines(x=split.ratio,reference=SVD)",
    "lines(x=split.ratio,reference=MF)",
    "lines(x=split.ratio,y=P@10,by=view,system=kNN,reference=expected_random)",
    "bars(x=system,y=P@10,by=view,reference=expected_random)",
    "lines(x=split.ratio,second=coverage)",
    "lines(x=split.ratio,by=none)",
    "lines(x=split.ratio,panel=none)",
    "bars(x=split.ratio,by=system,y=[P@10,nDCG@10])",
    "heatmap(rows=view,across=split,system=kNN)",
    "lines(colour=red)",
    "pie",
    "scores_by_option(varied=target)",
)


def test_what_the_study_lacks_is_refused_with_its_key(tmp_path, study_content, approved):
    told = {spec: refusal(tmp_path, study_content, figures={"mine": spec}) for spec in REFUSED}
    asked = {
        "a name": {"figures": {"My figure": "curve"}},
        "an experiment": {"figures": [{"draw": "curve", "experiment": "Tiny set"}]},
        "nothing varies": {"figures": ["specification_curve"], "vary": {}, "metrics": ["P@10"], **PLAIN},
    }
    approved({**told, **{name: refusal(tmp_path, study_content, **changes) for name, changes in asked.items()}})


def test_the_page_shows_declared_figures_with_their_words_in_place_of_the_usual(make_study, make_results, experiment, tmp_path):
    entry = {"draw": "lines(x=coverage,y=P@10)", "title": "Ours", "caption": "By us.", "experiment": "Little"}
    study = make_study(experiments={"Little": experiment}, figures={"ratio": "lines(x=split.ratio,y=P@10)", "mine": entry})
    assert {name: part.title for name, (part, _) in study.all_figures().items()} == {"ratio": study.title, "mine": "Little"}
    figures = dict.fromkeys(study.all_figures(), "<svg></svg>")
    text = render(study, make_results(study), name="x", designs=base_designs(study.own), figures=figures)
    assert text.count("<figure>") == 2
    assert "<h3>Ours</h3>" in text
    assert "<figcaption>By us. P@10 by uncovered users" in text
    assert text.index("P@10 by train/test split: ratio") < text.index("<h3>Ours</h3>")


def test_the_step_draws_a_declared_figure_in_all_forms_with_the_same_bytes(tmp_path, study_content, files):
    asked = tmp_path / "study.yaml"
    asked.write_text(yaml.safe_dump(study_content))
    written = []
    for run in ("first", "second"):
        forms = {form: str(tmp_path / f"{run}.{form}") for form in ("svg", "png", "pdf")}
        tables = {name: str(files[name]) for name in ("summary", "comparisons", "verdicts")}
        figure(study=str(asked), name="ratio", drawing="lines(x=split.ratio)", **tables, **forms)
        written.append([(tmp_path / f"{run}.{form}").read_bytes() for form in forms])
    assert written[0] == written[1]
    assert b"<text" in written[0][0]


def test_the_users_of_several_folds_are_counted_in_each(study, results):
    ranked = (np.array([0, 0], np.int32), np.array([1, 2], np.int32), np.full(2, 4.0))
    positions = {(label, system): [ranked, ranked] for label in study.datasets for system in study.systems}
    axes = draw("condensed_depth(depth=2)", study, results, positions=positions).axes[0]
    assert axes.get_title(loc="left") == "Alpha-1M (n = 2 over 2 folds)"


def test_the_ends_of_a_crowded_axis_keep_their_labels(make_study, make_results):
    study = make_study(metrics=["P@1,10,80,85,90,95,100", "nDCG@10"], **PLAIN)
    figure = draw("lines(x=cutoff,y=P)", study, make_results(study))
    shown = [label.get_text() for label in figure.axes[0].get_xticklabels() if label.get_visible()]
    assert (shown[0], shown[-1]) == ("1", "100")
    assert len(shown) < 7


def test_a_system_of_reference_has_another_ink_than_what_is_told_apart(make_study, make_results):
    study = make_study(systems={"MF": "lab_plugins.Factors", **{k: v for k, v in NEIGHBOURS.items() if k != "MF"}}, **PLAIN)
    figure = draw("lines(x=lab_plugins.Neighbours.k,y=P@10,by=view,reference=MF)", study, make_results(study))
    colours = {
        text.get_text(): handle.get_color()
        for text, handle in zip(figure.legends[0].get_texts(), figure.legends[0].get_lines(), strict=True)
    }
    assert len({colours[name] for name in ("full", "condensed", "MF")}) == 3


def test_crosses_over_bars_start_at_zero_as_the_bars_do(study, results):
    figure = draw("bars(x=view,by=system,y=P@10,second=user_coverage)", study, results)
    assert [axes.get_xlim()[0] for axes in figure.axes] == [0.0] * len(figure.axes)


@pytest.mark.parametrize(
    ("name", "spec"),
    [
        ("split", "scores_by_option(varied=split)"),
        ("view", "differences_by_option(varied=view)"),
        ("designs", "specification_curve"),
    ],
)
def test_a_study_may_declare_the_usual_figures(make_study, results, name, spec):
    study = make_study(figures={name: spec})
    assert list(study.all_figures()) == [name]
    assert len(draw(spec, study, results).axes) == {"split": 6, "view": 4, "designs": 4}[name]
