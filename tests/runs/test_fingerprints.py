"""What decides a run's results beside its settings, and its refusal once it has changed."""

from __future__ import annotations

from pathlib import Path

import pytest

from factreasoner.calibration.applying import Calibration
from factreasoner.calibration.calibrators import Temperature
from factreasoner.errors import InputError, RunError
from factreasoner.runs.store import RunFolder, file_fingerprints, prompt_fingerprints
from factreasoner.settings import Config
from factreasoner.tasks.factuality import TASK

LINE = '{"record": "r", "source": "c0", "target": "a0", "label": "entailment"}\n'


@pytest.fixture
def config(tmp_path: Path) -> Config:
    relations, calibration = tmp_path / "relations.jsonl", tmp_path / "c.json"
    relations.write_text(LINE)
    calibration.write_text(Calibration(posteriors=Temperature(temperature=2.0)).model_dump_json())
    return Config(judge="recorded", relations=relations, calibration=calibration)


def made(path: Path, config: Config) -> RunFolder:
    folder = RunFolder(path, TASK)
    folder.start(config, prompt_fingerprints(TASK, config), files=file_fingerprints(config))
    folder.close()
    return RunFolder(path, TASK)


def test_files_are_fingerprinted_by_their_content(config: Config, tmp_path: Path) -> None:
    found = file_fingerprints(config)
    assert found.keys() == {"relations", "calibration"}
    assert file_fingerprints(Config()) == {}
    copy = tmp_path / "copy.jsonl"
    copy.write_text(LINE)
    assert file_fingerprints(config.model_copy(update={"relations": copy})) == found


def test_nothing_changed(config: Config, tmp_path: Path) -> None:
    made(tmp_path / "run", config).refuse_changed_files()


@pytest.mark.parametrize("name", ["relations", "calibration"])
def test_a_changed_file(config: Config, tmp_path: Path, name: str) -> None:
    folder = made(tmp_path / "run", config)
    path: Path = getattr(config, name)
    path.write_text(path.read_text() + "\n")
    with pytest.raises(RunError, match=rf"\({name}\) has changed since this run"):
        folder.refuse_changed_files()
    folder.refuse_changed_files(named=[name])


def test_a_file_that_is_gone(config: Config, tmp_path: Path) -> None:
    folder = made(tmp_path / "run", config)
    assert config.relations is not None
    assert config.calibration is not None
    config.relations.unlink()
    folder.refuse_changed_files()
    config.calibration.unlink()
    with pytest.raises(InputError, match="calibration: can't be read"):
        folder.refuse_changed_files()
