"""`factreasoner doctor`: check what is installed, reachable or missing."""

from __future__ import annotations

import importlib
import os
import platform
import sys
import tempfile
import warnings
from collections.abc import Iterator
from contextlib import closing, nullcontext, redirect_stdout
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import TYPE_CHECKING, Literal, NamedTuple

from rich.markup import escape
from rich.table import Column

import merlin_bridge
from factreasoner.calls.cache import cache_folder
from factreasoner.cli.claim_tables import better_judge
from factreasoner.cli.flags import AS_JSON, PROFILE, Command, flag
from factreasoner.errors import CallTimeoutError, ConfigError, LLMError, pip_command
from factreasoner.judges.encoder.model_files import model_files
from factreasoner.llm.client import LiteLLMClient
from factreasoner.models import Claim, Premise
from factreasoner.models.results import LEAST_PROBE_CALLS, MOST_PROBE_CALLS
from factreasoner.pipeline.config import Config
from factreasoner.pipeline.loading import load_settings
from factreasoner.plugins.kinds import load
from factreasoner.plugins.table import EXTRA_OF_MODULE
from factreasoner.report.console import Terminal
from factreasoner.report.progress import one_answer
from factreasoner.report.terminal import in_flags, print_json
from factreasoner.text.parsing import describe_parser, install_command

if TYPE_CHECKING:
    from factreasoner.judges.encoder.judge import VerifierJudge

REQUIRED = ("litellm", "numpy", "onnxruntime", "pgmpy", "pydantic", "scipy", "tokenizers", "typer")
LIBRARY = Premise("p", "The library opens at nine and closes at five.")
STATED = Claim("c", "The library opens at nine.")
KEYS = ("OPENAI_API_KEY", "ANTHROPIC_API_KEY", "GEMINI_API_KEY", "SERPER_API_KEY")


MARKS = {"ok": "[green]ok[/]", "missing": "[yellow]-[/]", "weak": "[yellow]weak[/]", "wrong": "[red]wrong[/]"}


class Finding(NamedTuple):
    """One check. `missing` is fine unless wanted; `weak` is poor; `wrong` needs a fix."""

    state: Literal["ok", "missing", "weak", "wrong"]
    name: str
    detail: str


class DoctorCommand(Command, panels=("Model", "Judging", "Verifier")):
    """Check the installation, the keys, the cache and, with --model, how many claims fit in a call.

    With --verifier: check that the verifier is installed and works; --download fetches its model.
    """

    call: bool = flag(
        f"With --model: probe it with known claims, in {LEAST_PROBE_CALLS} to {MOST_PROBE_CALLS} calls.",
        "--call/--no-call",
        default=True,
    )
    download: bool = flag("Fetch --verifier-model from the hub if it is not in the local cache.")
    profile: Path | None = PROFILE
    as_json: bool = AS_JSON

    def _execute(self) -> int:
        if self.settings["verifier"] is not None:
            self.settings["judge"] = "verifier"
        config = load_settings(self.profile, self.settings)
        if self.download:
            _fetch(config)
        checks = list(_checks(config, call=self.call))
        if self.as_json:
            print_json([check._asdict() for check in checks])
        else:
            rows = ((MARKS[check.state], check.name, escape(in_flags(check.detail))) for check in checks)
            Terminal(soft_wrap=True).columns(("", Column(no_wrap=True), ""), rows, show_header=False)
        return 1 if any(check.state == "wrong" for check in checks) else 0


def _checks(config: Config, *, call: bool) -> Iterator[Finding]:
    """Check packages, keys (only whether set), cache, merlin and, if `call`, the model."""

    yield Finding("ok", "python", platform.python_version())
    for package in REQUIRED:
        found = _version(package)
        yield Finding("ok" if found else "wrong", package, found or "not installed: pip install factreasoner")
    for module, (feature, extra) in EXTRA_OF_MODULE.items():
        check = _extra(module, feature, extra)
        yield check
        if module == "spacy" and check.state == "ok":
            yield _pipeline()
    for key in KEYS:
        is_set = bool(os.environ.get(key))
        yield Finding("ok" if is_set else "missing", key, "set" if is_set else "not set")
    yield _cache(config)
    yield _merlin(config)
    if config.part("judge").classifies:
        yield _verifier(config, call=call)
    if config.first_model is not None and call:
        yield from _model(config)


def _version(name: str) -> str | None:
    try:
        return version(name)
    except PackageNotFoundError:
        return None


def _extra(module: str, feature: str, extra: str) -> Finding:
    """Whether a module can be imported; an installed package may be broken."""
    install = pip_command(extra)
    try:
        with warnings.catch_warnings(action="ignore"), redirect_stdout(sys.stderr):
            importlib.import_module(module)
    except (Exception, SystemExit) as error:  # noqa: BLE001 - whatever a package does as it is imported
        if isinstance(error, ModuleNotFoundError) and f"{module}.".startswith(f"{error.name}."):
            return Finding("missing", module, f"{feature}: {install}")
        why = f"broken: it can't be imported ({type(error).__name__}: {error})"
        return Finding("wrong", module, f"{feature}: {why}: {install} --force-reinstall")
    known = _version(module) or "installed"  # a package of another name, as onnxruntime-gpu
    return Finding("ok", module, f"{known} ({feature}: extra {extra})")


def _pipeline() -> Finding:
    found = describe_parser()
    if found is None:
        return Finding(
            "missing", "pipeline", f"none for spacy, so an atom is a sentence: {install_command()}"
        )
    return Finding("ok", "pipeline", f"{found} (splitting English answers into atoms)")


def _cache(config: Config) -> Finding:
    folder = cache_folder(config)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            return Finding("ok", "cache", str(folder))
    except OSError as error:
        return Finding("wrong", "cache", f"{folder}: {error.strerror}; choose another with --cache-dir")


def _merlin(config: Config) -> Finding:
    try:
        return Finding("ok", "merlin", str(merlin_bridge.locate(config.merlin_path)))
    except merlin_bridge.MerlinNotFoundError as error:
        return Finding("missing", "merlin", str(error))


def _fetch(config: Config) -> None:
    """Download the verifier's model. Raises ConfigError: not on the hub, or the hub is unreachable."""
    from factreasoner.judges.encoder.adapter import adapter_of

    model_files(config, adapter_of(config.judging_verifier).export, download=True)


def _verifier(config: Config, *, call: bool) -> Finding:
    name = str(config.judging_verifier)
    try:
        with closing(LiteLLMClient(config)) if config.first_model and call else nullcontext() as llm:
            judge: VerifierJudge = load("judge", "verifier")(config, llm=llm)
            judged = judge.judge(LIBRARY, [STATED])
    except ConfigError as error:
        return Finding("wrong", name, str(error))
    if judged.failures:
        return Finding("wrong", name, judged.failures[0].message)
    (verdict,) = judged.verdicts
    tried = f"{judge.runtime}; a test: {verdict.label} {verdict.probability:.2f}"
    if verdict.label == "entailment":
        return Finding("ok", name, f"{tried}. {better_judge(config)}".removesuffix(". "))
    doubt = "do not rely on it; check that id2label or labels lists its outputs in the right order"
    return Finding("wrong", name, f"{tried}, where the context states the claim word for word: {doubt}")


def _model(config: Config) -> Iterator[Finding]:
    """Probe how many claims fit in a call; the cache keeps the result for later runs."""
    from factreasoner.judges.probe import probe, prompt_key

    patience = config.patience if "patience" in config.model_fields_set else 0.0
    attempts = config.max_attempts if "max_attempts" in config.model_fields_set else 2
    hasty = {"cache": False, "patience": patience, "max_attempts": attempts}
    name = str(config.first_model)
    with closing(LiteLLMClient(config.model_copy(update=hasty))) as client:
        try:
            with one_answer():
                found = probe(client, config)
        except CallTimeoutError as error:
            remedy = "a longer --timeout, fewer slots, and no more threads than there are free cores"
            tries = f"{error} in {error.attempts} attempts; give a slow server {remedy} (docs/models.md)"
            yield Finding("wrong", name, tries)
            return
        except (ConfigError, LLMError) as error:
            yield Finding("wrong", name, str(error))
            return
        known = client.kept.known
    known = known.model_copy(update={"probes": {**known.probes, prompt_key(config): found}})
    with closing(LiteLLMClient(config)) as keeper:
        keeper.kept.adopt(known)
    yield Finding("wrong" if not found.reliable else "weak" if found.weak else "ok", name, str(known))
