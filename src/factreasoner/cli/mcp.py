"""`factreasoner mcp`: tools that agents call, over standard input and output or HTTP."""

from __future__ import annotations

from functools import partial
from typing import Annotated, Any

import typer

from factreasoner.cli.flags import Profile, takes_flags
from factreasoner.cli.serve import UNUSED
from factreasoner.report.terminal import say

HOST = "127.0.0.1"
SECONDS_TO_END = 5
"""For calls at the end: clients may keep streams of events open for ever."""


@takes_flags(without=UNUSED)
def mcp(
    profile: Profile = None,
    http: Annotated[
        int | None,
        typer.Option(min=0, max=65535, help="Serve http://127.0.0.1:PORT/mcp; 0: a free port."),
    ] = None,
    timeout: Annotated[
        float, typer.Option(min=0.1, help="Seconds a call may take; clients give up after 60.")
    ] = 50.0,
    *,
    settings: dict[str, Any],
) -> None:
    """Offer agents the tools assess and verify, over the Model Context Protocol.

    An editor or an agent starts this command, and talks to it over standard input and output. The tools take
    texts: they read no file and fetch no link.
    """
    from factreasoner.plugins.table import extras_named
    from factreasoner.settings import load_settings

    config = load_settings(profile, settings)
    with extras_named():
        from factreasoner.integrations.mcp_server import tools_of
    server = tools_of(config, seconds=timeout)
    if http is None:
        server.run("stdio")
        return
    from factreasoner.serve.server import answer_until, listening, until_signal

    listener = listening(HOST, http, "--http")
    app = server.streamable_http_app(stateless_http=True, json_response=True, host=HOST)
    say(f"Tools at http://{HOST}:{listener.getsockname()[1]}/mcp.", err=True)
    run = partial(answer_until, app=app, listener=listener, most=SECONDS_TO_END)
    raise typer.Exit(until_signal(run))
