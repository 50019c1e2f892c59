"""The System One API as a call form: one state, typed questions, a probability for every choice.

`POST {base}/systemone` takes {model, state, questions: {name: {type: "choice", instructions, criteria}}} and
answers {model, answers: {name: {choice, probabilities, confidence}}, usage: {input_tokens, output_tokens}}.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping
from typing import Any

import httpx

from factreasoner.llm.responses import field_of
from factreasoner.models.messages import Chances, FunctionSchema, Prompt

_SUM = 0.05  # how far from 1 the probabilities of a question may add up


class StatusError(Exception):
    """An answer with an error status."""

    def __init__(self, response: httpx.Response) -> None:
        super().__init__(response.text)
        self.response, self.status_code = response, response.status_code


def request(prompt: Prompt, schema: FunctionSchema) -> dict[str, Any]:
    """The state and questions of a call; the prompt's lines `VALUE - meaning` define the values."""
    questions = {}
    for name in schema.choices:
        criteria = {}
        for value in schema.properties[name]["enum"]:
            meaning = re.search(rf"^{re.escape(value)} - (.+)$", prompt.system, re.MULTILINE)
            criteria[value] = meaning[1] if meaning else None
        asked = (
            f"Is this {schema.item} {', '.join(criteria)}, by the text alone? {schema.items.get(name, '')}"
        )
        questions[name] = {"type": "choice", "instructions": asked.strip(), "criteria": criteria}
    listed = json.dumps(questions, ensure_ascii=False)
    messages = [{"role": "user", "content": f"{prompt.user}\n{listed}"}]  # for estimates alone
    return {"state": prompt.user, "questions": questions, "messages": messages}


def as_chat(body: object) -> dict[str, Any]:
    """A response as a chat completion, with its answers as content."""
    message = {"content": json.dumps(field_of(body, "answers"))}
    usage = {
        "prompt_tokens": field_of(body, "usage", "input_tokens"),
        "completion_tokens": field_of(body, "usage", "output_tokens"),
    }
    choices = [{"message": message, "finish_reason": "stop"}]
    return {"model": field_of(body, "model"), "choices": choices, "usage": usage}


def answers_in(content: str, schema: FunctionSchema) -> dict[str, Chances]:
    """P of every value by question, for valid answers: the choice is the most probable value."""
    try:
        answers = json.loads(content)
    except ValueError:  # a response that was too long to read
        answers = None
    found = {}
    for name in schema.choices if isinstance(answers, dict) else ():
        given, allowed = field_of(answers.get(name), "probabilities"), schema.properties[name]["enum"]
        if not isinstance(given, Mapping) or set(given) != set(allowed):
            continue
        if any(
            isinstance(p, bool) or not isinstance(p, int | float) or not 0 <= p <= 1 for p in given.values()
        ):
            continue
        total = math.fsum(given.values())
        choice = field_of(answers[name], "choice")
        if abs(total - 1) <= _SUM and choice in given and given[choice] == max(given.values()):
            first = sorted(allowed, key=lambda value: value != choice)  # of equal ones, the server's choice
            found[name] = Chances(probabilities={value: given[value] / total for value in first})
    return found
