"""A model on loopback that says what the request's `user` message says, at once or as a stream of words."""

import json
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


class SpeakingModel(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self):
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        said = next(message["content"] for message in asked["messages"] if message["role"] == "user")
        stream = asked.get("stream", False)
        whole = {"id": "c1", "created": 1, "model": "m", "object": "chat.completion"}
        if not stream:
            message = {"role": "assistant", "content": said}
            usage = {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}
            choice = {"index": 0, "message": message, "finish_reason": "stop"}
            self._reply(
                "application/json", json.dumps(whole | {"choices": [choice], "usage": usage}).encode()
            )
            return
        deltas = [({"role": "assistant"}, None)]
        deltas += [({"content": f"{word} "}, None) for word in said.split()] + [({}, "stop")]
        chunks = [
            whole
            | {"object": "chat.completion.chunk", "choices": [{"index": 0, "delta": d, "finish_reason": end}]}
            for d, end in deltas
        ]
        lines = "".join(f"data: {json.dumps(chunk)}\n\n" for chunk in chunks) + "data: [DONE]\n\n"
        self._reply("text/event-stream", lines.encode())

    def _reply(self, kind, body):
        self.send_response(200)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format, *args):
        pass


def speaking_model():
    """A server that is yet to be served."""
    return ThreadingHTTPServer(("127.0.0.1", 0), SpeakingModel)
