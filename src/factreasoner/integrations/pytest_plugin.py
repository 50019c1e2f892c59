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
    from factreasoner.integrations.scoring import Scoring
    from factreasoner.models import Assessment
    from factreasoner.pipeline.keywords import Keywords
    from factreasoner.protocols import LLM


CHECKED = ("answer", "contexts", "min_precision", "prompt", "llm")


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
    """Checks that contexts support answers: `factuality.check(answer, contexts=[...], min_precision=0.9)`."""
    options = {name: pytestconfig.getoption(f"factreasoner_{name}") for name in ("model", "api_base")}
    return Factuality({name: value for name, value in options.items() if value is not None})


class Factuality:
    """Checks answers in a session; checks with equal settings share judge, cache and `max_cost`.

    `defaults` are settings for the checks that do not set them.
    """

    def __init__(self, defaults: Mapping[str, Any]) -> None:
        self._defaults = dict(defaults)
        self._made: list[tuple[dict[str, Any], Scoring]] = []

    def check(
        self,
        answer: str,
        contexts: Iterable[ContextLike] | None = None,
        *,
        min_precision: float = 0.9,
        prompt: str = "",
        llm: LLM | None = None,
        **settings: Unpack[Keywords],
    ) -> Assessment:
        """Fail the test unless at least `min_precision` of the answer's atoms are supported by the contexts.

        It also fails if that is unknown: without atoms, or if failed verdicts could lower it below. The
        message lists every unsupported atom with its evidence. `contexts` and `settings` are those of
        :func:`factreasoner.assess`; `llm` replaces the model client. Returns the assessment.

        Raises:
            ConfigError: a setting, key or model name is wrong.
            InputError: an argument is invalid.
            BudgetError: the next call could exceed `max_cost`.
        """
        __tracebackhide__ = True
        from factreasoner.errors import ConfigError, FactReasonerError
        from factreasoner.models import Assessment
        from factreasoner.pipeline.loading import refuse_unknown

        refuse_unknown(settings, CHECKED)
        if not 0.0 <= min_precision <= 1.0:
            raise ConfigError(f"min_precision is {min_precision}; it is a share between 0 and 1")
        try:
            scored = self._scoring({**self._defaults, **settings, "llm": llm}).score(
                answer, contexts, prompt=prompt
            )
        except FactReasonerError as error:
            raise error.with_traceback(None) from None
        if not scored.reaches(min_precision):
            rule = f"min_precision={min_precision}"
            if scored.value is None:
                pytest.fail(f"{rule} could not be checked: {scored.reason}")
            verb = "may be" if scored.value >= min_precision else "is"
            pytest.fail(f"precision {verb} below {rule}: {scored.reason}")
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
