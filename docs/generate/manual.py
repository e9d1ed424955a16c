"""The manual of study files: config/README.md."""

import json
from textwrap import indent, wrap
from typing import Any

from pydantic import BaseModel
from pydantic_core import PydanticUndefined

from docs.generate.example import DESIGN, STUDY
from docs.generate.kinds import kind_of
from docs.generate.markdown import NOTICE, code, table
from docs.generate.types_in_words import in_words, schema_of
from recsens.plugins import PACKAGES
from recsens.plugins.specs import MAX_SLUG, Chain, Spec, format_value
from recsens.study import (
    ClaimEntry,
    Decisions,
    FigureEntry,
    FurtherExperiment,
    MetricAnalysisEntry,
    Published,
    PublishedComparison,
    Study,
)
from recsens.study.families import Combining
from recsens.study.model import ReferenceDesign

_INTRO = f"""\
{NOTICE}

# Study files

This page describes study files. A study is one YAML file. It names the data sets, the systems, one choice for every decision, the
decisions to vary, and what to show. Its file name (lower-case letters, digits, hyphens) is the name of the study.

```
recsens init                    writes a study to begin with
recsens run path/to/mine.yaml   runs a study; results go into the folder where you run the command
recsens check quickstart        says whether the study can be run and what a run would do; runs nothing
make run STUDY=quickstart       in a checkout: the study config/studies/quickstart.yaml, with everything it needs
```

These files and folders belong to a study:

```
config/config.yaml            names the study that plain 'snakemake' runs
config/studies/<study>.yaml   the study; workflow/schemas/study.schema.json lets an editor complete and check it
data/README.md                where raw files of data sets belong
results/seed-<seed>/...       what is computed from the data, one folder per decision (docs/concepts.md)
results/studies/<study>/      the study's tables, figures and report.html
results/report.html           the report of the last run
```

Processors, memory, time limits and the cluster are not part of a study. Set them as options of the command, or in profiles in
`workflow/profiles`, such as `limit: 30 min` for jobs that may hang. Before any job starts, recsens refuses an unknown key, a key
that appears twice, and a value out of bounds. The message gives the place and what is allowed. If your editor supports JSON
schemas, it completes and checks a study that begins with
`# yaml-language-server: $schema=../../workflow/schemas/study.schema.json`.

## A complete example

This example has every key. You can leave out keys with a default.
"""

_ABOUT_DESIGN = """\
The base design has one choice for every decision. A1 to D are the codes of these decisions in the taxonomy of Cañamares, Castells &
Moffat (2020). `vary` has the same keys, each with a list of other options to try."""

_ABOUT_EXPERIMENTS = """\
An experiment has its own base design and, if it names any, its own systems. In tables and figures, its label replaces the label of
the data set."""

_ABOUT_FAMILIES = """\
[Over data sets](../docs/over-datasets.md) says what is computed."""

_ABOUT_FIGURES = """\
An entry is one of the [figures](../docs/reference/figures.md) with its parameters, or a mapping with these keys. Entries of a
list are named `figure-1`, `figure-2` and so on; in a mapping you name them yourself. [Figures](../docs/figures.md) describes each
kind."""

_ABOUT_ANALYSES = """\
An entry is one of the [analyses of metrics](../docs/reference/analyses.md) with its parameters, or a mapping with these keys.
Entries of a list are named after their analyses; in a mapping you name them yourself. The results are in `findings.csv`.
[Metrics judged](../docs/meta.md) shows how to write an analysis and how to read its results."""

_ABOUT_CLAIMS = """\
The numbers of the study decide whether each claim is *held*, *not held* or *undecided*; the report and `claims.csv` say so. Each
printed value and p-value is also a claim. [Claims](../docs/claims.md) has an example of each kind."""

_ABOUT_REFERENCE = """\
One design counts as the truth. `truth.csv` compares every other analysis of the study's own experiment with it: how similar the two
orders of the systems are, and which shares of the pairs are right, wrong or open. Intervals are over data sets that differ only in
`replicate`, or over folds. [Which offline design can be believed?](../docs/truth.md) explains two examples."""

_GRAMMAR = f"""\
## How a component is written

A component consists of the name of a plug-in and the parameters that differ from their defaults: `user_knn(k=50)`. All plug-ins and
their parameters are listed in [docs/reference](../docs/reference.md) and by `recsens plugins`.

| text | meaning |
| --- | --- |
| `popularity` | a plug-in with its defaults |
| `user_knn(k=50,q=2)` | parameters by name, in any order |
| `random(0.5)` | a single value without a name sets the first parameter |
| `100`, `0.5`, `1e-3` | numbers; `100`, `100.0` and `1e2` are the same component |
| `true`, `false`, `null` | constants |
| `cosine`, `"a, b"`, `"\\t"` | text; in quotes, as in JSON, unless it contains only letters, digits and `._/-` |
| `[1,2]` | a list |
| `outer(of=inner(x=1))` | a component as a value |
| `tuned(of=user_knn,search=grid(k=[10,50]))` | a recommender with [parameters chosen on validation data](../docs/tuning.md) |
| `a(x=1)+b` | a chain of filters, applied one after another |
| `nDCG(gain=exp)@5,10` | a metric at cut-offs 5 and 10 |
| `mylab.models.Foo(x=1)` | your own class, from a module in one of the folders that `plugins` lists |

Tables, figures and messages show an option of a decision, or a metric, as the study writes it, so write it the same way everywhere.

Some characters have a meaning in YAML: inside `[...]` or `{{...}}`, put a component that contains a comma in quotes. In a list on
several lines (`- random(ratio=0.2)`), you need no quotes.

The name of a component's folder is written with `@`: `user_knn@k=50@q=2`. Each byte of a special character becomes `~HH`, its
hexadecimal number. A name of more than {MAX_SLUG} characters is shortened to `name@sha=...`, and `spec.json` in the folder has the
whole text. Labels (`kNN`, `MF`) are never part of a path.
"""


def study_manual() -> str:
    """Write the manual: an example, every key, the grammar of components."""
    parts = [
        f"{_INTRO}\n```yaml\n{example()}```",
        "## Keys of a study",
        _keys(Study),
        "## Keys of `design`",
        _ABOUT_DESIGN,
        _keys(Decisions),
        "## Keys of `over_datasets`",
        _ABOUT_FAMILIES,
        _keys(Combining),
        "## Keys of an experiment",
        _ABOUT_EXPERIMENTS,
        _keys(FurtherExperiment),
        "## Keys of an entry of `figures`",
        _ABOUT_FIGURES,
        _keys(FigureEntry),
        "## Keys of an entry of `meta`",
        _ABOUT_ANALYSES,
        _keys(MetricAnalysisEntry),
        "## Keys of an entry of `claims`",
        _ABOUT_CLAIMS,
        _keys(ClaimEntry),
        "## Keys of `reference`",
        _ABOUT_REFERENCE,
        _keys(ReferenceDesign),
        "## Keys of an entry of `published`",
        _keys(Published),
        "## Keys of an entry of `published_comparisons`",
        _keys(PublishedComparison),
        _GRAMMAR,
    ]
    return "\n\n".join(parts)


def example() -> str:
    """Write a study with every key, each under its description."""
    return "\n".join(_commented(Study, key, _design() if key == "design" else STUDY[key]) for key in Study.model_fields)


def _design() -> str:
    return "design:\n" + "\n".join(indent(_commented(Decisions, key, DESIGN[key]), "  ") for key in Decisions.model_fields).rstrip()


def _commented(model: type[BaseModel], key: str, text: str) -> str:
    description = model.model_fields[key].description or ""
    return "\n".join([*(f"# {line}" for line in wrap(description, 100)), text]) + "\n"


def _keys(model: type[BaseModel]) -> str:
    properties = schema_of(model)["properties"]
    rows = [
        [
            code(key),
            _holds(model, key, properties[key]),
            _default(field.get_default(call_default_factory=True)),
            field.description or "",
        ]
        for key, field in model.model_fields.items()
    ]
    return table(["key", "holds", "default", "meaning"], rows)


def _holds(model: type[BaseModel], key: str, schema: dict[str, Any]) -> str:
    """Say what a key holds; components lead to their page."""
    if model is Decisions and key in PACKAGES:
        return f"one of the {_link(key)}"
    return _HOLDS.get(key, in_words(schema))


def _link(kind: str) -> str:
    page = kind_of(kind)
    return f"[{page.heading.lower()}](../docs/reference/{page.page}.md)"


_HOLDS = {
    "datasets": f"labels with {_link('dataset')}",
    "systems": f"labels with {_link('recommender')}",
    "design": "keys of `design`, see below",
    "vary": "keys of `design` with lists",
    "under": "keys of `design`",
    "experiments": "labels with keys, see below",
    "metrics": f"list of {_link('metric')} with cut-offs",
    "figures": "list of entries, or names with entries, see below",
    "draw": f"one of the {_link('figure')}",
    "meta": "list of entries, or names with entries, see below",
    "analysis": f"one of the {_link('analysis')}",
    "claims": "list of entries, see below",
    "claim": f"one of the {_link('claim')}",
    "reference": "keys, see below",
    "over_datasets": "keys, see below",
    "groups": f"list of {_link('group')}",
    "families": "names with lists of labels",
    "published": "list of entries, see below",
    "published_comparisons": "list of entries, see below",
}
"""Words for keys whose JSON schema does not say enough."""


def _default(value: Any) -> str:
    """Write a default as in YAML."""
    match value:
        case _ if value is PydanticUndefined:
            return "required"
        case Decisions():
            return code("{}")
        case Spec() | Chain():
            return code(str(value))
        case tuple() | dict():
            return code("[]" if isinstance(value, tuple) else "{}")
        case "":
            return code(json.dumps(value))
        case _:
            return code(format_value(value))
