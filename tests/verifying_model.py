"""An answer with its sources, and a model that verifies and corrects it: for tests of `verify`."""

import re

from factreasoner import ScriptedLLM
from factreasoner.tasks.verify.task import verify

SOURCES = [
    "The Harbour Museum opened on 4 May 1932. It shows ships and maps.",
    "In 2019 1,987,000 people visited the Harbour Museum.",
]


ANSWER = (
    "The Harbour Museum opened in 1930 [1]. It shows ships and maps [1]. In 2019 2 million people came [2].\n"
    "\n- It is loved by all [1][2].\n- It has a café [7].\n- Entry is free.\n"
)


class Model:
    """A model that splits at full stops, judges by words in the claim, and rewrites by a table.

    `spoilt` takes the name of a prompt, the arguments and how often that prompt was asked, and may return
    anything else.
    """

    def __init__(self, verdicts=(), rewrites=(), spoilt=lambda name, arguments, times: arguments):
        self.verdicts = {"1930": "False", "loved": "Not clear", **dict(verdicts)}
        self.rewrites = {"1930": "It opened in 1932 [1].", **dict(rewrites)}
        self.spoilt = spoilt
        self.asked = []

    def __call__(self, prompt, schema):
        self.asked.append(prompt.name)
        answer = getattr(self, prompt.name)(prompt, schema)
        return self.spoilt(prompt.name, answer, self.asked.count(prompt.name))

    def atomizer(self, prompt, schema):
        text = re.search(r"<given_parts_\w+>\n(.*)\n</given_parts", prompt.user, re.DOTALL)[1]
        return {"statements": text.splitlines()}

    def reviser(self, prompt, schema):
        return dict(schema.items)

    def verify(self, prompt, schema):
        arguments = {}
        for name, claim in schema.items.items():
            verdict = next((v for word, v in self.verdicts.items() if word in claim), "True")
            arguments |= {f"{name}_sources": "1", f"{name}_citation": "opened on 4 May 1932"}
            arguments |= {f"{name}_reasoning": f"So it says of {claim}", name: verdict}
        return arguments

    def correct(self, prompt, schema):
        return {
            name: next((new for word, new in self.rewrites.items() if word in sentence), "REMOVE")
            for name, sentence in schema.items.items()
        }


def verified(model=None, answer=ANSWER, **settings):
    return verify(answer, contexts=SOURCES, input="What of it?", llm=model and ScriptedLLM(model), **settings)


def fates(result):
    return [(claim.text, claim.label, claim.fate) for claim in result.claims]
