"""A newcomer's mistakes: each message says what is wrong, where, and what to do; none is a traceback."""

import numpy as np
import pytest
from click.testing import CliRunner

from recsens import plugins
from recsens.cli import main
from recsens.conclusions.design_space import base_designs
from recsens.errors import ConfigError, DataError, DesignError, RecsensError, SpecError
from recsens.files.kinds import Column
from recsens.files.scale import Scale
from recsens.outcomes.measuring.stored_rankings import RankedUsers
from recsens.pipeline.fitting import fit_recommender
from recsens.plugins.specs import parse
from recsens.ranking import rank
from recsens.ranking.nc.drop import Drop
from recsens.ranking.targets.all_relevant import AR
from recsens.recommenders import Recommender
from recsens.report.settings.statement import statement
from recsens.seeds import Origin, Stream
from recsens.study import find_study, load_study
from recsens.testing import from_rows
from recsens.workflow.plan import Plan

STUDY = """title: T
datasets:
  Sim: simulated
systems:
  Pop: popularity
  kNN: user_knn
metrics: [P@10]
"""


def refusal(tmp_path, text: str | bytes) -> str:
    path = tmp_path / "s.yaml"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    with pytest.raises(ConfigError) as refused:
        load_study(path)
    return str(refused.value)


def test_a_mistake_in_a_study_is_told_in_the_words_of_yaml(tmp_path, approved):
    cases = (
        ("Pop:", "no:"),
        ("Pop:", "10:"),
        ("title: T", "title:"),
        ("title: T", "title: 2024"),
        ("title: T", "title: T: U"),
        ("  Pop", "\tPop"),
        ("metrics", "design:\nmetrics"),
        ("metrics", "vary: {view: condensed}\nmetrics"),
        ("metrics", "compare: [[Pop, kNN], [kNN, Pop]]\nmetrics"),
        ("metrics", "---\nmetrics"),
        ("metrics", "vary: {split: [random(ratio=0.5,count=exact)]}\nmetrics"),
        ("P@10", "P@5,10"),
        ("metrics", "design: {nc: no}\nmetrics"),
        ("metrics", "design: {coverage: no}\nmetrics"),
        ("metrics", "design: {nc: null}\nmetrics"),
        ("metrics", "design: {filter: [k_core]}\nmetrics"),
        ("metrics", "vary: {split: [0.2, 0.5]}\nmetrics"),
        ("metrics", "design: {split: [0.2, 0.5]}\nmetrics"),
        ("metrics", "design: {split: 0.8}\nmetrics"),
        ("metrics", "design: {split: 5}\nmetrics"),
        ("metrics", "design: {nc: [drop]}\nmetrics"),
        ("Sim: simulated", "Sim: ml-100k"),
        ("metrics", "view: full\nmetrics"),
        ("metrics", "design: {metrics: [P@5]}\nmetrics"),
        ("metrics", "experiments: {X: {dataset: Sim, view: full, alpha: 0.1}}\nmetrics"),
        ("metrics", "compare: [Pop, kNN]\nmetrics"),
        ("metrics", "experiments: {X: {dataset: Sim, compare: [[Pop, MF]]}}\nmetrics"),
    )
    told = {f"{old} -> {new}": refusal(tmp_path, STUDY.replace(old, new)) for old, new in cases}
    assert not [word for word in ("dictionary", "tuple", "<unicode string>") for text in told.values() if word in text]
    approved(told)


def test_what_is_allowed_stands_below_the_mistake_that_it_is_about(tmp_path):
    said = refusal(tmp_path, STUDY.replace("popularity", "popularty").replace("user_knn", "user_knn(n=1)")).splitlines()
    assert [line.startswith("    allowed:") for line in said].count(True) == 2
    assert said[1].startswith("  - systems.Pop: ")


def test_of_a_component_within_another_only_its_own_parameters_are_listed(tmp_path):
    said = refusal(tmp_path, STUDY.replace("metrics", "design: {split: per_user(of=random(ratio=2))}\nmetrics"))
    assert said.count("allowed: ") == 1
    assert "allowed: ratio (number > 0 < 1" in said


def test_all_names_that_a_study_lacks_are_told_at_once(tmp_path):
    wrong = """vary: {views: [full], testing: [sign]}
compare: [[Popp, kNN], [Pop, kN]]
claims:
  - {claim: "wins(a=kNNN,b=Pop)", source: x}
  - {claim: "wins(a=kNN,b=Popp)", source: x}
metrics"""
    assert refusal(tmp_path, STUDY.replace("metrics", wrong)).count("unknown decision") == 2
    said = refusal(tmp_path, STUDY.replace("metrics", wrong.partition("\n")[2]))
    assert all(f"unknown system '{name}'" in said for name in ("Popp", "kN", "kNNN"))
    assert "3 mistakes" in said


def test_advice_is_given_once(tmp_path):
    assert refusal(tmp_path, STUDY.replace("popularity", "popularty")).count("what to do: ") == 1


def test_the_place_of_a_foreign_byte_is_named(tmp_path):
    assert "byte 0xf6 on line 2" in refusal(tmp_path, "title: x\ndescription: Größe\n".encode("latin-1"))


def test_outside_a_checkout_the_studies_that_come_along_are_named(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert find_study("quickstart").is_file()
    said = CliRunner().invoke(main, ["run", "quikstart"])
    assert said.exit_code == 1
    assert "no study 'quikstart'; did you mean 'quickstart'?" in said.output
    assert not list(tmp_path.iterdir())


def test_a_data_file_is_missed_under_the_label_of_its_data_set(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "s.yaml").write_text(STUDY.replace("simulated", "delimited(path=nowhere.csv)"))
    with pytest.raises(DataError, match=r"s\.yaml: datasets\.Sim: path: there is no file 'nowhere\.csv'"):
        _ = Plan("s.yaml").sources


def test_a_folder_is_not_called_missing(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "s.yaml").write_text(STUDY.replace("simulated", "delimited(path=folder)"))
    (tmp_path / "folder").mkdir()
    with pytest.raises(DataError, match="folder: a folder, not a file"):
        _ = Plan("s.yaml").sources


def test_a_decimal_comma_is_noticed():
    assert "with a decimal point" in str(Column("rating", "number", Scale(1, 5, 0.5)).fault("3,5", "a.csv:1"))


def test_a_backslash_in_a_path_is_noticed():
    with pytest.raises(SpecError) as refused:
        parse(r'delimited(path="data\my.csv")')
    assert "backslash" in str(refused.value)


def test_true_is_written_small():
    with pytest.raises(SpecError, match="header = 'True': must be true or false"):
        plugins.build("dataset", "delimited(header=True)")


MINE = """import numpy as np
from recsens.recommenders import Recommender

class Mine(Recommender):
    def fit(self, train, rng):
        return self
"""
SCORE = "    def score(self, train, users):\n        return np.zeros((len(users), train.n_items))\n"


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        pytest.param("class Mine(:\n", [".py:1: ", "SyntaxError"], id="syntax error"),
        pytest.param("import os\nimport nosuchlibrary\n", [".py:2: ", "No module named 'nosuchlibrary'"], id="missing library"),
        pytest.param("x = 1\ny = x / 0\n", [".py:2: ", "ZeroDivisionError"], id="fails on import"),
        pytest.param(MINE, ["does not define score"], id="no score"),
        pytest.param((MINE + SCORE).replace("Mine(", "Mein("), ["no such class; did you mean 'Mein'?"], id="misspelt class"),
        pytest.param(MINE + SCORE + "    def __init__(self, k=3):\n        self.k = k\n", ["declare parameters"], id="__init__"),
    ],
)
def test_what_is_wrong_with_a_plug_in_is_said_with_its_file(tmp_path, request, text, parts):
    module = f"newcomer_{abs(hash(request.node.callspec.id))}"
    (tmp_path / f"{module}.py").write_text(text)
    plugins.add_paths([tmp_path])
    with pytest.raises(SpecError) as refused:
        plugins.build("recommender", f"{module}.Mine")
    for part in [str(tmp_path / module) if "did you" not in parts[0] else module, *parts]:
        assert part in str(refused.value)


class Careless(Recommender):
    def fit(self, train, rng):
        return None

    def score(self, train, users):
        return [[0.0] * train.n_items for _ in users]


def test_a_fit_that_forgets_to_return_itself_is_told_so(monkeypatch):
    monkeypatch.setattr(plugins.registry, "build", lambda kind, spec: Careless())
    with pytest.raises(DesignError, match="returned NoneType") as refused:
        fit_recommender("careless", from_rows([[1]]), Origin(0, "x", "repeat-0"))
    assert "return self" in str(refused.value)


@pytest.mark.parametrize("scores", [[[0.0]], np.array([["good"]]), np.array([[None]])])
def test_scores_that_are_no_numbers_are_refused(scores):
    data = from_rows([[1]])

    class Wordy(Careless):
        def score(self, train, users):
            return scores

    with pytest.raises(DesignError, match="as scores"):
        rank(
            Wordy(),
            data,
            data,
            targets=AR(),
            relevance=4,
            ties="random",
            nc=Drop(),
            fallback=None,
            list_depth=1,
            tie_stream=Stream(0),
            target_stream=Stream(1),
        )


def test_a_threshold_above_the_scale_is_refused():
    counts = {"scored": np.array([1]), "targets": np.array([1])}
    ranked = RankedUsers(np.zeros(1, np.int32), np.ones(1, np.int64), np.array([5.0]), counts, Scale())
    assert ranked.judged("full", 5).n_relevant.tolist() == [1]
    with pytest.raises(DesignError, match="relevance: 7 is above the highest rating") as refused:
        ranked.judged("full", 7)
    assert isinstance(refused.value, RecsensError)


def test_no_threshold_is_claimed_of_a_data_set_without_ratings(tmp_path):
    (tmp_path / "s.yaml").write_text(STUDY.replace("simulated", "delimited(rating=null)"))
    study = load_study(tmp_path / "s.yaml")
    said = next(line for line in statement(base_designs(study.own)) if line.name == "Relevant ratings")
    assert said.value == "every test interaction"
