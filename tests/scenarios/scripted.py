"""Models that say what is written here, with log-probabilities, for a `FakeServer` or files of requests."""

import json
import math
import random
import re

from fake_server import Completion, prose
from fenced import fenced

RECORDS = (
    {
        "id": "bridge",
        "input": "Tell me of the bridge.",
        "output": "The bridge opened in 1932 and is 503 metres long. It was designed by Bradfield.",
        "contexts": [
            "The bridge was opened on 19 March 1932.",
            "The arch of the bridge spans 503 metres; John Bradfield oversaw its design.",
        ],
    },
    {
        "id": "tower",
        "input": "Tell me of the tower.",
        "output": "The tower was built in 1898. It is 330 metres high.",
        "contexts": ["The tower was finished in 1889.", "With its antennas it is 330 metres high."],
    },
    {
        "id": "harbour",
        "input": "Tell me of the harbour.",
        "output": "The harbour froze in 1947.",
        "contexts": ["Ice closed the harbour for six weeks in 1947."],
    },
)
STATEMENTS = {
    "The bridge opened in 1932 and is 503 metres long.": (
        "The bridge opened in 1932.",
        "The bridge is 503 metres long.",
    )
}
REWRITTEN = {
    "It was designed by Bradfield.": "The bridge was designed by Bradfield.",
    "It is 330 metres high.": "The tower is 330 metres high.",
}
VALUES = ("True", "False", "Not clear")
SHARES = {
    ("19 March", "opened in 1932"): (0.97, 0.01, 0.02),
    ("503 metres", "503 metres"): (0.9, 0.02, 0.08),
    ("503 metres", "designed by"): (0.55, 0.05, 0.4),
    ("1889", "built in 1898"): (0.04, 0.9, 0.06),
    ("330 metres", "330 metres"): (0.98, 0.01, 0.01),
    ("Ice closed", "froze in 1947"): (0.8, 0.05, 0.15),
}
"""What a passage says, what a claim says -> the probabilities of the values."""
OTHERWISE = (0.03, 0.07, 0.9)


def scripted(request):
    """Split, rewrite and judge as it is written above."""
    if request.function == "report_statements":
        parts = re.findall(r"^\[\d+\] (.*)$", fenced(request.asked, "parts")[0], re.MULTILINE)
        return {"statements": [said for part in parts for said in STATEMENTS.get(part, (part,))]}
    if request.function == "rewrite_statements":
        return {name: REWRITTEN.get(text, text) for name, text in request.listed.items()}
    return judged(request, lambda passage, claim: SHARES.get(_words_of(passage, claim), OTHERWISE))


def broken_on_ice(request):
    """As `scripted`, but facts about one passage are answered in plain words."""
    return prose() if "Ice closed" in request.asked else scripted(request)


def _words_of(passage, claim):
    return next((words for words in SHARES if words[0] in passage and words[1] in claim), None)


def judged(request, shares_of):
    """The likeliest value of each fact, with log-probabilities by `shares_of(passage, claim)`."""
    passage = fenced(request.asked, "passage")[0]
    shares = {name: shares_of(passage, text) for name, text in request.listed.items()}
    arguments = {name: VALUES[p.index(max(p))] for name, p in shares.items()}
    if request.form == "word":
        (value,), (only,) = arguments.values(), shares.values()
        return Completion(arguments=arguments, tokens=[_token("", value, only)])
    return Completion(arguments=arguments, tokens=list(_tokens(arguments, shares)))


def _tokens(arguments, shares):
    """The JSON, each value a token with its alternatives."""
    rest = json.dumps(arguments)
    for name, value in arguments.items():
        before, _, rest = rest.partition(f'"{name}": "{value}')
        yield f'{before}"{name}": ', 0.0, ()
        yield _token('"', value, shares[name])
    yield rest, 0.0, ()


def _token(before, value, shares):
    top = [(before + other, math.log(p)) for other, p in zip(VALUES, shares, strict=True)]
    return before + value, math.log(max(shares)), top


# Verdicts that are surer than they should be, and what is right

LABELS = ("entailment", "contradiction", "neutral")
RIGHT = ("entailment",) * 3 + ("contradiction",) * 2 + ("neutral",) * 5
LISTS = range(10)


def lists():
    """Records of ten claims and a passage each."""
    for n in LISTS:
        claims = [f"Claim {i} of list {n}." for i in range(len(RIGHT))]
        yield {
            "id": f"list-{n}",
            "output": " ".join(claims),
            "atoms": [
                {"id": f"a{i}", "text": text, "label": "S" if RIGHT[i] == "entailment" else "NS"}
                for i, text in enumerate(claims)
            ],
            "contexts": [{"id": "c0", "text": f"Passage {n}."}],
        }


def right_labels():
    """The right label of each pair, in the format of recorded verdicts."""
    for n in LISTS:
        for i, label in enumerate(RIGHT):
            yield {"record": f"list-{n}", "source": "c0", "target": f"a{i}", "label": label}


def too_credulous(request):
    """Judge the lists: the right value has a lead, and "True" a larger one than it should."""
    return judged(request, lambda passage, claim: _drawn(*map(int, re.findall(r"\d+", claim))))


def _drawn(claim, of_list):
    draw = random.Random(f"{of_list} {claim}").random
    scores = [5 * draw() + 2 * (label == "entailment") + 3 * (label == RIGHT[claim]) for label in LABELS]
    shares = [math.exp(score) for score in scores]
    return tuple(share / sum(shares) for share in shares)
