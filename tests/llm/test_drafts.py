"""Replies with reasoning, drafts and second thoughts: the verdict is the model's answer, or there is none."""

import pytest

from factreasoner.llm.replies import parse
from factreasoner.llm.responses import Completion, tokens_of
from factreasoner.models import Usage
from factreasoner.models.messages import FunctionSchema

F, T = '{"fact_0": "False"}', '{"fact_0": "True"}'
VALUES = ["True", "False", "Not clear"]


def verdicts(count=1):
    names = [f"fact_{n}" for n in range(count)]
    values = {"type": "string", "enum": VALUES}
    parameters = {"type": "object", "properties": dict.fromkeys(names, values), "required": names}
    return FunctionSchema(
        name="verify_facts", description="", parameters=parameters, items=dict.fromkeys(names, "It is.")
    )


def said(form, content="", calls=(), count=1):
    """The verdicts that a reply gives."""
    completion = Completion(content, tuple(("verify_facts", raw) for raw in calls), "stop", None, Usage())
    schema = verdicts(count)
    found = parse(form, completion, schema).arguments
    return {name: schema.value(name, found) for name in found if schema.problem(name, found) is None}


OPENED = [
    ("<think>{}</think>{}"),
    ("<think>\n{}\n</think>\n\n{}"),
    ("<thinking>{}</thinking>{}"),
    ("<reasoning>{}</reasoning>{}"),
    ("<Reflection>{}</Reflection>{}"),
    ('<think effort="high">{}</think>{}'),
    ("< think >{}</ think >{}"),
    ("[THINK]{}[/THINK]{}"),
    ("{}</think>\n{}"),
    ("{}[/THINK]{}"),
    ("<think>a<think>{}</think>b</think>{}"),
    ("<think>{0}</think><think>{0}</think>{1}"),
    ("<think>{0}</think> <reasoning>{0}</reasoning>\n{1}"),
    ("<|channel|>analysis<|message|>{}<|end|><|start|>assistant<|channel|>final<|message|>{}<|return|>"),
    ("<|start|>assistant<|channel|>analysis<|message|>{}<|end|><|channel|>final<|message|>{}"),
    ("analysisHm. {}assistantfinal{}"),
    ("<|START_THINKING|>{}<|END_THINKING|><|START_RESPONSE|>{}<|END_RESPONSE|>"),
    ("<|begin_of_thought|>{}<|end_of_thought|><|begin_of_solution|>{}<|end_of_solution|>"),
    ("<seed:think>{}</seed:think>{}"),
    ("◁think▷{}◁/think▷{}"),
    ("<think>{}</think><answer>{}</answer>"),
    ("<think>{}</think>{}<|im_end|>"),
    ("&lt;think&gt;{}&lt;/think&gt;{}"),
    ("```thinking\n{}\n```\n{}"),
]
"""A draft and an answer, with a place for each."""


@pytest.mark.parametrize("style", OPENED)
def test_answer_after_reasoning_is_read(style):
    assert said("word", style.format("False", "True")) == {"fact_0": "True"}
    assert said("word", style.format("Hm. It is True, or False", "Not clear")) == {"fact_0": "Not clear"}
    for form in ("json_schema", "json_object", "lines"):
        assert said(form, style.format(F, T)) == {"fact_0": "True"}
        assert said(form, style.format("False", T)) == {"fact_0": "True"}
    two = style.format("0: False\n1: False", "\n0: True\n1: False")
    assert said("lines", two, count=2) == {"fact_0": "True", "fact_1": "False"}
    assert said("tool", calls=[style.format(F, T)]) == {"fact_0": "True"}


NEVER_ANSWERED = [
    "<think>{}",
    "<think>\nMaybe.\n{}\n",
    "[THINK]{}",
    "<|channel|>analysis<|message|>{}",
    "<think>{}</think>",
    "<reasoning>{}</reasoning>\n",
    "<think>Hm.</think><think>{}",
    "<|START_THINKING|>{}",
]


@pytest.mark.parametrize("style", NEVER_ANSWERED)
def test_reasoning_without_an_answer_gives_none(style):
    for form, draft in (("word", "False"), ("json_schema", F), ("lines", F), ("lines", "0: False")):
        assert said(form, style.format(draft)) == {}
    assert said("tool", calls=[style.format(F)]) == {}


WORDS = {
    # spoken reasoning that ends in an answer
    "**Reasoning:** The passage says 1932, so False looks right.\n\n**Answer:** True": "True",
    "Let me think. It could be True.\n\nFinal answer: False": "False",
    "Let me think. It could be True.\n\n## Final Answer\n\nFalse": "False",
    "Let me think step by step. The passage says so. The answer is True.": "True",
    "The passage says 1932.\n\\boxed{True}": "True",
    "So it is $\\boxed{\\text{Not clear}}$.": "Not clear",
    "Reasoning: is it false? <answer>True</answer>": "True",
    "The passage gives 1932.\n\nTrue": "True",
    "Answer: True": "True",
    "Final verdict - Not clear": "Not clear",
    "True, because it is not false": "True",
    "True\n\nExplanation: the passage says so.": "True",
    "False. The bridge actually opened in 1931.": "False",
    "False: the passage states 1931 instead of 1932.": "False",
    "Not clear. Passengers wait there, and no price is given.": "Not clear",
    "True. Answer: True": "True",
    # differing answers, or one that is taken back
    "False\nTrue": None,
    "True\n\nWait, it is False.": None,
    "True. Wait, no.": None,
    "False? The passage says so.": None,
    "True or False": None,
    "Answer: True\nFinal answer: False": None,
    "True. Final answer: False": None,
    "\\boxed{True} or rather \\boxed{False}": None,
    "False. Actually, the passage says exactly this.": None,
    "True, but on second thought it is not true.": None,
    "True. It is not true.": None,
    "False at first glance, but the passage agrees.": None,
    "True. So the fact is not clear.": None,
    "False. No, it's true.": None,
    "Draft answer: False": None,
    "Let me think. The passage": None,
    "I would say it depends.": None,
    "Is the fact False?": None,
    "Possible values: True, False, Not clear": None,
    "True -> False": None,
}


@pytest.mark.parametrize("content", WORDS)
def test_word_form_reads_the_only_answer(content):
    value = WORDS[content]
    assert said("word", content) == ({"fact_0": value} if value else {})


JSONS = {
    f"{F}\n{T}": None,
    f"{F}\nWait, that is wrong:\n{T}": None,
    f"Draft: {F}\nFinal: {T}": "True",
    f"```json\n{F}\n```\nOn reflection:\n```json\n{T}\n```": None,
    f"[{F}, {T}]": None,
    f"{F}\n\nActually, no. The passage agrees.": None,
    f"{F}\n\nThe fact is True.": None,
    f'{F} Correction: {{"fact_0": "Tr': None,
    f"False\n{T}": None,
    f"fact_0: False, at first.\n{T}": None,
    "{'fact_0': 'False'}\n" + T: None,
    '{"fact_0": "False", "fact_0": "True"}': None,
    '{"draft": {"fact_0": "False"}, "final": {"fact_0": "True"}}': None,
    '{"fact_0": "False -> True"}': None,
    '{"fact_0": ["False", "True"]}': None,
    '{"fact_0": "<think>False' + '"}': None,
    f"{T}\n{T}": "True",
    f"Here is the answer:\n{T}": "True",
    f"**Reasoning:** It may be false.\n**Answer:** {T}": "True",
    f"{T}\n\nExplanation: the passage says so, so it is not false.": "True",
    '{"reasoning": "At first False, {\\"fact_0\\": \\"False\\"}", "fact_0": "True"}': "True",
    '{"fact_0": "<think>False?</think>True"}': "True",
    '{"fact_0_note": "<think>Hm", "fact_0": "True"}': "True",
    '<tool_call>{"name": "f"}</tool_call>' + T: "True",
}


@pytest.mark.parametrize("content", JSONS)
def test_json_is_the_one_answer_of_a_text(content):
    value = JSONS[content]
    for form in ("json_schema", "json_object", "lines"):
        assert said(form, content) == ({"fact_0": value} if value else {}), form


def test_tool_call_gives_exactly_one_answer():
    for raw in (f"{F}{T}", f"[{F}, {T}]", f"{F}\nNo: {T}"):
        assert said("tool", calls=[raw]) == {}
    assert said("tool", calls=[F, T]) == {}
    assert said("tool", content="<think>False</think>", calls=[T]) == {"fact_0": "True"}
    assert said("tool", calls=[{"fact_0": "<think>False</think>True"}]) == {"fact_0": "True"}


LINES = {
    "0: False\n1: True\n\nFinal answer:\n0: True\n1: True": {"fact_1": "True"},
    "0: True? Let me check. No.\n0: False\n1: True": {"fact_0": "False", "fact_1": "True"},
    "0: True. Wait, False.\n1: True": {"fact_1": "True"},
    "0: True\n1: False\n\nWait, I mixed them up.": {},
    "1. The passage says so, so True?\n2. It may be false.\n\n0: True\n1: False": {
        "fact_0": "True",
        "fact_1": "False",
    },
    "Let me see.\n0: The passage says 1932. Answer: True\n1: False": {"fact_0": "True", "fact_1": "False"},
    "0: True\n1: False\n\n0 is True as the passage says so.": {"fact_0": "True", "fact_1": "False"},
    '{"fact_0": "True", "fact_1": "False"}\n\nfact_1 should be True.': {"fact_0": "True"},
    '{"fact_0": "True", "fact_1": "False"}\n0: False': {"fact_1": "False"},
}


@pytest.mark.parametrize("content", LINES)
def test_lines_are_the_one_answer_on_each_fact(content):
    assert said("lines", content, count=2) == LINES[content]


WITHDRAWN_WORDS = [
    "False (tentative)",
    "False (draft)",
    "False, tentatively.",
    "False, scratch that.",
    "False... scratch that, True",
    "False\n\nDisregard this answer.",
    "~~False~~",
    "~~False~~ True",
    "<del>False</del>",
    "False. Never mind.",
    "False. This is only a draft.",
    "False (first guess)",
    "False. This is not my final answer.",
    "False\n\nEDIT: I misread it.",
    "False\nEDIT 2: True",
    "False (to be confirmed)",
    "Draft:\nFalse",
    "The answer is not\nFalse",
    "False. Moment, das stimmt nicht.",
    "Entwurf:\nFalse",
    "False. Attendez, je me suis trompé.",
    "Brouillon :\nFalse",
    "False. Espera, me equivoqué.",
    "Borrador:\nFalse",
    "False. 等等，我看错了。",
    "False（草稿）",
    "草稿：\nFalse",
    "下書き：\nFalse",
    "False. Подождите, я ошибся.",
    "False. Aspetta, ho sbagliato.",
    "False. 잠깐만요.",
    "False (I made a mistake)",
    "False, wait",
    "False? Scratch that - True.",
    "False. Hmm, no.",
    "False (placeholder)",
    "False. Entschuldigung, ich habe mich geirrt.",
    "False. Revised: True",
    "False, but that was a guess.",
]
WITHDRAWN_JSON = [
    f"Draft: {F}",
    f"Draft:\n```json\n{F}\n```",
    f"For example: {F}",
    f"The answer is not {F}",
    f"Example output:\n{F}",
    f"Tentative: {F}",
    f"Rather than {F}",
    f"Draft: {F}\nFinal: {T}",
    f"The answer is not {F} but {T}",
    f"{F} (tentative)",
    f"{F}\nDisregard this answer.",
    f"{F}, scratch that.",
    f"~~{F}~~",
    f"{F}\n\nThis is only a draft.",
    f"{F}\nEDIT: wrong, see below",
    f"Entwurf: {F}",
    f"草稿：{F}",
    f"{F}\nКорректировка: неверно",
    f"{F}\nMoment, das ist falsch.",
    f"The format is, for instance, {F}",
    f"It can't be {F}",
    f"Previous answer: {F}",
    f"Sample response:\n```\n{F}\n```",
    f"{F} <- draft",
    f"<draft>{F}</draft>",
    f"// example\n{F}",
    f"I would not say {F}",
    f"{F}\nCorrection: the fact is true.",
]
WITHDRAWN_LINES = [
    "0: False\nEDIT 2: True",
    "0: False\n\nEDIT 2:\n0: True",
    "Draft:\n0: False",
    "0: False (tentative)",
    "0: False\n\nDisregard this answer.",
    "0: ~~False~~",
    "0: False, scratch that.",
    "0: False\nUpdate 1: I was mistaken.",
    "First draft:\n0: False\n\nFinal:\n0: True",
    "0: False\n\nVersion 2:\n0: True",
    "0: False\n\n(tentative)",
    "Entwurf:\n0: False",
    "0: False\nRevision 2:\n0: True",
    "0: False\nCorrection: 0 is True",
    "0: <del>False</del>",
    "0: False (placeholder)",
]


@pytest.mark.parametrize(
    ("form", "content"),
    [
        *(("word", content) for content in WITHDRAWN_WORDS),
        *(
            (form, content)
            for content in WITHDRAWN_JSON
            for form in ("json_schema", "json_object", "lines", "tool")
        ),
        *(("lines", content) for content in WITHDRAWN_LINES),
    ],
)
def test_withdrawn_answer_is_not_read(form, content):
    found = said("tool", calls=[content]) if form == "tool" else said(form, content)
    assert found in ({}, {"fact_0": "True"})
    assert found == {} or "True" in content


KEPT = [
    ("word", "False. The passage says that the draft treaty was signed in 1919.", "False"),
    ("word", "False: the text gives 1931 as an example.", "False"),
    ("word", "True. For example, the passage says that it opened in 1932.", "True"),
    ("word", "False, because the passage states 1931.", "False"),
    ("word", "False (1931, not 1932)", "False"),
    ("word", "True. The passage ignores the second bridge.", "True"),
    ("word", "Answer: **True**", "True"),
    ("word", "False.\n\nThe update of 1931 changed this.", "False"),
    ("word", "The answer is:\nFalse", "False"),
    ("word", "Verdict:\n\nTrue", "True"),
    ("word", "Not clear (no price is given)", "Not clear"),
    ("word", "True, as the initial version was a draft.", "True"),
    ("json_schema", f"Here is the answer in the requested format:\n{T}", "True"),
    ("json_schema", f"Based on the passage, the output is:\n```json\n{T}\n```", "True"),
    ("json_schema", f"The passage does not say so. Answer: {F}", "False"),
    ("json_schema", f"It is not true that it opened in 1932.\n{F}", "False"),
    ("json_schema", f"I checked the example.\n\n{T}", "True"),
    ("json_schema", f"{F}\n\nThe draft treaty was never signed.", "False"),
    ("json_schema", f"Final answer: {T}", "True"),
    ("lines", "0: True", "True"),
    ("lines", "Claim 0: False", "False"),
    ("lines", "Statement 0: True. The draft was signed.", "True"),
    ("lines", "Here are the verdicts:\n0: False", "False"),
    ("word", "False; the passage says the sample was small.", "False"),
    ("word", "True: the passage states this, not the opposite.", "True"),
    ("word", "False. First, the bridge opened in 1931.", "False"),
    ("word", "False. The first version was published in 1931.", "False"),
    ("word", "Not clear. An example would be needed.", "Not clear"),
    ("json_schema", f"The fact is not supported by the passage.\n\n{F}", "False"),
    ("json_schema", f"It cannot be confirmed, so:\n{F}", "False"),
    ("json_schema", f"{F}\n\nNote: the passage says 1931, not 1932.", "False"),
    ("json_schema", f"Judging the claim as stated, not as meant:\n{F}", "False"),
    ("lines", "Evaluation of fact 0:\n0: False", "False"),
    ("lines", "The passage does not:\n0: False", "False"),
]


@pytest.mark.parametrize(("form", "content", "value"), KEPT)
def test_an_answer_with_a_reason_is_kept(form, content, value):
    assert said(form, content) == {"fact_0": value}
    if form == "json_schema":
        assert said("tool", calls=[content]) == {"fact_0": value}


def listed(form, content):
    texts = {"type": "array", "items": {"type": "string"}}
    parameters = {"type": "object", "properties": {"statements": texts}, "required": ["statements"]}
    schema = FunctionSchema(name="state", description="", parameters=parameters)
    return parse(form, Completion(content, (), "stop", None, Usage()), schema).arguments.get("statements")


@pytest.mark.parametrize(
    ("form", "content"),
    [
        ("lines", "<think>\n- A is C.\n</think>\n- A is B."),
        ("lines", "- A is C.\n</think>\n- A is B."),
        ("lines", "Draft:\n- A is C.\n\nFinal:\n- A is B."),
        ("lines", "- A is C.\n\nHere are the corrected statements:\n- A is B."),
        ("json_schema", '<think>{"statements": ["A is C."]}</think>{"statements": ["A is B."]}'),
        ("json_schema", '{"statements": ["<think>A is C.</think>A is B."]}'),
    ],
)
def test_texts_are_listed_without_drafts(form, content):
    assert listed(form, content) == ["A is B."]


def test_two_different_lists_are_unusable():
    assert listed("json_schema", '{"statements": ["A."]}\nBetter: {"statements": ["B."]}') is None
    assert listed("lines", "<think>\n- A is B.") is None


@pytest.mark.parametrize(
    ("form", "pieces"),
    [
        ("word", ["<think>", "False", "</think>", "True"]),
        ("word", ["False", "</think>", "True"]),
        ("word", ["[THINK]", "False", "[/THINK]", "True"]),
        (
            "word",
            [
                "<|channel|>analysis<|message|>",
                "False",
                "<|end|>",
                "<|start|>assistant<|channel|>final<|message|>",
                "True",
            ],
        ),
        ("word", ["It is ", "False", ". Answer: ", "True"]),
        ("json_schema", ["<think>", '{"fact_0": "', "False", '"}', "</think>", '{"fact_0": "', "True", '"}']),
        ("lines", ["<think>0: ", "False", "\n</think>\n0: ", "True"]),
    ],
)
def test_probabilities_are_read_after_the_reasoning(form, pieces):
    logprobs = {"False": -2.0, "True": -0.1}
    tokens = [
        {
            "token": piece,
            "logprob": logprobs.get(piece, -0.3),
            "top_logprobs": [
                {"token": "True", "logprob": logprobs.get(piece, -0.3)},
                {"token": "False", "logprob": -3.0},
            ]
            if piece == "True"
            else [{"token": piece, "logprob": -2.0}, {"token": "True", "logprob": -0.2}],
        }
        for piece in pieces
    ]
    content = "".join(pieces)
    for text in (
        content,
        content[
            content.rindex('{"')
            if form == "json_schema"
            else content.rindex("0: ")
            if form == "lines"
            else content.rindex("True") :
        ],
    ):
        completion = Completion(text, (), "stop", tokens_of({"content": tokens}), Usage())
        chances = parse(form, completion, verdicts()).chances["fact_0"]
        assert chances.probabilities["True"] == pytest.approx(0.905 / (0.905 + 2 * 0.0498), abs=0.05)
