"""`factreasoner run --assessor`: calls, labels and failures against a local server, and without a model."""

import pytest
from command import model_flags, results, summary_of
from fake_server import FakeServer, answering, minimal

from factreasoner.assessors.assessors import ASSESSORS

LABELS = {
    "factscore": {"Warsaw": "True", "Paris": "False", "tea": "False"},
    "veriscore": {"Warsaw": "Supported", "Paris": "Contradicted", "tea": "Inconclusive"},
    "factverify": {"Warsaw": "Supported", "Paris": "Contradicted", "tea": "Undecided"},
    "prompt-tf": {"Warsaw": "It is true.", "Paris": "That is false.", "tea": "The text is silent."},
}
UNIFORM = {"factscore": 2, "veriscore": 1, "factverify": 1, "prompt-tf": 1}


def good(name):
    def choose(argument, schema, request):
        if argument.count("_") > 1:
            return minimal(schema)
        return next(label for word, label in LABELS[name].items() if word in schema["description"])

    return answering(choose)


def run(factreasoner, server, data, name, *flags, **options):
    return factreasoner("run", data, *model_flags(server), "--assessor", name, *flags, **options)


def total_calls(done):
    return [int(row.split()[1]) for row in done.stdout.splitlines() if row.startswith("total")]


@pytest.mark.parametrize("size", [1, 32])
@pytest.mark.parametrize("name", ASSESSORS)
def test_calls_are_counted_planned_and_scored(factreasoner, tmp_path, two, name, size):
    with FakeServer(good(name)) as server:
        planned = run(factreasoner, server, two, name, "--atoms-per-call", size, "--dry-run")
        assert server.calls == 0
        code = 3 if name == "prompt-tf" else 0
        done = run(factreasoner, server, two, name, "--atoms-per-call", size, code=code)
        expected = 6 if size == 1 else 2
        assert total_calls(planned) == [expected]
        assert server.calls == expected
        run(factreasoner, server, two, name, "--atoms-per-call", size, code=code)
        assert server.calls == expected
    assert "answers" in done.stdout
    for line in results(tmp_path / "out"):
        unread = name == "prompt-tf"
        assert line["predictions"] == {"a0": "S", "a1": "NS"} | ({} if unread else {"a2": "NS"})
        assert line["unjudged_atoms"] == (["a2"] if unread else [])
        assert line["num_uniform_atoms"] == UNIFORM[name]
        assert line["solver"] is None
        assert line["assessor"] == name
    summary = summary_of(tmp_path / "out")
    assert sum(summary["answers"].values()) == (4 if name == "prompt-tf" else 6)
    assert summary["confidences"] == {"constant": sum(summary["answers"].values())}
    if name != "prompt-tf":
        assert summary["usage"]["total"]["calls"] == expected
        assert summary["usage"]["total"]["prompt_tokens"] > 0


@pytest.mark.parametrize("flags", [(), ("--dry-run",)])
def test_plain_prompt_requires_a_model(factreasoner, one, flags):
    done = factreasoner("run", one, "--assessor", "prompt-tf", "--out", "out", *flags, code=1)
    assert "--model" in done.stderr


def test_settings_unused_by_the_assessor_are_reported(factreasoner, one):
    done = factreasoner("run", one, "--out", "out", "--assessor", "factscore", "--version", 3)
    assert "--assessor factscore does not use --version 3." in done.stderr
    scored = factreasoner("score", "out", "--factors", "table1")
    assert "--assessor factscore does not use --factors." in scored.stderr


def test_length_penalty_is_shown_and_rescored(factreasoner, tmp_path, one):
    plain = factreasoner("run", one, "--out", "plain")
    assert "penalised_score" not in results(tmp_path / "plain")[0]
    assert "Pr · penalty" not in plain.stdout
    assert "Pr · penalty" in factreasoner("run", one, "--gamma", 10, "--out", "out").stdout
    (line,) = results(tmp_path / "out")
    assert line["penalised_score"] == pytest.approx(line["precision"] * 2.718281828 ** (1 - 10 / 3))
    factreasoner("score", "out", "--gamma", 3)
    (line,) = results(tmp_path / "out" / "rescored")
    assert line["penalised_score"] == line["precision"]


def test_assess_shows_the_reasons_of_the_model(factreasoner, tmp_path):
    (tmp_path / "c.txt").write_text("She was born in Warsaw in 1867.")
    flags = ("--context", "c.txt", "--atomizer", "rules", "--reviser", "none", "--assessor", "factverify")
    answer = answering(lambda name, schema, request: "It says\nso." if "reason" in name else "Supported")
    with FakeServer(answer) as server:
        model = ("--model", "openai/fake", "--api-base", server.url)
        done = factreasoner("assess", "She was born in Warsaw.", *flags, *model)
    assert 'the model\'s reasoning: "It says so."' in done.stdout
    assert "supported" in done.stdout
