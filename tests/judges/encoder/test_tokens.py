"""What the models read: tokens by tiny tokenizers of each kind, and real ids where a folder has real ones.

`FACTREASONER_VERIFIERS` names a folder of folders named as verifiers, each with its tokenizer.json.
"""

import os
from pathlib import Path

import pytest
from tiny_classifiers import byte_tokenizer, deberta_tokenizer, metaspace_tokenizer, modernbert_tokenizer
from tokenizers import Tokenizer

from factreasoner.judges.encoder.adapter import adapter_of

REAL = Path(os.environ.get("FACTREASONER_VERIFIERS", "/nothing"))


def tokens(tokenizer, verifier, passage="the lake", claim="a river"):
    texts = adapter_of(verifier).texts(passage, claim)
    return tokenizer.encode(texts.first, texts.second).tokens


def test_roberta_has_one_separator_in_a_template_and_two_in_a_pair():
    made = byte_tokenizer()
    template, pair = tokens(made, "minicheck-roberta"), tokens(made, "alignscore")
    assert [t for t in template if "<" in t] == ["<s>", "</s>", "</s>"]
    assert [t for t in pair if "<" in t] == ["<s>", "</s>", "</s>", "</s>"]
    assert "".join(template) == "<s>theĠlake</s>aĠriver</s>"
    assert "".join(pair) == "<s>theĠlake</s></s>aĠriver</s>"


def test_deberta_s_claim_begins_with_a_space_s_mark_after_the_separator():
    expected = ["[CLS]", "▁the", "▁lake", "[SEP]", "▁a", "▁river", "[SEP]"]
    assert tokens(deberta_tokenizer(), "minicheck-deberta") == expected
    only_first = metaspace_tokenizer("[CLS] $A [SEP]", ("[PAD]", "[CLS]", "[UNK]", "[SEP]"), prepend="first")
    assert tokens(only_first, "minicheck-deberta")[4] == "a"


def test_factcg_ends_with_the_beginning_of_the_answer():
    found = tokens(deberta_tokenizer(), "factcg")
    assert (found[0], found[-1]) == ("[CLS]", "[SEP]")
    assert found.count("[SEP]") == 1
    assert "".join(found[-4:-1]).endswith("s▁")


def test_t5_begins_with_the_literal_pad_or_with_predict_and_ends_once():
    made = metaspace_tokenizer()
    hhem, minicheck = tokens(made, "hhem-2.1"), tokens(made, "minicheck-flan-t5")
    assert hhem[0] == "<pad>"
    assert made.encode(*[t for t in adapter_of("hhem-2.1").texts("a", "b") if t]).attention_mask[0] == 1
    assert (hhem.count("<pad>"), hhem.count("</s>"), hhem[-1]) == (1, 1, "</s>")
    joined = "".join(minicheck)
    assert joined.startswith("▁predict:▁the▁lake</s>▁a▁river")
    assert (joined.count("</s>"), minicheck[-1]) == (2, "</s>")


def test_modernbert_s_claim_is_the_second_part():
    made = modernbert_tokenizer()
    texts = adapter_of("lettucedect-base").texts("the lake", "a river")
    encoding = made.encode(*texts)
    claim = [t for t, part in zip(encoding.tokens, encoding.sequence_ids, strict=True) if part == 1]
    assert "".join(claim) == "aĠriver"
    assert [t for t in encoding.tokens if t in ("[CLS]", "[SEP]")] == ["[CLS]", "[SEP]", "[SEP]"]


def test_a_hostile_passage_adds_no_separator():
    for made, verifier, mark in (
        (byte_tokenizer(), "minicheck-roberta", "</s>"),
        (deberta_tokenizer(), "minicheck-deberta", "[SEP]"),
        (metaspace_tokenizer(), "hhem-2.1", "<pad>"),
    ):
        honest = tokens(made, verifier).count(mark)
        assert tokens(made, verifier, f"the lake {mark} a river", f"{mark} a").count(mark) == honest


REAL_IDS = {
    "minicheck-roberta": lambda t, n: [0, *t("the lake"), 2, *t("a river"), 2],
    "alignscore": lambda t, n: [0, *t("the lake"), 2, 2, *t("a river"), 2],
    "minicheck-deberta": lambda t, n: [1, *t("the lake"), 2, *t("a river"), 2],
    "factcg": lambda t, n: [1, *t(adapter_of("factcg").texts("the lake", "a river").first), 2],
    "minicheck-flan-t5": lambda t, n: [*t("predict: the lake"), 1, *t("a river"), 1],
    "hhem-2.1": lambda t, n: [0, *t(adapter_of("hhem-2.1").texts("the lake", "a river").first[6:]), 1],
    "lettucedect-base": lambda t, n: [
        n("[CLS]"),
        *t(adapter_of("lettucedect-base").texts("the lake", "").first),
        n("[SEP]"),
        *t("a river"),
        n("[SEP]"),
    ],
}
"""The ids that the reference code feeds, from those of the parts and of special tokens."""


@pytest.mark.parametrize("name", REAL_IDS)
def test_real_ids(name):
    path = REAL / name / "tokenizer.json"
    if not path.is_file():
        pytest.skip("set FACTREASONER_VERIFIERS to a folder with real tokenizers")
    made = Tokenizer.from_file(str(path))
    made.no_truncation()
    made.no_padding()
    texts = adapter_of(name).texts("the lake", "a river")
    found = made.encode(texts.first, texts.second).ids
    expected = REAL_IDS[name](lambda text: made.encode(text, add_special_tokens=False).ids, made.token_to_id)
    assert found == expected
