"""What is wrong with a call is told in words of Python."""

import pytest

from factreasoner import assess, load_config, verify
from factreasoner.errors import ConfigError
from factreasoner.integrations.pytest_plugin import Factuality
from factreasoner.integrations.scoring import Scoring
from factreasoner.settings import in_python


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: assess("x", contexts=["y"], modle="m"), "unknown setting 'modle'; did you mean 'model'?"),
        (lambda: assess("x", context=["y"]), "unknown setting 'context'; did you mean 'contexts'?"),
        (lambda: verify("x", source=["y"]), "did you mean 'sources'?"),
        (lambda: Scoring(metrik="rag"), "did you mean 'metric'?"),
        (lambda: Factuality({}).check("x", min_precison=1), "did you mean 'min_precision'?"),
        (
            lambda: assess("x", contexts=["y"], judge="verifier"),
            "judge: 'verifier' needs to know which: add verifier=NAME",
        ),
        (lambda: load_config(None, {"atom_prior": 7}), "atom_prior: must be a number above 0 and below 1"),
        (lambda: load_config(None, {"cache": "perhaps"}), "cache: must be true or false"),
        (lambda: assess("x", contexts=["y"], workers=2), 'as many as concurrency; add executor="processes"'),
    ],
)
def test_what_is_wrong_with_a_call_is_told_in_words_of_python(call, message):
    with pytest.raises(ConfigError) as caught:
        call()
    assert message in str(caught.value)
    assert "--" not in str(caught.value)


@pytest.mark.parametrize(
    ("message", "told"),
    [
        ("(--column-map anwser=output)", "(column_map={'anwser': 'output'})"),
        ("name its key with --column-map KEY=output", "name its key with column_map={'KEY': 'output'}"),
        ("delete it, or use --no-cache", "delete it, or use cache=False"),
        ("use another --out, or start over with --fresh", "use another out, or start over with fresh=True"),
        ("use --version 2 or 3; raise --max-cost and go on", "use version=2 or 3; raise max_cost and go on"),
        ("fetch it with `factreasoner doctor --verifier-model m --verifier-download`",) * 2,
        ("text (--summarizer llm), --gold FILE", 'text (summarizer="llm"), --gold FILE'),
    ],
)
def test_flags_are_told_as_the_arguments_they_are(message, told):
    assert in_python(message) == told
