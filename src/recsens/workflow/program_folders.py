"""Folders for trying a study's programs by hand; a script starts each program as a run would."""

import shlex
import shutil
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import count
from pathlib import Path

from recsens.artefacts import storage
from recsens.artefacts.folds import read_interactions, read_roles, sides
from recsens.errors import ConfigError
from recsens.recommenders import Recommender
from recsens.recommenders.program import Program
from recsens.seeds import Origin
from recsens.study import file_name
from recsens.vocabulary import Role
from recsens.workflow.fallback_programs import programs_in
from recsens.workflow.plan import Plan, Ranking

SCRIPT = "try.sh"
"""Shell script that starts the program as a run would."""


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
    named = _each_its_own(labels.get(name, name) for name in held)
    found = [_written(label, plan, each, Path(folder)) for label, each in zip(named, held.values(), strict=True)]
    if not found:
        raise ConfigError(
            "no system of this study is a program", where=str(plan.path), remedy='systems: {Mine: program(run="...")}'
        )
    return found


def _each_its_own(labels: Iterable[str]) -> list[str]:
    """Add numbers to repeated labels to make folders differ, because experiments may use one label for several systems."""
    taken: dict[str, str] = {}
    for label in labels:
        numbered = (label if n == 1 else f"{label} {n}" for n in count(1))
        own = next(each for each in numbered if file_name(each) not in taken)
        taken[file_name(own)] = own
    return list(taken.values())


def _written(label: str, plan: Plan, ranking: Ranking, folder: Path) -> ProgramFolder:
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
    storage.write_text(place / SCRIPT, "\n".join(_script(label, told, place, arguments)))
    return ProgramFolder(label, place / SCRIPT)


def _script(label: str, program: Program, place: Path, arguments: list[str]) -> Iterator[str]:
    yield "#!/bin/sh"
    limits = f"{program.minutes:g} minutes and {program.memory:g} GB"
    yield f"# {' '.join(label.split())}: starts the program as a run does, but without its limits of {limits}"
    yield f"cd {shlex.quote(str(place))} || exit"
    yield f"export OMP_NUM_THREADS={program.threads} PYTHONHASHSEED=0"
    yield f"exec {shlex.join(arguments)}"
    yield ""
