"""The page of one kind of plug-in: definition, parameters and source of each."""

from collections.abc import Mapping
from inspect import getdoc
from sys import modules
from typing import cast

from docs.generate.kinds import PluginKind
from docs.generate.markdown import NOTICE, code, from_docstring, table
from docs.generate.types_in_words import in_words, schema_of
from recsens import plugins
from recsens.data.datasets import DataSet
from recsens.metrics import Metric
from recsens.plugins import Plugin
from recsens.plugins.prose import summary_of
from recsens.plugins.specs import format_value
from recsens.recommenders import Preset, Recommender, SearchSpace


def plugin_page(kind: PluginKind) -> str:
    """Write the page of a kind."""
    classes = [plugins.load(kind.name, name) for name in plugins.names(kind.name)]
    contents = [f"- [{code(cls.plugin_name())}](#{cls.plugin_name().lower()}): {_concept(cls)}" for cls in classes]
    head = [NOTICE, f"# {kind.heading}", f"{kind.intro} The key in a study file is {code(kind.key)}.", "\n".join(contents)]
    return "\n\n".join([*head, *map(_section, classes)]) + "\n"


def _section(cls: type[Plugin]) -> str:
    parts = [
        f"## {cls.plugin_name()}",
        from_docstring(cast("str", getdoc(cls))),
        *(f"- {trait}" for trait in ["\n- ".join(_traits(cls))] if trait),
        _parameters(cls),
        *([_presets(cls.presets)] if issubclass(cls, Recommender) and cls.presets else []),
        *([_search_space(cls.search_space)] if issubclass(cls, Recommender) and cls.search_space else []),
    ]
    if cls.source:
        parts.append(f"Source: {cls.source}.")
    return "\n\n".join(parts)


def _concept(cls: type[Plugin]) -> str:
    """Return what the component is in a few words: its line in the docstring of its module."""
    return summary_of((modules[cls.__module__].__doc__ or "").replace("``", "`"), cls.plugin_name())


def _parameters(cls: type[Plugin]) -> str:
    if not cls.model_fields:
        return "No parameters."
    properties = schema_of(cls)["properties"]
    rows = [
        [code(name), in_words(properties[name]), code(format_value(field.default)), field.description or ""]
        for name, field in cls.model_fields.items()
    ]
    return table(["parameter", "type", "default", "meaning"], rows) + f"\n\nWritten in full: {code(str(cls().full_spec))}"


def _presets(presets: Mapping[str, Preset]) -> str:
    rows = [
        [
            code(name),
            ", ".join(code(f"{key}={format_value(value)}") for key, value in preset.params.items()) or "the defaults",
            f"{preset.source}{'; **calibrated on test data**' if preset.calibrated_on_test else ''}",
        ]
        for name, preset in presets.items()
    ]
    return table(["preset", "parameters", "where it comes from"], rows)


def _search_space(space: SearchSpace) -> str:
    values = ", ".join(code(f"{name}={format_value(values)}") for name, values in space.params.items())
    return f"Search space of {code('tuned')}: {values} ({space.source})."


def _traits(cls: type[Plugin]) -> list[str]:
    """Describe what the class declares beyond its parameters."""
    if issubclass(cls, Metric):
        if cls.is_descriptive:
            return ["Describes a ranking: neither a higher nor a lower value is better."]
        return ["A higher value is better." if cls.higher_is_better else "A lower value is better."]
    if issubclass(cls, Recommender):
        usual = cls()
        told = {
            "Scores are on the rating scale.": usual.predicts_ratings,
            "The job that ranks also fits this recommender; no model is stored.": usual.is_trivial,
            "Two runs may give different bytes.": not usual.deterministic,
        }
        return [trait for trait, holds in told.items() if holds] + _extras(cls)
    return ["The complete relevance is known."] if issubclass(cls, DataSet) and cls.has_truth else []


def _extras(cls: type[Plugin]) -> list[str]:
    return [f"Needs {plugins.EXTRAS[cls.extra][0]}, which {code(f'recsens[{cls.extra}]')} installs."] if cls.extra else []
