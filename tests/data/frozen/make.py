"""Writes what the tests hold: `python tests/data/frozen/make.py inventory`, or `results`."""

from __future__ import annotations

import json
import sys
import tempfile
from pathlib import Path

import frozen
import inventory


def main() -> None:
    """Write one of both anew."""
    wanted = sys.argv[1:]
    write = json.JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode
    with tempfile.TemporaryDirectory() as folder:
        if wanted == ["results"]:
            for name, run in frozen.RUNS.items():
                if not run.like:
                    lines = inventory.run(run, Path(folder) / name)
                    text = "".join(f"{write(line)}\n" for line in lines)
                    (frozen.RESULTS / f"{name}.jsonl").write_text(text, encoding="utf-8")
        elif wanted == ["inventory"]:
            names = inventory.renewed(inventory.live(Path(folder)))
            inventory.FILE.write_text("".join(f"{name}\n" for name in names), encoding="utf-8")
        else:
            sys.exit(__doc__)


if __name__ == "__main__":
    main()
