"""The OpenAPI 3.1 document of the service: openapi.yaml, and what depends on how it is started."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import yaml

from factreasoner import __version__
from factreasoner.analysis.run_tables import claim_table_of
from factreasoner.serve.answers import CHECK, TASK_OF
from factreasoner.serve.replies import JSON, PROBLEM, TITLES
from factreasoner.tasks.registry import task_named

ABOUT: Mapping[str, str] = {
    "assess": "Is the answer true? P(true) of each of its atoms, against its contexts.",
    "verify": "Does each cited source bear out its claim? And the answer mended.",
    "rag": "Where does a RAG system lose or invent?",
    "recall": "Does the answer say what it should?",
    CHECK: "As assess, and whether the answer keeps the service's rules. What can't be said is not allowed.",
}
_OF_PROBES = ("401", "403", "421", "503")


def document(names: Iterable[str], most_bytes: int) -> bytes:
    """The document of a service with these routes, as JSON."""
    content = yaml.safe_load(Path(__file__).with_suffix(".yaml").read_text(encoding="utf-8"))
    content["info"]["version"] = __version__
    errors = {str(status): _reply(title, PROBLEM, _ref("Problem")) for status, title in TITLES.items()}
    for probe in content["paths"].values():
        plain = {"200": _reply(probe["get"]["summary"], "text/plain", {})}
        probe["get"]["responses"] = plain | {status: errors[status] for status in _OF_PROBES}
    for name in names:
        more = ["allowed", "reason"] if name == CHECK else []
        claims = claim_table_of(task_named(TASK_OF[name]))
        found = {"allOf": [_ref("Result"), {"type": "object", "required": [claims, *more]}]}
        body = {
            "description": f"At most {most_bytes:,} bytes.",
            "content": {JSON: {"schema": _ref("Record")}},
        }
        content["paths"][f"/v1/{name}"] = {
            "post": {
                "summary": ABOUT[name],
                "operationId": name,
                "requestBody": body | {"required": True},
                "responses": {"200": _reply("The result.", JSON, found), **errors},
            }
        }
    return json.dumps(content).encode()


def _reply(description: str, media_type: str, schema: Mapping[str, Any]) -> dict[str, Any]:
    return {"description": description, "content": {media_type: {"schema": schema}}}


def _ref(name: str) -> dict[str, str]:
    return {"$ref": f"#/components/schemas/{name}"}
