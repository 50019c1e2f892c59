"""Records scenarios anew: `python tests/scenarios/record.py [NAME ...]`."""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).parent
TESTS = HERE.parent
sys.path += [str(TESTS / folder) for folder in ("", "data/frozen", "cli", "integrations", "serve")]

from scenarios import ALL  # noqa: E402 - it is next to this file
from scene import play  # noqa: E402


def main(names: list[str]) -> None:
    """Play each and write what is recorded."""
    for name in names or ALL:
        with tempfile.TemporaryDirectory() as folder:
            text = play(ALL[name], Path(folder).resolve())
        (HERE / "recorded" / f"{name}.txt").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
