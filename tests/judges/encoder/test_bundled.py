"""The bundled judge: what it reads of a passage, and what it never does."""

import json
import random
import shutil
import unicodedata

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from factreasoner.errors import ConfigError
from factreasoner.judges.encoder import model_files
from factreasoner.judges.encoder.bundled.asking import UNREAD
from factreasoner.judges.encoder.bundled.reading import INPUTS, NUMBER_MISSING, Layer, read
from factreasoner.judges.encoder.bundled.windows import MOST, WORDS, choose_windows, windows
from factreasoner.judges.encoder.judge import VerifierJudge
from factreasoner.models import Claim, Premise
from factreasoner.models.verdicts import LABEL_OF_VALUE
from factreasoner.pipeline.config import Config

TOWER = "The Eiffel Tower stands in Paris. It was built in 1889 by Gustave Eiffel. It is 330 m high."
ELSEWHERE = "Cats sleep for most of the day. Rivers carry water to the sea."


@pytest.fixture(scope="module")
def judge():
    return VerifierJudge(Config(judge="verifier"))


def verdicts(judge, passage, *claims, title=""):
    judged = judge.judge(
        Premise("c1", passage, title=title), [Claim(str(n), c) for n, c in enumerate(claims)]
    )
    assert judged.failures == ()
    return judged.verdicts


@pytest.fixture
def broken(tmp_path, monkeypatch):
    """A copy of the model's folder that the package is made to use."""
    folder = tmp_path / "model"
    shutil.copytree(model_files.BUNDLED_MODEL, folder)
    monkeypatch.setattr(model_files, "BUNDLED_MODEL", folder)
    model_files.bundled_files.cache_clear()
    yield folder
    model_files.bundled_files.cache_clear()


class TestVerdicts:
    def test_statement_of_the_passage_is_entailed(self, judge):
        (verdict,) = verdicts(judge, TOWER, "The tower was built in 1889.")
        assert (verdict.label, verdict.confidence, verdict.citation) == ("entailment", "model", "found")
        assert verdict.quote == "It was built in 1889 by Gustave Eiffel."

    @pytest.mark.parametrize(
        ("passage", "claim"),
        [
            ("Zoë Čapková has lived in Orléans since 1990.", "Zoë Čapková lives in Orléans."),
            ("The café was opened in 1931.", "The café opened in 1931."),
            ("Nguyễn Văn Trỗi was an electrician born in Điện Bàn.", "Nguyễn Văn Trỗi was born in Điện Bàn."),
            ("José Muñoz designed the São João bridge.", "José Muñoz designed the São João bridge."),
            ("Ångström was born in Lögdö in 1814.", "Ångström was born in Lögdö."),
        ],
    )
    def test_composed_and_decomposed_text_are_one(self, judge, passage, claim):
        forms = [
            (unicodedata.normalize(a, passage), unicodedata.normalize(b, claim))
            for a in ("NFC", "NFD")
            for b in ("NFC", "NFD")
        ]
        forms.append((passage[:5] + "\xad" + passage[5:], claim))
        found = {verdicts(judge, said, asked)[0].p for said, asked in forms}
        assert len(found) == 1

    def test_no_shared_word_is_neutral_without_a_call(self, judge, monkeypatch):
        monkeypatch.setattr(judge.runtime, "scores", lambda asked: [pytest.fail("asked")] if asked else [])
        (verdict,) = verdicts(judge, ELSEWHERE, "The tower was built in 1889.")
        assert (verdict.label, verdict.probability, verdict.quote) == ("neutral", UNREAD[1], None)

    def test_probabilities_sum_and_label_exceeds_half(self, judge):
        for verdict in verdicts(judge, TOWER, "It is 330 m high.", "It is 12 m high.", "It is in Rome."):
            found = verdict.label_probabilities
            value = {label: value for value, label in LABEL_OF_VALUE.items()}[verdict.label]
            assert sum(found.values()) == pytest.approx(1, abs=1e-6)
            assert verdict.probability == pytest.approx(found[value], abs=1e-9)
            assert verdict.label == "neutral" or verdict.probability > 0.5

    def test_results_depend_on_no_batch_or_order(self, judge):
        claims = ["The tower was built in 1889.", "Eiffel built it.", "It is 12 m high.", "Paris is big."]
        whole = {v.target_id: v for v in verdicts(VerifierJudge(Config(judge="verifier")), TOWER, *claims)}
        for n in random.Random(1).sample(range(4), 4):
            (alone,) = verdicts(VerifierJudge(Config(judge="verifier")), TOWER, claims[n])
            assert alone.label == whole[str(n)].label
            assert alone.probability == pytest.approx(whole[str(n)].probability, abs=2e-6)

    @pytest.mark.parametrize(
        ("claim", "blocked"),
        [
            ("The tower was built in 1890.", True),
            ("The tower is 331 m high.", True),
            ("The tower has 3 floors.", True),
            ("The tower has two lifts.", False),
            ("The tower cost 1,200 francs.", False),
        ],
    )
    def test_number_that_the_passage_lacks_is_never_entailed(self, judge, claim, blocked):
        passage = f"{TOWER} It has two lifts and cost 1200 francs."
        (verdict,) = verdicts(judge, passage, claim)
        found = verdict.label_probabilities["True"]
        assert (found <= NUMBER_MISSING) if blocked else (found > NUMBER_MISSING)

    @pytest.mark.parametrize(
        ("passage", "claim"),
        [
            ("The pump costs 5690 pounds.", "The pump costs 5,690 pounds."),
            ("The tower cost 7,799,401 francs.", "The tower cost 7799401 francs."),
            ("It will not be repaired for free.", "It won't be repaired for free."),
            ("The museum is not open on Mondays.", "The museum isn’t open on Mondays."),
        ],
    )
    def test_other_spellings_say_the_same(self, judge, passage, claim):
        assert [v.label for v in verdicts(judge, passage, claim)] == ["entailment"]

    def test_title_supports_an_untitled_passage(self, judge):
        passage, claim = "It was built in 1889 and is 330 m high.", "The Eiffel Tower was built in 1889."
        (without,), (with_title,) = (verdicts(judge, passage, claim, title=t) for t in ("", "Eiffel Tower"))
        supported = [v.label_probabilities["True"] for v in (without, with_title)]
        assert supported[1] > supported[0]

    @pytest.mark.parametrize("passage", ["", "   ", "\n\n", "!!! ---"])
    def test_passage_without_words_is_neutral(self, judge, passage):
        (verdict,) = verdicts(judge, passage, "The tower was built in 1889.")
        assert verdict.label == "neutral"

    def test_words_of_endless_length_are_read_in_parts(self, judge):
        passage = f"The tower was built in 1889 {'x1y2' * 900} and the tower is high."
        assert len(verdicts(judge, passage, "The tower was built in 1889.")) == 1

    def test_claim_that_leaves_no_room_is_a_failure(self, judge):
        judged = judge.judge(Premise("c1", TOWER), [Claim("a", "The tower was built. " * 150)])
        assert [(f.error_type, f.item_id) for f in judged.failures] == [("ClaimTooLong", "c1->a")]


class TestLanguages:
    @pytest.mark.parametrize(
        ("passage", "claim"),
        [
            (TOWER, "Der Turm wurde im Jahr 1889 von Gustave Eiffel gebaut."),
            ("Der Turm wurde im Jahr 1889 von Gustave Eiffel gebaut.", "The tower was built in 1889."),
            ("Der Turm wurde 1889 gebaut und ist sehr hoch.", "Der Turm wurde 1889 gebaut."),
            ("大桥于1932年开通。大桥的设计师是王明。", "大桥于1932年开通。"),
            ("Башня была построена в 1889 году.", "Башня была построена в 1889 году."),
        ],
    )
    def test_other_languages_are_not_judged(self, judge, passage, claim):
        judged = judge.judge(Premise("c1", passage), [Claim("a", claim)])
        assert judged.verdicts == ()
        (failure,) = judged.failures
        assert failure.error_type == "OtherLanguage"
        assert "multilingual verifier" in failure.message

    def test_claims_of_one_answer_tell_its_language(self, judge):
        asked = [Claim("1", "Die Garantie gilt 8 Jahre."), Claim("2", "Im Nachtmodus sind es 42 dB(A).")]
        assert judge.judge(Premise("c1", TOWER), asked).verdicts == ()
        beside_english = judge.judge(Premise("c1", TOWER), [*asked, Claim("3", "It was built in 1889.")])
        assert len(beside_english.verdicts) == 2

    def test_names_and_numbers_alone_are_judged(self, judge):
        assert len(verdicts(judge, TOWER, "Gustave Eiffel, 1889", "Paris: 330 m")) == 2


class TestFiles:
    @pytest.mark.parametrize("name", ["model.onnx", "tokenizer.json", "layer.json"])
    def test_damaged_file_is_named(self, broken, name):
        with (broken / name).open("ab") as file:
            file.write(b"x")
        with pytest.raises(ConfigError, match=rf"{name} of the bundled judge is damaged: install"):
            VerifierJudge(Config(judge="verifier"))

    @pytest.mark.parametrize("name", ["model.onnx", "tokenizer.json", "layer.json", "config.json"])
    def test_missing_file_is_named(self, broken, name):
        (broken / name).unlink()
        with pytest.raises(ConfigError, match=rf"{name} of the bundled judge is missing: install"):
            VerifierJudge(Config(judge="verifier"))

    def test_another_layer_than_this_version_reads_is_refused(self, tmp_path):
        folder = tmp_path / "own"
        shutil.copytree(model_files.BUNDLED_MODEL, folder)
        (folder / "layer.json").write_text("{}")
        with pytest.raises(ConfigError, match="does not fit this version"):
            VerifierJudge(Config(judge="verifier", verifier="bundled", verifier_model=str(folder)))

    def test_size_and_checksums(self):
        sizes = [path.stat().st_size for path in model_files.BUNDLED_MODEL.iterdir()]
        assert sum(sizes) <= 30_000_000
        settings = json.loads((model_files.BUNDLED_MODEL / "config.json").read_text())
        assert set(settings["sha256"]) == {"model.onnx", "tokenizer.json", "layer.json"}


class TestWindows:
    def test_windows_are_short_overlap_and_hold_all(self):
        rng = random.Random(3)
        words = ["tower", "bridge", "old", "green", "river", "city", "north", "year"]
        for _ in range(50):
            sizes = [rng.choice([1, 5, 20, 60, 100]) for _ in range(rng.randrange(1, 12))]
            passage = " ".join(
                "The " + " ".join(rng.choice(words) for _ in range(size)) + "." for size in sizes
            )
            found = windows(passage)
            assert all(len(passage[s.start : s.end].split()) <= WORDS for s in found)
            covered = {n for span in found for n in range(span.start, span.end)}
            assert all(n in covered or passage[n].isspace() for n in range(len(passage)))

    def test_most_sharing_windows_come_first_and_are_few(self):
        filler = "Many people walked by the river on that day. " * 30
        found = choose_windows(
            f"{filler}The tower was built in 1889. {filler}", "The tower was built in 1889."
        )
        assert "tower was built" in found[0].text
        assert len(found) <= MOST


LOGITS = st.lists(st.tuples(*[st.floats(-9, 9)] * 3), min_size=1, max_size=4)


class TestLayer:
    @given(logits=LOGITS)
    def test_more_entailing_logits_never_lower_p(self, logits):
        layer = Layer.of(json.loads((model_files.BUNDLED_MODEL / "layer.json").read_text()))
        found = choose_windows("The tower was built. " * 40, "The tower was built.")[: len(logits)]
        scores = np.array(logits[: len(found)])
        more = scores + np.array([1.0, 0.0, 0.0])
        before, after = (
            layer.probabilities(read("The tower was built.", "The tower was built. " * 40, found, rows))
            for rows in (scores, more)
        )
        assert after[0] >= before[0] - 1e-9

    def test_shipped_weights_have_their_signs(self):
        weights = json.loads((model_files.BUNDLED_MODEL / "layer.json").read_text())
        for side in ("entailment", "contradiction"):
            assert all(weights[side][name] * sign >= 0 for name, sign in INPUTS.items())
