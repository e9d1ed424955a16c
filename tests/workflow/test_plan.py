"""Plans: which artefacts a study needs; they are shared between studies, and named by content, never by location."""

import re
from pathlib import Path

import pytest
import yaml

from recsens.artefacts.addresses import Address
from recsens.conclusions.design_space import base_designs
from recsens.errors import ConfigError, DesignError, SpecError
from recsens.plugins.specs import FOLDER, MAX_SLUG, parse
from recsens.study.designs import folds
from recsens.workflow.ask import Ask
from recsens.workflow.plan import Plan

TINY = "simulated(users=60,items=80,ratings=1200)"
LONG_FORM = ",user=0,item=1,rating=2,lowest=.5,highest=7.5,step=.5,duplicates=last"
RATINGS = "1\t10\t5\n1\t11\t3\n2\t10\t1\n"


@pytest.fixture
def plan(tmp_path, monkeypatch):
    """Plan a study with some keys changed."""
    monkeypatch.chdir(tmp_path)

    def make(name: str = "tiny", **changes: object) -> Plan:
        path = tmp_path / f"{name}.yaml"
        base = {"title": "t", "datasets": {"S": TINY}, "systems": {"R": "random", "K": "user_knn(k=5)"}, "metrics": ["P@5"]}
        path.write_text(yaml.safe_dump({**base, **changes}, sort_keys=False), encoding="utf-8")
        return Plan(str(path))

    return make


def test_every_system_is_ranked_on_every_fold_of_every_design(plan):
    found = plan(design={"repeats": 3}, vary={"split": ["random(ratio=.5)"], "view": ["condensed"]})
    assert len(found.designs["S"]) == 3
    # Two splits of three repeats; the view is a column.
    assert len(found.splits) == 6
    assert len(found.rankings) == 12
    assert found.rankings.keys() == {str(ranking.address.folder) for ranking in found.rankings.values()}


def test_studies_that_share_a_system_share_its_rankings(plan):
    first = plan("first", metrics=["P@5"], vary={"split": ["random(ratio=.5)"]})
    second = plan("second", metrics=["nDCG@3"], systems={"k nearest": "user_knn(k=5,similarity=cosine)", "P": "popularity"})
    shared = first.rankings.keys() & second.rankings.keys()
    assert [Address.parse(folder).step("recommender") for folder in shared] == ["user_knn@k=5"]
    assert first.folder != second.folder


def test_another_seed_is_another_address(plan):
    assert not plan("a", seed=1).rankings.keys() & plan("b", seed=2).rankings.keys()


def test_metrics_are_grouped_by_definition_with_all_their_cutoffs(plan):
    found = plan(metrics=["P@10,5", "RBP(phi=.9)@10", "P@1"])
    assert found.cutoffs == {"P": (1, 5, 10), "RBP@phi=0.9": (10,)}
    assert found.metric_texts == {"P": "P", "RBP@phi=0.9": "RBP(phi=0.9)"}


def test_target_items_are_checked_for_each_threshold_and_selection_of_users_that_is_averaged(plan):
    given = plan(design={"relevance": 5}, vary={"users": ["with_ratings(relevant=1)"], "relevance": [4]})
    slug = given.sources["S"].address.slug
    assert given.target_check(slug, "none", "ar").audiences == [
        [4.0, "with_ratings"],
        [5.0, "with_ratings"],
        [5.0, "with_ratings(relevant=1)"],
    ]
    assert Ask(given).arguments("describe_datasets")["relevances"] == [5.0]
    assert plan().target_check(slug, "none", "ar").audiences == [[None, "with_ratings"]]


def test_target_items_are_asked_only_for_thresholds_of_designs_on_the_same_filtered_data(plan):
    liked = {"dataset": "S", "design": {"filter": "binarise(at_least=4,below=zero)", "relevance": 1}}
    given = plan(design={"relevance": 4}, vary={"relevance": [3]}, experiments={"Liked": liked})
    slug = given.sources["S"].address.slug
    assert given.target_check(slug, "none", "ar").audiences == [[3.0, "with_ratings"], [4.0, "with_ratings"]]
    assert given.target_check(slug, "binarise@at_least=4@below=zero", "ar").audiences == [[1.0, "with_ratings"]]
    assert len(given.checks) == 2


def test_studies_that_ask_something_else_of_target_items_have_another_record(plan):
    def records(name: str, **changes: object) -> set[str]:
        return set(plan(name, **changes).checks)

    base = records("base")
    assert records("same", title="Another title", metrics=["nDCG@3"], alpha=0.1) == base
    others = [
        records("relevance", design={"relevance": 5}),
        records("users", design={"users": "with_ratings(train=2)"}),
        records("weights", design={"aggregate": "weighted(by=age)"}),
        records("columns", metrics=["ILD(by=genres)@5"]),
    ]
    assert len({frozenset(each) for each in (base, *others)}) == 5
    assert not any(base & each for each in others)


def test_a_check_of_something_else_than_the_study_asks_is_refused(plan):
    given = plan()
    [ranking, *_] = given.rankings.values()
    here = {step: ranking.address.step(step) for step in ("dataset", "filter", "split", "fold", "targets")} | {"seed": "0"}
    digest = given.target_check(here["dataset"], "none", "ar").digest
    assert Ask(given).arguments("check_targets", **here, check=digest)["audiences"] == [[None, "with_ratings"]]
    with pytest.raises(SpecError, match="asks for a different check of the target items 'ar'") as refused:
        Ask(given).arguments("check_targets", **here, check="0123456789")
    assert refused.value.allowed == digest


def test_depths_of_coverage_are_counted_only_where_ratings_have_rankings(plan):
    metrics = ["P@10,5", "RR", "nDCG@10"]
    assert Ask(plan(metrics=metrics)).arguments("count_ratings")["depths"] == []
    assert Ask(plan(metrics=metrics, vary={"targets": ["one_r"]})).arguments("count_ratings")["depths"] == [5, 10]


# The user's own files


FILES = {
    "plays.tsv": "plays",
    "Plays 2020.part.tsv.gz": "plays-2020",
    "all-that-we-sold-in-the-year-2020.csv": "all-that-we-sold-in-the",
    ".csv": "delimited",
    "\N{GREEK SMALL LETTER PI}.csv": "delimited",
}
"""Names of files, and the names of the folders with their data."""

PLAYS = """
from recsens.data.datasets.delimited import Delimited


class Plays(Delimited):
    \"\"\"Plays.\"\"\"
"""


def address(plan, path: Path) -> str:
    found = plan(datasets={"Mine": f'delimited(path="{path}")'})
    return str(found.sources["Mine"].address.without(FOLDER))


def test_the_content_of_a_file_enters_the_address_and_its_place_does_not(plan, tmp_path):
    here, there = tmp_path / "here.tsv", tmp_path / "elsewhere" / "copy.txt"
    there.parent.mkdir()
    for path in (here, there):
        path.write_text(RATINGS)
    first = address(plan, here)
    assert first == address(plan, there)
    assert first.startswith("delimited(source=")
    assert "here" not in first
    assert "/" not in first
    here.write_text(RATINGS + "2\t11\t4\n")
    assert address(plan, here) != first


def test_the_folder_of_data_in_a_file_is_named_after_the_file(plan, tmp_path):
    def folder(name: str, options: str = "") -> str:
        (tmp_path / name).write_text(RATINGS, encoding="utf-8")
        return plan(datasets={"Mine": f'delimited(path="{name}"{options})'}).sources["Mine"].address.slug

    short, long = folder("x.tsv").removeprefix("x@"), folder("x.tsv", LONG_FORM).removeprefix("x@")
    assert re.fullmatch("source=[0-9a-f]{10}", short)
    assert re.fullmatch("sha=[0-9a-f]{10}", long)
    for name, said in FILES.items():
        assert folder(name) == f"{said}@{short}"
        assert folder(name, LONG_FORM) == f"{said}@{long}"
    # Only a digest of the whole text distinguishes such a file from one read by the plug-in of that name.
    assert folder("netflix.csv") == f"delimited@{short}"
    assert folder("netflix.csv", LONG_FORM) == f"netflix@{long}"


def test_other_data_in_a_file_of_the_same_name_have_another_folder(plan, tmp_path):
    folders = set()
    for place, content in (("one", RATINGS), ("two", RATINGS + "2\t11\t4\n")):
        (tmp_path / place).mkdir()
        (tmp_path / place / "plays.tsv").write_text(content, encoding="utf-8")
        folders.add(plan(datasets={"M": f"delimited(path={place}/plays.tsv)"}).sources["M"].address.slug)
    assert {folder.partition("@")[0] for folder in folders} == {"plays"}
    assert len(folders) == 2


@pytest.mark.parametrize("former", ["delimited", "former-name"])
@pytest.mark.parametrize("options", ["", LONG_FORM], ids=["short", "long"])
def test_data_that_have_a_folder_keep_it_whatever_their_file_is_called(plan, tmp_path, former, options):
    def folder(name: str, **changes: object) -> str:
        (tmp_path / name).write_text(RATINGS, encoding="utf-8")
        return plan(datasets={"M": f'delimited(path="{name}"{options})'}, **changes).sources["M"].address.slug

    identity = folder("x.tsv").partition("@")[2]
    (tmp_path / "results/seed-0" / f"{former}@{identity}").mkdir(parents=True)
    (tmp_path / "results/seed-0" / f"{former}@source=0123456789").mkdir()
    assert folder("x.tsv") == f"{former}@{identity}"
    assert folder("x.tsv", seed=1) == f"x@{identity}"
    (tmp_path / "results/seed-0" / f"x@{identity}").mkdir()
    assert folder("x.tsv") == f"x@{identity}"


def test_two_files_with_the_same_data_have_one_folder_named_after_the_first(plan, tmp_path):
    for name in ("b.tsv", "a.tsv"):
        (tmp_path / name).write_text(RATINGS, encoding="utf-8")
    sources = plan(datasets={"B": "delimited(path=b.tsv)", "A": "delimited(path=a.tsv)"}).sources
    assert sources["A"].address == sources["B"].address
    assert sources["A"].address.slug.startswith("b@source=")


def test_folders_of_ones_own_class_and_of_named_data_have_the_name_of_the_plugin(plan, tmp_path):
    (tmp_path / "x.tsv").write_text(RATINGS, encoding="utf-8")
    (tmp_path / "playslab.py").write_text(PLAYS, encoding="utf-8")
    own = plan(plugins=[str(tmp_path)], datasets={"M": "playslab.Plays(path=x.tsv)"}).sources["M"].address
    assert own.slug.startswith("playslab.Plays@source=")
    named = plan("named", datasets={"M": "lastfm(release=360k,path=x.tsv)"}).sources["M"].address
    assert named.slug.startswith("lastfm@")


def test_steps_find_the_folders_of_a_study_by_what_they_are_told(plan, tmp_path):
    (tmp_path / "plays.tsv").write_text(RATINGS, encoding="utf-8")
    found = plan(datasets={"M": "delimited(path=plays.tsv)"})
    told = {label: parse(text) for label, text in Ask(found).arguments("summarise")["addresses"].items()}
    assert base_designs(found.study.own, told)["M"].filter_folder == found.designs["M"][0].filter_folder


def test_how_a_file_is_read_enters_the_address(plan, tmp_path):
    (tmp_path / "x.tsv").write_text(RATINGS)
    plain, merged = (
        plan(datasets={"M": f'delimited(path="x.tsv"{extra})'}).sources["M"].address for extra in ("", ",duplicates=last")
    )
    assert plain.get("source") == merged.get("source")
    assert plain != merged


def test_a_file_that_is_not_there_is_named(plan):
    with pytest.raises(Exception, match=r"there is no file 'nowhere\.tsv'"):
        _ = plan(datasets={"M": 'delimited(path="nowhere.tsv")'}).sources


def test_a_data_set_that_was_not_fetched_is_explained(plan, monkeypatch):
    monkeypatch.delenv("RECSENS_DATA", raising=False)
    with pytest.raises(ConfigError, match=r"are missing") as refused:
        _ = plan(datasets={"M": "movielens(release=1m)"}).sources
    assert "recsens fetch" in str(refused.value)
    assert "RECSENS_DATA" in str(refused.value)


# Folder names and components


def test_components_are_found_by_their_folder_names(plan):
    found = plan()
    assert str(found.component_at("recommender", "user_knn@k=5")) == "user_knn(k=5)"
    assert str(found.component_at("split", "random@ratio=0.3")) == "random(ratio=0.3)"
    assert str(found.filter_at("none")) == "none"
    assert found.source_at("simulated@users=2000").component.users == 2000


@pytest.mark.parametrize("relevance", [-1.0, 0.0, 1.0, None])
def test_target_items_are_ranked_by_the_threshold_of_their_folder_name(plan, tmp_path, relevance):
    (tmp_path / "r.tsv").write_text(RATINGS.replace("1\n", "-1\n"), encoding="utf-8")
    data = {"Mine": 'delimited(path="r.tsv",lowest=-5)'}
    found = plan(datasets=data, design={"targets": "one_r", "relevance": relevance})
    [targets] = {ranking.address.step("targets") for ranking in found.rankings.values()}
    assert found.targets_at(targets)[1] == relevance


@pytest.mark.parametrize(
    ("slug", "part"),
    [
        ("user_knn@k=100", "user_knn"),
        ("user_knn@similarity=cosine", "user_knn"),
        ("User_KNN", "user_knn"),
        ("user_knn@k=1e1", "user_knn@k=10"),
    ],
)
def test_a_folder_name_that_is_not_canonical_is_refused_with_the_canonical_one(plan, slug, part):
    with pytest.raises(SpecError, match="is not canonical") as refused:
        plan().component_at("recommender", slug)
    assert refused.value.allowed == part


def test_data_sets_and_filters_are_held_to_their_canonical_names_too(plan):
    with pytest.raises(SpecError, match="is not canonical") as refused:
        plan().source_at("simulated@users=943")
    assert refused.value.allowed == "simulated"
    with pytest.raises(SpecError, match="is not canonical") as refused:
        plan().filter_at("none+None")
    assert refused.value.allowed == "none+none"


def test_an_abbreviated_folder_name_is_known_to_the_study_that_names_it(plan, tmp_path):
    (tmp_path / "x.tsv").write_text(RATINGS)
    found = plan(datasets={"M": f'delimited(path="x.tsv"{LONG_FORM})'})
    slug = found.sources["M"].address.slug
    assert slug.startswith("x@sha=")
    assert found.source_at(slug) is found.sources["M"]
    with pytest.raises(SpecError, match="only abbreviates"):
        plan("other").source_at(slug)


# Limits


def test_a_long_address_is_planned_and_read_back(plan):
    # Seven names of up to 60 characters: each fits a folder, although all together do not.
    given = plan(
        datasets={"S": "simulated(users=60,items=1000,ratings=1400,replicate=1)"},
        systems={"A": "hkv(factors=20,epochs=10,preference=binary,alpha=2)", "B": "popularity"},
        design={
            "filter": "k_core(users=2,items=2)",
            "split": "random(ratio=0.7,count=exact)",
            "targets": "ar(items=train,n=100,negatives=unrated)",
            "nc": "append(by=popularity)",
        },
    )
    assert max(len(folder.partition("simulated")[2]) for folder in given.rankings) > 200
    for folder, ranking in given.rankings.items():
        address = Address.parse(folder)
        assert given.system_at(address.up_to("recommender")) == ranking.system
        assert given.component_at("split", address.step("split")) == ranking.design.split
        assert max(map(len, address.steps)) <= MAX_SLUG
    assert len(given.rankings) == 2


FIXED = """
import numpy as np
from recsens.data.splitting import Splitter


class Fixed(Splitter):
    @property
    def is_random(self):
        return False

    @property
    def n_folds(self):
        return 3

    def roles(self, interactions, fold, stream):
        return np.zeros(len(interactions), dtype=np.uint8)
"""


def test_a_split_without_chance_is_not_repeated(plan, tmp_path):
    (tmp_path / "fixedlab.py").write_text(FIXED)
    once = plan("once", plugins=[str(tmp_path)], design={"split": "fixedlab.Fixed"})
    assert [fold.name for fold in folds(once.designs["S"][0])] == ["repeat-0.fold-0", "repeat-0.fold-1", "repeat-0.fold-2"]
    with pytest.raises(DesignError, match=r"is not random, so 'repeats: 2' would repeat it unchanged") as refused:
        _ = plan("twice", plugins=[str(tmp_path)], design={"split": "fixedlab.Fixed", "repeats": 2}).rankings
    assert "a split that draws at random beside it" in str(refused.value)
    twice = {"split": "fixedlab.Fixed", "repeats": 2}
    beside = plan("beside", plugins=[str(tmp_path)], design=twice, vary={"split": ["random"]})
    of_fixed, of_random = (folds(design) for design in beside.designs["S"])
    assert [fold.name for fold in of_fixed] == ["repeat-0.fold-0", "repeat-0.fold-1", "repeat-0.fold-2"]
    assert [fold.name for fold in of_random] == ["repeat-0", "repeat-1"]


def test_a_metric_measures_the_rankings_of_the_experiments_that_have_it(plan):
    own = plan(experiments={"X": {"dataset": "S", "metrics": ["Gini@5"], "systems": {"P": "popularity"}}})
    assert {metric: len(folders) for metric, folders in own.measured_by.items()} == {"P": 2, "Gini": 1}
    assert "popularity" in own.measured_by["Gini"][0]


def test_what_decisions_exclude_is_told_of_the_study_file(plan):
    contradicting = plan("contradicting", design={"targets": "one_r", "view": "condensed"})
    with pytest.raises(DesignError) as refused:
        _ = contradicting.designs
    assert str(refused.value).startswith(f"{contradicting.path}: the designs of 'S': ")
