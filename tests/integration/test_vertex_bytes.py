"""What leaves for Vertex AI, whose library fetches a token first: here from a server on loopback, too."""

import json

import pytest
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import rsa
from provider_server import ProviderServer, texts

from factreasoner.judges import faaf
from factreasoner.llm.client import LiteLLMClient
from factreasoner.models import Claim
from factreasoner.models.messages import Prompt
from factreasoner.pipeline.config import Config

CLAIMS = [Claim("a", "Revenue fell by -3.5 %."), Claim("b", "Łódź lies 75 m² above it.")]
JUDGING = faaf.inquiry("tfn").build(CLAIMS)
ANSWER = {"fact_0": "True", "fact_1": "Not clear"}


@pytest.fixture
def server(tmp_path, monkeypatch):
    with ProviderServer(ANSWER) as running:
        key = rsa.generate_private_key(public_exponent=65537, key_size=2048)
        pem = key.private_bytes(
            serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
        )
        account = {
            "type": "service_account",
            "project_id": "project",
            "private_key_id": "1",
            "private_key": pem.decode(),
            "client_email": "nobody@project.test",
            "token_uri": f"{running.url}/token",
        }
        file = tmp_path / "account.json"
        file.write_text(json.dumps(account))
        monkeypatch.setenv("GOOGLE_APPLICATION_CREDENTIALS", str(file))
        monkeypatch.setenv("VERTEXAI_PROJECT", "project")
        monkeypatch.setenv("VERTEXAI_LOCATION", "us-central1")
        yield running


@pytest.mark.parametrize("form", ["tool", "json_schema", "json_object"])
def test_every_fact_leaves_once_and_nothing_of_ours_changes(form, server, tmp_path):
    """Gemini's: Claude's would need google-cloud-aiplatform, to be sent what Anthropic itself is sent."""
    before = JUDGING.model_dump_json()
    place = f"{server.url}/v1/projects/project/models/model"
    for _ in range(2):
        config = Config(
            model="vertex_ai/gemini-2.5-flash", api_base=place, form=form, cache_dir=tmp_path, patience=0.0
        )
        client = LiteLLMClient(config)
        reply = client.call(Prompt(name="p", system="You judge.", user="A passage.", shared=True), JUDGING)
        client.close()
        assert (reply.form, reply.arguments) == (form, ANSWER)
    (sent,) = server.requests
    assert JUDGING.model_dump_json() == before
    said = "\n".join(texts(sent.body))
    for text in (*(claim.text for claim in CLAIMS), "You judge.", "A passage."):
        assert text in said
    assert "cache" not in json.dumps(sent.body)
