"""Executables that keep merlin's contract, or break it: Python scripts a test writes to a folder of its own.

The one that answers reads the same files, takes the same arguments and prints the same layout as libmerlin
1.7.0; it computes by brute force, component by component, in plain doubles as merlin's `cte` does, and shares
the faults the bridge is there to avoid: it crashes on fewer factors than variables, ignores variables no
factor mentions, and gives up when exp(log Z) is 0.
"""

import sys

PRELUDE = """
import json, math, os, signal, subprocess, sys, time
words = sys.argv[1:]
options = {name.removeprefix("--"): value for name, value in zip(words[::2], words[1::2])}
here = os.path.dirname(os.path.abspath(__file__))
with open(os.path.join(here, "calls.jsonl"), "a") as log:
    log.write(json.dumps({"words": words, "cwd": os.getcwd()}) + "\\n")

def answer(text):
    with open(options["output-file"] + ".MAR.json", "w") as out:
        out.write(text)
"""

BRUTE_FORCE = """
import itertools

def numbers(path):
    return iter(open(path).read().split())

tokens = numbers(options["input-file"])
assert next(tokens) == "MARKOV"
sizes = [int(next(tokens)) for _ in range(int(next(tokens)))]
scopes = [[int(next(tokens)) for _ in range(int(next(tokens)))] for _ in range(int(next(tokens)))]
tables = []
for scope in scopes:
    assert int(next(tokens)) == math.prod(sizes[i] for i in scope)
    tables.append([float(next(tokens)) for _ in range(math.prod(sizes[i] for i in scope))])
assert next(tokens, None) is None
evidence = {}
if "evidence-file" in options:
    tokens = numbers(options["evidence-file"])
    evidence = {int(next(tokens)): int(next(tokens)) for _ in range(int(next(tokens)))}

free = [i for i in range(len(sizes)) if i not in evidence]
factors = [(s, t) for s, t in zip(scopes, tables) if any(i not in evidence and sizes[i] > 1 for i in s)]
if len(factors) < len(free) or not free:
    os.kill(os.getpid(), signal.SIGSEGV)

def value(scope, table, state):
    index = 0
    for i in scope:
        index = index * sizes[i] + state[i]
    return table[index]

group = {i: i for i in free}
for scope, _ in factors:
    together = {group[i] for i in scope if i in group}
    for i in group:
        if group[i] in together:
            group[i] = min(together)
sums, weights = {}, {}
for name in sorted(set(group.values())):
    members = [i for i in free if group[i] == name]
    inside = [(s, t) for s, t in factors if any(group.get(i) == name for i in s)]
    for i in members:
        weights[i] = [0.0] * sizes[i]
    sums[name] = 0.0
    for choice in itertools.product(*(range(sizes[i]) for i in members)):
        state = evidence | dict(zip(members, choice))
        weight = 1.0
        for scope, table in inside:
            weight *= value(scope, table, state)
        sums[name] += weight
        for i in members:
            weights[i][state[i]] += weight

names = list(sums)
before, after = [1.0], [1.0]
for name in names:
    before.append(before[-1] * sums[name])
for name in reversed(names):
    after.append(after[-1] * sums[name])
others = {name: before[k] * after[len(names) - 1 - k] for k, name in enumerate(names)}
constant = math.prod(value(s, t, evidence) for s, t in zip(scopes, tables) if all(i in evidence for i in s))
total = before[-1] * constant

def printed(number):
    return ("-nan" if math.isnan(number) else "-inf" if number < 0 else "inf") if not math.isfinite(number) \\
        else "%.6f" % number

log_z = math.log(total) if total > 0 else -math.inf if total == 0 else total
mentioned = max(i for scope in scopes for i in scope) + 1
entries = []
for i in range(mentioned):
    if i in evidence:
        p = [float(state == evidence[i]) for state in range(sizes[i])]
    else:
        scaled = [w * others[group[i]] for w in weights[i]]
        mass = sum(scaled)
        p = [w / mass if math.isfinite(mass) and mass else math.nan for w in scaled]
    entries.append('{ "variable" : %d,  "states" : %d,  "probabilities" : [%s] }'
                   % (i, sizes[i], ", ".join(map(printed, p))))
possible = total != 0.0
answer('{ "algorithm" : "%s",  "task" : "MAR",  "value" : %s,  "status" : "%s",  "message" : "%s",  '
       '"marginals" : [ %s] }' % (
           options["algorithm"], printed(log_z), "true" if possible else "false",
           "Consistent evidence" if possible else "Inconsistent evidence or underflow",
           ", ".join(entries) if possible else ""))
print("[CTE] + exact inference  : Yes")
"""


def script(folder, body, *, name="merlin"):
    """An executable that runs `body`; `options`, `answer(text)` and the prelude's imports are at hand."""
    path = folder / name
    path.write_text(f"#!{sys.executable} -IS\n{PRELUDE}\n{body}\n", encoding="utf-8")
    path.chmod(0o755)
    return path


def brute_force_merlin(folder):
    """An executable that answers."""
    return script(folder, BRUTE_FORCE)
