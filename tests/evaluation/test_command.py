"""The command `recsens evaluate`: the examples of its page, output formats, and refusals."""

import csv
import io
import json
import os
import re
import subprocess
import sys

import pytest
from click.testing import CliRunner

from recsens.cli import main
from recsens.compiled.machine_code import COMPILING
from recsens.plugins import names
from recsens.runs.evaluation import evaluate
from workspaces import REPOSITORY

PAGE = (REPOSITORY / "docs" / "evaluate-runs.md").read_text(encoding="utf-8")
TWO = ("knn.run", "pop.run", "test.qrels", "-m", "P@1", "-m", "RR", "--test", "randomisation")


@pytest.fixture(autouse=True)
def _here(tmp_path, monkeypatch):
    for name, text in re.findall(r"^```(?:trec|csv) (\S+)\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL):
        (tmp_path / name).write_text(text, encoding="utf-8")
    monkeypatch.chdir(tmp_path)


def call(*arguments: str) -> str:
    done = CliRunner().invoke(main, ["evaluate", *arguments])
    assert done.exit_code == 0, done.output
    return done.output


def refused(*arguments: str) -> str:
    done = CliRunner().invoke(main, ["evaluate", *arguments])
    assert done.exit_code == 1
    return done.output


def test_the_manual_shows_what_the_command_prints():
    (command,) = re.findall(r"^recsens evaluate (.*P@1,2)$", PAGE, re.MULTILINE)
    (shown,) = re.findall(r"^```output knn\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
    assert call(*command.split()) == shown


@pytest.mark.parametrize(("name", "options"), [("few", ".*few.run.*"), ("tied", ".*tied.run.*"), ("all", "all.csv.*-m RR.*")])
def test_the_manual_shows_what_stands_apart(name, options):
    (command,) = re.findall(rf"^recsens evaluate ({options})$", PAGE, re.MULTILINE)
    (shown,) = re.findall(rf"^```output {name}\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
    assert call(*command.split()).startswith(f"{shown}\n")


def test_every_command_of_the_manual_runs():
    commands = re.findall(r"^recsens evaluate (.*)$", PAGE, re.MULTILINE)
    assert len(commands) == 6
    for command in commands:
        call(*command.split())


def test_the_programs_of_the_manual_run():
    programs = re.findall(r"^```python\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
    assert len(programs) == 3
    for program in programs:
        exec(program, {})  # noqa: S102 - a page of our own


def test_runs_side_by_side_with_p_values():
    lines = call(*TWO).splitlines()
    assert lines[0].split() == ["metric", "(recsens)", "knn", "pop", "p"]
    # P@1: knn hits for Bob, pop for Cid. RR: .5, 1, 0, 0 against 0, .5, 1, 0.
    assert lines[1].split() == ["P@1", ".250", ".250", "1.000"]
    assert lines[2].split()[:3] == ["RR", ".375", ".375"]
    assert lines[-1] == "p: randomisation, each run against knn, paired by user, two-sided, not corrected"


def test_equal_scores_are_ties_and_the_ranks_decide_only_on_demand(tmp_path):
    (tmp_path / "equal.run").write_text("u Q0 a 1 0 x\nu Q0 b 2 0 x\n", encoding="utf-8")
    (tmp_path / "one.qrels").write_text("u 0 a 5\n", encoding="utf-8")
    asked = ("equal.run", "one.qrels", "-m", "RR")
    by_score, by_rank = call(*asked), call(*asked, "--rank-by", "rank")
    assert by_score.splitlines()[1].split(maxsplit=2) == ["RR", ".500", ".500 to 1.000"]
    assert (
        "equal: all scores are equal, so ties decide every position; to order the run by its ranks instead: --rank-by rank"
        in by_score
    )
    assert by_rank.splitlines()[1].split() == ["RR", "1.000"]
    assert "all scores" not in by_rank
    assert json.loads(call(*asked, "--rank-by", "rank", "--format", "json"))["settings"]["rank_by"] == "rank"


# Ann likes b, which is tied with a alone, so it is before or after a. What Bob likes is tied with nothing.
TIED = "ann Q0 a 1 2 x\nann Q0 b 2 2 x\nann Q0 c 3 1 x\nbob Q0 a 1 1 x\nbob Q0 b 2 0 x\n"


@pytest.fixture
def tied(tmp_path):
    (tmp_path / "tied.run").write_text(TIED, encoding="utf-8")
    (tmp_path / "free.run").write_text(TIED.replace("b 2 2", "b 2 3"), encoding="utf-8")
    (tmp_path / "tied.qrels").write_text("ann 0 b 5\nann 0 c 1\nbob 0 a 5\n", encoding="utf-8")
    return ("tied.run", "free.run", "tied.qrels", "-m", "RR", "-m", "P@2")


def test_a_value_that_ties_decide_says_between_what_it_lies(tied):
    lines = call(*tied).splitlines()
    assert lines[0].split() == ["metric", "(recsens)", "tied", "by", "ties", "free", "p"]
    assert lines[1].split(maxsplit=2)[2].startswith(".750 to 1.000  1.000")
    assert lines[2].split()[:3] == ["P@2", ".500", ".500"]
    told = "tied: by ties: lowest and highest value, depending on how ties are broken (audits and studies: at random)"
    assert told in lines
    assert f"% {told}" in call(*tied, "--format", "latex").splitlines()
    assert "by ties" not in call("free.run", "tied.qrels", "-m", "RR")


def test_a_metric_without_a_range_says_so(tied):
    asked = ("tied.run", "tied.qrels", "-m", "AntiP@1")
    assert "not bounded" in call(*asked).splitlines()[1]
    row = next(csv.DictReader(io.StringIO(call(*asked, "--format", "csv"))))
    assert (row["pessimistic"], row["optimistic"]) == ("", "")
    run = json.loads(call(*asked, "--format", "json"))["runs"][0]
    assert run["pessimistic"] == run["optimistic"] == {"AntiP@1": None}


def test_every_format_and_python_hold_the_range_by_ties_and_the_convention(tied):
    rows = list(csv.DictReader(io.StringIO(call(*tied, "--format", "csv"))))
    assert [(row["convention"], row["pessimistic"], row["mean"], row["optimistic"]) for row in rows] == [
        ("recsens", "0.75", "1.0", "1.0"),
        ("recsens", "0.5", "0.5", "0.5"),
        ("recsens", "1.0", "1.0", "1.0"),
        ("recsens", "0.5", "0.5", "0.5"),
    ]
    run = json.loads(call(*tied, "--format", "json"))["runs"][0]
    assert (run["pessimistic"]["RR"], run["optimistic"]["RR"]) == (0.75, 1)
    found = evaluate("tied.run", "tied.qrels", ["RR", "P@2"])
    assert found.by_ties == {"RR": (0.75, 1)}
    assert found.range_by_ties("P@2") == (0.5, 0.5)
    assert evaluate("tied.run", "tied.qrels", ["RR"], rank_by="rows").by_ties == {}


def renamed(lines: str, users: set[str]) -> str:
    return "".join(f"u{line}" if line.split()[0] in users else line for line in lines.splitlines(keepends=True))


def test_a_run_whose_users_hardly_match_is_refused_with_both_spellings(tmp_path):
    users = [str(user) for user in range(1, 11)]
    judged = "".join(f"{user} 0 a 5\n{user} 0 b 1\n" for user in users)
    ranked = "".join(f"{user} Q0 a 1 2 x\n{user} Q0 c 2 1 x\n" for user in users)
    (tmp_path / "ten.qrels").write_text(judged, encoding="utf-8")
    (tmp_path / "half.run").write_text(renamed(ranked, set(users[:5])), encoding="utf-8")
    asked = ("half.run", "ten.qrels", "-m", "RR")
    message = refused(*asked)
    assert (
        "half.run: the run and the judgements hardly match: the run has 10 users and the judgements 10, but only 5 are in both"
        in message
    )
    assert "only the run has 'u1', 'u2', 'u3', only the judgements have '1', '2', '3'; they differ in the letters" in message
    assert message == refused(*asked, "--curve", "roc")
    told = call(*asked, "--least-matched", "0.5")
    assert (
        "half: 10 users averaged; of 10 judged users, 0 have no relevant item and 5 no list; "
        "of 10 users of the run, 5 are not judged" in told
    )
    assert (
        "half: 1 of 2 items of the run are not judged for any user; 1 of 2 judged items are in no list; 15 of 20 judged pairs"
        in told
    )
    matched = json.loads(call(*asked, "--least-matched", "0.5", "--format", "json"))["runs"][0]["matched"]
    assert (matched["n_run_users_not_judged"], matched["n_judged_users_without_list"]) == (5, 5)
    (row,) = csv.DictReader(io.StringIO(call(*asked, "--least-matched", "0.5", "--format", "csv")))
    assert (row["n_run_users_not_judged"], row["n_judged_pairs_not_ranked"]) == ("5", "15")


def test_a_file_may_cover_fewer_users_than_the_other(tmp_path):
    judged = "".join(f"{user} 0 a 5\n" for user in range(10))
    ranked = "".join(f"{user} Q0 a 1 2 x\n" for user in range(10))
    for name, text in {"all.qrels": judged, "few.qrels": judged[:8], "all.run": ranked, "one.run": ranked[:13]}.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    assert "of 10 judged users, 0 have no relevant item and 9 no list" in call("one.run", "all.qrels", "-m", "RR")
    assert "of 10 users of the run, 9 are not judged" in call("all.run", "few.qrels", "-m", "RR")


def test_judgements_that_judge_nothing_are_counted(tmp_path):
    (tmp_path / "pool.qrels").write_text("ann 0 brazil 1\nann 0 alien -1\nbob 0 alien -2\n", encoding="utf-8")
    asked = ("knn.run", "pool.qrels", "-m", "bpref", "--convention", "trec_eval")
    assert "judgements: 2 values below 0 name an item without judging it" in call(*asked).splitlines()
    assert json.loads(call(*asked, "--format", "json"))["runs"][0]["n_unjudged"] == 2


# Ann 1/2, Bob 1 and Cid 0 by knn, without Dan. Half of them, Ann, have a list by few, and so has Dan: 1/2 and 0.
FEW = "ann Q0 alien 1 9 few\nann Q0 brazil 2 5 few\ndan Q0 alien 1 9 few\n"


@pytest.fixture
def few(tmp_path):
    (tmp_path / "few.run").write_text(FEW, encoding="utf-8")
    return ("knn.run", "few.run", "pop.run", "test.qrels", "-m", "RR", "-m", "RMSE", "--no-list", "skip", "--test", "sign")


def test_means_and_p_of_other_users_stand_apart(few):
    lines = [line.split() for line in call(*few).splitlines()]
    assert lines[:2] == [["metric", "(recsens)", "knn", "few", "pop"], ["RR", ".500", ".250", ".500"]]
    start = next(place for place, line in enumerate(lines) if line[:3] == ["few", "against", "knn,"])
    assert lines[start][3:] == ["means", "over", "the", "users", "averaged", "in", "both:"]
    assert lines[start + 1 : start + 4] == [
        ["metric", "(recsens)", "users", "knn", "few", "p"],
        ["RR", "1", ".500", ".500", "–"],
        [],
    ]
    start = next(place for place, line in enumerate(lines) if line[:3] == ["pop", "against", "knn,"])
    assert lines[start + 1 : start + 4] == [
        ["metric", "(recsens)", "users", "knn", "pop", "p"],
        ["RR", "3", ".500", ".500", "1.000"],
        [],
    ]


def test_metrics_that_are_not_defined_for_all_stand_apart_too():
    # Predictions by knn of Ann, 4.2 off, and Bob, 3.3 and 1.4; by pop of Bob, 3 and 7 off, and Cid, 4.
    lines = [line.split() for line in call("knn.run", "pop.run", "test.qrels", "-m", "uMAE").splitlines()]
    assert lines[:2] == [["metric", "(recsens)", "knn", "pop"], ["uMAE", "3.275", "4.500"]]
    assert ["uMAE", "1", "2.350", "5.000", "–"] in lines


def test_every_format_holds_both_means(few):
    rows = list(csv.DictReader(io.StringIO(call(*few, "--format", "csv"))))
    columns = ("run", "metric", "mean", "n_users", "n_compared", "mean_compared", "versus_mean", "difference")
    assert [tuple(row[column] for column in columns) for row in rows[:1] + rows[2:3]] == [
        ("knn", "RR", "0.5", "3", "", "", "", ""),
        ("few", "RR", "0.25", "2", "1", "0.5", "0.5", "0.0"),
    ]
    # Errors over different users are not subtracted from each other.
    assert (rows[3]["metric"], rows[3]["difference"], rows[3]["n_compared"]) == ("RMSE", "", "1")
    found = json.loads(call(*few, "--format", "json"))["runs"][1]
    assert found["means"]["RR"] == 0.25
    assert {key: found["comparisons"]["RR"][key] for key in ("n_users", "mean", "versus_mean")} == {
        "n_users": 1,
        "mean": 0.5,
        "versus_mean": 0.5,
    }
    latex = call(*few, "--format", "latex")
    assert latex.count(r"\begin{tabular}{") == 3
    assert "% few against knn, means over the users averaged in both:" in latex
    assert r"RR & 1 & .500 & .500 & -- \\" in latex


def test_subsamples_answer_with_a_share_and_not_with_p(tmp_path):
    # One user of twelve differs. In subsets of six, t = 1 and p = .363 if she is in the subset, which is so for about half of them,
    # and else p is 1.
    users = ["ann", *map(str, range(11))]
    (tmp_path / "right.run").write_text("".join(f"{user} Q0 a 1 1 x\n" for user in users))
    (tmp_path / "wrong.run").write_text("".join(f"{user} Q0 {'b' if user == 'ann' else 'a'} 1 1 x\n" for user in users))
    (tmp_path / "all.qrels").write_text("".join(f"{user} 0 a 1\n" for user in users))
    asked = ("right.run", "wrong.run", "all.qrels", "-m", "P@1", "--test")
    lines = call(*asked, "subsamples(alpha=0.3)").splitlines()
    assert lines[0].split() == ["metric", "(recsens)", "right", "wrong", "share"]
    assert lines[1].split() == ["P@1", "1.000", ".917", "0.0", "%"]
    assert lines[-1] == (
        "share: of 100 random subsets of 50 % of the users, those with p < 0.3 by t, each run against right, paired by user, "
        "two-sided, not corrected"
    )
    (row,) = list(csv.DictReader(io.StringIO(call(*asked, "subsamples(alpha=0.6)", "--format", "csv"))))[1:]
    assert 0.3 < float(row["share_significant"]) < 0.7
    comparison = json.loads(call(*asked, "subsamples(alpha=0.6)", "--format", "json"))["runs"][1]["comparisons"]["P@1"]
    assert comparison["share_significant"] == float(row["share_significant"])


def test_a_scale_upside_down_is_refused():
    assert "a rating scale from 5 to 1" in refused("knn.run", "test.qrels", "-m", "P@1", "--scale", "5", "1")


def test_a_scale_that_the_judgements_leave_is_refused_with_the_line(tmp_path):
    (tmp_path / "wide.qrels").write_text("ann 0 dune 4\nbob 0 heat 7\n", encoding="utf-8")
    message = refused("knn.run", "wide.qrels", "-m", "ERR", "--scale", "1", "5")
    assert "wide.qrels:2, user 'bob': the rating 7 is outside the scale from 1 to 5" in message


def test_predictions_far_from_the_scale_are_told_beside_their_error(tmp_path):
    (tmp_path / "far.run").write_text("ann Q0 a 1 -1 x\nann Q0 b 2 -2 x\n", encoding="utf-8")
    (tmp_path / "far.qrels").write_text("ann 0 a 4\nann 0 b 1\n", encoding="utf-8")
    ends = "the lowest is \N{MINUS SIGN}2.000, the highest \N{MINUS SIGN}1.000"
    outside = f"100.0\N{NO-BREAK SPACE}% of 2 predictions lie outside the scale of 1 to 5: {ends}"
    told = f"far: {outside}; errors are computed from them unchanged"
    asked = ("far.run", "far.qrels", "-m", "RMSE")
    assert told in call(*asked).splitlines()
    assert f"% {told}" in call(*asked, "--format", "latex").splitlines()
    (run,) = json.loads(call(*asked, "--format", "json"))["runs"]
    assert run["predictions"] == {"n": 2, "n_outside": 2, "lowest": -2, "highest": -1}
    assert "outside" not in call("far.run", "far.qrels", "-m", "RR")


# Squared errors 1, 0 and 1 by whole, 0 and 1 by part, which leaves item b out, and 4, 1 and 0 by other.
PREDICTED = {
    "whole": "ann Q0 a 1 3 x\nann Q0 b 2 2 x\nbob Q0 a 1 4 x\n",
    "part": "ann Q0 a 1 4 x\nbob Q0 a 1 4 x\n",
    "other": "ann Q0 a 1 2 x\nann Q0 b 2 1 x\nbob Q0 a 1 5 x\n",
}


@pytest.fixture
def predicted(tmp_path):
    for name, text in PREDICTED.items():
        (tmp_path / f"{name}.run").write_text(text, encoding="utf-8")
    (tmp_path / "stars.qrels").write_text("ann 0 a 4\nann 0 b 2\nbob 0 a 5\n", encoding="utf-8")
    return ("whole.run", "part.run", "other.run", "stars.qrels", "-m", "RMSE", "-m", "uRMSE", "-m", "P@1")


@pytest.mark.parametrize(("form", "mark"), [("text", ""), ("latex", "% ")])
def test_each_run_says_how_many_judged_items_it_predicts(predicted, form, mark):
    lines = call(*predicted, "--format", form).splitlines()
    for name, n in (("whole", 3), ("part", 2), ("other", 3)):
        assert f"{mark}{name}: {n} of 3 judged items have a prediction" in lines
    assert f"{mark}RMSE, uRMSE: the runs whole and part predict different items, so their values are not compared" in lines
    assert sum("predict different items" in line for line in lines) == 1
    assert "have a prediction" not in call("whole.run", "stars.qrels", "-m", "P@1", "--format", form)


def test_errors_over_different_items_are_not_compared(predicted):
    rows = {(row["run"], row["metric"]): row for row in csv.DictReader(io.StringIO(call(*predicted, "--format", "csv")))}
    assert [float(rows[name, "RMSE"]["mean"]) for name in PREDICTED] == pytest.approx([(2 / 3) ** 0.5, 0.5**0.5, (5 / 3) ** 0.5])
    for metric in ("RMSE", "uRMSE"):
        assert [rows["part", metric][column] for column in ("difference", "low", "high", "p_value", "mean_compared")] == [""] * 5
    assert float(rows["other", "RMSE"]["difference"]) == pytest.approx((5 / 3) ** 0.5 - (2 / 3) ** 0.5)
    # Ann's are sqrt(5/2) and sqrt(1/2), Bob's 0 and 1.
    assert float(rows["other", "uRMSE"]["difference"]) == pytest.approx((2.5**0.5 - 0.5**0.5 - 1) / 2)
    assert rows["part", "P@1"]["difference"] == "0.0"


def test_json_counts_judged_and_predicted_items_of_users_averaged(predicted):
    runs = json.loads(call(*predicted, "--format", "json"))["runs"]
    assert [(run["n_predicted"], run["n_judged"]) for run in runs] == [(3, 3), (2, 3), (3, 3)]
    assert runs[1]["comparisons"]["RMSE"]["difference"] is None
    # Only Bob likes something from 5 on.
    asked = (*predicted, "--relevance", "5", "--no-relevant", "skip")
    runs = json.loads(call(*asked, "--format", "json"))["runs"]
    assert [(run["n_predicted"], run["n_judged"]) for run in runs] == [(1, 1)] * 3
    assert runs[1]["comparisons"]["RMSE"]["difference"] == 0


def test_csv_holds_every_digit_and_the_interval():
    rows = list(csv.DictReader(io.StringIO(call(*TWO, "--format", "csv"))))
    assert [(row["run"], row["metric"], row["versus"]) for row in rows] == [
        ("knn", "P@1", ""),
        ("knn", "RR", ""),
        ("pop", "P@1", "knn"),
        ("pop", "RR", "knn"),
    ]
    assert float(rows[1]["mean"]) == evaluate("knn.run", "test.qrels", ["RR"]).means["RR"]
    assert float(rows[3]["difference"]) == 0
    # Four users are too few for an interval.
    assert (rows[3]["low"], rows[3]["high"]) == ("", "")


def test_json_holds_settings_definitions_and_users():
    found = json.loads(call(*TWO, "--format", "json", "--per-user", "--no-list", "skip"))
    assert found["settings"]["no_list"] == "skip"
    assert found["metrics"] == {"P@1": "P@1", "RR": "RR"}
    knn, pop = found["runs"]
    assert knn["users"]["bob"] == {"P@1": 1.0, "RR": 1.0}
    assert (knn["n_users"], knn["n_without_relevant"], knn["n_without_list"]) == (3, 1, 1)
    assert pop["comparisons"]["RR"]["n_users"] == 3


def test_latex_is_a_table():
    text = call(*TWO, "--format", "latex")
    assert r"\begin{tabular}{@{}lrrr@{}}" in text
    assert r"P@1 & .250 & .250 & 1.000 \\" in text


def test_values_of_each_user():
    lines = call("knn.run", "test.qrels", "-m", "RR", "--per-user", "--no-list", "skip").splitlines()
    assert [line.split() for line in lines] == [
        ["run", "user", "RR"],
        ["knn", "ann", ".500"],
        ["knn", "bob", "1.000"],
        ["knn", "cid", "0"],
    ]
    assert call("knn.run", "test.qrels", "-m", "RR", "--per-user", "--format", "csv").splitlines()[1] == "knn,ann,0.5"


def test_counts_are_whole_numbers_added_up_and_geometric_means_are_of_no_single_user():
    asked = ["--convention", "trec_eval", "-m", "num_ret", "-m", "gm_map", "-m", "map"]
    # Three users are in both files: ann with three items and with two, bob with two, cid with one.
    lines = call("knn.run", "pop.run", "test.qrels", *asked, "--relevance", "4").splitlines()
    assert [line.split()[0] for line in lines[1:4]] == ["num_ret", "gm_map", "map"]
    assert lines[1].split()[1:] == ["6", "5", "–"]
    assert lines[2].split()[3] == "–"
    assert "num_ret is the sum over users of Shown" in lines
    found = json.loads(call("knn.run", "test.qrels", *asked, "--format", "json", "--per-user"))
    (knn,) = found["runs"]
    assert knn["means"]["num_ret"] == 6
    assert {user: values["num_ret"] for user, values in knn["users"].items()} == {"ann": 3, "bob": 2, "cid": 1}
    assert all("gm_map" not in values for values in knn["users"].values())
    header, ann, *_ = call("knn.run", "test.qrels", *asked, "--per-user").splitlines()
    assert (header.split(), ann.split()) == (["run", "user", "num_ret", "map"], ["knn", "ann", "3", ".250"])


def test_another_tools_names():
    assert call("knn.run", "test.qrels", "--convention", "trec_eval", "-m", "ndcg_cut_10", "-m", "map").startswith(
        "metric (trec_eval) "
    )


def test_runs_called_alike_are_told_apart_by_their_folders(tmp_path):
    for folder in ("a", "b"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "knn.run").write_text((tmp_path / "knn.run").read_text())
    assert call("a/knn.run", "b/knn.run", "test.qrels", "-m", "RR").split()[:5] == ["metric", "(recsens)", "a/knn", "b/knn", "p"]
    assert call("a/knn.run", "knn.run", "test.qrels", "-m", "RR").split()[:5] == ["metric", "(recsens)", "a/knn", "knn", "p"]
    (tmp_path / "knn.txt").write_text((tmp_path / "knn.run").read_text())
    assert call("knn.run", "knn.txt", "test.qrels", "-m", "RR").split()[:5] == ["metric", "(recsens)", "knn.run", "knn.txt", "p"]


def test_refusals_are_messages(approved):
    cases = (
        ("knn.run",),
        ("knn.run", "knn.run", "test.qrels"),
        ("knn.run", "nowhere", "-m", "RR"),
        ("knn.run", "test.qrels", "-m", "precisio@3"),
        ("knn.run", "pop.run", "test.qrels", "--test", "u"),
        ("knn.run", "test.qrels", "--test", "wilcoxn"),
        ("knn.run", "test.qrels", "--curve", "roc", "--test", "wilcoxn"),
        ("knn.run", "test.qrels", "--rank-by", "rank", "-m", "RMSE"),
    )
    approved({" ".join(arguments): refused(*arguments) for arguments in cases})


def test_every_metric_is_listed():
    listed = CliRunner().invoke(main, ["metrics"]).output
    for name in names("metric"):
        assert re.search(rf"^{name}(\[@n\]|@n)?: ", listed, re.MULTILINE), name
    theirs = CliRunner().invoke(main, ["metrics", "--convention", "trec_eval"]).output
    assert "map_cut@n" in theirs
    assert "iprec_at_recall[_x]" in theirs


@pytest.mark.slow
def test_the_first_call_says_that_it_compiles_in_the_words_of_a_run(tmp_path):
    pairs = [(f"u{user}", f"i{item}") for user in range(60) for item in range(30)]
    for name, column in (("run", "score"), ("test", "rating")):
        rows = [f"{user},{item},{(hash_of * 7) % 5 + 1}" for hash_of, (user, item) in enumerate(pairs)]
        (tmp_path / f"{name}.csv").write_text("\n".join([f"user,item,{column}", *rows]), encoding="utf-8")
    command = [sys.executable, "-c", "from recsens.cli import main; main()", "evaluate", "run.csv", "test.csv"]
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path / "kept")}
    done = [subprocess.run(command, cwd=tmp_path, env=environment, text=True, capture_output=True, check=True) for _ in range(2)]
    assert [COMPILING in one.stderr for one in done] == [True, False]
    assert done[0].stdout == done[1].stdout
    assert COMPILING not in done[0].stdout


def test_neither_pandas_nor_scikit_learn_is_waited_for():
    program = (
        "import sys; from recsens.runs.evaluation import evaluate; evaluate('knn.run', 'test.qrels', ['RR', 'nDCG@5']);"
        "sys.exit(', '.join({'pandas', 'sklearn', 'scipy.stats', 'snakemake'} & set(sys.modules)) or None)"
    )
    done = subprocess.run([sys.executable, "-c", program], text=True, capture_output=True, check=False)
    assert done.returncode == 0, done.stderr
