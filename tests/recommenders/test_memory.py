"""Memory that grows with pairs or neighbours is claimed in full before it is allocated."""

import math
import tracemalloc

import numpy as np
import pytest

from recsens import plugins
from recsens.data.interactions import Interactions
from recsens.errors import ConfigError, DesignError
from recsens.plugins import specs
from recsens.recommenders import Extent, _memory_check
from recsens.recommenders.trivial import Popularity
from recsens.testing import crowd

GREEDY = [
    "chi2(k=400)",
    "ease",
    "fs_slim(k=400,l1=0)",
    "item_knn(k=400)",
    "kld(k=400)",
    "lm_wsr_ib(k=400)",
    "lm_wsr_ub(k=400)",
    "nncos_ib",
    "rm1(k=400)",
    "rm2(k=400)",
    "rocchio(k=400)",
    "rsv(k=400)",
    "slim(l1=0)",
    "slim(l1=2)",
    "uir_item",
    "user_knn(k=400)",
]


@pytest.fixture(scope="module")
def train() -> Interactions:
    return crowd(n_users=500, n_items=450, share=0.1)


def claims(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """Collect what is claimed from now on, in bytes."""
    claimed: list[float] = []
    monkeypatch.setattr(_memory_check, "_WORTH_A_WORD", 0)
    monkeypatch.setattr(_memory_check.log, "info", lambda *told: claimed.append(told[-1] * 2**30))
    return claimed


def fit(spec: str, train: Interactions) -> None:
    plugins.build("recommender", specs.parse(spec)).fit(train, np.random.default_rng(1))


@pytest.mark.parametrize("spec", GREEDY)
def test_no_more_is_allocated_than_was_claimed(spec, train, monkeypatch):
    fit(spec, crowd(n_users=20, n_items=20))  # compiles, before the measurement
    claimed = claims(monkeypatch)
    tracemalloc.start()
    try:
        fit(spec, train)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    # Plus a few times the size of the train set.
    assert peak < sum(claimed) + 5 * 16 * len(train)


@pytest.mark.parametrize("spec", [*GREEDY, "nncos_ub", "tuned(of=ease,search=grid(regularization=[1,2]))"])
def test_a_recommender_says_beforehand_what_it_may_claim(spec, train, monkeypatch):
    recommender = plugins.build("recommender", specs.parse(spec))
    claimed = claims(monkeypatch)
    recommender.fit(train, np.random.default_rng(1)).score(train, np.arange(train.n_users))
    assert 0 < sum(claimed) <= recommender.bytes_needed(Extent.of(train)) * (1 + 1e-9)


@pytest.mark.parametrize("spec", GREEDY)
def test_what_does_not_fit_is_refused(spec, train, monkeypatch):
    monkeypatch.setenv(_memory_check.LIMIT, "0.0002")
    with pytest.raises(DesignError, match="MiB needed"):
        fit(spec, train)


@pytest.mark.parametrize("value", ["abc", "1GB", "", "0", "-1", "nan"])
def test_a_limit_that_is_no_number_above_zero_is_refused(value, monkeypatch):
    monkeypatch.setenv(_memory_check.LIMIT, value)
    with pytest.raises(ConfigError, match=rf"RECSENS_MEMORY_GIB is '{value}'\s+allowed: a number of GiB above 0"):
        _memory_check.memory_allowance()


@pytest.mark.parametrize(("limits", "expected"), [(("9000", "5000"), 3000), (("4000", "max"), 2500), (("max", "max"), 10_000)])
def test_no_more_is_free_than_the_control_groups_of_a_job_leave(limits, expected, monkeypatch, tmp_path):
    monkeypatch.delenv(_memory_check.LIMIT, raising=False)
    monkeypatch.setattr(_memory_check.psutil, "virtual_memory", lambda: type("Memory", (), {"available": 10_000}))
    monkeypatch.setattr(_memory_check, "_CONTROL_GROUPS", tmp_path / "groups")
    monkeypatch.setattr(_memory_check, "_OWN_CONTROL_GROUP", tmp_path / "own")
    assert _memory_check.memory_allowance() == 10_000
    (tmp_path / "own").write_text("1:name=systemd:/\n0::/job_1/step_0\n")
    for group, limit, anonymous in zip(("job_1/step_0", "job_1"), limits, (1500, 2000), strict=True):
        folder = tmp_path / "groups" / group
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "memory.stat").write_text(f"anon {anonymous}\nfile 700\n")
        (folder / "memory.max").write_text(f"{limit}\n")
    assert _memory_check.memory_allowance() == expected


def test_small_amounts_are_told_in_mebibytes(monkeypatch):
    monkeypatch.setenv(_memory_check.LIMIT, "0.001")
    with pytest.raises(DesignError, match=r"the pairs: 4 MiB needed, 1 MiB available"):
        _memory_check.claim(plugins.build("recommender", "ease"), 2**22, "the pairs", "less")


@pytest.mark.parametrize("needed", [-1, math.nan, math.inf, "8 GB", None])
def test_memory_that_is_no_amount_is_refused(needed):
    class Vague(Popularity):
        def bytes_needed(self, extent):
            return needed

    with pytest.raises(DesignError, match=r"returned .* from bytes_needed\s+allowed: a number of 0 or more"):
        Vague().bytes_needed(Extent(1, 1, 1))


@pytest.mark.parametrize("pace", [0, -1, math.nan, "slow"])
def test_a_pace_that_is_no_factor_is_refused(pace):
    with pytest.raises(TypeError, match="give it a number above 0"):
        type("Slow", (Popularity,), {"pace": pace, "__module__": __name__})
