"""Settings of the test run that no single test owns."""

from __future__ import annotations

from hypothesis import settings

# Examples are not timed: the first one may pay for an import, and machines differ.
settings.register_profile("untimed", deadline=None)
settings.load_profile("untimed")
