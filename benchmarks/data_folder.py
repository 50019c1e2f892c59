"""Where the public labelled data is. Not a benchmark by itself."""

from __future__ import annotations

import os
from pathlib import Path


def data_folder() -> Path:
    """The folder named by FACTREASONER_DATA or ../shared/data; the program ends when it is not there."""
    default = Path(__file__).resolve().parents[2] / "shared" / "data"
    folder = Path(os.environ.get("FACTREASONER_DATA", default))
    if not folder.is_dir():
        raise SystemExit(f"{folder} is not there; set FACTREASONER_DATA")
    return folder
