"""An OTLP collector on loopback that decodes protobuf."""

import contextlib
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
