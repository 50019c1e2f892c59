"""FActScore's question about each atom of the records of a JSONL file; run by `factcheck.py`.

    python factscore_scores.py RECORDS.jsonl URL CONCURRENCY p_true MODEL

The prompt is that of `_get_score` in github.com/shmsw25/FActScore; its package needs
torch for a local model. The passages are those found for the atom. P(true) is that of "True" beside "False"
as the first token, as its local model is read; else what its reading of ChatGPT's words says, 1 or 0.
Prints {"p_true": [{atom: P of each record}]} as its last line.
"""

import json
import math
import string
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import httpx

records, url, concurrency = Path(sys.argv[1]), sys.argv[2], int(sys.argv[3])
which, name = sys.argv[4:]


def prompt(topic, atom, passages):
    """The question, as published."""
    definition = f"Answer the question about {topic} based on the given context.\n\n"
    definition += "".join(f"Title: {p['title']}\nText: {p['text']}\n\n" for p in reversed(passages)).strip()
    if definition[-1] not in string.punctuation:
        definition += "."
    return f"{definition.strip()}\n\nInput: {atom.strip()} True or False?\nOutput:"


def p_true(question):
    """P that the answer is True; None if the server gives none."""
    body = {
        "model": name,
        "messages": [{"role": "user", "content": question}],
        "temperature": 0,
        "max_tokens": 16,
        "logprobs": True,
        "top_logprobs": 20,
    }
    found = httpx.post(f"{url}/chat/completions", json=body, timeout=900, trust_env=False)
    if found.is_error:
        return None
    choice = found.json()["choices"][0]
    first = ((choice.get("logprobs") or {}).get("content") or [{}])[0].get("top_logprobs") or []
    mass = {"true": 0.0, "false": 0.0}
    for option in first:
        word = option["token"].strip().lower()
        if word in mass:
            mass[word] += math.exp(option["logprob"])
    if sum(mass.values()) > 0:
        return mass["true"] / sum(mass.values())
    answer = choice["message"]["content"].lower()
    if "true" in answer or "false" in answer:
        return float(answer.find("true") > answer.find("false"))
    words = answer.translate(str.maketrans("", "", string.punctuation)).split()
    return float(not {"not", "cannot", "unknown", "information"} & set(words))


rows = [json.loads(line) for line in records.read_text(encoding="utf-8").splitlines()]
scores = []
with ThreadPoolExecutor(concurrency) as pool:
    for row in rows:
        contexts = {context["id"]: context for context in row["contexts"]}
        questions = [
            prompt(row["topic"], atom["text"], [contexts[at] for at in atom["contexts"]])
            for atom in row["atoms"]
        ]
        told = pool.map(p_true, questions)
        scores.append({atom["id"]: p for atom, p in zip(row["atoms"], told, strict=True)})
print(json.dumps({which: scores}))
