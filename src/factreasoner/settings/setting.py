"""The declaration of a setting: default, help, panel, effect, and valid values."""

from __future__ import annotations

import types
from typing import Annotated, Any, Literal, NamedTuple, Union, get_args, get_origin

from pydantic import ConfigDict, Field, model_validator
from pydantic.fields import FieldInfo

from factreasoner.models.formatting import KINDS, one_of
from factreasoner.models.records import Model
from factreasoner.settings.removed import REMOVED, removal_notice

Affects = Literal["results", "scores", "calls"]
"""What a setting changes: the assessment, the scores computed from it, or only speed and cost.

For files and models, the content counts and not the path: the manifest keeps a fingerprint.
"""


class ConflictError(ValueError):
    """The value of the setting `key` is removed, or conflicts with another setting."""

    def __init__(self, key: str, message: str) -> None:
        super().__init__(message)
        self.key = key


class Settings(Model):
    """Settings of one part; its model includes those of parts whose settings it reads.

    None for a setting means its default.

    Raises pydantic's ValidationError: a setting is unknown, or its value is wrong.
    """

    model_config = ConfigDict(defer_build=True)

    @model_validator(mode="before")
    @classmethod
    def _removed_values(cls, data: Any) -> Any:  # noqa: ANN401 - whatever is to be validated
        """Refuse removed values."""
        for key, value in data.items() if isinstance(data, dict) else ():
            if f"{key} {value}" in REMOVED:
                raise ConflictError(key, str(removal_notice(key, value)))
        return {k: v for k, v in data.items() if v is not None} if isinstance(data, dict) else data


class Setting(NamedTuple):
    """Properties of a setting beyond a pydantic field.

    - `panel`: its heading on help pages.
    - `common`: shown on the short help page.
    - `alias`: another name of its flag.
    - `several`: its flag may be repeated although the field is not a list.
    - `once`: the fix if its flag is repeated; for other flags the last one counts.
    - `keyword`: the type of its keyword argument, if that is neither the field's nor a component's.
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

    Help pages, docs/settings.md and the JSON schema show `about`, followed by the default. If the default is
    none or auto, `about` explains it: "(default: ...)". `more` holds fields of :class:`Setting` and
    pydantic's limits.
    """
    ours: dict[str, Any] = {"panel": panel} | {key: more.pop(key) for key in Setting._fields if key in more}
    return Field(default, description=about, json_schema_extra=ours, **more)


def setting_of(field: FieldInfo) -> Setting:
    """The declaration of a setting."""
    ours: Any = field.json_schema_extra
    return Setting(**ours)


def default_text(field: FieldInfo) -> str:
    """The default of a setting as for its flag."""
    default = field.get_default(call_default_factory=True)
    if isinstance(default, bool):
        return "on" if default else "off"
    if isinstance(default, float):
        return f"{default:g}"
    return "none" if default is None or default in ((), {}) else str(default)


def help_of(field: FieldInfo) -> str:
    """The help text of a setting, with its default."""
    about = str(field.description)
    return about if "(default: " in about else f"{about} (default: {default_text(field)})"


def must_be(field: FieldInfo) -> str | None:
    """The valid values of a field ("must be a number from 0 to 2"); None if too complex."""
    choices: list[str] = []
    for kind in kinds_of(field.annotation):
        if get_origin(kind) is Literal:
            choices += map(str, get_args(kind))
        elif words := KINDS.get(get_origin(kind) or kind):
            choices.append(" ".join(filter(None, (words, _limits(field)))))
        else:
            return None
    return f"must be {one_of(choices)}" if choices else None


def kinds_of(annotation: Any) -> list[Any]:  # noqa: ANN401 - a type, of whatever form
    """The types of a union, without None."""
    if get_origin(annotation) is Annotated:
        return kinds_of(get_args(annotation)[0])
    if get_origin(annotation) in (Union, types.UnionType):
        return [kind for part in get_args(annotation) for kind in kinds_of(part)]
    return [] if annotation is type(None) else [annotation]


def _limits(field: FieldInfo) -> str:
    """The limits of a number or string, as text."""
    found = {
        name: getattr(rule, name)
        for rule in field.metadata
        for name in ("ge", "gt", "le", "lt", "min_length", "pattern")
        if getattr(rule, name, None) is not None
    }
    if "ge" in found and "le" in found:
        return "from {ge:g} to {le:g}".format(**found)
    words = {
        "ge": "of at least {ge:g}",
        "gt": "above {gt:g}",
        "le": "of at most {le:g}",
        "lt": "below {lt:g}",
        "min_length": "that is not empty",
        "pattern": "of the form {pattern}",
    }
    return " and ".join(text.format(**found) for name, text in words.items() if name in found)
