"""Writes what is generated: keyword arguments of `Config`, and docs/settings.md, cli.md and metrics.md.

Run: `make settings`. `tests/settings/test_generated.py` fails where that was forgotten.
"""

from __future__ import annotations

import contextlib
import io
import json
import re
from itertools import groupby
from pathlib import Path

from factreasoner import cli
from factreasoner.pipeline import keywords
from factreasoner.pipeline.assembly import PARTS
from factreasoner.pipeline.config import FILE_SETTINGS, SETTINGS, Config
from factreasoner.settings.setting import default_text, must_be, setting_of

MODULE = Path(keywords.__file__).with_suffix(".pyi")
PAGE, CLI, METRICS = (Path(__file__).with_name(f"{name}.md") for name in ("settings", "cli", "metrics"))
KINDS = {
    key: kind
    for part in reversed(Config.__mro__)
    for key, kind in vars(part).get("__annotations__", {}).items()
    if key in Config.model_fields
}
"""The type of each setting, as its settings.py declares it."""
PROTOCOLS = {"assessor": "Evaluator"}
"""Protocols of components that are not named like their setting."""
MARK = "    # Written by `make settings`.\n"
START = "<!-- Written by `make settings` from here on. -->\n"


def module_text() -> str:
    """The types of the keyword arguments."""
    by_hand, mark, _ = MODULE.read_text(encoding="utf-8").partition(MARK)
    lines = (f"    {key}: {_keyword(key, kind)}\n" for key, kind in KINDS.items())
    return by_hand + mark + "".join(lines)


def _keyword(key: str, kind: str) -> str:
    """The type of a keyword: also a component, a string for a path, any sequence for a tuple, or None."""
    if key in PARTS:
        return f"Part[protocols.{PROTOCOLS.get(key) or key.title().replace('_', '')}] | None"
    own = setting_of(Config.model_fields[key]).keyword
    own = own or kind.replace("Path", "str | Path").replace("tuple[str, ...]", "Sequence[str]")
    return own if own.endswith("None") else f"{own} | None"


def page_text() -> str:
    """docs/settings.md with one table per panel."""
    by_hand, start, _ = PAGE.read_text(encoding="utf-8").partition(START)
    lines = [by_hand + start]
    panel = ""
    for key, setting in SETTINGS.items():
        field = Config.model_fields[key]
        if setting.panel != panel:
            panel = setting.panel
            lines.append(
                f"\n## {panel}\n\n| setting | default | meaning | value | affects |\n|---|---|---|---|---|\n"
            )
        about, _, said = str(field.description).partition(" (default: ")
        default = said.removesuffix(")") or default_text(field)
        takes = re.sub(r"(?<=of the form )\S+", r"`\g<0>`", (must_be(field) or "").removeprefix("must be "))
        names = " ".join(f"`{name}`" for name in filter(None, [key, setting.alias]))
        affects = "results" if key in FILE_SETTINGS else setting.affects  # by their content, not their path
        lines.append(f"| {names} | {default} | {about} | {takes} | {affects} |\n")
    return "".join(lines)


def cli_text() -> str:
    """docs/cli.md: exit codes by hand, then the help page of each command."""
    by_hand, start, _ = CLI.read_text(encoding="utf-8").partition(START)
    pages = (f"\n## {name}\n\n```text\n{_printed(name, '--help')}```\n" for name in cli.COMMANDS)
    return by_hand + start + "".join(pages)


def metrics_text() -> str:
    """docs/metrics.md with a table a task."""
    by_hand, start, _ = METRICS.read_text(encoding="utf-8").partition(START)
    lines = [by_hand + start]
    for task, metrics in groupby(
        json.loads(_printed("metrics", "--json")), key=lambda metric: metric["task"]
    ):
        lines.append(f"\n## {task}\n\n| metric | better | needs | meaning |\n|---|---|---|---|\n")
        for metric in metrics:
            cells = (f"`{metric['name']}`", *(metric[key] or "" for key in ("better", "needs", "meaning")))
            lines.append(f"| {' | '.join(str(cell).replace('|', chr(92) + '|') for cell in cells)} |\n")
    return "".join(lines)


def _printed(*arguments: str) -> str:
    with contextlib.redirect_stdout(io.StringIO()) as out:
        cli.execute(arguments)
    return out.getvalue()


GENERATED = {MODULE: module_text, PAGE: page_text, CLI: cli_text, METRICS: metrics_text}

if __name__ == "__main__":
    for path, text in GENERATED.items():
        path.write_text(text(), encoding="utf-8")
