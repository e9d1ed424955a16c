"""Plug-ins: found by name, built from specs, or refused with a message that says what is allowed."""

import ast
import inspect
import subprocess
import sys
from types import ModuleType

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recsens import plugins
from recsens.errors import SpecError, plain
from recsens.plugins import registry
from recsens.plugins.specs import Spec, parse, parse_slug


def every_plugin() -> list[tuple[str, str]]:
    return [(kind, name) for kind in plugins.PACKAGES for name in plugins.names(kind)]


@pytest.mark.parametrize(("kind", "name"), every_plugin())
def test_every_plugin_is_built_by_its_name_and_written_back(kind, name):
    built = plugins.build(kind, name)
    assert built.kind == kind
    assert built.plugin_name() == name
    assert built.spec == Spec(name)
    again = plugins.build(kind, str(built.full_spec))
    assert again == built
    assert again.spec == Spec(name)


@pytest.mark.parametrize(("kind", "name"), every_plugin())
def test_every_parameter_is_described_and_documented(kind, name):
    cls = plugins.load(kind, name)
    assert cls.__doc__
    for parameter, field in cls.model_fields.items():
        assert field.description, parameter
        assert not field.is_required(), parameter
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


@pytest.mark.parametrize(
    ("kind", "spec", "parts"),
    [
        (
            "recommender",
            "user_kn",
            ["unknown recommender 'user_kn'", "did you mean 'user_knn'?", "allowed:", "popularity", "plugins:"],
        ),
        ("metric", "ndgc", ["unknown metric 'ndgc'", "did you mean 'nDCG'?"]),
        ("recommender", "zzz", ["unknown recommender 'zzz'\n"]),
        (
            "recommender",
            "user_knn(kk=3)",
            ["unknown parameter 'kk'", "did you mean 'k'?", "k (integer >= 1 <= 10000, default 100)"],
        ),
        (
            "recommender",
            "user_knn(k=0)",
            ["recommender 'user_knn(k=0)'", "k = 0", "greater than or equal to 1", "allowed: k (integer"],
        ),
        ("recommender", "user_knn(k=2.5)", ["k = 2.5", "integer"]),
        ("recommender", "user_knn(k=true)", ["k = True", "integer"]),
        ("recommender", 'user_knn(k="3")', ["k = '3'", "integer"]),
        ("recommender", "user_knn(similarity=cosin)", ["similarity = 'cosin'", "'cosine'"]),
        ("recommender", "user_knn(k=0,q=-1)", ["k = 0", "q = -1"]),
        ("recommender", "user_knn(3,k=3)", ["the unnamed value 3 does not belong to any parameter"]),
        ("filter", "none(3)", ["the unnamed value 3 does not belong to any parameter"]),
        ("filter", "none(k=3)", ["unknown parameter 'k'", "no parameters"]),
        ("split", "random(ratio=1.5)", ["ratio = 1.5", "less than 1", "ratio (number > 0 < 1, default 0.8)"]),
        ("recommender", "nowhere.models.Foo", ["no module 'nowhere.models'", "'plugins:' list"]),
        ("recommender", "json.JSONDecoder", ["no module 'json'", "the installed 'json' is not imported"]),
        ("recommender", "sys.Nothing", ["no module 'sys'", "the installed 'sys' is not imported"]),
        ("recommender", "recsens.data.splitting.random.Random", ["is not a recommender", "recsens.recommenders"]),
        ("recommender", "recsens.data.splitting.random.Nothing", ["is not a recommender: ", "random.py holds no such class"]),
        ("recommender", "recsens.workflow.job.Nothing", ["no module 'recsens.workflow.job'"]),
    ],
)
def test_a_refusal_names_the_culprit_and_what_is_allowed(kind, spec, parts):
    with pytest.raises(SpecError) as refused:
        plugins.build(kind, spec)
    message = f"{refused.value}\n"
    for part in parts:
        assert part in message


def test_the_innermost_fault_is_told_once_with_the_way_to_it():
    with pytest.raises(SpecError) as refused:
        plugins.build("recommender", "tuned(of=calibrated(of=tuned(of=item_kn)))")
    message = str(refused.value)
    way = "in tuned(of=...) > calibrated(of=...) > tuned(of=...)"
    assert message.startswith(f"{way}: unknown recommender 'item_kn'; did you mean 'item_knn'?\n  allowed:")
    assert [message.count(part) for part in ("item_kn'", "allowed:", "what to do:")] == [1, 1, 1]


@pytest.mark.parametrize(
    ("kind", "spec", "meant"),
    [
        ("dataset", "ml-100k", "unknown dataset 'ml-100k'; did you mean 'movielens(release=100k)'?"),
        ("dataset", "MovieLens latest-small(path=x)", "did you mean 'movielens(release=latest-small)'?"),
        ("dataset", "movielens(version=1m)", "did you mean 'release' (which release)?"),
        ("dataset", 'delimited(sep=",")', "did you mean 'separator' (separator of fields"),
        ("dataset", "delimited(rating_scale=[1,5])", "unknown parameter 'rating_scale'; lowest, highest and step declare"),
        ("recommender", "knn", "recommender 'knn' has several meanings: item_knn and user_knn share this name"),
        ("recommender", "SVD", "has several meanings: biased_mf and pure_svd share this name"),
        ("recommender", "user_knn(neighbors=50)", "unknown parameter 'neighbors'; did you mean 'k' (number of neighbours)?"),
        ("recommender", "item_knn(n_neighbors=50)", "did you mean 'k' ("),
        ("recommender", "hkv(n_factors=50)", "did you mean 'factors' ("),
        ("recommender", "hkv(regularisation=50)", "did you mean 'regularization'?"),
        ("recommender", "plsa(n_topics=50)", "did you mean 'topics' ("),
        ("recommender", "random(seed=1)", "unknown parameter 'seed'; 'seed: 1' at the left margin"),
        (
            "recommender",
            "user_knn(k=[5,10])",
            "k = [5,10]: only one value is allowed; give each a separate label under 'systems'",
        ),
        ("recommender", "user_knn(k=[5,10])", "tuned(of=user_knn,search=grid(k=[5,10]))"),
        ("split", "random(ratio=[0.2,0.5])", "list the component with each: [random(ratio=0.2), random(ratio=0.5)]"),
        ("split", "random(test_size=0.2)", "ratio is the share that goes to train"),
        ("split", "leave-one-out", "did you mean 'leave_out'?"),
        ("split", "k_fold(n_splits=3)", "did you mean 'k' ("),
        ("metric", "nDCG(k=10)", "unknown parameter 'k'; the cut-off follows the name"),
        ("targets", "ar(n_negatives=100)", "did you mean 'n' ("),
    ],
)
def test_what_others_call_a_plug_in_or_a_parameter_is_answered_with_ours(kind, spec, meant):
    with pytest.raises(SpecError) as refused:
        plugins.build(kind, spec)
    assert meant in str(refused.value)


@pytest.mark.parametrize(
    ("kind", "name", "ours"),
    [
        ("dataset", "ML_1M", "movielens(release=1m)"),
        ("dataset", "csv", 'delimited(header=true,item=item,rating=rating,separator=",",user=user)'),
        ("dataset", "csv(rating=null,item=sku)", 'delimited(header=true,item=sku,rating=null,separator=",",user=user)'),
        ("recommender", "ItemKNN", "item_knn"),
        ("recommender", "itemknn(k=10)", "item_knn(k=10)"),
        ("recommender", "pop", "popularity"),
        ("recommender", "als(factors=20)", "wrmf(factors=20)"),
        ("recommender", "iALS", "wrmf"),
        ("filter", "binarize", "binarise"),
        ("split", "loo", "leave_out"),
        ("test", "randomization", "randomisation"),
        ("aggregate", "standardized", "standardised"),
        ("users", "all", "with_ratings"),
    ],
)
def test_the_names_of_others_are_taken_and_change_nothing_but_the_name(kind, name, ours, caplog):
    registry._aliased.cache_clear()
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


def test_a_mistake_in_what_stands_in_brackets_is_no_unknown_name():
    with pytest.raises(SpecError, match="cannot read 'delimited") as refused:
        plugins.build("dataset", "delimited(path=runs/{fold}.csv)")
    assert 'in double quotes: path="runs/{fold}.csv"' in str(refused.value)


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


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("leafy.good", "'leafy.good' is a module, not a split\n  what to do: name the class in it: leafy.good.Halves"),
        ("leafy.empty", "'leafy.empty' is a module, not a split\n  what to do: name the class in it: leafy.empty.ClassName"),
        ("leafy.broken", "split 'leafy.broken': {folder}/broken.py:1: cannot be imported: ZeroDivisionError"),
        ("leafy.absent", "'leafy.absent' is not a split: {folder} holds no such class\n"),
        ("leafy.good.Halfs", "'leafy.good.Halfs' is not a split: {folder}/good.py holds no such class; did you mean 'Halves'?"),
    ],
)
def test_a_module_given_without_its_class_is_said_to_be_one(tmp_path, monkeypatch, name, message):
    (tmp_path / "leafy").mkdir()
    (tmp_path / "leafy" / "good.py").write_text(
        "from recsens.data.splitting import Splitter\n\n\nclass Halves(Splitter):\n    pass\n"
    )
    (tmp_path / "leafy" / "empty.py").touch()
    (tmp_path / "leafy" / "broken.py").write_text("1 / 0\n")
    for loaded in ("leafy", "leafy.good", "leafy.empty", "leafy.broken"):
        monkeypatch.delitem(sys.modules, loaded, raising=False)
    plugins.add_paths([tmp_path])
    with pytest.raises(SpecError) as refused:
        plugins.build("split", name)
    assert message.format(folder=tmp_path / "leafy") in str(refused.value)


@pytest.mark.parametrize(
    ("kind", "package", "name", "module"),
    [("recommender", "recommenders", "popularity", "popularity"), ("metric", "metrics", "nDCG", "discounted_gain")],
)
def test_loading_one_plugin_imports_no_sibling(kind, package, name, module):
    script = (
        f"import sys\nfrom recsens import plugins\nplugins.load({kind!r}, {name!r})\n"
        f"print([name for name in sys.modules if name.startswith('recsens.{package}.')])"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    loaded = {name.rpartition(".")[2] for name in ast.literal_eval(done.stdout)}
    assert {name for name in loaded if not name.startswith("_")} == {module}
