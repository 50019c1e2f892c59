"""A real OpenAI-compatible chat server on loopback that counts, records and misbehaves on demand.

::

    with FakeServer() as server:                       # answers every schema with a valid minimal object
        config = Config(model="openai/fake", api_base=server.url)
        ...
        assert server.calls == 1
        server.requests[0].body["tools"]

    FakeServer(lambda request: {"fact_0": "True"})     # your own arguments, in the form the request asked for
    FakeServer(answering(lambda name, prop, request: "True"))      # one value an argument
    FakeServer(sequence(rate_limited("1"), hang(), answering(...)))    # one step a call, the last one repeats

What an answer function returns:

- a dict: the arguments, delivered as a tool call, as JSON, in lines or as a word, as the request asked;
- a `Completion`: a chat completion with anything odd about it (prose, cut, several tool calls, no choices);
- a `Misbehaviour`: an error status, a hang, a drip, a broken connection, a body that is no JSON.

`python tests/fake_server.py` serves in a process of its own and prints its URL (used by benchmarks).
"""

import contextlib
import json
import re
import socket
import sys
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, ClassVar, Literal

Form = Literal["tool", "json_schema", "json_object", "lines", "word"]
Token = tuple[str, float, Sequence[tuple[str, float]]]
"""Text, log-probability, alternatives (text, log-probability)."""


@dataclass(frozen=True)
class Request:
    """One request to /chat/completions. `number` counts from 0 over the server's life."""

    number: int
    body: dict[str, Any]
    headers: Mapping[str, str]

    @property
    def text(self):
        """All messages, joined."""
        return "\n".join(_said(message) for message in self.body.get("messages", []))

    @property
    def asked(self):
        """The last message: the question itself, behind the examples."""
        messages = self.body.get("messages", [])
        return _said(messages[-1]) if messages else ""

    @property
    def shown(self):
        """What a model with a whole chat template reads: the messages and the tools, no response format."""
        return self.text + (json.dumps(self.body["tools"]) if self.form == "tool" else "")

    @property
    def form(self):
        """How the answer was asked for."""
        if self.body.get("tools"):
            return "tool"
        kind = (self.body.get("response_format") or {}).get("type")
        if kind in ("json_schema", "json_object"):
            return kind
        limit = self.body.get("max_tokens", self.body.get("max_completion_tokens"))
        return "word" if limit == 2 else "lines"

    @property
    def function(self):
        """The name of the function that must be called."""
        if self.form == "tool":
            return str(self.body["tools"][0]["function"]["name"])
        return str(self.body.get("response_format", {}).get("json_schema", {}).get("name", ""))

    @cached_property
    def parameters(self):
        """The JSON schema of the arguments, from the tool, the response format or the words of the system."""
        if self.form == "tool":
            return dict(self.body["tools"][0]["function"]["parameters"])
        if self.form == "json_schema":
            return dict(self.body["response_format"]["json_schema"]["schema"])
        system = self.text.split("Answer with ")[-1]
        if "Its form: " in system:
            return _outlined(system.split("Its form: ", 1)[1])
        keys = re.findall(r'"fact_0(\w*)" \(([^)]*)\)', system) or [("", system)]
        properties = {}
        for name in self.listed:
            for suffix, said in keys:
                values = [value for value in VALUES if re.search(rf"\b{value}\b", said)]
                properties[name + suffix] = {"type": "string"} | ({"enum": values} if values else {})
        return {"type": "object", "properties": properties}

    @property
    def properties(self):
        """Argument name -> its JSON schema (enum, description...); what the message lists stands for it."""
        properties = dict(self.parameters.get("properties", {}))
        return {
            name: {**prop, "description": self.listed.get(name, prop.get("description", ""))}
            for name, prop in properties.items()
        }

    @cached_property
    def listed(self):
        """What the message lists between tags: lines `NAME: TEXT` of arguments; or the one fact behind it."""
        blocks = re.findall(
            r"^<given_(fact|claim|statement)s_(\w+)>\n(.*?)\n</given_\w+_\2>$", self.asked, re.M | re.S
        )
        lines = [
            (name if "_" in name else f"{'fact' if kind != 'statement' else kind}_{name}", text)
            for kind, _, block in blocks
            for name, text in re.findall(r"^(\w+): (.*)$", block, re.M)
        ]
        if not lines and (alone := re.search(r"^(?:Fact|Claim|Statement): (.*)\Z", self.asked, re.M)):
            lines = [("fact_0", alone[1])]
        return dict(lines)


VALUES = ("True", "False", "Not clear", "Supported", "Contradicted", "Inconclusive", "Undecided")
"""Answers that may be allowed."""


def _said(message):
    content = message.get("content") or ""
    return content if isinstance(content, str) else "".join(part["text"] for part in content)


def _outlined(outline):
    """The schema that an outline shows: `{"a": <...>, "b": [<...>, ...]}`."""
    properties = {}
    for name, value in re.findall(r'"(\w+)": (\[|<)', outline):
        text = {"type": "string"}
        properties[name] = {"type": "array", "items": text} if value == "[" else text
    return {"type": "object", "properties": properties}


@dataclass(frozen=True)
class Completion:
    """A chat completion with status 200. Fields left None are derived from `arguments` and the request.

    `arguments`: a dict, or a str that is put in place of the JSON as it stands. `content`: the message's
    content; with it and no arguments, no tool is called. `tool_calls`: (function name, raw arguments), any
    number. `tokens`: log-probabilities, sent when the request asks for them. `body`: fields of the
    response replaced last (`{"choices": []}`).
    """

    arguments: Any = None
    content: str | None = None
    finish_reason: str | None = None
    tool_calls: Sequence[tuple[str, Any]] | None = None
    tokens: Sequence[Token] | None = None
    usage: Mapping[str, int] | None = None
    body: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Misbehaviour:
    """What is not a chat completion. `seconds` bounds hang and drip, which end when the server closes."""

    how: Literal["answer", "hang", "drip", "disconnect", "reset"] = "answer"
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    body: bytes = b""
    seconds: float = 30.0


Answered = dict[str, Any] | Completion | Misbehaviour


# Policies: well-behaved answers


def minimal(schema):
    """A small valid value of a JSON schema: first enum value, lowest number, one array item."""
    if "enum" in schema:
        return schema["enum"][0]
    kind = schema.get("type", "string")
    if kind == "object":
        return {name: minimal(prop) for name, prop in schema.get("properties", {}).items()}
    if kind == "array":
        return [minimal(schema.get("items", {}))]
    return {"integer": schema.get("minimum", 0), "number": schema.get("minimum", 0.0), "boolean": True}.get(
        kind, "text"
    )


def answering(choose):
    """Answer every argument with `choose(name, its schema, request)`."""
    return lambda request: {n: choose(n, p, request) for n, p in request.properties.items()}


def obliging(request):
    """A minimal valid object: the default answer."""
    return {name: minimal(prop) for name, prop in request.properties.items()}


def sequence(*steps):
    """One step for each request; the last one repeats."""
    lock, position = threading.Lock(), iter(range(10**9))

    def answer(request):
        with lock:
            step = steps[min(next(position), len(steps) - 1)]
        return step(request) if callable(step) else step

    return answer


# The probe: facts with known verdicts, by which it is found out how many a model bears at once

PROBE = json.loads(
    (Path(__file__).parents[1] / "src/factreasoner/judges/probe.json").read_text(encoding="utf-8")
)
KNOWN = {text: answer for case in PROBE for text, answer in case["facts"]}


def is_probe(request):
    """Whether a request asks about a passage of the probe."""
    return any(case["passage"] in request.asked for case in PROBE)


def known_facts(request):
    """The right answers to a probe's facts, empty where it is none."""
    if not is_probe(request):
        return {}
    found = obliging(request)
    for name, prop in request.properties.items():
        if "enum" in prop:
            said = KNOWN.get(str(prop["description"]), "Not clear")
            found[name] = said if said in prop["enum"] else "False"
    return found


# Misbehaviours


def changed(change, policy=obliging):
    """The policy's arguments after `change`: drop one, set one to null, add one, spoil one."""

    def answer(request):
        arguments = policy(request)
        return change(dict(arguments)) if isinstance(arguments, dict) else arguments

    return answer


def missing(*names, policy=obliging):
    """Leave out these arguments."""
    return changed(lambda arguments: {n: v for n, v in arguments.items() if n not in names}, policy)


def replaced(policy=obliging, /, **values):
    """Set arguments to null, to a value outside their enum, or add unknown ones."""
    return changed(lambda arguments: arguments | values, policy)


def prose(text="I would say that most of it is right."):
    """Plain words, whatever form was asked for."""
    return Completion(content=text)


def cut(text='{"fact_0": "Tr'):
    """A reply cut by the token limit."""
    return Completion(arguments=text, finish_reason="length")


def completion_of(finish_reason="stop", **message):
    """One choice with exactly this message, whatever was asked for."""
    choice = {"index": 0, "finish_reason": finish_reason, "message": {"role": "assistant", **message}}
    return Completion(arguments={}, body={"choices": [choice]})


def filtered():
    """A reply that the provider's content filter stopped."""
    return completion_of("content_filter", content=None)


def refused(words="I'm sorry, I can't help with that."):
    """A refusal, in the field that OpenAI has for it."""
    return completion_of(content=None, refusal=words)


def empty_choices():
    """Status 200 and `"choices": []`."""
    return Completion(arguments={}, body={"choices": []})


def error(status, message, *, code=None, param=None):
    """An error in OpenAI's format."""
    kind = "invalid_request_error" if status < 500 else "server_error"
    body = {"error": {"message": message, "type": kind, "param": param, "code": code}}
    return Misbehaviour(
        status=status, headers={"Content-Type": "application/json"}, body=json.dumps(body).encode()
    )


def rate_limited(retry_after=None):
    """429, with `Retry-After` (seconds or an HTTP date) when given."""
    plain = error(429, "Rate limit reached for requests", code="rate_limit_exceeded")
    extra = {} if retry_after is None else {"Retry-After": retry_after}
    return Misbehaviour(status=429, headers={**plain.headers, **extra}, body=plain.body)


def server_error(status=500):
    """A 5xx."""
    return error(status, "The server had an error while processing your request")


def unauthorized(status=401):
    """A refused key (401) or a refused permission (403); OpenAI repeats part of the key in the message."""
    return error(status, "Incorrect API key provided: sk-secr*****key.", code="invalid_api_key")


def unknown_model():
    """404 for a model nobody serves."""
    return error(404, "The model `fake` does not exist", code="model_not_found")


def response_format_refused(form="json_schema"):
    """400: no such response format here."""
    return error(
        400,
        f"Invalid parameter: 'response_format' of type '{form}' is not supported",
        param="response_format",
    )


def hang(seconds=30.0):
    """Never answers (within `seconds`)."""
    return Misbehaviour(how="hang", seconds=seconds)


def drip(seconds=30.0):
    """Sends headers, then one byte now and then, so that no read times out."""
    return Misbehaviour(how="drip", seconds=seconds)


def disconnect():
    """Promises 1000 bytes, sends some, closes."""
    return Misbehaviour(how="disconnect")


def reset():
    """Closes without a byte."""
    return Misbehaviour(how="reset")


def broken_body():
    """Status 200 and a body that is not JSON."""
    return Misbehaviour(headers={"Content-Type": "application/json"}, body=b'{"choices": [{"mess')


# The server


def _tokens(text):
    return [(piece, -0.1, [(piece, -0.1)]) for piece in re.findall(r"\s*\w+|\s*[^\w\s]|\s+", text)]


def _logprobs(tokens):
    def entry(text, logprob):
        return {"token": text, "logprob": logprob, "bytes": list(text.encode())}

    return {
        "content": [
            {**entry(text, logprob), "top_logprobs": [entry(*alternative) for alternative in top]}
            for text, logprob, top in tokens
        ]
    }


def in_words(form, arguments):
    """Arguments as the content of a message, in the form that was asked for."""
    if form == "word":
        return str(next(iter(arguments.values()), ""))
    if form != "lines":
        return json.dumps(arguments, ensure_ascii=False)
    lists = [value for value in arguments.values() if isinstance(value, list)]
    if lists:
        return "\n".join(f"- {value}" for value in lists[0])
    return "\n".join(f"{name.rsplit('_', 1)[-1]}: {value}" for name, value in arguments.items())


def completion_body(request, completion, *, logprobs):
    """The JSON of a chat completion, in the form the request asked for."""
    arguments = completion.arguments
    text = arguments if isinstance(arguments, str) else json.dumps(arguments, ensure_ascii=False)
    message = {"role": "assistant", "content": completion.content}
    calls = completion.tool_calls
    if calls is None and arguments is not None and request.form == "tool":
        calls = [(request.function, text)]
    if calls:
        message["tool_calls"] = [
            {"id": f"call_{index}", "type": "function", "function": {"name": name, "arguments": raw}}
            for index, (name, raw) in enumerate(calls)
        ]
    elif arguments is not None:
        message["content"] = in_words(request.form, arguments) if isinstance(arguments, dict) else text
    choice = {
        "index": 0,
        "message": message,
        "finish_reason": completion.finish_reason or ("tool_calls" if calls else "stop"),
    }
    if request.body.get("logprobs") and (logprobs or completion.tokens is not None):
        spoken = text if calls else message["content"] or ""
        choice["logprobs"] = _logprobs(_tokens(spoken) if completion.tokens is None else completion.tokens)
    prompt_tokens, completion_tokens = len(request.shown) // 4 + 1, len(text) // 4 + 1
    usage = completion.usage or {
        "prompt_tokens": prompt_tokens,
        "completion_tokens": completion_tokens,
        "total_tokens": prompt_tokens + completion_tokens,
    }
    return {
        "id": f"chatcmpl-{request.number}",
        "object": "chat.completion",
        "created": 1_700_000_000,
        "model": request.body.get("model", "fake"),
        "choices": [choice],
        "usage": dict(usage),
    } | dict(completion.body)


class Handler(BaseHTTPRequestHandler):
    """Answers one connection's requests."""

    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    wbufsize = -1

    def do_POST(self):
        length = int(self.headers.get("Content-Length", 0))
        raw = self.rfile.read(length)
        if len(raw) < length:
            raise ConnectionResetError("the client was killed while it asked")
        if not self.path.endswith("/chat/completions"):
            self.misbehave(error(404, f"no such path: {self.path}"))
            return
        owner = self.server.owner
        headers = {name.lower(): value for name, value in self.headers.items()}
        with owner.recorded(json.loads(raw), headers) as request:
            with owner.places:
                if owner.delay:
                    owner.closing.wait(owner.delay)
                answered = (known_facts(request) if owner.probed else {}) or owner.answer(request)
            if isinstance(answered, Misbehaviour):
                self.misbehave(answered)
                return
            completion = answered if isinstance(answered, Completion) else Completion(arguments=answered)
            body = completion_body(request, completion, logprobs=owner.logprobs)
        self.send(200, {"Content-Type": "application/json"}, json.dumps(body).encode())

    def do_GET(self):
        body = {"object": "list", "data": [{"id": "fake", "object": "model"}]}
        self.send(200, {"Content-Type": "application/json"}, json.dumps(body).encode())

    def send(self, status, headers, body):
        self.send_response(status)
        for name, value in {**headers, "Content-Length": str(len(body))}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def misbehave(self, wrong):
        if wrong.how == "answer":
            self.send(wrong.status, wrong.headers, wrong.body)
            return
        self.close_connection = True
        if wrong.how == "hang":
            self.server.owner.closing.wait(wrong.seconds)
        elif wrong.how in ("drip", "disconnect"):
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", "1000")
            self.end_headers()
            self.wfile.write(b'{"choices": [')
            self.wfile.flush()
            waited = 0.0
            while wrong.how == "drip" and waited < wrong.seconds and not self.server.owner.closing.wait(0.05):
                waited += 0.05
                self.wfile.write(b" ")
                self.wfile.flush()

    def log_message(self, format, *args):
        pass


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 256

    def __init__(self, *args):
        super().__init__(*args)
        self.connections = set()

    def process_request(self, request, client_address):
        self.connections.add(request)
        super().process_request(request, client_address)

    def shutdown_request(self, request):
        self.connections.discard(request)
        super().shutdown_request(request)

    def handle_error(self, request, client_address):
        if not isinstance(sys.exc_info()[1], ConnectionError):
            super().handle_error(request, client_address)


class FakeServer:
    """The server: a context manager, listening from the moment it is made.

    Facts by which a model is probed are answered as they are known and are no `requests` but `probes`; with
    `probed` False they are put to the policy like all others.

    `url` ends in /v1. `requests` holds every chat request in order of arrival, `calls` their number, `peak`
    the most that were under way at once. `logprobs` makes it return log-probabilities when asked for
    them; `delay` is the seconds each answer takes, and `places` how many are worked on at once: the others
    wait in line.
    """

    handler: ClassVar[type[Handler]] = Handler

    def __init__(self, answer=obliging, *, logprobs=False, delay=0.0, places=None, probed=True, port=0):
        self.answer = answer
        self.probed = probed
        self.logprobs = logprobs
        self.delay = delay
        self.places = contextlib.nullcontext() if places is None else threading.Semaphore(places)
        self.requests = []
        self.probes = []
        self.peak = 0
        self.closing = threading.Event()
        self._under_way = 0
        self._lock = threading.Lock()
        self._server = _Server(("127.0.0.1", port), self.handler)
        self._server.owner = self
        self.url = f"http://127.0.0.1:{self._server.server_port}/v1"
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.02,), daemon=True)
        self._thread.start()

    @property
    def calls(self):
        """How many chat requests have arrived."""
        return len(self.requests)

    @contextlib.contextmanager
    def recorded(self, body, headers):
        """Count a request while it is under way."""
        with self._lock:
            request = Request(len(self.requests), body, headers)
            (self.probes if self.probed and is_probe(request) else self.requests).append(request)
            self._under_way += 1
            self.peak = max(self.peak, self._under_way)
        try:
            yield request
        finally:
            with self._lock:
                self._under_way -= 1

    def close(self):
        """Stop, ending what hangs and every open connection."""
        self.closing.set()
        self._server.shutdown()
        for connection in list(self._server.connections):
            with contextlib.suppress(OSError):
                connection.shutdown(socket.SHUT_RDWR)
        self._server.server_close()
        self._thread.join()

    def __enter__(self):
        return self

    def __exit__(self, *exc):
        self.close()


if __name__ == "__main__":
    with FakeServer() as fake:
        print(fake.url, flush=True)  # noqa: T201
        with contextlib.suppress(KeyboardInterrupt):
            sys.stdin.read()
