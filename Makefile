# Everything a developer, the hooks and CI run. Each target sets itself up in .venv; nothing else is touched.
PYTHON ?= python3
BIN := .venv/bin

.PHONY: demo install lock format settings lint type test integration docs check-delivery release-check bench figures peers clean

demo: install ## the main job on bundled answers: no key, no network, no model
	@$(BIN)/factreasoner demo
	@printf 'Before these commands: source $(BIN)/activate\n'

install: .venv/installed ## the exact versions of requirements.lock, and this checkout

.venv/installed: pyproject.toml requirements.lock
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Python 3.11 or newer is needed: make PYTHON=python3.12 ...")'
	@printf 'Installing some 200 packages into .venv, once: one to four minutes.\n'
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --disable-pip-version-check 'uv>=0.5,<1'
	@printf 'Packages are fetched and compiled: most of that time, and nothing is said meanwhile.\n'
	$(BIN)/uv pip install --quiet --python $(BIN)/python --compile-bytecode -r requirements.lock
	$(BIN)/uv pip install --quiet --python $(BIN)/python --no-deps -e .
	touch $@

lock: ## choose versions anew; the lines on what is pinned by its hash are kept
	set -e; kept=$$(grep -B 2 -e --hash requirements.lock); \
	uv pip compile --quiet --upgrade pyproject.toml --all-extras --no-extra ray --group dev --universal \
	  --no-annotate --no-header --output-file requirements.lock; \
	echo "$$kept" >> requirements.lock

format: install ## rewrite the code's layout and what can be mended by machine
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

settings: install ## write what is generated: docs/settings.md, cli.md, metrics.md, keyword arguments
	$(BIN)/python docs/settings.py
	$(BIN)/ruff format src/factreasoner/pipeline/keywords.pyi

lint: install
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .

type: install
	$(BIN)/mypy

test: install ## needs no network and no key
	PYTHONDONTWRITEBYTECODE= $(BIN)/pytest -n auto --maxprocesses 8 --dist worksteal

integration: install .venv-integration/installed .venv-tools/installed .venv-cluster/installed ## the server that FACTREASONER_API_BASE names, litellm's proxy, other tools, a Ray cluster
	FACTREASONER_INTEGRATION=1 $(BIN)/pytest tests/real_server -v -rs
	FACTREASONER_INTEGRATION=1 .venv-integration/bin/python -m pytest tests/integration -W ignore -v
	.venv-tools/bin/python -m pytest tests/integrations -W ignore -v
	.venv-cluster/bin/python -m pytest tests/cluster -W ignore -v

package := -e .
.venv-docs/installed .venv-delivery/installed: package :=

.venv-%/installed: pyproject.toml ## the group of that name
	$(PYTHON) -m venv .venv-$*
	.venv-$*/bin/python -m pip install --quiet --disable-pip-version-check 'uv>=0.5,<1'
	.venv-$*/bin/uv pip install --quiet --python .venv-$*/bin/python $(package) --group $*
	touch $@

docs: .venv-docs/installed ## the site, in build/site; a link that leads nowhere stops it
	.venv-docs/bin/zensical build --clean --strict
	@printf 'Read it, with its search, at http://localhost:8000, by: python3 -m http.server -d build/site\n'

check-delivery: .venv-delivery/installed ## Dockerfile, workflows and action, read by linters; asks no network
	.venv-delivery/bin/hadolint Dockerfile
	.venv-delivery/bin/zizmor --offline --quiet .github action.yml
	.venv-delivery/bin/check-jsonschema --builtin-schema vendor.github-workflows .github/workflows/*.yml
	.venv-delivery/bin/check-jsonschema --builtin-schema vendor.github-actions action.yml

release-check: .venv-delivery/installed ## wheel and sdist in dist/; README's first command, by the wheel in an empty environment
	rm -rf dist
	.venv-delivery/bin/uv build --quiet
	.venv-delivery/bin/twine check --strict dist/*.whl dist/*.tar.gz
	.ci/try-wheel

bench: install ## speed and memory beside a peer or a limit, less than ten minutes; kept in benchmarks/RESULTS.md
	$(BIN)/python benchmarks/results.py bench

figures: install ## quality on labelled data, most of an hour; kept there too
	$(BIN)/python benchmarks/results.py figures

peers: install ## calls, tokens and time beside ragas and deepeval, each installed into .venv-peers; kept there too
	$(BIN)/python benchmarks/results.py peers

clean:
	rm -rf .venv .venv-integration .venv-tools .venv-cluster .venv-peers .venv-docs .venv-delivery .cache .mypy_cache .ruff_cache .pytest_cache .hypothesis build dist
