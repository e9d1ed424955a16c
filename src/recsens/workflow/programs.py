"""Other programs that a study runs: their commands, changes of their environments, and folders for trying them by hand."""

import shlex
import shutil
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from difflib import unified_diff
from itertools import count
from pathlib import Path

from recsens.artefacts import schemas, storage
from recsens.artefacts.folds import read_interactions, read_roles, sides
from recsens.errors import ArtefactError, ConfigError
from recsens.plugins.specs import format_value
from recsens.ranking.nc import NotComputable
from recsens.recommenders import Recommender
from recsens.recommenders.program import PRINTED, Program
from recsens.recommenders.tuned import Tuned
from recsens.seeds import Origin
from recsens.study import file_name
from recsens.vocabulary import Role
from recsens.workflow.fallback_programs import programs_in
from recsens.workflow.job import Job
from recsens.workflow.plan import Plan, Ranking
from recsens.workflow.staleness import Audited, jobs_to_do

_SHOWN_LINES = 6
"""Largest number of lines of the difference between two environments that an error shows."""

SCRIPT = "try.sh"
"""Shell script that starts the program as a run would."""


def programs_of(plan: Plan) -> dict[str, list[Program]]:
    """Return a study's programs, by the label of their system or by the ``nc`` policy that contains them."""
    found: dict[str, dict[str, Program]] = {}
    for experiment in plan.study.all_experiments():
        policies = {f"nc: {design.nc.written}": NotComputable.build(design.nc).fallback for design in experiment.designs()}
        # Experiments may use one label for several systems.
        for label, system in (*experiment.systems.items(), *policies.items()):
            if system is not None:
                found.setdefault(label, {}).update({str(each.spec): each for each in programs_in(system)})
    return {label: list(programs.values()) for label, programs in found.items() if programs}


def refuse_programs(plan: Plan) -> None:
    """Refuse a study that runs other programs.

    Raises
    ------
    ConfigError
        The message lists their commands.
    """
    if programs_of(plan):
        raise ConfigError(
            "\n".join(["this study runs other programs, which --no-programs forbids:", *_describe_programs(plan)]),
            where=str(plan.path),
            remedy="if you trust them, leave --no-programs out; otherwise remove these systems",
        )


def describe_commands(plan: Plan, findings: Iterable[Audited]) -> list[str]:
    """Say which programs a run is about to start; empty if it starts no programs."""
    if not programs_of(plan) or not any(map(_starts_programs, jobs_to_do(findings))):
        return []
    return ["This run starts other programs, with your rights ('--no-programs' refuses them):", *_describe_programs(plan)]


def _starts_programs(job: Job) -> bool:
    """Whether a job starts another program: to fit or tune a recommender, or as a fallback of a ranking."""
    if job.step in {"rank", "rank_shard"}:
        fallback = NotComputable.build(str(job.params["design"]["nc"])).fallback
        return fallback is not None and bool(programs_in(fallback))
    fits = {"fit", "fit_program", "tune", "tune_shard"}
    return job.step in fits and bool(programs_in(Recommender.build(str(job.params["spec"]))))


def _describe_programs(plan: Plan) -> Iterator[str]:
    """Yield the commands by label, with the values of their placeholders."""
    searches: dict[str, set[str]] = {}
    for experiment in plan.study.all_experiments():
        for label, spec in experiment.systems.items():
            system = Recommender.build(spec)
            if isinstance(system, Tuned):
                searches.setdefault(label, set()).add(f"tries {system.search}")
    for label, programs in programs_of(plan).items():
        for program in programs:
            words = [f"{name} = {format_value(value)}" for name, value in program.words.items()]
            files = f"files: {', '.join(program.files)}" if program.files else ""
            more = [", ".join(words), *sorted(searches.get(label, ())), files]
            told = "; ".join(filter(None, more))
            yield f"  {label}: {program.run}{f'  ({told})' if told else ''}"
            if program.versions is not None:
                yield f"  {label}: {program.versions}  (its versions)"


def refuse_other_versions(plan: Plan, tell: Callable[[str], object]) -> None:
    """Refuse a program if its environment differs from the environment in which its existing models were made.

    Only programs with the parameter ``versions`` are checked, each once, and only if there are models. Under ``nc``, the parameter
    is refused when the study is planned.

    Parameters
    ----------
    plan
        Plan of a study.
    tell
        Function that reports each command before it starts.

    Raises
    ------
    ConfigError
        The message shows the difference, and the files that were made in the other environment.
    ProgramError
        If the command for the versions fails.
    """
    asked: dict[str, str] = {}
    for ranking in plan.rankings.values():
        for program in programs_in(ranking.system):
            model = Path(plan.fitted_at(ranking.address.up_to("recommender")).model)
            if program.versions is None or not model.exists():
                continue
            recorded = _recorded_versions(model)
            command = str(program.spec)
            if command not in asked:
                tell(f"Asking another program for its versions, with your rights: {program.versions}")
                asked[command] = program.printed_versions()
            if recorded is not None and recorded != asked[command]:
                tuning = (
                    ranking.address.up_to("recommender").tuning if isinstance(Recommender.build(ranking.system), Tuned) else None
                )
                raise _versions_error(program, model, tuning, recorded, asked[command])


def _recorded_versions(model: Path) -> str | None:
    try:
        _, arrays = storage.read_arrays(model, schemas.MODEL)
    except ArtefactError:
        return None  # A run makes the model anew.
    return arrays[PRINTED].tobytes().decode() if PRINTED in arrays else None


def _versions_error(program: Program, model: Path, tuning: str | None, before: str, now: str) -> ConfigError:
    lines = [
        line
        for line in unified_diff(before.splitlines(), now.splitlines(), lineterm="", n=0)
        if not line.startswith(("---", "+++", "@@"))
    ]
    more = [f"    and {len(lines) - _SHOWN_LINES:,} more lines"] if len(lines) > _SHOWN_LINES else []
    shown = "\n".join([*(f"    {line}" for line in lines[:_SHOWN_LINES]), *more])
    # Without this, a model in this environment would have the parameters that were best in the other environment.
    choice = "" if tuning is None else f", the choice of parameters, {tuning},"
    printed = f"'{program.versions}' printed (-) and now prints (+):\n{shown}"
    return ConfigError(
        f"the environment of the program has changed since {model} was made; {printed}",
        where=f"program '{program.run}'",
        remedy=(
            f"run in the earlier environment; to compute the results anew in this one, remove that file{choice} and those of "
            "other folds, or name a lock file in 'environment', which makes them separate results"
        ),
    )


@dataclass(frozen=True)
class ProgramFolder:
    """A folder in which a program can be tried.

    Attributes
    ----------
    label
        Label of the system.
    script
        The script that starts the program.
    """

    label: str
    script: Path


def write_folders(plan: Plan, folder: str | Path) -> list[ProgramFolder]:
    """Write the input of each of a study's programs on the first fold of its first split, and a script that starts the program.

    A program inside another recommender, such as ``tuned``, gets the whole train set of the fold. Folders of an earlier call are
    replaced, including the scores in them. If several programs have the same label, all except the first get a number.

    Parameters
    ----------
    plan
        Plan of a study whose splits exist.
    folder
        Folder to write to; each system has a folder below it.

    Raises
    ------
    ConfigError
        If no system is a program, or if a folder contains other files.
    """
    labels = {str(spec): label for each in plan.study.all_experiments() for label, spec in reversed(list(each.systems.items()))}
    firsts: dict[str, Ranking] = {}
    for ranking in plan.rankings.values():
        firsts.setdefault(str(ranking.system), ranking)
    held = {name: each for name, each in firsts.items() if programs_in(each.system)}
    named = _distinct_labels(labels.get(name, name) for name in held)
    found = [_write_folder(label, plan, each, Path(folder)) for label, each in zip(named, held.values(), strict=True)]
    if not found:
        raise ConfigError(
            "no system of this study is a program", where=str(plan.path), remedy='systems: {Mine: program(run="...")}'
        )
    return found


def _distinct_labels(labels: Iterable[str]) -> list[str]:
    """Add numbers to repeated labels to make folders differ, because experiments may use one label for several systems."""
    taken: dict[str, str] = {}
    for label in labels:
        numbered = (label if n == 1 else f"{label} {n}" for n in count(1))
        own = next(each for each in numbered if file_name(each) not in taken)
        taken[file_name(own)] = own
    return list(taken.values())


def _write_folder(label: str, plan: Plan, ranking: Ranking, folder: Path) -> ProgramFolder:
    place = (folder / file_name(label)).absolute()
    if place.exists():
        if not (place / SCRIPT).is_file():
            raise ConfigError("this folder contains other files", where=str(place), remedy="remove it, or choose another: --folder")
        shutil.rmtree(place)
    place.mkdir(parents=True)
    system = Recommender.build(ranking.system)
    is_alone = isinstance(system, Program)
    program = programs_in(system)[0]
    needs = system.side_information is not None
    address = ranking.address.up_to("fold")
    interactions = read_interactions(address.up_to("filter").data, [address.up_to("filter").side] if needs else [])
    given = read_roles(address.roles, interactions)
    train, _ = sides(interactions, given)
    told = program.with_validation(interactions.take(given == Role.VALIDATION)) if is_alone else program
    identity = plan.source_at(address.step("dataset")).component.identity
    origin = Origin(ranking.design.seed, identity, ranking.fold.name)
    arguments, _ = told.prepare(place, train, origin.stream("fit", system.stream_name, origin.fold).generator())
    storage.write_text(place / SCRIPT, "\n".join(_script_lines(label, told, place, arguments)))
    return ProgramFolder(label, place / SCRIPT)


def _script_lines(label: str, program: Program, place: Path, arguments: list[str]) -> Iterator[str]:
    yield "#!/bin/sh"
    limits = f"{program.minutes:g} minutes and {program.memory:g} GB"
    yield f"# {' '.join(label.split())}: starts the program as a run does, but without its limits of {limits}"
    yield f"cd {shlex.quote(str(place))} || exit"
    yield f"export OMP_NUM_THREADS={program.threads} PYTHONHASHSEED=0"
    yield f"exec {shlex.join(arguments)}"
    yield ""
