"""`factreasoner mcp`: tools for agents, over standard input and output or HTTP."""

from __future__ import annotations

from functools import partial
from pathlib import Path

from factreasoner.cli.flags import EVERY, PROFILE, Command, flag
from factreasoner.cli.serve import UNUSED
from factreasoner.plugins.table import extras_named
from factreasoner.report.terminal import print_text

HOST = "127.0.0.1"
SECONDS_TO_END = 5
"""Grace period for calls at shutdown: clients may keep event streams open for ever."""


class McpCommand(Command, panels=EVERY, without=UNUSED):
    """Offer agents the tools assess and verify, over the Model Context Protocol.

    An editor or an agent starts this command and talks to it over standard input and output. The tools take
    text; they read no file and fetch no link.
    """

    profile: Path | None = PROFILE
    http: int | None = flag("Serve http://127.0.0.1:PORT/mcp; 0: a free port.", min=0, max=65535)
    timeout: float = flag("Maximum seconds per call; clients stop waiting after 60.", default=50.0, min=0.1)

    def _execute(self) -> int | None:
        config = self.config
        with extras_named():
            from factreasoner.integrations.mcp_server import tools_of
        server = tools_of(config, seconds=self.timeout)
        if self.http is None:
            server.run("stdio")
            return None
        from factreasoner.serve.server import answer_until, listening, until_signal

        listener = listening(HOST, self.http, "--http")
        app = server.streamable_http_app(stateless_http=True, json_response=True, host=HOST)
        print_text(f"Tools at http://{HOST}:{listener.getsockname()[1]}/mcp.", err=True)
        run = partial(answer_until, app=app, listener=listener, most=SECONDS_TO_END)
        return until_signal(run)
