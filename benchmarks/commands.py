"""What commands and calls from Python print and write, to compare two versions of recsens that must compute the same.

    python benchmarks/commands.py --to before.json
    python benchmarks/commands.py --against before.json

The folders are made up: 60 users, 80 items, runs of three systems. The commands run one after another in this process. The file
keeps, for each command in ``commands.txt``, its exit status, what it printed (``text``, with its pages and studies), and every JSON
and CSV output, with floats as written. A comparison prints which commands differ, and where. Goal: no JSON or CSV differs; if one
does, the exit status is 1.
"""

import json
import logging
import shlex
import shutil
import sys
import warnings
from collections.abc import Iterator, Sequence
from contextlib import chdir
from difflib import unified_diff
from hashlib import sha256
from io import StringIO
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from unittest.mock import patch

import numpy as np
import pandas as pd
from click.testing import CliRunner

import recsens
from command_line import parser
from recsens.cli import main as command_line
from recsens.errors import RecsensError
from recsens.notebook.studies import StudyTables
from recsens.runs.audits import Audit
from recsens.workflow.plan import Plan
from recsens.workflow.planned_jobs import planned_jobs

COMMANDS = Path(__file__).with_suffix(".txt")
"""Command lines without ``recsens``, and expressions in Python, which may use the names of earlier ones."""

JUDGED = """
title: Metrics judged
datasets: {Tiny: "simulated(users=60,items=80,ratings=1200)"}
systems: {kNN: "item_knn(k=10)", Popularity: popularity, Random: random}
metrics: [P@10, nDCG@10, RR@10]
meta: ["sparsity(samples=5)", correlation, "discrimination(test=t)"]
"""
SHOWN = {"costs", "figure", "report"}
"""Steps that compute no result."""

PRINTED = "run,nDCG@10,P@10\ngood,0.3235,0.235\nmid,0.2482,0.1733\n"
KINDS = {".json": "json", ".csv": "csv", ".yaml": "text", ".html": "text"}
MOST_LINES, WIDEST, NUMBERS = 20, 160, "differs in numbers"

Output = dict[str, Any]
"""``status``, ``sha256`` of each kind and, by kind and name, the lines of what was printed, returned or written."""


def main(command: Sequence[str] | None = None) -> None:
    """Run the commands, keep their outputs, and compare them."""
    arguments = parser(__doc__)
    arguments.add_argument("--first", type=int, default=None, help="run only so many commands, the first ones")
    arguments.add_argument("--to", type=Path, default=None, help="file to write")
    arguments.add_argument("--against", type=Path, default=None, help="file of another version to compare with")
    given = arguments.parse_args(command)
    before = json.loads(given.against.read_text(encoding="utf-8")) if given.against else {}
    found: dict[str, Output] = {}
    n_differ = 0
    for line, output in outputs(COMMANDS.read_text(encoding="utf-8").splitlines()[: 8 if given.tiny else given.first]):
        found[line] = output
        digests = [f"{kind} {digest[:12]}" for kind, digest in output["sha256"].items()]
        told = compared(before.get(line, {}), output) if given.against else [f"status {output['status']}", *digests]
        n_differ += told[0] == NUMBERS
        print(line, *told, sep="\n  ", flush=True)
    if given.to:
        given.to.write_text(json.dumps(found, indent=1, ensure_ascii=False), encoding="utf-8")
    print(f"{len(found)} commands" + (f", of which {n_differ} differ in numbers (goal 0)" if given.against else ""))
    if n_differ:
        sys.exit(1)


def outputs(lines: Sequence[str]) -> Iterator[tuple[str, Output]]:
    """Run commands and expressions one after another in a new folder."""
    log, names = StringIO(), {"recsens": recsens, "pd": pd, "study": study}
    handler = logging.StreamHandler(log)
    handler.addFilter(lambda record: not {"compiled", "machine_code", "_progress"} & set(record.name.split(".")))  # what takes long
    with TemporaryDirectory() as scratch, chdir(scratch), patch("recsens.notebook.sweeps.run", lambda file, **_: study(file)):
        logging.basicConfig(level=logging.INFO, format="%(message)s", handlers=[handler], force=True)
        write_folders()
        for line in lines:
            log.truncate(log.seek(0))
            status, parts = called(line, names)
            parts.append(("text", "log", log.getvalue()))
            for path in sorted(Path("audit").rglob("*.*")):
                if path.suffix in KINDS:
                    parts.append((KINDS[path.suffix], str(path), path.read_text(encoding="utf-8")))
            shutil.rmtree("audit", ignore_errors=True)
            output: Output = {"status": status, "sha256": {}}
            for kind in ("text", "json", "csv"):
                said = {name: text.replace(scratch, "FOLDER").splitlines() for of, name, text in parts if of == kind and text}
                output[kind] = said
                if said:
                    output["sha256"][kind] = sha256(json.dumps(said).encode()).hexdigest()
            yield line, output
        logging.basicConfig(force=True, handlers=[logging.NullHandler()])


def called(line: str, names: dict[str, Any]) -> tuple[int, list[tuple[str, str, str]]]:
    """Run a command or an expression, and return its exit status, and what it printed or returned as kinds, names and texts."""
    with warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter("always")
        if line.partition(" ")[0] in command_line.commands:
            done = CliRunner().invoke(command_line, shlex.split(line))
            if done.exception is not None and not isinstance(done.exception, SystemExit):
                raise done.exception
            kind = next((kind for kind in ("json", "csv") if f"--format {kind}" in line or f"--{kind}" in line), "text")
            status, parts = done.exit_code, [(kind, "printed", done.stdout), ("text", "errors", done.stderr)]
        else:
            try:
                returned = eval(line, names)  # noqa: S307 - a line of the table above
            except RecsensError as error:
                return 1, [("text", "errors", str(error))]
            each = returned if isinstance(returned, tuple) else (returned,)
            status, parts = 0, [kept(value, f"returned {number}") for number, value in enumerate(each)]
    return status, [*parts, ("text", "warnings", "\n".join(str(warning.message) for warning in warned))]


def kept(value: Any, name: str) -> tuple[str, str, str]:
    """Return kind, name and text of what a call returned: frames as CSV, other values as JSON."""
    if isinstance(value, pd.DataFrame):
        return "csv", name, value.to_csv()
    if isinstance(value, str | Audit):
        return "text", name, str(value)
    return "json", name, json.dumps(value, indent=1, default=lambda other: other.tolist())


def study(file: str | Path) -> StudyTables:
    """Compute the tables of a study in this process, job by job."""
    plan = Plan(str(file))
    for job in planned_jobs(plan):
        if job.step not in SHOWN:
            job.call()
    return StudyTables(Path.cwd() / plan.folder)


def compared(before: Output, after: Output) -> list[str]:
    """Say how an output differs, and show the first lines that differ."""
    shown = [] if before.get("status") == after["status"] else [f"status {before.get('status')}, now {after['status']}"]
    for kind in ("json", "csv", "text"):
        for name in sorted({*before.get(kind, {}), *after[kind]}):
            lines = [output.get(kind, {}).get(name, []) for output in (before, after)]
            at = next((at for at, (old, new) in enumerate(zip(*lines, strict=False)) if old != new), min(map(len, lines)))
            parts = [each[at : at + MOST_LINES] for each in lines]  # the rest of long tables would take minutes
            shown += unified_diff(*parts, f"before: {name} from line {at + 1}", f"now: {name}", n=0, lineterm="")
    are_numbers = any(before.get(kind) != after[kind] for kind in ("status", "json", "csv"))
    how = "equal" if before == after else NUMBERS if are_numbers else "differs in text"
    return [how, *(line[:WIDEST] for line in shown[:MOST_LINES])]


def write_folders(n_users: int = 60, n_items: int = 80) -> None:
    """Write made-up sets and runs: whole, cut, in folds, with leaks, and as other programs write them."""
    rng = np.random.default_rng(5)
    pairs = pd.DataFrame({"user": np.repeat(np.arange(n_users), n_items), "item": np.tile(np.arange(n_items), n_users)})
    liking = rng.normal(size=len(pairs)) + np.linspace(1, -1, n_items)[pairs["item"]]
    pairs["rating"] = np.clip(np.round(3.2 + 1.2 * liking), 1, 5).astype(int)
    pairs["timestamp"] = 10**9 + rng.permutation(len(pairs))
    rated = rng.random(len(pairs)) + 0.1 * liking > 0.65
    tested = (rng.random(len(pairs)) < 0.4) & ((pairs["user"] > 3) | (pairs["rating"] < 4))  # four users without relevant items
    pairs = pairs.assign(user="u" + pairs["user"].astype(str), item="i" + pairs["item"].astype(str))
    train, test = pairs[rated & ~tested], pairs[rated & tested]
    popular = np.linspace(1, -1, n_items)[np.tile(np.arange(n_items), n_users)]
    means = {"good": (liking, 1, 6), "mid": (liking, 2, 1), "bad": (popular, 1, 6)}
    scores = {name: np.round(mean + noise * rng.normal(size=len(pairs)), digits) for name, (mean, noise, digits) in means.items()}
    whole = {name: pairs[["user", "item"]].assign(score=score) for name, score in scores.items()}
    runs = {name: run[~rated | tested].sort_values("score", ascending=False, kind="stable") for name, run in whole.items()}
    cut = {name: run[run["user"] != f"u{len(name)}"].groupby("user").head(10) for name, run in runs.items()}
    ranked = {name: run.assign(q="Q0", rank=run.groupby("user").cumcount() + 1, score=0) for name, run in cut.items()}
    above = runs["bad"].assign(above=runs["bad"].groupby("user").cumcount(), equal=0)
    ranks = above.assign(candidates=above.groupby("user")["item"].transform("size")).merge(test[["user", "item"]])
    ids = {"user": "user_id", "item": "item_id", "score": "rating"}
    tokens = {"user": "user_id:token", "item": "item_id:token", "rating": "rating:float", "timestamp": "timestamp:float"}
    stars = test.set_axis(["who", "what", "stars", "when"], axis=1).drop(columns="when")
    models = pd.concat([cut["good"].assign(model="knn"), cut["bad"].assign(model="pop")])

    def put(folder: str, ending: str, tables: dict[str, pd.DataFrame], **form: Any) -> None:
        Path(folder).mkdir(parents=True, exist_ok=True)
        for name, table in tables.items():
            table.to_csv(Path(folder, name + ending), index=False, **form)

    put("plain", ".csv", {"train": train, "test": test, **runs})
    put("cut", ".csv", {"train": train, "test": test, **cut})
    put("leaky", ".csv", {"train": pd.concat([train, test[::6]]), "test": test, "good": whole["good"], "mid": whole["mid"]})
    put("native", ".csv", {"stars": stars, "models": models, "ranks": ranks.drop(columns="score")})
    put(".", ".csv", {"ratings": pairs[rated]})
    for fold, part in enumerate(np.arange(rated.sum()) % 3 == fold for fold in range(3)):
        sets = {"train": pairs[rated][~part], "test": pairs[rated][part]}
        put(f"folds/fold{fold}", ".csv", {**sets, "A": whole["good"], "B": whole["mid"]})
    put("warprec/split", ".tsv", {"train": train.rename(columns=ids), "test": test.rename(columns=ids)}, sep="\t")
    put(
        "warprec/recs", ".tsv", {f"{name}_26.11.2026_11-30-00": cut[name].rename(columns=ids) for name in ("good", "bad")}, sep="\t"
    )
    put("native", ".inter", {"ml.train": train.rename(columns=tokens), "ml.test": test.rename(columns=tokens)}, sep="\t")
    put("native", ".tsv", {"lists": cut["mid"]}, sep="\t", header=False)
    trec = {"columns": ["user", "q", "item", "rank", "score", "q"], "sep": " ", "header": False}
    put("native", ".run", {"good": ranked["good"].assign(score=cut["good"]["score"]), "ranked": ranked["mid"]}, **trec)
    put("native", ".qrels", {"test": test.assign(q=0)}, columns=["user", "q", "item", "rating"], sep=" ", header=False)
    names = {f"{axis}s": np.array(pairs[axis].unique().tolist()) for axis in ("user", "item")}
    np.savez("native/good.npz", recsens_scores=1, kind="dense", scores=scores["good"].reshape(n_users, n_items), **names)
    Path("printed.csv").write_text(PRINTED, encoding="utf-8")
    Path("judged.yaml").write_text(JUDGED, encoding="utf-8")


if __name__ == "__main__":
    main()
