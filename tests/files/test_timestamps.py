"""The unit of time stamps is recognised from their size when they are read."""

import logging
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import recsens.files
from recsens.artefacts.filesets import InteractionFiles
from recsens.errors import DataError
from recsens.files import Layout, read_text
from recsens.files.kinds import Column, Kind
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


def read(tmp_path: Path, times: list[str]) -> list[int]:
    path = tmp_path / "a.csv"
    path.write_text("user,item,time\n" + "".join(f"u{n},i,{time}\n" for n, time in enumerate(times)), encoding="utf-8")
    table = read_text(
        path, Kind((Column("user"), Column("time", "time"))), Layout(",", {"user": "user", "time": "time"}, header=True)
    )
    return np.asarray(table.columns["time"]).tolist()


@pytest.mark.parametrize(
    ("times", "stamps"),
    [
        (["100", "-3"], [100, -3]),
        (["100.0", "110.0", "9."], [100, 110, 9]),
        (["100.5", "110"], [100_500_000, 110_000_000]),
        (["1970-01-01 00:01:40.25", "1970-01-02"], [100_250_000, 86_400_000_000]),
        (["1970-01-01T00:01:40.000", "1970-01-02T00:00:00.000"], [100, 86_400]),
        (["1970-01-02 00:00:00 UTC", "1970-01-02 00:00:00 GMT"], [86_400, 86_400]),
        (["1970-01-02 00:00:00 +0000", "1970-01-02 02:00:00 +0100"], [86_400, 90_000]),
        (["1970/01/02", "1970/1/2 00:01"], [86_400, 86_460]),
        (["02.01.1970 0:01", "2.1.1970"], [86_460, 86_400]),
        (["1970/01/13 00.01", "1970/01/14 00.01.30"], [12 * 86_400 + 60, 13 * 86_400 + 90]),
        (["1511544070123", "1511544070124.0"], [1_511_544_070_123, 1_511_544_070_124]),
    ],
)
def test_times_keep_their_fractions_of_a_second(tmp_path, times, stamps):
    assert read(tmp_path, times) == stamps
    # The same rows, repeated so that the file is read in blocks.
    assert read(tmp_path, times * 50) == stamps * 50


@pytest.mark.parametrize("time", ["01/02/1970", "1511544070123.5", "noon", "1970-13-01", "31.02.1970"])
def test_what_has_two_meanings_or_none_is_refused(tmp_path, time):
    with pytest.raises(DataError, match="is not an integer of 64 bits, a date or a time"):
        read(tmp_path, ["1970-01-01", time])


@pytest.mark.parametrize("unit", ["s", "ms", "us", "ns"])
def test_a_parquet_file_has_the_same_times_as_text(tmp_path, unit):
    fraction = 0 if unit == "s" else 250
    frame = pd.DataFrame(
        {"user": ["u", "v"], "time": pd.to_datetime([100_000 + fraction, 86_400_000], unit="ms").astype(f"datetime64[{unit}]")}
    )
    frame.to_parquet(tmp_path / "a.parquet")
    table = recsens.files.read_parquet(
        tmp_path / "a.parquet", Kind((Column("user"), Column("time", "time"))), {"user": "user", "time": "time"}
    )
    assert table.columns["time"].tolist() == ([100, 86_400] if unit == "s" else [100_250_000, 86_400_000_000])


@pytest.mark.parametrize(("times", "stamps"), [([100.0, 9.0], [100, 9]), ([100.5, 9.0], [100_500_000, 9_000_000])])
def test_times_may_be_floating_point_numbers(tmp_path, times, stamps):
    pd.DataFrame({"user": ["u", "v"], "time": times}).to_parquet(tmp_path / "a.parquet")
    table = recsens.files.read_parquet(
        tmp_path / "a.parquet", Kind((Column("user"), Column("time", "time"))), {"user": "user", "time": "time"}
    )
    assert table.columns["time"].tolist() == stamps
