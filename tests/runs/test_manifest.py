"""The manifest: what a run was made with, no secret, and how each model is asked."""

import json

import pytest

from factreasoner.errors import RunError
from factreasoner.llm.capabilities import Capabilities, FoundForm
from factreasoner.pipeline.config import Config
from factreasoner.runs.manifest import Manifest


def test_the_manifest_holds_the_settings_prompts_and_versions(tmp_path, monkeypatch):
    monkeypatch.setenv("MY_KEY", "secret-value")
    Manifest(tmp_path).write(
        "run", Config(model="openai/x", api_key_env="MY_KEY"), {"prompts": {"judge": "1"}}
    )
    text = (tmp_path / "manifest.json").read_text()
    manifest = json.loads(text)
    assert manifest["config"]["model"] == "openai/x"
    assert manifest["prompts"] == {"judge": "1"}
    assert manifest["versions"]["litellm"]
    assert "secret-value" not in text


def test_resumed_run_keeps_id_fresh_run_changes_it(tmp_path):
    kept = Manifest(tmp_path)
    kept.write("run", Config(), {})
    first = kept.run_id
    kept.write("run", Config(), {}, going_on=True)
    assert kept.run_id == first
    kept.write("run", Config(), {})
    assert kept.run_id != first


def test_learned_capabilities_are_kept_per_model(tmp_path):
    first = Capabilities(forms={"flat": FoundForm(form="tool", logprobs=True)})
    second = Capabilities(forms={"one": FoundForm(form="word")})
    kept = Manifest(tmp_path)
    kept.write("run", Config(model=("openai/a", "openai/b")), {})
    kept.keep_capabilities("openai/a", first)
    kept.keep_capabilities("openai/b", second)
    assert kept.models() == {"openai/a": first, "openai/b": second}
    manifest = kept.content()
    kept.path.write_text(json.dumps(manifest | {"models": {"openai/a": 3}}), encoding="utf-8")
    with pytest.raises(RunError, match=r"manifest\.json: `models` is not what a run writes there; put back"):
        kept.models()
