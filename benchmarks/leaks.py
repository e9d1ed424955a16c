"""Faults planted in files at three strengths: how often `recsens audit --leaks` finds them, and how often it accuses clean files.

    RECSENS_DATA=... python benchmarks/leaks.py --data ml-100k filmtrust --results build/leaks

Six systems on each data set, each fitted on the faulty files where the fault is in the data, with lists of 100. An audit reads
all six, and its findings are judged together at the level .01. The true inflation is the value of the faulty files less that of
the clean ones. Goal at the middle strength: 95 % found, and 1 % of the clean runs wrongly accused; the true inflation within the
interval in 90 %.

Each audit is a line of JSON in the folder of results, a file for each data set. A further run does only what is missing there, so
that it may be stopped at any time; delete the folder after a change of the detectors.
"""

import json
import logging
import math
import tempfile
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from command_line import parser
from leaking_files import DATA, Board, Files
from planted_leaks import CLEAN, CONTROLS, FAULTS, STRENGTHS

Audit = dict[str, Any]
"""An audit of six systems: data, draw, case, strength (empty if clean), and what was found."""


def main(command: Sequence[str] | None = None) -> None:
    """Plant and audit what is not yet in the folder of results, and print a table of each data set, then of all."""
    arguments = parser(__doc__)
    arguments.add_argument("--data", nargs="+", choices=DATA, default=list(DATA), help="data sets")
    arguments.add_argument("--strengths", nargs="+", choices=STRENGTHS, default=list(STRENGTHS), help="strengths of the faults")
    arguments.add_argument("--draws", type=int, default=1, help="random splits and plantings of each fault")
    arguments.add_argument("--results", type=Path, help="a folder that keeps each audit (default: none is kept)")
    given = arguments.parse_args(command)
    with _quiet(), tempfile.TemporaryDirectory() as aside:
        folder = given.results or Path(aside)
        folder.mkdir(parents=True, exist_ok=True)
        audits: list[Audit] = []
        for name in ["tiny"] if given.tiny else given.data:
            of_set = list(_audits(name, given.draws, given.strengths, folder / f"{name}.jsonl", first_only=given.tiny))
            _print(name, of_set)
            audits += of_set
        _print("all", audits)


@contextmanager
def _quiet() -> Iterator[None]:
    """Hide the library's warnings: faults are planted on purpose."""
    logger = logging.getLogger("recsens")
    level = logger.level
    logger.setLevel(logging.ERROR)
    try:
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", category=RuntimeWarning)
            yield
    finally:
        logger.setLevel(level)


def _audits(name: str, draws: int, strengths: Sequence[str], path: Path, *, first_only: bool) -> Iterator[Audit]:
    """Read the audits of a data set that are there, and carry out the others."""
    there = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()] if path.exists() else []
    for draw in range(draws):
        cases = [each for each in _cases(Board(name, draw)) if each[1] in {"", *strengths}]
        for case, strength, carry_out in (cases[0], cases[len(CLEAN)]) if first_only else cases:
            key = {"data": name, "draw": draw, "case": case, "strength": strength}
            known = next((each for each in there if all(each[part] == value for part, value in key.items())), None)
            if known is None:
                known = {**key, **carry_out()}
                with path.open("a", encoding="utf-8") as file:
                    file.write(json.dumps(known) + "\n")
                print(f"{name}, draw {draw}: {case} {strength}".rstrip(), flush=True)
            yield known


def _cases(board: Board) -> Iterator[tuple[str, str, Callable[[], Audit]]]:
    """Visit clean files and faults, each with its strength and what plants and audits it."""
    for case, make in CLEAN.items():
        yield case, "", lambda make=make: _of_clean(make(board))
    for case, (shares, plant) in FAULTS.items():
        for strength, amount in zip(STRENGTHS, shares, strict=True):
            yield case, strength, lambda case=case, plant=plant, amount=amount: _of_faulty(case, *plant(board, amount))


def _of_faulty(detector: str, clean: Files, faulty: Files) -> Audit:
    """Audit faulty files: what the detector of the fault says of each system, with the true inflation."""
    table = faulty.audited()
    systems = {}
    for name in faulty.runs:
        own = [each for each in table.rows if each.detector == detector and each.run in {name, ""}]
        size, truth = own[0].inflation, faulty.means[name] - clean.means[name]
        numbers = {"truth": truth, "size": size.estimate, "low": size.low, "high": size.high, "chance": own[0].chance}
        systems[name] = {
            "found": any(each.state == "found" for each in own),
            **{key: None if math.isnan(value) else float(value) for key, value in numbers.items()},
        }
    return {"systems": systems}


def _of_clean(files: Files) -> Audit:
    """Audit clean files: which systems each detector accuses."""
    found = files.audited().found
    return {
        "accused": {each.detector: [name for name in files.runs if each.run in {name, ""}] for each in found},
        "n": len(files.runs),
    }


def _print(name: str, audits: Sequence[Audit]) -> None:
    """Print sensitivity, false alarms and coverage of each detector, and of all."""
    print(f"\n| {name} | {' | '.join(STRENGTHS)} | accused if clean | within the interval | true size, middle | size |")
    print("|---" * 8 + "|")
    total: list[list[float]] = [[] for _ in range(5)]
    for detector in FAULTS:
        cells = _cells(detector, audits)
        total = [[*kept, *values] for kept, values in zip(total, cells[:5], strict=True)]
        print(f"| {detector} | {' | '.join(map(_share, cells[:5]))} | {' | '.join(map(_median, cells[5:]))} |")
    print(f"| all | {' | '.join(map(_share, total))} | | |")


def _cells(detector: str, audits: Sequence[Audit]) -> list[list[float]]:
    """Return the values of a row: found at each strength, accused, within the interval, and the middle sizes (true, estimated)."""
    planted = [
        (audit["strength"], seen)
        for audit in audits
        if audit["case"] == detector
        for name, seen in audit["systems"].items()
        if name not in CONTROLS.get(detector, ())
    ]
    found = [[float(seen["found"]) for strength, seen in planted if strength == each] for each in STRENGTHS]
    clean = [audit for audit in audits if not audit["strength"]]
    accused = [float(at < len(audit["accused"].get(detector, ()))) for audit in clean for at in range(audit["n"])]
    known = [seen for _, seen in planted if seen["truth"] is not None and seen["low"] is not None]
    within = [float(seen["low"] - 1e-9 <= seen["truth"] <= seen["high"] + 1e-9) for seen in known]
    sizes = [
        [seen[which] for strength, seen in planted if strength == "middle" and seen[which] is not None]
        for which in ("truth", "size")
    ]
    return [*found, accused, within, *sizes]


def _share(values: Sequence[float]) -> str:
    return f"{int(sum(values))}/{len(values)}" if values else "–"


def _median(values: Sequence[float]) -> str:
    return f"{sorted(values)[len(values) // 2]:+.4f}" if values else "–"


if __name__ == "__main__":
    main()
