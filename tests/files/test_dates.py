"""Dates with slashes or dashes: read in the only possible order of day and month, otherwise asked for."""

import logging
from pathlib import Path

import pandas as pd
import pytest
from click.testing import CliRunner

import recsens
from recsens.cli import main
from recsens.data.inspection import Inspection
from recsens.errors import DataError
from recsens.files.timestamps import moment_in_microseconds, orders_of
from recsens.runs.leakage._reading import read_ratings
from recsens.study import load_study

DAY = 86_400
JAN_31, FEB_1, DEC_30 = 1_706_659_200, 1_706_745_600, 1_703_894_400
"""31 January 2024, 1 February 2024 and 30 December 2023."""

PAIRS = [("ann", "dune", 4), ("ann", "ran", 3), ("bob", "dune", 5)]


def put(folder: Path, times: list[str], separator: str = ",") -> Path:
    path = folder / "r.csv"
    lines = [separator.join(map(str, (*pair, time))) for pair, time in zip(PAIRS, times, strict=True)]
    path.write_text("\n".join([separator.join(("user", "item", "rating", "timestamp")), *lines, ""]), encoding="utf-8")
    return path


def times(frame: pd.DataFrame) -> list[int]:
    of = frame.set_index(["user", "item"])["timestamp"]
    return [int(of[user, item]) for user, item, _ in PAIRS]


@pytest.mark.parametrize(
    ("text", "day_first", "month_first"),
    [
        ("31/01/2024", JAN_31, None),
        ("01/31/2024", None, JAN_31),
        ("2/1/2024", 1_704_153_600, FEB_1),
        ("1-2-2024 00:00:01", FEB_1 + 1, 1_704_153_601),
        ("31/01/2024 9:05", JAN_31 + 32_700, None),
        ("1/31/2024 12:05 AM", None, JAN_31 + 300),
        ("1/31/2024, 1:00:00 PM", None, JAN_31 + 46_800),
        ("31-01-2024 10:00:00 UTC", JAN_31 + 36_000, None),
        ("1/31/2024 13:00 PM", None, None),
        ("31/01/24", JAN_31, None),
        ("1/31/24", None, JAN_31),
        ("31/01-2024", None, None),
    ],
)
def test_a_date_is_read_in_the_given_order(text, day_first, month_first):
    found = [moment_in_microseconds(text, order) for order in ("day_first", "month_first")]
    assert found == [None if each is None else each * 10**6 for each in (day_first, month_first)]
    assert moment_in_microseconds(text) is None


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("31.01.24", JAN_31),
        ("31.1.2024 01:00 +0100", JAN_31),
        ("31 Jan 2024", JAN_31),
        ("31 January 2024, 9:05", JAN_31 + 32_700),
        ("31-JAN-24", JAN_31),
        ("Jan 31, 2024", JAN_31),
        ("Jan. 31, 2024, 9:05:00 PM", JAN_31 + 75_900),
        ("Wed Jan 31 01:00:00 +0100 2024", JAN_31),
        ("Wed, 31 Jan 2024 00:00:00 GMT", JAN_31),
        ("31/Jan/2024:01:00:00 +0100", JAN_31),
        ("31.12.69", -DAY),
        ("31 Janvier 2024", None),
        ("Marathon 3 2001", None),
        ("May the 4 1999", None),
        ("31 Jan", None),
        ("20240131", None),
    ],
)
def test_a_date_with_one_meaning_is_read_without_an_order(text, seconds):
    assert moment_in_microseconds(text) == (None if seconds is None else seconds * 10**6)


@pytest.mark.parametrize("text", ["20240131", "20240131000000", "24/01/31", "24-1-31"])
def test_days_with_the_year_first_are_read_if_declared(text, tmp_path):
    assert moment_in_microseconds(text, "year_first") == JAN_31 * 10**6
    assert {moment_in_microseconds(text, order) for order in ("day_first", "month_first")} <= {None, *range(0, 10**17, DAY * 10**6)}


@pytest.mark.parametrize(
    ("dates", "orders"),
    [
        (["31/01/24", "15/02/24", "03/12/23"], ("day_first",)),
        (["24/01/31", "24/02/15", "23/12/03"], ("year_first",)),
        (["01/31/24", "02/15/24", "12/03/23"], ("month_first",)),
        (["20240131", "20240215"], ("year_first",)),
        (["01/02/24", "02/03/24", "03/04/24"], ("day_first", "month_first")),
        (["01/02/03"], ("day_first", "month_first", "year_first")),
        (["20241331", "20249915"], ()),
    ],
)
def test_years_of_two_digits_are_the_part_with_fewer_values(dates, orders):
    assert orders_of(dates) == orders


@pytest.mark.parametrize("form", ["csv", "parquet", "frame"])
def test_days_written_as_numbers_are_days_at_every_door(form, tmp_path):
    frame = pd.DataFrame(PAIRS, columns=["user", "item", "rating"]).assign(timestamp=[20240131, 20240201, 20231230])
    path = tmp_path / f"r.{form}"
    if form == "frame":
        assert times(recsens.load(frame).frame) == [JAN_31, FEB_1, DEC_30]
        return
    frame.to_csv(path, index=False) if form == "csv" else frame.to_parquet(path)
    assert times(recsens.load(path).frame) == [JAN_31, FEB_1, DEC_30]
    assert "dates=year_first" in Inspection.of(path).line
    assert list(read_ratings(path, "the test set", None)[1]) == [JAN_31, FEB_1, DEC_30]


def test_the_order_is_the_one_in_which_most_dates_can_be_read():
    assert orders_of(["1/2/2024", "31/1/2024"]) == ("day_first",)
    assert orders_of(["1/2/2024", "1/31/2024", "no date"]) == ("month_first",)
    assert orders_of(["1/2/2024", "3/4/2024"]) == ("day_first", "month_first")
    assert orders_of(["2024-01-31", "31.01.2024", "31/13/2024"]) == ()


SURE = {
    "days first": ["31/01/2024", "01/02/2024", "30/12/2023"],
    "months first": ["1/31/2024", "2/1/2024", "12/30/2023"],
    "dashes": ["31-01-2024", "01-02-2024", "30-12-2023"],
    "with a zone": ["31/01/2024 00:00 UTC", "01/02/2024 00:00 UTC", "30/12/2023 00:00 UTC"],
    "on a clock of twelve hours": ["1/31/2024 12:00 AM", "2/1/2024 12:00 AM", "12/30/2023 12:00 AM"],
}


@pytest.mark.parametrize("shape", SURE)
@pytest.mark.parametrize("separator", [",", ";"])
def test_dates_with_one_reading_are_read_at_every_door(shape, separator, tmp_path):
    path, expected = put(tmp_path, SURE[shape], separator), [JAN_31, FEB_1, DEC_30]
    assert times(recsens.load(path).frame) == expected
    found = Inspection.of(path)
    assert times(recsens.load(str(found.component.spec)).frame) == expected
    assert "2023-12-30 to 2024-02-01" in "\n".join(found.told())
    study = tmp_path / "study.yaml"
    assert CliRunner().invoke(main, ["init", str(path), "--to", str(study)]).exit_code == 0
    [spec] = load_study(study).datasets.values()
    assert times(recsens.load(str(spec)).frame) == expected
    read = read_ratings(path, "the test set", None)[0]
    assert read.columns["timestamp"].tolist() == expected
    frame = pd.DataFrame(
        [(*pair, time) for pair, time in zip(PAIRS, SURE[shape], strict=True)], columns=["user", "item", "rating", "timestamp"]
    )
    assert times(recsens.load(frame).frame) == expected
    frame.to_parquet(tmp_path / "r.parquet")
    assert times(recsens.load(tmp_path / "r.parquet").frame) == expected
    assert read_ratings(tmp_path / "r.parquet", "the test set", None)[0].columns["timestamp"].tolist() == expected
    frame.to_json(tmp_path / "r.jsonl", orient="records", lines=True)
    assert times(recsens.load(tmp_path / "r.jsonl").frame) == expected


def test_fractions_of_a_second_are_kept(tmp_path):
    path = put(tmp_path, ["31/01/2024 00:00:00.25", "01/02/2024 00:00:00.5", "30/12/2023 00:00:00"])
    assert times(recsens.load(path).frame) == [JAN_31 * 10**6 + 250_000, FEB_1 * 10**6 + 500_000, DEC_30 * 10**6]


def test_a_date_far_down_decides_the_order(tmp_path):
    path = tmp_path / "r.csv"
    rows = [f"u{n},i{n % 7},{1 + n % 5},{1 + n % 9}/{1 + n % 12}/2024" for n in range(3000)]
    path.write_text("user,item,rating,timestamp\n" + "\n".join([*rows, "last,i1,3,31/1/2024", ""]), encoding="utf-8")
    frame = recsens.load(path).frame.set_index("user")
    assert frame.loc["last", "timestamp"] == JAN_31
    assert frame.loc["u1", "timestamp"] == FEB_1 + DAY, "2/2/2024"
    assert frame.loc["u2", "timestamp"] == 1_709_424_000, "3/3/2024 is 3 March"
    assert frame.loc["u9", "timestamp"] == 1_727_740_800, "1/10/2024 is 1 October"


def test_dates_with_two_readings_are_refused_with_both(tmp_path, caplog):
    path = put(tmp_path, ["01/02/2024", "03/04/2024", "05/05/2024"])
    said = "The dates in 'timestamp' could be day or month first: one is 2024-02-01 or 2024-01-02"
    with pytest.raises(DataError, match=said) as refused:
        recsens.load(path)
    assert refused.value.allowed == (
        "dates=day_first if it is 2024-02-01; or dates=month_first if it is 2024-01-02; or timestamp=null if no split goes by time"
    )
    done = CliRunner().invoke(main, ["init", str(path), "--to", str(tmp_path / "study.yaml")])
    assert done.exit_code == 1
    assert said in done.output
    with caplog.at_level(logging.WARNING):
        assert "timestamp" not in read_ratings(path, "the test set", None)[0].columns
    assert "could be day or month first: one is 2024-02-01 or 2024-01-02" in caplog.text
    frame = pd.read_csv(path)
    with pytest.raises(DataError, match="could be day or month first: one is 2024-02-01 or 2024-01-02"):
        recsens.load(frame)
    for source in (path, frame):
        assert times(recsens.load(source, dates="day_first").frame)[0] == FEB_1
        assert times(recsens.load(source, dates="month_first").frame)[0] == FEB_1 - 30 * DAY
    spec = f'delimited(path="{path}",separator=",",header=true,user=user,item=item,rating=rating,timestamp=timestamp'
    with pytest.raises(DataError, match="declare dates=day_first or dates=month_first"):
        recsens.load(f"{spec})")
    assert times(recsens.load(f"{spec},dates=month_first)").frame)[0] == FEB_1 - 30 * DAY


def test_equal_days_and_months_are_in_no_doubt(tmp_path):
    assert times(recsens.load(put(tmp_path, ["01/01/2024", "02/02/2024", "03/03/2024"])).frame)[0] == 1_704_067_200
