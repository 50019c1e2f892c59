"""A file is replaced as a whole or not at all."""

import errno

import pytest

from factreasoner.errors import RunError
from factreasoner.runs.replacing import replace_file


def test_replacing_a_file_leaves_the_old_one_when_it_fails(tmp_path):
    path = tmp_path / "f"
    path.write_text("old")

    def lines():
        yield "new"
        raise OSError(errno.ENOSPC, "No space left on device")

    with pytest.raises(RunError, match="No space left on device"):
        replace_file(path, lines())
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]
