"""Fetching over TLS: the certificate is that of the host, though the connection goes to a checked address."""

import shutil
import ssl
import subprocess

import pytest
from raw_server import RawServer, refused, reply

from factreasoner.errors import UnreadablePageError
from factreasoner.pipeline.config import Config
from factreasoner.web.connection import tls_context
from factreasoner.web.fetch import Fetcher

pytestmark = pytest.mark.skipif(shutil.which("openssl") is None, reason="needs openssl to make a certificate")


@pytest.fixture(autouse=True)
def _no_cached_certificates():
    tls_context.cache_clear()
    yield
    tls_context.cache_clear()


@pytest.fixture(scope="module")
def certificate(tmp_path_factory):
    folder = tmp_path_factory.mktemp("tls")
    key, certificate = folder / "key.pem", folder / "cert.pem"
    command = (
        "openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2 -subj /CN=site.example"
    )
    subprocess.run(
        [*command.split(), "-addext", "subjectAltName=DNS:site.example", "-keyout", key, "-out", certificate],
        check=True,
        capture_output=True,
    )
    return certificate, key


@pytest.fixture
def port(certificate):
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(*certificate)
    with RawServer({"/": reply(b"<html>secret</html>")}, tls=context) as server:
        yield server.port


def fetch(url):
    config = Config(allow_private_hosts=True)
    return Fetcher(config, resolver=lambda host, port: ["127.0.0.1"]).fetch(url).data


def test_a_page_of_the_certified_host_is_fetched(port, certificate, monkeypatch):
    monkeypatch.setenv("SSL_CERT_FILE", str(certificate[0]))
    assert fetch(f"https://site.example:{port}/") == b"<html>secret</html>"
    assert fetch(f"https://site.example.:{port}/") == b"<html>secret</html>"


@pytest.mark.parametrize("host", ["other.example", "127.0.0.1"])
def test_a_certificate_of_another_host_is_refused(port, certificate, monkeypatch, host):
    monkeypatch.setenv("SSL_CERT_FILE", str(certificate[0]))
    with refused(UnreadablePageError, "connection"):
        fetch(f"https://{host}:{port}/")


def test_untrusted_certificate_is_refused(port):
    with refused(UnreadablePageError, "connection"):
        fetch(f"https://site.example:{port}/")
