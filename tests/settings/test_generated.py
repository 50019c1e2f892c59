"""What is made from the fields of Config is what `make settings` would write now."""

import runpy
from pathlib import Path

from factreasoner.pipeline.config import Config
from factreasoner.settings.setting import help_of, setting_of

WRITER = runpy.run_path(str(Path(__file__).parents[2] / "docs" / "settings.py"))


def test_generated_files_are_current():
    for path, text in WRITER["GENERATED"].items():
        assert path.read_text(encoding="utf-8") == text(), "run: make settings"


def test_one_text_serves_help_and_schema():
    described = Config.model_json_schema()["properties"]
    for key, field in Config.model_fields.items():
        assert help_of(field).startswith(described[key]["description"])
        assert described[key]["panel"] == setting_of(field).panel
        assert described[key]["description"].endswith((".", ")", "...")), key


def test_no_default_is_copied_by_hand():
    """A help text says a default itself only where that is none or auto, and comes to something else."""
    said = {key for key, field in Config.model_fields.items() if "default:" in str(field.description)}
    assert {key for key in said if Config.model_fields[key].default not in (None, (), "auto")} == set()
