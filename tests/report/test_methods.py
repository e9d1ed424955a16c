"""The methods paragraph states the option of every decision in a separate sentence."""

import pytest

from recsens import plugins
from recsens.conclusions.design_space import base_designs
from recsens.data.filtering import Filter
from recsens.errors import DesignError, SpecError
from recsens.metrics import parse_measured_at
from recsens.plugins import Component
from recsens.plugins.specs import Chain, Spec, parse, parse_chain
from recsens.report.html.templates import templates
from recsens.report.settings.decisions import line_of
from recsens.report.settings.paragraph import comparison_sentences, design_sentences, methods_paragraph, write_methods
from recsens.study.taxonomy import DECISIONS

METRICS = parse_measured_at("P@10")

# Decision, option: words that are in its sentences but not in those of other options.
OPTIONS = {
    ("filter", "none"): "All ratings were used.",
    ("filter", "binarise(at_least=4)"): "ratings of 4 and above as positives without a value",
    ("filter", "binarise(at_least=4,below=zero)"): "the ratings of 4 and above as 1 and all others as 0",
    ("filter", "binarise"): "in the upper quarter of the scale as positives",
    ("filter", "drop_popular"): "the fewest items that together have at least 33 % of the ratings",
    ("filter", "drop_popular(of=items,share=0.1)"): "the 10 % of the items with the most ratings, rounded down",
    ("filter", "drop_popular(count=50)"): "dropped the 50 items with the most ratings",
    ("filter", "k_core(users=10,items=1)"): "every user has at least 10 ratings and every item at least one rating",
    ("filter", "rating_range(lowest=2,highest=4)"): "we kept the ratings from 2 to 4.",
    ("filter", "rating_threshold"): "at or above the mean of the user's own ratings",
    ("filter", "rating_threshold(at_least=3)"): "the ratings of 3 and above, with their values",
    ("filter", "ratings_per_item(at_least=5)"): "the items with at least 5 ratings, counted once",
    ("filter", "ratings_per_user(at_least=20,at_most=100)"): "the users with at least 20 ratings and at most 100",
    ("filter", "sample(users=0.5)"): "a random sample of 50 % of the users",
    ("filter", "time_window(start=2000-01-01,end=2001-01-01)"): "from 2000-01-01 on and before 2001-01-01",
    ("filter", "k_core+sample(items=0.1)"): "Then, we kept a random sample of 10 % of the items",
    ("split", "random(ratio=0.8)"): "with probability 0.8, independently of all others (80 % on average)",
    ("split", "random(ratio=0.7,count=exact)"): "at random: 70 % (rounded down) for training",
    ("split", "per_user(of=random(count=exact))"): "the ratings of each user at random: 80 %",
    ("split", "per_user(of=temporal(ties=key))"): "the ratings of each user by time",
    ("split", "k_fold(k=5)"): "at random into 5 folds",
    ("split", "per_user(of=k_fold(k=4))"): "the ratings of each user at random into 4 folds",
    ("split", "k_fold_users(k=3)"): "divided the users at random into 3 folds",
    ("split", "given(n=10)"): "Of each user, 10 ratings, drawn at random, went to training",
    ("split", "given(n=5,which=first)"): "Of each user, 5 ratings, the first in time, went to training",
    ("split", "given(n=6,which=first)"): "Ratings that a user gave at the same time are in the order of items in the data.",
    ("split", "leave_out(which=last,ties=random)"): "Ratings that a user gave at the same time are in a random order.",
    ("split", "temporal(ties=random)"): "ratings of the same second are in random order",
    ("split", "leave_out"): "we held out a random rating for testing",
    ("split", "leave_out(n=3,which=last,min_rating=4)"): "held out 3 ratings, the last in time, among those of 4 and above",
    ("split", "min_train(n=3)"): "Users with fewer than 3 training ratings were then removed",
    ("split", "per_item(n=10,side=test)"): "Of each item, 10 random ratings went to testing",
    ("split", "percentile(m=10)"): "each of 10 popularity percentiles were recorded; the split is unchanged",
    ("split", 'predefined(path="u1.base")'): "read from files (u1.base)",
    ("split", "temporal"): "by time: the first 80 % for training, together with all others of the second",
    ("split", "temporal(at=2001-01-01)"): "by time: those before 2001-01-01 for training",
    ("split", "thinned(share=0.5)"): "Each test rating was kept with a probability of 50 %",
    ("split", "thinned(share=0.9,by=popularity)"): "kept for the 90 % of the items with the fewest training ratings",
    ("split", "thinned(share=0.9,by=users)"): "For each user, with a probability of 90 %, all test ratings were kept",
    ("split", "uniform"): "the same number of ratings (rounded down) from each of the most popular items",
    ("split", "validated"): "The training set was split again",
    ("split", "rolling(windows=3,horizon=7)"): "the last 3 windows of 7 days were tested one after another",
    ("split", "pruned(filter=k_core)"): "Then only the training set was filtered, by 'k_core",
    ("split", "complete"): "tested on the true ratings of all items outside the user's training set",
    ("split", 'revealed(path="ratings.tsv")'): "and the observed ratings of the fold for testing",
    ("split", 'revealed(path="ratings.tsv",test=all)'): "and all ratings of the fold for testing",
    ("repeats", 5): "The split was drawn 5 times",
    ("relevance", 3.0): "Test ratings of 3 or more are relevant",
    # AI-AR-AN, AI-AR-NN, TI-AR-AN, TI-AR-NN, and the same with 1R.
    ("targets", "ar"): "For every user, we ranked all items that the user had not rated in the training set.",
    ("targets", "ar(n=100)"): "For every user, we ranked the relevant test items together with 100 others, drawn with equal",
    ("targets", "ar(items=test)"): "all items with a test rating by any user, except those that the user had rated in the training",
    ("targets", "ar(items=test,n=100)"): "100 others, drawn with equal probability from the items with a test rating by any user",
    ("targets", "ar(items=train)"): "we ranked all items with a training rating by any user, except",
    ("targets", "ar(negatives=unrated)"): "the user's test items that are not relevant were left out",
    ("targets", "ar(n=9,sampling=popularity)"): "in proportion to their training ratings",
    ("targets", "one_r"): "we ranked its item together with all items that are neither training items nor relevant",
    ("targets", "one_r(n=100)"): "together with 100 others, drawn with equal probability from the items that are neither",
    ("targets", "one_r(items=test)"): "together with all items with a test rating by any user that are neither",
    ("targets", "one_r(items=test,n=50,draw=per_rating)"): "they were drawn afresh for each rating",
    ("targets", "p1r(m=5)"): "in the same popularity percentile (of 5)",
    ("targets", "rel_plus_n(n=1000)"): "together with 1,000 items that the user has rated neither in training nor in test",
    ("targets", "u1r"): "For every relevant test rating, we ranked its item together with all items with a test rating",
    ("targets", "uar"): "For every user, we ranked all items with a test rating by any user",
    ("targets", 'listed(path="t.csv")'): "we ranked the items in a file (t.csv)",
    ("nc", "drop"): "Items that a system cannot score were left out of its ranking.",
    ("nc", "append"): "appended to its ranking in random order.",
    ("nc", "append(by=popularity,users=without_train)"): "in the order of the recommender popularity(of=count) for users without",
    ("ties", "random"): "Items with the same score are in a random order",
    ("ties", "low_index"): "the one that comes first in the data ranks first",
    ("ties", "high_index"): "the one that comes last in the data ranks first",
    ("users", "with_ratings"): "We averaged over the users with at least one training rating.",
    ("users", "with_ratings(train=0)"): "We averaged over all users.",
    ("users", "with_ratings(relevant=1,most_train=10)"): "at least one relevant test rating and at most 10 training ratings",
    ("view", "full"): "A ranking contains all target items, whether the user has rated them or not",
    ("view", "condensed"): "A ranking contains only the target items that the user has rated in the test set.",
    ("aggregate", "mean"): "the arithmetic mean of the users' values",
    ("aggregate", "median"): "the median of the users' values",
    ("aggregate", "geometric"): "a geometric mean over users: 0.01 is added to each user's value",
    ("aggregate", "weighted(by=train)"): "a user's weight is the user's number of training ratings",
    ("aggregate", "weighted(by=age)"): "the column ‘age’ of the table of users",
    ("aggregate", "standardised"): "the user's mean over all systems of the study",
    (
        "aggregate",
        "urisk(alpha=2)",
    ): "the mean (URisk) of the users' gains over the baseline, the first system of the study, where a loss counts 3",
    ("aggregate", "trisk(baseline=MF)"): "divided by its standard error (TRisk) of the users' gains over the baseline, MF",
    ("aggregate", "georisk"): "The value of a system is GeoRisk",
    ("coverage", "full"): "Users without a ranking were counted as 0.",
    ("coverage", "reduced"): "Users without a ranking are left out",
    ("test", "t"): "a two-tailed paired t-test over users. Confidence intervals are at the 95 % level",
    ("test", "t(log=true)"): "Differences of ln(x + 0.01) between systems were tested with a two-tailed paired t-test",
    ("test", "wilcoxon"): "Wilcoxon's two-tailed signed-rank test",
    ("test", "sign"): "the two-tailed sign test",
    ("test", "randomisation(samples=5000)"): "Fisher's two-tailed randomisation test over users, using 5,000 random swaps",
    ("test", "bootstrap(method=shifted)"): "zero and resampled 10,000 times, and the means of these resamples were",
    (
        "test",
        "subsamples(of=sign,share=0.25)",
    ): "sign test over users: an exact binomial test without ties. This was repeated on 100",
    ("correction", "none"): "No p-value is corrected",
    ("correction", "holm"): "Holm's step-down procedure",
    ("correction", "bh"): "The procedure of Benjamini and Hochberg",
}

SPEAKING = [(each, name) for each in DECISIONS if each.kind for name in plugins.names(each.kind)]
"""Every plug-in of recsens that describes itself, with its decision."""


@pytest.fixture
def said(designs, study):
    """The sentences on a design in which one decision has another option."""

    def sentences(key, option):
        kind = next(decision.kind for decision in DECISIONS if decision.key == key)
        value = option if kind is None else parse_chain(option) if key == "filter" else parse(option)
        design = designs[0].replaced(**{key: value})
        return " ".join([*design_sentences({"Alpha-1M": design}, METRICS, {}), *comparison_sentences(study.own, design)])

    return sentences


@pytest.mark.parametrize(("key", "option"), OPTIONS)
def test_every_option_has_its_sentence(said, key, option):
    assert OPTIONS[key, option] in said(key, option)


@pytest.mark.parametrize("key", sorted({key for key, _ in OPTIONS}))
def test_two_options_of_a_decision_never_read_the_same(said, key):
    same = {"uar", "u1r"}  # these differ from ar and one_r only by TI
    options = [option for of, option in OPTIONS if of == key and option not in same]
    assert len({said(key, option) for option in options}) == len(options)


def test_no_option_of_any_decision_is_left_out():
    for decision in DECISIONS:
        tried = {str(option).partition("(")[0].partition("+")[0] for key, option in OPTIONS if key == decision.key}
        expected = set(plugins.names(decision.kind)) if decision.kind else set(decision.words)
        assert expected <= tried, decision.key


# The contract of plug-ins: each has its own words, which mention every parameter.


@pytest.mark.parametrize(("decision", "name"), SPEAKING, ids=[f"{each.key}-{name}" for each, name in SPEAKING])
def test_every_plug_in_has_words_that_say_each_of_its_parameters(decision, name, designs):
    cls = plugins.load(decision.kind, name)
    assert not any(
        sentence.startswith(cls.prose_lead) and f" {cls().full_spec}" in sentence
        for sentence in told(decision, Spec(name), designs[0])
    )
    values = {parameter: list(other_values(cls, parameter)) for parameter in cls.model_fields}
    for parameter in cls.model_fields:
        # Some parameters have no effect, and are not mentioned, unless another one differs from its default as well.
        beside = [{}, *({other: value} for other in values if other != parameter for value in values[other])]
        pairs = [(Spec(name).with_params(**given), value) for given in beside for value in values[parameter]]
        assert any(differ(decision, spec, spec.with_params(**{parameter: value}), designs[0]) for spec, value in pairs), parameter


def told(decision, spec, design):
    """The paragraph's words about a decision; none if parameters exclude each other."""
    try:
        component = plugins.build(decision.kind, spec)
    except SpecError:
        return ()
    chosen = Chain((component.spec,)) if decision.key == "filter" else component.spec
    return line_of(decision, design.replaced(**{decision.key: chosen}), {}).sentences


def differ(decision, spec, other, design):
    first, second = told(decision, spec, design), told(decision, other, design)
    return bool(first) and bool(second) and first != second


def other_values(cls, parameter):
    """Values that a parameter does not have by default."""
    field = cls.model_fields[parameter]
    kinds = [mark.kind for mark in field.metadata if isinstance(mark, Component)]
    schema = cls.model_json_schema()["properties"][parameter]
    examples = {"integer": (2, 7), "number": (0.25, 2.5), "boolean": (True,), "string": ("word",), "array": (("A", "B"),)}
    of_kind = {"split": ("k_fold",), "filter": ("ratings_per_user",), "test": ("sign",), "recommender": ("popularity",)}
    for option in schema.get("anyOf", [schema]):
        allowed = of_kind[kinds[0]] if kinds else option.get("enum") or examples.get(option.get("type"), ())
        yield from (value for value in allowed if value != field.default)


class Words(Filter):
    """Keep everything."""

    def apply(self, interactions, stream):
        return interactions


def test_whoever_says_nothing_is_named_with_what_the_class_does():
    words = Words()
    assert words.prose("Then") == f"Then, the data were filtered by {words.full_spec}: Keep everything."


@pytest.mark.parametrize("said", ["no full stop", None, ""])
def test_words_that_are_no_sentences_are_refused(said):
    class Wrong(Words):
        def prose(self, when="Before the split"):
            return said

    wrong = Wrong()
    with pytest.raises(DesignError, match="whole sentences"):
        wrong.prose()


def test_words_that_do_not_take_what_they_are_told_are_refused_before_anything_runs(tmp_path):
    (tmp_path / "mutelab.py").write_text(
        "from recsens.data.splitting import Splitter\n\n\nclass Mute(Splitter):\n"
        "    def prose(self):\n        return 'We split.'\n\n"
        "    def roles(self, interactions, fold, stream):\n        return interactions.user\n"
    )
    plugins.add_paths([tmp_path])
    with pytest.raises(SpecError, match="prose") as refused:
        plugins.load("split", "mutelab.Mute")
    assert "prose(self, whose)" in str(refused.value)


def test_an_own_plug_in_is_described_by_its_first_line(said):
    assert "The users averaged are those of lab_plugins.Rated: " in said("users", "lab_plugins.Rated")


def test_where_ratings_have_rankings_the_weights_and_the_test_say_so(said):
    text = said("targets", "one_r")
    assert "We averaged over the users with at least one training rating and at least one relevant test rating." in text
    assert "so that every rating counts the same" in text
    assert "Because users have different weights, t = m / (s / √n)" in text
    assert "all relevant test ratings of a popularity percentile have the same weight" in said("targets", "p1r(m=5)")


def test_what_a_test_compares_is_said_where_it_is_not_the_value_itself(said):
    assert "The test compares the users' differences of ln(m + 0.01)." in said("aggregate", "geometric")
    assert "The test compares the users' differences; these may favour a different system" in said("aggregate", "median")
    assert "The test compares" not in said("aggregate", "mean")


@pytest.fixture
def text(study, results):
    return methods_paragraph(study, base_designs(study.own), results.datasets)


def test_the_paragraph_names_data_systems_metrics_seed_and_version(text):
    assert text.startswith("We used 2 data sets: Alpha-1M (")
    assert "6,040 users, 3,706 items and 1,000,209 ratings" in text
    assert "We compared 3 systems: kNN (lab_plugins.Neighbours(k=100)), MF (lab_plugins.Factors)" in text
    assert "nDCG@10 (= nDCG(discount=log2,gain=binary,ideal=cut)@10)" in text
    assert "one decision at a time: train/test split (random(ratio=0.2), random(ratio=0.35), random(ratio=0.8));" in text
    assert "derive from the seed 0; the study was run with recsens " in text


def test_a_further_experiment_says_only_what_is_different(make_study, make_results, experiment):
    study = make_study(experiments={"Little": experiment})
    whole = methods_paragraph(study, base_designs(study.own), make_results(study).datasets)
    further = whole.partition("In a further experiment, Little, on Beta_2, the following was different. ")[2]
    assert further.startswith("We split the ratings at random: each was taken for training with probability 0.1")
    assert "kNN (lab_plugins.Neighbours(k=10)) and Pop_1" in further
    assert "Items that a system cannot score" not in further


def test_a_system_is_described_in_the_words_of_the_study_on_every_kind_of_page(make_study, results, tmp_path):
    words = "a <b>network</b> of 50 % of x_1"
    study = make_study(says={"MF": words})
    text = methods_paragraph(study, base_designs(study.own), results.datasets)
    assert f"kNN (lab_plugins.Neighbours(k=100)), MF ({words}) and Pop_1" in text
    write_methods(text, [tmp_path / "methods.md", tmp_path / "methods.tex"])
    assert r"MF (a &lt;b\>network&lt;/b\> of 50 % of x\_1)" in (tmp_path / "methods.md").read_text()
    assert r"50 \% of x\_" in (tmp_path / "methods.tex").read_text()
    assert "MF (a &lt;b&gt;network&lt;/b&gt; of" in templates().from_string("{{ text }}").render(text=text)


@pytest.mark.parametrize(
    ("system", "words"),
    [
        ('from_file(path="{home}/runs/svd-{fold}.csv")', "(scores from the file 'svd-{fold}.csv')"),
        (
            'program(run="python train.py {scores} {at}",at="{home}/x.npy",files=["{home}/train.py"],versions="{home}/pip freeze")',
            "(program 'train.py' with at = x.npy)",
        ),
        ('program(run="{home}/bin/python -m mylab.train {train} {scores}")', "(program 'mylab.train')"),
        ('program(run="{home}/train {train} {scores}")', "(program 'train')"),
        (
            'tuned(of=program(run="python {home}/train.py {scores} {k}",k=1,files=["{home}/train.py"]),search=grid(k=[1,2]))',
            "(tuned(of=program(k=1,run=train.py),search=grid(k=[1,2])))",
        ),
    ],
)
def test_no_folder_of_a_machine_is_printed(make_study, results, tmp_path, system, words):
    home = str(tmp_path)
    study = make_study(systems={"Mine": system.replace("{home}", home)}, published=[], published_comparisons=[])
    text = methods_paragraph(study, base_designs(study.own), results.datasets)
    assert f"We compared Mine {words}." in text
    assert home not in text


def test_no_folder_of_a_fallbacks_file_is_printed(said):
    assert ',path="svd-{fold}.csv"' in said("nc", 'append(by=from_file(path="/home/svd-{fold}.csv"))')
