"""What a value must be is said in words of ours, for every setting and every kind of error."""

from datetime import date
from typing import Literal

import pytest
from pydantic import BaseModel, Field, ValidationError, field_validator
from pydantic_core import PydanticCustomError

from factreasoner.models.formatting import refused
from factreasoner.pipeline.config import Config
from factreasoner.settings.setting import must_be


def test_every_setting_describes_valid_values():
    for key, field in Config.model_fields.items():
        assert (must_be(field) or "").startswith("must be "), key
    assert must_be(Config.model_fields["k"]) == "must be a whole number, median or half"
    assert must_be(Config.model_fields["max_cost"]) == "must be a number of at least 0"
    assert must_be(Config.model_fields["merlin_algorithm"]) == "must be wmb, bte, cte, ijgp or lbp"


class Line(BaseModel, extra="forbid"):
    name: str = Field(default="x", min_length=1)
    label: Literal["yes", "no"] = "no"
    share: float = Field(default=0.5, gt=0, le=1, allow_inf_nan=False)
    count: int = 1
    sure: bool = False
    code: str = Field(default="0123456789", min_length=10, max_length=12)
    day: date = Field(default=date(2026, 1, 1), ge=date(2020, 1, 1))
    size: int = Field(default=0, le=10**400)
    even: int = 0

    @field_validator("even")
    @classmethod
    def is_even(cls, value: int) -> int:
        if value % 2:
            raise PydanticCustomError("greater_than", "Odd numbers are not sold")
        return value


@pytest.mark.parametrize(
    ("value", "words"),
    [
        ({"name": 3}, "must be a string"),
        ({"name": ""}, "must not be empty"),
        ({"label": "perhaps"}, "must be 'yes' or 'no'"),
        ({"share": 0}, "must be above 0"),
        ({"share": 2}, "must be at most 1"),
        ({"share": "much"}, "must be a number"),
        ({"share": float("inf")}, "must be a finite number"),
        ({"count": "many"}, "must be a whole number"),
        ({"sure": "maybe"}, "must be true or false"),
        ({"nmae": "x"}, "unknown key"),
        ({"code": "abc"}, "string should have at least 10 characters"),
        ({"code": "0123456789abc"}, "string should have at most 12 characters"),
        ({"day": date(2019, 1, 1)}, "input should be greater than or equal to 2020-01-01"),
        ({"size": 10**401}, f"input should be less than or equal to {10**400}"),
        ({"even": 1}, "odd numbers are not sold"),
    ],
)
def test_validation_errors_are_plain_sentences(value, words):
    with pytest.raises(ValidationError) as caught:
        Line.model_validate(value)
    assert refused(caught.value.errors()[0]) == words
