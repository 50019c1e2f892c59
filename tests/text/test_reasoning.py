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
        "<|thinking|>It opened in 1931.<|/thinking|>{}",
        "<|thinking|>It opened in 1931.<|end|>{}",
        "<|thinking|>It opened in 1931.<|answer|>{}",
        "<antThinking>It opened in 1931.</antThinking>{}",
        "<plan>1. Find it. It opened in 1931.</plan>\n{}",
        "<draft>It opened in 1931.</draft>\n<final>{}</final>",
        "<draft>It opened in 1931.</draft><Output>{}</Output>",
        "<Output>{}</Output>",
        "<output>\n{}\n</output>",
        "<scratch_pad>1931</scratch_pad>{}",
        "<Scratchpad>1931</Scratchpad>\n{}",
        "<internal_monologue>1931</internal_monologue>{}",
        "<inner_voice>1931</inner_voice>{}",
        "<working>1931</working>{}",
        "<notes>1931</notes>\n<answer>{}</answer>",
        "<planning>1931</planning><draft>It 1931</draft>{}",
        "<self_critique>1931</self_critique>{}",
        "<chain_of_thought>1931</chain_of_thought>{}",
        "<facts>1931</facts><answer>{}</answer>",
        "It opened 1931, I think. So:\n<answer>{}</answer>",
        "<think>It opened 1931.\n<answer>{}</answer>",
        "<think>It opened 1931.\n<answer>{}</answer><|im_end|>",
        "### Thinking\nIt opened in 1931.\n\n### Answer\n{}",
        "**Reasoning:** It opened in 1931.\n\n**Answer:** {}",
        "Thought: It opened in 1931.\nFinal Answer: {}",
        "Thought: I should search.\nAction: search[bridge]\nObservation: It opened in 1931.\nThought: "
        "I know.\nFinal Answer: {}",
        "## Thought process\n1931?\n\n## Final Answer\n\n{}",
        "**Thinking**\n1931?\n\n**Answer**\n{}",
        "Reasoning: 1931.\nAnswer: {}",
        "**Reasoning**: 1931.\n**Final answer**: {}",
        "Let's think step by step: it opened 1931.\nAnswer: {}",
        "Gedankengang: 1931.\nAntwort: {}",
        "Raisonnement : 1931.\nRéponse : {}",
        "思考过程：1931年。\n答案：{}",
        "Рассуждение: 1931.\nОтвет: {}",
        "Chain of thought: 1931.\n\nResponse: {}",
        "Step-by-step reasoning:\n1. It 1931.\n2. No.\n\nFinal answer:\n{}",
        "{}<|im_end|>\n<|im_start|>user\nWhen did it close?<|im_end|>\n<|im_start|>assistant\nIt "
        "closed in 1950.",
        "{}<|im_end|>\nuser\nWhen did it close?",
        "{}<|eot_id|><|start_header_id|>user<|end_header_id|>\n\nWhen did it close?<|eot_id|>",
        "{}</s>\n[INST] When did it close? [/INST] It closed in 1950.</s>",
        "{}<end_of_turn>\n<start_of_turn>user\nWhen did it close?",
        "{}<|endoftext|>Q: When did it close? A: In 1950.",
        "{}<|end|>\n<|user|>\nWhen?<|end|>\n<|assistant|>\nIt closed.",
        "{}\n<|user|>\nWhen did it close?",
        "{}<turn|>\n<|turn>user\nWhen did it close?<turn|>",
        "{}<turn|>",
        "{}[e~[",
        "{}[e~[\n]~b]user\nWhen?",
        "{}</assistant>",
        "<assistant>{}</assistant>",
        "{}<｜end▁of▁sentence｜><｜User｜>When did it close?",
        "{}<|END_OF_TURN_TOKEN|><|START_OF_TURN_TOKEN|><|USER_TOKEN|>When?",
        "{}<|eom_id|>",
        '{}<|python_tag|>search.call(query="1931")<|eom_id|>',
        '<|python_tag|>search.call(query="1931")<|eom_id|>{}',
        "<|python_tag|>f(1931)<|eom_id|><|start_header_id|>ipython<|e"
        "nd_header_id|>\n\n1931<|eot_id|><|start_header_id|>assistant<|end_header_id|>\n\n{}<|eot_id|>",
        "<|im_start|>user\nWhen did it open in 1931?<|im_end|>\n<|im_start|>assistant\n{}<|im_end|>",
        "<|im_start|>assistant\n{}<|im_end|>\n<|im_start|>user\nAnd?",
        "[INST] When 1931? [/INST] {}</s>",
        "<|im_start|>system\nBe "
        "1931.<|im_end|><|im_start|>user\nWhen?<|im_end|><|im_start|>a"
        "ssistant\n<think>1931</think>\n{}<|im_end|>",
        "```think\nIt opened in 1931.\n```{}",
        "```think\nIt opened in 1931.\n```\n{}",
        "```thinking\nIt opened in 1931.\n``` {}",
        "~~~thought\n1931\n~~~{}",
        "```reasoning\nIt has `x`.\n```\n\n{}",
        "```think\nI run\n```python\nx = 1931\n```\nand see.\n```\n{}",
        "````think\n```py\nx=1931\n```\n````{}",
        "<think>1931<|im_end|>\n<|im_start|>assistant\n{}",
        "<rethink>1931</rethink>{}",
        "<think_more>1931</think_more>{}",
        "<Thinking>\n1931\n</Thinking>\n\n<Response>\n{}\n</Response>",
        "<reflection>1931</reflection><output>{}</output>",
        "<verify>1931</verify>\n{}",
        "<|begin_of_thought|>1931<|end_of_thought|><|begin_of_solution|>{}<|end_of_solution|>",
        "<|assistant|>{}<|endoftext|>",
        "<solution>{}</solution>",
        "<thoughts>1931</thoughts><reply>{}</reply>",
        "{}\n<|im_start|>user",
        "1. Reasoning: 1931.\n2. Answer: {}",
        "Thought 1: 1931.\nAction 1: Search\nObservation 1: x\nThought 2: 1932\nFinal Answer: {}",
        "<|im_start|>think\n1931<|im_end|>\n<|im_start|>answer\n{}<|im_end|>",
        "<details><summary>💭 Thinking</summary>\n1931\n</details>\n\n{}",
        "<details>\n<summary>Thought for 3 seconds</summary>\n\n1931.\n\n</details>\n\n{}",
        "```thinking process\n1931\n```\n{}",
        "<research>1931</research>\n{}",
        "{}<im_end>",
        "<output>{}",
        "{}</output>",
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


def test_turn_behind_the_answer_is_counted():
    text = f"{ANSWER}<|im_end|>\n<|im_start|>user\nWhen did it close?"
    assert reasoning_spans(text) == [(len(ANSWER), len(text))]


@pytest.mark.parametrize(
    "unit", ["<answer>x</answer>\n", "[INST]a[/INST]", "```think\n", "<plan>", "**", "Thought: a\n", "~"]
)
def test_long_hostile_text_takes_no_time(unit):
    text = unit * (50_000 // len(unit))
    assert len(blanked_reasoning(text)) == len(text)
