"""`factreasoner assess`: one response, as a readable table."""

from __future__ import annotations

import os
from functools import partial
from pathlib import Path

from factreasoner.cli.flags import AS_JSON, EVERY, OF_CLAIMS, PROFILE, Command, argument, flag
from factreasoner.cli.mixups import refuse_file, refuse_text, text_argument
from factreasoner.errors import ConfigError
from factreasoner.report.terminal import print_text

LARGE = 1_000_000


class AssessCommand(Command, panels=EVERY, without=OF_CLAIMS):
    """Assess one answer against its contexts, atom by atom."""

    response: str | None = argument("TEXT", "The text to assess; - or no text for standard input.", None)
    file: Path | None = flag("Read the text from a file.", "--file", "-f")
    context: list[Path] | None = flag("A file with a context (evidence text); repeatable.")
    profile: Path | None = PROFILE
    as_json: bool = AS_JSON
    prompt: str = flag("The question the text answers.", default="")
    topic: str | None = flag("What the text is about.")

    def _execute(self) -> int:
        from factreasoner.cli.claim_tables import print_assessment
        from factreasoner.inputs.parsing import parse_record
        from factreasoner.pipeline.pipeline import build_pipeline
        from factreasoner.report.progress import one_answer
        from factreasoner.retrieval.sources import STANDARD_INPUT, read_sources, read_text

        self._refuse_mixups()
        config = self.config
        file, response = self.file, self.response
        if file and response:
            raise ConfigError("give the text as an argument or with --file, not both")
        source = str(file) if file else STANDARD_INPUT if response in (None, STANDARD_INPUT) else ""
        if [source, *map(str, self.context or ())].count(STANDARD_INPUT) > 1:
            raise ConfigError("standard input (-) can be read only once: name a file for the other")
        if not self.context and config.part("retriever").takes_given:
            raise ConfigError("no evidence: add --context FILE (repeatable), or --retriever NAME")
        if self.context and not config.part("retriever").takes_given:
            self._note(f"--context is used as it is: --retriever {config.retriever} searches for nothing.")
        text = read_text(source) if source else _decoded(str(response))
        read = read_sources([*map(str, self.context or ())], config, "--context")
        record = parse_record(
            "assess",
            response=text,
            prompt=_decoded(self.prompt),
            topic=_decoded(self.topic) if self.topic else None,
            contexts=[{"text": c.text, "title": c.title, "link": c.link} for c in read] or None,
        )
        for passage in record.contexts or ():
            if (length := len(passage.text)) > LARGE:
                message = f"{passage.id} has {length / 1e6:.1f} million characters: judging it takes a while"
                print_text(message, err=True)
        with one_answer():
            assessment = build_pipeline(config).assess(record)
        self.present(assessment.model_dump(mode="json"), partial(print_assessment, assessment, config))
        return 0 if assessment.status == "ok" else 3

    def _refuse_mixups(self) -> None:
        """Raise UsageError for a text in place of a file, or a file in place of a text."""
        for flag_name, path in (("--file", self.file), *(("--context", path) for path in self.context or ())):
            refuse_text(str(path or "-"), flag_name)
        for flag_name, text in (("--prompt", self.prompt), ("--topic", self.topic)):
            refuse_file(text or "", flag_name)
        if self.response not in (None, "-"):
            passages = (part for path in self.context or () for part in ("--context", str(path)))
            command = ("factreasoner", "assess", *passages)
            self._note(text_argument(_decoded(str(self.response)), command, "--file"))


def _decoded(argument: str) -> str:
    """An argument as UTF-8, whatever the locale."""
    try:
        return os.fsencode(argument).decode("utf-8")
    except UnicodeError as error:
        raise ConfigError("the text is not UTF-8; give it with --file") from error
