"""The study that 'recsens init' writes can be planned as it is."""

from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from recsens.cli import main
from recsens.recommenders import Recommender
from recsens.study import load_study
from recsens.study.baselines import STANDARD
from recsens.workflow.plan import Plan

ROWS = "".join(
    f"u{user},i{item},{1 + user * item % 5},{881_250_949 + 60 * item + user}\n" for user in range(30) for item in range(20)
)


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "ratings.csv").write_text(f"user,item,rating,timestamp\n{ROWS}")
    (tmp_path / "pairs.csv").write_text("user,item\n" + "".join(f"u{user},i{item}\n" for user in range(9) for item in range(5)))
    return tmp_path


def init(*arguments: str) -> Result:
    return CliRunner().invoke(main, ["init", *arguments])


@pytest.mark.parametrize(
    ("arguments", "label", "varied"),
    [
        ([], "Simulated", {"random(ratio=0.8)", "random(ratio=0.5)", "condensed"}),
        (["ratings.csv"], "Ratings", {"random(ratio=0.8)", "random(ratio=0.5)", "temporal(ratio=0.8)", "condensed"}),
        (["pairs.csv"], "Pairs", {"random(ratio=0.8)", "random(ratio=0.5)", "ar(n=100)"}),
    ],
)
def test_the_study_can_be_planned(here, arguments, label, varied):
    said = init(*arguments)
    assert said.exit_code == 0
    assert said.output.endswith("Wrote study.yaml. Next: recsens plan study.yaml, then recsens run study.yaml\n")
    plan = Plan("study.yaml")
    designs = plan.designs[label]
    written = {design.split.written for design in designs} | {design.view for design in designs if design.view == "condensed"}
    assert written | {str(design.targets) for design in designs if str(design.targets) != "ar"} == varied
    assert plan.rankings


def test_it_compares_tuned_baselines_and_says_how_long_they_take(here):
    said = init("ratings.csv").output
    assert "Tuned, the best of their defaults and 20 random draws: Item kNN, User kNN, RP3beta, EASE, PureSVD, HKV\n" in said
    assert "Time: about 2 minutes on two processors\n" in said
    text = (here / "study.yaml").read_text()
    assert "# A run takes about 2 minutes on two processors.\n" in text
    assert "\n  repeats: 3   # draw each random split three times" in text
    assert {label: str(spec) for label, spec in load_study("study.yaml").systems.items()} == {
        each.label: str(Recommender.build(each.spec()).spec) for each in STANDARD
    }


def test_what_takes_too_long_keeps_its_defaults_or_becomes_a_comment(here, monkeypatch):
    def written(items: int) -> str:
        monkeypatch.setattr("recsens.data.inspection.Inspection.size", (610, items, 100_000))
        assert init("ratings.csv", "--to", f"with-{items}.yaml").exit_code == 0
        assert Plan(f"with-{items}.yaml").rankings
        return (here / f"with-{items}.yaml").read_text()

    large = written(9_724)
    assert "\n  EASE: ease   # with its defaults; to be fair, tuned(of=ease)\n" in large
    # Further draws of the split would cost draws of searches.
    assert "\n  # repeats: 3   # draw" in large
    assert "\n  # EASE: tuned(of=ease)   # left out, because it needs 7 GiB\n" in written(30_000)


def test_declared_data_that_are_not_here_get_all_baselines_and_no_time(here):
    said = init("netflix()")
    assert said.exit_code == 0
    assert "Time:" not in said.output
    assert list(load_study("study.yaml").systems) == [each.label for each in STANDARD]


def test_a_study_that_is_there_is_not_overwritten(here):
    (here / "study.yaml").write_text("mine")
    said = init("ratings.csv")
    assert said.exit_code == 1
    assert "study.yaml: this file already exists" in said.output
    assert (here / "study.yaml").read_text() == "mine"
    assert init("ratings.csv", "--to", "other.yaml").exit_code == 0


@pytest.mark.parametrize("name", ["2021.csv", "yes.csv", "null.csv", "日本.csv", "оценки.csv", 'a"b.csv', "all.csv"])
def test_a_file_of_any_name_makes_a_study_that_can_be_planned(here, name):
    (here / name).write_bytes((here / "ratings.csv").read_bytes())
    assert init(name).exit_code == 0
    assert Plan("study.yaml").rankings


def test_counts_are_relevant_from_one_on(here):
    plays = [(f"u{user}", f"i{item}", 1 + (user * item) % 97 // 90 * 300) for user in range(30) for item in range(20)]
    (here / "plays.txt").write_text("".join(f"{user}\t{item}\t{n}\n" for user, item, n in plays))
    assert init("plays.txt").exit_code == 0
    assert {design.relevance for design in Plan("study.yaml").all_designs} == {1}


def test_a_file_with_two_meanings_is_declared(here):
    rows = "".join(f"u{user},i{item},{(user + item) % 3 // 2}\n" for user in range(30) for item in range(20))
    (here / "good.csv").write_text(f"user,item,good\n{rows}")
    said = init("good.csv")
    assert said.exit_code == 1
    assert "rating=good if it says which rows are positive; or rating=null if every row is positive" in said.output
    assert (
        init('delimited(path=good.csv,separator=",",header=true,user=user,item=item,rating=good,lowest=0,highest=1)').exit_code == 0
    )
    assert Plan("study.yaml").rankings
