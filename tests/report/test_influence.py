"""Which decision matters, and the shortest way to another verdict, compared with brute force on invented grids."""

from dataclasses import replace
from itertools import combinations, product

import numpy as np
import pandas as pd
import pytest

from invented import rejudged
from recsens.conclusions.verdicts.influence import influences
from recsens.conclusions.verdicts.pairs import PairVerdicts, shortest_ways
from recsens.errors import SpecError
from recsens.report.figure_style import house_style
from recsens.report.figures import Drawing, FigureData
from recsens.report.sentences.headline import ways_to_another_verdict
from recsens.tables.numbers import SPACE

STUDY = {
    "datasets": {"D": "lab_plugins.Ratings"},
    "systems": {"A": "lab_plugins.Factors", "B": "lab_plugins.Popular"},
    "design": {},
    "metrics": ["P@10", "nDCG@10"],
    "published": [],
    "published_comparisons": [],
}
VARIED = {"view": ["full", "condensed"], "coverage": ["full", "reduced"], "ties": ["random", "low_index", "high_index"]}
OPTIONS = {**VARIED, "metric": STUDY["metrics"]}
BASE = {key: options[0] for key, options in OPTIONS.items()}
CELLS = [dict(zip(OPTIONS, cell, strict=True)) for cell in product(*OPTIONS.values())]


@pytest.fixture
def invented(make_study, make_results):
    """Invent the tables of a study whose effect sizes are given: a function of the options of an analysis; above .1 is a win."""

    def make(effect, combine="grid"):
        study = make_study(**{**STUDY, "vary": VARIED, "combine": combine})
        tables = make_results(study)
        summary, comparisons = tables.summary.copy(), tables.comparisons.copy()
        sizes = np.array([effect(dict(zip(OPTIONS, cell, strict=True))) for cell in comparisons[list(OPTIONS)].to_numpy()])
        for name in ("difference", "effect", "low", "high"):
            comparisons[name] = sizes
        comparisons["p_adjusted"] = np.where(np.abs(sizes) > 0.1, 0.01, 0.5)
        of_values = [effect(dict(zip(OPTIONS, cell, strict=True))) for cell in summary[list(OPTIONS)].to_numpy()]
        summary["value"] = np.where(summary["system"] == "A", 5 + np.array(of_values), 5)
        return study.own, rejudged(study, tables.with_tables(summary=summary, comparisons=comparisons))

    return make


def judged(part, tables):
    return PairVerdicts.of(part, tables.verdicts)


@pytest.fixture
def verdicts(invented):
    """Judge such a study."""
    return lambda effect, combine="grid": judged(*invented(effect, combine))


def random_effects(seed):
    generator = np.random.default_rng(seed)
    sizes = {tuple(cell.values()): float(generator.choice([-1, 0, 1], p=[0.1, 0.2, 0.7])) for cell in CELLS}
    sizes[tuple(BASE.values())] = 1.0
    return lambda options: sizes[tuple(options.values())]


def distance(cell):
    return sum(cell[key] != BASE[key] for key in OPTIONS)


@pytest.mark.parametrize("seed", range(3))
def test_the_shortest_way_is_that_of_brute_force(verdicts, seed):
    effect = random_effects(seed)
    turned = [cell for cell in CELLS if effect(cell) < 0]
    fewest = min(map(distance, turned))
    ways = shortest_ways(verdicts(effect))
    assert {way["changes"] for way in ways} == {fewest}
    assert len(ways) == sum(distance(cell) == fewest for cell in turned)
    assert {way["ruled_out"] for way in ways} == {sum(distance(cell) < fewest for cell in CELLS)}
    assert {way["every_combination"] for way in ways} == {True}


def test_a_planted_reversal_is_named(verdicts):
    def effect(options):
        return -1.0 if options["coverage"] == "reduced" and options["metric"] == "nDCG@10" else 1.0

    ways = shortest_ways(verdicts(effect))
    assert [(way["changes"], way["change"], way["verdict"]) for way in ways] == [
        (2, "coverage reduced and metric nDCG@10", "B wins")
    ]
    # The base, two options of ties, and one of each other decision.
    assert ways[0]["ruled_out"] == 1 + 2 + 1 + 1 + 1


def test_without_a_reversal_the_way_is_said_to_be_none(verdicts):
    [way] = shortest_ways(verdicts(lambda _: 1.0, combine="one_at_a_time"))
    assert (way["changes"], way["ruled_out"], way["every_combination"]) == (0, way["analyses"], False)
    assert "change" not in way


def test_the_page_says_what_a_single_decision_becomes_and_to_what_several_change(verdicts):
    def alone(options):
        return -1.0 if options["ties"] != "random" or options["view"] == "condensed" else 1.0

    def together(options):
        return -1.0 if options["coverage"] == "reduced" and options["metric"] == "nDCG@10" else 1.0

    [sentence] = ways_to_another_verdict([verdicts(alone)])
    assert sentence.endswith(
        "; B wins if a single decision changes: ties becomes low_index or high_index, or view becomes condensed."
    )
    [sentence] = ways_to_another_verdict([verdicts(together)])
    assert "B wins if 2 decisions change together: with coverage reduced and metric nDCG@10. B wins in none of the" in sentence


def test_a_pair_without_a_winner_has_no_way(verdicts):
    assert shortest_ways(verdicts(lambda _: 0.0)) == []


def test_shares_add_to_one_and_flip_rates_are_those_of_brute_force(verdicts):
    effect = random_effects(5)
    found = influences(verdicts(effect))
    assert sum(row["share"] for row in found) == pytest.approx(1)
    for key, code in {"view": "C1", "coverage": "C4", "ties": "B2", "metric": "C2"}.items():
        [row] = [row for row in found if row["code"] == code and "together_with" not in row]
        differing = [(a, b) for a, b in combinations(CELLS, 2) if [name for name in OPTIONS if a[name] != b[name]] == [key]]
        turned = [effect(a) != effect(b) for a, b in differing]
        assert (row["compared"], row["flip_rate"]) == (len(differing), pytest.approx(np.mean(turned)))
        alone = [effect(cell) for cell in CELLS if distance(cell) == (cell[key] != BASE[key])]
        assert (row["lowest"], row["highest"]) == (min(alone), max(alone))


def test_one_decision_that_explains_all_has_the_whole_share(verdicts):
    found = influences(verdicts(lambda options: 1.0 if options["coverage"] == "full" else 0.5))
    shares = {(row["code"], row.get("together_with")): row["share"] for row in found}
    assert shares["C4", None] == pytest.approx(1)
    assert sum(shares.values()) == pytest.approx(1)


def test_one_at_a_time_there_are_ranges_but_no_shares(verdicts):
    found = influences(verdicts(random_effects(1), combine="one_at_a_time"))
    assert np.isnan([row["share"] for row in found]).all()
    assert {row["code"] for row in found} == {"C1", "C4", "B2", "C2"}


def test_pairs_are_told_apart_however_their_rows_lie(verdicts):
    first, second, third = (verdicts(random_effects(seed)) for seed in range(3))
    others = second.rows.assign(system_b="C")
    # No users' differences by one metric: left out of the shares of this pair alone. In the third, one effect is missing: no grid.
    others.loc[others["metric"] == "nDCG@10", "effect"] = np.nan
    gaps = third.rows.assign(system_b="D")
    gaps.loc[gaps.index[3], "effect"] = np.nan
    alone = [influences(replace(first, rows=rows)) for rows in (first.rows, others, gaps)]
    assert sum(row["share"] for row in alone[1] if not np.isnan(row["share"])) == pytest.approx(1)
    assert np.isnan([row["share"] for row in alone[2]]).all()
    mixed = pd.concat([first.rows, others, gaps]).sort_index(kind="stable").reset_index(drop=True)
    together = pd.DataFrame(influences(replace(first, rows=mixed)))
    pd.testing.assert_frame_equal(together, pd.DataFrame([row for of_pair in alone for row in of_pair]))


def bars_of(spec, part, tables):
    drawing = Drawing.build(spec)
    drawing.check(part)
    with house_style():
        [axes] = drawing.draw(FigureData(part, tables)).axes
    names = [" ".join(label.get_text().split()) for label in axes.get_yticklabels()]
    return dict(zip(names, [bar.get_width() for bar in axes.patches], strict=True))


def test_bars_of_shares_add_to_one(invented):
    bars = bars_of("influence(show=share)", *invented(random_effects(5)))
    assert {"C1 Full or condensed rankings", "C4 Uncovered users", "two together", "three or more together"} < set(bars)
    assert sum(bars.values()) == pytest.approx(1)


def test_bars_of_flip_rates_are_the_tables(invented):
    given = invented(random_effects(1), combine="one_at_a_time")
    table = {f"{row['code']} {row['decision']}": row["flip_rate"] for row in influences(judged(*given))}
    assert bars_of("influence", *given) == pytest.approx(table)


def test_shares_of_a_study_without_a_grid_are_refused(invented):
    part, *_ = invented(random_effects(1), combine="one_at_a_time")
    with pytest.raises(SpecError, match="every combination"):
        Drawing.build("influence(show=share)").check(part)


def drawn(spec, part, tables):
    drawing = Drawing.build(spec)
    drawing.check(part)
    with house_style():
        return drawing.draw(FigureData(part, tables)).axes


def test_bars_of_the_shortest_way_hold_each_analysis_once_and_turn_where_the_table_does(invented, verdicts):
    effect = random_effects(0)
    given = invented(effect)
    [axes] = drawn("shortest", *given)
    sides = {
        bars.get_label(): {round(bar.get_x() + bar.get_width() / 2): bar.get_height() for bar in bars} for bars in axes.containers
    }
    for n in range(len(OPTIONS) + 1):
        here = [cell for cell in CELLS if distance(cell) == n]
        shares = {"same winner": 1, "neither wins": 0, "other wins": -1}
        for side, sign in shares.items():
            assert sides[side][n] == pytest.approx(np.mean([np.sign(effect(cell)) == sign for cell in here]))
    assert axes.get_title(loc="left") == "A beats B"
    fewest = min(n for n, share in sides["other wins"].items() if share > 0)
    assert fewest == shortest_ways(verdicts(effect))[0]["changes"]
    assert [text.get_text() for text in axes.texts] == [
        str(sum(distance(cell) == n for cell in CELLS)) for n in range(len(OPTIONS) + 1)
    ]


def test_without_a_winner_there_is_no_way_to_draw(invented):
    [axes] = drawn("shortest", *invented(lambda _: 0.0))
    assert axes.get_title(loc="left") == "No pair has a winner"


def test_a_mark_is_filled_where_the_analysis_stands_and_copies_are_one_mark(invented):
    given = invented(lambda _: 1.0)
    pair = {"dataset": "D", "system_a": "A", "system_b": "B"}
    tested = [(1, 2.0, 0.2), (2, 5.0, 0.001), (1, 2.0, 0.2), (3, -1.0, 0.9), (0, float("nan"), float("nan"))]
    multiverse = pd.DataFrame([{**pair, "distinct": number, "t": t, "p_family": p} for number, t, p in tested])
    joint = pd.DataFrame([{**pair, "distinct": 3, "median_t": 2.0, "p_median": 0.004}])
    part, tables = given
    [axes] = drawn("joint", part, tables.with_tables(multiverse=multiverse, joint=joint))
    zero, median, open_marks, filled = axes.lines
    assert (list(open_marks.get_ydata()), list(filled.get_ydata())) == ([-1.0, 2.0], [5.0])
    assert (list(open_marks.get_xdata()), list(filled.get_xdata())) == ([1, 2], [3])
    assert (zero.get_ydata()[0], median.get_ydata()[0]) == (0, 2.0)
    assert axes.get_title(loc="left") == "A and B"
    assert [text.get_text().replace(SPACE, " ") for text in axes.texts] == ["median 2.0, joint p = .004"]


@pytest.mark.parametrize("spec", ["joint", "shortest"])
def test_a_study_of_one_analysis_has_neither_picture(make_study, spec):
    study = make_study(**{**STUDY, "vary": {}, "metrics": ["P@10"]})
    with pytest.raises(SpecError) as refused:
        Drawing.build(spec).check(study.own)
    assert "add to 'vary' or 'metrics'" in str(refused.value)
