"""Writes the frozen results anew: `python tests/data/frozen/make.py`."""

from __future__ import annotations

import json
import sys
import tempfile
from pathlib import Path

import frozen

sys.path.append(str(frozen.ROOT / "tests"))
import contract


def main() -> None:
    """Run each and write its results."""
    write = json.JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode
    with tempfile.TemporaryDirectory() as folder:
        for name, wanted in frozen.RUNS.items():
            if not wanted.like:
                text = "".join(f"{write(line)}\n" for line in contract.run(wanted, Path(folder) / name))
                (frozen.RESULTS / f"{name}.jsonl").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
