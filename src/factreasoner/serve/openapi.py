"""The OpenAPI 3.1 document of the service."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any

from factreasoner import __version__
from factreasoner.serve.answering import CHECK, TASK_OF
from factreasoner.serve.replies import JSON, PROBLEM, TITLES
from factreasoner.tasks.registry import FACTUALITY, task_named

ABOUT: Mapping[str, str] = {
    "assess": "Is the answer true? P(true) of each of its atoms, against its contexts.",
    "verify": "Does each cited source bear out its claim? And the answer mended.",
    "rag": "Where does a RAG system lose or invent?",
    "recall": "Does the answer say what it should?",
    CHECK: "As assess, and whether the answer keeps the service's rules. What can't be said is not allowed.",
}
_TEXT = {"type": "string", "minLength": 1, "pattern": r"\S"}
_PROBABILITY = {"type": ["number", "null"], "minimum": 0, "maximum": 1}


def _item(**more: Any) -> dict[str, Any]:
    """A text, or an object with one and an id, which is unique in its record."""
    properties = {"id": _TEXT, "text": _TEXT, **more}
    return {"anyOf": [_TEXT, {"type": "object", "required": ["text"], "properties": properties}]}


def _list(items: Mapping[str, Any]) -> dict[str, Any]:
    return {"type": "array", "items": items}


SCHEMAS: Mapping[str, Any] = {
    "Record": {
        "type": "object",
        "description": "One input record. Further keys are kept as metadata; names of settings are refused.",
        "required": ["output"],
        "properties": {
            "id": _TEXT,
            "input": {"type": "string", "description": "The question."},
            "output": {"type": "string", "description": "The answer."},
            "topic": {"type": "string"},
            "reference": {"type": "string", "description": "A right answer."},
            "atoms": _list(_item()),
            "contexts": _list(_item(title={"type": "string"}, link={"type": "string"}, prior=_PROBABILITY)),
            "facts": _list(_item(label={"type": ["boolean", "null"]})),
        },
    },
    "Result": {
        "type": "object",
        "description": "The record's line of results.jsonl, and its claims as rows of export.",
        "required": ["id", "status", "failures"],
        "properties": {
            "id": {"type": "string"},
            "status": {"enum": ["ok", "partial", "no_atoms"]},
            "failures": _list({"type": "object"}),
            "allowed": {"type": "boolean"},
            "reason": {"type": "string"},
        },
    },
    "Problem": {
        "type": "object",
        "required": ["type", "title", "status", "errors"],
        "properties": {
            "type": {"type": "string"},
            "title": {"type": "string"},
            "status": {"type": "integer"},
            "errors": _list(
                {
                    "type": "object",
                    "required": ["field", "message"],
                    "properties": {"field": {"type": "string"}, "message": {"type": "string"}},
                }
            ),
        },
    },
}
_PROBES = {
    "/livez": "Whether the process answers.",
    "/readyz": "Whether records are taken: 503 while warming up or draining.",
    "/metrics": "Counts and times in Prometheus's text format.",
}


def document(names: Iterable[str], most_bytes: int) -> bytes:
    """The document of a service with these routes, as JSON."""
    errors = {str(status): _problem(title) for status, title in TITLES.items()}
    paths: dict[str, Any] = {f"/v1/{name}": {"post": _post(name, errors, most_bytes)} for name in names}
    probed = {key: errors[key] for key in ("401", "403", "421", "503")}
    for path, about in _PROBES.items():
        plain = {"200": {"description": about, "content": {"text/plain": {}}}}
        paths[path] = {"get": {"summary": about, "responses": plain | probed}}
    content = {
        "openapi": "3.1.0",
        "info": {"title": "factreasoner", "version": __version__},
        "paths": paths,
        "components": {
            "schemas": SCHEMAS,
            "securitySchemes": {"token": {"type": "http", "scheme": "bearer"}},
        },
        "security": [{}, {"token": []}],
    }
    return json.dumps(content).encode()


def _post(name: str, errors: Mapping[str, Any], most_bytes: int) -> dict[str, Any]:
    claims = "atoms" if TASK_OF[name] == FACTUALITY else f"{task_named(TASK_OF[name]).claim_word}s"
    more = ["allowed", "reason"] if name == CHECK else []
    found = {"allOf": [_ref("Result"), {"type": "object", "required": [claims, *more]}]}
    return {
        "summary": ABOUT[name],
        "operationId": name,
        "requestBody": {
            "required": True,
            "description": f"At most {most_bytes:,} bytes.",
            "content": {JSON: {"schema": _ref("Record")}},
        },
        "responses": {"200": {"description": "The result.", "content": {JSON: {"schema": found}}}, **errors},
    }


def _problem(title: str) -> dict[str, Any]:
    return {"description": title, "content": {PROBLEM: {"schema": _ref("Problem")}}}


def _ref(name: str) -> dict[str, str]:
    return {"$ref": f"#/components/schemas/{name}"}
