"""Settings of verifiers."""

from __future__ import annotations

from functools import partial
from typing import Literal

from factreasoner.llm.settings import LLMSettings
from factreasoner.settings.setting import setting
from factreasoner.settings.values import Url

BUNDLED = "bundled"
Device = Literal["cpu", "cuda"]
_verifier = partial(setting, "Verifier")


class EncoderSettings(LLMSettings):
    """Settings of the verifier."""

    verifier: str | None = _verifier(
        None, "Verifier: a name such as factcg, or a TOML file. (default: bundled)", common=True
    )
    verifier_model: str | None = _verifier(
        None,
        "ONNX model of the verifier: a folder, a file, or ID, ID@REVISION or ID/FILE.onnx of the hub.",
        affects="calls",
        common=True,
    )
    verifier_url: Url | None = _verifier(
        None, "URL of a server of the verifier: http://.../predict (TEI) or http://.../classify (vLLM)."
    )
    verifier_device: Device = _verifier("cpu", "Device: cpu, or cuda with onnxruntime-gpu.", affects="calls")

    @property
    def named_verifier(self) -> str:
        """The configured verifier."""
        return self.verifier or BUNDLED

    @property
    def is_bundled(self) -> bool:
        """Whether the verifier is the bundled judge, with its own model."""
        return self.named_verifier == BUNDLED and self.verifier_model is None
