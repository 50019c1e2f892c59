"""The list of commands, and what asking for it imports."""

import importlib
import subprocess
import sys

from factreasoner.cli import execute
from factreasoner.cli.commands import ABOUT


def test_each_command_is_listed_as_its_own_help_begins():
    for name, about in ABOUT.items():
        command = getattr(importlib.import_module(f"factreasoner.cli.{name}"), name)
        assert " ".join((command.__doc__ or "").partition("\n\n")[0].split()) == about, name


def test_the_list_of_commands_imports_none_of_them():
    code = (
        "import sys; from factreasoner.cli import execute; execute(['--help']); "
        "print('imported:', [m for m in ('rich', 'pydantic', 'factreasoner.cli.run') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    assert done.stdout.endswith("imported: []\n")
    assert all(f"  {name} " in done.stdout for name in ABOUT)


def test_a_mistyped_command_is_told_the_nearest(capsys):
    assert execute(["shwo"]) == 2
    assert "Did you mean 'show'?" in capsys.readouterr().err
