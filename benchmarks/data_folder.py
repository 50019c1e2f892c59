"""Where the public labelled data is, and its lines. Not a benchmark by itself."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any


def data_folder() -> Path:
    """The folder named by FACTREASONER_DATA or ../shared/data; the program ends when it is not there."""
    default = Path(__file__).resolve().parents[2] / "shared" / "data"
    folder = Path(os.environ.get("FACTREASONER_DATA", default))
    if not folder.is_dir():
        raise SystemExit(f"{folder} is not there; set FACTREASONER_DATA")
    return folder


def lines(path: str) -> Iterator[dict[str, Any]]:
    """The objects of a JSONL file of the folder."""
    with data_folder().joinpath(path).open(encoding="utf-8") as file:
        yield from map(json.loads, file)
