"""Programs in studies: the files of their page, from the first command to a changed environment."""

import os
import re
import signal
import subprocess
import sys
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from time import sleep

import numpy as np
import pandas as pd
import psutil
import pytest
import yaml
from click.testing import CliRunner

from in_process import compute, to_do
from recsens.artefacts import schemas, storage
from recsens.cli import main
from recsens.errors import ConfigError
from recsens.files.paths import relative_to_study
from recsens.recommenders import Recommender
from recsens.recommenders.program import PRINTED
from recsens.testing import from_rows
from recsens.workflow import programs
from recsens.workflow.plan import Plan
from recsens.workflow.programs import programs_of, refuse_other_versions, refuse_programs
from recsens.workflow.run_preview import remarks_on
from workspaces import REPOSITORY, Workspace

PAGE = (REPOSITORY / "docs" / "your-model.md").read_text(encoding="utf-8")


def write_files_of_the_page(root: Path, **systems: str) -> Path:
    """Write the study and the program, run by this Python; ``systems`` are added to those of the study."""
    for name, text in re.findall(r"^```\w+ (svd\.\w+)\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL):
        (root / name).write_text(text.replace("python svd.py {", f"{sys.executable} svd.py {{"), encoding="utf-8")
    path = root / "svd.yaml"
    study = yaml.safe_load(path.read_text(encoding="utf-8"))
    study["systems"] |= systems
    # One split and one metric are enough here.
    del study["vary"]
    study["metrics"] = study["metrics"][:1]
    path.write_text(yaml.safe_dump(study), encoding="utf-8")
    return path


def in_study(**more: str) -> str:
    given = "".join(f',{name}="{value}"' for name, value in more.items())
    return f'program(run="{sys.executable} svd.py {{train}} {{scores}} --k {{k}} --seed {{seed}}",k=20,files=["svd.py"]{given})'


def test_programs_are_found_wherever_they_are_and_refused_on_request(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    tuned = f"tuned(of={in_study()},search=grid(k=[10,50]))"
    path = write_files_of_the_page(tmp_path, Tuned=tuned)
    study = yaml.safe_load(path.read_text(encoding="utf-8"))
    study["design"] = {"nc": f"append(by={in_study()})"}
    study["experiments"] = {"Other": {"dataset": "Simulated", "systems": {"My SVD": in_study().replace("k=20", "k=21")}}}
    path.write_text(yaml.safe_dump(study), encoding="utf-8")
    plan = Plan(str(path))
    found = programs_of(plan)
    assert [program.words["k"] for program in found["My SVD"]] == [20, 21]
    assert {"My SVD", "Tuned"} < set(found)
    assert [label.partition("(")[0] for label in set(found) - {"My SVD", "Tuned"}] == ["nc: append"]
    with pytest.raises(ConfigError, match=r"My SVD: .* svd\.py \{train\} \{scores\} --k \{k\} --seed \{seed\}  \(k = 20") as caught:
        refuse_programs(plan)
    assert "(k = 20; tries grid(k=[10,50]); files: " in str(caught.value)


def test_each_program_of_one_label_has_a_folder_of_its_own(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    path = write_files_of_the_page(tmp_path)
    study = yaml.safe_load(path.read_text(encoding="utf-8"))
    other = {
        "dataset": "Simulated",
        "systems": {"My SVD": in_study().replace("k=20", "k=21"), "My svd 2": in_study().replace("k=20", "k=22")},
    }
    study["experiments"] = {"Other": other}
    path.write_text(yaml.safe_dump(study), encoding="utf-8")
    monkeypatch.setattr(programs, "_write_folder", lambda label, plan, ranking, folder: (label, str(ranking.system.get("k"))))
    assert programs.write_folders(Plan(str(path)), "exports") == [("My SVD", "20"), ("My SVD 2", "21"), ("My svd 2 2", "22")]


def test_another_environment_is_refused_with_all_that_it_chose(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    asked: list[str] = []
    told = in_study(versions="echo numpy 2")
    path = write_files_of_the_page(tmp_path, Tuned=f"tuned(of={told},search=grid(k=[10,50]))")
    plan = Plan(str(path))
    [tuned] = {each.address.up_to("recommender") for each in plan.rankings.values() if each.system.name == "tuned"}
    Path(tuned.folder).mkdir(parents=True)
    storage.write_arrays(tuned.model, {}, {PRINTED: np.frombuffer(b"numpy 1", dtype=np.uint8)}, schemas.MODEL)
    with pytest.raises(ConfigError, match=r"-numpy 1\n +\+numpy 2") as caught:
        refuse_other_versions(plan, asked.append)
    assert f"remove that file, the choice of parameters, {tuned.tuning}, and those of other folds" in str(caught.value)
    assert asked == ["Asking another program for its versions, with your rights: echo numpy 2"]


def with_policy(root: Path, policy: str) -> Path:
    path = write_files_of_the_page(root)
    study = yaml.safe_load(path.read_text(encoding="utf-8"))
    path.write_text(yaml.safe_dump(study | {"design": {"nc": policy}}), encoding="utf-8")
    return path


@pytest.mark.parametrize("around", ["{}", "calibrated(of={})"])
def test_versions_under_nc_are_refused_when_planned_with_what_to_write_instead(tmp_path, monkeypatch, around):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "requirements.lock").write_text("numpy==2\n", encoding="utf-8")
    path = with_policy(tmp_path, f"append(by={around.format(in_study(versions='echo numpy 2'))})")
    plan = Plan(str(path))
    with pytest.raises(ConfigError, match="under nc cannot use 'versions'") as caught:
        plan.refuse_conflicts()
    assert plan.conflicts() == [str(caught.value).replace(f"{path}: ", "")]
    found = re.fullmatch("write nc: (.*), where requirements.lock holds what 'echo numpy 2' prints", caught.value.remedy or "")
    assert found is not None
    # What it says can be written, and is the same program.
    instead = Plan(str(with_policy(tmp_path, found[1])))
    instead.refuse_conflicts()
    ((program,),) = (programs for label, programs in programs_of(instead).items() if label.startswith("nc: "))
    assert (program.versions, program.words["k"], Path(program.environment or "").name) == (None, 20, "requirements.lock")


def test_versions_within_other_recommenders_are_kept_and_compared(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    mine = f"calibrated(of={in_study(versions='echo numpy 2')})"
    path = write_files_of_the_page(tmp_path, Mine=mine)
    rows = from_rows([[5, 3, None], [None, 4, 2], [1, None, 4]])
    names = np.array(list("abc"), dtype=np.object_)
    with relative_to_study(path):
        fitted = Recommender.build(mine).fit(replace(rows, user_ids=names, item_ids=names), np.random.default_rng(0))
    assert fitted.learned[PRINTED].tobytes() == b"numpy 2"
    plan = Plan(str(path))
    [system] = {each.address.up_to("recommender") for each in plan.rankings.values() if each.system.name == "calibrated"}
    Path(system.folder).mkdir(parents=True)
    storage.write_arrays(plan.fitted_at(system).model, {}, dict(fitted.learned), schemas.MODEL)
    refuse_other_versions(plan, lambda line: None)
    other = dict(fitted.learned) | {PRINTED: np.frombuffer(b"numpy 1", dtype=np.uint8)}
    storage.write_arrays(plan.fitted_at(system).model, {}, other, schemas.MODEL)
    with pytest.raises(ConfigError, match=r"-numpy 1\n +\+numpy 2"):
        refuse_other_versions(plan, lambda line: None)


def test_a_script_beside_the_study_that_does_not_count_is_remarked(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    script = tmp_path / "mine.sh"
    script.write_text("#!/bin/sh\n", encoding="utf-8")
    script.chmod(0o755)

    def said(run: str, files: str = "") -> list[str]:
        path = write_files_of_the_page(tmp_path, Mine=f'program(run="{run} {{train}} {{scores}}"{files})')
        return [line for line in remarks_on(Plan(str(path))) if line.startswith("Mine")]

    for run in (script, f"nice {script}", f"nice -n 5 {script}"):
        assert said(str(run)) == [
            f"Mine: the command runs '{script}', but a change of this file recomputes no result: add files=[\"mine.sh\"]"
        ]
    assert said("mine.sh") == [
        "Mine: 'mine.sh' is not in PATH; to run the file next to the study, write ./mine.sh and files=[\"mine.sh\"]"
    ]
    assert said(str(script), ',files=["mine.sh"]') == said("./mine.sh", ',files=["mine.sh"]') == said(sys.executable) == []
    line = f"  note: Mine: the command runs '{script}', but a change of this file recomputes no result"
    write_files_of_the_page(tmp_path, Mine=f'program(run="{script} {{train}} {{scores}}")')
    for command in ("check", "plan"):
        assert line in CliRunner().invoke(main, [command, "svd.yaml"], catch_exceptions=False).stdout


PLAIN = """
import os, sys, time
if os.environ.get("HANG"):
    with open(os.environ["HANG"], "w") as file:
        file.write(str(os.getpid()))
    with open(sys.argv[1] + ".csv", "w") as file:
        file.write("user,item,score\\n")
    time.sleep(60)
users, items = (open(f"{name}.csv").read().split()[1:] for name in ("users", "items"))
with open(sys.argv[1] + ".csv", "w") as file:
    file.writelines(["user,item,score\\n", *(f"{user},{item},{n}\\n" for user in users for n, item in enumerate(items))])
"""
"""A program that prefers later items; if the environment says so, it hangs halfway and writes its number into a file."""


def write_plain_study(root: Path) -> None:
    """Write a small study with a program and its lock file."""
    (root / "plain.py").write_text(PLAIN, encoding="utf-8")
    (root / "plain.lock").write_text("numpy==1\n", encoding="utf-8")
    mine = f'program(run="{sys.executable} plain.py {{scores}}",files=["plain.py"],environment="plain.lock")'
    study = {
        "title": "A program",
        "datasets": {"Tiny": "simulated(users=20,items=80,ratings=400)"},
        "systems": {"Popularity": "popularity", "Mine": mine},
        "design": {"split": "random(ratio=0.5)"},
        "metrics": ["P@5"],
    }
    (root / "plain.yaml").write_text(yaml.safe_dump(study, sort_keys=False), encoding="utf-8")


def results_in(root: Path) -> dict[str, bytes]:
    """Read the rankings and the tables of a study; the costs of fits are times."""
    return {
        str(path.relative_to(root)): path.read_bytes()
        for name in ("positions.parquet", "summary.csv")
        for path in sorted((root / "results").rglob(name))
    }


@pytest.fixture(scope="module")
def plain(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Compute the plain study; tests leave its folder as it is."""
    root = tmp_path_factory.mktemp("plain")
    write_plain_study(root)
    assert compute(root, "plain.yaml")["fit_program"] == 1
    return root


def test_a_changed_script_or_lock_file_runs_the_program_again_and_nothing_else(plain):
    for name in ("plain.py", "plain.lock"):
        assert not to_do(plain, "plain.yaml")
        before = (plain / name).read_text(encoding="utf-8")
        (plain / name).write_text(before + "# changed\n", encoding="utf-8")
        planned = to_do(plain, "plain.yaml")
        (plain / name).write_text(before, encoding="utf-8")
        assert [planned[step] for step in ("split", "fit", "fit_program", "rank")] == [0, 0, 1, 1]


@pytest.mark.slow
def test_a_job_killed_while_its_program_runs_leaves_nothing_that_is_believed(plain, tmp_path):
    write_plain_study(tmp_path)
    hangs = tmp_path / "hangs"
    job = "from pathlib import Path; from in_process import compute; compute(Path(), 'plain.yaml')"
    search = os.pathsep.join([str(REPOSITORY / "tests"), str(REPOSITORY / "src")])
    running = subprocess.Popen(
        [sys.executable, "-c", job], cwd=tmp_path, env={**os.environ, "HANG": str(hangs), "PYTHONPATH": search}
    )
    number = number_in(hangs, running)
    running.kill()
    running.wait()
    wait_until_ended(number)
    assert compute(tmp_path, "plain.yaml")["fit_program"] == 1
    expected = results_in(plain)
    assert len(expected) == 3  # of two systems and the study
    assert results_in(tmp_path) == expected


def number_in(file: Path, running: subprocess.Popen[bytes]) -> int:
    """Wait for the file in which a program writes its number."""
    while not (file.exists() and (said := file.read_text(encoding="utf-8"))):
        assert running.poll() is None
        sleep(0.02)
    return int(said)


def wait_until_ended(number: int) -> None:
    with suppress(psutil.NoSuchProcess):
        psutil.Process(number).wait(timeout=60)


@pytest.mark.slow
@pytest.mark.workflow
def test_a_run_killed_while_a_program_fits_is_finished_by_the_next(workspace: Workspace) -> None:
    root, hangs = workspace.root, workspace.root / "hangs"
    write_plain_study(root)
    environment = workspace.environment() | {"HANG": str(hangs)}
    command = workspace.command("run", "plain.yaml", "--cores", "2")
    running = subprocess.Popen(command, cwd=root, env=environment, stderr=subprocess.DEVNULL, process_group=0)
    number = number_in(hangs, running)
    os.kill(running.pid, signal.SIGKILL)
    running.wait()
    # The program ends with the run.
    wait_until_ended(number)
    workspace.recsens("run", "plain.yaml", "--cores", "2")
    workspace.recsens("verify", "plain.yaml", "--sweep")
    killed = results_in(root)
    (root / "results").rename(root / "killed")
    workspace.recsens("run", "plain.yaml", "--cores", "2")
    assert results_in(root) == killed


@pytest.mark.slow
@pytest.mark.workflow
def test_the_program_of_the_page_from_a_first_try_to_another_environment(workspace: Workspace) -> None:
    root = workspace.root
    tuned = f"tuned(of={in_study()},search=grid(k=[2,10]))"
    path = write_files_of_the_page(root, Tuned=tuned)
    assert "which --no-programs forbids" in workspace.recsens("run", "svd.yaml", "--no-programs", check=False).stderr
    assert not (root / "results").exists()

    workspace.recsens("export", "svd.yaml", "--for", "program", "--cores", "2")
    script = root / "exports/programs/my-svd/try.sh"
    assert {each.name for each in script.parent.iterdir()} == {"items.csv", "svd.py", "train.csv", "try.sh", "users.csv"}
    assert f"{root}/exports/programs/my-svd/scores --k 20 --seed" in script.read_text(encoding="utf-8")

    said = workspace.recsens("run", "svd.yaml", "--cores", "2")
    assert f"My SVD: {sys.executable} svd.py {{train}}" in said.stderr
    assert "Another program computes the scores of My SVD and Tuned, so another run may give different scores." in said.stdout
    values = pd.read_csv(root / "results/studies/svd/summary.csv").set_index("system")["value"]
    assert values["My SVD"] > values["Popularity"] / 2
    assert "starts other programs" not in workspace.recsens("run", "svd.yaml", "--cores", "2").stderr

    # A changed program is run again, and no other system.
    (root / "svd.py").write_text((root / "svd.py").read_text(encoding="utf-8") + "# changed\n", encoding="utf-8")
    planned = workspace.planned("svd.yaml")
    assert (planned["fit_program"], planned["tune"], planned["fit"], planned["rank"]) == (1, 1, 1, 2)

    # The output of `versions` is kept, and compared in the next run.
    (root / "versions.txt").write_text("numpy 1\n", encoding="utf-8")
    told = in_study(versions=f"cat {root}/versions.txt")
    study = yaml.safe_load(path.read_text(encoding="utf-8"))
    study |= {"systems": {"Popularity": "popularity", "My SVD": told}}
    path.write_text(yaml.safe_dump(study), encoding="utf-8")
    workspace.recsens("run", "svd.yaml", "--cores", "2")
    (root / "versions.txt").write_text("numpy 2\n", encoding="utf-8")
    refused = workspace.recsens("run", "svd.yaml", "--cores", "2", check=False).stderr
    assert "the environment of the program has changed" in refused
    assert "    -numpy 1\n    +numpy 2" in refused
