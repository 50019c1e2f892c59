"""Batches answered as OpenAI's Batch API and `vllm run-batch` do it, well or badly.

::

    answer_file(folder / "1.requests.jsonl", folder / "1.results.jsonl", answering(...))   # vllm run-batch
    with BatchServer(answering(...)) as server:        # /v1/files and /v1/batches beside /v1/chat/completions
        ...
        server.states = ["validating", "in_progress", "expired"]      # one a look; the last one stays
        server.share = 0.5                                             # of the requests that are answered
"""

import email
import email.policy
import json
import urllib.parse
from typing import Any, ClassVar

from fake_server import (
    Completion,
    FakeServer,
    Handler,
    Misbehaviour,
    Request,
    completion_body,
    error,
    obliging,
)

Line = dict[str, Any]


def result_of(line, answer, number=0, *, logprobs=False):
    """The result of one request: a completion, or an error with its status, as OpenAI has it."""
    request = Request(number, line["body"], {})
    answered = answer(request)
    if isinstance(answered, Misbehaviour):
        body, status = json.loads(answered.body), answered.status
    else:
        completion = answered if isinstance(answered, Completion) else Completion(arguments=answered)
        body, status = completion_body(request, completion, logprobs=logprobs), 200
    response = {"status_code": status, "request_id": f"req-{number}", "body": body}
    return {"id": f"batch_req_{number}", "custom_id": line["custom_id"], "response": response, "error": None}


def as_vllm(result):
    """A result as `vllm run-batch` has it: of an error no body, but the error beside the response."""
    response = result["response"]
    if response["status_code"] == 200:
        return result
    wrong = response["body"]["error"]
    return {
        **result,
        "response": {"status_code": response["status_code"], "request_id": "vllm-batch-1", "body": None},
        "error": {"error": {**wrong, "code": response["status_code"]}},
    }


def read_lines(path):
    """The lines of a file of requests or results."""
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def answer_file(requests, results, answer=obliging, *, change=list, logprobs=False):
    """Answer a file of requests; `change` does to the lines of results what is to go wrong with them."""
    asked = read_lines(requests)
    found = [as_vllm(result_of(line, answer, n, logprobs=logprobs)) for n, line in enumerate(asked)]
    lines = (line if isinstance(line, str) else json.dumps(line) for line in change(found))
    results.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    return asked


class _Handler(Handler):
    def do_POST(self):  # noqa: N802 - http.server names it
        """Answer a chat request, take a file, or make a batch."""
        if self.path.endswith("/chat/completions"):
            super().do_POST()
            return
        raw = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        owner = self.batches
        if self.path.endswith("/files"):
            self._answer(owner.take(self.headers["Content-Type"], raw))
        elif self.path.endswith("/batches"):
            self._answer(owner.make(json.loads(raw)))

    def do_GET(self):  # noqa: N802 - likewise
        """Tell of a batch, of all, or hand out a file."""
        owner = self.batches
        name = self.path.partition("?")[0].split("/")
        if name[-1] == "content":
            self.send(200, {"Content-Type": "application/octet-stream"}, owner.files[name[-2]])
        elif name[-1] == "batches":
            self._answer(owner.page(self.path.partition("?")[2]))
        elif name[-2] == "batches":
            self._answer(owner.look(name[-1]))
        else:
            super().do_GET()

    @property
    def batches(self):
        owner = self.server.owner
        assert isinstance(owner, BatchServer)
        return owner

    def _answer(self, answer):
        if isinstance(answer, Misbehaviour):
            self.misbehave(answer)
        else:
            self.send(200, {"Content-Type": "application/json"}, json.dumps(answer).encode())


class BatchServer(FakeServer):
    """A server with Files and Batches.

    `troubles` are answered first, one a request, in the place of a look, `refusals` in the place of a batch
    that is to be made, and `unheard` in the place of one that was.
    `files` and `batches` hold what there is by id, each made at `clock`; `answered` counts the requests of
    batches by custom_id, `pages` the lists of batches that were asked for.
    """

    handler: ClassVar[type[Handler]] = _Handler

    def __init__(self, answer=obliging, *, logprobs=False):
        self.states = ["validating", "in_progress", "finalizing", "completed"]
        self.share = 1.0
        self.troubles = []
        self.refusals = []
        self.unheard = []
        self.files = {}
        self.batches = {}
        self.answered = []
        self.looks = {}
        self.clock = 1_700_000_000
        self.pages = 0
        super().__init__(answer, logprobs=logprobs)

    def take(self, kind, raw):
        """Keep an uploaded file."""
        head = f"Content-Type: {kind}\r\n\r\n".encode()
        parts = email.message_from_bytes(head + raw, policy=email.policy.HTTP).iter_parts()
        (content,) = [p.get_payload(decode=True) for p in parts if p.get_filename()]
        return self._file(content)

    def make(self, wanted):
        """Begin a batch."""
        if self.refusals:
            return self.refusals.pop(0)
        if wanted["input_file_id"] not in self.files:
            return error(400, "no such file")
        batch = {
            "id": f"batch_{len(self.batches)}",
            "object": "batch",
            "endpoint": wanted["endpoint"],
            "input_file_id": wanted["input_file_id"],
            "completion_window": wanted["completion_window"],
            "created_at": self.clock,
            "status": "validating",
            "request_counts": {"total": 0, "completed": 0, "failed": 0},
        }
        self.batches[batch["id"]] = batch
        return self.unheard.pop(0) if self.unheard else batch

    def page(self, query):
        """Some of the batches, the newest first, after the one that `query` names."""
        self.pages += 1
        asked = urllib.parse.parse_qs(query)
        ids = list(reversed(self.batches))
        begin = ids.index(asked["after"][0]) + 1 if "after" in asked else 0
        end = begin + int(asked["limit"][0])
        found = [self.batches[batch_id] for batch_id in ids[begin:end]]
        return {"object": "list", "data": found, "has_more": end < len(ids)}

    def look(self, batch_id):
        """The batch, one state further on than at the last look."""
        if self.troubles:
            return self.troubles.pop(0)
        batch, looks = self.batches[batch_id], self.looks.get(batch_id, 0)
        self.looks[batch_id] = looks + 1
        batch["status"] = self.states[min(looks, len(self.states) - 1)]
        if batch["status"] == "failed":
            wrong = {"code": "token_limit_exceeded", "message": "Enqueued token limit reached", "line": None}
            batch["errors"] = {"object": "list", "data": [wrong]}
        elif batch["status"] in ("completed", "expired", "cancelled") and "output_file_id" not in batch:
            self._end(batch)
        return batch

    def _end(self, batch):
        asked = [json.loads(line) for line in self.files[batch["input_file_id"]].splitlines()]
        done = asked[: round(self.share * len(asked))]
        self.answered += [line["custom_id"] for line in done]
        found = [result_of(line, self.answer, n, logprobs=self.logprobs) for n, line in enumerate(done)]
        good = [line for line in found if line["response"]["status_code"] == 200]
        bad = [line for line in found if line not in good]
        if batch["status"] == "expired":
            wrong = {"code": "batch_expired", "message": "This request could not be executed in time."}
            left = [line["custom_id"] for line in asked[len(done) :]]
            bad += [{"id": f"x-{i}", "custom_id": i, "response": None, "error": wrong} for i in left]
        for name, lines in (("output_file_id", good), ("error_file_id", bad)):
            content = "".join(f"{json.dumps(line)}\n" for line in lines).encode()
            batch[name] = self._file(content)["id"] if lines else None
        counts = {"total": len(asked), "completed": len(good), "failed": len(bad)}
        batch["request_counts"] = counts

    def _file(self, content):
        file_id = f"file-{len(self.files)}"
        self.files[file_id] = content
        return {
            "id": file_id,
            "object": "file",
            "bytes": len(content),
            "created_at": self.clock,
            "filename": "requests.jsonl",
            "purpose": "batch",
            "status": "processed",
        }
