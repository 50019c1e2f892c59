#!/usr/bin/env bash
# A file of answers judged in batches: half the price, answered within a day. Killed anywhere, the same command goes on.
#
#     export OPENAI_API_KEY=...
#     bash examples/half_price.sh [FLAGS]        # any flag of `run`
set -euo pipefail
run=(factreasoner run examples/answers.jsonl --model openai/gpt-4o-mini --out runs/half-price "$@")
"${run[@]}" --dry-run
"${run[@]}" --dry-run --batch openai
"${run[@]}" --batch openai --max-cost 1.00
