"""What ``recsens verify`` says if there is nothing to read."""

from pathlib import Path
from types import SimpleNamespace

import pytest

from recsens.artefacts.statements import Making, making
from recsens.artefacts.storage import write_text
from recsens.errors import RecsensError
from recsens.workflow.job import Job
from recsens.workflow.run import show_latest
from recsens.workflow.verify import remove_debris, verify_all, verify_results, verify_study


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_where_no_study_was_run_the_message_says_how_to_run_one(folder):
    with pytest.raises(RecsensError, match="no results here") as caught:
        verify_all()
    assert "recsens run STUDY" in str(caught.value)


@pytest.mark.parametrize("verify", [verify_all, lambda: verify_study(SimpleNamespace())], ids=["all", "study"])
def test_results_that_are_a_dangling_link_or_a_file_are_named(folder, verify):
    (folder / "results").symlink_to(folder / "unmounted")
    with pytest.raises(RecsensError, match=r"is a link to '.*unmounted', where there is no folder"):
        verify()
    (folder / "results").unlink()
    (folder / "results").touch()
    with pytest.raises(RecsensError, match="results: is a file"):
        verify()


def test_a_result_made_from_a_damaged_one_is_itself_blamed_and_the_input_named(folder):
    for name, inputs in (("summary", {}), ("verdicts", {"studies/s/summary.csv": "?"})):
        with making(Making("step", inputs)):
            write_text(f"results/studies/s/{name}.csv", name)
    (folder / "results/studies/s/summary.csv").write_text("changed")
    assert [fault[:2] for fault in verify_all().faults] == [
        ("damaged", "results/studies/s/summary.csv"),
        ("waiting", "results/studies/s/verdicts.csv"),
    ]
    assert verify_all().faults[1][2].startswith("made from results/studies/s/summary.csv, which is damaged: its content")


def test_the_copy_of_the_last_report_is_verified_too(folder):
    report, latest = folder / "results/studies/s/report.html", folder / "results/report.html"

    def write_report(text):
        with making(Making("report")):
            write_text(report, text)

    write_report('<a href="summary.csv">')
    show_latest(Path("results/studies/s/report.html"), Path("results/report.html"))
    assert verify_all().is_sound
    latest.write_text("changed")
    assert verify_all().faults[0][:2] == ("damaged", "results/report.html")
    show_latest(Path("results/studies/s/report.html"), Path("results/report.html"))
    write_report("anew")
    state, path, why = verify_all().faults[0]
    assert (state, path) == ("stale", "results/report.html")
    assert "was made from a different version of report.html" in why


def test_a_study_that_was_never_run_is_said_to_be_so_in_one_sentence(folder):
    job = Job("decide_winners", {}, {}, {"table": ["results/studies/s/a.csv", "results/studies/s/b.csv"]}, {})
    told = list(verify_results([job], "s").told())
    assert told == ["2 results: 2 missing", "  this study has not been run here: it has no results in results/studies/s"]


def test_sweeping_leaves_neither_half_files_nor_the_locks_of_a_killed_run(folder):
    half, lock, held = folder / "results/x/.a.csv.7.part", folder / ".snakemake/locks/0.input.lock", folder / "results/.lock"
    for left in (half, lock, held):
        left.parent.mkdir(parents=True, exist_ok=True)
        left.write_text("left by a killed run")
    assert remove_debris() == [half.relative_to(folder)]
    assert not half.exists()
    assert not lock.exists()
    assert held.read_text() == ""
