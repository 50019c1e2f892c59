"""The declaration of a setting: its default, help, panel and what it affects."""

from __future__ import annotations

from typing import Any, Literal, NamedTuple

from pydantic import Field
from pydantic.fields import FieldInfo

Affects = Literal["results", "scores", "calls"]
"""What a setting changes: the assessment, the scores computed from it, or only speed and price."""


class Setting(NamedTuple):
    """What a setting has beyond a pydantic field.

    - `panel`: its heading on help pages.
    - `common`: the short help page shows it.
    - `alias`: another name of its flag.
    - `several`: its flag may be repeated although the field is not a list.
    - `once`: the remedy if its flag is repeated; of other flags the last one counts.
    - `keyword`: the type of its keyword argument, where that is neither the field's nor a part's.
    """

    panel: str
    affects: Affects = "results"
    common: bool = False
    alias: str = ""
    several: bool = False
    once: str = ""
    keyword: str = ""


def setting(panel: str, default: object, about: str, **more: Any) -> Any:  # noqa: ANN401 - as Field
    """The pydantic field of a setting.

    Help pages, docs/settings.md and the JSON schema show `about`, followed by the default. Where the default
    is none or auto, `about` says what that means: "(default: ...)". `more` holds fields of :class:`Setting`
    and pydantic's limits of values.
    """
    ours: dict[str, Any] = {"panel": panel} | {key: more.pop(key) for key in Setting._fields if key in more}
    return Field(default, description=about, json_schema_extra=ours, **more)


def setting_of(field: FieldInfo) -> Setting:
    """The declaration of a setting."""
    ours: Any = field.json_schema_extra
    return Setting(**ours)


def default_words(field: FieldInfo) -> str:
    """The default of a setting as its flag would give it."""
    default = field.get_default(call_default_factory=True)
    if isinstance(default, bool):
        return "on" if default else "off"
    if isinstance(default, float):
        return f"{default:g}"
    return "none" if default is None or default in ((), {}) else str(default)


def help_of(field: FieldInfo) -> str:
    """What a setting is for, with its default."""
    about = str(field.description)
    return about if "(default: " in about else f"{about} (default: {default_words(field)})"
