"""Program: another program learns and scores, and runs like any other job."""

import logging
import os
import re
import shlex
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar, Self

import numpy as np
from pydantic import ConfigDict, Field, PrivateAttr, model_validator

from recsens.data.interactions import Interactions
from recsens.errors import ConfigError, DesignError, RecsensError, SpecError, nearest
from recsens.files.paths import ENVIRONMENT, from_study, is_file, is_folder
from recsens.plugins import SOURCE
from recsens.plugins.prose import listed
from recsens.plugins.specs import Spec, Value, format_value
from recsens.recommenders import Extent, Ints, Preset, Reals, Recommender
from recsens.recommenders._program_folder import (
    SCORES,
    USERS,
    Lesson,
    Limits,
    ProgramError,
    copy_files,
    find_scores,
    new_folder,
    places_in_folder,
    read_scores,
    remove_folders_left,
    run_program,
    whole_path,
    with_last_lines,
)
from recsens.recommenders._score_file_arrays import empty_arrays, scores_for

GIVEN = {
    "train": "the train ratings",
    "validation": "the validation ratings",
    "users": "the users to score",
    "items": "the items to score",
    "scores": "where to write the scores",
    "folder": "the folder that holds all of these",
    "seed": "a whole number from this study's seed",
    "threads": "how many threads to use",
}
"""Placeholders in a command besides its own parameters -> what replaces them."""

_PIECE = re.compile(r"\{\{|\}\}|\{([^{}]*)\}|[{}]")
_SHELL = {"&&", "||", "|", ";", "&", ">", ">>", "<", "<<", "2>", "2>&1", "&>"}
"""Arguments that have a meaning only in a shell."""


@dataclass(frozen=True)
class Command:
    """A command line: arguments that may contain words in braces as placeholders.

    No shell reads the command line. Quotes join words, as in a shell; ``{{`` and ``}}`` mean single braces.
    """

    arguments: tuple[str, ...]

    @classmethod
    def read(cls, line: str) -> Self:
        """Split a command line into arguments.

        Raises
        ------
        SpecError
            If there are no arguments, if a quotation mark or brace is not closed, or if only a shell could read the line.
        """
        try:
            arguments = tuple(shlex.split(line))
        except ValueError as error:
            raise SpecError(
                f"the command cannot be split into arguments: {str(error).lower()}",
                where=f"'{line}'",
                remedy="close the quotation mark, or write a backslash before it",
            ) from error
        if not arguments or not arguments[0]:
            raise SpecError("the command is empty", allowed='a program and its arguments: "python mine.py {train} {scores}"')
        if "\0" in line:
            raise SpecError("the command contains a zero byte, which an argument cannot contain", where=repr(line))
        command = cls(arguments)
        command._refuse_shell(line)
        command.words()
        return command

    def _refuse_shell(self, line: str) -> None:
        found = next((each for each in self.arguments if each in _SHELL or each.startswith(("~/", ">"))), None)
        if found is not None:
            raise SpecError(
                f"no shell reads the command, so '{found}' would only be an argument",
                where=f"'{line}'",
                remedy="write out paths; put several commands, or one with a redirection, into a script and name it in 'files'",
            )

    def words(self) -> list[str]:
        """List the distinct words in braces; raises SpecError for an unpaired brace."""
        found: dict[str, None] = {}
        for argument in self.arguments:
            for piece in _PIECE.finditer(argument):
                if piece[1] is None and piece[0] not in {"{{", "}}"}:
                    raise SpecError(
                        f"the argument '{argument}' holds a single '{piece[0]}'",
                        allowed="{word}, where word is the name of a parameter; for literal braces, write {{ and }}",
                    )
                if piece[1] is not None:
                    found[piece[1]] = None
        return list(found)

    def filled(self, values: Mapping[str, str]) -> list[str]:
        """Return the arguments with every placeholder replaced by its value; values are not searched for placeholders."""
        return [
            _PIECE.sub(lambda piece: values[piece[1]] if piece[1] is not None else piece[0][0], each) for each in self.arguments
        ]

    def refuse_words(self, own: Mapping[str, object], others: Iterable[str]) -> None:
        """Refuse unknown placeholders, parameters that no placeholder uses, and a command without ``{scores}``.

        ``own`` are the program's own parameters, which placeholders may name; ``others`` are the parameters of the recommender.

        Raises
        ------
        SpecError
            If one of these is found; the message names it.
        """
        words = self.words()
        known = {**GIVEN, **own}
        unknown = next((word for word in words if word not in known), None)
        if unknown is not None:
            raise SpecError(
                f"{{{unknown}}} is not a known placeholder{nearest(unknown, known)}",
                allowed=f"{', '.join(f'{{{word}}}' for word in known)}; for literal braces, write {{{{ and }}}}",
                remedy=f"give it a value, {unknown}=..., or correct the word" if unknown.isidentifier() else None,
            )
        idle = next((name for name in own if name not in words), None)
        if idle is not None:
            raise SpecError(
                f"the parameter '{idle}' is not in the command, so its value has no effect{nearest(idle, [*words, *others])}",
                remedy=f"put {{{idle}}} where the program expects it, or leave the parameter out",
            )
        if "scores" not in words:
            raise SpecError(
                "the command does not contain {scores}, the file that the program must write", remedy="add it as an argument"
            )


def placeholder_text(value: Value) -> str:
    """Return a value as the text that replaces a placeholder: as in a study, but without quotation marks."""
    return value if isinstance(value, str) else format_value(value)


PRINTED = "program_versions"
"""Name of the array with the output of the command ``versions`` at the time of fitting, in UTF-8."""

_TABLES = ("user.", "item.", "context.")

_ADD = 'add files=["{}"], so that a change of its content recomputes the results'
"""The advice about a file that only the command names."""

_LOCK_FILE = "/environment"
"""Name of the lock file in the address. It begins with a slash, whereas paths of files in the program's folder do not."""

_MINUTES_FOR_VERSIONS = 2.0

_BYTES_OF_A_PAIR = 128
"""Largest number of bytes that a pair of a user and an item takes in a score file."""

_LEAST_FILE = 1 << 30
"""Number of bytes that a program may write to a file, however few pairs there are."""

_THREADS = (
    *(f"{library}_NUM_THREADS" for library in ("OMP", "OPENBLAS", "MKL", "BLIS", "NUMEXPR", "NUMBA", "RAYON")),
    "VECLIB_MAXIMUM_THREADS",
)
"""Environment variables that set a number of threads."""

_OURS = (ENVIRONMENT, "PYTHONSAFEPATH", "PYTHONSTARTUP", "RECSENS_LOCK", "RECSENS_EVENTS", "RECSENS_PROGRESS")
"""Environment variables that a program must not inherit. It does inherit RECSENS_RUN and RECSENS_JOB, which identify the processes
of a run and of a job."""

log = logging.getLogger(__name__)


class Program(Recommender):
    r"""s(u, i) is computed from the train set by another program, in any language and environment.

    ``run`` is the command. The command is split into arguments as a shell would split it, but no shell reads it. Then words in
    braces are replaced: ``{train}``, ``{validation}``, ``{users}``, ``{items}``, ``{scores}`` and ``{folder}`` by paths, ``{seed}``
    by a whole number drawn for the fold, ``{threads}`` by the parameter ``threads``, and any other word by the parameter of that
    name, which must be set: ``program(run="python mine.py {train} {scores} --k {k}",k=20,files=["mine.py"])``. These parameters can
    be tuned like any others.

    The program works in a separate folder with copies of ``files``. ``train.csv`` has the columns user and item, and rating and
    timestamp if the data have them. ``validation.csv`` has the same columns, and exists if the split has a validation set and the
    program is not part of another recommender. ``users.csv`` lists the users to be scored: users with train ratings, or all users
    if ``side`` names a column of users. ``items.csv`` lists all items. The columns in ``side`` are added to these files. Test
    ratings are neither in these files nor in arguments or the environment. The program writes scores to ``{scores}``, and may add
    an ending to that name.

    The job fails if the program ends with an error, takes longer than ``minutes``, uses more than ``memory``, leaves a process
    behind, writes no scores, scores an unknown user or item, or does not score all users. The message shows the program's last
    lines of output.

    The address contains the command, the parameters, and a digest of the lock file ``environment`` and of ``files`` with their
    places in the folder. The output of the command ``versions`` is stored with the model, and must be the same in the next run. Two
    runs with the same input may give different scores.
    """

    model_config = ConfigDict(extra="allow")

    source = "the program's own documentation"
    deterministic: ClassVar[bool] = False
    identity_excludes: ClassVar[tuple[str, ...]] = ("files", "environment")
    never_searched: ClassVar[tuple[str, ...]] = ("run", "versions")
    """Parameters that tuning must not vary, because a study must show which commands it runs."""
    also_called = ("command", "external_program", "subprocess")

    run: str | None = Field(None, description="the command, with words in braces as placeholders")
    files: tuple[str, ...] = Field((), description="the program's own files; relative paths start at the study")
    environment: str | None = Field(None, description="a lock file of the program's environment, whose content counts")
    versions: str | None = Field(None, description='a command that prints the environment, such as "python -m pip freeze"')
    side: tuple[str, ...] = Field((), description="columns of side information for the program, such as item.genres")
    threads: int = Field(1, ge=1, le=1024, description="threads that the program may use")
    memory: float = Field(4, gt=0, le=100_000, description="memory that the program may use, in GB")
    minutes: float = Field(60, gt=0, le=100_000, description="minutes that the program may take")

    _validation: Interactions | None = PrivateAttr(None)

    @model_validator(mode="before")
    @classmethod
    def _take_lists(cls, given: Any) -> Any:
        """Treat a single text as a list with one entry, and resolve paths relative to the study."""
        if not isinstance(given, dict):
            return given
        lists = {name: (given[name],) for name in ("files", "side") if isinstance(given.get(name), str)}
        taken = {**given, **lists}
        if isinstance(files := taken.get("files"), tuple | list):
            taken["files"] = tuple(_path_from_study(file) if isinstance(file, str) and file else file for file in files)
        if isinstance(lock := taken.get("environment"), str) and lock:
            taken["environment"] = _path_from_study(lock)
        return taken

    @model_validator(mode="after")
    def _check(self) -> Self:
        for name, value in self.words.items():
            _check_word(name, value)
        wrong = next((column for column in self.side if not column.startswith(_TABLES)), None)
        if wrong is not None:
            raise SpecError(f"'{wrong}' is not a column of side information", allowed="user.age, item.genres, context.device, ...")
        if self.versions is not None and Command.read(self.versions).words():
            raise SpecError(
                f"versions='{self.versions}' contains a word in braces, which only 'run' may contain", remedy="write it out"
            )
        if self.run is None:
            if self.words:
                raise SpecError("without a command, parameters have no effect", allowed='run="python mine.py {train} {scores}"')
            return self
        self._parsed_command.refuse_words(self.words, type(self).model_fields)
        self._refuse_undeclared()
        return self

    def _refuse_undeclared(self) -> None:
        """Refuse a command with the path of a file that is not in the program's folder, or whose content would not count."""
        there = self._files_by_place
        place_of = {whole_path(file): place for place, file in there.items()}
        for line in filter(None, [self.run, self.versions]):
            for n, argument in enumerate(Command.read(line).arguments):
                path = Path(argument)
                if path.is_absolute() or path.as_posix() in there or (n == 0 and "/" not in argument):
                    continue
                if n == 0:
                    raise SpecError(
                        f"'{argument}' is not in 'files', but relative paths start in the program's own folder",
                        remedy="write the whole path of the program, or name it in 'files'",
                    )
                if not is_file(from_study(argument)):
                    continue
                if (place := place_of.get(whole_path(from_study(argument)))) is not None:
                    raise SpecError(f"the file '{argument}' is '{place}' in the program's own folder", remedy=f"write '{place}'")
                raise SpecError(
                    f"the command names the file '{argument}', which is not in 'files', so the program would not find it",
                    remedy=_ADD.format(argument),
                )
        counted = {*place_of, whole_path(self.environment or "")}
        for argument in self._parsed_command.arguments[1:]:
            # An executable, such as an interpreter after the command 'nice', belongs to the environment.
            is_outside = Path(argument).is_absolute() and is_file(argument) and not os.access(argument, os.X_OK)
            if is_outside and whole_path(argument) not in counted:
                raise SpecError(
                    f"the command names the file '{argument}', which is not in 'files', so its changes would go unnoticed",
                    remedy=_ADD.format(argument),
                )

    @property
    def words(self) -> Mapping[str, Value]:
        """The program's own parameters, by their words in the command."""
        return dict(self.model_extra or {})

    def _spec(self, params: dict[str, Value]) -> Spec:
        return super()._spec({**params, **self.words})

    @property
    def chosen_preset(self) -> Preset | None:
        """None: a parameter called ``preset`` belongs to the program itself."""
        return None

    @property
    def _parsed_command(self) -> Command:
        assert self.run is not None
        return Command.read(self.run)

    @property
    def n_threads(self) -> int:  # type: ignore[override]
        """Number of threads that the program may use."""
        return self.threads

    def _own_needs(self) -> tuple[str, ...] | None:
        return self.side or None

    def bytes_needed(self, extent: Extent) -> float:
        """Return the memory that the program may use."""
        return self.memory * 1e9

    def seconds_needed(self, extent: Extent) -> float:
        """Return a fifth of the time that the program may take, because a cluster's time limit is five times a job's estimate."""
        return self.minutes * 60 / 5

    @staticmethod
    def clear_up() -> None:
        """Remove the folders of programs whose job was killed."""
        remove_folders_left()

    def own_files(self) -> Sequence[Path]:
        """List the program's own files and the lock file.

        Raises
        ------
        ConfigError
            If a file does not exist.
        """
        named = [*self.files, *([] if self.environment is None else [self.environment])]
        missing = next((file for file in named if not is_file(file)), None)
        if missing is not None:
            what = "a folder" if is_folder(missing) else "missing"
            raise ConfigError(
                f"the file '{missing}' is {what}",
                where=f"program '{self.run}'",
                allowed="files, with paths that start at the study, at the working directory or at the root",
                remedy="list the files in the folder" if is_folder(missing) else "correct the path",
            )
        return [Path(file) for file in named]

    def places_of_files(self) -> Sequence[str]:
        """Return each file's place in the program's folder; the lock file is outside."""
        places = [*self._files_by_place, *([] if self.environment is None else [_LOCK_FILE])]
        # File names do not contain zero bytes, so different lists of names and digests never give the same text.
        return [f"\0{place}\0" for place in places]

    @property
    def _files_by_place(self) -> Mapping[str, Path]:
        """The program's own files, by their places in its folder."""
        return places_in_folder(self.files, () if self.run is None else self._parsed_command.arguments)

    def with_file_names(self, spec: Spec) -> Spec:
        """Return this program's spec with the name of its main file instead of the command, and no other files or commands."""
        named = super().with_file_names(spec).without("files", "environment", "versions")
        return named if self.run is None else named.with_params(run=self._main_file)

    @property
    def _main_file(self) -> str:
        """The name of the first file of the program in the command; without such a file, of any file, or of what is run."""
        arguments = self._parsed_command.arguments
        own = [each for each in arguments if Path(each).as_posix() in self._files_by_place or each in self.files]
        seem_files = [each for each in arguments[1:] if re.fullmatch(r"[^-{][^{}=]*\.[A-Za-z]\w*", each)]
        return Path([*own, *seem_files, arguments[0]][0]).name

    def with_validation(self, validation: Interactions | None) -> Self:
        """Return the program with a validation set; an empty set counts as none."""
        given = self.model_copy()
        given._validation = validation if validation is not None and len(validation) else None  # noqa: SLF001 - of this class
        return given

    def fit(self, train: Interactions, rng: np.random.Generator) -> Self:
        """Run the program, and keep the scores that it writes.

        Raises
        ------
        ProgramError
            If the program fails, or its scores cannot be used; the message shows the program's last lines of output.
        DesignError
            If the train set has no raw names, or the command names a validation set that the fold does not have.
        """
        if self.run is None:
            self._learned = empty_arrays(train)
            return self
        printed = {} if self.versions is None else {PRINTED: np.frombuffer(self.printed_versions().encode(), dtype=np.uint8)}
        with self._named_in_errors(), new_folder() as folder:
            arguments, lesson = self.prepare(folder, train, rng)
            # The time comes from the clock of the file system, like the modification time of the score file.
            begun = (folder / USERS).stat().st_mtime_ns
            output = self._printed(arguments, folder, self.minutes, _LEAST_FILE + _BYTES_OF_A_PAIR * train.n_users * train.n_items)
            log.info("the program '%s' wrote:\n%s", self.run, "\n".join(f"    {line}" for line in output.splitlines()))
            with _explain_score_errors(output, folder):
                self._learned = {**read_scores(find_scores(folder, begun), train, lesson.is_scored), **printed}
        return self

    def prepare(self, folder: Path, train: Interactions, rng: np.random.Generator) -> tuple[list[str], Lesson]:
        """Write everything that the program needs into a folder; return its arguments, and the data that it learns from.

        Raises
        ------
        DesignError
            Under the same conditions as in `fit`.
        """
        lesson = Lesson(train, self._validation, self.side)
        if "validation" in self._parsed_command.words() and self._validation is None:
            raise DesignError(
                "the command names {validation}, but there is no validation set",
                allowed="a split with one, validated(...), and a program that is not inside tuned or another recommender",
                remedy="leave {validation} out; tuned(of=program(...)) measures candidates on validation data itself",
            )
        lesson.write(folder)
        copy_files(self._files_by_place, folder)
        paths = {name: folder / f"{name}.csv" for name in ("train", "validation", "users", "items")}
        given = {**paths, "scores": folder / SCORES, "folder": folder, "seed": rng.integers(2**31), "threads": self.threads}
        own = {name: placeholder_text(value) for name, value in self.words.items()}
        return self._parsed_command.filled({**{name: str(value) for name, value in given.items()}, **own}), lesson

    def printed_versions(self) -> str:
        """Run the command ``versions`` and return what it prints.

        Raises
        ------
        ProgramError
            If the command fails or prints nothing.
        """
        assert self.versions is not None
        with self._named_in_errors(self.versions), new_folder() as folder:
            copy_files(self._files_by_place, folder)
            arguments = Command.read(self.versions).filled({})
            printed = self._printed(arguments, folder, _MINUTES_FOR_VERSIONS, _LEAST_FILE)
            lines = [line.rstrip() for line in printed.replace(str(folder), "").splitlines()]
            if not any(lines):
                raise ProgramError("the command for the versions printed nothing")
        return "\n".join(lines).strip()

    def _printed(self, arguments: Sequence[str], folder: Path, minutes: float, file_bytes: int) -> str:
        limits = Limits(minutes * 60, self.memory * 1e9, file_bytes)
        return run_program(arguments, folder, _environment(self.threads, folder), limits)

    @contextmanager
    def _named_in_errors(self, command: str | None = None) -> Iterator[None]:
        try:
            yield
        except RecsensError as error:
            raise error.at(f"program '{command or self.run}'") from error

    def score(self, train: Interactions, users: Ints) -> Reals:
        """Look up the scores."""
        return scores_for(self._learned, train, users)

    def prose(self) -> str:
        """Describe the program in a sentence."""
        if self.run is None:
            return "A program without a command scored nothing."
        told = [f"{name} = {placeholder_text(value)}" for name, value in self.words.items()]
        given = f" with {listed(told)}" if told else ""
        return f"Another program, run as '{self.run}'{given}, learned from the train set and gave the scores."

    def prose_title(self) -> str:
        """Name the program by its main file and its own parameters."""
        if self.run is None:
            return ""
        named = self.with_file_names(self.spec)
        told = [f"{name} = {placeholder_text(value)}" for name in self.words if (value := named.get(name)) is not None]
        return f"program '{self._main_file}'{f' with {listed(told)}' if told else ''}"


def _path_from_study(file: str) -> str:
    return str(Path(from_study(file)).expanduser())


def _check_word(name: str, value: Value) -> None:
    """Refuse a name or value of a program's own parameter that no placeholder can represent."""
    if name in GIVEN:
        raise SpecError(f"'{name}' cannot be a parameter: {{{name}}} already means {GIVEN[name]}", remedy="give it another name")
    if not name.isidentifier() or name == SOURCE:
        allowed = f"letters, digits and _, except '{SOURCE}', which an address needs"
        raise SpecError(f"'{name}' cannot be a parameter", allowed=allowed)
    if isinstance(value, tuple):
        raise SpecError(
            f"{name} has several values, but a word in braces takes only one",
            remedy="let tuned(of=program(...),search=grid(...)) choose one, or give each value its own label under 'systems'",
        )
    if not isinstance(value, bool | int | float | str):
        raise SpecError(f"{name} = {value} cannot be an argument", allowed='a number, true, false, or text: "a text"')
    if isinstance(value, str) and "\0" in value:
        raise SpecError(f"{name} contains a zero byte, which an argument cannot contain")
    if isinstance(value, int) and not -(2**63) <= value < 2**63:
        raise SpecError(f"{name} does not fit in 64 bits")


def _environment(threads: int, folder: Path) -> dict[str, str]:
    """Return a program's environment variables: the current variables except recsens's own, plus its threads and folders."""
    kept = {name: value for name, value in os.environ.items() if name not in _OURS and not name.startswith("SNAKEMAKE")}
    temporary = folder / "tmp"
    temporary.mkdir(exist_ok=True)
    ours = {"TMPDIR": str(temporary), "PWD": str(folder), "PYTHONUNBUFFERED": "1", "PYTHONHASHSEED": "0"}
    return {**kept, **dict.fromkeys(_THREADS, str(threads)), **ours}


@contextmanager
def _explain_score_errors(output: str, folder: Path) -> Iterator[None]:
    """Add the program's last lines of output to an error in its scores, and remove its folder's path."""
    try:
        yield
    except RecsensError as error:
        problem = f"{error.where}: {error.problem}" if error.where else error.problem
        told = with_last_lines(problem, output) if output.strip() else problem
        raise ProgramError(told.replace(f"{folder}/", ""), allowed=error.allowed, remedy=error.remedy) from error
