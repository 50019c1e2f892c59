"""Lines of results, in the forms that services and engines give them."""

import json

import pytest

from factreasoner.llm.batches.batch import ResultLine, parse_result, request_line

BODY = {"choices": [{"message": {"content": "x"}}]}
LINES = {
    "OpenAI": (
        {"id": "1", "custom_id": "a", "response": {"status_code": 200, "body": BODY}, "error": None},
        ResultLine("a", BODY),
    ),
    "no status": ({"custom_id": "a", "response": {"body": BODY}}, ResultLine("a", BODY)),
    "OpenAI's error file": (
        {
            "custom_id": "a",
            "response": {"status_code": 400, "body": {"error": {"message": "No.", "code": "bad"}}},
            "error": None,
        },
        ResultLine("a", None, 400, "bad: No."),
    ),
    "expired": (
        {"custom_id": "a", "response": None, "error": {"code": "batch_expired", "message": "Late."}},
        ResultLine("a", None, None, "batch_expired: Late."),
    ),
    "vLLM's error": (
        {
            "custom_id": "a",
            "response": {"status_code": 400, "request_id": "r", "body": None},
            "error": {"object": "error", "message": "Too long.", "type": "BadRequestError", "code": 400},
        },
        ResultLine("a", None, 400, "Too long."),
    ),
    "vLLM's error, nested": (
        {
            "custom_id": "a",
            "response": {"status_code": 400, "body": None},
            "error": {"error": {"message": "Too long.", "code": 400}},
        },
        ResultLine("a", None, 400, "Too long."),
    ),
    "a status in the error alone": (
        {"custom_id": "a", "response": {"status_code": 200}, "error": {"message": "No.", "code": 429}},
        ResultLine("a", None, 429, "No."),
    ),
    "words": ({"custom_id": "a", "error": "out of memory"}, ResultLine("a", None, None, "out of memory")),
    "completion and error": (
        {"custom_id": "a", "response": {"status_code": 200, "body": BODY}, "error": "half of it"},
        ResultLine("a", None, None, "half of it"),
    ),
}


@pytest.mark.parametrize(("line", "found"), LINES.values(), ids=LINES.keys())
def test_result_line_is_completion_or_error(line, found):
    assert parse_result(json.dumps(line).encode()) == found


@pytest.mark.parametrize("body", [None, "x", [], {}, {"id": "1"}])
def test_ambiguous_result_is_an_error(body):
    line = {"custom_id": "a", "response": {"status_code": 200, "body": body}, "error": None}
    found = parse_result(json.dumps(line).encode())
    assert found.completion is None
    assert found.problem


@pytest.mark.parametrize("line", [b"", b"x", b"[]", b"3", b'"x"', b"{}", b'{"custom_id": 3}', b"\xff\xfe"])
def test_result_without_custom_id_is_refused(line):
    with pytest.raises(ValueError, match=r"."):
        parse_result(line)


def test_request_is_always_one_line():
    line = request_line("a-0", {"messages": [{"role": "user", "content": "two\nlines “and” \u2028 more 猫"}]})
    assert line.count(b"\n") == 1
    assert line.endswith(b"\n")
    assert json.loads(line)["body"]["messages"][0]["content"] == "two\nlines “and” \u2028 more 猫"
    assert parse_result(b'{"custom_id": "a", "response": {"body": {"choices": ["\\ud800"]}}}').completion
