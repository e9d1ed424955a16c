"""What ``recsens verify`` says where there is nothing to read."""

from types import SimpleNamespace

import pytest

from recsens.errors import RecsensError
from recsens.workflow.verify import verify_all, verify_study


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_where_no_study_was_run_the_message_says_how_to_run_one(folder):
    with pytest.raises(RecsensError, match="no results here") as caught:
        verify_all()
    assert "recsens run STUDY" in str(caught.value)


@pytest.mark.parametrize("verify", [verify_all, lambda: verify_study(SimpleNamespace())], ids=["all", "study"])
def test_results_that_are_a_dangling_link_or_a_file_are_named(folder, verify):
    (folder / "results").symlink_to(folder / "unmounted")
    with pytest.raises(RecsensError, match=r"is a link to '.*unmounted', where there is no folder"):
        verify()
    (folder / "results").unlink()
    (folder / "results").touch()
    with pytest.raises(RecsensError, match="results: is a file"):
        verify()
