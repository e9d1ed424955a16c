"""A metric with its cut-off, or without, and its other names."""

import pytest

from recsens import plugins
from recsens.errors import SpecError
from recsens.metrics import ALIASES, WHOLE, parse_measured_at


@pytest.mark.parametrize(
    ("text", "printed", "short"),
    [
        ("P@10", "P@10", "P@10"),
        ("p@10", "P@10", "P@10"),
        ("ndcg(gain=exp)@5", "nDCG(discount=log2,gain=exp,ideal=cut)@5", "nDCG(gain=exp)@5"),
        ("nDCG(discount=jk2)@5", "nDCG(discount=jk2,gain=binary,ideal=cut)@5", "nDCG(discount=jk2)@5"),
        ("RBP(phi=0.80)@10", "RBP(gain=binary,phi=0.8)@10", "RBP@10"),
        ("AP", "AP(denominator=relevant)", "AP"),
        ("AP@10", "AP(denominator=relevant)@10", "AP@10"),
        ("AUC", "AUC(ties=broken,undefined=neutral)", "AUC"),
    ],
)
def test_a_metric_is_printed_with_every_parameter(text, printed, short):
    [found] = parse_measured_at(text)
    assert (str(found), found.short) == (printed, short)


@pytest.mark.parametrize(
    ("text", "short"),
    [
        ("precision@10", "P@10"),
        ("recall@5", "R@5"),
        ("Recall", "R"),
        ("MAP", "AP"),
        ("map(denominator=min)@10", "AP(denominator=min)@10"),
        ("mrr@10", "RR@10"),
        ("hit@1", "Success@1"),
        ("ndcg_cut@10", "nDCG@10"),
        ("bpref10", "Bpref(bound=relevant10)"),
        ("tau", "KendallTau"),
    ],
)
def test_other_names_of_a_metric_resolve_to_its_own(text, short):
    assert [found.short for found in parse_measured_at(text)] == [short]


def test_an_alias_names_a_metric_and_is_no_metrics_own_name():
    own = {name.lower() for name in plugins.names("metric")}
    for alias, meant in ALIASES.items():
        assert alias == alias.lower()
        assert alias not in own
        printed = str(plugins.build("metric", meant).spec)
        assert meant in {printed, ALIASES.get(printed.lower())}


def test_the_whole_ranking_is_told_from_its_top():
    [whole], [top] = parse_measured_at("AP"), parse_measured_at("AP@100")
    assert whole.is_whole
    assert not top.is_whole
    assert whole.cutoff == WHOLE


@pytest.mark.parametrize("name", plugins.names("metric"))
def test_what_is_printed_is_read_as_the_same(name):
    cls = plugins.load("metric", name)
    texts = {"always": [f"{name}@5"], "optionally": [name, f"{name}@5"], "never": [name]}[cls.takes_cutoff]
    for text in texts:
        [found] = parse_measured_at(text)
        assert [str(again) for again in parse_measured_at(str(found))] == [str(found)]
        assert [str(again) for again in parse_measured_at(found.short)] == [str(found)]


def test_several_cutoffs_are_several_metrics():
    assert [found.short for found in parse_measured_at("P@5, 10,1")] == ["P@5", "P@10", "P@1"]


@pytest.mark.parametrize("text", ["", "P", "P@", "P@0", "P@-1", "P@x", "P@1.5", "P@5,", "@5", "P@5@", f"P@{WHOLE}"])
def test_a_metric_without_a_whole_positive_cutoff_is_refused(text):
    with pytest.raises(SpecError):
        parse_measured_at(text)


def test_the_missing_cutoff_is_explained():
    with pytest.raises(SpecError, match="metric 'P' has no cut-off") as refused:
        parse_measured_at("P")
    assert "P@10" in str(refused.value)


def test_a_cutoff_where_there_can_be_none_is_refused():
    with pytest.raises(SpecError, match="takes no cut-off") as refused:
        parse_measured_at("auc@10")
    assert "AUC" in str(refused.value)


@pytest.mark.parametrize(
    ("wrong", "meant"), [("rekall@10", "recall"), ("bperf", "Bpref"), ("ndgc@10", "nDCG"), ("KendalTau", "KendallTau")]
)
def test_a_slip_is_met_with_the_nearest_name(wrong, meant):
    with pytest.raises(SpecError, match=f"did you mean '{meant}'"):
        parse_measured_at(wrong)


@pytest.mark.parametrize("discount", ["jk1", "jk", "jk0", "ln", "jk2.5", "log10"])
def test_a_discount_that_there_is_not_is_refused(discount):
    with pytest.raises(SpecError, match="log2, or jk with an integer base"):
        parse_measured_at(f"nDCG(discount={discount})@5")
