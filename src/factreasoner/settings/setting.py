"""The declaration of a setting: its default, help, panel, what it affects; and what its value must be."""

from __future__ import annotations

import types
from typing import Annotated, Any, Literal, NamedTuple, Union, get_args, get_origin

from pydantic import ConfigDict, Field, model_validator
from pydantic.fields import FieldInfo

from factreasoner.models.records import Model
from factreasoner.models.wording import KINDS, one_of
from factreasoner.settings.removed import REMOVED, removal_notice

Affects = Literal["results", "scores", "calls"]
"""What a setting changes: the assessment, the scores computed from it, or only speed and price.

Of a file or a verifier's model the content counts and not the path, so a path changes nothing: the manifest
keeps a fingerprint of it.
"""


class Settings(Model):
    """Settings of one part; a part's model has those of the parts whose settings it reads.

    None for a setting stands for its default.

    Raises ValidationError: (pydantic's) a setting is unknown, or its value is wrong.
    """

    model_config = ConfigDict(defer_build=True)

    @model_validator(mode="before")
    @classmethod
    def _removed_values(cls, data: Any) -> Any:  # noqa: ANN401 - whatever is to be validated
        """Refuse values that earlier versions had."""
        for key, value in data.items() if isinstance(data, dict) else ():
            if f"{key} {value}" in REMOVED:
                raise ValueError(f"{key}: {removal_notice(key, value)}")
        return {k: v for k, v in data.items() if v is not None} if isinstance(data, dict) else data


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


def must_be(field: FieldInfo) -> str | None:
    """What a field takes ("must be a number from 0 to 2"); None if a few words can't say it."""
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
    """The limits of a number or a text, in words."""
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
