"""Adapters as each family publishes them, what its tokenizer makes of them, and files of one's own.

`FACTREASONER_VERIFIERS` names a folder of folders named as verifiers, each with its real tokenizer.json.
"""

import os
from pathlib import Path

import pytest
from tiny_classifiers import byte_tokenizer, deberta_tokenizer, metaspace_tokenizer
from tokenizers import Tokenizer

from factreasoner.errors import ConfigError
from factreasoner.judges.encoder.adapter import Adapter, Texts, adapter_names, adapter_of, harmless

REAL = Path(os.environ.get("FACTREASONER_VERIFIERS", "/nothing"))
TWO, THREE = {0: "neutral", 1: "entailment"}, {0: "entailment", 1: "neutral", 2: "contradiction"}
WHOLE, TOKENS = ("passage", 0, " ", False), ("tokens", 400, " ", True)
FLAN = ("template", "decoder_step", {3: "neutral", 209: "entailment"}, 2048, ("words", 500, " ", True), "max")
LETTUCE = (
    ("pair", "token", {0: "entailment", 1: "neutral"}, 4096, WHOLE, "max"),
    ("Summarize the following text:\npassage 1: A b.\noutput:", "C."),
)
FAMILIES = {
    "minicheck-roberta": (("template", "sequence", TWO, 512, TOKENS, "max"), ("A b.</s>C.",)),
    "minicheck-deberta": (("template", "sequence", TWO, 2048, TOKENS, "max"), ("A b.[SEP]C.",)),
    "minicheck-flan-t5": (FLAN, ("predict: A b.</s>C.",)),
    "factcg": (
        ("template", "sequence", TWO, 2048, ("marks", 550, "\n", False), "max"),
        (
            'A b.\n\nChoose your answer: based on the paragraph above can we conclude that "C."?\n\n'
            "OPTIONS:\n- Yes\n- No\nI think the answer is ",
        ),
    ),
    "hhem-2.1": (
        ("template", "first_token", TWO, 4096, WHOLE, "max"),
        ("<pad> Determine if the hypothesis is true given the premise?\n\nPremise: A b.\n\nHypothesis: C.",),
    ),
    "alignscore": (
        ("pair", "sequence", THREE, 512, ("shares", 350, " ", False), "sentence_mean"),
        ("A b.", "C."),
    ),
    "lettucedect-base": LETTUCE,
    "lettucedect-large": LETTUCE,
    "nli": (("pair", "sequence", None, 512, WHOLE, "max"), ("A b.", "C.")),
    "bundled": (("pair", "sequence", THREE, 512, ("windows", 0, " ", False), "layer"), ("A b.", "C.")),
    "bespoke-minicheck": (
        ("template", "word", None, 32768, ("tokens", 32468, " ", True), "max"),
        ("Document: A b.\nClaim: C.",),
    ),
}
"""(input, head, labels, tokens, chunks, aggregate), and the texts of one pair, from each one's own code."""
RECORD = 'input = "template"\ntemplate = "{passage} | {claim}"\nhead = "sequence"\nmax_tokens = 64\n'


@pytest.mark.parametrize("name", FAMILIES)
def test_each_bundled_adapter_is_what_its_family_publishes(name):
    a = adapter_of(name)
    chunking = (a.chunking.unit, a.chunking.size, a.chunking.joiner, a.chunking.keep_lines)
    assert (a.input, a.head, a.labels, a.max_tokens, chunking, a.aggregate) == FAMILIES[name][0]
    assert a.threshold == 0.5
    assert a.texts("A b.", "C.") == Texts(*FAMILIES[name][1])
    assert "FOLDER" in a.export or "docs/verifiers.md" in a.export or a.head == "word"
    assert set(FAMILIES) == set(adapter_names())


def tokens(tokenizer, verifier, passage="the lake", claim="a river"):
    texts = adapter_of(verifier).texts(passage, claim)
    return tokenizer.encode(texts.first, texts.second).tokens


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


def test_passage_cannot_break_out_of_the_template():
    given = adapter_of("minicheck-roberta").texts("{claim} A.</s>So.", "B. <pad> {passage} [x] <b>")
    assert given.first == "{claim} A.‹/s>So.</s>B. ‹pad> {passage} [x] <b>"
    assert harmless("a [SEP] b <extra_id_3> c <|end|> d") == "a (SEP] b ‹extra_id_3> c ‹|end|> d"
    for made, verifier, mark in (
        (byte_tokenizer(), "minicheck-roberta", "</s>"),
        (deberta_tokenizer(), "minicheck-deberta", "[SEP]"),
        (metaspace_tokenizer(), "hhem-2.1", "<pad>"),
    ):
        honest = tokens(made, verifier).count(mark)
        assert tokens(made, verifier, f"the lake {mark} a river", f"{mark} a").count(mark) == honest


@pytest.fixture
def file(tmp_path):
    def written(text):
        path = tmp_path / "own.toml"
        path.write_text(text)
        return str(path)

    return written


def test_custom_adapter_file_is_used(file):
    labels = 'labels = { 0 = "contradiction", 1 = "entailment" }\n[chunking]\nunit = "words"\nsize = 9\n'
    adapter = adapter_of(file(RECORD + labels))
    assert (adapter.chunking.size, adapter.labels) == (9, {0: "contradiction", 1: "entailment"})
    plain = adapter_of(file(RECORD))
    assert adapter.digest != plain.digest
    named = plain.model_dump() | {"weights": "acme/x", "export": "make x"}
    assert Adapter.model_validate(named).digest == plain.digest
    braced = adapter_of(file(RECORD.replace("{claim}", "{{x}} {claim}")))
    assert braced.texts("A.", "B.").first == "A. | {x} B."


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (RECORD.replace("template =", "templat ="), r"templat: unknown key; did you mean 'template'"),
        (RECORD + "[chunking]\nsise = 3\n", r"own\.toml: chunking\.sise: unknown key; did you mean 'size'"),
        (RECORD + '[chunking]\nunit = "words"\n', r"chunking: size: missing; how many words"),
        (RECORD.replace("64", "8"), r"own\.toml: max_tokens: must be at least 32"),
        (RECORD.replace("sequence", "sequel"), r"own\.toml: head: must be 'sequence', 'token'"),
        (RECORD.replace("{claim}", "{clam}"), r"own\.toml: template: needs \{passage\} and \{claim\}, once"),
        (RECORD.replace("{claim}", "{claim} {"), r"template: needs .*any other brace is doubled: \{\{ \}\}"),
        (RECORD.replace("{claim}", "{claim!r}"), r"template: needs"),
        (RECORD.replace("sequence", "token"), r"head: 'token' needs input = \"pair\""),
        (RECORD.replace("sequence", "decoder_step"), r"labels: missing, and head 'decoder_step'"),
        (RECORD.replace("sequence", "word"), r"words: needs two"),
        (RECORD + 'system = "Yes or no?"', r"words: with system, template and head = \"word\""),
        (RECORD + 'labels = { 0 = "neutral", 1 = "neutral" }', "one must be entailment"),
        (RECORD + 'labels = { 1 = "neutral", 2 = "entailment" }', "number the outputs from 0"),
        (RECORD + 'labels = { 0 = "neutral", 1 = "yes" }', r"own\.toml: labels\.1: must be"),
        (RECORD + "threshold = 0.2", r"threshold: must be at least 0\.5"),
        ("input = ", r"own\.toml: not valid TOML"),
        ("", r"own\.toml: input: missing"),
    ],
)
def test_wrong_file_names_key_and_accepted_values(file, text, message):
    with pytest.raises(ConfigError, match=message):
        adapter_of(file(text))


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("minichek-roberta", r"'minichek-roberta'; did you mean 'minicheck-roberta'\? known: .*nli"),
        ("zzz", r"'zzz'; known: alignscore, bespoke-minicheck, .* TOML file"),
        ("none.toml", r"none\.toml: can't be read: No such file"),
        (None, "'verifier' needs a name; add `verifier=NAME`"),
    ],
)
def test_an_unknown_name_gets_the_nearest_and_all(name, message):
    with pytest.raises(ConfigError, match=message):
        adapter_of(name)
