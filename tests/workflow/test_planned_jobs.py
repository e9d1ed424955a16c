"""The jobs of a study, as its rules make them."""

from dataclasses import asdict
from hashlib import sha256
from pathlib import Path, PurePath

import pytest

from recsens.artefacts.filesets import list_paths
from recsens.artefacts.statements import Making
from recsens.workflow.ask import systems
from recsens.workflow.job_inputs import making_of_job, results_read
from recsens.workflow.plan import Plan
from recsens.workflow.planned_jobs import planned_jobs
from workspaces import Workspace

ERRORS = {
    "systems": {"A": "average_rating", "B": "average_rating(damping=5.0)"},
    "vary": {"targets": ["ar(items=test)"]},
    "metrics": ["P@5", "RMSE"],
    "reference": {"under": {"targets": "ar(items=test)"}, "metric": "P@5"},
}
"""A study that measures predicted ratings, and scores designs by one of them."""

MANY = {
    "datasets": {
        "Tiny": "simulated(users=60,items=80,ratings=1200)",
        "Mine": 'delimited(path="mine/ratings.tsv",users="mine/users.tsv")',
    },
    "systems": {
        "Random": "random",
        "kNN": "user_knn(k=5)",
        "Average": "average_rating",
        "FM": "fm(factors=2)",
        "Tuned": "tuned(of=user_knn,search=grid(k=[5,10]),metric=P@5)",
        "Own": 'from_file(path="mine/{dataset}-scores.tsv")',
    },
    "design": {"split": "validated(of=random(ratio=0.6))", "filter": "sample(ratings=0.9)", "fits": 2},
    "vary": {"targets": ["ar(items=test)"], "relevance": [3], "effort": [0, 1]},
    "tipping": [0.05],
    "groups": ["column(age)", "popularity"],
    "metrics": ["P@5", "Gini@5", "nDCG@3,5"],
    "meta": [{"analysis": "sparsity(samples=2)", "metrics": ["P@5", "AP"]}, {"analysis": "correlation", "experiment": "Further"}],
    "over_datasets": {"families": {"Drawn": ["Mine"]}},
    "claims": [{"claim": "wins(a=P,b=K)", "source": "Section 1", "experiment": "Further"}],
    "experiments": {
        "Further": {
            "dataset": "Mine",
            "design": {
                "filter": "none",
                "targets": 'listed(path="mine/items.tsv")',
                "nc": 'append(by=from_file(path="mine/fallback.tsv"))',
            },
            "systems": {"P": "popularity", "K": "user_knn(k=7)", "Other": 'program(run="mine {train} {scores}")'},
            "metrics": ["P@5", "RR@5"],
        }
    },
}
"""Raw and side files, scores and target items, tuning, systems without a model, metrics of lists, analyses, an experiment."""


@pytest.fixture
def many(workspace: Workspace, monkeypatch: pytest.MonkeyPatch) -> Workspace:
    """Write two studies that together have jobs of every kind, and the files that they read."""
    mine = workspace.root / "mine"
    mine.mkdir()
    (mine / "ratings.tsv").write_text(
        "".join(f"{user}\t{item}\t{1 + (user + item) % 5}\n" for user in range(9) for item in range(9))
    )
    (mine / "users.tsv").write_text("user\tage\n" + "".join(f"{user}\t{20 + user}\n" for user in range(9)))
    for name in ("tiny-scores", "mine-scores", "fallback", "items"):
        (mine / f"{name}.tsv").write_text("1\t1\t0.5\n")
    workspace.write_study("many", **MANY)
    workspace.write_study("errors", **ERRORS, shards=2)
    monkeypatch.chdir(workspace.root)
    return workspace


def test_there_is_a_job_of_every_step(many: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    # Searches on data as small as these have no shards.
    monkeypatch.setattr(systems, "_SHARE", 1)
    steps = {path.stem for path in (many.root / "src/recsens/workflow/steps").glob("[a-z]*.py")}
    assert {job.step for study in ("many", "errors") for job in planned_jobs(Plan(study))} == steps


def test_jobs_are_listed_once_and_after_those_that_make_what_they_read(many: Workspace) -> None:
    jobs = planned_jobs(Plan("many"))
    written: list[str] = []
    makers = {file for job in jobs for file in job.files_written}
    for job in jobs:
        assert makers & set(job.files_read) <= set(written)
        written += job.files_written
    assert len(written) == len(set(written))


def test_a_thinner_test_set_needs_no_fit_of_its_own(many: Workspace) -> None:
    thinned = [f"thinned(of=validated(of=random(ratio=0.6)),share={share})" for share in (0.5, 0.2)]
    systems = {name: spec for name, spec in MANY["systems"].items() if name != "Own"}
    many.write_study(
        "thin", **{**MANY, "systems": systems, "vary": {"split": thinned}, "experiments": {}, "claims": [], "meta": []}
    )
    jobs = planned_jobs(Plan("thin"))
    fits = [PurePath(str(job.outputs["model"])).parts for job in jobs if job.step == "fit"]
    # Folders of the data set, filter, split, fold and recommender.
    splits = {system: {parts[-4] for parts in fits if parts[-2].startswith(system)} for system in ("user_knn", "tuned")}
    assert [len(splits[system]) for system in ("user_knn", "tuned")] == [1, 3]
    ranked = [job for job in jobs if job.step == "rank" and "thinned" in job.outputs["ranking"][0]]
    models = {path for job in ranked for path in list_paths([job.inputs["model"]]) if "/user_knn" in path}
    assert models
    assert not any("thinned" in path for path in models)


def test_the_data_are_split_and_checked_without_any_other_job(many: Workspace) -> None:
    assert {job.step for job in planned_jobs(Plan("many"), "data")} == {"ingest", "filter", "side_tables", "split", "check_targets"}


def test_jobs_know_the_content_of_the_users_own_files(many: Workspace) -> None:
    reading = [job for job in planned_jobs(Plan("many")) if job.inputs.get("own_files")]
    assert {job.step for job in reading} == {"check_targets", "fit", "rank"}
    for job in reading:
        assert job.params["own_digests"] == [sha256(Path(file).read_bytes()).hexdigest() for file in job.inputs["own_files"]]
    ranked = {tuple(job.inputs["own_files"]) for job in reading if job.step == "rank"}
    assert ranked == {("mine/items.tsv", "mine/fallback.tsv")}


SWAPPED = {
    "datasets": lambda study: {"Tiny": study["datasets"]["Other"], "Other": study["datasets"]["Tiny"]},
    "systems": lambda study: {**study["systems"], "A": study["systems"]["C"], "C": study["systems"]["A"]},
}
"""Studies with exchanged labels of data sets or systems: their tables read the same files in another order."""


@pytest.mark.parametrize(
    ("key", "tables"),
    [
        ("datasets", {"datasets.csv", "overlap.csv", "predictions.csv", "tuning.csv"}),
        ("systems", {"overlap.csv", "predictions.csv", "tuning.csv", "tiny.repeat-0.parquet"}),
    ],
)
def test_a_label_that_stands_for_another_file_makes_tables_stale(workspace: Workspace, monkeypatch, key, tables) -> None:
    monkeypatch.chdir(workspace.root)
    tuned = "tuned(of=average_rating,search=grid(damping=[{}]),metric=P@5)"
    study = {
        "datasets": {"Tiny": "simulated(users=60,items=80,ratings=1200)", "Other": "simulated(users=60,items=90,ratings=1200)"},
        "systems": {"A": tuned.format("1,2"), "B": "average_rating", "C": tuned.format("3,4")},
        "design": {"split": "validated(of=random(ratio=0.6))"},
        "vary": {},
        "metrics": ["P@5", "RMSE"],
        "meta": [{"analysis": "discrimination", "metrics": ["P@5"]}],
    }
    before = made_of_tables(workspace, study)
    after = made_of_tables(workspace, {**study, key: SWAPPED[key](study)})
    assert tables <= {table for table in before if before[table] != after[table]}


def made_of_tables(workspace: Workspace, study: dict[str, object]) -> dict[str, Making]:
    """Return what each table of a study would state that it was made from, as if all results had the same content."""
    workspace.write_study("labels", **study)
    jobs = planned_jobs(Plan("labels"))
    return {
        Path(path).name: making_of_job(job.step, dict.fromkeys(results_read(job.inputs), ""), job.params)
        for job in jobs
        for path in job.files_written
        if path.endswith(".csv") or job.step == "analyse_metrics"
    }


OF_TABLES = {
    *(
        "check_targets",
        "summarise",
        "count_users",
        "compare",
        "components",
        "multiverse",
        "decide_winners",
        "effort",
        "over_datasets",
        "unrated",
        "compare_groups",
        "claims",
        "costs",
        "figure",
        "report",
    ),
    *("describe_datasets", "describe_splits", "describe_tuning", "describe_ties"),
}
"""Steps whose results name the options of designs."""


def made_of_results(study: str) -> dict[str, Making]:
    """Return what each result of a study would state that it was made from, as if all results had the same content."""
    return {
        path: making_of_job(job.step, dict.fromkeys(results_read(job.inputs), ""), job.params)
        for job in planned_jobs(Plan(study))
        for path in job.files_written
    }


@pytest.mark.parametrize("place", [".//mine/./", "moved/"])
def test_where_a_file_lies_makes_no_more_stale_than_what_names_it(many: Workspace, place: str) -> None:
    plain = {key: value for key, value in MANY.items() if key not in {"experiments", "claims", "meta"}}
    many.write_study("plain", **plain)
    before = {study: made_of_results(study) for study in ("many", "plain")}
    (many.root / "mine").rename(many.root / Path(place))
    for study in before:
        path = many.root / f"config/studies/{study}.yaml"
        path.write_text(path.read_text().replace("mine/", place))

    def stale(study: str) -> set[str]:
        after = made_of_results(study)
        assert after.keys() == before[study].keys()
        return {made.step for path, made in before[study].items() if after[path] != made}

    # The report names the files of systems, tables the options of designs, here 'listed(path=...)', as the study writes them.
    assert stale("plain") <= {"report"}
    assert stale("many") <= OF_TABLES


# Plug-ins of the user's own

MODEL = """
from recsens.recommenders import Recommender
from recsens.metrics import Metric


class Model(Recommender):
    def fit(self, train, rng):
        return self

    def score(self, train, users):
        raise NotImplementedError


class Measure(Metric):
    def measure(self, judged, cutoffs):
        raise NotImplementedError
"""


@pytest.fixture
def lab(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Workspace:
    """Work in an empty folder that holds a user's own plug-ins and a folder for studies."""
    monkeypatch.chdir(tmp_path)
    for folder in ("lab/jobslab", "config/studies"):
        (tmp_path / folder).mkdir(parents=True)
    (tmp_path / "lab/jobslab/own.py").write_text(MODEL)
    return Workspace(tmp_path)


def test_a_folder_of_plugins_that_nothing_uses_changes_no_job(lab: Workspace) -> None:
    lab.write_study("one")
    without = list(map(asdict, planned_jobs(Plan("one"))))
    lab.write_study("one", plugins=["lab"])
    assert list(map(asdict, planned_jobs(Plan("one")))) == without


READER = """
from pathlib import Path
from recsens.data.filtering import Filter
from recsens.metrics import Metric
from recsens.comparison.users import Users


class Chosen(Users):
    def own_files(self):
        return [Path("chosen.txt")]

    def admit(self, population):
        raise NotImplementedError


class Listed(Filter):
    def own_files(self):
        return [Path("listed.txt")]

    def apply(self, interactions, stream):
        raise NotImplementedError


class Valued(Metric):
    def own_files(self):
        return [Path("valued.txt")]

    def measure(self, judged, cutoffs):
        raise NotImplementedError
"""


def test_files_that_own_plugins_read_are_known_with_their_content(lab: Workspace) -> None:
    (lab.root / "lab/jobslab/reading.py").write_text(READER)
    for name in ("chosen.txt", "listed.txt", "valued.txt"):
        (lab.root / name).write_text(name)
    design = {"split": "random(ratio=0.5)", "filter": "jobslab.reading.Listed", "users": "jobslab.reading.Chosen"}
    lab.write_study("one", plugins=["lab"], design=design, metrics=["P@5", "jobslab.reading.Valued@5"])
    reading = {job.step: job for job in planned_jobs(Plan("one")) if job.inputs.get("own_files")}
    assert {step: job.inputs["own_files"] for step, job in reading.items()} == {
        "filter": ["listed.txt"],
        "measure": ["valued.txt"],
        **{
            step: ["chosen.txt"]
            for step in ("check_targets", "summarise", "count_users", "compare", "multiverse", "describe_ties", "report")
        },
    }
    for job in reading.values():
        assert job.params["own_digests"] == [sha256(file.encode()).hexdigest() for file in job.inputs["own_files"]]


OF_THE_STUDY = ("summarise", "count_users", "compare", "multiverse", "decide_winners", "describe_ties", "figure", "report")


def test_only_jobs_of_own_plugins_are_told_where_to_import_them_from(lab: Workspace) -> None:
    systems = {
        "Own": "jobslab.own.Model",
        "kNN": "user_knn",
        "Tuned": "tuned(of=user_knn,search=grid(k=[5]),metric=jobslab.own.Measure@5)",
    }
    validated = {"split": "validated(of=random(ratio=0.6))"}
    lab.write_study("one", plugins=["lab"], systems=systems, design=validated, metrics=["P@5", "jobslab.own.Measure@5"])
    jobs = planned_jobs(Plan("one"))
    own = [job for job in jobs if job.params.get("plugins")]
    told = {(job.step, job.wildcards.get("recommender") or job.wildcards.get("metric") or "the study") for job in own}
    tuned = next(job.wildcards["recommender"] for job in jobs if job.step == "tune")
    assert told == {
        *((step, "jobslab.own.Model") for step in ("fit", "rank")),
        *((step, tuned) for step in ("tune", "fit", "rank")),
        ("measure", "jobslab.own.Measure"),
        *((step, "the study") for step in OF_THE_STUDY),
    }
    assert all(job.params["plugins"] == ("lab",) for job in own)
    assert {tuple(job.params["plugin_files"]) for job in own} == {(str(lab.root / "lab/jobslab/own.py"),)}
