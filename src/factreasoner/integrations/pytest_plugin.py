"""pytest: a fixture that fails a test if contexts do not support its answer.

::

    def test_answer(factuality):
        factuality.check(ask("When did it open?"), contexts=passages, min_precision=0.9)

pytest loads this module at every start, so it imports nothing before the first check.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Unpack

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from factreasoner.inputs.parsing import ContextLike
    from factreasoner.integrations.scoring import ScoredAnswer, Scoring
    from factreasoner.models import Assessment
    from factreasoner.pipeline.keywords import Keywords
    from factreasoner.protocols import LLM


CHECKED = ("output", "contexts", "min_precision", "max_contradicted", "input", "llm")


def pytest_addoption(parser: pytest.Parser) -> None:
    """Options for the model that judges, for tests that name none."""
    group = parser.getgroup("factreasoner")
    group.addoption(
        "--factreasoner-model",
        metavar="MODEL",
        help="model that judges for the fixture `factuality`; without one the bundled judge does",
    )
    group.addoption(
        "--factreasoner-api-base", metavar="URL", help="OpenAI-compatible server of --factreasoner-model"
    )


@pytest.fixture(scope="session")
def factuality(pytestconfig: pytest.Config) -> Factuality:
    """Checks that contexts support answers: `factuality.check(output, contexts=[...], min_precision=0.9)`."""
    options = {name: pytestconfig.getoption(f"factreasoner_{name}") for name in ("model", "api_base")}
    return Factuality({name: value for name, value in options.items() if value is not None})


class Factuality:
    """Checks answers in a session; checks with equal settings share judge, cache and `max_cost`.

    `defaults` are settings for the checks that do not set them.
    """

    def __init__(self, defaults: Mapping[str, Any]) -> None:
        self._defaults = dict(defaults)
        self._made: list[tuple[dict[str, Any], Scoring]] = []

    def check(  # noqa: PLR0913 - an answer and the rules for it
        self,
        output: str | None = None,
        contexts: Iterable[ContextLike] | None = None,
        *,
        min_precision: float = 0.9,
        max_contradicted: int | None = None,
        input: str | None = None,
        llm: LLM | None = None,
        **settings: Unpack[Keywords],
    ) -> Assessment:
        """Fail the test unless at least `min_precision` of the answer's atoms are supported by the contexts.

        With `max_contradicted`, it also fails if more atoms are contradicted; for that rule alone, set
        `min_precision=0`. It fails too if a rule can't be checked: without atoms, or if failed verdicts could
        break it. The message lists every unsupported atom with its evidence. Parameters, their aliases and
        `settings` are those of :func:`factreasoner.assess`. Returns the assessment.

        Raises:
            ConfigError: a setting, key or model name is wrong.
            InputError: an argument is invalid.
            BudgetError: the next call could exceed `max_cost`.
        """
        __tracebackhide__ = True
        from factreasoner.errors import ConfigError, FactReasonerError
        from factreasoner.inputs.columns import parameter_of
        from factreasoner.models import Assessment
        from factreasoner.pipeline.loading import refuse_unknown

        given: dict[str, Any] = {"output": output, "contexts": contexts, "input": input}
        own = {name: value for name, value in settings.items() if not parameter_of(name, given)}
        given |= {name: value for name, value in settings.items() if name not in own}
        refuse_unknown(own, CHECKED)
        if not isinstance(min_precision, int | float) or not 0 <= min_precision <= 1:
            raise ConfigError(f"min_precision is {min_precision!r}; it must be a number between 0 and 1")
        if max_contradicted is not None and (type(max_contradicted) is not int or max_contradicted < 0):
            raise ConfigError(f"max_contradicted is {max_contradicted!r}; it must be a whole number from 0")
        try:
            scored = self._scoring({**self._defaults, **own, "llm": llm}).score(**given)
        except FactReasonerError as error:
            raise error.with_traceback(None) from None
        if broken := _broken_rule(scored, min_precision, max_contradicted):
            pytest.fail(f"{broken}: {scored.reason}")
        assert isinstance(scored.result, Assessment)
        return scored.result

    def _scoring(self, settings: dict[str, Any]) -> Scoring:
        """The shared scorer for these settings, made on first use."""
        from factreasoner.integrations.scoring import Scoring

        for known, scoring in self._made:
            if known == settings:
                return scoring
        scoring = Scoring(**settings)
        self._made.append((settings, scoring))
        return scoring


def _broken_rule(scored: ScoredAnswer, min_precision: float, max_contradicted: int | None) -> str:
    """The first rule that the answer breaks or may break; empty without one."""
    if not scored.reaches(min_precision):
        rule = f"min_precision={min_precision}"
        if scored.value is None:
            return f"{rule} could not be checked"
        return f"precision {'may be' if scored.value >= min_precision else 'is'} below {rule}"
    rows = [] if max_contradicted is None else scored.result.rows()
    contradicted = sum(row.label == "contradicted" for row in rows)
    most = contradicted + sum(row.label != "contradicted" and row.judged != "fully" for row in rows)
    if max_contradicted is None or most <= max_contradicted:
        return ""
    verb = "are" if contradicted > max_contradicted else "may be"
    return f"more than max_contradicted={max_contradicted} atoms {verb} contradicted"
