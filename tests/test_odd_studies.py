"""Absurd study files: each is soon refused in one message that says where the fault is, without a traceback."""

import contextlib
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from recsens.errors import ConfigError, RecsensError
from recsens.plugins.specs import MAX_DEPTH, parse
from recsens.study import load_study

STUDY = """\
title: "A study"
datasets: {Tiny: "simulated(users=60,items=200,ratings=2000)"}
systems: {Popularity: popularity}
metrics: ["P@5"]
"""

NESTED = 3000
"""More levels than Python's stack can hold."""


def component(name: str) -> str:
    return STUDY.replace("popularity}", f'"{name}"}}')


def refusal(text: str | bytes, tmp_path: Path) -> str:
    path = tmp_path / "study.yaml"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    with pytest.raises(ConfigError) as refused:
        load_study(path)
    told = str(refused.value)
    assert told.startswith(f"{path}: ")
    # Every terminal can print the message.
    told.encode()
    return told


@pytest.mark.parametrize("key", ["title", "Tiny", "Popularity", "popularity", "P@5"])
def test_half_of_a_character_is_refused_wherever_text_stands(key: str, tmp_path: Path):
    text = STUDY.replace("{Popularity: popularity}", '{"Popularity": "popularity"}').replace("{Tiny:", '{"Tiny":')
    line = next(number for number, line in enumerate(text.splitlines(), 1) if key in line)
    told = refusal(text.replace("title:", '"title":').replace(f'"{key}"', f'"{key}\\ud800"'), tmp_path)
    assert f"the text contains half of a character, \\ud800 (line {line}, column" in told


@pytest.mark.parametrize("escape", ["\\0", "\\a", "\\x1b", "\\x7f"])
def test_control_characters_are_refused(escape: str, tmp_path: Path):
    assert "the text contains a control character" in refusal(STUDY.replace("A study", f"A{escape}study"), tmp_path)


def test_tabs_and_line_breaks_are_text(tmp_path: Path):
    path = tmp_path / "study.yaml"
    path.write_text(STUDY.replace("A study", "A\\tstudy\\nof two lines"), encoding="utf-8")
    assert load_study(path).title == "A\tstudy\nof two lines"


def test_what_yaml_takes_for_another_type_is_named_with_its_place(tmp_path: Path, approved):
    cases = (
        "9" * 5000,
        "2001-99-99",
        "!!bool perhaps",
        "!!int ''",
        "!!timestamp soon",
    )
    approved({value[:40]: refusal(f"{STUDY}seed: {value}\n", tmp_path) for value in cases})


@pytest.mark.parametrize(
    ("text", "key"),
    [
        (component("tuned(of=" * NESTED + "popularity" + ")" * NESTED), "systems.Popularity"),
        (component("tuned(" * NESTED), "systems.Popularity"),
        (component("user_knn(k=" + "[" * NESTED + "]" * NESTED + ")"), "systems.Popularity"),
        (STUDY.replace("P@5", "P(" * NESTED + ")" * NESTED + "@5"), "metrics"),
        (f"{STUDY}design: {{split: {'per_user(' * NESTED}random{')' * NESTED}}}\n", "design.split"),
    ],
)
def test_components_nested_thousands_deep_are_refused_under_their_key(text: str, key: str, tmp_path: Path):
    told = refusal(text, tmp_path)
    assert f"{key}: '" in told
    assert f"nests components or lists more than {MAX_DEPTH} deep" in told
    assert len(told) < 500


def test_components_may_be_nested_as_deep_as_is_said():
    assert str(parse("a(" * MAX_DEPTH + ")" * MAX_DEPTH)).count("a") == MAX_DEPTH


def test_a_whole_number_beyond_64_bits_is_refused(tmp_path: Path):
    assert "mu does not fit in 64 bits" in refusal(component(f"ht(mu={2**63})"), tmp_path)
    assert "metric 'P@9999" in refusal(STUDY.replace("P@5", "P@" + "9" * 5000), tmp_path)


def test_a_message_about_a_long_component_shows_the_place_alone(tmp_path: Path):
    told = refusal(component("user_knn(k=1" + " " * 5000 + ";" + " " * 5000), tmp_path)
    assert "▸;" in told
    assert len(told) < 500


@pytest.mark.parametrize("name", ["a" * 300, "/dev/null/a"])
def test_paths_that_no_system_looks_up_lead_nowhere(name: str, tmp_path: Path):
    assert f"plugins: '{name}' is not a folder" in refusal(f"{STUDY}plugins: [{name}]\n", tmp_path)


@pytest.mark.parametrize("content", [b"", b"\xff\xfe", STUDY.encode("utf-16"), b"\x00" * 9, b"\x1f\x8b\x08", b"- a\n- b\n"])
def test_files_that_hold_no_study_are_refused(content: bytes, tmp_path: Path):
    refusal(content, tmp_path)


def test_a_folder_in_place_of_a_study_is_refused(tmp_path: Path):
    with pytest.raises(ConfigError, match="cannot be read: Is a directory"):
        load_study(tmp_path)


PIECES = ["[", "]", "{", "}", "(", ")", ": ", "- ", "&a ", "*a", "!!", "|", "\n", "'", '"', "\\", "9" * 30, ",", "\xff", "\0"]


@settings(max_examples=3 * settings().max_examples)
@given(st.lists(st.tuples(st.integers(0, 220), st.integers(0, 3), st.sampled_from(PIECES)), min_size=1, max_size=4))
def test_whatever_is_changed_a_study_is_read_or_refused(tmp_path_factory: pytest.TempPathFactory, changes: list[tuple]):
    content = bytearray(f"{STUDY}vary: {{split: [k_fold, leave_out]}}\ndesign: {{relevance: 4}}\n".encode())
    for place, length, piece in changes:
        content[place : place + length] = piece.encode("latin-1")
    path = tmp_path_factory.mktemp("changed") / "changed.yaml"
    path.write_bytes(content)
    with contextlib.suppress(RecsensError):
        load_study(path)
