#!/usr/bin/env bash
# A model of your own judges: any server that speaks OpenAI's interface.
#
#     llama-server -m MODEL.gguf -c 8192 --parallel 1 --port 8080      # llama.cpp
#     bash examples/local_model.sh
#
#     OLLAMA_CONTEXT_LENGTH=8192 ollama serve                          # Ollama
#     bash examples/local_model.sh http://localhost:11434/v1 openai/qwen2.5:7b
#
# `doctor` says first what the model bears and how far to rely on it.
set -euo pipefail
server=(--api-base "${1:-http://localhost:8080/v1}" --model "${2:-openai/local}")
factreasoner doctor "${server[@]}"
factreasoner assess "${server[@]}" --context examples/cited/history.md \
  "The lighthouse at Skerry Point was lit for the first time in 1871."
