"""Plug-ins: found by file name, configured by typed parameters, written as specs.

The file system is the registry: ``hkv(factors=20)`` of kind ``recommender`` is the one public class in
``recsens/recommenders/hkv.py``. A name that is not its file's, such as ``nDCG`` or that of a family's member, stands in the
table ``MODULES`` of the package's ``_names.py``. Loading a plug-in imports its module and no other plug-in's. A dotted name such as
``mylab.models.Foo`` means a user's own class; only the folders given to `add_paths` are searched for it (`recsens.plugins.own`).
"""

import logging
import re
from ast import get_docstring
from ast import parse as parse_code
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache
from hashlib import file_digest, sha256
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType
from typing import Any, ClassVar, Self, TypeVar

from pydantic import BaseModel, ConfigDict, PlainSerializer, PlainValidator, ValidationError, model_validator

from recsens.arrays import grouped
from recsens.errors import INSTALL_STUDY, MissingExtraError, SpecError, nearest, plain
from recsens.files.paths import are_paths, check_path, from_study
from recsens.plugins.own import enforce, import_error, import_own, refuse_mistakes
from recsens.plugins.parameters import parameter_error
from recsens.plugins.prose import definition, summary_of
from recsens.plugins.specs import NAME, Spec, Value, format_value, parse

_log = logging.getLogger(__name__)

PACKAGES = {
    "dataset": "data.datasets",
    "filter": "data.filtering",
    "split": "data.splitting",
    "recommender": "recommenders",
    "targets": "ranking.targets",
    "nc": "ranking.nc",
    "metric": "metrics",
    "users": "comparison.users",
    "aggregate": "comparison.aggregation",
    "test": "comparison.significance",
    "group": "comparison.groups",
    "figure": "report.figures",
    "claim": "conclusions.claims",
    "analysis": "conclusions.meta",
}
"""Kind of plug-in -> the package of recsens that contains its files."""


_BY_LABEL = {"metric": "recsens.metrics.variants"}
"""Kind of plug-in -> a package of further classes. If no file has the name in a spec, a class with that label is searched here."""

EXTRAS = {
    "neural": ("PyTorch", "torch", "run 'make neural' in a checkout, or install recsens[neural]"),
    "study": ("implicit", "implicit", INSTALL_STUDY),
}
"""Extra of recsens -> the library that it installs for plug-ins, the library's module, and how to install the extra."""

SOURCE = "source"
"""A parameter of addresses, but not of plug-ins: the digest of the files that the component reads."""


class Plugin(BaseModel):
    """A component: typed, documented and bounded parameters, and the methods of its kind's contract.

    Parameters are pydantic fields with a default, bounds and a description. They never change after construction.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True, validate_default=True, arbitrary_types_allowed=True)

    kind: ClassVar[str]
    """The kind of this plug-in, which determines its contract; a key of `PACKAGES`."""
    identity_excludes: ClassVar[tuple[str, ...]] = ("path",)
    """Parameters that contain the path of a file; an address contains a digest of the file's content instead."""
    label: ClassVar[str] = ""
    """Canonical name, such as ``nDCG``, if it differs from the file's name."""
    source: ClassVar[str] = ""
    """Source of the definition: paper and equation."""
    files_beside: ClassVar[tuple[str, ...]] = ()
    """Files that the class reads, such as learnt weights, relative to the folder of its module. They count as part of its code."""
    extra: ClassVar[str] = ""
    """The extra of recsens, a key of `EXTRAS`, that installs a library needed by the class; empty if it needs none."""
    also_called: ClassVar[tuple[str, ...]] = ()
    """Names of the plug-in in other libraries and papers; case, spaces and punctuation do not matter."""
    synonyms: ClassVar[Mapping[str, str]] = {
        "seed": "'seed: 1' at the left margin of a study sets the seed of all random draws",
        "random_state": "'seed: 1' at the left margin of a study sets the seed of all random draws",
        "n_jobs": "processors are an option of the run: --cores 2",
    }
    """Other names of parameters -> our names, or a few words on what to write instead; entries of base classes count too."""

    prose_lead: ClassVar[str] = "We used"
    """Beginning of the sentence about a component if its class does not override `prose`."""
    prose_shares: ClassVar[Sequence[tuple[str, str]]] = ()
    """Parameters that are shares, also in nested components, and the whole of which each is a share, such as ``("ratio", "data in
    train")``.

    Sentences write them as percentages.
    """

    def prose(self) -> str:
        """Say what was done, for a paper's methods paragraph: full sentences in the past tense, about every parameter's effect.

        The default consists of the name with every parameter, and the first line of the class's docstring. This method, and any
        attribute whose name begins with ``prose_``, do not count as code: rewording a sentence recomputes nothing.
        """
        said = definition(type(self))
        return f"{self.prose_lead} {self.with_file_names(self.full_spec)}{f': {said}' if said else ''}".rstrip(".") + "."

    def prose_title(self) -> str:
        """Name the component in a few words that distinguish it from other components of its class, for tables and sentences.

        The default is empty; the component is then shown as the study writes it. `prose` gives a full description.
        """
        return ""

    @classmethod
    def __pydantic_init_subclass__(cls, **kwargs: Any) -> None:
        """Enforce the kind's contract in the class's methods."""
        super().__pydantic_init_subclass__(**kwargs)
        enforce(cls)

    @model_validator(mode="before")
    @classmethod
    def _spell_paths_alike(cls, given: Any) -> Any:
        # './data//x.csv' and 'data/x.csv' are the same component.
        if not isinstance(given, dict):
            return given
        paths = {name: given[name] for name in cls.identity_excludes if given.get(name)}
        plain = {name: _plain(path) for name, path in paths.items() if isinstance(path, str)}
        return {**given, **plain, **{name: tuple(map(_plain, several)) for name, several in paths.items() if are_paths(several)}}

    @model_validator(mode="after")
    def _check_64_bits(self) -> Self:
        for name in type(self).model_fields:
            value = getattr(self, name)
            if isinstance(value, int) and not -(2**63) <= value < 2**63:
                raise ValueError(f"{name} does not fit in 64 bits")
        return self

    @classmethod
    def meanings(cls) -> Mapping[str, str]:
        """Return a mapping: each alternative name of the plug-in -> the text that a study should contain instead."""
        return dict.fromkeys(cls.also_called, cls.plugin_name())

    @classmethod
    def plugin_name(cls) -> str:
        """Return this class's name in a spec."""
        if not cls.__module__.startswith("recsens."):
            return f"{cls.__module__}.{cls.__qualname__}"
        return cls.label or cls.__module__.rpartition(".")[2]

    @property
    def spec(self) -> Spec:
        """The canonical spec, which contains only the parameters that differ from their defaults."""
        usual = self._defaults()
        return self._spec({name: getattr(self, name) for name in usual if getattr(self, name) != usual[name]})

    def _defaults(self) -> dict[str, Any]:
        """Return every parameter's default value."""
        return {name: field.default for name, field in type(self).model_fields.items()}

    @property
    def full_spec(self) -> Spec:
        """The spec with every parameter written out, including defaults and nested components' parameters."""
        within = {name: build(kind, spec).full_spec for name, kind, spec in self._components()}
        return self._spec({name: within.get(name, getattr(self, name)) for name in type(self).model_fields})

    def _spec(self, params: dict[str, Value]) -> Spec:
        return Spec(self.plugin_name(), tuple(params.items()))

    @classmethod
    def choices(cls) -> Mapping[str, Sequence[str]]:
        """Return the allowed values of text parameters with types that do not list them."""
        return {}

    def own_files(self) -> Sequence[Path]:
        """List the user's own files that the component reads.

        The component's path below ``results/`` contains a digest of their content.
        """
        return ()

    def places_of_files(self) -> Sequence[str]:
        """Return the place of each file in `own_files`, as part of the component's address; empty if only the content matters."""
        return ()

    def with_file_names(self, spec: Spec) -> Spec:
        """Return this component's spec with file names instead of paths, also in nested components."""
        given = {name: kind for name, kind, _ in self._components() if isinstance(spec.get(name), Spec)}
        within = {name: with_file_names(kind, inner) for name, kind in given.items() if isinstance(inner := spec.get(name), Spec)}
        texts = {name: text for name, text in spec.params if isinstance(text, str)}
        files = {name: Path(text).name for name, text in texts.items() if name in self.identity_excludes or text[:1] in {"/", "~"}}
        named = spec.with_params(**within, **files)
        return spec if named == spec else named

    def nested(self) -> Iterator[tuple[str, Spec]]:
        """Yield the components that parameters contain, at any depth, each with its kind."""
        for _, kind, spec in self._components():
            yield kind, spec
            inner = build(kind, spec)
            yield from inner.nested()

    def _components(self) -> Iterator[tuple[str, str, Spec]]:
        """Yield the parameters that contain a component: name, kind, spec."""
        for name, kind in self.component_kinds().items():
            if isinstance(value := getattr(self, name), Spec):
                yield name, kind, value

    @classmethod
    def component_kinds(cls) -> dict[str, str]:
        """Return the parameters that may contain a component, each with the component's kind."""
        marks = ((name, mark) for name, field in cls.model_fields.items() for mark in field.metadata)
        return {name: mark.kind for name, mark in marks if isinstance(mark, Component)}

    @classmethod
    def each_apart(cls, name: str, values: Sequence[Value]) -> str:
        """Explain how to try several values of a parameter."""
        written = ", ".join(str(Spec(cls.plugin_name(), ((name, value),))) for value in values)
        return f"to try several, list the component with each: [{written}]"

    @classmethod
    def meant_by(cls, name: str) -> str:
        """Return ``"; did you mean 'k' (its description)?"`` for an unknown parameter, or what to write instead."""
        tables = [vars(each).get("synonyms", {}) for each in reversed(cls.__mro__)]
        known = {plain(other): meant for table in tables for other, meant in table.items()}
        meant = known.get(plain(name))
        if meant in cls.model_fields:
            return f"; did you mean '{meant}' ({cls.model_fields[meant].description})?"
        return f"; {meant}" if meant is not None and " " in meant else nearest(name, cls.model_fields)

    @classmethod
    def build(cls, spec: Spec | str) -> Self:
        """Build the component of this kind that a spec names: ``Splitter.build("random(ratio=.8)")`` is a `Splitter`.

        Raises
        ------
        SpecError
            If there is no such component, or a parameter is unknown or out of bounds.
        TypeError
            If the component is not of this class.
        """
        component = build(cls.kind, spec)
        if not isinstance(component, cls):
            raise TypeError(f"{cls.kind} '{component.spec}' is not a {cls.__name__}")
        return component

    @classmethod
    def from_spec(cls, spec: Spec) -> Self:
        """Build the component that a spec describes.

        Raises
        ------
        SpecError
            If a parameter is unknown or out of bounds; the message names it and what is allowed.
        """
        params = dict(spec.params)
        if spec.positional is not None:
            first = next(iter(cls.model_fields), None)
            if first is None or first in params:
                raise SpecError(f"'{spec}': the unnamed value {format_value(spec.positional)} does not belong to any parameter")
            params[first] = spec.positional
        try:
            return cls(**params)
        except ValidationError as error:
            raise parameter_error(cls, spec, error.errors()) from error


class Component:
    """Marker for a parameter that contains another plug-in, as in ``of: Annotated[Spec, *component("split")]``."""

    def __init__(self, kind: str) -> None:
        self.kind = kind

    def canonical(self, value: object) -> Spec:
        """Build the component to check it, and return its canonical spec. A bare name is a component without parameters."""
        if not isinstance(value, Spec | str):
            raise ValueError(f"must be a {self.kind} such as {names(self.kind)[0]}, not {value!r}")  # noqa: TRY004 - for pydantic
        component = build(self.kind, value)
        return component.spec


def component(kind: str) -> tuple[Any, ...]:
    """Return the annotations for a parameter that contains a plug-in of a kind."""
    mark = Component(kind)
    return mark, PlainValidator(mark.canonical, json_schema_input_type=str), PlainSerializer(str, return_type=str)


P = TypeVar("P", bound=Plugin)


def missing_extra(plugin: type[Plugin]) -> str | None:
    """Return the name of recsens's optional extra that a plug-in needs and that is not installed; None if nothing is missing."""
    return plugin.extra if plugin.extra and find_spec(EXTRAS[plugin.extra][1]) is None else None


def refuse_missing_extra(plugin: type[Plugin]) -> None:
    """Refuse a plug-in that needs an extra of recsens that is not installed.

    Raises
    ------
    MissingExtraError
        If the extra is not installed; the message says how to install it.
    """
    if missing_extra(plugin) is None:
        return
    library, module, remedy = EXTRAS[plugin.extra]
    raise MissingExtraError(
        f"it needs {library}, and no module '{module}' is installed",
        where=f"{plugin.kind} '{plugin.plugin_name()}'",
        remedy=remedy,
    )


def names(kind: str) -> list[str]:
    """List the plug-ins of a kind that ship with recsens, by canonical name."""
    return sorted(_plugin_modules(kind))


def load(kind: str, name: str) -> type[Plugin]:
    """Import one plug-in's class, and no other plug-in.

    Raises
    ------
    SpecError
        If no such plug-in exists, or if a user's class does not fulfil the contract.
    """
    if "." in name:
        return _load_own(kind, name)
    if (alias := _alias_spec(kind, name)) is not None:
        name = alias.name
    own = {known.lower(): known for known in _plugin_modules(kind)}.get(name.lower())
    if own is None:
        if (labelled := _class_called(kind, name)) is not None:
            return labelled
        called = _advice_by_alias(kind).get(plain(name))
        hint = nearest(name, [*_plugin_modules(kind), *_table(kind, "ALIASES")]) if called is None else f"; did you mean {called}?"
        raise SpecError(
            f"unknown {kind} '{name}'{hint}",
            allowed=_described_names(kind),
            remedy="to use your own class, write it with its module, mylab.models.Foo, and name its folder in 'plugins:'",
        )
    return _class_named(kind, own)


def _class_called(kind: str, name: str) -> type[Plugin] | None:
    if kind not in _BY_LABEL:
        return None
    classes: dict[str, type[Plugin]] = vars(import_module(_BY_LABEL[kind]))
    public = (cls for cls in classes.values() if isinstance(cls, type) and issubclass(cls, Plugin))
    return next((cls for cls in public if cls.plugin_name().lower() == name.lower()), None)


def build(kind: str, spec: Spec | str) -> Plugin:
    """Build a component from its spec and kind. If you know the class, use its `Plugin.build`, which returns that type."""
    spec = _replace_alias(kind, _parse_spec(kind, spec) if isinstance(spec, str) else spec)
    return load(kind, spec.name).from_spec(spec)


def _replace_alias(kind: str, spec: Spec) -> Spec:
    """Replace a plug-in's alias by its own name. The spec's parameters override those that the alias implies."""
    meant = _alias_spec(kind, spec.name)
    if meant is None:
        return spec
    return replace(spec, name=meant.name, params=tuple({**dict(meant.params), **dict(spec.params)}.items()))


@cache
def _alias_spec(kind: str, name: str) -> Spec | None:
    """Return the spec that an alias stands for, and log it; None for a plug-in's own name, and for unknown names.

    Raises
    ------
    SpecError
        If several plug-ins have this alias.
    """
    if "." in name or name.lower() in {known.lower() for known in _plugin_modules(kind)}:
        return None
    meant = next((meant for alias, meant in _table(kind, "ALIASES").items() if plain(alias) == plain(name)), None)
    # Look for alternative names last, because they are in the files of all plug-ins.
    if meant is None and _class_called(kind, name) is None:
        called = _meanings(kind).get(plain(name), [])
        if len(called) > 1:
            both = " and ".join(called)
            raise SpecError(f"{kind} '{name}' has several meanings: {both} share this name", remedy="write the one that you mean")
        meant = called[0] if called else None
    if meant is None:
        return None
    spec = parse(meant)
    if plain(spec.name) != plain(name):
        _log.info("%s '%s' is read as %s", kind, name, meant)
    return spec


def _described_names(kind: str) -> str:
    """List the plug-ins of a kind, one per line, each with the start of its description, without its own name."""
    width = max(map(len, _plugin_modules(kind)))
    lines = []
    for name, module in sorted(_plugin_modules(kind).items()):
        # Read the docstring without importing the module, because some imports are slow.
        code = (_package_folder(kind) / f"{module.rpartition('.')[2]}.py").read_text(encoding="utf-8")
        words = summary_of(get_docstring(parse_code(code)), name).rstrip(".")
        head, colon, rest = words.partition(": ")
        lines.append(f"\n    {name:{width}}  {rest if colon and plain(head) == plain(name) else words}")
    return "".join(lines)


def _parse_spec(kind: str, text: str) -> Spec:
    """Parse a spec. If it is an alternative name that violates the grammar, such as ml-100k, the error says what to write."""
    try:
        return parse(text)
    except SpecError:
        name = text.partition("(")[0].strip()
        meant = None if re.fullmatch(NAME, name) else _advice_by_alias(kind).get(plain(name))
        if meant is None:
            raise
        raise SpecError(f"unknown {kind} '{name}'; did you mean {meant}?", allowed=", ".join(_plugin_modules(kind))) from None


@cache
def _advice_by_alias(kind: str) -> dict[str, str]:
    """Return what to write for each alternative name, in quotes, joined by "or" if a name has several meanings."""
    return {other: " or ".join(f"'{each}'" for each in meant) for other, meant in _meanings(kind).items()}


@cache
def _meanings(kind: str) -> dict[str, list[str]]:
    """Return the specs that each alternative name may stand for; names are normalised for spelling."""
    meanings = ({name: name, **load(kind, name).meanings()}.items() for name in names(kind))
    return grouped((plain(other), meant) for of_name in meanings for other, meant in of_name)


def spelt_out(kind: str, text: str) -> Spec:
    """Parse a component. Its spelling gives the plug-in's own name and every parameter that the text sets, even to the default.

    Examples
    --------
    >>> spelt_out("recommender", "UserKNN(k=100)").written
    'user_knn(k=100)'
    """
    asked = _replace_alias(kind, _parse_spec(kind, text))
    component = build(kind, asked)
    canonical = component.spec
    unnamed = [] if asked.positional is None else [next(iter(type(component).model_fields))]
    given = {name: getattr(component, name) for name in [*dict(asked.params), *unnamed] if name not in dict(canonical.params)}
    return canonical.spelt(replace(canonical, spelling=str(canonical.with_params(**given))))


def with_file_names(kind: str, spec: Spec) -> Spec:
    """Return a component's spec with file names instead of paths, also in nested components.

    The folder of a file on one machine is not part of an experiment's method.
    """
    return build(kind, spec).with_file_names(spec)


def without_paths(kind: str, spec: Spec) -> Spec:
    """Return a component's canonical spec without file paths, also in nested components."""
    built = build(kind, spec)
    return _with_nested(built, without_paths).without(*built.identity_excludes)


def _with_nested(built: Plugin, convert: Callable[[str, Spec], Spec]) -> Spec:
    """Return a component's canonical spec with each component that it names converted; arguments are kind and spec."""
    within = {name: convert(kind, spec) for name, kind, spec in built._components()}  # noqa: SLF001 - of this module's class
    return built.spec.with_params(**{name: spec for name, spec in within.items() if built.spec.get(name) is not None})


@cache
def address(kind: str, spec: Spec) -> Spec:
    """Return the spec that names a component's folder; in this spec, a digest of the files replaces their paths."""
    built = build(kind, spec)
    spec_of_folder = _with_nested(built, address)
    files = built.own_files()
    if not files:
        return spec_of_folder
    for file in files:
        check_path(file)
    places = built.places_of_files() or [""] * len(files)
    digests = "".join(f"{place}{_file_digest(file)}" for place, file in zip(places, files, strict=True))
    return spec_of_folder.without(*built.identity_excludes).with_params(**{SOURCE: sha256(digests.encode()).hexdigest()[:10]})


def _file_digest(file: Path) -> str:
    with file.open("rb") as content:
        return file_digest(content, "sha256").hexdigest()


def _table(kind: str, name: str) -> Mapping[str, str]:
    """Return a table in the module of names that a kind's package may have."""
    if not _package_folder(kind).joinpath("_names.py").exists():
        return {}
    table: Mapping[str, str] = getattr(import_module(f"recsens.{PACKAGES[kind]}._names"), name, {})
    return table


def _package_folder(kind: str) -> Path:
    return Path(__file__).parents[1].joinpath(*PACKAGES[kind].split("."))


@cache
def _plugin_modules(kind: str) -> dict[str, str]:
    """Return the module of each plug-in of a kind, by canonical name."""
    listed = _table(kind, "MODULES")
    others = {path.stem: path.stem for path in _package_folder(kind).glob("*.py") if not path.stem.startswith("_")}
    stems = {name: stem for name, stem in others.items() if stem not in listed.values()} | {**listed}
    return {name: f"recsens.{PACKAGES[kind]}.{stem}" for name, stem in sorted(stems.items(), key=lambda each: each[0].lower())}


def _load_own(kind: str, name: str) -> type[Plugin]:
    module_name, _, class_name = name.rpartition(".")
    module = _import(kind, name, module_name)
    own = getattr(module, class_name, None)
    if own is None and hasattr(module, "__path__"):
        own = _import_own(kind, name, name)
    if isinstance(own, ModuleType):
        inside = vars(own).items()
        named = (other for other, value in inside if getattr(value, "kind", None) == kind and value.__module__ == own.__name__)
        raise SpecError(
            f"'{name}' is a module, not a {kind}", remedy=f"name the class in it: {own.__name__}.{next(named, 'ClassName')}"
        )
    if not (isinstance(own, type) and issubclass(own, Plugin) and getattr(own, "kind", None) == kind):
        classes = [other for other, value in vars(module).items() if getattr(value, "__module__", None) == module_name]
        # A package without __init__.py has no file.
        file = getattr(module, "__file__", None) or ", ".join(module.__path__)
        absent = f": {file} holds no such class{nearest(class_name, classes)}" if own is None else ""
        raise SpecError(
            f"'{name}' is not a {kind}{absent}", remedy=f"derive {class_name} from the base class in recsens.{PACKAGES[kind]}"
        )
    refuse_mistakes(kind, name, own)
    return own


def _import(kind: str, name: str, module_name: str) -> ModuleType:
    """Import the module of a class with a dotted name: the user's own module, or a module that ships with recsens."""
    is_shipped = module_name.startswith(tuple(f"recsens.{package}." for package in PACKAGES.values()))
    if is_shipped and find_spec(module_name) is not None:
        return import_module(module_name)
    module = _import_own(kind, name, module_name)
    if module is None:
        raise SpecError(
            f"{kind} '{name}': no module '{module_name}'", remedy="check the name: the package exists, but has no such module"
        )
    return module


def _import_own(kind: str, name: str, module_name: str) -> ModuleType | None:
    """Import a user's own module; import errors name the component that needs it."""
    try:
        return import_own(module_name)
    except Exception as error:
        refused = error if isinstance(error, SpecError) else import_error(error)
        raise refused.at(f"{kind} '{name}'") from error


@cache
def _class_named(kind: str, name: str) -> type[Plugin]:
    """Return the public class of a module that has a plug-in's name, and import no other plug-in."""
    module = import_module(_plugin_modules(kind)[name])
    own = (cls for cls in vars(module).values() if isinstance(cls, type) and cls.__module__ == module.__name__)
    for cls in own:
        if issubclass(cls, Plugin) and cls.__name__[0] != "_" and (cls.kind, cls.plugin_name()) == (kind, name):
            return cls
    raise TypeError(f"{module.__name__} has no public {kind} with the name '{name}'")


def _plain(path: str | Path) -> str:
    return str(Path(from_study(str(path))))
