"""What a report of a problem should say, and whether this machine computes what it should."""

import psutil
import pytest
from click.testing import CliRunner

import recsens
from recsens.cli import main
from recsens.plugins.registry import EXTRAS
from recsens.workflow import doctor

POPULARITY = doctor.KNOWN["popularity"]


def test_the_page_names_version_machine_settings_and_every_known_score(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("RECSENS_MEMORY_GIB", "3")
    monkeypatch.setattr(doctor, "KNOWN", {"popularity": POPULARITY, "user_knn(k=10)": doctor.KNOWN["user_knn(k=10)"]})
    answered = CliRunner().invoke(main, ["doctor"])
    assert answered.exit_code == 0
    assert answered.output.startswith(f"recsens {recsens.__version__}, ")
    for part in ("processor: ", "GiB", "numpy ", "snakemake ", "RECSENS_MEMORY_GIB=3", "popularity: as known, to the last bit"):
        assert part in answered.output
    assert "pytest" not in answered.output


def test_all_known_scores_come_out_up_to_rounding():
    found = list(doctor.check_numbers())
    assert [spec for spec, _, _ in found] == list(doctor.KNOWN)
    assert [each for each in found if each[2]] == []


@pytest.mark.parametrize(
    ("known", "says", "status"),
    [
        (("another", tuple(score * (1 + 1e-12) for score in POPULARITY[1])), "rounded otherwise, by up to 1e-12 of their size", 0),
        (("another", tuple(score * 1.5 for score in POPULARITY[1])), "OTHER NUMBERS, by up to 0.3 of their size", 1),
    ],
)
def test_other_scores_are_told_apart_from_rounding(monkeypatch: pytest.MonkeyPatch, known, says: str, status: int):
    monkeypatch.setattr(doctor, "KNOWN", {"popularity": known})
    answered = CliRunner().invoke(main, ["doctor"])
    assert says in answered.output
    assert answered.exit_code == status


def test_what_fails_is_named_and_stops_nothing(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(doctor, "KNOWN", {"popularity(k=3)": POPULARITY, "popularity": POPULARITY})
    assert [(spec, is_fault) for spec, _, is_fault in doctor.check_numbers()] == [("popularity(k=3)", True), ("popularity", False)]


def test_a_setting_that_is_wrong_is_a_fault(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("RECSENS_MEMORY_GIB", "8 GB")
    monkeypatch.setattr(doctor, "KNOWN", {"user_knn(k=10)": doctor.KNOWN["user_knn(k=10)"]})
    answered = CliRunner().invoke(main, ["doctor"])
    assert "user_knn(k=10): FAILED: the environment variable RECSENS_MEMORY_GIB is '8 GB'" in answered.output
    assert answered.exit_code == 1


def test_a_light_installation_without_what_a_container_lacks_is_sound(monkeypatch: pytest.MonkeyPatch):
    def no_battery() -> None:
        raise FileNotFoundError(2, "No such file or directory", "/sys/class/power_supply")

    monkeypatch.setattr(psutil, "sensors_battery", no_battery)
    monkeypatch.setitem(EXTRAS, "study", ("implicit", "no_such_module", "pip install 'recsens[study]'"))
    monkeypatch.setattr(doctor, "KNOWN", {"wrmf(factors=4,epochs=2)": doctor.KNOWN["wrmf(factors=4,epochs=2)"]})
    answered = CliRunner().invoke(main, ["doctor"])
    assert "wrmf(factors=4,epochs=2): not checked: it needs implicit" in answered.output
    assert answered.exit_code == 0
