"""Programs in studies: the files of their page, from the first command to a changed environment."""

import re
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import yaml

from recsens.artefacts import schemas, storage
from recsens.errors import ConfigError
from recsens.recommenders.program import PRINTED
from recsens.workflow import program_folders
from recsens.workflow.plan import Plan
from recsens.workflow.programs import programs_of, refuse_other_versions, refuse_programs
from workspaces import REPOSITORY, Workspace

PAGE = (REPOSITORY / "docs" / "programs.md").read_text(encoding="utf-8")


def write_files_of_the_page(root: Path, **systems: str) -> Path:
    """Write the study and the program, run by this Python; ``systems`` are added to those of the study."""
    for name, text in re.findall(r"^```\w+ (\S+)\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL):
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
    monkeypatch.setattr(program_folders, "_written", lambda label, plan, ranking, folder: (label, str(ranking.system.get("k"))))
    assert program_folders.write_folders(Plan(str(path)), "exports") == [("My SVD", "20"), ("My SVD 2", "21"), ("My svd 2 2", "22")]


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
    assert asked == ["Asking for the versions of another program, with your rights: echo numpy 2"]


def test_versions_that_nothing_would_compare_are_refused(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    path = write_files_of_the_page(tmp_path)
    study = yaml.safe_load(path.read_text(encoding="utf-8"))
    study["design"] = {"nc": f"append(by={in_study(versions='echo numpy 2')})"}
    path.write_text(yaml.safe_dump(study), encoding="utf-8")
    with pytest.raises(ConfigError, match="'versions' has no use for a program under nc"):
        refuse_other_versions(Plan(str(path)), lambda line: None)


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
    assert "Computed by another program, so that another run may give different scores: My SVD and Tuned." in said.stdout
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
