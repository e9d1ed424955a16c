"""What commands and calls from Python print and write, to compare two versions of recsens that must compute the same.

    python benchmarks/commands.py --to before.json
    python benchmarks/commands.py --against before.json

The folders are made up: 60 users, 80 items, runs of three systems. The commands run one after another in this process. The file
keeps, for each command, its exit status, what it printed (``text``, with its YAML files), and every JSON and CSV file, with floats as
written. A comparison prints which commands differ, and where. Goal: no JSON or CSV differs, or the exit status is 1.
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
from recsens.audits import Audit
from recsens.cli import main as command_line
from recsens.errors import RecsensError
from recsens.notebook.studies import StudyTables
from recsens.workflow.plan import Plan
from recsens.workflow.planned_jobs import planned_jobs

COMMANDS = """
evaluate plain/good.csv plain/test.csv
evaluate plain/good.csv plain/mid.csv plain/bad.csv plain/test.csv -m nDCG@5,10 -m AP -m RR -m "nDCG(gain=exp)@10" -m Bpref --format csv
evaluate plain/good.csv plain/mid.csv plain/test.csv --train plain/train.csv --test randomisation -m P@10 -m AUC --format json
evaluate nothing.csv plain/test.csv
evaluate plain/good.csv plain/test.csv -m nDGC@10
evaluate plain/mid.csv plain/test.csv --ties refuse -m RR
evaluate plain/good.csv plain/mid.csv plain/test.csv --no-relevant skip --no-list skip --test wilcoxon --format latex
evaluate plain/good.csv cut/bad.csv plain/test.csv -m P@10 -m F1@10 --relevance 3 --scale 1 5 --short-list shown --test sign
evaluate plain/mid.csv plain/test.csv --ties pessimistic -m RR -m P@5 -m AntiP@5 --format csv
evaluate plain/mid.csv plain/test.csv --ties given -m RR -m P@5 --format json
evaluate plain/good.csv plain/mid.csv plain/test.csv --view condensed --test "bootstrap(samples=500)" -m R@5 -m ERR@5 --format csv
evaluate plain/good.csv plain/mid.csv plain/test.csv --per-user -m AP -m RBP@10 --format csv
evaluate plain/good.csv plain/test.csv --per-user -m nDCG@10 --format json
evaluate plain/good.csv plain/test.csv --curve croc
evaluate plain/good.csv plain/mid.csv plain/test.csv -m RMSE -m MAE -m GROC -m HLU --format csv
evaluate leaky/good.csv leaky/mid.csv leaky/test.csv --train leaky/train.csv --train-items low --unknown drop --format json
evaluate plain/good.csv plain/mid.csv plain/test.csv --convention trec_eval -m map -m ndcg_cut_10 -m bpref -m gm_map --format csv
evaluate plain/good.csv plain/mid.csv plain/test.csv --convention lenskit --format csv
evaluate plain/good.csv plain/mid.csv plain/test.csv --convention recbole --format json
evaluate plain/good.csv plain/mid.csv plain/test.csv --convention elliot --format csv
evaluate plain/good.csv plain/mid.csv plain/test.csv --convention ranksys
evaluate plain/good.csv plain/mid.csv plain/test.csv --convention cornac --train plain/train.csv --format csv
evaluate plain/good.csv plain/mid.csv plain/test.csv --convention rectools --train plain/train.csv --format csv
evaluate plain/good.csv plain/mid.csv plain/test.csv --convention sklearn --ties item --format csv
evaluate folds --fold each -m nDCG@10 -m AP --format json
evaluate folds --fold 1 -m nDCG@10 -m AP
evaluate folds
evaluate native/good.run native/ranked.run native/test.qrels --rank-by rank --format csv
evaluate native/good.npz native/lists.tsv native/ml.test.inter --train native/ml.train.inter --format json
evaluate native/models.csv native/good.run native/ml.test.inter --format csv
evaluate native/lists.tsv native/stars.csv --columns user,item,score --columns user=who,item=what,rating=stars -m P@5
evaluate native/ranks.csv native/test.qrels -m nDCG@10 -m AP --format csv
evaluate warprec -m nDCG@10 --format json
audit plain --no-page -m nDCG@5 -m P@5 -m AP --require "good beats bad in 50 %"
audit plain --no-page --json -m nDCG@10 -m RR -m Gini@10 --base convention=recsens --require "bad beats good"
audit plain --no-page --json -m P@10 --vary convention=recbole --vary convention=trec_eval --vary correction=holm --margin 1%
audit plain --no-page -m nDCG@10 --vary "targets=ar(n=20)" --base convention=recsens --seed 3 --alpha 0.01 --scale 1 5
audit cut --no-page -m nDCG@5 -m AP --json
audit cut --no-page --vary view=condensed
audit folds --no-page --json -m nDCG@10 -m AP --vary test=wilcoxon
audit warprec --no-page -m nDCG@5 --base users=with_ratings
audit --train native/ml.train.inter --test native/ml.test.inter --run A=native/good.npz --run B=native/good.run --no-page -m P@5
audit plain -m nDCG@5 -m P@5 --base convention=recsens
audit --leaks --train plain/train.csv --test plain/test.csv --run A=plain/good.csv --run B=plain/bad.csv
audit --leaks --train leaky/train.csv --test leaky/test.csv --run A=leaky/good.csv --run B=leaky/mid.csv --json
audit --leaks --train cut/train.csv --test cut/test.csv --run A=cut/good.csv -m P@5 --relevance 3 --alpha 0.05 --seed 2 --json
audit --leaks --train plain/train.csv --test plain/test.csv --run A=plain/good.csv -m RMSE
audit --printed nDCG@10=0.3235 --train plain/train.csv --test plain/test.csv --run A=plain/good.csv
audit --printed MAP=0.171 --printed P@10=0.23 --test cut/test.csv --run A=cut/good.csv --departures 2 --json
audit --printed printed.csv --test plain/test.csv --run good=plain/good.csv --run mid=plain/mid.csv --departures 2 --json
audit --printed nDCG@10=4312 --test plain/test.csv --run A=plain/good.csv
meta "sparsity(samples=10)" --run plain/good.csv --run plain/mid.csv --run plain/bad.csv --qrels plain/test.csv --format csv
meta "popularity(of=test)" --run plain/good.csv --run plain/mid.csv --run plain/bad.csv --qrels plain/test.csv --train plain/train.csv --format csv
meta "discrimination(test=t)" --run plain/good.csv --run plain/mid.csv --run plain/bad.csv --qrels plain/test.csv -m P@5,10 --format csv
meta "split_half(samples=50)" --run warprec -m nDCG@5 --view condensed --no-relevant skip --seed 4
meta correlation --run folds --fold each -m P@5 -m nDCG@5 -m AP --format csv
meta "dial(negatives=[1,10])" --run plain/good.csv --run plain/mid.csv --qrels plain/test.csv -m nDCG@10 -m RR --format csv
(data := recsens.load("ratings.csv", seed=1)).frame
(few := recsens.filter(data, "ratings_per_user(at_least=8)+sample(ratings=0.9)")).frame
(fold := recsens.split(few, "random(ratio=0.7)")).facts, fold.train.frame, fold.test.frame
(knn := recsens.rank(recsens.fit("item_knn(k=10)", fold.train), fold.test, targets="ar", nc="append(by=random)")).positions
(popular := recsens.rank(recsens.fit("popularity", fold.train), fold.test, targets="ar", nc="append(by=random)")).lists
(both := {"kNN": recsens.measure(knn, ["nDCG@10", "P@10", "AP"]), "Popularity": recsens.measure(popular, ["nDCG@10", "P@10", "AP"])})["kNN"].frame
recsens.summarise(both), recsens.counted(both), recsens.compare(both["kNN"], both["Popularity"], test="wilcoxon")
recsens.compare_all(both, correction="holm", users="with_ratings(relevant=1)", coverage="reduced")
recsens.summarise([recsens.measure(recsens.rank(recsens.fit("bpr(epochs=3)", part.train), part.test), "AP") for part in recsens.folds(few, "k_fold(k=3)")])
(mine := recsens.evaluate("plain/good.csv", "plain/test.csv", ["nDCG@10", "AP"], no_list="skip")).means, mine.frame, str(mine.settings)
recsens.compare(mine, recsens.evaluate("plain/mid.csv", "plain/test.csv", ["nDCG@10", "AP"], no_list="skip"))
recsens.evaluate("folds", metrics=["nDCG@10"], fold="each").means
recsens.leaks("leaky/train.csv", "leaky/test.csv", {"A": "leaky/good.csv"}, metric="P@10").records()
recsens.printed({"good": {"P@10": "0.235"}}, {"good": "plain/good.csv"}, "plain/test.csv", departures=1).classes
recsens.audit("plain", metrics=["nDCG@5", "P@5"], vary={"view": ["condensed"]}, base={"convention": "recsens"}, page=False)
recsens.filter(data, "ratings_per_usr(at_least=8)")
recsens.compare(both["kNN"], mine)
(judged := study("judged.yaml")).summary, judged.verdicts, pd.read_csv(judged.path("findings"))
(swept := recsens.sweep(data, {"kNN": "item_knn(k=5)", "Popularity": "popularity"}, ["nDCG@10", "P@5"], split=["random(ratio=0.8)", "random(ratio=0.5)"], view=["full", "condensed"], filter="ratings_per_user(at_least=8)")).verdicts
"\\n".join([swept.headline, *swept.reverses, *swept.holds]), swept.flips, swept.summary
"""  # noqa: E501 - a command a line
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
MOST_LINES, WIDEST = 20, 160

Output = dict[str, Any]
"""``status``, ``sha256`` of each kind and, by kind and name, the lines of what was printed, returned or written."""


def main(command: Sequence[str] | None = None) -> None:
    """Run the commands, keep their outputs, and compare them."""
    arguments = parser(__doc__)
    arguments.add_argument("--first", type=int, default=None, help="run only so many commands, the first ones")
    arguments.add_argument("--to", type=Path, default=None, help="file to write")
    arguments.add_argument("--against", type=Path, default=None, help="file of another version to compare with")
    given = arguments.parse_args(command)
    before = json.loads(given.against.read_text(encoding="utf-8")) if given.against else None
    found: dict[str, Output] = {}
    for line, output in outputs(COMMANDS.strip().splitlines()[: 8 if given.tiny else given.first]):
        found[line] = output
        short = [f"status {output['status']}", *(f"{kind} {digest[:12]}" for kind, digest in output["sha256"].items())]
        told = [", ".join(short)] if before is None else compared(before.get(line, {}), output)
        print(line, *told, sep="\n  ", flush=True)
    if given.to is not None:
        given.to.write_text(json.dumps(found, indent=1, ensure_ascii=False), encoding="utf-8")
    if before is not None:
        different = [line for line, output in found.items() if numbers(before.get(line, {})) != numbers(output)]
        print(f"{len(found)} commands, of which {len(different)} differ in numbers (goal 0)")
        if different:
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
    return (
        "json",
        name,
        json.dumps(value, indent=1, default=lambda array: array.tolist() if hasattr(array, "tolist") else vars(array)),
    )


def study(file: str | Path) -> StudyTables:
    """Compute the tables of a study in this process, job by job."""
    plan = Plan(str(file))
    for job in planned_jobs(plan):
        if job.step not in SHOWN:
            job.call()
    return StudyTables(Path.cwd() / plan.folder)


def numbers(output: Output) -> list[Any]:
    """Return what must not differ."""
    return [output.get(kind) for kind in ("status", "json", "csv")]


def compared(before: Output, after: Output) -> Iterator[str]:
    """Say how an output differs, and show the first lines that differ."""
    if before == after:
        yield "equal"
        return
    yield "differs in numbers" if numbers(before) != numbers(after) else "differs in text"
    shown = [f"status {before.get('status')} -> {after['status']}"] if before.get("status") != after["status"] else []
    for kind in ("json", "csv", "text"):
        for name in sorted({*before.get(kind, {}), *after[kind]}):
            of_each = [output.get(kind, {}).get(name, []) for output in (before, after)]
            shown += unified_diff(*of_each, f"before: {name}", f"after: {name}", n=0, lineterm="")
    yield from (each[:WIDEST] for each in shown[:MOST_LINES])


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
    noisy = {
        "good": np.round(liking + rng.normal(size=len(pairs)), 6),
        "mid": np.round(liking + 2 * rng.normal(size=len(pairs)), 1),
    }
    noisy["bad"] = np.round(np.linspace(1, -1, n_items)[np.tile(np.arange(n_items), n_users)] + rng.normal(size=len(pairs)), 6)
    whole = {name: pairs[["user", "item"]].assign(score=score) for name, score in noisy.items()}
    runs = {
        name: run[~rated | tested].sort_values(["user", "score"], ascending=[True, False], kind="stable")
        for name, run in whole.items()
    }
    cut = {name: run[run["user"] != f"u{len(name)}"].groupby("user").head(10) for name, run in runs.items()}

    def put(folder: str, tables: dict[str, pd.DataFrame], ending: str = ".csv", **form: Any) -> None:
        Path(folder).mkdir(parents=True, exist_ok=True)
        for name, table in tables.items():
            table.to_csv(Path(folder, name + ending), index=False, **form)

    put("plain", {"train": train, "test": test, **runs})
    put("cut", {"train": train, "test": test, **cut})
    put("leaky", {"train": pd.concat([train, test[::6]]), "test": test, "good": whole["good"], "mid": whole["mid"]})
    ratings, part = pairs[rated], rng.integers(0, 3, rated.sum())
    put(".", {"ratings": ratings})
    for fold in range(3):
        put(
            f"folds/fold{fold}",
            {"train": ratings[part != fold], "test": ratings[part == fold], "A": whole["good"], "B": whole["mid"]},
        )
    renamed = {"user": "user_id", "item": "item_id", "score": "rating"}
    put("warprec/split", {"train": train.rename(columns=renamed), "test": test.rename(columns=renamed)}, ".tsv", sep="\t")
    put(
        "warprec/recs",
        {f"{name}_26.11.2026_11-30-00": cut[name].rename(columns=renamed) for name in ("good", "bad")},
        ".tsv",
        sep="\t",
    )
    sets = {"ml.train": train, "ml.test": test}
    tokens = {"user": "user_id:token", "item": "item_id:token", "rating": "rating:float", "timestamp": "timestamp:float"}
    put("native", {name: table.rename(columns=tokens) for name, table in sets.items()}, ".inter", sep="\t")
    put("native", {"lists": cut["mid"]}, ".tsv", sep="\t", header=False)
    put("native", {"stars": test.rename(columns={"user": "who", "item": "what", "rating": "stars"}).drop(columns="timestamp")})
    put("native", {"models": pd.concat([cut["good"].assign(model="knn"), cut["bad"].assign(model="pop")])})
    trec = {name: run.assign(q="Q0", rank=run.groupby("user").cumcount() + 1, tag=name) for name, run in cut.items()}
    fields = {"columns": ["user", "q", "item", "rank", "score", "tag"], "sep": " ", "header": False}
    put("native", {"good": trec["good"], "ranked": trec["mid"].assign(score=0)}, ".run", **fields)
    put("native", {"test": test.assign(q=0)}, ".qrels", columns=["user", "q", "item", "rating"], sep=" ", header=False)
    names = {"users": np.array([f"u{user}" for user in range(n_users)]), "items": np.array([f"i{item}" for item in range(n_items)])}
    scores = noisy["good"].reshape(n_users, n_items)
    np.savez("native/good.npz", recsens_scores=1, kind="dense", scores=scores, **names)
    above = runs["bad"].assign(above=runs["bad"].groupby("user").cumcount(), equal=0)
    ranks = above.assign(candidates=above.groupby("user")["item"].transform("size")).merge(test[["user", "item"]])
    put("native", {"ranks": ranks[["user", "item", "above", "equal", "candidates"]]})
    Path("printed.csv").write_text(PRINTED, encoding="utf-8")
    Path("judged.yaml").write_text(JUDGED, encoding="utf-8")


if __name__ == "__main__":
    main()
