"""Misbehaving plug-ins in a run: their jobs fail with a reason, all others go on, and results do not depend on limits."""

import json

import pytest

from workspaces import DEFAULT_PROFILE, Workspace

pytestmark = pytest.mark.workflow

PLUGINS = """\
import ctypes
import os
import time
import numpy as np
from recsens.recommenders import Recommender


class Calm(Recommender):
    def fit(self, train, rng):
        held = np.ones(40_000_000)
        print("chatter\\n" * 20_000)
        until = time.process_time() + 2
        while time.process_time() < until:
            pass
        self._learned = {"n": train.item_counts * held[:1]}
        return self

    def score(self, train, users):
        return np.tile(self._learned["n"], (len(users), 1))


class Leaving(Calm):
    def fit(self, train, rng):
        os._exit(0)


class Crashing(Calm):
    def fit(self, train, rng):
        ctypes.string_at(0)


class Hanging(Calm):
    def fit(self, train, rng):
        time.sleep(600)


class Writing(Calm):
    def fit(self, train, rng):
        self._learned = {"n": np.ones(train.n_items)}
        return self

    def score(self, train, users):
        users[1:-1] = users[1:-1][::-1]
        return super().score(train, users)
"""

SYSTEMS = {name: f"guests.{name}" for name in ("Calm", "Leaving", "Crashing", "Hanging", "Writing")}


@pytest.mark.slow
def test_each_job_that_misbehaves_is_named_and_the_others_go_on(finished: Workspace):
    (finished.root / "lab").mkdir()
    (finished.root / "lab" / "guests.py").write_text(PLUGINS)
    finished.write_study("guests", plugins=["lab"], systems=SYSTEMS, vary={})
    profile = finished.root / DEFAULT_PROFILE / "config.yaml"
    profile.write_text(profile.read_text() + "\nset-resources:\n  fit: {limit: 15 s}\n")
    ended = finished.recsens("run", "guests", "--cores", "2", check=False)
    assert ended.returncode != 0
    said = ended.stderr.rpartition("the workflow stopped")[2]
    for reason in (
        "step 'fit' failed: its process ended with exit code 0",
        "lab/guests.py:29: step 'fit' failed: its process was ended by SIGSEGV",
        "lab/guests.py:34: step 'fit' failed: it exceeded the profile's time limit ('limit: 15 s'), and was ended; see results/",
        "lab/guests.py:43: 'guests.Writing' writes into read-only data: assignment destination is read-only",
    ):
        assert reason in said
    assert "chatter" not in ended.stdout + ended.stderr
    [_] = (finished.root / "results").glob("seed-*/**/guests.Calm/**/positions.parquet")
    [benchmark] = (finished.root / "results").glob("benchmarks/fit/**/guests.Calm.tsv")
    header, *rows = benchmark.read_text().splitlines()
    measured = dict(zip(header.split("\t"), rows[0].split("\t"), strict=True))
    # Snakemake's measurements include the working process: its 2 seconds, and its 305 MiB.
    assert float(measured["max_rss"]) > 305
    assert float(measured["cpu_time"]) > 1
    cost = json.loads(next((finished.root / "results").glob("benchmarks/fit/**/guests.Calm.json")).read_text())
    assert cost["peak_mib"] > 305
    assert cost["seconds"]["fit"] >= 2
    before = finished.planned("guests")
    profile.write_text(profile.read_text().replace("15 s", "50 s"))
    assert finished.planned("guests") == before
    assert before["fit"] == 3
