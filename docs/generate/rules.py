"""The rules of the workflow: what each reads and writes, as a picture and as a table."""

import ast
import re
from collections.abc import Iterable
from functools import cache
from itertools import pairwise
from pathlib import Path, PurePosixPath

import pyarrow as pa

import recsens
from docs.generate.every_rule import jobs
from docs.generate.layers import drawing
from docs.generate.markdown import NOTICE, code, from_docstring, table
from recsens.artefacts.addresses import RESULTS, SHARD, Address
from recsens.artefacts.schemas import (
    CONTEXTS,
    IDS,
    INTERACTIONS,
    LISTS,
    POSITIONS,
    RANKED_USERS,
    RATING_POSITIONS,
    ROLES,
    SIDE_COLUMNS,
)
from recsens.conclusions.meta import FINDINGS
from recsens.outcomes.measuring.stored_rankings import CELL, POPULATION
from recsens.study.columns import TABLES
from recsens.study.location import workflow_folder
from recsens.vocabulary import LIST_DEPTH

_INTRO = f"""\
{NOTICE}

# Rules of the workflow

Every rule of [the workflow](../workflow.md) with its files, and the columns of the parquet files.

`<dataset>`, `<filtered>`, `<fold>`, `<system>` and `<ranking>` are nested folders, such as
`results/seed-0/ml1m/none/random@ratio=0.8/repeat-0/user_knn@k=50/ar/drop/random`; `<study>` is `results/studies/STUDY`
(`workflow/rules/paths.smk`). *Files that components name* are your own files, such as `path`. If a design weights or selects users
by columns of a user table, rules that compute results also read `side_tables`. The measures of a metric also have a column such as
`@10` for each cut-off and, for some metrics, `@10 at random`, the expected value of a random order. `ranking` has the folder of a
ranking. User codes are row numbers of `user_ids.parquet`."""

_RULE = re.compile(r'^use rule \w+ as (\w+) with:\n    """(.+?)"""', re.MULTILINE | re.DOTALL)
_INCLUDED = re.compile(r'^include: "rules/(\w+\.smk)"', re.MULTILINE)

_FOLDERS = {"dataset": "dataset", "filter": "filtered", "fold": "fold", "recommender": "system", "ties": "ranking"}
"""Innermost decision of an address -> path variable in the rules (workflow/rules/paths.smk)."""

_SHARD = re.compile(rf"shard-{SHARD}\.")

_OUTSIDE = {"files": "raw files", "own_files": "files that components name", "study": "the study file"}
"""Inputs that no rule makes -> words."""

_WILDCARDS = {
    r"^checks/.+\.\w+(?=\.json)": "checks/{targets}.{check}",
    r"^measures/metric/\w+": "measures/metric/{metric}",
    r"^meta/\w+/.+\.repeat-0": "meta/{analysis}/{label}.{fold}",
    r"^tables/(?!methods).+(?=\.)": "tables/{table}",
    r"^figures/(?!truth)[\w-]+": "figures/{figure}",
}
"""What a file's name may begin with -> how the rules write it."""

_TABLES = {described.file for described in TABLES.values()}

_SCHEMAS = "artefacts/schemas.py"
_MEASURING = "outcomes/measuring/stored_rankings.py"

_PARQUET = {
    "interactions.parquet": (INTERACTIONS, _SCHEMAS, "INTERACTIONS"),
    "user_ids.parquet, item_ids.parquet": (IDS, _SCHEMAS, "IDS"),
    "user_columns.parquet, item_columns.parquet": (SIDE_COLUMNS, _SCHEMAS, "SIDE_COLUMNS"),
    "contexts.parquet": (CONTEXTS, _SCHEMAS, "CONTEXTS"),
    "roles.parquet": (ROLES, _SCHEMAS, "ROLES"),
    "positions.parquet": (POSITIONS, _SCHEMAS, "POSITIONS"),
    "positions.parquet under 1R": (RATING_POSITIONS, _SCHEMAS, "RATING_POSITIONS"),
    "users.parquet": (RANKED_USERS, _SCHEMAS, "RANKED_USERS"),
    f"lists-{LIST_DEPTH}.parquet": (LISTS, _SCHEMAS, "LISTS"),
    "measures/metric/{metric}.parquet": (CELL, _MEASURING, "CELL"),
    "measures/population.parquet": (POPULATION, _MEASURING, "POPULATION"),
    "meta/{analysis}/{label}.{fold}.parquet": (FINDINGS, "conclusions/meta/_base.py", "FINDINGS"),
}
"""File -> schema, and where the library says what a row is: source and name."""


def rules_page() -> str:
    """Write the page: every rule with its files, and the columns of every parquet file."""
    return f"{_INTRO}\n\n{_table_of_rules()}\n\n## Columns of the parquet files\n\n{_table_of_columns()}\n"


def rules_picture() -> str:
    """Draw which rule hands files to which."""
    described = _described()
    return drawing(
        "The rules of recsens",
        "An arrow leads from a rule to one that reads its files. Rules that write into a study's own folder have a second colour.",
        list(described),
        _handed(),
        {rule for rule, (file, _) in described.items() if file not in {"data.smk", "systems.smk"}},
    )


@cache
def _described() -> dict[str, tuple[str, str]]:
    """Return file and docstring of every rule with a step, in the order of the data."""
    included = _INCLUDED.findall((workflow_folder() / "Snakefile").read_text(encoding="utf-8"))
    texts = {file: (workflow_folder() / "rules" / file).read_text(encoding="utf-8") for file in included}
    return {rule: (file, words) for file, text in texts.items() for rule, words in _RULE.findall(text)}


@cache
def _handed() -> frozenset[tuple[str, str]]:
    """Return every pair of rules in which one rule reads what the other writes."""
    makers = {path: job.step for job in jobs() for path in job.files_written}
    return frozenset((makers[path], job.step) for job in jobs() for path in job.files_read if path in makers)


def _table_of_rules() -> str:
    return table(["rule", "what it does", "reads what these rules write", "writes"], map(_row, _described()))


def _row(rule: str) -> list[str]:
    file, words = _described()[rule]
    of_rule = [job for job in jobs() if job.step == rule]
    givers = [giver for giver in _described() if (giver, rule) in _handed()]
    names = {name for job in of_rule for name, files in job.inputs.items() if files or name in _OUTSIDE}
    outside = [words for name, words in _OUTSIDE.items() if name in names]
    written = _folded(dict.fromkeys(_named(path) for job in of_rule for path in job.files_written))
    return [
        f"[{code(rule)}](../../workflow/rules/{file})",
        from_docstring(words),
        ", ".join([*map(code, givers), *outside]) or "nothing",
        ", ".join(map(_linked, written)),
    ]


def _named(path: str) -> str:
    """Write a path as the rules do, with path variables and wildcards."""
    kind, *parts = PurePosixPath(path).relative_to(RESULTS).parts
    if kind == "benchmarks":
        return f"<benchmarks>/{parts[0]}/….json"
    if kind == "studies":
        return f"<study>/{_replaced('/'.join(parts[1:]))}"
    address, of_shard = Address.parse(_SHARD.sub("", path)), "shard-{shard}." if _SHARD.search(path) else ""
    return f"<{_FOLDERS[address.last]}>/{of_shard}{_replaced(address.file)}"


def _replaced(file: str) -> str:
    """Write the name of a file with its wildcards."""
    for found, wildcards in _WILDCARDS.items():
        file = re.sub(found, wildcards, file)
    return file


def _folded(files: Iterable[str]) -> list[str]:
    """Write files that differ in their suffix alone as one."""
    suffixes: dict[str, list[str]] = {}
    for file in files:
        stem, _, suffix = file.rpartition(".")
        suffixes.setdefault(stem, []).append(suffix)
    return [f"{stem}.{'|'.join(found)}" for stem, found in suffixes.items()]


def _linked(file: str) -> str:
    """Write a file as code, linked to its columns where it is a table of a study."""
    name = file.removeprefix("<study>/").partition("|")[0]
    anchor = re.sub(r"[^\w-]", "", name)
    return f"[{code(file)}](columns.md#{anchor})" if name in _TABLES else code(file)


def _table_of_columns() -> str:
    head = ["file", "a row", "columns"]
    return table(
        head, ([_codes(file), _words(source, name), _columns(schema)] for file, (schema, source, name) in _PARQUET.items())
    )


def _codes(files: str) -> str:
    return ", ".join(map(code, files.split(", ")))


def _columns(schema: pa.Schema) -> str:
    return ", ".join(code(name) for name in schema.names)


def _words(source: str, name: str) -> str:
    """Return the docstring of a schema."""
    lines = ast.parse((Path(recsens.__file__).parent / source).read_text(encoding="utf-8")).body
    for line, below in pairwise(lines):
        if isinstance(line, ast.Assign) and isinstance(line.targets[0], ast.Name) and line.targets[0].id == name:
            assert isinstance(below, ast.Expr)
            assert isinstance(below.value, ast.Constant)
            return " ".join(from_docstring(str(below.value.value)).split())
    raise LookupError(name)
