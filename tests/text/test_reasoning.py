"""Reasoning, tool calls and end-of-turn tokens in a model's text."""

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from factreasoner.text.reasoning import blanked_reasoning, reasoning_spans, without_reasoning

ANSWER = "The bridge opened in 1932."


@pytest.mark.parametrize(
    "text",
    [
        "<think>It opened in 1931.</think>{}",
        "<THINK>\nIt opened in 1931.\n</THINK>\n\n{}",
        '<think type="draft" n=2>It opened in 1931.</think >{}',
        "It opened in 1931.\n</think>\n{}",
        "<thinking>It opened in 1931. It has </thought> {}",
        "<thought>It opened in 1931.</thought>{}",
        "<Reasoning>It opened in 1931.</Reasoning>{}",
        "<thinking>It opened in 1931.</thinking>{}",
        "<seed:think>It opened in 1931.</seed:think>{}",
        "<think_never_used_51bce0>It opened in 1931.</think_never_used_51bce0>{}",
        "&lt;think&gt;It opened in 1931.&lt;/think&gt;{}",
        "[THINK]It opened in 1931.[/THINK]{}",
        "It opened in 1931.[/think]{}",
        "◁think▷It opened in 1931.◁/think▷{}",
        "<|START_THINKING|>It opened in 1931.<|END_THINKING|><|START_RESPONSE|>{}<|END_RESPONSE|>",
        "<|begin_of_thought|>It opened in 1931.<|end_of_thought|>{}",
        "<|channel|>analysis<|message|>It opened in 1931.<|end|>"
        "<|start|>assistant<|channel|>final<|message|>{}<|return|>",
        "analysis<|message|>It opened in 1931.<|end|>final<|message|>{}",
        "It opened in 1931.<|end|><|start|>assistant<|channel|>final<|message|>{}",
        "<|channel|>commentary to=functions.f <|constrain|>json<|message|>{{}}<|call|>"
        "<|start|>assistant<|channel|>final<|message|>{}",
        "analysisThe user asks. It opened in 1931.assistantfinal{}",
        "Thinking...\nIt opened in 1931.\n...done thinking.\n\n{}",
        "Here is my thought process:\nIt opened in 1931.\n\nHere is my response:\n{}",
        "<think>It opened in 1931.<\\/think>{}",
        "<scratchpad>1931?</scratchpad><final_answer>{}</final_answer>",
        "<|channel>thought\nIt opened in 1931.<channel|>{}",
        '<tool_call>\n{{"name": "f", "year": 1931}}\n</tool_call>\n{}',
        "<tool_call><function=f><parameter=q>x</parameter></function></tool_call>{}",
        "<function=f>{{}}</function>{}",
        "<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>f<｜tool▁call▁end｜><｜tool▁calls▁end｜>{}",
        "<think>Use <tool_call>{{}}</tool_call> now.</think>{}",
        "<think>I use <think> here. It opened in 1931.</think>{}",
        "<think>a<think>b</think>It opened in 1931.</think>{}",
        "<think>```python\nx = 1\n</think>\n{}",
        "<think>a</think><think>b</think>{}",
        '<details type="reasoning" done="true">\n<summary>Thought</summary>\n> 1931\n</details>\n{}',
        "```thinking\nIt opened in 1931.\n```\n{}",
        "{}<|im_end|>",
        "{}<|im_end|>\n<|im_start|>assistant\n",
        "{}</s>",
        "<s>{}</S>",
        "{} <|eot_id|><|start_header_id|>assistant<|end_header_id|>",
        "{}<end_of_turn>\n<start_of_turn>model",
        "{}<|endoftext|>",
        "{}<｜end▁of▁sentence｜>",
        "{} [/INST]",
        "<answer>{}</answer>",
        "{}\n<think>Was that right? It may have been 1931",
        "<think>a</think>{}</think>",
    ],
)
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
