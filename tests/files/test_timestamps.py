"""The unit of time stamps is recognised from their size when they are read."""

import logging
from pathlib import Path

import pytest

from recsens.artefacts.filesets import InteractionFiles
from recsens.files.timestamps import unit_of
from recsens.seeds import Origin
from recsens.workflow.steps.ingest import ingest


@pytest.mark.parametrize(
    ("latest", "unit"),
    [
        (-1, "seconds"),
        (1_046_454_590, "seconds"),
        (10**11 - 1, "seconds"),
        (10**11, "milliseconds"),
        (1_700_000_000_000, "milliseconds"),
        (1_700_000_000_000_000, "microseconds"),
        (1_700_000_000_000_000_000, "nanoseconds"),
        (2**63 - 1, "nanoseconds"),
        (float(2**63 - 1), "nanoseconds"),
    ],
)
def test_the_unit_is_told_by_the_latest_time_stamp(latest: float, unit: str):
    assert unit_of(latest) == unit


@pytest.mark.parametrize(("latest", "told"), [(1_700_000_000, []), (1_700_000_000_000, ["milliseconds"])])
def test_reading_tells_that_time_stamps_look_like_another_unit(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, latest: int, told: list[str]
):
    path = tmp_path / "a.csv"
    path.write_text(f"u,i,4,5\nv,i,3,{latest}\n", encoding="utf-8")
    spec = f'delimited(path="{path}",separator=",",timestamp=3)'
    data = InteractionFiles.within(tmp_path)
    with caplog.at_level(logging.WARNING):
        ingest(files=[str(path)], data=data, spec=spec, address="delimited", origin=Origin(0, "delimited"))
    assert [unit for unit in told if f"the time stamps look like {unit} since 1970" in caplog.text] == told
    assert len(caplog.records) == len(told)
