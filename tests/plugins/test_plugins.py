"""Plug-ins: found by name, built from specs, or refused with a message that says what is allowed."""

import ast
import inspect
import subprocess
import sys
from functools import partial
from types import ModuleType

import pytest
from hypothesis import given
from hypothesis import strategies as st

from approved import refusal
from recsens import plugins
from recsens.errors import SpecError, plain
from recsens.plugins import registry
from recsens.plugins.specs import Spec, parse, parse_slug


@pytest.fixture(autouse=True)
def _no_folders(monkeypatch: pytest.MonkeyPatch) -> None:
    """Forget the folders of plug-ins of other tests, which messages would name."""
    monkeypatch.setattr("recsens.plugins.own._modules._FOLDERS", [])


@pytest.mark.parametrize("kind", plugins.PACKAGES)
def test_every_plugin_is_built_by_its_name_and_written_back(kind):
    for name in plugins.names(kind):
        built = plugins.build(kind, name)
        assert built.kind == kind
        assert built.plugin_name() == name
        assert built.spec == Spec(name)
        again = plugins.build(kind, str(built.full_spec))
        assert again == built
        assert again.spec == Spec(name)


@pytest.mark.parametrize("kind", plugins.PACKAGES)
def test_every_parameter_is_described_and_documented(kind):
    for cls in (plugins.load(kind, name) for name in plugins.names(kind)):
        assert cls.__doc__
        for parameter, field in cls.model_fields.items():
            assert field.description, (cls, parameter)
            assert not field.is_required(), (cls, parameter)
            assert parameter in plugins.describe(cls)


@given(st.integers(1, 10_000), st.integers(0, 20), st.permutations(["k", "q"]))
def test_the_canonical_spec_does_not_depend_on_how_it_is_written(k, q, order):
    written = ",".join(f"{name}={float({'k': k, 'q': q}[name])}" for name in order)
    built = plugins.build("recommender", f"User_KNN({written})")
    assert built == plugins.build("recommender", built.spec) == plugins.build("recommender", parse_slug(built.spec.slug))
    expected = {name: value for name, value, default in (("k", k, 100), ("q", q, 1)) if value != default}
    assert dict(built.spec.params) == expected


def test_an_unnamed_value_goes_to_the_first_parameter():
    assert plugins.build("recommender", "user_knn(50)").spec == parse("user_knn(k=50)")


def test_a_component_cannot_be_changed():
    with pytest.raises(ValueError, match="frozen"):
        plugins.build("recommender", "user_knn").k = 3


REFUSED = {
    "recommender": """
        user_kn zzz user_knn(kk=3) user_knn(k=0) user_knn(k=2.5) user_knn(k=true) user_knn(k="3") user_knn(similarity=cosin)
        user_knn(k=0,q=-1) user_knn(3,k=3) nowhere.models.Foo json.JSONDecoder sys.Nothing recsens.data.splitting.random.Random
        recsens.data.splitting.random.Nothing recsens.workflow.job.Nothing tuned(of=calibrated(of=tuned(of=item_kn)))
        knn SVD user_knn(neighbors=50) item_knn(n_neighbors=50) hkv(n_factors=50) hkv(regularisation=50) plsa(n_topics=50)
        random(seed=1) user_knn(k=[5,10])
    """,
    "metric": "ndgc nDCG(k=10)",
    "filter": "none(3) none(k=3)",
    "split": "random(ratio=1.5) random(ratio=[0.2,0.5]) random(test_size=0.2) leave-one-out k_fold(n_splits=3)",
    "dataset": """
        ml-100k movielens(version=1m) delimited(sep=",") delimited(rating_scale=[1,5]) delimited(path=runs/{fold}.csv)
    """,
    "targets": "ar(n_negatives=100)",
}
"""Unknown names, parameters and values, and what others call a plug-in or a parameter, which is answered with ours."""


@pytest.mark.parametrize("kind", REFUSED)
def test_a_refusal_names_the_culprit_and_what_is_allowed(kind, approved):
    approved({spec: refusal(partial(plugins.build, kind, spec), SpecError) for spec in REFUSED[kind].split()})


@pytest.mark.parametrize(
    ("kind", "name", "ours"),
    [
        ("dataset", "ML_1M", "movielens(release=1m)"),
        ("dataset", "csv", 'delimited(header=true,item=item,rating=rating,separator=",",user=user)'),
        ("dataset", "csv(rating=null,item=sku)", 'delimited(header=true,item=sku,rating=null,separator=",",user=user)'),
        ("recommender", "ItemKNN", "item_knn"),
        ("recommender", "itemknn(k=10)", "item_knn(k=10)"),
        ("recommender", "pop", "popularity"),
        ("recommender", "als(factors=30)", "wrmf(factors=30)"),
        ("recommender", "iALS", "wrmf"),
        ("filter", "binarize", "binarise"),
        ("split", "loo", "leave_out"),
        ("test", "randomization", "randomisation"),
        ("aggregate", "standardized", "standardised"),
        ("users", "all", "with_ratings"),
    ],
)
def test_the_names_of_others_are_taken_and_change_nothing_but_the_name(kind, name, ours, caplog):
    registry._alias_spec.cache_clear()
    with caplog.at_level("INFO"):
        assert plugins.build(kind, name).spec == plugins.build(kind, ours).spec
    assert plugins.address(kind, plugins.build(kind, name).spec) == plugins.address(kind, plugins.build(kind, ours).spec)
    said = [record.getMessage() for record in caplog.records]
    assert bool(said) == (plain(name.partition("(")[0]) != plain(ours.partition("(")[0]))


def test_a_spelling_keeps_every_parameter_that_is_set():
    asked = plugins.spelt_out("recommender", "UserKNN(k=100)")
    assert (asked.written, str(asked)) == ("user_knn(k=100)", "user_knn")
    assert plugins.spelt_out("split", "per_user(random(count=exact))").written == "per_user(of=random(count=exact))"


def test_paths_become_names_of_files_at_any_depth():
    spec = parse('percentile(m=5,of=predefined(path="/home/me/folds.csv"))')
    assert str(plugins.with_file_names("split", spec)) == "percentile(m=5,of=predefined(path=folds.csv))"


@pytest.mark.parametrize("kind", plugins.PACKAGES)
def test_every_class_in_the_modules_of_a_kind_has_a_name(kind):
    loaded = [plugins.load(kind, name) for name in plugins.names(kind)]
    for module in {sys.modules[cls.__module__] for cls in loaded}:
        classes = (cls for cls in vars(module).values() if isinstance(cls, type) and cls.__module__ == module.__name__)
        own = {cls for cls in classes if issubclass(cls, plugins.Plugin) and cls.__name__[0] != "_" and not inspect.isabstract(cls)}
        assert own <= set(loaded)


@pytest.mark.parametrize("kind", plugins.PACKAGES)
def test_every_synonym_leads_to_something_that_exists(kind):
    classes = [plugins.load(kind, name) for name in plugins.names(kind)]
    parameters = {name for cls in classes for name in cls.model_fields}
    for cls in classes:
        for meant in cls.meanings().values():
            assert plugins.build(kind, meant).plugin_name() == cls.plugin_name()
        assert not set(cls.meanings()) & set(plugins.names(kind))
        for base in cls.__mro__:
            for other, meant in vars(base).get("synonyms", {}).items():
                assert meant in parameters or " " in meant, (other, meant)


def test_a_class_typed_into_a_session_is_refused(monkeypatch):
    # A module without its own file, such as __main__: other jobs could not load it.
    monkeypatch.setitem(sys.modules, "session", ModuleType("session"))
    with pytest.raises(SpecError, match="no module 'session'"):
        plugins.build("recommender", "session.Foo")


def test_ones_own_class_is_found_below_the_folders_given(tmp_path):
    (tmp_path / "ownlab").mkdir()
    (tmp_path / "ownlab" / "models.py").write_text(
        "from pydantic import Field\nfrom recsens.data.splitting import Splitter\n\n\n"
        "class Halves(Splitter):\n"
        '    share: float = Field(0.5, gt=0, lt=1, description="share")\n\n'
        "    def roles(self, interactions, fold, stream):\n        raise NotImplementedError\n"
    )
    plugins.add_paths([tmp_path, tmp_path])
    assert sys.path.count(str(tmp_path)) == 1
    built = plugins.build("split", "ownlab.models.Halves(share=.25)")
    assert str(built.spec) == "ownlab.models.Halves(share=0.25)"
    assert built.spec.slug == "ownlab.models.Halves@share=0.25"
    with pytest.raises(SpecError, match="is not a recommender"):
        plugins.build("recommender", "ownlab.models.Halves")
    with pytest.raises(SpecError, match=r"less than 1"):
        plugins.build("split", "ownlab.models.Halves(share=1)")


def test_a_module_given_without_its_class_is_said_to_be_one(tmp_path, monkeypatch, approved):
    (tmp_path / "leafy").mkdir()
    (tmp_path / "leafy" / "good.py").write_text(
        "from recsens.data.splitting import Splitter\n\n\nclass Halves(Splitter):\n    pass\n"
    )
    (tmp_path / "leafy" / "empty.py").touch()
    (tmp_path / "leafy" / "broken.py").write_text("1 / 0\n")
    for loaded in ("leafy", "leafy.good", "leafy.empty", "leafy.broken"):
        monkeypatch.delitem(sys.modules, loaded, raising=False)
    plugins.add_paths([tmp_path])
    names = ("leafy.good", "leafy.empty", "leafy.broken", "leafy.absent", "leafy.good.Halfs")
    approved({name: refusal(partial(plugins.build, "split", name), SpecError) for name in names})


@pytest.mark.parametrize(
    ("kind", "package", "name", "module"),
    [("recommender", "recommenders", "popularity", "trivial"), ("metric", "metrics", "nDCG", "discounted_gain")],
)
def test_loading_one_plugin_imports_no_sibling(kind, package, name, module):
    script = (
        f"import sys\nfrom recsens import plugins\nplugins.load({kind!r}, {name!r})\n"
        f"print([name for name in sys.modules if name.startswith('recsens.{package}.')])"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    loaded = {name.rpartition(".")[2] for name in ast.literal_eval(done.stdout)}
    assert {name for name in loaded if not name.startswith("_")} == {module}
