"""``recsens audit``: its output, its requirements, and its refusals."""

import json
import logging
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner, Result

from recsens.cli import main

QUICK = (
    "-m",
    "nDCG@5",
    "-m",
    "P@5",
    "-m",
    "AP",
    "--base",
    "users=with_ratings",
    "--base",
    "relevance=4",
    "--base",
    "test=t",
    "--base",
    "convention=recsens",
)


def call(*arguments: object) -> Result:
    return CliRunner().invoke(main, ["audit", *map(str, arguments)])


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Sets of 60 users and 40 items, the lists of eight items of a good system and of a bad one, and notes."""
    rng, root = np.random.default_rng(7), tmp_path_factory.mktemp("results")
    users, items = np.repeat(np.arange(60), 40), np.tile(np.arange(40), 60)
    taste = rng.normal(size=2400)
    role = rng.random(2400)
    rating = np.clip(np.round(3.5 + 1.5 * taste), 1, 5).astype(int)
    pairs = pd.DataFrame({"user": [f"u{user}" for user in users], "item": [f"i{item}" for item in items], "rating": rating})
    pairs[role < 0.5].to_csv(root / "train.csv", index=False)
    pairs[role >= 0.5].to_csv(root / "test.csv", index=False)
    for name, noise in (("good", 0.8), ("bad", 3.0)):
        lists = pairs.assign(score=taste + noise * rng.normal(size=2400))[role >= 0.5].sort_values("score", ascending=False)
        lists.groupby("user").head(8)[["user", "item", "score"]].to_csv(root / f"{name}.csv", index=False)
    (root / "notes.md").write_text("", encoding="utf-8")
    return root


@pytest.fixture(scope="module")
def answered(folder: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Result]:
    """Audit the folder, without a page."""
    to = tmp_path_factory.mktemp("audits") / "audit"
    return to, call(folder, "--to", to, "--no-page", "--require", "good beats bad in 50 %", *QUICK)


def test_a_long_audit_says_how_far_it_is_and_a_short_one_does_not(folder, tmp_path, caplog, monkeypatch):
    from recsens.recommenders import _progress

    said = {}
    for patience in (_progress._PATIENCE * 100, 0):
        monkeypatch.setattr(_progress, "_PATIENCE", patience)
        caplog.clear()
        with caplog.at_level(logging.INFO, logger=_progress.__name__):
            assert call(folder, "--to", tmp_path / "audit", "--no-page", *QUICK).exit_code == 0
        said[patience] = [message for name, _, message in caplog.record_tuples if name == _progress.__name__]
    short, long = said.values()
    assert short == []
    for stage in ("rankings", "rankings measured", "designs of", "pairs tested"):
        assert any(message.startswith(stage) for message in long), stage


def test_the_answer_says_first_what_holds(answered: tuple[Path, Result]):
    _, done = answered
    assert done.exit_code == 0, done.output
    required, _, held = done.stdout.splitlines()[:3]
    assert required.startswith("required: good beats bad in 50 %: yes")
    assert held == "In both analyses, good beats bad."


def test_the_answer_says_what_was_recognised_and_that_lists_are_cut(answered: tuple[Path, Result]):
    said = answered[1].stdout
    assert "not read: notes.md, because '.md' is not an ending of rows or scores" in said
    assert "lists of 8 items, cut: nothing is known after the first 8 ranked items" in said


def test_the_answer_ends_with_what_no_audit_can_vary(answered: tuple[Path, Result]):
    assert answered[1].stdout.splitlines()[-3].startswith("Not varied: filter, split, tuning and training")


def test_deeper_metrics_of_cut_lists_are_bounded(answered: tuple[Path, Result]):
    folder, _ = answered
    bounds = pd.read_csv(folder / "bounds.csv")
    assert set(bounds["metric"]) == {"AP", "nDCG@5"}
    assert (bounds["low"] <= bounds["high"]).all()
    assert "AP" not in set(pd.read_csv(folder / "summary.csv")["metric"])
    assert set(pd.read_csv(folder / "bounded-verdicts.csv")["system_a"]) <= {"good", "bad"}


def test_a_study_for_what_cannot_be_varied_is_written(answered: tuple[Path, Result]):
    folder, _ = answered
    checked = CliRunner().invoke(main, ["check", str(folder / "beyond.yaml")])
    assert checked.exit_code == 0, checked.output
    assert "program" in (folder / "beyond.yaml").read_text(encoding="utf-8")


def test_an_audit_takes_the_place_of_an_earlier_one_and_fails_if_a_requirement_is_not_met(
    folder: Path, answered: tuple[Path, Result]
):
    to, _ = answered
    done = call(folder, "--to", to, "--no-page", "--json", "--require", "bad beats good in 1 %", *QUICK)
    assert done.exit_code == 1
    content = json.loads(done.stdout)
    [required] = content["required"]
    assert (required["text"], required["least"], required["share"], required["holds"]) == ("bad beats good in 1 %", 0.01, 0, False)
    assert (required["computed"], required["bounded"]) == (2, 2)
    assert content["pairs"][0]["wins"] == {"bad": 0, "good": 2}
    assert content["lists_end_at"] == 8


@pytest.mark.slow
def test_the_page_begins_with_what_holds_and_ends_with_what_cannot_be_varied(folder: Path, tmp_path: Path):
    files = ("--train", folder / "train.csv", "--test", folder / "test.csv", "--run", f"A={folder / 'good.csv'}")
    done = call(*files, "--run", f"B={folder / 'bad.csv'}", "--to", tmp_path / "audit", *QUICK)
    assert done.exit_code == 0, done.output
    page = (tmp_path / "audit/report.html").read_text(encoding="utf-8")
    headings = [line.partition(">")[2].partition("<")[0] for line in page.splitlines() if line.startswith("<h2")]
    assert headings[0] == "What these files say"
    assert headings[-1] == "What no audit of files can vary"
    assert "What lies below the lists" in headings
    assert '<p class="headline">In both analyses, A beats B.</p>' in page
    assert "costs" not in page.partition("<main>")[2]


def test_what_unrated_items_could_do_is_printed_drawn_and_in_the_json(folder: Path, tmp_path: Path):
    asked = (folder, "--to", tmp_path / "audit", "--tipping", "0.05,0.2", *QUICK)
    says = json.loads(call(*asked, "--no-page", "--json").output)["unrated"]
    done = call(*asked)
    assert done.exit_code == 0, done.output
    assert all(sentence in done.output for sentence in says["says"])
    assert "unrated items that" in says["says"][1]
    assert [row["metric"] for row in says["unrated"]] == ["nDCG@5", "P@5"]
    assert sum(row["is_listed"] for row in says["unrated_rates"]) == 4
    assert (tmp_path / "audit/figures/unrated.svg").is_file()
    assert "Unrated items" in (tmp_path / "audit/report.html").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ((), "missing: --train, --test, --run"),
        (("--train", "t.csv", "--run", "a.csv"), "missing: --test"),
        ((".", "--train", "t.csv"), "a folder and --train are given"),
        (("FOLDER", "--vary", "split=random"), "'split' was decided before the files were written"),
        (("FOLDER", "--vary", "views=full"), "did you mean 'view'"),
        (("FOLDER", "--base", "relevance=high"), "a number: the lowest relevant rating"),
        (("FOLDER", "--vary", "users"), "is not a decision with an option"),
        (("FOLDER", "--require", "A wins"), "--require 'A wins' does not say which run must win"),
        (("FOLDER", "--base", "convention="), "is not a decision with an option"),
        (("FOLDER", "--tipping", "often"), "--tipping: 'often' is not a list of rates"),
        (("FOLDER", "--tipping", "5"), "tipping"),
        (("FOLDER", "--vary", "unrated=likely"), "'likely' is no reading of unrated items"),
        (("FOLDER", "--base", "unrated=left_out"), "view"),
    ],
)
def test_what_cannot_be_audited_is_refused_in_a_sentence(arguments: tuple[str, ...], said: str, folder: Path, tmp_path: Path):
    to = () if "--printed" in arguments else ("--to", tmp_path / "audit")
    done = call(*(folder if word == "FOLDER" else word for word in arguments), *to)
    assert done.exit_code == 1
    assert said in done.output
    assert "Traceback" not in done.output


def test_a_folder_that_is_no_audit_is_not_replaced(folder: Path, tmp_path: Path):
    (tmp_path / "mine").mkdir()
    done = call(folder, "--to", tmp_path / "mine")
    assert "exists, but is not an earlier audit" in done.output
    assert (tmp_path / "mine").is_dir()


def test_decisions_that_read_below_cut_lists_are_refused(folder: Path, tmp_path: Path):
    done = call(folder, "--to", tmp_path / "audit", "--vary", "view=condensed", *QUICK)
    assert "view=condensed depends on items after the first 8, where the lists end" in done.output
    assert not (tmp_path / "audit").exists()
    assert list(tmp_path.iterdir()) == []


def test_a_pair_that_repeats_is_refused(folder: Path, tmp_path: Path):
    lists = pd.read_csv(folder / "good.csv")
    pd.concat([lists, lists.head(1)]).to_csv(tmp_path / "again.csv", index=False)
    files = ("--train", folder / "train.csv", "--test", folder / "test.csv", "--run", folder / "bad.csv")
    done = call(*files, "--run", tmp_path / "again.csv", "--to", tmp_path / "audit")
    assert f"again.csv:{len(lists) + 2}: " in done.output
    assert "occurs again; first at" in done.output


def test_a_page_that_nothing_can_draw_is_refused_at_once(folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("recsens.runs.audits._audit.find_spec", lambda _: None)
    done = call(folder, "--to", tmp_path / "audit")
    assert "pip install 'recsens[study]'; or write only the tables: --no-page" in done.output


def test_one_run_is_not_compared(folder: Path, tmp_path: Path):
    files = ("--train", folder / "train.csv", "--test", folder / "test.csv", "--run", folder / "bad.csv")
    assert "only one run is given: bad" in call(*files, "--to", tmp_path / "audit").output


def test_files_within_the_place_of_the_audit_are_not_deleted(folder: Path, answered: tuple[Path, Result]):
    to, _ = answered
    files = ("--train", folder / "train.csv", "--test", folder / "test.csv", "--run", folder / "bad.csv")
    done = call(*files, "--run", f"mine={to / 'summary.csv'}", "--to", to)
    assert "would be replaced, but contains the input" in done.output
    assert (to / "summary.csv").exists()


def test_analyses_in_which_nothing_can_differ_are_named_and_in_no_count(tmp_path: Path):
    """Of whole rankings with at most five judged items a user, P@5 of condensed lists is the same for every run."""
    rng = np.random.default_rng(3)
    pairs = pd.MultiIndex.from_product([range(30), range(25)], names=["user", "item"]).to_frame(index=False)
    order = rng.random((30, 25)).argsort(axis=1).ravel()
    rated = pairs.assign(rating=rng.integers(1, 6, len(pairs)))
    rated[order < 5].to_csv(tmp_path / "test.csv", index=False)
    known = (order >= 5) & (order < 10 + rated["user"] % 4)
    rated[known].to_csv(tmp_path / "train.csv", index=False)
    relevant = (order < 5) & (rated["rating"] >= 4)
    left = pairs[~known]
    for name, score in (("oracle", relevant + 0.1 * rng.random(len(pairs))), ("noise", rng.random(len(pairs)))):
        left.assign(score=score[left.index]).to_csv(tmp_path / f"{name}.csv", index=False)
    options = ("--to", tmp_path / "audit", "--no-page", "--require", "oracle beats noise", "--vary", "view=condensed")
    result = call(tmp_path, *options, *QUICK, "--json")
    assert result.exit_code == 0, result.output
    found = json.loads(result.stdout)
    [pair] = found["pairs"]
    assert pair["wins"] == {"noise": 0, "oracle": pair["distinct"]}
    [said] = found["not_counted"]
    assert "P@5" in said
    assert "nDCG" not in said
    verdicts = pd.read_csv(tmp_path / "audit" / "verdicts.csv")
    assert set(verdicts[verdicts["verdict"] == "uninformative"]["metric"]) == {"P@5"}
