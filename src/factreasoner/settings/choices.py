"""The values that settings choose from."""

from __future__ import annotations

from typing import Literal

Version = Literal[1, 2, 3]
Mode = Literal["tf", "tfn", "tf_citation", "tfn_citation", "tfn_reasoning", "prompt-tf"]
Device = Literal["cpu", "cuda"]
BatchMode = Literal["none", "files", "openai"]
Executor = Literal["threads", "processes", "ray"]
Confidence = Literal["auto", "logprobs", "verbal", "votes", "constant"]
MerlinAlgorithm = Literal["wmb", "bte", "cte", "ijgp", "lbp"]
RemovedMerlinAlgorithm = Literal["gibbs", "jglp"]
"""Runs of earlier versions may have been made by these; nothing is solved by them any more."""
CallForm = Literal["word", "lines", "json_schema", "json_object", "tool"]
FormChoice = Literal["auto", "word", "lines", "json_schema", "json_object", "tool"]
AtomsPerCall = Literal["batched", "single"]
PremiseMode = Literal["each", "joint"]
Prefilter = Literal["none", "words"]
Unlisted = Literal["missing", "neutral"]
Uncited = Literal["flag", "check"]
Search = Literal["auto", "bm25", "dense", "hybrid"]
CalibrationMethod = Literal["temperature", "platt"]
