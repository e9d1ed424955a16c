"""The methods paragraph states the option of every decision in a separate sentence."""

import pytest

from recsens import __version__, plugins
from recsens.conclusions.design_space import base_designs
from recsens.data.filtering import Filter
from recsens.errors import SpecError
from recsens.metrics import parse_measured_at
from recsens.plugins import Component
from recsens.plugins.specs import Chain, Spec, parse, parse_chain
from recsens.report.html.templates import templates
from recsens.report.settings.decisions import decision_line
from recsens.report.settings.paragraph import comparison_sentences, design_sentences, methods_paragraph, write_methods
from recsens.study.taxonomy import DECISIONS

METRICS = parse_measured_at("P@10")

OPTIONS = """
    filter none binarise(at_least=4) binarise(at_least=4,below=zero) binarise drop_popular drop_popular(of=items,share=0.1) \
        drop_popular(count=50) k_core(users=10,items=1) rating_range(lowest=2,highest=4) rating_threshold \
        rating_threshold(at_least=3) ratings_per_item(at_least=5) ratings_per_user(at_least=20,at_most=100) sample(users=0.5) \
        time_window(start=2000-01-01,end=2001-01-01) k_core+sample(items=0.1)
    split random(ratio=0.8) random(ratio=0.7,count=exact) per_user(of=random(count=exact)) per_user(of=temporal(ties=key)) \
        k_fold(k=5) per_user(of=k_fold(k=4)) k_fold_users(k=3) given(n=10) given(n=5,which=first) given(n=6,which=first) \
        leave_out(which=last,ties=random) temporal(ties=random) leave_out leave_out(n=3,which=last,min_rating=4) \
        leave_out(n=2,up_to=5) leave_out(which=last,up_to=3) min_train(n=3) \
        per_item(n=10,side=test) percentile(m=10) predefined(path="u1.base") temporal temporal(at=2001-01-01) thinned(share=0.5) \
        thinned(share=0.9,by=popularity) thinned(share=0.9,by=users) uniform validated rolling(windows=3,horizon=7) \
        pruned(filter=k_core) complete revealed(path="ratings.tsv") revealed(path="ratings.tsv",test=all)
    repeats 1 5
    fits 1 5
    relevance 3.0 4.5
    targets ar ar(n=100) ar(items=test) ar(items=test,n=100) ar(items=train) ar(negatives=unrated) ar(n=9,sampling=popularity) \
        one_r one_r(n=100) one_r(items=test) one_r(items=test,n=50,draw=per_rating) p1r(m=5) rel_plus_n(n=1000) u1r uar \
        listed(path="t.csv")
    nc drop append append(by=popularity,users=without_train) merge merge(users=without_train,scale=none)
    ties random low_index high_index
    users with_ratings with_ratings(train=0) with_ratings(relevant=1,most_train=10)
    view full condensed relevant rate(0.05)
    aggregate mean median geometric weighted(by=train) weighted(by=age) standardised urisk(alpha=2) trisk(baseline=MF) georisk
    coverage full reduced
    test t t(log=true) wilcoxon sign randomisation(samples=5000) bootstrap(method=shifted) subsamples(of=sign,share=0.25)
    correction none holm bh
"""
"""Each decision, and options of it."""
OPTIONS_OF = {key: options for key, *options in map(str.split, OPTIONS.strip().splitlines())}

SPEAKING = [(each, name) for each in DECISIONS if each.kind for name in plugins.names(each.kind)]
"""Every plug-in of recsens that describes itself, with its decision."""


@pytest.fixture
def said(designs, study):
    """The sentences on a design in which one decision has another option."""

    def sentences(key, option):
        kind = next(decision.kind for decision in DECISIONS if decision.key == key)
        as_value = {"repeats": int, "fits": int, "relevance": float, "filter": parse_chain}.get(key, str if kind is None else parse)
        design = designs[0].replaced(**{key: as_value(option)})
        return " ".join([*design_sentences({"Alpha-1M": design}, METRICS, {}), *comparison_sentences(study.own, design)])

    return sentences


@pytest.mark.parametrize("key", OPTIONS_OF)
def test_the_sentences_of_each_option_and_no_two_are_the_same(said, key, approved):
    """Sentences that every option of the decision has are left out."""
    told = {option: said(key, option) for option in OPTIONS_OF[key]}
    common = set.intersection(*(set(text.split(". ")) for text in told.values()))
    approved({option: [line for line in text.split(". ") if line not in common] for option, text in told.items()})
    same = {"uar", "u1r"}  # these differ from ar and one_r only by TI
    assert len({text for option, text in told.items() if option not in same}) == len(told.keys() - same)


def test_no_option_of_any_decision_is_left_out():
    for decision in DECISIONS:
        tried = {str(option).partition("(")[0].partition("+")[0] for option in OPTIONS_OF.get(decision.key, ())}
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
    return decision_line(decision, design.replaced(**{decision.key: chosen}), {}).sentences


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


def test_an_own_plug_in_is_described_by_its_first_line_and_a_file_by_its_name(said):
    assert "The users averaged are those of lab_plugins.Rated: " in said("users", "lab_plugins.Rated")
    assert ',path="svd-{fold}.csv"' in said("nc", 'append(by=from_file(path="/home/svd-{fold}.csv"))')


def test_the_paragraph_with_an_experiment_that_says_only_what_is_different(make_study, make_results, experiment, approved):
    study = make_study(experiments={"Little": experiment})
    text = methods_paragraph(study, base_designs(study.own), make_results(study).datasets)
    approved(text.replace(f"recsens {__version__}", "recsens VERSION").replace(". ", ".\n"))


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
