"""What a type checker says of settings; `make type` reads it, and fails where an error here goes unseen."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from factreasoner import Config, aassess, assess, assess_many, rag, recall, verify
from factreasoner.models import Assessment, Claim, Premise
from factreasoner.protocols import Judged


class OwnJudge:
    """A judge of one's own."""

    def judge(self, premise: Premise, claims: Sequence[Claim]) -> Judged:
        """Nothing."""
        return Judged(())


async def typed() -> Assessment:
    """Calls that are right, and calls that are not."""
    assess("x", contexts=["y"], version=3, cache_dir="here", k=5, calibration=Path("c.json"))
    assess("x", contexts=["y"], versoin=3)  # type: ignore[call-arg]
    assess("x", contexts=["y"], version=4)  # type: ignore[arg-type]
    assess("x", contexts=["y"], judge=OwnJudge(), solver="exact", allow_domains=["a.org"])
    assess("x", contexts=["y"], judge=3)  # type: ignore[arg-type]
    recall("x", facts=["y"], mode="tf")
    recall("x", facts=["y"], mode="yes")  # type: ignore[arg-type]
    rag("x", contexts=["y"], premise="joint", allow_domains=["a.org"])
    verify("x", contexts=["y"], rounds="2")  # type: ignore[arg-type]
    assess_many([{"output": "x"}], out="runs/x", concurrency=8)
    _ = Config(version=3, model="m").verison  # type: ignore[attr-defined]
    assess_many([{"output": "x"}], concurency=8)  # type: ignore[call-arg]
    return await aassess("x", contexts=["y"], factors="table1", input="z")
