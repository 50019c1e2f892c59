"""Settings of the fact graph."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Literal

from factreasoner.models import FactorTable
from factreasoner.settings.setting import Settings, setting

Version = Literal[1, 2, 3]
_graph = partial(setting, "Graph")


class GraphSettings(Settings):
    """Settings of the fact graph and its priors. `version` selects the judged pairs."""

    version: Version = setting(
        "Assessor",
        2,
        "1: a context counts for the atoms it was retrieved for; 2: for every atom; 3: contexts are judged "
        "against each other too.",
        common=True,
    )
    factors: FactorTable = _graph("conditional", "Factor tables.")
    atom_prior: float = _graph(0.5, "P(true) of an atom before any evidence.", gt=0.0, lt=1.0)
    context_prior: float = _graph(0.9, "P(true) of a context before any evidence.", gt=0.0, lt=1.0)
    credibility: Path | None = _graph(
        None,
        "Priors of contexts by the domain of their link: a CSV file with the header domain,prior.",
        affects="calls",
    )
    summary_prior: bool = _graph(False, "Scale the prior of a context by its summary's confidence.")
    independence: bool = _graph(
        False, "Count copies of a text, or contexts of one page, as one context: the strongest."
    )
