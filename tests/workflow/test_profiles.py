"""Where jobs run: every profile works, and a job sent elsewhere writes the files of its own design."""

from pathlib import Path

import pytest
import yaml

from recsens.errors import RecsensError
from recsens.workflow import profiles
from workspaces import REPOSITORY, Workspace

pytestmark = pytest.mark.workflow

PROFILES = sorted(path.parent.name for path in (REPOSITORY / "workflow" / "profiles").glob("*/config.yaml"))

SUBMIT = """\
#!/bin/sh
# Stands in for a cluster's submit command: starts the job script elsewhere, prints an id and returns at once.
sh "$@" > job.log 2>&1 &
echo $!
"""


@pytest.mark.slow
@pytest.mark.parametrize("profile", PROFILES)
def test_a_study_can_be_planned_under_every_profile(workspace: Workspace, profile: str):
    planned = workspace.snakemake("tiny", "--workflow-profile", f"workflow/profiles/{profile}", "--cores", "8", "--dry-run")
    assert "This was a dry-run" in planned
    assert "rank" in planned


@pytest.mark.parametrize("profile", PROFILES)
def test_every_entry_of_a_profile_is_explained(profile: str):
    path = REPOSITORY / "workflow" / "profiles" / profile / "config.yaml"
    blocks = path.read_text(encoding="utf-8").split("\n\n")
    entries = yaml.safe_load(path.read_text(encoding="utf-8"))
    explained = [block for block in blocks if block.startswith("#") and not block.splitlines()[-1].startswith("#")]
    assert len(explained) == len(entries)


@pytest.mark.parametrize("profile", [name for name in PROFILES if name != "default"])
def test_a_clusters_profile_takes_over_what_decides_about_reruns(profile: str):
    default, cluster = (
        yaml.safe_load((REPOSITORY / "workflow" / "profiles" / name / "config.yaml").read_text(encoding="utf-8"))
        for name in ("default", profile)
    )
    where = {"executor", "max-jobs-per-timespan"}
    assert {name: entry for name, entry in default.items() if name not in where}.items() <= cluster.items()


@pytest.mark.parametrize(("profile", "extra"), [("slurm", "slurm"), ("generic", "generic"), ("kubernetes", "generic")])
def test_a_profile_whose_plug_in_is_missing_names_what_to_install(profile: str, extra: str, monkeypatch: pytest.MonkeyPatch):
    assert profiles.find_profile("default")
    monkeypatch.setattr(profiles, "find_spec", lambda _: None)
    assert profiles.find_profile("default")
    with pytest.raises(RecsensError) as caught:
        profiles.find_profile(profile)
    assert caught.value.remedy == f"pip install 'recsens[{extra}]'"


@pytest.mark.slow
def test_jobs_sent_to_a_cluster_write_the_same_bytes_as_local_ones(finished: Workspace, tmp_path: Path):
    # The data set has three parameters: if a subprocess split the name at a separator, a job would write another design's files.
    local = finished.results()
    rewritten = [path for path in finished.root.rglob("*") if "user_knn@k=10" in str(path) and path.suffix in {".npz", ".parquet"}]
    assert len(rewritten) == 4
    [positions] = [str(path.relative_to(finished.root)) for path in rewritten if path.name == "positions.parquet"]
    for path in rewritten:
        path.unlink()
    sent = finished.snakemake("tiny", *generic(tmp_path), "--", positions)
    # Fit and rank are submitted together.
    assert sent.count("with external jobid") == 1
    assert finished.differs_from(local) == {}


def generic(folder: Path) -> list[str]:
    """Return the options that submit jobs to a cluster, replaced by the shell here."""
    submit = folder / "submit"
    submit.write_text(SUBMIT, encoding="utf-8")
    submit.chmod(0o755)
    command = ["--executor", "recsens-generic", "--recsens-generic-submit-cmd", str(submit), "--jobs", "2"]
    return [*command, "--seconds-between-status-checks", "1", "--latency-wait", "10"]


@pytest.mark.slow
def test_shards_sent_to_a_cluster_are_put_together_and_none_is_made_again_for_a_sound_ranking(finished: Workspace, tmp_path: Path):
    finished.write_study("tiny", shards=2)
    local = finished.results()
    positions = next((finished.root / "results").glob("seed-0/**/popularity/**/positions.parquet"))
    positions.unlink()
    asked = ["--", str(positions.relative_to(finished.root))]
    sent = finished.snakemake("tiny", *generic(tmp_path), "--keep-going", *asked)
    assert sent.count("with external jobid") == 3
    assert finished.differs_from(local) == {}
    sent = finished.snakemake("tiny", *generic(tmp_path), "--forcerun", "rank_shard", *asked)
    assert sent.count("its results are sound, and are left alone") == 3
    assert "Submitted" not in sent
    assert finished.differs_from(local) == {}
    assert not list((finished.root / "results").rglob("shard-*"))


@pytest.mark.slow
def test_snakemakes_own_report_holds_the_tables_the_figures_and_the_page(finished: Workspace):
    finished.snakemake("tiny", "--report", "report.html", "--cores", "1")
    page = (finished.root / "report.html").read_text(encoding="utf-8")
    for shown in (
        "summary.csv",
        "Users averaged",
        "Data sets",
        "figures/view.svg",
        "The study on one page",
        "The results of the study",
    ):
        assert shown in page
