"""What is said of a setting where it is declared: its default, its help, its panel, what it affects."""

from __future__ import annotations

from typing import Any, Literal, NamedTuple, TypedDict, Unpack

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


class _More(TypedDict, total=False):
    """What else may be said: fields of :class:`Setting`, and limits of values as pydantic names them."""

    affects: Affects
    common: bool
    alias: str
    several: bool
    once: str
    keyword: str
    ge: float
    gt: float
    le: float
    lt: float
    min_length: int
    pattern: str
    allow_inf_nan: bool


def setting(panel: str, default: object, about: str, **more: Unpack[_More]) -> Any:  # noqa: ANN401 - as Field
    """The pydantic field of a setting.

    `about` is shown by help pages, docs/settings.md and the JSON schema. The default is added to it there; it
    says itself what a default of none or auto comes to: "(default: ...)".
    """
    ours: dict[str, Any] = {
        "panel": panel,
        **{key: value for key, value in more.items() if key in Setting._fields},
    }
    limits: dict[str, Any] = {key: value for key, value in more.items() if key not in ours}
    return Field(default, description=about, json_schema_extra=ours, **limits)


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
