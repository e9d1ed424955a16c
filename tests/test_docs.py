"""The documentation is correct: its programs run, its studies load, and its links work."""

import importlib
import re
import sys
from pathlib import Path

import pytest
import yaml

from recsens import plugins
from recsens.conclusions.design_space import Option, Sweep
from recsens.errors import ConfigError, DesignError
from recsens.report.sentences.options import condition
from recsens.study import load_study
from recsens.study.taxonomy import decision
from recsens.tables.numbers import SPACE
from recsens.vocabulary import LIST_DEPTH
from recsens.workflow.plan import Plan
from workspaces import REPOSITORY

DOCS = REPOSITORY / "docs"
PAGES = [REPOSITORY / name for name in ("README.md", "CHANGELOG.md", "CONTRIBUTING.md", "config/README.md", "data/README.md")]
PAGES += [REPOSITORY / name for name in ("benchmarks/README.md", "CODE_OF_CONDUCT.md", "SECURITY.md")]
PAGES += sorted(DOCS.rglob("*.md"))


def files_of(*pages: str) -> dict[str, str]:
    """Find the blocks whose first line names a file; return them by that name."""
    text = "\n".join((DOCS / page).read_text(encoding="utf-8") for page in pages)
    return dict(re.findall(r"^```\w+ (\S+)\n(.*?)^```$", text, re.MULTILINE | re.DOTALL))


@pytest.fixture
def lab(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Write the files that the pages about plug-ins show into a folder, and change into it."""
    for name, text in files_of("your-model.md", "add-a-metric.md", "add-a-split.md").items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    # Another test may have imported a different module of this name.
    _forget()
    plugins.add_paths([tmp_path / "lab"])
    yield tmp_path
    _forget()


def _forget() -> None:
    for name in [name for name in sys.modules if name.partition(".")[0] in {"mylab", "test_models", "test_metrics", "test_splits"}]:
        del sys.modules[name]


def run_tests_of(module: str) -> int:
    """Call every test of a module, each with every parameter; return how many there are."""
    count = 0
    for name, function in vars(importlib.import_module(module)).items():
        if name.startswith("test_"):
            marks = getattr(function, "pytestmark", [])
            for arguments in [[value] for value in marks[0].args[1]] if marks else [[]]:
                function(*arguments)
                count += 1
    return count


@pytest.mark.parametrize(("module", "least"), [("test_models", 10), ("test_metrics", 1), ("test_splits", 2)])
def test_the_tests_that_a_page_shows_pass(lab: Path, module: str, least: int):
    assert run_tests_of(module) >= least


def test_the_study_with_ones_own_recommender_can_be_planned(lab: Path):
    plan = Plan("config/studies/mine.yaml")
    systems = {ranking.system.name for ranking in plan.rankings.values()}
    assert systems == {"mylab.models.Cooccurrence", "user_knn"}
    assert len(plan.rankings) == 6


def test_a_metric_of_ones_own_is_found_by_its_module(lab: Path):
    study = yaml.safe_load((lab / "config/studies/mine.yaml").read_text(encoding="utf-8"))
    (lab / "other.yaml").write_text(yaml.safe_dump({**study, "metrics": ["mylab.metrics.Success@5,10"]}), encoding="utf-8")
    assert [measured.cutoff for measured in load_study(lab / "other.yaml").metrics] == [5, 10]


def test_a_split_of_ones_own_speaks_as_those_of_the_library(lab: Path):
    splits = [Option(f"mylab.splits.Newcomers(share={share})", share, is_base=share == 0.8) for share in (0.5, 0.8)]
    swept = Sweep(decision("split"), tuple(splits), "share")
    assert condition(swept, swept.options[1:]) == f"with 80{SPACE}% of the users in train"


def test_every_plugin_shown_describes_its_parameters(lab: Path):
    for kind, name in (
        ("recommender", "mylab.models.Cooccurrence"),
        ("metric", "mylab.metrics.Success"),
        ("split", "mylab.splits.Newcomers"),
    ):
        assert all(field.description for field in plugins.load(kind, name).model_fields.values())


def test_the_first_study_loads_and_the_message_shown_is_the_one_given(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.chdir(tmp_path)
    ((name, text),) = files_of("getting-started.md").items()
    path = Path(name)
    path.parent.mkdir(parents=True)
    path.write_text(text, encoding="utf-8")
    assert len(load_study(path).own.designs()) == 4
    path.write_text(text.replace("user_knn(k=50)", "user_knn(neighbours=50)"), encoding="utf-8")
    with pytest.raises(ConfigError) as refused:
        load_study(path)
    assert f"Error: {refused.value}\n" in (DOCS / "getting-started.md").read_text(encoding="utf-8")


def test_the_study_with_tuned_systems_can_be_planned(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.chdir(tmp_path)
    ((name, text),) = files_of("tuning.md").items()
    path = Path(name)
    path.parent.mkdir(parents=True)
    path.write_text(text, encoding="utf-8")
    assert list(Plan(str(path)).tunings.values()) == [("Simulated", "kNN"), ("Simulated", "MF"), ("Simulated", "PureSVD")]
    without = f"{text}design: {{split: random(ratio=0.5)}}\n".replace("kNN: tuned(", "kNN: tuned(split=validation,")
    path.write_text(without, encoding="utf-8")
    with pytest.raises(DesignError, match=r"'systems: kNN' and 'split: random\(ratio=0.5\)' do not go together"):
        _ = Plan(str(path)).tunings


def anchors(page: Path) -> set[str]:
    headings = re.findall(r"^#+ (.+)$", page.read_text(encoding="utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def test_every_link_leads_somewhere():
    assert {page.relative_to(REPOSITORY).as_posix(): lost for page in PAGES if (lost := lost_links(page))} == {}


def links_of(page: Path) -> list[str]:
    """List the targets of the links of a page."""
    text = re.sub(r"^```.*?^```$", "", page.read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL)
    return re.findall(r"\]\(([^)\s]+)\)", text)


def lost_links(page: Path) -> list[str]:
    """List the links of a page that lead nowhere."""
    lost = []
    for target in links_of(page):
        path, _, anchor = target.partition("#")
        found = (page.parent / path).resolve() if path else page
        if not found.exists() or (anchor and anchor not in anchors(found)):
            lost.append(target)
    return lost


def test_every_file_that_the_newcomers_table_names_exists():
    text = (DOCS / "development.md").read_text(encoding="utf-8").partition("## I want to change X")[2].partition("\n## ")[0]
    rows = [line.strip("| ").split(" | ") for line in text.splitlines() if line.startswith("| ")][2:]
    assert len(rows) >= 30
    for wish, homes in rows:
        paths = [name for name in re.findall(r"`([^`]+)`", homes) if "." in name or "/" in name or name.isidentifier()]
        assert paths, wish
        for path in paths:
            inside = path.startswith(("/", "docs/", "config/"))
            assert (REPOSITORY / path.lstrip("/") if inside else REPOSITORY / "src/recsens" / path).exists(), f"{wish}: {path}"


def test_the_pages_on_truth_and_on_margins_decide_a_pair_alike():
    truth, margin = (" ".join((DOCS / page).read_text(encoding="utf-8").split()) for page in ("truth.md", "multiverse.md"))
    assert "with a `margin`, the whole interval lies beyond it" in truth
    assert "the scorecard decides pairs by the same rule, including the margin" in margin


def test_the_depth_of_lists_is_the_one_told():
    for page in ("concepts.md", "decisions/007-list-depth.md"):
        assert f"lists-{LIST_DEPTH}.parquet" in (DOCS / page).read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("page", "says", "not_"),
    [
        ("papers/he2017.md", "as Rendle et al. (2022) and Ferrari Dacrema", "as Rendle et al. (2020)"),
        ("papers/he2017.md", 'Koren (2022), "Revisiting the Performance of iALS', "found the same of a tuned inner product"),
        ("papers/he2017.md", "we know values of .730 (HR@10) and .447 (nDCG@10) from a secondary source", "is printed at .730"),
        ("papers/he2017.md", "none of our sources contains these two numbers", "below the printed values"),
        (
            "papers/valcarce2018.md",
            "recall at 100 is .206 here and .089 in the released run",
            "calibration`). DP",
        ),
        ("papers/valcarce2018.md", "(`valcarce2018-calibration`), and by no other criterion", "(`valcarce2018-calibration`). DP"),
        ("concepts.md", "only with the library versions in `requirements.lock`", "on one machine with the versions"),
        ("../README.md", "the kind of processor stay the same", "the same bytes. An edit"),
        ("size.md", "| `canamares2020` | 539 | 4 min 48 s | 8.3 min |", "26.0 min"),
    ],
)
def test_a_page_says_what_was_found(page: str, says: str, not_: str):
    text = " ".join((DOCS / page).read_text(encoding="utf-8").split())
    assert says in text
    assert not_ not in text
