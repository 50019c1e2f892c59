import pytest
from merlin_stand_in import script

from merlin_bridge import MerlinNotFoundError, locate


@pytest.fixture(autouse=True)
def nothing_installed(monkeypatch, tmp_path):
    monkeypatch.delenv("MERLIN_PATH", raising=False)
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))


def test_the_argument_decides_then_the_environment_then_path(monkeypatch, tmp_path):
    (tmp_path / "bin").mkdir()
    on_path = script(tmp_path / "bin", "")
    named = script(tmp_path, "", name="named")
    given = script(tmp_path, "", name="given")
    assert locate() == on_path
    monkeypatch.setenv("MERLIN_PATH", str(named))
    assert locate() == named
    assert locate(given) == given
    assert locate(str(given)) == given


def test_relative_path_and_home_are_expanded(monkeypatch, tmp_path):
    given = script(tmp_path, "")
    monkeypatch.chdir(tmp_path)
    assert locate("merlin") == given
    monkeypatch.setenv("HOME", str(tmp_path))
    assert locate("~/merlin") == given


def test_missing_binary_error_lists_what_was_tried():
    with pytest.raises(MerlinNotFoundError) as error:
        locate()
    for part in ("no path was given", "MERLIN_PATH is not set", "PATH has no 'merlin'", "radum2275/merlin"):
        assert part in str(error.value)


@pytest.mark.parametrize("by", ["argument", "environment"])
def test_wrong_path_is_never_replaced(monkeypatch, tmp_path, by):
    (tmp_path / "bin").mkdir()
    script(tmp_path / "bin", "")
    missing = str(tmp_path / "missing")
    if by == "environment":
        monkeypatch.setenv("MERLIN_PATH", missing)
    with pytest.raises(MerlinNotFoundError, match="does not exist"):
        locate(missing if by == "argument" else None)


def test_folder_and_plain_file_are_refused(tmp_path):
    with pytest.raises(MerlinNotFoundError, match="is a folder"):
        locate(tmp_path)
    plain = tmp_path / "plain"
    plain.write_text("")
    with pytest.raises(MerlinNotFoundError, match="is not executable"):
        locate(plain)
