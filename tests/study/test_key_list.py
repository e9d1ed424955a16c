"""The command line explains every key of a study file."""

from click.testing import CliRunner

from recsens.cli import main
from recsens.study import Decisions, Study


def test_every_key_and_every_decision_is_explained_in_order():
    listed = CliRunner().invoke(main, ["keys"]).output.splitlines()
    named = [line.split()[0] for line in listed if not line.startswith("   ")]
    keys = list(Study.model_fields)
    after = keys.index("design") + 1
    assert named == [*keys[:after], *Decisions.model_fields, *keys[after:]]
    assert max(map(len, listed)) <= 100
