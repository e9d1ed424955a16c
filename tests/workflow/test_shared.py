"""Results shared between checkouts: taken only where they are what a job would make, given whole or not at all."""

import hashlib
import logging
import multiprocessing
import os
import re
import time
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

from recsens.artefacts import schemas
from recsens.artefacts.statements import making
from recsens.artefacts.storage import keep_spec, write_json, write_table
from recsens.cli import main
from recsens.plugins.specs import parse
from recsens.workflow import code_digests
from recsens.workflow.audit import audit, is_sound
from recsens.workflow.jobs import PlannedJob
from recsens.workflow.shared import SHARED, Entry, Sharing, Store, kept_in, sweep, trim, verified
from recsens.workflow.sources import made_from

LONG = parse(f"mylab.splits.Mine(path={'x' * 70})")
FOLDER = f"results/seed-0/Tiny/none/{LONG.slug}/repeat-0"
WRITTEN = {"roles": [f"{FOLDER}/roles.parquet"], "record": [f"{FOLDER}/split.json"]}
SPLIT = PlannedJob("split", {}, {}, WRITTEN, {"code": "12ab; numpy 2", "seed": 0})
OTHER = replace(
    SPLIT, outputs={name: [path.replace("repeat-0", "repeat-1") for path in paths] for name, paths in SPLIT.outputs.items()}
)
TABLE = PlannedJob("summarise", {}, {}, {"table": ["results/studies/seed-0/summary.csv"]}, {})


@pytest.fixture
def store(tmp_path, monkeypatch):
    """Share by an empty store; work in a checkout."""
    root = tmp_path / "store"
    root.mkdir()
    root.chmod(0o2775)
    monkeypatch.setenv(SHARED, str(root))
    enter(tmp_path / "mine", monkeypatch)
    return Store(root)


@pytest.fixture
def theirs(tmp_path, monkeypatch):
    """Enter the checkout of a colleague, where nothing is."""
    return lambda: enter(tmp_path / "theirs", monkeypatch)


def enter(checkout, monkeypatch):
    checkout.mkdir(exist_ok=True)
    (checkout / "results").mkdir(exist_ok=True)
    monkeypatch.chdir(checkout)


def make(*jobs, role=0):
    """Do jobs as the workflow would."""
    for job in jobs:
        roles, record = Path(job.outputs["roles"][0]), job.outputs["record"][0]
        with making(made_from(job.step, {}, job.params)):
            write_table(roles, schemas.ROLES, {"role": np.full(1000, role, dtype=np.uint8)})
            write_json(record, {"sizes": {"train": 1000}}, schemas.SPLIT)
            keep_spec(roles.parent.parent, LONG)


def sharing(*jobs):
    return Sharing.of(lambda: jobs)


def entry(job):
    return Entry.of(job, made_from(job.step, {}, job.params))


def files():
    return {str(path): hashlib.sha256(path.read_bytes()).hexdigest() for path in Path("results").rglob("*") if path.is_file()}


def test_what_one_makes_another_takes_with_every_byte_and_the_notes_of_its_folders(store, theirs, caplog):
    caplog.set_level(logging.INFO)
    make(SPLIT)
    made = files()
    sharing(SPLIT).give()
    theirs()
    sharing(SPLIT).take()
    assert files() == made
    assert f"results/seed-0/Tiny/none/{LONG.slug}/spec.json" in made
    assert is_sound(audit([SPLIT], whole=True))
    given, taken = caplog.messages
    assert given == f"Given to {store.root}: the results of 1 job"
    assert re.fullmatch(rf"Taken from {store.root}: the results of 1 job \(\d\.\d kB\)", taken)


def test_nothing_is_linked_so_that_what_befalls_one_copy_befalls_no_other(store, theirs):
    make(SPLIT)
    sharing(SPLIT).give()
    theirs()
    sharing(SPLIT).take()
    assert {path.stat().st_nlink for path in [*Path("results").rglob("*.*"), *store.root.rglob("*.*")] if path.is_file()} == {1}


@pytest.mark.parametrize(
    "change",
    [{"code": "34cd; numpy 2"}, {"code": "12ab; numpy 3"}, {"seed": 1}, {"own_digests": ["ff"]}],
    ids=["code", "library", "parameter", "own file"],
)
def test_nothing_is_taken_that_was_made_from_something_else(store, theirs, change):
    make(SPLIT)
    sharing(SPLIT).give()
    theirs()
    sharing(replace(SPLIT, params={**SPLIT.params, **change})).take()
    assert files() == {}


def test_a_study_s_own_results_are_not_shared(store):
    assert entry(TABLE) is None


def test_sound_results_stay_as_they_are_and_what_is_there_is_not_given_again(store, theirs):
    make(SPLIT)
    sharing(SPLIT).give()
    given = {path: path.stat().st_ino for path in store.root.rglob("*")}
    theirs()
    make(SPLIT, role=1)  # by code that gives other results each time
    mine = files()
    sharing(SPLIT).take()
    sharing(SPLIT).give()
    assert files() == mine
    assert {path: path.stat().st_ino for path in store.root.rglob("*")} == given


@pytest.mark.parametrize("file", ["roles.parquet", "split.json"])
def test_no_damaged_entry_is_believed_and_a_sound_one_takes_its_place(store, theirs, caplog, file):
    make(SPLIT)
    sharing(SPLIT).give()
    theirs()
    [damaged] = store.root.rglob(file)
    right, rng, n_refused = damaged.read_bytes(), np.random.default_rng(len(file)), 0
    for _ in range(25):
        flipped = bytearray(right)
        flipped[rng.integers(len(right))] ^= 1 << int(rng.integers(8))
        damaged.chmod(0o644)
        damaged.write_bytes(flipped)
        sharing(SPLIT).take()
        if files():
            assert is_sound(audit([SPLIT], whole=True))
            clear()
            continue
        n_refused += 1
        assert f"{store.place(entry(SPLIT))}: " in caplog.messages[-1]
        assert caplog.messages[-1].endswith("; it is not used, and was removed")
        assert list(store.root.iterdir()) == []
        make(SPLIT)
        sharing(SPLIT).give()
        clear()
    assert n_refused > 12
    assert list(verified(store)) == []


def clear():
    for path in sorted(Path("results").rglob("*"), reverse=True):
        path.rmdir() if path.is_dir() else path.unlink()


def test_an_entry_in_the_place_of_another_and_files_exchanged_within_one_are_refused(store, theirs, caplog):
    make(SPLIT, OTHER)
    sharing(SPLIT, OTHER).give()
    one, other = (store.place(entry(job)) for job in (SPLIT, OTHER))
    exchange(one, other)
    assert [why.rpartition("/")[2] for _, why in verified(store)] == [
        f"{each.name}: misplaced: its files are those of another entry" for each in sorted([one, other])
    ]
    theirs()
    sharing(SPLIT, OTHER).take()
    assert files() == {}
    assert len(caplog.messages) == 2
    # As if the paths had been mended too: what the files state still tells.
    make(SPLIT, OTHER)
    sharing(SPLIT, OTHER).give()
    exchange(*(place / job.outputs["record"][0].removeprefix("results/") for place, job in ((one, SPLIT), (other, OTHER))))
    clear()
    sharing(SPLIT, OTHER).take()
    assert files() == {}
    assert "misplaced: this is the file of" in caplog.messages[-1]


def exchange(one, other):
    aside = one.with_name("aside")
    one.rename(aside)
    other.rename(one)
    aside.rename(other)


def test_a_link_or_a_pipe_in_the_place_of_a_file_is_not_opened(store, caplog):
    for put, problem in ((os.mkfifo, "damaged: is no file"), (lambda path: path.symlink_to("roles.parquet"), "no such file")):
        make(SPLIT)
        sharing(SPLIT).give()
        clear()
        [record] = store.root.rglob("split.json")
        record.unlink()
        put(record)
        sharing(SPLIT).take()
        assert files() == {}
        assert caplog.messages[-1] == f"shared results: {store.place(entry(SPLIT))}: {problem}; it is not used, and was removed"


def test_what_was_made_while_the_code_was_edited_is_not_given(store, monkeypatch):
    code = ["12ab; numpy 2"]
    monkeypatch.setattr(code_digests, "forget", lambda: code.append("34cd; numpy 2"))
    make(SPLIT)
    Sharing.of(lambda: [replace(SPLIT, params={**SPLIT.params, "code": code[-1]})]).give()
    assert list(store.root.iterdir()) == []


def test_a_damaged_result_is_not_given(store, caplog):
    make(SPLIT)
    table = bytearray(Path(SPLIT.outputs["roles"][0]).read_bytes())
    table[8] ^= 1
    Path(SPLIT.outputs["roles"][0]).write_bytes(table)
    sharing(SPLIT).give()
    assert list(store.root.iterdir()) == []
    assert "not given" in caplog.messages[-1]


def test_a_note_that_is_not_of_its_folder_is_not_taken(store, theirs):
    make(SPLIT)
    sharing(SPLIT).give()
    [note] = store.root.rglob("spec.json")
    note.chmod(0o644)
    note.write_text('{"spec": "random(ratio=0.5)"}')
    theirs()
    sharing(SPLIT).take()
    assert sorted(Path(path).name for path in files()) == ["roles.parquet", "split.json"]


def test_of_several_who_give_at_once_one_is_first_and_nothing_is_left_half_done(store):
    make(SPLIT)
    context = multiprocessing.get_context("fork")
    together, outcomes = context.Barrier(4), context.Queue()

    def give():
        together.wait()
        outcomes.put(store.give(entry(SPLIT), Path("results")))

    givers = [context.Process(target=give) for _ in range(4)]
    for giver in givers:
        giver.start()
    assert sorted(outcomes.get(timeout=30) for _ in givers).count(True) == 1
    for giver in givers:
        giver.join()
    assert [path.name for path in store.root.iterdir()] == [entry(SPLIT).key]
    assert list(verified(store)) == []


def test_an_entry_has_the_permissions_of_the_store_whatever_the_umask(store):
    make(SPLIT)
    before = os.umask(0o077)
    try:
        sharing(SPLIT).give()
    finally:
        os.umask(before)
    modes = {path.is_dir(): path.stat().st_mode & 0o7777 for path in store.root.rglob("*")}
    assert modes == {True: 0o2775, False: 0o444}


def test_a_folder_that_is_not_there_is_a_warning(store, monkeypatch, caplog):
    monkeypatch.setenv(SHARED, str(store.root / "unmounted"))
    make(SPLIT)
    sharing(SPLIT).give()
    assert "there is no such folder, so RECSENS_SHARED shares nothing" in caplog.messages[0]
    assert list(store.root.iterdir()) == []


def test_what_was_used_longest_ago_is_removed_first(store, theirs):
    make(SPLIT, OTHER)
    sharing(SPLIT, OTHER).give()
    for job, days in ((SPLIT, 3), (OTHER, 2)):
        os.utime(store.place(entry(job)), (time.time() - days * 86400,) * 2)
    theirs()
    sharing(SPLIT).take()
    assert [kept.key for kept in kept_in(store)] == [entry(OTHER).key, entry(SPLIT).key]
    total = sum(kept.n_bytes for kept in kept_in(store))
    assert trim(store, total) == []
    assert [kept.key for kept in trim(store, total - 1)] == [entry(OTHER).key]
    assert [kept.key for kept in kept_in(store)] == [entry(SPLIT).key]


def test_what_a_killed_run_left_half_done_is_removed_after_a_day(store):
    half = store.root / f".{entry(SPLIT).key}.host.7.abcd.part"
    (half / "seed-0").mkdir(parents=True)
    (store.root / "README").touch()
    assert sweep(store, []) == 0
    os.utime(half, (0, 0))
    assert sweep(store, []) == 1
    assert [path.name for path in store.root.iterdir()] == ["README"]


def test_the_command_shows_checks_and_trims(store):
    make(SPLIT)
    sharing(SPLIT).give()
    assert re.fullmatch(rf"{store.root}: the results of 1 job \(\d\.\d kB\)\n", told())
    assert "\n" not in told("--verify").strip()
    [table] = store.root.rglob("roles.parquet")
    table.chmod(0o644)
    table.write_bytes(b"PAR1")
    assert f"{table}: damaged" in told("--verify", code=1)
    assert told("--verify", "--sweep", code=1).endswith(
        f"Removed 1 left over or not sound\n{store.root}: the results of 0 jobs (0 bytes)\n"
    )
    sharing(SPLIT).give()
    assert told("--keep", "1kB").startswith("Removed the results of 1 job (")
    assert list(store.root.iterdir()) == []
    assert "write a number with B, kB, MB, GB or TB" in told("--keep", "much", code=2)


def test_the_command_needs_a_folder(monkeypatch):
    monkeypatch.delenv(SHARED, raising=False)
    assert "RECSENS_SHARED is not set: nothing is shared" in told(code=1)
    monkeypatch.setenv(SHARED, "/unmounted")
    assert "RECSENS_SHARED names no folder: there is no '/unmounted'" in told(code=1)


def told(*options, code=0):
    done = CliRunner().invoke(main, ["shared", *options])
    assert done.exit_code == code, done.output
    return done.output


def test_a_dry_run_says_what_would_be_taken_and_takes_nothing(store, theirs):
    make(SPLIT)
    sharing(SPLIT).give()
    theirs()
    [line] = sharing(SPLIT).outlook()
    assert line.startswith(f"Of these it would take from {store.root}: the results of 1 job (")
    assert files() == {}
