"""Every letter and digit of an answer lies in the span of an atom, or of a sentence listed as unchecked."""

import itertools
import random
import textwrap
from collections import Counter

import pytest

from factreasoner.atoms.coverage import accounted
from factreasoner.atoms.extraction import account_for, without_hidden_text
from factreasoner.atoms.rules import RuleAtomizer, as_atoms
from factreasoner.atoms.statements import statements
from factreasoner.models import Atom, Record
from factreasoner.protocols import Atomized

SAID = {
    "en": [
        "The bridge opened in 1932.",
        "Ada Roe, who was born in 1815, wrote it and left.",
        "Take two tablets a day.",
    ],
    "de": [
        "Die Brücke wurde 1932 eröffnet.",
        "Nehmen Sie zwei Tabletten am Tag.",
        "Sie kostete ca. 4,5 Mio. Euro.",
    ],
    "fr": ["Le pont a ouvert en 1932.", "Il mesure 503 m de large !", "Prenez deux comprimés par jour."],
    "es": ["El puente se abrió en 1932.", "Tome dos pastillas al día.", "¡Mide 503 m de ancho!"],
    "ru": ["Мост открылся в 1932 году.", "Его построил инженер Иванов.", "Принимайте две таблетки."],
    "zh": ["大桥于1932年开通。", "大桥的设计师是王明。", "每天服用两片。"],
    "ja": ["橋は1932年に開通した。", "設計者は田中さんです。", "一日に二錠飲んでください。"],
    "ar": ["افتتح الجسر عام 1932.", "صممه المهندس أحمد.", "تناول قرصين يوميا."],
    "hi": ["पुल 1932 में खुला।", "इसे राम ने बनाया।", "दिन में दो गोलियाँ लें।"],
    "ko": ["다리는 1932년에 개통되었다.", "설계자는 김 씨이다.", "하루에 두 알을 드세요."],
}
ASKED = {
    "en": "Is it tall?", "de": "Ist sie hoch?", "fr": "Est-il haut ?", "es": "¿Es alto?", "ru": "Он высокий?",
    "zh": "它有多高？", "ja": "高いですか？", "ar": "هل هو عال؟", "hi": "क्या यह ऊँचा है?", "ko": "높은가요?",
}  # fmt: skip
REMARKS = [
    "I hope this helps!",
    "Let me know if you need more.",
    "See the table below.",
    "I don't know its colour.",
]
THOUGHTS = [
    "<think>It may be 1931.</think>\n",
    "[THINK]1931?[/THINK]",
    "<|im_end|>",
    "<tool_call>{}</tool_call>\n",
]


class WholeSentences:
    """Makes each sentence an atom."""

    def atomize(self, record):
        return Atomized(as_atoms(statements(record.response, None)))


PARSED, WHOLE = RuleAtomizer(), WholeSentences()


class Writer:
    """Writes a text of random parts in one of ten languages."""

    def __init__(self, seed):
        self.chance = random.Random(seed)
        self.language = sorted(SAID)[seed % len(SAID)]

    def text(self):
        parts = [*[self.prose] * 3, self.quote, self.items, self.table, self.other, self.html]
        joint = self.chance.choice(["\n\n", "\n\n", "\n"])
        return joint.join(self.chance.choice(parts)() for _ in range(self.chance.randint(1, 6)))

    def sentence(self):
        others = [ASKED[self.language], self.chance.choice(REMARKS), "42.", "…"]
        said = self.chance.choice([*SAID[self.language] * 3, *others])
        mark = self.chance.choice(["", "", " [1]", "[2][3]", " (Lee, 2020)", " ([site](https://a.org/b))"])
        return said[:-1] + mark + said[-1] if self.chance.random() < 0.5 else said + mark

    def prose(self):
        joint = "" if self.language in ("zh", "ja") else " "
        said = joint.join(self.sentence() for _ in range(self.chance.randint(1, 4)))
        thought = self.chance.choice(THOUGHTS) * (self.chance.random() < 0.1)
        return thought + textwrap.fill(said, self.chance.choice([30, 45, 60, 80, 900]))

    def quote(self):
        return "> " + self.prose().replace("\n", "\n> ")

    def items(self):
        marker = self.chance.choice(["- ", "1. ", "* ", "• ", "a) ", "(1) "])
        said = (self.chance.choice([self.sentence(), "Ada Roe", "Name: 5"]) for _ in range(3))
        lead = self.chance.choice(["", "The parts include:\n", "Teile:\n"])
        return lead + "\n".join(marker + one for one in said)

    def table(self):
        return f"| Name | Year |\n|---|---|\n| Ada | 1815 |\n| {self.sentence()} | x |"

    def html(self):
        said = [self.sentence() for _ in range(3)]
        return f"<p>{said[0]} <b>{said[1]}</b></p><ul><li>{said[2]}</li></ul><!-- note 7 -->"

    def other(self):
        code = ["```python\nx = 1\n\ny = 2\n```", "~~~\ncode\n~~~", "    x = 5", "`run 5`"]
        title = self.chance.choice(["## ", "# 2. ", "**", ""])
        title += self.chance.choice(["History", self.sentence()])
        sources = "References\n\n[1] Smith, J. (2001). Bridges. https://a.org\n[^2]: Lee 2020"
        return self.chance.choice([*code, title, title, sources, "---", "***", "5", ""])


def written(seed):
    return Writer(seed).text()


def uncovered(text, found):
    """The letters and digits of a text that no span holds."""
    spans = [atom.span for atom in found.atoms] + [part.span for part in found.unchecked]
    assert all(span and 0 <= span[0] < span[1] <= len(text) for span in spans)
    held = {place for start, end in spans for place in range(start, end)}
    return [(n, said) for n, said in enumerate(text) if said.isalnum() and n not in held]


def of(text, atomizer=WHOLE):
    return accounted(text, atomizer.atomize(without_hidden_text(Record(id="r", response=text))).atoms)


def reasons(text, atomizer=WHOLE):
    """The words of each part that was not checked, with the reason."""
    return [(text[slice(*part.span)], part.reason) for part in of(text, atomizer).unchecked]


def test_atoms_and_unchecked_sentences_cover_two_thousand_texts():
    seen = Counter()
    for seed in range(2000):
        text = written(seed)
        found = of(text)
        assert uncovered(text, found) == [], (seed, text)
        assert len(found.unchecked) <= found.sentences
        places = [part.span for part in found.unchecked]
        assert all(one[1] <= two[0] for one, two in itertools.pairwise(places)), (seed, text)
        seen.update(part.reason for part in found.unchecked)
        seen["atoms"] += len(found.atoms)
    assert min(seen[reason] for reason in ("question", "remark", "code", "heading", "references")) > 100
    assert seen["removed reasoning"] > 50
    assert seen["atoms"] > 5000
    assert seen["not split"] < 0.15 * seen["atoms"]


def test_a_parse_changes_atoms_and_no_coverage():
    for seed in range(0, 600, 10):
        text = written(seed + 2)  # English
        assert uncovered(text, of(text, PARSED)) == [], (seed, text)


@pytest.mark.parametrize("atomizer", [PARSED, WHOLE])
def test_each_sentence_without_an_atom_has_its_reason(atomizer):
    text = (
        "<think>1931?</think>\n# The bridge\n\nHowever, it is 503 m wide. Is it tall? I hope this helps! "
        "Take two tablets [1]. I don't know its colour.\n\n1. First of all is red.\n2. Parts:\n"
        "   - Ada Roe\n\n| Name | Year |\n|---|---|\n| Ada | 1815 |\n\n```\nx = 1\n```\n\nIt is steel. "
        "Oslo is cold. Oslo is cold.\n\nReferences\n\n[1] Smith, J. (2001)</s>"
    )
    assert reasons(text, atomizer) == [
        ("<think>1931?</think>", "removed reasoning"),
        ("The bridge", "heading"),
        ("Is it tall?", "question"),
        ("I hope this helps!", "remark"),
        ("I don't know its colour.", "abstention"),
        ("2. Parts:", "heading"),
        ("| Name | Year |", "heading"),
        ("```\nx = 1\n```", "code"),
        ("Oslo is cold.", "repeated"),
        ("References", "references"),
        ("[1] Smith, J. (2001)", "references"),
        ("</s>", "removed reasoning"),
    ]


def test_opening_words_join_their_atom():
    found = of("It is worth noting that Oslo is cold [1].\n\n2. Bergen is wet. (Lee, 2020)")
    assert [*(atom.span for atom in found.atoms), *found.unchecked] == [(0, 41), (43, 72)]


def test_skipped_sentence_is_reported_as_not_split():
    text = "Oslo is cold. Bergen, which is west of Oslo, has much rain in October. Is it?"
    found = accounted(text, [Atom(id="a0", text="Oslo is cold.", span=(0, 13))])
    assert [(text[slice(*part.span)], part.reason) for part in found.unchecked] == [
        ("Bergen, which is west of Oslo, has much rain in October.", "not split"),
        ("Is it?", "question"),
    ]
    assert found.sentences == 3


def test_lost_sentence_part_is_reported_as_unsplit():
    text = "Oslo is cold, whereas Bergen gets plenty of autumn rain."
    found = accounted(text, [Atom(id="a0", text="Oslo is cold.", span=(0, 12))])
    assert [text[slice(*part.span)] for part in found.unchecked] == [
        ", whereas Bergen gets plenty of autumn rain."
    ]


def test_atom_without_span_gets_its_sentence_span():
    text = "Oslo is cold in winter. Bergen has much rain."
    found = accounted(text, [Atom(id="a0", text="Bergen has much rain in autumn.")])
    assert found.atoms[0].span == (24, 45)
    assert [part.span for part in found.unchecked] == [(0, 23)]


@pytest.mark.parametrize(
    "remark",
    [
        "Note: See below.",
        "Note: See the table below.",
        "Avísame si quieres más.",
        "如果您还有问题，请告诉我。",
    ],
)
def test_remark_is_named_as_one(remark):
    record = Record(id="r", response=f"It is tall.\n\n{remark}")
    _, fields = account_for(record, WHOLE.atomize(record).atoms)
    assert [part.reason for part in fields["unchecked"]] == ["remark"]


@pytest.mark.parametrize(
    "reply", ["Yes.", "No.", "**Yes!**", "Absolutely.", "Sure", "Yes, indeed.", "A: No."]
)
@pytest.mark.parametrize(
    "question", ["Is it safe? ", "**Is it safe?**\n\n", "## Is it safe?\n\n", "- Is it? "]
)
@pytest.mark.parametrize("atomizer", [PARSED, WHOLE])
def test_yes_after_question_is_not_split(atomizer, question, reply):
    assert reasons(question + reply, atomizer)[-1] == (reply, "not split")


@pytest.mark.parametrize("text", ["Yes. Oslo is cold.", "Oslo is cold. Sure!"])
def test_yes_without_a_question_is_a_remark(text):
    assert [reason for _, reason in reasons(text, WHOLE)] == ["remark"]


def test_unsplit_answer_accounts_for_nothing():
    record = Record(id="r", response="<think>x</think>Oslo is cold.")
    assert account_for(record, None) == ((), {"removed_reasoning": 16})
