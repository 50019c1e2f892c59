import pytest

from factreasoner.errors import ConfigError
from factreasoner.judges.encoder.adapter import Adapter, Texts, adapter_names, adapter_of, harmless

RECORD = 'input = "template"\ntemplate = "{passage} | {claim}"\nhead = "sequence"\nmax_tokens = 64\n'


@pytest.fixture
def file(tmp_path):
    def written(text):
        path = tmp_path / "own.toml"
        path.write_text(text)
        return str(path)

    return written


def test_each_bundled_adapter_is_what_its_family_publishes():
    """(input, head, labels, tokens, chunks, aggregate), from the reference code of each."""
    two, tokens_400 = {0: "neutral", 1: "entailment"}, ("tokens", 400, " ", True)
    lettuce = ("pair", "token", {0: "entailment", 1: "neutral"}, 4096, ("passage", 0, " ", False), "max")
    three = {0: "entailment", 1: "neutral", 2: "contradiction"}
    expected = {
        "minicheck-roberta": ("template", "sequence", two, 512, tokens_400, "max"),
        "minicheck-deberta": ("template", "sequence", two, 2048, tokens_400, "max"),
        "minicheck-flan-t5": (
            "template",
            "decoder_step",
            {3: "neutral", 209: "entailment"},
            2048,
            ("words", 500, " ", True),
            "max",
        ),
        "factcg": ("template", "sequence", two, 2048, ("marks", 550, "\n", False), "max"),
        "hhem-2.1": ("template", "first_token", two, 4096, ("passage", 0, " ", False), "max"),
        "alignscore": ("pair", "sequence", three, 512, ("shares", 350, " ", False), "sentence_mean"),
        "lettucedect-base": lettuce,
        "lettucedect-large": lettuce,
        "nli": ("pair", "sequence", None, 512, ("passage", 0, " ", False), "max"),
        "bespoke-minicheck": ("template", "word", None, 32768, ("tokens", 32468, " ", True), "max"),
    }
    found = {}
    for name in adapter_names():
        a, c = adapter_of(name), adapter_of(name).chunking
        chunking = (c.unit, c.size, c.joiner, c.keep_lines)
        found[name] = (a.input, a.head, a.labels, a.max_tokens, chunking, a.aggregate)
        assert a.threshold == 0.5
        assert "FOLDER" in a.export or "docs/judges.md" in a.export or a.head == "word"
    assert found == expected


TEXTS = {
    "minicheck-roberta": ("A b.</s>C.",),
    "minicheck-deberta": ("A b.[SEP]C.",),
    "minicheck-flan-t5": ("predict: A b.</s>C.",),
    "factcg": (
        'A b.\n\nChoose your answer: based on the paragraph above can we conclude that "C."?\n\n'
        "OPTIONS:\n- Yes\n- No\nI think the answer is ",
    ),
    "hhem-2.1": (
        "<pad> Determine if the hypothesis is true given the premise?\n\nPremise: A b.\n\nHypothesis: C.",
    ),
    "alignscore": ("A b.", "C."),
    "lettucedect-base": ("Summarize the following text:\npassage 1: A b.\noutput:", "C."),
    "lettucedect-large": ("Summarize the following text:\npassage 1: A b.\noutput:", "C."),
    "nli": ("A b.", "C."),
    "bespoke-minicheck": ("Document: A b.\nClaim: C.",),
}


@pytest.mark.parametrize("name", TEXTS)
def test_what_the_tokenizer_is_given(name):
    assert adapter_of(name).texts("A b.", "C.") == Texts(*TEXTS[name])


def test_a_passage_can_neither_end_its_part_nor_hold_fields_of_the_template():
    given = adapter_of("minicheck-roberta").texts("{claim} A.</s>So.", "B. <pad> {passage} [x] <b>")
    assert given.first == "{claim} A.‹/s>So.</s>B. ‹pad> {passage} [x] <b>"
    text = "a [SEP] b <extra_id_3> c <|end|> d"
    assert harmless(text) == "a (SEP] b ‹extra_id_3> c ‹|end|> d"
    assert len(harmless(text)) == len(text)


def test_a_file_of_one_s_own(file):
    labels = 'labels = { 0 = "contradiction", 1 = "entailment" }\n[chunking]\nunit = "words"\nsize = 9\n'
    adapter = adapter_of(file(RECORD + labels))
    assert (adapter.chunking.size, adapter.labels) == (9, {0: "contradiction", 1: "entailment"})
    assert adapter.digest != adapter_of(file(RECORD)).digest
    assert adapter_of(file(RECORD)).digest == Adapter(**RECORDED, weights="acme/x", export="make x").digest


RECORDED = {"input": "template", "template": "{passage} | {claim}", "head": "sequence", "max_tokens": 64}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            RECORD.replace("template =", "templat ="),
            r"own\.toml: templat: unknown key; did you mean 'template'",
        ),
        (RECORD + "[chunking]\nsise = 3\n", r"own\.toml: chunking\.sise: unknown key; did you mean 'size'"),
        (RECORD + '[chunking]\nunit = "words"\n', r"chunking: size: how many words"),
        (RECORD.replace("64", "8"), r"own\.toml: max_tokens: must be at least 32"),
        (RECORD.replace("sequence", "sequel"), r"own\.toml: head: must be 'sequence', 'token'"),
        (RECORD.replace("{claim}", "{clam}"), r"own\.toml: template: it must hold \{passage\} and \{claim\}"),
        (RECORD.replace("{claim}", "{claim} {"), r"template: it must hold"),
        (RECORD.replace("{claim}", "{claim!r}"), r"template: it must hold"),
        (RECORD.replace("sequence", "token"), r"head: 'token' needs input = \"pair\""),
        (RECORD.replace("sequence", "decoder_step"), r"labels: missing, and head 'decoder_step'"),
        (RECORD + 'labels = { 0 = "neutral", 1 = "neutral" }', "one must be entailment"),
        (RECORD + 'labels = { 1 = "neutral", 2 = "entailment" }', "number the outputs from 0"),
        (RECORD + 'labels = { 0 = "neutral", 1 = "yes" }', r"own\.toml: labels\.1: must be"),
        (RECORD + "threshold = 0.2", r"threshold: must be at least 0\.5"),
        ("input = ", r"own\.toml: not valid TOML"),
        ("", r"own\.toml: input: missing"),
    ],
)
def test_a_wrong_file_is_named_with_its_key_and_what_it_takes(file, text, message):
    with pytest.raises(ConfigError, match=message):
        adapter_of(file(text))


def test_an_unknown_name_gets_the_nearest_and_all(tmp_path):
    with pytest.raises(
        ConfigError, match=r"'minichek-roberta'; did you mean 'minicheck-roberta'\? known: .*nli"
    ):
        adapter_of("minichek-roberta")
    with pytest.raises(ConfigError, match=r"'zzz'; known: alignscore, bespoke-minicheck, .* TOML file"):
        adapter_of("zzz")
    with pytest.raises(ConfigError, match=r"none\.toml: can't be read: No such file"):
        adapter_of(str(tmp_path / "none.toml"))
