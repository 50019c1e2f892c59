"""The tools as agents call them, by the SDK's own client: in memory, over standard streams, over HTTP."""

import os
import re
import signal
import socket
import subprocess
import sys
from pathlib import Path

import pytest
from fake_server import FakeServer
from loops import run_apart

from factreasoner import assess
from factreasoner.cli import execute
from factreasoner.errors import ConfigError
from factreasoner.judges import judged_by
from factreasoner.pipeline.config import Config

for package, extra in (("mcp", "mcp"), ("chromadb", "corpus")):
    pytest.importorskip(package, reason=f"{package} is not installed: pip install '.[{extra}]'")

from mcp import Client, StdioServerParameters

from factreasoner.corpus.indexing import index
from factreasoner.integrations.mcp_server import tools_of

PASSAGES = ["The tower was built in 1889.", "The tower is 330 metres high."]
ANSWER = "The tower is 330 metres high. The tower was built in 1898."
COMMAND = ("-m", "factreasoner", "mcp")
HELD = {"judge": "held_judge:HeldJudge"}


@pytest.fixture(scope="module")
def server():
    return tools_of(Config())


def called(target, name, arguments, **how):
    async def reply():
        async with Client(target, **how) as client:
            return await client.call_tool(name, arguments)

    return run_apart(reply())


def found(target, name="assess", *, mode="auto", **arguments):
    reply = called(target, name, arguments, mode=mode)
    assert not reply.is_error, reply.content
    return reply.structured_content


def refusal(target, name="assess", **arguments):
    reply = called(target, name, arguments)
    assert reply.is_error
    return reply.content[0].text


@pytest.mark.parametrize("mode", ["auto", "legacy"])
def test_the_worst_atom_comes_first_with_its_quote(server, mode):
    reply = found(server, output=ANSWER, contexts=PASSAGES, mode=mode)
    assert (reply["status"], reply["judged_by"], reply["num_atoms"]) == ("ok", judged_by(Config()), 2)
    assert (reply["factuality_score"], reply["precision"], reply["failures"]) == (0.5, 0.5, [])
    wrong, right = reply["atoms"]
    assert (wrong["label"], wrong["source"], wrong["quote"]) == ("contradicted", "1", PASSAGES[0])
    assert (right["label"], right["source"], right["quote"]) == ("supported", "2", PASSAGES[1])
    alone = assess(ANSWER, contexts=PASSAGES)
    assert right["p_true"] == pytest.approx(alone.p_true["a0"], abs=1e-12)


def test_agent_is_shown_unchecked_sentences(server):
    reply = found(server, output=f"{ANSWER} Is it old?", contexts=PASSAGES)
    assert reply["not_checked"] == "1 of 3 sentences not checked: 1 question"


def test_cited_sources_are_those_of_the_numbers(server):
    answer = "The tower is 330 metres high [2]. The tower was built in 1898 [1]."
    reply = found(server, "verify", output=answer, sources=PASSAGES)
    assert [(row["label"], row["source"]) for row in reply["atoms"]] == [
        ("contradicted", "1"),
        ("supported", "2"),
    ]
    assert (reply["citation_recall"], reply["corrected"]) == (0.5, "The tower is 330 metres high [2].")


def test_of_many_atoms_fifty_are_shown(server):
    reply = found(server, output=" ".join(f"The mill has {n} doors." for n in range(60)), contexts=PASSAGES)
    assert (reply["num_atoms"], len(reply["atoms"])) == (60, 50)


def test_tool_errors_reach_the_agent(server):
    assert "contexts[0].text: missing or blank" in refusal(server, output="It is tall.", contexts=[""])
    for absent in ({}, {"contexts": None}):
        told = refusal(server, output="It is tall.", **absent)
        assert told == "contexts: missing; assess takes output, contexts, input"
    unknown = refusal(server, output="It is tall.", context=["It is tall."])
    assert unknown == "context: assess takes no such argument; did you mean 'contexts'?"
    assert "contexts: is a string; it must be a list" in refusal(
        server, "verify", output="It is.", sources="x"
    )
    alone = tools_of(Config(version=1))
    assert "assess: atoms: no atom names" in refusal(alone, output="It is tall.", contexts=["It is."])
    slow = tools_of(Config(**HELD), seconds=0.1)
    assert "more than 0.1 s" in refusal(slow, output="It is tall.", contexts=["slow"])


def test_missing_contexts_use_the_retriever(tmp_path):
    (tmp_path / "tower.txt").write_text(PASSAGES[0])
    config = Config(retriever="corpus", store=tmp_path / "store")
    index([tmp_path / "tower.txt"], config, listener=lambda step: None)
    for given, label in (
        ({}, "contradicted"),
        ({"contexts": None}, "contradicted"),
        ({"contexts": []}, "unverified"),
    ):
        (row,) = found(tools_of(config), output="The tower was built in 1898.", **given)["atoms"]
        source = ("tower", PASSAGES[0]) if label == "contradicted" else (None, None)
        assert (row["label"], row["source"], row["quote"]) == (label, *source)


def test_judgements_that_fail_are_no_verdicts():
    reply = found(tools_of(Config(**HELD)), output="It is tall. It is old.", contexts=["partly"])
    assert (reply["status"], len(reply["failures"])) == ("partial", 1)
    assert {row["text"]: row["label"] for row in reply["atoms"]} == {
        "It is tall.": "supported",
        "It is old.": None,
    }
    reply = found(tools_of(Config(**HELD)), output="It is tall.", contexts=["fail"])
    assert (reply["status"], reply["factuality_score"]) == ("failed", None)


async def offered(server):
    async with Client(server) as client:
        return {tool.name: tool for tool in (await client.list_tools()).tools}


def test_tools_are_read_only_and_hint_network(server, tmp_path):
    tools = run_apart(offered(server))
    assert tools.keys() == {"assess", "verify"}
    assert {tool.annotations.read_only_hint for tool in tools.values()} == {True}
    assert {tool.annotations.open_world_hint for tool in tools.values()} == {False}
    assert set(tools["assess"].input_schema["properties"]) == {"output", "contexts", "input"}
    asking = tools_of(Config(model="openai/fake", api_base="http://127.0.0.1:9/v1", cache_dir=tmp_path))
    assert run_apart(offered(asking))["assess"].annotations.open_world_hint is True
    with pytest.raises(ConfigError, match="unknown judge"):
        tools_of(Config(judge="nobody"))


def test_server_works_over_standard_streams():
    """What parts print goes elsewhere: the stream is the protocol's."""
    paths = [str(Path(__file__).parent), *sys.path]
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(paths)}
    arguments = [*COMMAND, "--judge", "talking_judge:TalkingJudge"]
    started = StdioServerParameters(command=sys.executable, args=arguments, env=environment)
    assert found(started, output="It is tall.", contexts=["It is tall."])["precision"] == 1.0


@pytest.mark.parametrize("mode", ["auto", "legacy"])
def test_over_http_on_this_machine(mode):
    process = subprocess.Popen(
        [sys.executable, *COMMAND, "--http", "0"], stderr=subprocess.PIPE, text=True, env=os.environ.copy()
    )
    try:
        url = re.search(r"http://127\.0\.0\.1:\d+/mcp", process.stderr.readline())[0]
        assert found(url, output=ANSWER, contexts=PASSAGES, mode=mode)["precision"] == 0.5
        port = int(re.search(r":(\d+)/", url)[1])
        streaming = socket.create_connection(("127.0.0.1", port))  # for ever, as the protocol has it
        head = f"GET /mcp HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nAccept: text/event-stream\r\n\r\n"
        streaming.sendall(head.encode())
        assert b" 200 " in streaming.recv(100)
    finally:
        process.send_signal(signal.SIGTERM)
        assert process.wait(30) == 128 + signal.SIGTERM
        process.stderr.close()
        streaming.close()


def test_without_the_sdk_the_extra_is_named(monkeypatch, capsys):
    monkeypatch.setitem(sys.modules, "mcp.server", None)
    monkeypatch.delitem(sys.modules, "factreasoner.integrations.mcp_server")
    assert execute(["mcp"]) == 1
    assert "pip install '.[mcp]'" in capsys.readouterr().err


CALL = """
import litellm, mcp, sys
tool = {"type": "function", "function": {"name": "f", "parameters": {"type": "object", "properties": {}}}}
asked = {"messages": [{"role": "user", "content": "Call it."}], "tools": [tool]}
reply = litellm.completion(model="openai/fake", api_base=sys.argv[1], api_key="none", **asked)
print(reply.choices[0].message.tool_calls[0].function.name)
"""


def test_a_model_calls_tools_beside_this_sdk():
    """Some versions of litellm import the SDK's older form on any call with tools."""
    environment = os.environ | {"LITELLM_LOCAL_MODEL_COST_MAP": "True"}
    with FakeServer() as model:
        command = [sys.executable, "-c", CALL, model.url]
        done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    assert done.stdout == "f\n"
