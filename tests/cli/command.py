"""The installed command in a process of its own, as a person runs it."""

import json
import os
import signal
import sys
from pathlib import Path

ATOMS = ["Marie Curie was born in Warsaw.", "Marie Curie was born in Paris.", "She liked tea."]
PASSAGES = ["Marie Curie was born in Warsaw in 1867.", "The Eiffel Tower stands in Paris."]


def environment(tmp_path, **extra):
    """No keys, and a cache of this test's own."""
    kept = {k: v for k, v in os.environ.items() if not k.endswith(("_API_KEY", "_PROXY", "_proxy"))}
    return kept | {"FACTREASONER_CACHE_DIR": str(tmp_path / "cache"), "COLUMNS": "200"} | extra


def on_path(folder):
    """A PATH on which `factreasoner` is this checkout, by a script in `folder`."""
    source = Path(__file__).parents[2] / "src"
    command = folder / "factreasoner"
    folder.mkdir()
    command.write_text(f'#!/bin/sh\nPYTHONPATH={source} exec {sys.executable} -m factreasoner "$@"\n')
    command.chmod(0o755)
    return f"{folder}:/usr/bin:/bin"


def model_flags(server):
    """A model at `server` that is asked by tool calls, and the run folder `out`."""
    return ("--model", "openai/fake", "--api-base", server.url, "--form", "tool", "--out", "out")


def heed_signals():
    """For a child process that is to be ended: whoever runs the tests may have signals ignored."""
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_DFL)


def record(record_id, *, atoms=None, contexts=None):
    """A record with atoms and contexts of its own wording, so that no two records share a call."""
    return {
        "id": record_id,
        "input": "Who was she?",
        "output": f"An answer about {record_id}.",
        "atoms": [
            {"id": f"a{i}", "text": f"{text} ({record_id})", "contexts": ["c0"]}
            for i, text in enumerate(ATOMS if atoms is None else atoms)
        ],
        "contexts": [
            {"id": f"c{i}", "text": f"{text} [{record_id}]"}
            for i, text in enumerate(PASSAGES if contexts is None else contexts)
        ],
    }


def write_records(path, *records):
    """A JSONL file."""
    path.write_text("".join(json.dumps(item) + "\n" for item in records), encoding="utf-8")
    return path


def results(folder):
    """The lines of a run's results."""
    return [json.loads(line) for line in (folder / "results.jsonl").read_text(encoding="utf-8").splitlines()]


def kept(folder):
    """The results in a run's journal, in its order."""
    lines = (folder / "journal.jsonl").read_text(encoding="utf-8").splitlines()
    return [json.loads(line)["result"] for line in lines]


def verdicts_in(folder):
    """All verdicts in the journal of a run with a graph."""
    return [verdict for result in kept(folder) for verdict in result["outcome"]["verdicts"]]


def summary_of(folder):
    """A run's summary."""
    return json.loads((folder / "summary.json").read_text(encoding="utf-8"))


def manifest_of(folder):
    """A run's manifest."""
    return json.loads((folder / "manifest.json").read_text(encoding="utf-8"))


def p_true(folder):
    """P of each atom of all records of a run: of atoms of one name, that of the last record."""
    return {m["variable"]: m["probabilities"][1] for line in results(folder) for m in line["marginals"]}


def printed(done):
    """The JSON that a command printed, and nothing else; no number in it is infinite or none."""
    assert "\x1b" not in done.stdout

    def refused(word):
        raise AssertionError(word)

    return json.loads(done.stdout, parse_constant=refused)
