"""Runs whose calls are answered in batches by whoever runs the command: files of requests and of results."""

import hashlib
import json
import signal
import time

import pytest
from batch_server import answer_file, read_lines
from command import environment, kept, record, results, summary_of, write_records
from fake_server import Completion, FakeServer, cut, error, prose, rate_limited
from fenced import fenced
from test_run_with_model import GOOD, good

from factreasoner.llm.batches import folder

FLAGS = ("--model", "openai/gpt-4o-mini", "--form", "tool")
FILES = (*FLAGS, "--batch", "files", "--out", "out")


def said(request):
    """What a model says that reads its whole prompt, whatever a task asks."""
    arguments = {}
    for name, prop in request.properties.items():
        about = prop.get("description", "")
        about = " ".join(fenced(about, "fact") + fenced(about, "statement")) or about
        if name == "statements":
            arguments[name] = fenced(request.text, "parts")[-1].splitlines()
        elif "enum" in prop:
            drawn = hashlib.sha256(f"{about} {name}".encode()).digest()[0]
            arguments[name] = prop["enum"][drawn % len(prop["enum"])]
        else:
            arguments[name] = about if name.startswith("atom_") else "The harbour opened in 1932 [1]."
    return arguments


def scored(folder):
    """Results without what they took."""
    lines = results(folder)
    for line in lines:
        del line["usage"], line["elapsed_seconds"]
    return lines


def judged(folder):
    """Every verdict with its probability, by record."""
    return {found["record_id"]: found.get("outcome") or found["verdicts"] for found in kept(folder)}


def in_any_order(bodies):
    return sorted(json.dumps(body, sort_keys=True) for body in bodies)


def rounds(factreasoner, folder, answer, *command, code=0, **options):
    """The command again and again, each batch answered: how it ended, and each round's requests."""
    asked = []
    batches = folder / "batches"
    for _ in range(20):
        done = factreasoner(*command, code=None)
        if done.returncode != 5:
            assert done.returncode == code, done.stderr
            return done, asked
        asked.append([])
        for requests in sorted(batches.glob("*.requests.jsonl")):
            answers = batches / requests.name.replace("requests", "results")
            if not answers.exists():
                assert str(answers.name) in done.stderr or str(requests.name) in done.stderr
                asked[-1] += answer_file(requests, answers, answer, **options)
    raise AssertionError("it never ends")


TEXT = "The Harbour Museum opened in 1930 [1]. It shows ships and maps [1]. Entry is free."
CITED = {"output": TEXT, "contexts": ["It opened in 1932.", "It shows ships."]}
OF_TASKS = {
    "run": CITED,
    "recall": {"output": TEXT, "reference": "The Harbour Museum opened in 1932. It shows ships."},
    "rag": CITED | {"reference": "It opened in 1932."},
    "verify": CITED,
}


@pytest.mark.parametrize("task", OF_TASKS)
def test_batch_results_equal_direct_calls(factreasoner, tmp_path, task):
    lines = ({"id": f"r{i}", "input": f"Question {i}?", **OF_TASKS[task]} for i in range(2))
    data = write_records(tmp_path / "d.jsonl", *lines)
    with FakeServer(said, logprobs=True) as server:
        factreasoner(task, data, *FLAGS, "--api-base", server.url, "--out", "direct", "--no-cache")
    _, asked = rounds(factreasoner, tmp_path / "out", said, task, data, *FILES, logprobs=True)
    assert scored(tmp_path / "out") == scored(tmp_path / "direct")
    assert judged(tmp_path / "out") == judged(tmp_path / "direct")
    assert len(asked) <= 18


def test_requests_are_those_of_direct_calls(factreasoner, tmp_path, two):
    with FakeServer(good, logprobs=True) as server:
        factreasoner("run", two, *FLAGS, "--api-base", server.url, "--out", "direct", "--no-cache")
        sent = [request.body for request in server.requests]
    _, (asked,) = rounds(factreasoner, tmp_path / "out", good, "run", two, *FILES, logprobs=True)
    assert in_any_order(line["body"] for line in asked) == in_any_order(sent)
    assert judged(tmp_path / "out") == judged(tmp_path / "direct")
    journal = (tmp_path / "out" / "journal.jsonl").read_bytes()
    factreasoner("run", two, *FILES)
    assert (tmp_path / "out" / "journal.jsonl").read_bytes() == journal


def test_round_batches_all_possible_requests(factreasoner, tmp_path):
    """All records, all passages and all votes of each go into one batch; the end says how to go on."""
    data = write_records(tmp_path / "d.jsonl", *(record(f"r{i}") for i in range(3)))
    flags = (*FILES, "--confidence", "votes", "--concurrency", 2, "--atoms-per-call", 2)
    done = factreasoner("run", data, *flags, code=5)
    assert "0 of 3 records are assessed" in done.stderr
    assert "run the same command again" in done.stderr
    assert "vllm run-batch -i out/batches/1.requests.jsonl -o out/batches/1.results.jsonl" in done.stderr
    lines = read_lines(tmp_path / "out" / "batches" / "1.requests.jsonl")
    assert len(lines) == len({line["custom_id"] for line in lines}) == 3 * 2 * 2 * 5
    assert all(len(line["custom_id"]) <= 64 for line in lines)
    assert {(line["method"], line["url"]) for line in lines} == {("POST", "/v1/chat/completions")}
    assert {line["body"]["model"] for line in lines} == {"gpt-4o-mini"}
    factreasoner("run", data, *flags, code=5)
    assert [p.name for p in (tmp_path / "out" / "batches").glob("*.requests.jsonl")] == ["1.requests.jsonl"]
    assert not (tmp_path / "out" / "batches" / ".draft0.tmp").exists()


def test_large_round_is_split_into_batches(factreasoner, tmp_path, monkeypatch):
    monkeypatch.setattr(folder, "MOST_REQUESTS", 3)
    data = write_records(tmp_path / "d.jsonl", *(record(f"r{i}") for i in range(4)))
    batches = tmp_path / "out" / "batches"
    factreasoner("run", data, *FILES, code=5)
    sizes = [len(read_lines(batches / f"{number}.requests.jsonl")) for number in (1, 2, 3)]
    assert sizes == [3, 3, 2]
    for number in (2, 3, 1):
        answer_file(batches / f"{number}.requests.jsonl", batches / f"{number}.results.jsonl", good)
        done = factreasoner("run", data, *FILES, code=5 if number != 1 else 0)
        assert ("1.requests.jsonl: 3 to" in done.stderr) == (number != 1)
        assert "3.requests.jsonl: 2 to" not in done.stderr or number == 2
    assert [line["predictions"] for line in results(tmp_path / "out")] == [GOOD] * 4
    assert len(list(batches.glob("*.requests.jsonl"))) == 3


def test_each_ensemble_judge_has_its_own_batch(factreasoner, tmp_path, one):
    flags = ("--model", "openai/a", "--model", "openai/b", "--model", "openai/c", "--batch", "files")
    _, asked = rounds(factreasoner, tmp_path / "out", good, "run", one, *flags, "--out", "out")
    assert [len(lines) for lines in asked] == [6]
    for number in (1, 2, 3):
        lines = read_lines(tmp_path / "out" / "batches" / f"{number}.requests.jsonl")
        assert len({line["body"]["model"] for line in lines}) == 1
    assert results(tmp_path / "out")[0]["predictions"] == GOOD


def failing(status, message="Try again later", code="x"):
    """A result that is an error, as vLLM has it."""
    return lambda line: {
        **line,
        "response": {"status_code": status, "request_id": "r", "body": None},
        "error": {"message": message, "code": code},
    }


def expired(line):
    wrong = {"code": "batch_expired", "message": "This request could not be executed before the window."}
    return {**line, "response": None, "error": wrong}


def first(change):
    """That done to the first line."""
    return lambda lines: [change(lines[0]), *lines[1:]]


STRANGE = {
    "rate limited": first(failing(429)),
    "expired": first(expired),
    "missing": lambda lines: lines[1:],
    "cut": lambda lines: [*lines[1:], json.dumps(lines[0])[:-9]],
    "deep": first(lambda line: "[" * 100_000),
}
"""What befalls one line of the first results, after which its request is made again."""


@pytest.mark.parametrize("change", STRANGE.values(), ids=STRANGE.keys())
def test_transient_result_errors_are_retried(factreasoner, tmp_path, two, change):
    batches = tmp_path / "out" / "batches"
    factreasoner("run", two, *FILES, code=5)
    asked = answer_file(batches / "1.requests.jsonl", batches / "1.results.jsonl", good, change=change)
    assert "3 of 4 requests answered" in factreasoner("run", two, *FILES, code=5).stderr
    assert [line["predictions"] for line in results(tmp_path / "out")] == [GOOD]  # the other waits
    (again,) = answer_file(batches / "2.requests.jsonl", batches / "2.results.jsonl", good)
    assert again["body"] in [line["body"] for line in asked]
    factreasoner("run", two, *FILES)
    assert [line["predictions"] for line in results(tmp_path / "out")] == [GOOD, GOOD]


def test_repeated_and_foreign_lines_change_nothing(factreasoner, tmp_path, two):
    def doubled(lines):
        late = {**lines[0]["response"], "body": {"choices": []}}
        nobody = {**lines[1], "custom_id": "nobody-0"}
        return [failing(500)(lines[0]), *lines, "", nobody, lines[2], {**lines[0], "response": late}]

    done, asked = rounds(factreasoner, tmp_path / "out", good, "run", two, *FILES, change=doubled)
    assert len(asked) == 1
    told = "4 of 4 requests answered; 3 lines repeated, ignored; 1 line without a request, ignored"
    assert told in done.stderr
    assert [line["predictions"] for line in results(tmp_path / "out")] == [GOOD, GOOD]


def test_lasting_errors_are_failures_and_retried_next(factreasoner, tmp_path, two):
    command = ("run", two, *FILES, "--max-attempts", 3)
    worst = {
        "change": lambda lines: [failing(503)(line) if "[r1]" in wants(line) else line for line in lines]
    }
    folder = tmp_path / "out"

    def wants(line):
        requests = (p.read_text().splitlines() for p in (folder / "batches").glob("*.requests.jsonl"))
        return next(text for lines in requests for text in lines if line["custom_id"] in text)

    _, asked = rounds(factreasoner, folder, good, *command, **worst, code=3)
    assert [len(lines) for lines in asked] == [4, 2, 2]
    bad, fine = results(folder)
    assert (bad["status"], fine["status"]) == ("failed", "ok")
    assert {f["message"] for f in bad["failures"]} == {"status 503: x: Try again later"}
    _, asked = rounds(factreasoner, folder, good, *command)
    assert [len(lines) for lines in asked] == [2]
    assert [line["predictions"] for line in results(folder)] == [GOOD, GOOD]


@pytest.mark.parametrize("status", [401, 404])
def test_user_fixable_errors_are_retried_next(factreasoner, tmp_path, one, status):
    wrong = error(status, "The model `gpt-4o-mini` does not exist" if status == 404 else "Incorrect API key")
    _, asked = rounds(factreasoner, tmp_path / "out", lambda request: wrong, "run", one, *FILES, code=3)
    assert len(asked) == 1
    _, asked = rounds(factreasoner, tmp_path / "out", good, "run", one, *FILES)


class Once:
    """Answers the first requests badly, and the rest well."""

    def __init__(self, bad, times=1):
        self.bad, self.times = bad, times

    def __call__(self, request):
        self.times -= 1
        return self.bad if self.times >= 0 else good(request)


BAD_REPLIES = {
    "prose": prose(),
    "empty": Completion(arguments={}, body={"choices": []}),
    "some facts alone": {"fact_0": "True"},
    "a parameter refused": error(400, "Unsupported parameter: 'logprobs' is not supported"),
    "rate limits": rate_limited(),
}


@pytest.mark.parametrize("bad", BAD_REPLIES.values(), ids=BAD_REPLIES.keys())
def test_bad_batch_replies_are_retried(factreasoner, tmp_path, one, bad):
    _, asked = rounds(factreasoner, tmp_path / "out", Once(bad), "run", one, *FILES)
    assert len(asked) == 2
    assert results(tmp_path / "out")[0]["predictions"] == GOOD
    requests = sum(map(len, asked))
    assert results(tmp_path / "out")[0]["usage"]["calls"] <= requests


def test_cut_batch_reply_is_requested_longer(factreasoner, tmp_path, one):
    def brief(request):
        return cut() if request.body["max_tokens"] < 300 else good(request)

    rounds(factreasoner, tmp_path / "out", brief, "run", one, *FILES)
    assert results(tmp_path / "out")[0]["predictions"] == GOOD


@pytest.mark.parametrize(
    ("model", "kept"),
    [
        ("openai/gpt-5-mini", {"max_completion_tokens": 172}),
        ("Qwen/Qwen2.5-7B", {"max_tokens": 172, "temperature": 0.0, "logprobs": True, "top_logprobs": 5}),
    ],
)
def test_requests_are_in_the_words_of_their_model(factreasoner, tmp_path, one, model, kept):
    """What litellm knows that a model refuses is left out at once; a model it does not know gets all."""
    command = ("run", one, "--model", model, "--batch", "files", "--out", "out", "--model-param", "top_k=3")
    factreasoner(*command, code=5)
    body = read_lines(tmp_path / "out" / "batches" / "1.requests.jsonl")[0]["body"]
    assert body["model"] == model.removeprefix("openai/")
    asked = {"model", "messages", "tools", "tool_choice"}
    assert {key: value for key, value in body.items() if key not in asked} == kept | {"top_k": 3}


def test_results_of_another_file_are_refused(factreasoner, tmp_path, one):
    batches = tmp_path / "out" / "batches"
    factreasoner("run", one, *FILES, code=5)
    for content in ("", '{"custom_id": "nobody-0", "response": null}\n', "<html>"):
        (batches / "1.results.jsonl").write_text(content)
        assert "1.results.jsonl: has no result" in factreasoner("run", one, *FILES, code=1).stderr
    answer_file(batches / "1.requests.jsonl", batches / "1.results.jsonl", good)
    factreasoner("run", one, *FILES)


def test_batch_price_is_counted_once(factreasoner, tmp_path, two):
    dry = factreasoner("run", two, *FLAGS, "--dry-run")
    half = factreasoner("run", two, *FILES, "--dry-run")
    full_price, half_price = (
        float(next(row for row in done.stdout.splitlines() if row.startswith("total")).split("$")[1])
        for done in (dry, half)
    )
    assert half_price == pytest.approx(full_price / 2, abs=1e-4)
    with FakeServer(good) as server:
        factreasoner("run", two, *FLAGS, "--api-base", server.url, "--out", "direct")
    flags = (*FILES, "--no-cache")
    rounds(factreasoner, tmp_path / "out", Once(rate_limited()), "run", two, *flags)
    direct, batched = (summary_of(tmp_path / name)["usage"] for name in ("direct", "out"))
    assert batched["total"]["calls"] == 4
    assert batched["total"]["cost"] == pytest.approx(direct["total"]["cost"] / 2, rel=0.05)
    assert batched["spent"] == pytest.approx(batched["total"]["cost"])


def test_results_read_during_copy_are_complete(factreasoner, tmp_path, two):
    """And a mark at the file's beginning, and a copy beside it, are no harm."""
    factreasoner("run", two, *FILES, code=5)
    batches = tmp_path / "out" / "batches"
    answers = batches / "1.results.jsonl"
    answer_file(batches / "1.requests.jsonl", answers, good)
    whole = b"\xef\xbb\xbf" + answers.read_bytes()
    answers.write_bytes(whole[: len(whole) // 3])
    (batches / "copy.requests.jsonl").write_bytes((batches / "1.requests.jsonl").read_bytes())
    assert "1 of 4 requests answered" in factreasoner("run", two, *FILES, code=5).stderr
    answers.write_bytes(whole)
    assert "4 of 4 requests answered" in factreasoner("run", two, *FILES).stderr
    told = json.loads((batches / "1.batch.json").read_text())
    assert (told["answered"], told["usage"]["calls"]) == (4, 4)


def test_direct_calls_skip_answered_batch_requests(factreasoner, tmp_path, two):
    """Of four requests three are answered, and the command goes on without batches."""
    with FakeServer(good, logprobs=True) as server:
        flags = (*FLAGS, "--api-base", server.url, "--out", "out")
        factreasoner("run", two, *flags, "--batch", "files", code=5)
        batches = tmp_path / "out" / "batches"
        requests, answers = batches / "1.requests.jsonl", batches / "1.results.jsonl"
        answer_file(requests, answers, good, change=STRANGE["missing"], logprobs=True)
        assert "3 of 4 requests answered" in factreasoner("run", two, *flags).stderr
        assert server.calls == 1
    assert [line["predictions"] for line in results(tmp_path / "out")] == [GOOD, GOOD]
    usage = summary_of(tmp_path / "out")["usage"]
    told = json.loads((batches / "1.batch.json").read_text())["usage"]
    assert (usage["total"]["calls"], usage["total"]["cached_calls"], told["calls"]) == (3, 1, 3)
    assert usage["spent"] > told["cost"] > 0
    assert (batches / "closed.txt").read_text() == "1\n"


def test_direct_calls_name_batches_made_needless(factreasoner, tmp_path, one):
    with FakeServer(good) as server:
        flags = (*FLAGS, "--api-base", server.url, "--out", "out")
        factreasoner("run", one, *flags, "--batch", "files", code=5)
        done = factreasoner("run", one, *flags)
        assert server.calls == 2
    assert "1.requests.jsonl: it has no results; its requests are now made directly" in done.stderr
    assert len(list((tmp_path / "out" / "batches").glob("*.requests.jsonl"))) == 1


def test_too_expensive_batch_is_not_written(factreasoner, tmp_path, two):
    flags = (*FILES, "--max-tokens", 64)
    done = factreasoner("run", two, *flags, "--max-cost", 0.0001, code=3)
    assert "max_cost 0.0001: $0.0000 are spent, and a batch with the next 4 requests could" in done.stderr
    assert "--max-cost" in done.stderr
    assert list((tmp_path / "out" / "batches").iterdir()) == []
    factreasoner("run", two, *flags, "--max-cost", 0.01, code=5)
    unknown = ("--model", "openai/nobody-knows", "--batch", "files", "--out", "other", "--max-cost", 1)
    assert "price" in factreasoner("run", two, *unknown, code=1).stderr


def test_changed_settings_are_refused_during_a_batch(factreasoner, tmp_path, one):
    factreasoner("run", one, *FILES, code=5)
    assert "mode: was 'tfn', now 'tf'" in factreasoner("run", one, *FILES, "--mode", "tf", code=1).stderr
    factreasoner("run", one, *FILES, "--mode", "tf", "--fresh", code=5)
    (requests,) = (tmp_path / "out" / "batches").glob("*.requests.jsonl")
    assert '"enum": ["True", "False"]' in requests.read_text()


@pytest.mark.parametrize(
    ("command", "word"),
    [
        (("run", "d.jsonl", "--batch", "files"), "add --model"),
        (("run", "d.jsonl", "--model", "ollama/x", "--batch", "openai", "--out", "out"), "--batch files"),
        (("assess", "She sang.", "--context", "d.txt", *FLAGS, "--batch", "files"), "run folder"),
    ],
)
def test_nothing_to_batch_is_reported(factreasoner, tmp_path, command, word):
    write_records(tmp_path / "d.jsonl", record("r1")).with_suffix(".txt").write_text("She sang.")
    assert word in factreasoner(*command, code=1).stderr


def test_kill_leaves_whole_files_and_no_repeats(factreasoner, forker, tmp_path):
    data = write_records(tmp_path / "d.jsonl", *(record(f"r{i}") for i in range(30)))
    batches = tmp_path / "out" / "batches"
    seen = set()
    for seconds in (0.0, 0.1, 0.5):
        process = forker.start(["run", data, *FILES], folder=tmp_path, env=environment(tmp_path))
        deadline = time.monotonic() + 60
        while not batches.exists() and time.monotonic() < deadline:
            time.sleep(0.005)
        time.sleep(seconds)
        process.send_signal(signal.SIGKILL)
        process.wait(timeout=60)
        files = sorted(path for path in batches.glob("*.requests.jsonl"))
        assert len(files) <= 1
        for path in files:
            assert len({line["custom_id"] for line in read_lines(path)}) == 60
            seen.add(path.stat().st_ino)
    assert len(seen) <= 1
    _, asked = rounds(factreasoner, tmp_path / "out", good, "run", data, *FILES)
    assert [len(lines) for lines in asked] == [60]
