"""A TCP server on loopback that answers each path with whatever bytes and manners a test asks for."""

import contextlib
import socketserver
import threading

import pytest


class Client:
    """The other end of one connection. `sent` is the request's head; `closing` is set at the end."""

    def __init__(self, request, sent, closing):
        self._request = request
        self.sent = sent
        self.closing = closing

    def write(self, data):
        self._request.sendall(data)

    def read(self):
        return bytes(self._request.recv(65536))

    def drip(self, piece, seconds=0.02):
        """Send `piece` again and again until the client leaves or the server closes."""
        with contextlib.suppress(OSError):
            while not self.closing.wait(seconds):
                self.write(piece)

    def hang(self):
        self.closing.wait(30)


class RawServer:
    """`paths[path]` is what is sent back: bytes as they are, or a function that talks to the client.

    `requests` holds the head of every request, in order. `tls` is the context of a server that speaks TLS.
    """

    def __init__(self, paths, *, greets=False, tls=None):
        self.paths = dict(paths)
        self.requests = []
        self.closing = threading.Event()
        outer = self

        class Handler(socketserver.BaseRequestHandler):
            def handle(self):
                self.request.settimeout(10)
                with contextlib.suppress(OSError), outer._talking(self.request, tls) as client:
                    sent = b"" if greets else outer._head(client)
                    outer.requests.append(sent)
                    words = sent.split(b" ")
                    path = words[1].decode("latin-1") if len(words) > 1 else "/"
                    behaviour = outer.paths[path]
                    if isinstance(behaviour, bytes):
                        client.sendall(behaviour)
                    else:
                        behaviour(Client(client, sent, outer.closing))

        class Server(socketserver.ThreadingTCPServer):
            daemon_threads = True
            allow_reuse_address = True

        self._server = Server(("127.0.0.1", 0), Handler)
        self.port = int(self._server.server_address[1])
        self.url = f"http://127.0.0.1:{self.port}"
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.02,), daemon=True)

    @staticmethod
    def _talking(request, tls):
        return tls.wrap_socket(request, server_side=True) if tls else contextlib.nullcontext(request)

    @staticmethod
    def _head(request):
        sent = b""
        while b"\r\n\r\n" not in sent:
            piece = request.recv(65536)
            if not piece:
                break
            sent += piece
        return bytes(sent)

    def __enter__(self):
        self._thread.start()
        return self

    def __exit__(self, *_):
        self.closing.set()
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()


def reply(
    body=b"<html><body><p>Hello.</p></body></html>",
    *,
    status=200,
    content_type="text/html; charset=utf-8",
    length=None,
    **headers,
):
    """A whole HTTP reply; `length` lies about the body's, header names take _ for -."""
    lines = [f"HTTP/1.1 {status} X", f"Content-Length: {len(body) if length is None else length}"]
    if content_type is not None:
        lines.append(f"Content-Type: {content_type}")
    lines += [f"{name.replace('_', '-')}: {value}" for name, value in headers.items()]
    return "\r\n".join(lines).encode("latin-1") + b"\r\n\r\n" + body


def redirect(location, status=302):
    return reply(b"", status=status, Location=location)


@contextlib.contextmanager
def refused(error, reason):
    """What is fetched inside is refused with that error, for that reason."""
    with pytest.raises(error) as caught:
        yield
    assert caught.value.reason == reason
