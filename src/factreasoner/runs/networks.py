"""The networks of a run as UAI files, each with a map from its variables' numbers to their ids."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterable
from pathlib import Path

from factreasoner.assessors.assessors import ASSESSORS
from factreasoner.errors import ConfigError, RunError
from factreasoner.files import replace_file
from factreasoner.graph.factors import factor_graph
from factreasoner.graph.uai import uai_text
from factreasoner.models import Assessment
from factreasoner.settings import Config

LONGEST_STEM, DIGEST = 80, 12
"""Characters of a file's name before its digest, and of the digest; far below any system's limit."""

_UNSAFE = re.compile(r"[^A-Za-z0-9._-]+")
_RESERVED = re.compile(rf"(?i)^(con|prn|aux|nul|com\d|lpt\d)(\.|$)|-[0-9a-f]{{{DIGEST}}}$")
"""Names that Windows keeps for devices, and those that end as if with a digest."""


def check_export(folder: Path, config: Config) -> None:
    """Make the folder for a run's networks, before the run.

    Raises:
        ConfigError: the assessor builds no network.
        RunError: the folder can't be made.
    """
    if config.assessor in ASSESSORS:
        raise ConfigError(f"assessor {config.assessor!r} builds no networks to export")
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise RunError(f"{folder}: networks can't be written there: {error.strerror}") from error


def export_networks(assessments: Iterable[Assessment], config: Config, folder: Path) -> str:
    """Write networks to `folder`/NAME.uai, variables to NAME.uai.map.json; returns the counts in words.

    NAME is the record's id made safe, see `file_name`. The map has the record's id and, in the order of the
    variables, their ids as `variables` and "atom" or "context" as `kinds`. Older files of the same names are
    replaced; others stay.

    Raises:
        RunError: a file can't be written.
    """
    names: set[str] = set()
    without = 0
    for assessment in assessments:
        graph = assessment.outcome.graph if assessment.outcome else None
        if graph is None:
            without += 1
            continue
        path = folder / f"{file_name(assessment.record_id, names)}.uai"
        variables = {
            "record": assessment.record_id,
            "variables": [node.id for node in graph.nodes],
            "kinds": [node.kind for node in graph.nodes],
        }
        replace_file(path, [uai_text(factor_graph(graph, config.factors)).rstrip("\n")])
        replace_file(Path(f"{path}.map.json"), [json.dumps(variables, ensure_ascii=False, indent=1)])
    rest = f"; {without} without one" if without else ""
    return f"{len(names)} networks written to {folder}{rest}"


def file_name(record_id: str, taken: set[str]) -> str:
    """The name of a file for an id, which is anyone's text: never a path, and none of those `taken`.

    An id of letters, digits and ". _ -" is its own name. In any other, the other characters become "_" and a
    digest of the id is added; a name that differs from a taken one at most by its case gets one too.
    """
    name = _UNSAFE.sub("_", record_id).lstrip(".-").rstrip(".")[:LONGEST_STEM]
    if name != record_id or not name or _RESERVED.search(name) or name.lower() in taken:
        digest = hashlib.sha256(record_id.encode("utf-8", "surrogatepass")).hexdigest()
        name = f"{name or 'record'}-{digest[:DIGEST]}"
    taken.add(name.lower())
    return name
