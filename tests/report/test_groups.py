"""Groups in the report: sentences, the table, the figure, methods, and the line for a group with another winner."""

from collections.abc import Callable
from dataclasses import replace

import pandas as pd
import pytest

from recsens.conclusions.claims import Evidence
from recsens.conclusions.claims.systems import Wins
from recsens.conclusions.verdicts.groups import grouped_pairs
from recsens.conclusions.verdicts.study_tables import Results
from recsens.errors import SpecError
from recsens.report.figure_style import house_style
from recsens.report.figures import FigureData
from recsens.report.figures.by_group import ByGroup
from recsens.report.sentences.groups import contrary_sentences, group_sentences, groups_in_methods, how_to_read_groups
from recsens.report.tables.questions import group_tables
from recsens.study import Ground, Study
from recsens.tables.texts import to_text

NOTHING = float("nan")
FOUND = [
    # Grouping, whose, group, members and train ratings; users, values, interval, p adjusted, p of equal differences.
    ("activity", "users", "least active", (40, 1, 9), 38, (0.10, 0.12), (-0.05, 0.01), 0.4, 0.31),
    ("activity", "users", "most active", (42, 10, 90), 42, (0.30, 0.25), (-0.01, 0.11), 0.3, 0.31),
    ("popularity(n=2)", "items", "most popular", (10.5, 90, 200), 60, (0.20, 0.11), (0.05, 0.13), 0.004, 0.0004),
    ("popularity(n=2)", "items", "least popular", (89.5, 1, 89), 55, (0.02, 0.14), (-0.16, -0.08), 0.0002, 0.0004),
    ("cold", "users", "not cold", (82, 1, 90), 80, (0.2, 0.19), (-0.02, 0.04), 0.5, NOTHING),
]


@pytest.fixture(scope="module")
def asked(make_study: Callable[..., Study]) -> Study:
    groups = ["activity", "popularity(n=2)", "cold"]
    return make_study(vary={}, groups=groups, published=[], published_comparisons=[], metrics=["P@10"])


@pytest.fixture(scope="module")
def tables(asked: Study, make_results: Callable[..., Results]) -> Results:
    found, rows = make_results(asked), []
    for dataset in asked.datasets:
        for a, b in asked.own.pairs():
            for grouping, of, group, members, users, values, ends, p, p_equal in FOUND:
                winner = "" if p >= 0.05 else a if values[0] > values[1] else b
                numbers = dict(zip(("members", "fewest", "most"), members, strict=True))
                numbers |= dict(zip(("value_a", "value_b", "low", "high"), (*values, *ends), strict=True))
                numbers |= {
                    "users": users,
                    "of_users": 82,
                    "difference": values[0] - values[1],
                    "p_adjusted": p,
                    "p_equal": p_equal,
                }
                head = {"dataset": dataset, "system_a": a, "system_b": b, "metric": "P@10", "metric_full": "P@10"}
                named = {"grouping": grouping, "of": of, "group": group, "winner": winner, "is_equivalent": False}
                rows.append({**head, **named, **numbers})
    return found.with_tables(groups=pd.DataFrame(rows))


def test_what_the_report_says(asked: Study, tables: Results, make_study: Callable[..., Study], approved):
    corrected = make_study(vary={}, groups=["activity"], published=[], published_comparisons=[], design={"correction": "holm"}).own
    approved(
        {
            "first screen and terminal": contrary_sentences(asked.own, tables),
            "section": group_sentences(asked.own, tables),
            "table": [text for table in group_tables(asked.own, tables) for text in (table.caption, to_text(table), *table.notes)],
            "reading": [how_to_read_groups(each) for each in (asked.own, corrected)],
            "methods": [groups_in_methods(each) for each in (asked.own, corrected)],
        }
    )


def test_a_group_is_contrary_only_if_the_other_system_wins(asked: Study, tables: Results):
    pairs = grouped_pairs(asked.own, tables)
    assert len(pairs) == len(asked.datasets) * len(asked.own.pairs())
    for pair in pairs:
        winner = pair.whole["winner"]
        wins = {group: _side(pair, values) for _, _, group, _, _, values, _, p, _ in FOUND if p < 0.05}
        assert {row["group"] for _, row in pair.contrary} == {each for each in wins if winner not in {"", wins[each]}}


@pytest.mark.parametrize(
    ("group", "verdict"),
    [
        ("most popular", "held"),
        ("popularity(n=2): least popular", "not held"),
        ("most active", "undecided"),
        ("not cold", "undecided"),
    ],
)
def test_a_win_within_a_group_can_be_claimed(asked: Study, tables: Results, group: str, verdict: str):
    claim, ground = Wins(a="kNN", b="MF", group=group), Ground(asked.own, next(iter(asked.datasets)), asked.own.design)
    evidence = Evidence(asked.own, tables)
    claim.check(ground)
    found, turned = (each.judge(ground, evidence) for each in (claim, Wins(a="MF", b="kNN", group=group)))
    _, _, label, _, users, values, ends, _, _ = next(row for row in FOUND if group.endswith(row[2]))
    assert (found.verdict, found.low, found.high) == (verdict, *ends), label
    assert found.value == pytest.approx(values[0] - values[1])
    assert turned.value == -found.value
    assert {found.verdict, turned.verdict} in ({"held", "not held"}, {"undecided"})
    assert f"in the group '{group}'" in found.of
    assert f"in the group '{group}'" in claim.words(ground)
    assert found.basis.endswith(f"over {users} users")


def test_a_claim_about_an_unknown_group_is_refused_when_the_study_is_read(asked: Study, make_study: Callable[..., Study]):
    ground = Ground(asked.own, next(iter(asked.datasets)), asked.own.design)
    with pytest.raises(SpecError, match="the study has no 'mostactive'") as refused:
        Wins(a="kNN", b="MF", group="mostactive").check(ground)
    for said in ("did you mean 'most active'?", "activity: 2 of 3, activity: most active, popularity(n=2): no train ratings"):
        assert said in str(refused.value)
    with pytest.raises(SpecError, match="several groupings have 'no train ratings'"):
        Wins(a="kNN", b="MF", group="no train ratings").check(ground)
    for further in ({"effort": 3}, {"over": "datasets"}, {"metric": "user_coverage"}):
        with pytest.raises(SpecError):
            Wins(a="kNN", b="MF", group="most active", **further).check(ground)
    with pytest.raises(SpecError, match="a group by a grouping that 'groups' lists"):
        Wins(a="kNN", b="MF", group="most active").check(replace(ground, experiment=replace(asked.own, groups=())))
    # Only the data tell the words of a column.
    by_column = make_study(vary={}, groups=["column(name=age)"], published=[], published_comparisons=[], metrics=["P@10"])
    Wins(a="kNN", b="MF", group="18 to 24").check(Ground(by_column.own, ground.dataset, by_column.own.design))


@pytest.mark.parametrize(
    ("group", "changes", "told"),
    [
        ("most active", {"design": {"targets": "p1r"}}, "metrics with a value for each user"),
        ("most active", {"design": {"aggregate": "median"}}, "metrics with a value for each user"),
        ("most active", {"metrics": ["P@10", "Gini@10"]}, "metrics with a value for each user"),
        ("most popular", {"metrics": ["P@10", "ILD@10"]}, "groups of users"),
        ("most popular", {"design": {"view": "rate(0.01)"}}, "groups of users"),
        ("drama", {"metrics": ["P@10", "ILD@10"], "groups": ["column(of=items,name=genre)"]}, "groups of users"),
    ],
)
def test_a_claim_about_a_group_without_values_is_refused_when_the_study_is_read(
    make_study: Callable[..., Study], group, changes, told
):
    plain = {"vary": {}, "groups": ["activity", "popularity"], "published": [], "published_comparisons": [], "metrics": ["P@10"]}
    study = make_study(**{**plain, **changes}).own
    claim = Wins(a="kNN", b="MF", group=group, metric=study.metrics[-1].written)
    with pytest.raises(SpecError, match=rf"'{group}' has no values of .* under this design\s+allowed: {told}"):
        claim.check(Ground(study, next(iter(study.datasets)), study.design))


def test_a_group_that_nobody_is_in_is_undecided(asked: Study, tables: Results):
    ground = Ground(asked.own, next(iter(asked.datasets)), asked.own.design)
    claim = Wins(a="kNN", b="MF", group="popularity(n=2): no train ratings")
    assert claim.judge(ground, Evidence(asked.own, tables)).verdict == "undecided"


def _side(pair, values) -> str:
    return pair.whole["system_a"] if values[0] > values[1] else pair.whole["system_b"]


def test_the_figure_has_a_row_for_everybody_and_for_each_group(asked: Study, tables: Results):
    with house_style():
        figure = ByGroup().draw(FigureData(asked.own, tables))
    labels = [text.get_text() for text in figure.axes[0].get_yticklabels()]
    assert labels == ["all users", *(f"{of}: {group}" for _, of, group, *_ in FOUND)]
    assert "groups" in asked.all_figures()


def test_a_figure_of_groups_needs_groups(make_study: Callable[..., Study]):
    with pytest.raises(SpecError, match="asks about no groups"):
        ByGroup().check(make_study(vary={}).own)


def test_a_study_that_does_not_ask_says_nothing(make_study: Callable[..., Study], make_results: Callable[..., Results]):
    plain = make_study(vary={})
    assert group_sentences(plain.own, make_results(plain)) == []
    assert list(group_tables(plain.own, make_results(plain))) == []
