"""What is said of a setting where it is declared: its default, its help, its panel, what it affects."""

from __future__ import annotations

from typing import Any, Literal, NamedTuple

from pydantic import Field
from pydantic.fields import FieldInfo

Affects = Literal["results", "scores", "calls"]
"""Results: what is assessed. Scores: what is computed from it. Calls: how fast, at what price."""


class Setting(NamedTuple):
    """What pydantic does not keep of a setting.

    - `panel`: the heading it stands under on help pages.
    - `common`: a short help page shows it.
    - `alias`: another name of its flag.
    - `several`: its flag may be repeated although the field is no list.
    - `once`: the remedy where its flag is repeated; of other flags the last one counts.
    - `keyword`: the type of its keyword argument in Python, where that is not the field's nor a part's.
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

    `about` is shown by help pages, docs/settings.md and the JSON schema. The default is added to it there; it
    says itself what a default of none or auto comes to: "(default: ...)". `more` are further fields of
    :class:`Setting`, and limits of values as pydantic names them.
    """
    ours: dict[str, Any] = {"panel": panel} | {key: more.pop(key) for key in Setting._fields if key in more}
    return Field(default, description=about, json_schema_extra=ours, **more)


def setting_of(field: FieldInfo) -> Setting:
    """What was said of a setting beside its type, its limits and its help."""
    ours: Any = field.json_schema_extra
    return Setting(**ours)


def default_words(field: FieldInfo) -> str:
    """The default of a setting as its flag would say it."""
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
