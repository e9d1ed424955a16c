"""There is a figure for each varied decision; figures mark changed verdicts, and have the same bytes in each run."""

import hashlib
import re
import resource

import matplotlib as mpl
import pytest
from matplotlib.colors import to_rgb
from matplotlib.patches import Patch

from recsens.report.figure_style import BAND, ink
from recsens.report.figures import write_figure
from recsens.report.html.picture import inline_svg
from recsens.tables.numbers import tick


def bands(axes):
    return [patch for patch in axes.patches if isinstance(patch, Patch) and patch.get_facecolor()[:3] == to_rgb(BAND)]


def titles(figure):
    return [axes.get_title(loc="left") for axes in figure.axes]


@pytest.fixture(scope="module")
def over_split(study, results, draw):
    return draw("split", study.own, results.summary, results.verdicts)


@pytest.fixture(scope="module")
def small(make_study, make_results, draw):
    """Return a function that draws a figure of a single panel."""
    study = make_study(datasets={"Alpha-1M": "lab_plugins.Ratings"}, metrics=["P@10"], published=[], published_comparisons=[])
    tables = make_results(study)
    return lambda: draw("split", study.own, tables.summary, tables.verdicts)


def test_there_is_a_figure_for_each_decision_that_varies(study, make_study):
    assert study.own.figures() == ["split", "view", "designs"]
    assert make_study(vary={}, metrics=["P@10"]).own.figures() == ["systems"]
    assert make_study(vary={"view": ["full"]}, metrics=["P@10"]).own.figures() == ["systems"]


def test_a_number_has_a_line_a_system_and_a_band_where_the_winner_changes(over_split):
    figure = over_split
    assert titles(figure)[:2] == ["Alpha-1M, P@10", "Alpha-1M, nDCG@10"]
    assert [len(bands(axes)) for axes in figure.axes] == [1, 1, 0, 0, 0, 0]
    low, high = bands(figure.axes[0])[0].get_extents().transformed(figure.axes[0].transData.inverted()).intervalx
    assert (low, high) == pytest.approx((0.35, 0.8))


def test_only_winners_are_filled(over_split):
    axes = over_split.axes[0]
    filled = {
        (round(line.get_xdata()[0], 2), line.get_color())
        for line in axes.lines
        if line.get_marker() in "os^" and line.get_markerfacecolor() == line.get_color()
    }
    assert filled == {(0.2, ink(0).colour), (0.35, ink(0).colour), (0.8, ink(1).colour)}


def test_the_base_option_is_in_bold(over_split):
    labels = over_split.axes[0].get_xticklabels()
    assert {label.get_text(): label.get_fontweight() for label in labels} == {
        ".2": "normal",
        ".35": "normal",
        ".5": "bold",
        ".8": "normal",
    }


def test_categories_are_rows_with_the_verdict_at_the_margin(study, results, draw):
    axes = draw("view", study.own, results.summary, results.verdicts).axes[0]
    assert [label.get_text() for label in axes.get_yticklabels()] == ["full", "condensed"]
    assert [text.get_text().replace("\N{NO-BREAK SPACE}", " ") for text in axes.texts] == ["undecided\np = .223"] * 2


@pytest.mark.parametrize("metrics", [["P@10"], ["P@10", "nDCG@10"]])
def test_every_system_is_named_inside_the_figure(make_study, make_results, metrics, draw):
    long = "A very long label of an item-based nearest neighbour with cosine similarity"
    labels = [f"PureSVD+ {place}" for place in range(18)]
    study = make_study(
        datasets={"Alpha-1M": "lab_plugins.Ratings"},
        systems={label: f"lab_plugins.Neighbours(k={place + 1})" for place, label in enumerate([*labels, long])},
        vary={"view": ["condensed"]},
        metrics=metrics,
        published=[],
        published_comparisons=[],
    )
    tables = make_results(study)
    figure = draw("view", study.own, tables.summary, tables.verdicts)
    figure.canvas.draw()
    texts = figure.legends[0].get_texts()
    assert {text.get_text().replace("\n", " ") for text in texts} == {
        *labels,
        long,
        "filled: wins, p\N{NO-BREAK SPACE}<\N{NO-BREAK SPACE}.05",
    }
    assert all(len(line) <= 26 for text in texts for line in text.get_text().split("\n"))
    boxes = [text.get_window_extent() for text in texts]
    assert all(figure.bbox.x0 <= box.x0 and box.x1 <= figure.bbox.x1 for box in boxes)
    assert all(axes.get_window_extent().y1 < box.y0 and box.y1 <= figure.bbox.y1 for box in boxes for axes in figure.axes)


def test_a_single_data_set_shows_up_to_six_metrics(make_study, make_results, draw, caption):
    metrics = [f"P@{depth}" for depth in range(1, 9)]
    study = make_study(datasets={"Alpha-1M": "lab_plugins.Ratings"}, metrics=metrics, published=[], published_comparisons=[])
    tables = make_results(study)
    assert len(draw("split", study.own, tables.summary, tables.verdicts).axes) == 6
    said = "kNN and MF are untuned: no validation data and no source stand behind the parameters."
    assert caption("split", study.own).endswith(f" Only the first 6 of 8 metrics are shown. {said}")


def test_systems_are_set_beside_the_best(make_study, make_results, draw):
    study = make_study(vary={})
    tables = make_results(study)
    axes = draw("systems", study.own, tables.summary, tables.verdicts).axes[0]
    assert [text.get_text().replace("\N{NO-BREAK SPACE}", " ") for text in axes.texts] == ["best", "p = .223", "p < .001"]


def test_a_varied_test_shows_differences_not_scores(make_study, make_results, draw):
    study = make_study(vary={"test": ["t(confidence=0.99)"]})
    tables = make_results(study)
    figure = draw("test", study.own, tables.summary, tables.verdicts)
    assert titles(figure) == ["Alpha-1M, P@10", "Alpha-1M, nDCG@10", "Beta_2, P@10", "Beta_2, nDCG@10"]
    assert figure.axes[0].get_xlabel() == "kNN over MF"


def test_a_wide_range_is_drawn_on_a_logarithmic_axis(make_study, make_results, draw):
    study = make_study(vary={"repeats": [1, 100]}, datasets={"Alpha-1M": "lab_plugins.Ratings"}, metrics=["P@10"])
    tables = make_results(study)
    assert draw("repeats", study.own, tables.summary, tables.verdicts).axes[0].get_xscale() == "log"


def test_files_have_the_same_bytes_on_each_run_whatever_the_users_style(small, tmp_path):
    digests = set()
    for run in ("first", "second"):
        mpl.rcParams["font.size"] = 8 if run == "first" else 20
        svg, png = tmp_path / f"{run}.svg", tmp_path / f"{run}.png"
        write_figure(small(), svg=svg, png=png)
        digests.add((hashlib.sha256(svg.read_bytes()).hexdigest(), hashlib.sha256(png.read_bytes()).hexdigest()))
    mpl.rcdefaults()
    assert len(digests) == 1
    assert "<dc:date>" not in (tmp_path / "first.svg").read_text()


@pytest.mark.parametrize("form", ["svg", "png", "pdf"])
def test_a_figure_that_cannot_be_written_whole_says_so_and_leaves_no_file(small, tmp_path, form):
    drawn = small()
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (4096, hard))
    try:
        with pytest.raises(OSError, match="File too large") as refused:
            write_figure(drawn, **{form: tmp_path / f"split.{form}"})
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert str(tmp_path) in str(refused.value)
    assert list(tmp_path.iterdir()) == []


def test_inks_differ_in_more_than_colour():
    kinds = [(ink(place).marker, ink(place).line) for place in range(12)]
    assert len(set(kinds)) == 12


def test_ticks_have_no_leading_zero():
    assert [tick(value) for value in (0.35, -0.2, 10.0, 0.0)] == [".35", "−.2", "10", "0"]


def test_an_inlined_figure_has_its_own_names_a_title_and_the_pages_colours(small, tmp_path):
    svg = tmp_path / "split.svg"
    write_figure(small(), svg=svg)
    text = inline_svg(svg.read_text(), name="figure-split", title="Scores <by> split")
    assert text.startswith("<svg ")
    assert 'role="img" aria-labelledby="figure-split-title"' in text
    assert '<title id="figure-split-title">Scores &lt;by&gt; split</title>' in text
    assert all(name.startswith("figure-split-") for name in re.findall(r'\bid="([^"]+)"', text))
    assert all(name.startswith("figure-split-") for name in re.findall(r'href="#([^"]+)"', text))
    assert "<?xml" not in text
    assert "var(--series-1)" in text
    assert ink(0).colour not in text


def test_bars_of_descriptive_measures_are_called_what_they_are(make_study, make_results, caption):
    study = make_study(vary={})
    assert "describe rankings" in caption("systems", study.own)
    study = make_study(vary={}, metrics=["P@10"])
    assert "describe rankings" not in caption("systems", study.own)


def test_an_experiment_has_figures_of_its_own_data_and_systems(make_study, make_results, experiment, draw):
    study = make_study(experiments={"Little": experiment})
    tables = make_results(study)
    part, key = study.all_figures()["little-coverage"]
    figure = draw(key, part, tables.summary, tables.verdicts)
    assert all(title.startswith("Little, ") for title in titles(figure))
    assert [text.get_text() for text in figure.legends[0].get_texts()][:2] == ["kNN", "Pop_1"]
