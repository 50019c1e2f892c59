"""Backends of scores on loopback: an OTLP collector that decodes protobuf, stand-ins of Langfuse and Phoenix.

Langfuse's replies to arrays: 202 {"message": "Accepted"}, or 207 {"accepted", "rejected", "errors"}. Phoenix,
asked with sync=true, answers 404 with the names of spans that it does not know, and then takes nothing.
"""

import base64
import contextlib
import json
from urllib.parse import urlencode

from json_server import Answer, JsonServer


class Receiver:
    """`statuses` are answered first, one a request (0: as ever); `kept` is what was taken, by its key."""

    def __init__(self):
        self.statuses = []
        self.kept = {}
        self.requests = []
        self.url = ""

    def answer(self, path, headers, body):
        self.requests.append((path, headers, len(body)))
        status = self.statuses.pop(0) if self.statuses else 0
        return (status, b"busy") if status else self.take(path, headers, body)

    def take(self, path, headers, body):
        raise NotImplementedError


class Collector(Receiver):
    """Keeps every log record by its number."""

    def take(self, path, headers, body):
        from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import (
            ExportLogsServiceRequest,
            ExportLogsServiceResponse,
        )

        assert (path, headers["content-type"]) == ("/v1/logs", "application/x-protobuf")
        for resource in ExportLogsServiceRequest.FromString(body).resource_logs:
            for scope in resource.scope_logs:
                for record in scope.log_records:
                    self.kept[len(self.kept)] = record
        return 200, ExportLogsServiceResponse().SerializeToString()


class LangfuseServer(Receiver):
    """Refuses scores of the trace "unwanted"; the keys are pk and sk."""

    def take(self, path, headers, body):
        if headers["authorization"] != "Basic " + base64.b64encode(b"pk:sk").decode():
            return 401, b"no such key"
        if len(body) > 1_000_000:
            return 413, b"too large"
        assert path == "/api/public/scores"
        scores = json.loads(body)
        errors = [{"id": s["id"], "message": "unwanted"} for s in scores if s["traceId"] == "unwanted"]
        self.kept |= {score["id"]: score for score in scores if score["traceId"] != "unwanted"}
        if not errors:
            return 202, b'{"message": "Accepted"}'
        counts = {"accepted": len(scores) - len(errors), "rejected": len(errors), "errors": errors}
        return 207, json.dumps(counts).encode()


class PhoenixServer(Receiver):
    """Knows all spans but those that begin with f."""

    def take(self, path, headers, body):
        assert path == "/v1/span_annotations?sync=true"
        data = json.loads(body)["data"]
        missing = {item["span_id"] for item in data if item["span_id"].startswith("f")}
        if missing:
            return 404, f"Spans with IDs {', '.join(missing)} do not exist.".encode()
        self.kept |= {(item["name"], item["span_id"], item["identifier"]): item for item in data}
        return 200, json.dumps({"data": [{"id": str(n)} for n in range(len(data))]}).encode()


@contextlib.contextmanager
def received(receiver):
    """The receiver while it listens, at its `url`."""

    def answer(request):
        query = f"?{urlencode(request.params)}" if request.params else ""
        status, body = receiver.answer(request.path + query, request.headers, request.raw)
        return Answer(body, status, {"content-type": "application/x-protobuf"})

    with JsonServer(answer) as server:
        receiver.url = server.url
        yield receiver
