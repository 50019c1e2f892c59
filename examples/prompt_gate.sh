#!/usr/bin/env bash
# A gate for a repository of prompts: what the prompts of this change are answered with must stay as factual as before.
#
#     bash examples/prompt_gate.sh [ANSWERS.jsonl [PRECISION]]
#
# A job of CI asks your model the prompts and writes each answer with the passages it rests on as a line of ANSWERS.jsonl;
# then it runs this. Exit code 4: a rule is not kept. check.xml is for the list of tests that CI shows.
set -euo pipefail
answers=${1:-examples/answers.jsonl}
factreasoner run "$answers" --out runs/gate --quiet
factreasoner show runs/gate --label contradicted --sort p --limit 1
factreasoner check runs/gate --min precision="${2:-0.5}" --max failures=0 --junit runs/gate/check.xml
