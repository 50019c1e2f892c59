"""Settings of the test run that no single test owns."""

from __future__ import annotations

import os

from hypothesis import settings

# Real servers, for which `make integration` installs what is needed.
collect_ignore = [] if os.environ.get("FACTREASONER_INTEGRATION") else ["integration"]

# Examples are not timed: the first one may pay for an import, and machines differ.
settings.register_profile("untimed", deadline=None)
settings.load_profile("untimed")
