"""A design is an address: the setting can be read from the path."""

from itertools import pairwise
from pathlib import PurePosixPath

import pytest

from recsens.artefacts.addresses import Fold
from recsens.plugins.specs import parse
from recsens.study import Study
from recsens.study.design import Design
from recsens.study.designs import expand


@pytest.fixture
def design() -> Design:
    """The design with every default."""
    study = Study(title="t", seed=7, datasets={"S": "simulated"}, systems={"R": "random"}, metrics=["P@1"])
    [[base]] = expand(study, {"S": parse("simulated(users=60)")}).values()
    return base


def test_the_address_names_the_decisions_in_their_order(design):
    folder = design.ranking_folder(Fold(2), parse("user_knn(k=50,q=2)"))
    assert folder == PurePosixPath("results/seed-7/simulated@users=60/none/random/repeat-2/user_knn@k=50@q=2/ar/drop/random")


def test_each_folder_lies_below_the_one_it_is_computed_from(design):
    fold, system = Fold(0), parse("random")
    folders = [
        design.dataset_address.folder,
        design.filter_folder,
        design.fold_folder(fold),
        design.system_folder(fold, system),
        design.ranking_folder(fold, system),
    ]
    assert all(inner.is_relative_to(outer) for outer, inner in pairwise(folders))
    assert len(set(folders)) == 5


@pytest.mark.parametrize("decision", ["view", "coverage", "relevance", "users", "aggregate", "test"])
def test_columns_of_a_study_do_not_change_an_address(design, decision):
    other = {"view": "condensed", "coverage": "reduced", "relevance": 5.0, "users": parse("with_ratings(test=1)")}
    changed = design.replaced(**{decision: other.get(decision, parse("other"))})
    assert changed != design
    assert changed.ranking_folder(Fold(0), parse("random")) == design.ranking_folder(Fold(0), parse("random"))


def test_what_becomes_of_items_without_a_score_is_a_step(design):
    folder = design.replaced(nc=parse("append(by=popularity)")).ranking_folder(Fold(0), parse("random"))
    assert folder.parts[-2:] == ("append@by=popularity", "random")


def test_relevance_is_part_of_an_address_only_where_targets_depend_on_it(design):
    one_r = design.replaced(targets=parse("one_r(n=99)"))
    assert one_r.targets_address.slug == "one_r@n=99"
    assert one_r.replaced(relevance=5.0).targets_address.slug == "one_r@n=99@relevance=5"
    assert design.replaced(relevance=5.0).targets_address.slug == "ar"
