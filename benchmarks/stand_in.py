"""A model's stand-in that answers ours and peers' questions about claims alike, and counts what they take.

Claims of a text are its sentences, in a tool call, as JSON or in plain text, as the request asks. A claim's
verdict depends on its words alone: four in five are borne out. Reasons, where they are asked for, are one
sentence. Tokens are those of cl100k_base; tools and schemas count as the JSON they are sent as. Not a
benchmark by itself.
"""

from __future__ import annotations

import json
import re
import sys
import threading
import zlib
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

from factreasoner.llm.transport import load

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))
from fake_server import Answered, Completion, Request, prose

load()
from litellm.litellm_core_utils.default_encoding import encoding  # noqa: E402 - after its settings

REASON = (
    "The context mentions this explicitly and describes it in the same way as the statement does. "
    "Therefore, it can be inferred."
)
"""As long as the reasons in the examples of ragas's prompts are on average: 22 tokens."""
DROPPED, PROSE = 5, 10
"""One verdict in so many is left out, one reply in so many is prose, where that is asked for."""


class Taken(NamedTuple):
    """What a contender took."""

    calls: int
    prompt_tokens: int
    completion_tokens: int


class StandIn:
    """Answers requests. `drop`: one verdict in five is left out; `chatty`: one reply in ten is prose."""

    def __init__(self, *, drop: bool = False, chatty: bool = False) -> None:
        self._drop, self._chatty = drop, chatty
        self._lock = threading.Lock()
        self._verdicts = 0
        self._taken: list[tuple[int, int]] = []

    @property
    def taken(self) -> Taken:
        """What the requests so far took."""
        asked = list(self._taken)
        return Taken(len(asked), sum(prompt for prompt, _ in asked), sum(answer for _, answer in asked))

    def answer(self, request: Request) -> Answered:
        """The reply to a request; see `FakeServer`."""
        with self._lock:
            number = len(self._taken)
            self._taken.append((0, 0))
        arguments = self._arguments(request)
        text = arguments if isinstance(arguments, str) else json.dumps(arguments, ensure_ascii=False)
        if self._chatty and number % PROSE == PROSE - 1:
            found = prose()
            text = found.content or ""
        else:
            plain = isinstance(arguments, str) and request.form in ("lines", "word")
            found = Completion(content=text) if plain else Completion(arguments)
        asked, said = _prompt_tokens(request.body), len(encoding.encode(text))
        self._taken[number] = (asked, said)
        tokens = None if request.form == "tool" else [(word, -0.1, [(word, -0.1)]) for word in _words(text)]
        usage = {"prompt_tokens": asked, "completion_tokens": said, "total_tokens": asked + said}
        return Completion(found.arguments, content=found.content, tokens=tokens, usage=usage)

    def _arguments(self, request: Request) -> dict[str, Any] | str:
        if request.function == "verify_facts" or request.listed:
            return self._facts(request)
        if request.function == "report_statements":
            ((_, parts),) = re.findall(
                r"<given_parts_(\w+)>\n(.*?)\n</given_parts_\1>", request.asked, re.DOTALL
            )
            return {"statements": parts.splitlines()}
        keys = request.parameters.get("properties", {}).keys()
        if "Output: " in _text(request.body)[-20:]:
            return self._of_ragas(_text(request.body))
        return self._of_deepeval(_text(request.body), keys)

    def _facts(self, request: Request) -> dict[str, Any]:
        found: dict[str, Any] = {}
        for name, schema in request.properties.items():
            if name.endswith("_sources"):
                found[name] = "1"
                continue
            if self._kept():
                found[name] = "True" if is_supported(schema["description"]) else "Not clear"
        return found

    def _of_ragas(self, text: str) -> dict[str, Any]:
        asked = json.loads(text[text.rindex("\ninput: ") + 8 : text.rindex("\nOutput: ")])
        match sorted(asked):
            case ["answer", "question"]:
                return {"statements": sentences(asked["answer"])}
            case ["response"]:
                return {"claims": sentences(asked["response"])}
            case ["context", "statements"]:
                said = (
                    {"statement": claim, "reason": REASON, "verdict": int(is_supported(claim))}
                    for claim in asked["statements"]
                )
                return {"statements": [verdict for verdict in said if self._kept()]}
            case ["answer", "context", "question"] if "attributed" in text:
                said = (
                    {"statement": claim, "reason": REASON, "attributed": int(is_supported(claim))}
                    for claim in sentences(asked["answer"])
                )
                return {"classifications": [verdict for verdict in said if self._kept()]}
        return {"reason": REASON, "verdict": 1}

    def _of_deepeval(self, text: str, keys: Sequence[str]) -> dict[str, Any]:
        material = text[text.rfind("**\n") + 1 : text.rindex("JSON:")]
        if "truths" in keys:
            return {"truths": sentences(material.split("Text:\n", 1)[-1])}
        if "claims" in keys:
            return {"claims": sentences(material.split("AI Output:\n", 1)[-1])}
        if "Claims:\n" in material:
            claims = _listed(material.split("Claims:\n")[-1])
        elif "Input:" in material:
            claims = _listed(re.split(r"Retrieval Context.*:\n", material)[-1])
        else:
            claims = sentences(material.split("Expected Output:\n")[-1].split("Retrieval Context")[0])
        silent = None if "Claims:\n" in material else REASON
        said = [
            {"verdict": "yes", "reason": silent} if is_supported(c) else {"verdict": "no", "reason": REASON}
            for c in claims
        ]
        return {"verdicts": [verdict for verdict in said if self._kept()]}

    def _kept(self) -> bool:
        with self._lock:
            self._verdicts += 1
            return not self._drop or self._verdicts % DROPPED != 0


def sentences(text: str) -> list[str]:
    """The sentences of a text, which stand for its claims."""
    return [part.strip() for part in re.split(r"(?<=[.!?])\s+|\n+", text) if re.search(r"\w{3}", part)]


def is_supported(claim: str) -> bool:
    """The stand-in's verdict on a claim."""
    return zlib.crc32(" ".join(re.findall(r"\w+", claim.lower())).encode()) % 5 != 0


def _words(text: str) -> list[str]:
    return re.findall(r"\s*\w+|\s*[^\w\s]|\s+", text)


def _listed(text: str) -> list[str]:
    """The strings of a Python list as a template prints it."""
    import ast

    try:
        found = ast.literal_eval(text.strip())
    except (SyntaxError, ValueError):
        return sentences(text)
    return [str(item) for item in found]


def _text(body: dict[str, Any]) -> str:
    """All messages, joined; a content may come in parts."""
    contents = [message.get("content") or "" for message in body["messages"]]
    parts = [[{"text": content}] if isinstance(content, str) else content for content in contents]
    return "\n".join(part["text"] for content in parts for part in content)


def _prompt_tokens(body: dict[str, Any]) -> int:
    parts = [_text(body)]
    schemas = [tool["function"] for tool in body.get("tools") or ()]
    schemas += filter(None, [(body.get("response_format") or {}).get("json_schema")])
    parts += [json.dumps(schema, ensure_ascii=False, separators=(",", ":")) for schema in schemas]
    return sum(len(encoding.encode(part, disallowed_special=())) for part in parts)
