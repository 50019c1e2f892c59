"""Reasoning, tool calls and end-of-turn tokens in a model's text."""

import itertools
import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from factreasoner.text.reasoning import blanked_reasoning, reasoning_spans, without_reasoning

ANSWER = "The bridge opened in 1932."
DATA = Path(__file__).parents[1] / "data"
WITH_REASONING = json.loads((DATA / "reasoning.json").read_text(encoding="utf-8"))
"""Answers after reasoning in every style; {} is the answer."""


@pytest.mark.parametrize("text", WITH_REASONING)
def test_reasoning_in_any_style_is_taken_out(text):
    assert without_reasoning(text.format(ANSWER)).strip() == ANSWER


@pytest.mark.parametrize(
    "text",
    [
        ANSWER,
        "Use `<think>` and `</think>` around it.",
        "```\n<think>x</think>\nyes\n```\nThe template is above.",
        "The <think> tag opens a thought, and the </think> tag ends it.",
        'The model writes "<think>" first.',
        "A List<Thought> has a size.",
        "It is <s>1931</s> 1932.",
        "She [thought] that x < 3 and y > 4.",
        "The state is |x> or <x|y>.",
        "<code><think></code> is an element of the format.",
        "Analysis shows that the reasoning is final.",
        "Reasoning: The court held that the law was void in 1815. It said so twice.",
        "## Reasoning\nHumans reason by analogy.\n\n## Answer sets\nAnswer set programming began in 1998.",
        "**Answer:** The bridge opened in 1932.\n\n**Reasoning:** The source says that it opened on "
        "19 March 1932.",
        "The bridge opened in 1932.\n\nReasoning: It was built in 1923.\nAnswer: it is old.",
        "ChatML ends a turn with <|im_end|>, and begins it with <|im_start|>. It came in 2023.",
        "The plan: open in 1932. The draft was final.",
        "Thinking is hard. Answer: no.",
        "<plan>1. Open the bridge.\n2. Close it in 1932.</plan>",
        "Here is the plan:\n<plan>Open it in 1932.</plan>\nIt works.",
        "Thinking: Fast and Slow\n\nThe book came out in 2011.",
        "Plan: open it in 1932.",
        "The function returns <output> and stops in 1932.",
        "Use the `<answer>` tag.",
        "The analysis: it opened in 1932.\nAnswer: yes.",
        "## Plan\nThe city planned it in 1920.\n\n## Result\nIt opened in 1932.",
        "She said: Thought: a river. Final answer: no.",
        "| Token | Meaning |\n|---|---|\n| `<|im_end|>` | ends a turn |\n\nIt came in 2023.",
        "- <|im_end|>: ends a turn\n- <|im_start|>: begins it\n\nIt came in 2023.",
        "The tokens are <|user|> and <|assistant|> in Phi, which came in 2023.",
        "<html> has <body> and <output> elements in 1932.",
        "Mix </s> tags; it is old.",
        "<details><summary>Reasoning of the court in 1815</summary>It was void.</details>",
    ],
)
def test_text_about_tags_stays_as_it_is(text):
    assert reasoning_spans(text) == []
    assert without_reasoning(text) == text == blanked_reasoning(text)


@pytest.mark.parametrize("text", ["<think>It opened in 1931.", "It opened in 1931.</think>", "<|im_end|>"])
def test_a_text_of_reasoning_alone_leaves_nothing(text):
    assert without_reasoning(text) == ""
    assert blanked_reasoning(text).strip() == ""


def test_two_answers_around_a_thought_are_apart():
    text = "The bridge opened in 1932.\n<think>Right.</think>\nIt is steel."
    assert without_reasoning(text) == "The bridge opened in 1932. It is steel."
    assert blanked_reasoning("A is <think>x</think> tall.").split() == ["A", "is", "tall."]


MARKS = [
    "<think>",
    "</think>",
    "[THINK]",
    "[/THINK]",
    "<tool_call>",
    "</tool_call>",
    "a b",
    "\n",
    "`",
    "```",
    "Yes.",
    "<end_of_turn>",
    '"',
    "</s>",
]
MARKS += ["<|channel|>final<|message|>", "<|channel|>analysis<|message|>", "<|end|>", "<|im_end|>"]


@given(st.lists(st.sampled_from(MARKS), max_size=14).map("".join))
def test_every_other_character_keeps_its_place(text):
    blanked = blanked_reasoning(text)
    spans = reasoning_spans(text)
    assert len(blanked) == len(text)
    assert all(0 <= start < end <= len(text) for start, end in spans)
    assert all(a.end <= b.start for a, b in itertools.pairwise(spans))
    inside = {place for start, end in spans for place in range(start, end)}
    assert all(blanked[n].isspace() if n in inside else blanked[n] == text[n] for n in range(len(text)))


def test_turn_after_the_answer_is_counted():
    text = f"{ANSWER}<|im_end|>\n<|im_start|>user\nWhen did it close?"
    assert reasoning_spans(text) == [(len(ANSWER), len(text))]


@pytest.mark.parametrize(
    "unit", ["<answer>x</answer>\n", "[INST]a[/INST]", "```think\n", "<plan>", "**", "Thought: a\n", "~"]
)
def test_long_hostile_text_takes_no_time(unit):
    text = unit * (50_000 // len(unit))
    assert len(blanked_reasoning(text)) == len(text)
