"""A run of a study that judges metrics: what it writes, what an edit re-runs, and that only the numbers matter."""

import re
from contextlib import chdir
from functools import partial
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import yaml
from scipy import stats

import in_process
from in_process import PRESENTED, compute
from recsens.artefacts import schemas, storage
from recsens.comparison.aggregation import Aggregate
from recsens.comparison.users import Users
from recsens.conclusions.meta import FINDINGS, Board, MetricAnalysis, MetricAnalysisTask, Rules, _agreement_curves, columns_of
from recsens.conclusions.verdicts.study_tables import read_table
from recsens.errors import ArtefactError, DesignError
from recsens.outcomes.measuring.stored_rankings import RankedUsers
from recsens.seeds import Origin
from recsens.study import Study
from recsens.study.designs import folds
from recsens.vocabulary import Role
from recsens.workflow.job_inputs import statement_of
from recsens.workflow.plan import Plan
from recsens.workflow.planned_jobs import planned_jobs
from recsens.workflow.results_in_words import results_in_words
from recsens.workflow.verify import verify_all
from workspaces import STUDY, copied, made_once

pytestmark = pytest.mark.workflow

SPARSITY = "sparsity(samples=4,sizes=[100,60,20])"
JUDGED = {
    **STUDY,
    "title": "Metrics judged",
    "systems": {"Popularity": "popularity", "kNN": "user_knn(k=10)", "Random": "random"},
    "design": {"split": "random(ratio=0.5)", "repeats": 2},
    "vary": {
        "view": ["condensed"],
        "coverage": ["reduced"],
        "users": ["with_ratings(train=1,relevant=1)"],
        "aggregate": ["geometric", "weighted(by=test)"],
    },
    "meta": [SPARSITY, {"analysis": "discrimination(test=t)", "metrics": ["P@5", "RR"]}, "popularity(shares=[0,5,10])"],
    # Instead of the usual figures, which do not show analyses of metrics.
    "figures": {"holes": "robustness(analysis=sparsity)", "heads": "robustness(analysis=popularity)", "told-apart": "curve"},
    "claims": [
        {"claim": "metric_bounds(analysis=sparsity,between=[-1,1])", "source": "by definition"},
        {"claim": "metric_beats(analysis=discrimination,a=P@5,b=RR)", "source": "nobody"},
    ],
}
TABLES = Path("results/studies/judged")
to_do = partial(in_process.to_do, Path(), "judged.yaml")
N_FOLDS = 2
AFTER_RANKING = ("view", "coverage", "user_selection", "aggregate")


@pytest.fixture(scope="session")
def judged_once(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Run the study's jobs in this process, once for all test processes; tests must not change the results."""

    def run(root: Path) -> None:
        root.mkdir()
        with chdir(root):
            write()
        compute(root, "judged.yaml")

    return made_once("judged", run, tmp_path_factory)


@pytest.fixture
def judged(judged_once: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Work in a copy of the finished study."""
    root = copied(judged_once, tmp_path / "judged")
    monkeypatch.chdir(root)
    return root


@pytest.fixture
def here(judged_once: Path, monkeypatch: pytest.MonkeyPatch) -> Plan:
    """Look at the finished study, which tests must not change."""
    monkeypatch.chdir(judged_once)
    return Plan("judged.yaml")


def write(**changes: object) -> None:
    """Write the study with some keys changed."""
    Path("judged.yaml").write_text(yaml.safe_dump({**JUDGED, **changes}, sort_keys=False), encoding="utf-8")


def test_findings_stand_for_each_fold_and_for_all(here: Plan) -> None:
    found = read_table(TABLES / "findings.csv", "findings")
    numbers = pd.crosstab([found["analysis"], found["quantity"]], found["fold"])
    assert set(numbers.columns) == {"all", "repeat-0", "repeat-1"}
    assert (numbers["repeat-0"] == numbers["repeat-1"]).all()
    apart = numbers.index.isin([("discrimination", "p")])
    assert (numbers["all"] == np.where(apart, 0, numbers["repeat-0"])).all()
    assert numbers.loc[("sparsity", "tau"), "repeat-0"] == 2 * 3
    assert numbers.loc[("discrimination", "p"), "repeat-0"] == 2 * 3
    assert set(found["dataset"]) == {"Tiny"}


def test_findings_are_what_the_analysis_says_of_a_board(here: Plan) -> None:
    study, found = here.study, read_table(TABLES / "findings.csv", "findings")
    for name, entry in study.meta.items():
        question = study.asked(entry)
        for nth, fold in enumerate(folds(here.designs["Tiny"][0])):
            stream = Origin(study.seed, here.sources["Tiny"].component.identity).stream("meta")
            board = board_of(here, nth, 0)
            asked = MetricAnalysisTask(question.metrics, question.pairs, question.alpha, stream)
            analysis = MetricAnalysis.build(entry.analysis)
            by_hand = pd.DataFrame(columns_of(analysis.analyse(board, asked)))
            rows = found[(found["analysis"] == name) & (found["fold"] == fold.name)].reset_index(drop=True)
            assert len(rows) == len(by_hand) > 0
            for column in FINDINGS.names:
                assert by_hand[column].equals(rows[column].astype(by_hand[column].dtype)), (name, column)


def test_a_board_gives_the_values_of_the_summary_whatever_is_decided_after_ranking(here: Plan) -> None:
    summary, metrics = read_table(TABLES / "summary.csv", "summary"), here.study.metrics
    assert len(here.designs["Tiny"]) == 6
    for number, design in enumerate(here.designs["Tiny"]):
        values = np.mean([board_of(here, fold, number).totals(metrics) for fold in range(2)], axis=0)
        columns = design.columns()
        alike = [summary[name] == columns[name] for name in AFTER_RANKING]
        rows = summary[np.logical_and.reduce(alike)]
        for nth, metric in enumerate(metrics):
            printed = rows[rows["metric"] == metric.written].set_index("system")["value"]
            assert printed.index.tolist() == list(here.study.systems)
            np.testing.assert_allclose(values[nth], printed, rtol=1e-9, err_msg=str(design.columns()))


def test_under_one_ranking_per_rating_the_tests_are_those_of_the_study(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    targets, analyses = {"single": "one_r(n=20)", "strata": "p1r(m=2,n=10)"}, ["discrimination(test=t)", "correlation"]
    write(
        design={"split": "random(ratio=0.5)"},
        vary={},
        claims=[],
        figures={},
        metrics=["P@5", "nDCG@5"],
        experiments={name: {"dataset": "Tiny", "design": {"targets": each}} for name, each in targets.items()},
        meta={f"{each.partition('(')[0]}-{name}": {"analysis": each, "experiment": name} for name in targets for each in analyses},
    )
    compute(tmp_path, "judged.yaml", without=PRESENTED - {"describe_ties"})
    found = read_table(TABLES / "findings.csv", "findings")
    compared = read_table(TABLES / "comparisons.csv", "comparisons").query("fold == 'all'")
    means = read_table(TABLES / "summary.csv", "summary").pivot_table(index=["dataset", "system"], columns="metric", values="value")
    keys = ["metric", "system_a", "system_b"]
    for name in targets:
        p = found[(found["analysis"] == f"discrimination-{name}") & (found["quantity"] == "p")].set_index(keys)["value"]
        studied = compared[compared["dataset"] == name].set_index(keys)["p_value"]
        assert len(p) == 2 * 3
        np.testing.assert_allclose(p, studied.reindex(p.index), rtol=1e-9)
        agreement = found[(found["analysis"] == f"correlation-{name}") & (found["quantity"] == "mean_agreement")]["value"]
        np.testing.assert_allclose(agreement, stats.kendalltau(means.loc[name, "P@5"], means.loc[name, "nDCG@5"]).statistic)
    assert "tells systems apart best (discrimination-single: DP" in "\n".join(results_in_words(Plan("judged.yaml")))


def test_metrics_of_all_users_together_are_judged_by_the_study_s_own_values(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    metrics = ["nDCG@5", "CatalogCoverage@5", "HLU@5"]
    apart = {"analysis": "discrimination(exchanges=50)", "metrics": metrics[:2]}
    write(vary={}, claims=[], figures={}, metrics=metrics, design={"coverage": "reduced"}, meta=["correlation", apart])
    compute(tmp_path, "judged.yaml")
    found, summary = (read_table(TABLES / f"{name}.csv", name) for name in ("findings", "summary"))
    values = summary.pivot_table(index="system", columns="metric", values="value")
    agreement = found[(found["quantity"] == "agreement") & (found["fold"] == "all")].set_index(["metric", "against"])["value"]
    for metric in metrics[1:]:
        expected = stats.kendalltau(values[metric], values["nDCG@5"]).statistic
        np.testing.assert_allclose(agreement[metric, "nDCG@5"], expected)
    p = found[(found["quantity"] == "p") & (found["metric"] == "CatalogCoverage@5")]["value"]
    assert len(p) == 3
    assert ((p * 51).round(9) % 1 == 0).all()


@pytest.mark.parametrize("analysis", ["sparsity", "dial", "split_half"])
def test_percentiles_are_refused_where_parts_do_not_share_them(analysis: str) -> None:
    with pytest.raises(ValueError, match="targets 'p1r"):
        Study.model_validate({**JUDGED, "design": {"targets": "p1r"}, "claims": [], "figures": {}, "meta": [analysis]})


def test_metrics_that_an_analysis_alone_names_are_refused_like_the_study_s(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for metric in ("AUC", "Spearman", "ILD@5"):
        metrics = {"metrics": ["P@5", metric], "analysis": "discrimination"}
        write(design={"targets": "one_r"}, vary={}, claims=[], figures={}, metrics=["P@5"], meta={"apart": metrics})
        with pytest.raises(DesignError, match=re.escape(f"'targets: one_r' and 'meta: {metric}' do not go together")):
            Plan("judged.yaml").refuse_conflicts()


def board_of(plan: Plan, nth_fold: int, nth_design: int) -> Board:
    """Put the rankings of one fold on a board, under the decisions of a design."""
    design = plan.designs["Tiny"][nth_design]
    fold, data = folds(design)[nth_fold], design.filter_address.data
    ranked = {
        label: RankedUsers.read(*map(str, design.ranking_address(fold, spec).measured))
        for label, spec in plan.study.systems.items()
    }
    item = storage.column(storage.read_table(data.interactions, schemas.INTERACTIONS), "item")
    role = storage.column(storage.read_table(design.fold_address(fold).roles, schemas.ROLES), "role")
    n_items = len(storage.read_table(data.item_ids, schemas.IDS))
    decided = Rules(design.view, design.relevance, Users.build(design.users), design.coverage, Aggregate.build(design.aggregate))
    return Board.of(ranked, np.bincount(item[role == Role.TRAIN], minlength=n_items), decided, {})


def test_claims_about_metrics_are_judged(here: Plan) -> None:
    verdicts = read_table(TABLES / "claims.csv", "claims")["verdict"].tolist()
    found = read_table(TABLES / "findings.csv", "findings")
    dp = found[(found["quantity"] == "DP") & (found["fold"] == "all")].set_index("metric")
    gap, reach = dp.loc["RR", "value"] - dp.loc["P@5", "value"], np.hypot(*((dp["high"] - dp["low"]) / 2))
    told = "undecided" if abs(gap) < reach else "held" if gap > 0 else "not held"
    # With two folds, the interval of a mean is wide, and may exceed the range of a correlation.
    area = found[(found["quantity"] == "area") & (found["analysis"] == "sparsity") & (found["fold"] == "all")]
    within = "held" if (area["low"].min() >= -1 and area["high"].max() <= 1) else "undecided"
    assert verdicts == [within, told]


def test_the_report_shows_the_order_of_metrics_and_a_figure_an_analysis(here: Plan) -> None:
    page = (TABLES / "report.html").read_text(encoding="utf-8")
    assert "The metrics judged" in page
    for name in JUDGED["figures"]:  # type: ignore[attr-defined]
        assert f"{name}.pdf" in page
        assert {path.suffix for path in (TABLES / "figures").glob(f"{name}.*")} == {".svg", ".png", ".pdf"}
    for suffix in ("tex", "csv", "md"):
        assert "discrimination" in (TABLES / f"tables/metric-ranking.{suffix}").read_text(encoding="utf-8")


def test_every_result_is_sound_and_a_flipped_bit_is_refused(judged: Path) -> None:
    assert set(verify_all().counts) == {"sound"}
    path = min(TABLES.glob("meta/sparsity/*.parquet"))
    content = bytearray(path.read_bytes())
    content[len(content) // 3] ^= 1
    path.write_bytes(bytes(content))
    with pytest.raises(ArtefactError, match=path.name):
        storage.read_table(path, FINDINGS)
    assert set(verify_all().counts) == {"sound", "damaged", "waiting"}


def test_an_analysis_states_its_rankings_its_parameters_and_its_code(here: Plan) -> None:
    made = statement_of(TABLES / "meta/popularity/tiny.repeat-0.parquet").made
    assert made.step == "analyse_metrics"
    assert sum(path.endswith("positions.parquet") for path in made.inputs) == len(JUDGED["systems"])  # type: ignore[arg-type]


def test_an_edit_re_runs_what_depends_on_it_and_nothing_before(judged: Path) -> None:
    assert not to_do()
    sparsity, discrimination, popularity = JUDGED["meta"]  # type: ignore[misc]

    write(meta=[sparsity, {**discrimination, "metrics": ["P@5", "RR", "AP"]}, popularity])
    told = to_do()
    assert told["analyse_metrics"] == N_FOLDS
    assert set(told) <= {"analyse_metrics", "findings", "figure", "claims", "report"}

    write(title="Judged metrics")
    assert set(to_do()) == {"report"}

    write(meta={"holes": sparsity, "discrimination": discrimination, "popularity": popularity}, claims=[], figures=["curve"])
    assert to_do()["analyse_metrics"] == N_FOLDS

    write(alpha=0.1)
    assert not {"rank", "measure", "summarise"} & set(to_do())


@pytest.mark.parametrize("n_threads", [1, 2])
def test_the_number_of_threads_changes_no_byte(judged: Path, monkeypatch: pytest.MonkeyPatch, n_threads: int) -> None:
    monkeypatch.setattr(_agreement_curves, "n_threads_for", lambda board, metrics: n_threads)
    before = {path: path.read_bytes() for path in [*TABLES.glob("meta/*/*.parquet"), TABLES / "findings.csv"]}
    assert len(before) == 3 * N_FOLDS + 1
    for job in planned_jobs(Plan("judged.yaml")):
        if job.step in {"analyse_metrics", "findings"}:
            job.call()
    assert {path: path.read_bytes() for path in before} == before
