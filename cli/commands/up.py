"""`sponsorgraph up`: the whole stack on this machine until Ctrl-C."""

import signal
import threading
import time
from contextlib import suppress

from rich.panel import Panel
from rich.status import Status

from cli.commands._shell import home, out, readable_errors
from devstack.home import Connection, Home
from devstack.settings import StackSettings
from devstack.stack import Stack


def up() -> None:
    """Start everything on embedded Postgres and Valkey; Ctrl-C stops it, the data stay."""
    with readable_errors():
        folder = home()
        folder.open()
        with folder.locked():
            _run(folder)


def _run(folder: Home) -> None:
    stopped = threading.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda _number, _frame: stopped.set())
    started = time.monotonic()
    with Status("Starting", console=out) as status:
        stack = Stack(folder, StackSettings(), status.update)
        try:
            connection = stack.start()
            status.stop()
            with suppress(OSError):  # a terminal that is gone, or a file on a full disk
                _banner(folder, connection, time.monotonic() - started)
            stack.report = _say
            stack.keep_running(connection, stopped)
            with suppress(OSError):
                out.print("\nStopping")
        finally:
            stack.stop()


def _say(text: str) -> None:
    out.print(text, style="yellow", markup=False)


def _banner(folder: Home, connection: Connection, seconds: float) -> None:
    call = (
        '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"sponsor.search",'
        '"arguments":{"search":"nordvpm","limit":3}}}'
    )
    lines = [
        f"[bold]MCP URL[/bold]   {connection.mcp_url}",
        f"[bold]API key[/bold]   {connection.api_key}",
        f"[bold]Account[/bold]   {connection.email} (Creator: 1,000 requests a month)",
        f"[bold]Site[/bold]      {connection.site_url} (password of the account in the file below)",
        f"[bold]Mails[/bold]     the site writes them to {folder.mails}",
        f"[bold]Files[/bold]     {folder.connection_file} has all of this; logs are in {folder.logs}",
    ]
    out.print(Panel("\n".join(lines), title=f"Sponsorgraph is ready after {seconds:.1f} s"))
    out.print("Try it:\n")
    out.print(
        f"curl -s {connection.mcp_url} -H 'Authorization: Bearer {connection.api_key}' "
        f"-H 'Content-Type: application/json' -d '{call}'",
        soft_wrap=True,
        markup=False,
    )
    out.print("\nCtrl-C stops all of it.")
