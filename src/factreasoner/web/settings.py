"""Settings of fetching pages."""

from __future__ import annotations

from functools import partial

from factreasoner.settings.setting import Settings, setting

_retrieval = partial(setting, "Retrieval")


class WebSettings(Settings):
    """Settings of fetching pages."""

    allow_domains: tuple[str, ...] = _retrieval(
        (), "Use only pages from this domain; repeatable. (default: all)"
    )
    deny_domains: tuple[str, ...] = _retrieval((), "Never use pages from this domain; repeatable.")
    allow_private_hosts: bool = _retrieval(False, "Also fetch from private addresses, for intranets.")
